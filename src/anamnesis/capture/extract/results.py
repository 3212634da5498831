"""How the last run of each test, build and lint command ended, where that is certain."""

from __future__ import annotations

import re
from functools import lru_cache

from anamnesis.capture.extract import commands, shell
from anamnesis.capture.extract.findings import decisive_line
from anamnesis.capture.story import EDIT, RUN
from anamnesis.ground.records import record
from anamnesis.text.clipping import clipped
from anamnesis.text.sentences import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.extract.shell import Step
    from anamnesis.capture.story import Moment, Story

# What builds, formats or measures is called, as a program, a subcommand, a script or an option.
_BUILDS = re.compile(
    r"(?:^|[-_:./@])(?:build|compile|py_compile|bench|fmt|format|biome|prettier|phpstan|tox|nox|ctest"
    r"|playwright|cypress|shellcheck)(?:$|[-_:.])",
    re.IGNORECASE,
)
_CHECKING_OPTION = re.compile(r"--?(?:check|no-?emit|verify|lint|test)$", re.IGNORECASE)
_BUILDERS = frozenset(["make", "just", "ninja", "mvn", "mvnw", "gradle", "gradlew"])
_SCRATCH = re.compile(r"/(?:private/)?(?:var/)?tmp/")
_FEW = 7  # words of a command among which the name of a check stands
_FETCHES = re.compile(r"\b(?:install|add|remove|uninstall|upgrade|init|create|new|deps|help)\b")
# Steps that print nothing and do not fail in a way that would be taken for a check's.
_SILENT = frozenset(
    """cd export set source . sleep mkdir touch true kill pkill rm cp mv chmod pushd popd
    echo""".split()  # noqa: SIM905  readable as text
)
_COMPOUND = frozenset(
    "for while until if case function do then else elif done fi { ( !".split()  # noqa: SIM905
)
_LITERAL_ECHO = re.compile(r"echo\s+(?:\"([^\"$`]*)\"|'([^']*)'|([^\"'$`|;&<>]*))$")
_STATUS_ECHO = re.compile(r"echo\s+[\"']?([^\"'$`]*)(?:\$\?|\$\{PIPESTATUS\[0\]\})")
# What puts files back: the run before it was of a tree that is no more.
_PUTS_BACK = re.compile(
    r"(?:cp|mv|patch)\b|sed\s+-i|git\s+(?:checkout|restore|stash|reset|apply|revert|switch)\b"
)
_DOCTORED = re.compile(r"(?:env\s+)?\w*PATH=\S*\$")  # a program of another place
_CHANGES = re.compile(rf"{_PUTS_BACK.pattern}|perl\s+-\S*i|(?:cat|tee)\b.*(?:>|<<)")
_TO_A_FILE = re.compile(r"(?<![0-9&])>>?\s*(?!&|/dev/null)\S")
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_TAIL = re.compile(r"\|\s*tail\b")
_LAST_LINES = re.compile(r"tail\b|cat\b|tee\b|less\b|more\b")
_SOME_LINES = re.compile(r"head\b|grep\s+(?!.*-\w*[coq])|egrep\s|rg\s|sed\s+-n\b")
_PROSE = re.compile(r"\.(?:md|mdx|markdown|rst|adoc|txt)$|(?:^|[\\/])\.[^.\\/]+$", re.IGNORECASE)
_ENDS = 3  # lines of an output whose last part is certainly the last command's
# Looked for in lower case: a pattern that begins with what it looks for is skipped fast.
_COUNTED = (
    r"%?\s*(?:[a-z]+\s+){0,2}(?:tests?|passed|passing|failed|failing|failures?|errors?|warnings?"
    r"|problems?|offenses?|skipped|ok|examples?|specs?|assertions?|suites?|issues?"
    r"|files? checked)\b"
)
_COUNT = re.compile(rf"\d{_COUNTED}")
_NOT_ZERO = re.compile(rf"(?<![\d.])[1-9][\d.,]*{_COUNTED}")
_VERDICT = re.compile(
    r"(?:tests?|passed|failed|errors?|warnings?|coverage)\s*[:=]\s*\d|compiled\b.{0,20}\bsuccess"
    r"|buil[dt]\b.{0,30}\b(?:success|succeeded|in \d|passed|failed)|no issues found"
    r"|all checks passed|ok\s+\S+\s+(?:[\d.]+s\b|\(cached\))|test result:|^ok\b|^failed\b|^fail\b"
)
# A complaint about one place, or what is about to run, is not a result.
_NO_RESULT = re.compile(r"\s*(?:\d+:\d+\s|running\b)")
_FAILED_COUNT = re.compile(r"[1-9]\d* (?:[a-z]+ )?(?:fail|error|problem)|fail")
_NO_FAILURE = re.compile(
    r"(?<!\d)(?:0|no) (?:[a-z]+ )?(?:failed|failures?|failing|errors?|issues?|offenses?|problems?"
    r"|warnings?|vulnerabilities)"
    r"|(?:failed|failures?|errors?)\s*[:=]\s*0\b"
)
_SAYS_BAD = re.compile(
    r"^\W*(?:(?:build |tests? )?fail(?:ed|ures?)?|errors?|fatal|panic\w*|traceback)\b(?! to )"
    r"|(?<![\d.])[1-9]\d* (?:[a-z]+ )?(?:failed|failures?|failing|errors?)\b"
    r"|\berror(?:\[\w+\])?: |[✗✘❌]|command not found|\*\*\* "
)
_SPAN = re.compile(r"`([^`\n]+)`")
_ENDED = re.compile(
    r"\b(?:red|green|pass\w*|fail\w*|broken|clean|succe\w+|errors?)\b", re.IGNORECASE
)
_MAY_SAY_BAD = re.compile(r"\bfail(?:ed|ures?|s|ing)?\b|\berrors?\b|\bfatal\b|\bpanic")
_SAYS_GOOD = re.compile(
    r"\bpass(?:ed|es|ing)?\b|\bok\b|\bsuccess\w*|\bclean\b|\bcompiled\b|\bbuilt\b|[✓✔✅]|\bfinished\b"
)
_ALL_WELL = re.compile(
    r"\b(?:tests?|checks?|builds?|lint\w*|types?)\b.{0,12}\b(?:pass\w*|green|clean\w*|succe\w+|ok)\b"
    r"|\bno (?:\w+ )?errors\b"
)
_COLOUR = re.compile(r"\x1b?\[[\d;]{0,8}m")
_NOT_RUN = (126, 127)  # the shell's own statuses
_MOST_COMMAND, _MOST_VERDICT = 100, 140


