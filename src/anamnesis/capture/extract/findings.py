"""What commands showed: commits, errors, commands worth knowing."""

from __future__ import annotations

import re

from anamnesis.capture.extract import shell
from anamnesis.capture.extract.paths import written
from anamnesis.capture.story import EDIT, RUN
from anamnesis.ground.records import record
from anamnesis.text.clipping import clipped
from anamnesis.text.sentences import folded
from anamnesis.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.capture.story import Story

_ERROR_NAME = re.compile(r"\b[A-Za-z_.]*(?:Error|Exception|Panic|Fault)\b\s*[:\[(]")
# What compilers and linters print: a message behind its place, its severity or its code.
_DIAGNOSTIC = re.compile(
    r"^\S+:\d+(?::\d+)?:? \S+ \S|^\d+:\d+\s+\S+ |\berror(?: ?\[?[A-Z]+\d+\]?)?: \S"
    r"|\b[A-Z]{1,5}\d{3,5}[:\]]"
)
_PANIC = re.compile(r"\bpanic(?:ked)?: ")
_PANICKED = re.compile(
    r"\bpanicked at [^\n]{1,300}:\n\s*(?=\S)"
)  # what it says is on the next line
_ERROR_WORD = re.compile(
    r"\b(?:error|fatal|fail|failed|failure|panic|fehler|erreur|errore?|ошибка)\b|错误|錯誤|失败"
    r"|エラー|오류"
    r"|not found|no such|cannot|can't|could not|unable to|denied|refused|undefined|unexpected"
    r"|unsupported|invalid|missing",
    re.IGNORECASE,
)
# How test runners name the test that failed, above what it expected.
_FAILED_TEST = re.compile("(?:[●✕✗✘\u00d7] |--- FAIL: |FAILED |not ok \\d)\\S")
_TELLING = 3  # words of an error line that say more than that something failed
_BEFORE_ERROR = re.compile(r"^\s*(?:E {2,}|[>*] )")  # pytest's mark, gradle's
_PLACE = re.compile(
    r"^\s*(?:at |File \"|\d+ \||[~^|-]+$|-->|Traceback|Exit code \d+$)|^\s*[\^~]+\s*$"
)
_FAILING = re.compile(
    r"(?:un)?expected|errors?|fatal|fail(?:ed|ing|ures?|s)?|panic|exceptions?|build|task|tests?|with|exit"
    r"|code|command|execution|status|process|returned|during|warnings?|fehler(?:geschlagen)?|erreur"
)
_LONGEST_LINE = 500  # characters; a longer one is data
_MOST_ERROR = 180
_MOST_COMMAND = 120
_SCRIPT = re.compile(
    r"(?:python|node|ruby|perl|php)\S*\s+-(?:c|e|\s|$)|git\b|\S+ (?:runner|eval|exec|-e|-c) ['\"]"
)
_LATEST = 400  # commands; what came before may have changed


@record
class Commit:
    """A commit that the session made."""

    hash: str
    subject: str
    place: int = 0  # of its command in the story


def commits(story: Story) -> list[Commit]:
    """The commits of a session in order; amended ones in their last form."""
    made: list[Commit] = []
    for place, run in enumerate(story.moments):
        if run.kind != RUN or run.failed:
            continue
        for hash_, subject in shell.commits(run.text, run.answer):
            if made and shell.amends(run.text):
                made.pop()
            if not any(each.subject == subject and each.hash == hash_ for each in made):
                made.append(Commit(hash_[:7], folded(subject), place))
    return made


def uncommitted(story: Story) -> list[str]:
    """The files that were edited after the last commit; none if the session made no commit."""
    edited: dict[str, None] = {}
    has_committed = False
    for moment in story.of(RUN, EDIT):
        if moment.kind == EDIT:
            edited[moment.text] = None
        elif not moment.failed and shell.commits(moment.text, moment.answer):
            has_committed = True
            edited.clear()
    return written(list(edited)) if has_committed else []


def decisive_line(output: str) -> str:
    """The line of an output that says what went wrong."""
    if "panicked" in output:
        output = _PANICKED.sub("panicked: ", output)
    lines = [_BEFORE_ERROR.sub("", line).strip() for line in output.split("\n")]
    lines = [line for line in lines if line and not _PLACE.match(line)]
    short = [line for line in lines if len(line) < _LONGEST_LINE]
    # An exception comes after its causes; a compiler goes on after its first complaint.
    for pattern, place in ((_ERROR_NAME, -1), (_PANIC, 0), (_DIAGNOSTIC, 0), (_FAILED_TEST, 0)):
        if found := [line for line in short if pattern.search(line)]:
            return folded(found[place])
    complaints = [line for line in short if _ERROR_WORD.search(line)]
    telling = (line for line in complaints if _told_by(line) >= _TELLING)
    best = next(telling, max(complaints, key=_told_by, default=""))
    return folded(best or (lines[-1] if lines else ""))


def says_why(error: str) -> bool:
    """Whether a line says more than that something failed, or how often."""
    return _told_by(error) > 0


def _told_by(line: str) -> int:
    """How many words of a line say more than "the build failed with an error"."""
    return sum(len(word) > 3 and not _FAILING.fullmatch(word) for word in set(terms(line)))


def unfixed(story: Story) -> list[tuple[str, str]]:
    """The commands that failed and never succeeded since, with their decisive line; latest last."""
    by_program: dict[str, tuple[str, str]] = {}
    for run in story.of(RUN):
        part = shell.main_part(run.text) or run.text
        key = shell.program(part)
        if not run.failed:
            by_program.pop(key, None)
        elif not shell.is_looking(part) and (error := decisive_line(run.answer)):
            by_program[key] = (
                shell.short(part, _MOST_COMMAND),
                clipped(error, _MOST_ERROR),
            )
    return list(by_program.values())


def worth_knowing(story: Story) -> list[str]:
    """Commands that worked and show how things are done here, best first."""
    uses: dict[str, list[str]] = {}
    for run in story.of(RUN)[-_LATEST:]:
        if run.failed:
            continue
        for part in shell.parts(run.text):
            if (
                not shell.is_looking(part)
                and 6 < len(part) < 200
                and "\n" not in part
                and _is_typed(part)
            ):
                uses.setdefault(shell.program(part), []).append(shell.tidy(part))
    ranked = sorted(uses.values(), key=_use, reverse=True)
    return [
        clipped(max(each, key=lambda command: (each.count(command), len(command))), 140)
        for each in ranked
    ]


def _use(used: list[str]) -> float:
    longest = max(used, key=len)
    return min(len(used), 6) + ("=" in longest.split(" ")[0]) * 3 + longest.count(" --") * 0.7


def _is_typed(part: str) -> bool:
    """Whether you would type it: not an inline script, and not a request for help."""
    return not _SCRIPT.match(part) and not part.endswith((" --help", " -h", " --version"))


def pull_requests(story: Story) -> Iterator[str]:
    """The addresses of pull requests and issues that commands printed."""
    seen = set()
    for run in story.of(RUN):
        for url in re.findall(
            r"https?://[\w.-]+/[\w.-]+/[\w./-]+/(?:pull|issues|merge_requests)/\d+", run.answer
        ):
            if url not in seen and re.search(r"\b(?:gh|glab|hub)\b.*\bcreate\b", run.text):
                seen.add(url)
                yield url
