"""What commands showed: commits, errors and what fixed them, last results of checks."""

from __future__ import annotations

import re

from anamnesis.capture.extract import shell
from anamnesis.capture.extract.text import clipped, folded
from anamnesis.capture.story import EDIT, RUN
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.capture.story import Moment, Story

_ERROR_NAME = re.compile(
    r"\b[A-Za-z_.]*(?:Error|Exception|Panic|Fault)\b\s*[:\[(]|\b[A-Z]{1,5}\d{3,5}\b:?"
)
_ERROR_WORD = re.compile(
    r"\b(?:error|fatal|failed|failure|panic|fehler|erreur|errore?|ошибка)\b|错误|錯誤|失败"
    r"|エラー|오류"
    r"|not found|no such|cannot|can't|denied|refused|undefined|unexpected|invalid|missing",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"^\s*(?:at |File \"|\d+ \||[~^|-]+$|-->|Traceback|Exit code \d+$)|^\s*[\^~]+\s*$"
)
_RESULT = re.compile(
    r"\b\d+(?:\.\d+)?%?\s*(?:\w+\s+){0,2}(?:tests?|passed|passing|failed|failing|failures?"
    r"|errors?|warnings?"
    r"|problems?|offenses?|skipped|ok|examples?|specs?|assertions?|suites?|issues?"
    r"|files? checked)\b"
    r"|\b(?:tests?|passed|failed|errors?|warnings?|coverage)\s*[:=]\s*\d"
    r"|\bcompiled\b.{0,20}\bsuccess|\bbuil[dt]\b.{0,30}\b(?:success|succeeded|in \d|passed|failed)"
    r"|\bno issues found\b|\ball checks passed\b|^ok\s+\S+\s+[\d.]+s|\btest result:",
    re.IGNORECASE,
)
_CHECKERS = re.compile(
    r"test|spec|lint|check|build|compile|tsc|mypy|ruff|eslint|clippy|rubocop|coverage|cov|vet|make"
    r"|gradle|mvn|cargo|jest|vitest|phpunit|typecheck|format",
    re.IGNORECASE,
)
_MOST_ERROR = 180
_MOST_COMMAND = 120
_LATEST = 400  # commands; how things were done before that may have changed
_NEAR = 40  # commands between a failure and its fix; what comes later has another reason


@record
class Fix:
    """A command that failed, its decisive line, and what made the same program succeed."""

    command: str
    error: str
    fix: str

    def line(self) -> str:
        """The one fixed form in which notes carry it; see docs/formats/session-note.md."""
        return f"`{self.command}` failed: {self.error} → {self.fix}"


@record
class Commit:
    """A commit that the session made."""

    hash: str
    subject: str


def commits(story: Story) -> list[Commit]:
    """The commits of a session in order; an amended one in its last form."""
    found: list[Commit] = []
    for run in story.of(RUN):
        if run.failed:
            continue
        for hash_, subject in shell.commits(run.text, run.answer):
            if found and shell.amends(run.text):
                found.pop()
            if not any(each.subject == subject and each.hash == hash_ for each in found):
                found.append(Commit(hash_[:7], folded(subject)))
    return found


def decisive_line(output: str) -> str:
    """The line of an output that says what went wrong."""
    lines = [line.strip() for line in output.split("\n") if line.strip()]
    lines = [line for line in lines if not _PLACE.match(line)]
    named = [line for line in lines if _ERROR_NAME.search(line) and len(line) < 500]
    if named:
        return folded(named[-1])
    worded = [line for line in lines if _ERROR_WORD.search(line) and len(line) < 500]
    if worded:
        return folded(worded[0])
    return folded(lines[-1]) if lines else ""


