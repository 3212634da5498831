"""Shell commands: which program ran, what was committed, what is worth knowing."""

from __future__ import annotations

import re
from functools import lru_cache

from anamnesis.ground.records import record
from anamnesis.text.clipping import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Commands to look around; that they worked teaches nothing.
_LOOKING = frozenset(
    """ls cat head tail less more sed awk grep egrep rg fd find tree wc pwd cd echo printf which
    type
    file stat du df env export set unset sleep true false test touch mkdir rmdir cp mv rm chmod ln
    date whoami ps kill pkill pgrep lsof jobs wait nl sort uniq cut tr xargs diff cmp tee source
    open clear history man for while if do done then else fi nohup timeout time apply_patch exit
    read tac basename dirname realpath readlink seq yes id uname hostname curl wget jq strings xxd
    od md5 md5sum sha256sum shasum""".split()  # noqa: SIM905  readable as text
)
_GIT_LOOKING = frozenset(
    """status log diff show branch add remote rev-parse ls-files config blame reflog shortlog
    describe fetch commit push stash restore checkout switch reset grep ls-tree rm mv""".split()  # noqa: SIM905
)
_HEREDOC = re.compile(
    r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)(?:^\s*\1\b|\Z)", re.DOTALL | re.MULTILINE
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+")
_WRAPPERS = re.compile(
    r"(?:sudo|env|time|nohup|command|exec|then|do|uv run|poetry run|pipenv run|npx|bunx"
    r"|bundle exec|timeout \S+)\s+"
)
# Comments, and assignments with no command behind them.
_NO_COMMAND = re.compile(
    r"#|[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\$\([^()]*\)|[^\s\"'$]|\$)*\s*\Z|[A-Za-z_]\w*=\$\(.*\)\s*\Z",
    re.DOTALL,
)
_PIPE = re.compile(r"\s*\|\s*")
_TIDY = re.compile(r"\s*(?:2>&1|2>\s?/dev/null|>\s?/dev/null)\s*")
# What quotes hide, and what is left to see.
_TOKEN = re.compile(
    r"\\.|(?<!\S)#[^\n]*|'[^']*(?:'|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\Z)|&&|\|\||[;\n(){}]", re.DOTALL
)
_SEPARATORS = frozenset({";", "\n", "&&", "||"})
_LONGEST = 1_500  # characters of a command that are looked at
_WORD = re.compile(r"[^\W\d][\w:.-]*\Z")
_COMMITTED = re.compile(
    r"^\[([^\]\s]+)(?: \([^)]*\))? ([0-9a-f]{7,40})\] (.{1,300})$", re.MULTILINE
)
_GIT_COMMIT = re.compile(r"\bgit\b(?:\s+-[cC]\s+\S+|\s+--\S+)*\s+commit\b")
_MESSAGE = re.compile(
    r"(?:\s-[a-zA-Z]*m|\s--message)[= ]?\s*(?:\"\$\(cat <<-?\s*['\"]?\w+['\"]?\s*\n([^\n]+)"
    r"|\"((?:[^\"\\]|\\.)+)\"|'([^']+)')"
)
_LONG_PATH = re.compile(
    r"(?<![\w./])(?:~|[A-Za-z]:)?(?:/[\w.@+-]+){3,}(/[\w.@+-]+/[\w.@+-]+)(?![\w/])"
)
_WHOLE_MESSAGE = re.compile(
    r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(?P<here>.*?)^\s*\1\b"
    r"|(?:\s-[a-zA-Z]*m|\s--message)[= ]?\s*(?:\"((?!\$\()(?:[^\"\\]|\\.)+)\"|'([^']+)')",
    re.DOTALL | re.MULTILINE,
)
_TRAILER = re.compile(r"^(?:[A-Z][\w-]+-[Bb]y: .*|.{0,4}\[?Generated with.*)$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\"$`\\])")


@record
class Step:
    """One command of a line, and what joins it to the next: `&&`, `||`, `;` or nothing."""

    text: str
    then: str


