"""What repaired a failure: whatever was done until the same program succeeded.

Looking around, checks, steps that failed or were taken back, and what was tried before the same
error came again did not help.
"""

from __future__ import annotations

import json
import re
from itertools import groupby

from anamnesis.capture.extract import commands, shell
from anamnesis.capture.extract.findings import decisive_line, says_why
from anamnesis.capture.extract.paths import written
from anamnesis.capture.story import EDIT, RUN
from anamnesis.ground.records import record
from anamnesis.text.clipping import clipped
from anamnesis.text.sentences import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anamnesis.capture.story import Moment, Story

_NEAR = 40  # commands between two runs of a program; what comes later has another reason
_FAR = 120  # moments that are looked through for the end of one failure
_MOST_ERROR = 160
_MOST_COMMAND = 100
_MOST_PIECES = 4
_MOST_FILES = 4
_SAME_ERROR = 60  # characters, without numbers
_HOOK = " hook"  # how the client's own objections end
_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc")
# What an output says whose exit status is hidden.
_FAILING = re.compile(
    r"\b[A-Za-z_.]*(?:Error|Exception)\b\s*[:\[(]|\berror(?: ?\[?[A-Z]+\d+\]?)?: |\bfatal: "
    r"|\b[1-9]\d* (?:failed|failures?|failing|errors?)\b|^\W{0,4}(?:FAIL|FAILED|FAILURE)\b"
    r"|command not found|\bpanic(?:ked)?\b",
    re.MULTILINE,
)


@record
class Fix:
    """A command that failed, its decisive line, and what made the same program succeed."""

    command: str
    error: str
    fix: str

    def line(self) -> str:
        """The fixed form of a fix in notes; see docs/formats/session-note.md."""
        return f"`{self.command}` failed: {self.error} → {self.fix}"


@record
class _Failure:
    """A command that failed."""

    line: tuple[shell.Step, ...]
    command: str
    error: str
    output: str


@record
class _Try:
    """A command of a line that ran the same program again, for the same purpose."""

    line: tuple[shell.Step, ...]
    place: int
    failed: bool

    @property
    def command(self) -> str:
        return self.line[self.place].text


@record
class _Change:
    """Something that was done between two tries: a command, or a file that was edited."""

    text: str
    moment: int = -1  # its number among those after the failure
    is_edit: bool = False


@record
class _End:
    """How a failure ended: what was tried, and the first run without its error."""

    number: int  # of the success among the moments after the failure
    window: Sequence[Moment]
    works: _Try
    attempts: Sequence[Sequence[_Change]]
    until: int  # attempts before that run


def fixes(story: Story) -> list[Fix]:
    """Each failure that was repaired; of several with the same error the latest."""
    moments = story.of(RUN, EDIT)
    by_error: dict[str, Fix] = {}
    ends: dict[str, int] = {}
    for place, moment in enumerate(moments):
        failure = _failure(moment) if moment.kind == RUN else None
        if failure is None or ends.get(failure.error, 0) > place:
            continue  # one of several attempts that ended together
        end = _end(failure, moments[place + 1 : place + 1 + _FAR])
        if end is None:
            continue
        ends[failure.error] = place + 1 + end.number
        if fix := _told(_helpful(end, failure), failure, end.works):
            by_error.pop(failure.error, None)
            by_error[failure.error] = Fix(
                _short(failure.command), clipped(failure.error, _MOST_ERROR), fix
            )
    return list(by_error.values())


def _failure(run: Moment) -> _Failure | None:
    """What failed of a line: the last command that does more than read."""
    is_hook = run.text.endswith(_HOOK)
    line = (shell.Step(run.text, ""),) if is_hook else shell.steps(run.text)
    place = next((n for n in range(len(line) - 1, -1, -1) if _may_fail(line[n].text)), -1)
    if place < 0 or not _failed(run, line, place):
        return None
    error = decisive_line(run.answer)
    if not says_why(error):
        return None
    return _Failure(line, line[place].text, error, run.answer)