@record
class Result:
    """How the last run of a check ended, and the line that says so."""

    command: str
    passed: bool
    says: str
    is_older: bool  # files were edited since
    ran: bool = True  # or the program was not found

    def line(self) -> str:
        """The result as a line of a note."""
        ended = "passed" if self.passed else "failed"
        says = f": {self.says}" if self.says else ""
        return f"`{self.command}`: {ended}{' before the last edits' * self.is_older}{says}"


def results(story: Story) -> list[Result]:
    """How the last run of each check ended; the latest first.

    Nothing is said of a check whose last run does not show its end.
    """
    known: dict[str, Result | None] = {}
    whole: set[str] = set()  # programs that ran without a path since
    edited = False
    for moment in reversed(story.of(RUN, EDIT)):
        if moment.kind == EDIT:
            edited = edited or not _PROSE.search(moment.text)
            continue
        for number, step in reversed(list(enumerate(_checks(moment.text)))):
            if step is None:
                continue
            program, path = shell.program(step.text), _path(step.text)
            key = f"{program} {path}"
            if key in known or (path and program in whole):
                continue
            known[key] = _result(moment, number, is_older=edited)
            if not path:
                whole.add(program)
        edited = edited or any(map(_CHANGES.match, shell.parts(moment.text)))
    return [each for each in known.values() if each is not None]


def says_how_checks_ended(text: str) -> bool:
    """Whether a text says little more than that all is well: "All tests pass", "0 errors"."""
    lowered = text.lower()
    return _ALL_WELL.search(lowered) is not None or _NO_FAILURE.search(lowered) is not None