@lru_cache(maxsize=2_048)
def steps(command: str) -> tuple[Step, ...]:
    """The commands that a line runs one after the other, without what only trims their output."""
    pieces = _split(_HEREDOC.sub("", command))
    tidied = [Step(_TIDY.sub(" ", piece).strip(), then) for piece, then in pieces]
    return tuple(step for step in tidied if step.text and not _NO_COMMAND.match(step.text))


def parts(command: str) -> tuple[str, ...]:
    """The commands of `steps`."""
    return tuple(step.text for step in steps(command))


def _split(command: str) -> Iterator[tuple[str, str]]:
    """A line split at `&&`, `||`, `;` and line ends, except inside quotes and brackets."""
    start, depth = 0, 0
    for token in _TOKEN.finditer(command[:_LONGEST]):
        mark = token[0]
        if mark in "({":
            depth += 1
        elif mark in ")}":
            depth = max(0, depth - 1)
        elif depth == 0 and mark in _SEPARATORS:
            yield command[start : token.start()], ";" if mark == "\n" else mark
            start = token.end()
    yield command[start:_LONGEST], ""


def bare(command: str) -> str:
    """A command without the environment and what only wraps it."""
    text = command.strip("( ")
    while (prefix := _ASSIGNMENT.match(text) or _WRAPPERS.match(text)) is not None:
        text = text[prefix.end() :]
    return text


def prefix(command: str) -> str:
    """The environment of a command and what only wraps it."""
    text = command.strip("( ")
    return text[: len(text) - len(bare(text))]


@lru_cache(maxsize=4_096)
def program(command: str) -> str:
    """What a command runs, without the environment and the options: `npm run build`."""
    text = bare(command)
    pieces = _PIPE.split(text)[0].split()
    if not pieces:
        return ""
    name = pieces[0].rsplit("/", 1)[-1].rsplit("\\", 1)[-1].removesuffix(".exe")
    if re.match(r"python[\d.]*$", name):
        if len(pieces) > 2 and pieces[1] == "-m":
            return pieces[2]
        name = "python"
    more = [piece for piece in pieces[1:4] if _WORD.match(piece)][: 2 if name == "npm" else 1]
    follows = len(pieces) > 1 and not pieces[1].startswith("-")
    return " ".join([name, *more]) if follows else name


def main_part(command: str) -> str:
    """The part of a line that does the work: the last that does more than look around."""
    for piece in reversed(parts(command)):
        if not is_looking(piece):
            return piece
    return ""


def is_looking(command: str) -> bool:
    """Whether a command only looks around or moves files."""
    name, _, sub = program(command).partition(" ")
    if name in _LOOKING or not re.match(r"[\w.@/-]", name):
        return True
    return name == "git" and (sub in _GIT_LOOKING or not sub)


def tidy(command: str) -> str:
    """A command on one line, without what only trims its output."""
    first = _PIPE.split(command)[0] if " | " in command else command
    return " ".join(_TIDY.sub(" ", first).split())


def short(command: str, most: int) -> str:
    """A command on one line of at most so many characters; of long paths the end counts."""
    return clipped(_LONG_PATH.sub(r"…\1", tidy(command)), most)


def commits(command: str, output: str) -> list[tuple[str, str]]:
    """The hash (as git printed it, or nothing) and subject of the commits that a command made."""
    if "commit" not in command or _GIT_COMMIT.search(command) is None:
        return []
    printed = [(match[2], match[3].strip()) for match in _COMMITTED.finditer(output)]
    if printed:
        return printed
    message = _MESSAGE.search(command)
    subject = next((group for group in message.groups() if group), "") if message else ""
    return [("", subject.strip().split("\n")[0])] if subject.strip() else []


def explanations(command: str) -> list[str]:
    """What the messages of a commit say below their subjects, without trailers."""
    if "commit" not in command or _GIT_COMMIT.search(command) is None:
        return []
    found = _WHOLE_MESSAGE.finditer(command)
    said = [each["here"] or each[3] or each[4] or "" for each in found]
    below = [text.partition("\n")[2] for text in said]
    return [text for each in below if (text := _TRAILER.sub("", _ESCAPED.sub(r"\1", each)).strip())]


def amends(command: str) -> bool:
    """Whether a commit replaces the one before it."""
    return "--amend" in command