def _may_fail(command: str) -> bool:
    return not commands.reads(command) and not commands.sets(command)


def _failed(run: Moment, line: Sequence[shell.Step], place: int) -> bool:
    """Whether a command of a line failed: by its exit status, or by an output that is its own."""
    if _is_certain(run, line, place):
        return run.failed
    others = [each for each in line if each is not line[place] and _may_fail(each.text)]
    is_own = not others or all(each.then == "&&" for each in line[:-1])
    return is_own and _FAILING.search(run.answer) is not None


def _is_certain(run: Moment, line: Sequence[shell.Step], place: int) -> bool:
    """Whether the client recorded how a command of a line ended."""
    return commands.is_told(line, place) and (run.failed or run.exit is not None)


def _end(failure: _Failure, later: Sequence[Moment]) -> _End | None:
    """How a failure ended, if the program succeeded."""
    attempts: list[list[_Change]] = [[]]
    gone: _Try | None = None  # the first run without the error
    until = runs = 0
    for number, moment in enumerate(later):
        if moment.kind == EDIT:
            attempts[-1].append(_Change(moment.text, number, is_edit=True))
            continue
        again, runs = _again(failure, moment), runs + 1
        if runs > _NEAR:
            return None
        if again is None:
            attempts[-1] += _changes(moment, failure, number)
            continue
        runs = 0
        attempts[-1] += _changes(moment, failure, number, until=again.place)
        if gone is None and not (again.failed and _is_shown(failure.error, moment.answer)):
            gone, until = again, len(attempts)
        if gone and not again.failed:
            return _End(number, later[:number], gone, attempts, until)
        attempts.append([])
    return None


def _again(failure: _Failure, run: Moment) -> _Try | None:
    """The part of a line that tries the same thing again."""
    if failure.command.endswith(_HOOK):
        done = shell.commits(run.text, run.answer)
        commit = f'git commit -m "{done[-1][1]}"' if done else ""
        return _Try((shell.Step(commit, ""),), 0, run.failed) if commit else None
    line = shell.steps(run.text)
    for place in range(len(line) - 1, -1, -1):
        if commands.is_same(failure.command, line[place].text, printed=failure.output):
            is_hidden = not _is_certain(run, line, place)
            failed = _failed(run, line, place)
            failed = failed or (is_hidden and _is_shown(failure.error, run.answer))
            return _Try(line, place, failed)
    return None


def _is_shown(error: str, output: str) -> bool:
    """Whether an output has an error, whatever its numbers."""
    wanted = re.sub(r"\d+", "0", error)[:_SAME_ERROR]
    return wanted in re.sub(r"\d+", "0", folded(output))


def _changes(
    run: Moment, failure: _Failure, number: int, *, until: int | None = None
) -> Iterator[_Change]:
    """What a line changed, as far as it is not known to have failed."""
    line = shell.steps(run.text)
    known = {step.text for step in failure.line}
    for place, step in enumerate(line[:until]):
        if until is None and run.failed and commands.is_told(line, place):
            continue
        if path := commands.written_by(step.text):
            yield _Change(path, number, is_edit=True)
        elif (
            commands.changes(step.text)
            and (until is None or step.text not in known)
            and (commands.sees_shared(failure.command) or not commands.shares(step.text))
        ):
            yield _Change(step.text, number)


def _helpful(end: _End, failure: _Failure) -> list[_Change]:
    """What was done in the last attempt in which anything was that may have helped."""
    undone = _undone(end.window)
    attempts = [*reversed(end.attempts[: end.until])]
    if any(each.moment in undone for attempt in attempts for each in attempt):
        # The error was gone for a while only.
        attempts = [*reversed(end.attempts[end.until :]), *attempts]
    for attempt in attempts:
        kept = [each for each in attempt if each.moment not in undone and _may_help(each, failure)]
        if any(each.is_edit for each in kept):
            kept = [each for each in kept if each.is_edit or not commands.follows_edits(each.text)]
        if kept or commands.other_way(failure.command, end.works.command):
            return kept
    return []


