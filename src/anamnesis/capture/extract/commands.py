"""What a command does: whether it reads, checks or changes, and what it is about."""

from __future__ import annotations

import re
from functools import lru_cache

from anamnesis.capture.extract import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Programs that only read files and the state of the machine.
_READERS = frozenset(
    """ls cat head tail less more sed awk grep egrep fgrep rg fd find tree wc pwd echo printf which
    whereis type command file stat du df printenv sleep wait true false test [ [[ date whoami id ps
    pgrep lsof ss netstat jobs nl sort uniq cut tr diff cmp history man read tac basename dirname
    realpath readlink seq uname hostname jq yq strings xxd od md5 md5sum sha256sum shasum top free
    uptime groups locale for while if do done then else fi journalctl dmesg""".split()  # noqa: SIM905
)
_SETTINGS = frozenset("cd pushd popd set unset export source . alias ulimit umask".split())  # noqa: SIM905
_GIT_READS = frozenset(
    """status log diff show branch rev-parse ls-files ls-tree ls-remote blame reflog shortlog
    describe grep cat-file remote""".split()  # noqa: SIM905
)
_READING_WORDS = frozenset(
    """list ls show status get describe log logs ps info inspect view version help search outdated
    history whoami top why df stats events explain keys scan llen ttl exists""".split()  # noqa: SIM905
)
_REQUESTS = frozenset({"curl", "wget", "http"})
_CHECK = re.compile(
    r"(?:^|[:_./-])(?:tests?|specs?|rspec|e2e|lint\w*|check(?:s|er)?|type-?check|vet|cov|coverage"
    r"|pytest|tsc|mypy|pyright|ruff|eslint|clippy|rubocop|flake8|pylint|jest|vitest|mocha|phpunit"
    r"|credo|dialyzer|verify|validate|plan|audit|doctor)\Z",
    re.IGNORECASE,
)
_ADDS = frozenset({"install", "add", "i", "get", "update", "upgrade", "require"})
_FOLLOWS = re.compile(r"build|compile|fmt|format|prettier")
_REPAIRS = re.compile(r"\s(?:--(?:fix|write|autocorrect(?:-all)?|unsafe-fixes)|-[aA])(?=\s|$)")
_ASKS = re.compile(
    r"\s(?:--help|--version|--dry-run|--list|--check)(?=\s|$)"
    r"|^\S+ (?:-version|-[hvV]|version|help)$"
)
_SENDS = re.compile(
    r"\s(?:-X ?(?:POST|PUT|PATCH|DELETE)|-d|--data\S*|-F|--form|-o|-O|-T)(?=[\s'\"])"
)
_SELECTS = re.compile(r"[\"']\s*(?:select|explain|show|describe|\\[a-z])", re.IGNORECASE)
_INLINE = re.compile(
    r"(?:python|node|ruby|perl|php|deno|bun)[\d.]*\s+(?:-\s*(?:<<|$)|-c\b|-e\b|-p\b|<<|eval\b)"
    r"|\S+ (?:runner|eval|exec|-e|-c) ['\"]"
)
_WRITES = re.compile(
    r"write|\.save|unlink|remove|rename|mkdir|commit\(|execute|destroy|delete|create|update|insert"
    r"|drop|['\"]w['\"]",
    re.IGNORECASE,
)
_WAITS = re.compile(r"(?:timeout \S+ )?(?:ba|z|da)?sh -c ['\"]\s*(?:until|while|sleep)\b")
_TARGET = re.compile(r"(?<![<>&\d])(?:\d?>>?)\s*([^\s<>&|;]+)")
_IN_PLACE = re.compile(r"(?:sed|perl)\s+(?:\S+\s+)*?-\w*i\S*\s.*?([^\s'\"]+)\s*\Z", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_TOKEN = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|[^\s'\"])+", re.DOTALL)
_HANDS_ON = re.compile(
    r"git (?:add|commit|push|tag|stash push|switch -c|checkout -b)\b|gh |glab |hub "
)
_SEES = re.compile(r"(?:git|gh|glab|hub)\b|.* hook\Z")
_OUT_OF_COMMAND = re.compile(r"\||\d?[<>]|&")
_NUMBER = re.compile(r"[\d.:,]+[a-zA-Z]?\Z")
_COSMETIC = re.compile(
    r"-[vqsxl]+|--(?:verbose|quiet|silent|(?:no-)?colou?r\S*|tb\S*|reporter\S*|format\S*|progress\S*)"
)
_LEAVES_OUT = re.compile(r"--(?:deselect|exclude|skip|omit|ignore)(?==|\Z)|--no-verify\Z")
_SHORTEST_NAME = 3


@lru_cache(maxsize=4_096)
def words(command: str) -> tuple[str, ...]:
    """A command's program and arguments, without the environment, redirections and what follows."""
    found: list[str] = []
    for token in _TOKEN.findall(shell.bare(command)):
        if _OUT_OF_COMMAND.match(token):
            break
        found.append(token)
    if not found:
        return ()
    found[0] = re.split(r"[/\\\\]", found[0])[-1].removesuffix(".exe")
    is_module = re.match(r"python[\d.]*\Z", found[0]) and len(found) > 2 and found[1] == "-m"
    return tuple(found[2:] if is_module else found)


def reads(command: str) -> bool:
    """Whether a command only reads files, so that its failure means nothing was there."""
    if written_by(command):
        return False
    name, *more = words(command) or ("",)
    return (
        name in _READERS
        or not re.match(r"[\w.@/-]", name)
        or (name == "git" and (not more or more[0] in _GIT_READS))
    )


def sets(command: str) -> bool:
    """Whether a command only sets up the shell for those after it."""
    return (words(command) or ("",))[0] in _SETTINGS


@lru_cache(maxsize=4_096)
def changes(command: str) -> bool:
    """Whether a command may change something: it neither reads, nor asks, nor checks."""
    name, *more = words(command) or ("",)
    if name == "cd" or reads(command) or _ASKS.search(command) or _WAITS.match(command):
        return False
    if name in _REQUESTS:
        return _SENDS.search(command) is not None
    if _INLINE.match(command):
        return _WRITES.search(command) is not None
    if is_check(command):
        return _REPAIRS.search(command) is not None
    plain = [word.split("-")[0] for word in more[:3] if not word.startswith("-")]
    return not (_READING_WORDS.intersection(plain[:2]) or _SELECTS.search(command))


@lru_cache(maxsize=4_096)
def is_check(command: str) -> bool:
    """Whether a command tests, lints or compares, rather than makes something."""
    plain = [word for word in words(command)[:4] if not word.startswith("-")]
    # Further behind, a word may be the name of anything: `docker stop my-test`.
    named = any(map(_CHECK.search, plain[:2])) or any(map(_CHECK.match, plain[2:3]))
    return _ADDS.isdisjoint(plain) and named


def is_inline(command: str) -> bool:
    """Whether a command is a script of its own, which nobody types twice."""
    return _INLINE.match(command) is not None


def follows_edits(command: str) -> bool:
    """Whether a command builds, formats or tries out what was edited."""
    name, *more = words(command) or ("",)
    is_request = name in _REQUESTS or is_inline(command)
    return is_request or any(map(_FOLLOWS.search, (name, *more[:2])))


def shares(command: str) -> bool:
    """Whether a command hands work on: a commit, a push, a pull request."""
    return _HANDS_ON.match(" ".join(words(command))) is not None


def sees_shared(command: str) -> bool:
    """Whether a command looks at work that was handed on."""
    return _SEES.match(" ".join(words(command))) is not None


def written_by(command: str) -> str:
    """The file that a shell command writes in place of an editor; empty if none."""
    name = (words(command) or ("",))[0]
    if name in {"sed", "perl"} and (found := _IN_PLACE.match(shell.bare(command))):
        return found[1]
    if name not in {"cat", "echo", "printf", "tee", "sed", "awk", "jq"}:
        return ""
    target = _TARGET.search(_QUOTED.sub("", command))
    return target[1] if target and not target[1].startswith("/dev/") else ""


def is_told(line: Sequence[shell.Step], place: int) -> bool:
    """Whether the exit status of a line is that of one of its commands."""
    follows = [step.then for step in line[place:-1]]
    return all(then == "&&" for then in follows) and "|" not in _QUOTED.sub("", line[place].text)


def is_same(failed: str, other: str, *, printed: str) -> bool:
    """Whether a command runs the program that failed for the same purpose.

    `printed` is what the failed one printed: it may name what it was about.
    """
    first, second = words(failed), words(other)
    if not first or not second or first[0] != second[0]:
        return False
    if _ASKS.search(other) and not _ASKS.search(failed):
        return False
    wanted, given = _subjects(first), _subjects(second)
    if not wanted:
        whole = is_check(other)  # of a folder
        return not given or any(each in printed or (whole and "." not in each) for each in given)
    if not given:
        return is_check(other)
    return all(any(_is_alike(one, two) for two in given) for one in wanted)


def other_way(failed: str, works: str) -> bool:
    """Whether a command does in another way, and not merely in part, what failed."""
    before, after = set(_tokens(failed)), set(_tokens(works))
    new = [each for each in after ^ before if not _COSMETIC.fullmatch(each)]
    if not new or any(map(_LEAVES_OUT.match, after - before)):
        return False
    return not is_check(works) or any(each.startswith("-") or "=" in each for each in new)


def has_other_surroundings(failed: str, works: str) -> bool:
    """Whether two commands differ in front of the program: its environment, who runs it."""
    return shell.prefix(failed) != shell.prefix(works)


def _tokens(command: str) -> tuple[str, ...]:
    return (*words(command), *shell.prefix(command).split())


def _subjects(found: tuple[str, ...]) -> list[str]:
    """What a command is about: arguments that are neither options nor numbers."""
    if found[:2] == ("git", "commit"):
        return ["commit"]
    plain = (word.strip("'\"") for word in found[1:] if not word.startswith("-"))
    return [word for word in plain if word not in {"", ".", "./..."} and not _NUMBER.match(word)]


def _is_alike(one: str, two: str) -> bool:
    """Whether two arguments name the same: a path from elsewhere, a version, a part of a file."""
    one, two = (re.sub(r"(?<=.)@.*|::.*|(?<=\w):\d+\Z", "", each) for each in (one, two))
    if one == two:
        return True
    short, long = sorted((one, two), key=len)
    if "/" in short:
        return long.endswith(f"/{short}") or short.split("/")[-2:] == long.split("/")[-2:]
    if len(short) < _SHORTEST_NAME or short not in long:
        return False
    start = long.find(short)
    edges = long[start - 1 : start] + long[start + len(short) : start + len(short) + 1]
    return not any(each.isalnum() for each in edges)