def fixes(story: Story) -> list[Fix]:
    """Each failure that was overcome: the same program succeeded later."""
    found: list[Fix] = []
    moments = [each for each in story.moments if each.kind in {RUN, EDIT}]
    for place, moment in enumerate(moments):
        if moment.kind == RUN and moment.failed and (fix := _fix(moment, moments[place + 1 :])):
            same = [each for each in found if each.error == fix.error]
            for each in same:
                found.remove(each)
            found.append(fix)
    return found


def unfixed(story: Story) -> list[tuple[str, str]]:
    """The commands that failed and never succeeded, with their decisive line; the latest last."""
    found: dict[str, tuple[str, str]] = {}
    for run in story.of(RUN):
        part = shell.main_part(run.text) or run.text
        key = shell.program(part)
        if not run.failed:
            found.pop(key, None)
        elif not shell.is_looking(part) and (error := decisive_line(run.answer)):
            found[key] = (clipped(shell.tidy(part), _MOST_COMMAND), clipped(error, _MOST_ERROR))
    return list(found.values())


def _fix(failed: Moment, later: list[Moment]) -> Fix | None:
    broken = shell.main_part(failed.text) or (failed.text if failed.text.endswith(" hook") else "")
    error = decisive_line(failed.answer)
    if not broken or not error:
        return None
    edited: list[str] = []
    runs = 0
    for moment in later:
        if moment.kind == EDIT:
            name = moment.text.replace("\\", "/").rsplit("/", 1)[-1]
            if name not in edited:
                edited.append(name)
            continue
        runs += 1
        if runs > _NEAR:
            return None
        works = _same_program(broken, error, moment)
        if works:
            fix = _what_helped(broken, works, edited)
            command = clipped(shell.tidy(broken), _MOST_COMMAND)
            return Fix(command, clipped(error, _MOST_ERROR), fix) if fix else None
    return None


def _same_program(broken: str, error: str, moment: Moment) -> str:
    if moment.failed:
        return ""
    if broken.endswith(" hook"):
        done = shell.commits(moment.text, moment.answer)
        return f'git commit -m "{done[-1][1]}"' if done else ""
    key = shell.program(broken)
    # A pipe hides the exit code; then the same error is still printed.
    if error[:40] in folded(moment.answer) or _ERROR_NAME.search(moment.answer):
        return ""
    return next((part for part in shell.parts(moment.text) if shell.program(part) == key), "")


def _what_helped(broken: str, works: str, edited: list[str]) -> str:
    helped = []
    if edited:
        helped.append("edited " + ", ".join(f"`{name}`" for name in edited[-4:]))
    command = shell.tidy(works)
    if command != shell.tidy(broken):
        helped.append(f"`{clipped(command, _MOST_COMMAND)}`")
    return "; ".join(helped)


def results(story: Story) -> list[tuple[str, str]]:
    """The last result of each test, build and lint command, with its numbers; the latest last."""
    found: dict[str, tuple[str, str]] = {}
    for run in story.of(RUN):
        if not _CHECKERS.search(run.text):
            continue
        part = next((p for p in reversed(shell.parts(run.text)) if _CHECKERS.search(p)), "")
        if not part or shell.is_looking(part):
            continue
        lines = [line for line in run.answer.split("\n") if _RESULT.search(line)]
        said = folded(lines[-1]).strip("=- ") if lines else "failed" if run.failed else ""
        if said:
            key = shell.program(part)
            found.pop(key, None)
            found[key] = (clipped(shell.tidy(part), 100), clipped(said, 140))
    return list(found.values())


def worth_knowing(story: Story) -> list[str]:
    """Commands that worked and say how things are done here; the best first."""
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
    return [clipped(max(each, key=lambda one: (each.count(one), len(one))), 140) for each in ranked]


def _use(used: list[str]) -> float:
    longest = max(used, key=len)
    return min(len(used), 6) + ("=" in longest.split(" ")[0]) * 3 + longest.count(" --") * 0.7


def _is_typed(part: str) -> bool:
    return not re.match(r"(?:python|node|ruby|perl|php)\S*\s+-(?:c|e|\s|$)|git\b", part)


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