def _may_help(change: _Change, failure: _Failure) -> bool:
    """Whether a change may have helped; prose and generated files only if they were named."""
    name = _name(change.text)
    if not change.is_edit or name in failure.output or name in failure.command:
        return True
    return bool(written([change.text])) and not name.lower().endswith(_PROSE)


def _undone(window: Sequence[Moment]) -> set[int]:
    """The numbers of edits that a later one or git took back, and of what took them back."""
    open_edits: dict[str, list[tuple[str, str, int]]] = {}
    undone: set[int] = set()
    for number, moment in enumerate(window):
        if moment.kind == RUN:
            restored = [path for path in open_edits if _restores(moment, path)]
            for path in restored:
                undone |= {number, *(each[2] for each in open_edits.pop(path))}
            continue
        edits = open_edits.setdefault(moment.text, [])
        for old, new in [*_replaced(moment.answer, moment.text)] or [("", str(number))]:
            back = next((each for each in edits if each[:2] == (new, old)), None)
            if back:
                edits.remove(back)
                undone |= {number, back[2]}
            else:
                edits.append((old, new, number))
    # An edit of which only a part was taken back still stands.
    return undone - {each[2] for edits in open_edits.values() for each in edits}


def _restores(run: Moment, path: str) -> bool:
    """Whether a command gives a file back as it was committed."""
    if run.failed or "git" not in run.text:
        return False
    return any(
        step.text.startswith(("git checkout", "git restore", "git stash", "git reset --hard"))
        and (_name(path) in step.text or re.search(r"(?:stash|--hard|\s\.)\s*$", step.text))
        for step in shell.steps(run.text)
    )


def _replaced(changes: str, path: str) -> Iterator[tuple[str, str]]:
    """The old and the new text of each change of an edit, as far as it is recorded."""
    for line in changes.split("\n"):
        try:
            given = json.loads(line)
        except ValueError:
            continue
        if isinstance(given, dict) and "new_string" in given:
            yield str(given.get("old_string")), str(given["new_string"])
        elif isinstance(given, dict):
            for file in str(given.get("input")).split("*** Update File: ")[1:]:
                if path.endswith(file.split("\n", 1)[0].strip()):
                    yield _lines(file, "-"), _lines(file, "+")


def _lines(patch: str, mark: str) -> str:
    return "\n".join(line[1:] for line in patch.split("\n") if line.startswith(mark))


def _told(helped: Sequence[_Change], failure: _Failure, again: _Try) -> str:
    """A repair in words: files and commands in order, or the command that worked."""
    worked = again.command
    if not helped:
        return (
            f"`{_short(worked)}`"
            if commands.other_way(failure.command, worked)
            else _moved(failure, again)
        )
    if commands.has_other_surroundings(failure.command, worked) or failure.command.endswith(_HOOK):
        helped = [*helped, _Change(worked)]
    pieces: list[str] = []
    for is_edit, group in groupby(helped, key=lambda each: each.is_edit):
        texts = list(
            dict.fromkeys(_name(each.text) if is_edit else _short(each.text) for each in group)
        )
        if is_edit:
            pieces.append("edited " + ", ".join(f"`{name}`" for name in texts[-_MOST_FILES:]))
        else:
            pieces += [f"`{text}`" for text in texts]
    return "; ".join(list(dict.fromkeys(pieces))[-_MOST_PIECES:])


def _moved(failure: _Failure, again: _Try) -> str:
    """The line that ran the same command in another place, or after other settings."""
    known = {step.text for step in failure.line}
    before = [each.text for each in again.line[: again.place] if each.text not in known]
    settings = [each for each in before if commands.sets(each)]
    return f"`{_short(' && '.join([*settings, again.command]))}`" if settings else ""


def _short(command: str) -> str:
    return clipped(shell.tidy(command).strip("( "), _MOST_COMMAND)


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]