def is_overtaken(text: str, story: Story, *, place: int) -> bool:
    """Whether a text says how a check ended, and checks ran since."""
    named = any(is_check(each) for each in _SPAN.findall(text))
    if not (_COUNT.search(text.lower()) or (named and _ENDED.search(text))):
        return False
    later = (each.text for each in story.moments[place + 1 :] if each.kind == RUN)
    return any(step is not None for line in later for step in _checks(line))


@lru_cache(maxsize=2_048)
def _checks(line: str) -> list[Step | None]:
    """The steps of a line that are checks of the tree as it stands; None for the others."""
    steps = shell.steps(line)
    if any(_first(step.text) in _COMPOUND for step in steps):
        return []
    restored = max((at for at, step in enumerate(steps) if _PUTS_BACK.match(step.text)), default=-1)
    return [
        step if at > restored and is_check(step.text) and not _DOCTORED.match(step.text) else None
        for at, step in enumerate(steps)
    ]


def is_check(command: str) -> bool:
    """Whether a command tests, lints or builds the project."""
    command = _PIPE.split(command)[0]
    words = shell.bare(command).split()[:_FEW]
    if not words or shell.is_looking(command) or _FETCHES.search(" ".join(words[:4])):
        return False
    name, *others = words
    name = name.rsplit("/", 1)[-1]
    if name == "git" or any(map(_SCRATCH.match, words)):
        return False
    if name in _BUILDERS and all(word.startswith("-") for word in others):
        return True
    told = [word.rsplit("/", 1)[-1] for word in others if not word.startswith("-")]
    return (
        any(map(_CHECKING_OPTION.match, others))
        or commands.is_check(command)
        or any(map(_BUILDS.search, [name, *told[:1]]))
        or any(map(_BUILDS.match, told[1:3]))
    )


def _path(command: str) -> str:
    """What part of a project a check was for; empty for all of it."""
    words = shell.bare(_PIPE.split(command)[0]).split()[1:]
    paths = [word for word in words if re.search(r"[\w*]/[\w*]|\w\.[a-z]{1,4}(?::|$)", word)]
    return " ".join(paths)


def _result(run: Moment, number: int, *, is_older: bool) -> Result | None:
    """How a step of a run ended; None if that is not certain."""
    steps = shell.steps(run.text)
    step = steps[number]
    if step.text.rstrip().endswith("&") or " & " in step.text:
        return None  # in the background
    first, last = _chain(steps, number)
    lines, others = _section(run.answer, steps, number)
    if _TO_A_FILE.search(step.text):
        lines = []
    passed = _status(run, steps, number)
    own = lines if not others else lines[-_ENDS:] if max(others) < number else []
    if passed is None and (not others or (own and _TAIL.search(step.text))):
        passed = _judged(step.text, own)
    elif passed is None and not run.failed and first <= min(others) and max(others) <= last:
        # The last of a chain ran only if those before it ended well.
        passed = _judged(steps[last].text, lines) or None
    if passed is None:
        return None
    says = clipped(_verdict(own, passed), _MOST_VERDICT)
    if others and _tells_little(says) == 2:
        says = ""  # a part of what it printed
    if not (passed or says):
        says = f"exit status {run.exit}" if run.exit else ""
    command = shell.short(step.text, _MOST_COMMAND)
    return Result(command, passed, says, is_older, run.exit not in _NOT_RUN)


def _chain(steps: tuple[Step, ...], number: int) -> tuple[int, int]:
    """The first and the last of the steps that `&&` joins to one."""
    first = last = number
    while first and steps[first - 1].then == "&&":
        first -= 1
    while steps[last].then == "&&" and last + 1 < len(steps):
        last += 1
    return first, last


def _status(run: Moment, steps: tuple[Step, ...], number: int) -> bool | None:
    """Whether a step ended well by an exit status that is its own; None if there is none."""
    first, last = _chain(steps, number)
    if steps[last].then == "||" or (first and steps[first - 1].then == "||"):
        return None
    ended = run.exit if run.exit is not None or not run.failed else 1
    if last + 1 < len(steps):
        ended = _echoed(run.answer, steps[last + 1].text, steps[last].text)
    is_hidden = _PIPE.search(steps[number].text) and not re.search("pipefail|PIPEST", run.text)
    if ended is None or is_hidden:
        return None
    others = [each for each in steps[first : last + 1] if each is not steps[number]]
    if ended == 0 or all(_first(each.text) in _SILENT for each in others):
        return ended == 0
    return None


def _echoed(output: str, echo: str, before: str) -> int | None:
    """The status that a line prints itself: `echo "exit: $?"`."""
    told = _STATUS_ECHO.match(echo)
    if told is None or (_PIPE.search(before) and "PIPESTATUS" not in echo):
        return None
    printed = re.findall(rf"^{re.escape(told[1].strip())}\s*(\d+)", output, re.MULTILINE)
    return int(printed[-1]) if printed else None


def _section(output: str, steps: tuple[Step, ...], number: int) -> tuple[list[str], list[int]]:
    """The lines that a step printed between two `echo`s, and the other steps that may have."""
    lines = [line.strip() for line in _COLOUR.sub("", output).split("\n")]
    start, end, first, after = 0, len(lines), 0, len(steps)
    for at, step in enumerate(steps):
        place = _marked(lines, step.text, start)
        if place < 0 or place >= end:
            continue
        if at > number:
            end, after = place, at
            break
        start, first = place + 1, at + 1
    others = [at for at in range(first, after) if at != number and _is_noisy(steps[at].text)]
    return [line for line in lines[start:end] if line], others


def _marked(lines: list[str], text: str, start: int) -> int:
    """The place of the line that an `echo` printed; -1 if there is none."""
    if told := _STATUS_ECHO.match(text):
        begins = told[1].strip()
        return next((at for at in range(start, len(lines)) if lines[at].startswith(begins)), -1)
    echoed = _LITERAL_ECHO.match(text)
    marker = next((each.strip() for each in echoed.groups() if each), "") if echoed else ""
    return lines.index(marker, start) if marker and marker in lines[start:] else -1


def _is_noisy(text: str) -> bool:
    """Whether a step may print a line that looks like another's."""
    return not (
        _first(text) in _SILENT
        or _TO_A_FILE.search(_PIPE.split(text)[-1])
        or re.match(r"git (?:add|stash|checkout|config)\b", text)
    )


def _first(text: str) -> str:
    return (text.split(maxsplit=1) or [""])[0]


def _judged(command: str, own: list[str]) -> bool | None:
    """How a step ended by its own words, where a pipe hides its status; None if they do not say."""
    filters = [each.strip() for each in _PIPE.split(command)[1:]]
    all_last = all(_LAST_LINES.match(each) for each in filters)
    if not all_last and not all(
        _LAST_LINES.match(each) or _SOME_LINES.match(each) for each in filters
    ):
        return None
    told = [_NO_FAILURE.sub("passed", line.lower()) for line in own]
    if any(_SAYS_BAD.search(line) for line in told):
        return False
    is_good = any(
        _is_result(line) and _SAYS_GOOD.search(lowered)
        for line, lowered in zip(own, told, strict=True)
    )
    if not is_good or any(map(_MAY_SAY_BAD.search, told)):
        return None
    return True if all_last or any(map(_NO_FAILURE.search, map(str.lower, own))) else None


def _verdict(lines: list[str], passed: bool) -> str:
    """The line with the result of a check; one without numbers only if there is no other."""
    telling = [line for line in reversed(lines) if _is_result(line)]
    if passed:
        telling = [line for line in telling if not _says_that_it_failed(line)]
        telling.sort(key=_tells_little)
        best = telling[0] if telling else ""
    else:
        best = next(filter(_says_that_it_failed, telling), "") or decisive_line("\n".join(lines))
        best = "" if _SAYS_GOOD.search(best.lower()) else best
    return folded(best).strip("=- ")


def _says_that_it_failed(line: str) -> bool:
    return _FAILED_COUNT.search(_NO_FAILURE.sub("", line.lower())) is not None


def _tells_little(line: str) -> int:
    """0 for a line that counts something, 1 for one without a count, 2 for a count of nothing."""
    lowered = line.lower()
    if _NOT_ZERO.search(lowered):
        return 0
    return 2 if _COUNT.search(lowered) else 1


def _is_result(line: str) -> bool:
    lowered = line.lower()
    if _NO_RESULT.match(lowered):
        return False
    return any(each.search(lowered) for each in (_COUNT, _VERDICT, _NO_FAILURE))
