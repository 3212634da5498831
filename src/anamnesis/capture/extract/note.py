"""The note of a session: what was asked, done, decided, learned and left open, in a few KB."""

from __future__ import annotations

import math
import os

from anamnesis.capture.extract import findings, paths, prompts, rank, repairs, results, title
from anamnesis.capture.extract.earlier_note import carried
from anamnesis.capture.extract.left_open import open_points
from anamnesis.capture.extract.outcome import OPEN, is_open_heading, outcome
from anamnesis.capture.extract.tasks import tasks
from anamnesis.capture.story import ANSWER, PROMPT, RECAP, SUBAGENT, SUMMARY
from anamnesis.capture.summarize import HeuristicSummarizer, SummaryResult
from anamnesis.ground.records import record
from anamnesis.text.clipping import clipped
from anamnesis.text.cues import sentence
from anamnesis.text.sentences import folded, statements
from anamnesis.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from anamnesis.capture.extract.prompts import Statement
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.story import Story

MOST, SHORT = 6_000, 4_000  # characters; more is a transcript, less leaves out what you may need
# Characters that a start may have room for besides the note, at most as a short note leaves.
_FURTHER = (1_000, 2_000, 4_000, 5_300)
_LABELS = 70  # characters of the labels above the chosen statements
_ROOM = {
    "ask": 340, "commits": 620, "fixes": 640, "results": 480, "commands": 240, "open": 900,
    "files": 260, "subagents": 240, "outcome": 620,
}  # fmt: skip
_SHORT_SESSION = 600  # characters of statements that are kept whole; of more, half at most
_MOST_STATEMENT = 210
_MOSTLY = 0.8  # share of an open item's words: then the transcript mentions it, as done or open


class ExtractSummarizer:
    """What was asked, done, decided, learned and left open, in the session's own words."""

    reads_conversation = False

    def __init__(
        self,
        story: Story,
        *,
        taken: Collection[str] = (),
        earlier: str = "",
        is_ignored: Callable[[str], bool] | None = None,
    ) -> None:
        """`taken` are titles of other notes, `earlier` is what the note says so far.

        Files that `is_ignored` matches are not copied from it.
        """
        self._story = story
        self._taken = taken
        self._earlier = earlier
        self._is_ignored = is_ignored

    def summarize(self, session: ParsedSession) -> SummaryResult:
        """A summary, always."""
        long_title = title.title(self._story, taken=self._taken)
        line = paths.shortened(long_title, root=session.cwd)
        if not line:
            line = HeuristicSummarizer().summarize(session).title
        text, further = _told(session, self._story)
        return SummaryResult(title=line, body=self._updated(text, session), further=further)

    def _updated(self, new: str, session: ParsedSession) -> str:
        """The text with what the earlier note has and the transcript no longer does."""
        if not self._earlier:
            return new
        reported = [set(terms(text)) for text in _reported_as_open(self._story)]
        files = {
            paths.shortened(path.replace("\\", "/"), root=session.cwd)
            for path in session.files_touched
        }

        def is_told(item: str) -> bool:
            wanted = set(terms(item.rstrip("…")))
            return any(len(wanted & each) >= _MOSTLY * len(wanted) for each in reported)

        def is_listed(path: str) -> bool:
            if path in files or self._is_ignored is None:
                return path in files
            return self._is_ignored(os.path.join(session.cwd, os.path.expanduser(path)))

        return carried(new, old=self._earlier, is_told=is_told, is_listed=is_listed)


def _reported_as_open(story: Story) -> list[str]:
    """Every text of a transcript that an open item may come from."""
    texts = [each.text for each in story.of(SUMMARY, RECAP, ANSWER)]
    return [*texts, *(each.text for each in story.todos), *story.former_todos]


def body(session: ParsedSession, story: Story) -> str:
    """The note's text, at most `MOST` characters."""
    return _told(session, story)[0]


def _told(session: ParsedSession, story: Story) -> tuple[str, str]:
    """The note's text, and what is worth telling of the session where there is room for more."""
    ask = clipped(folded(prompts.first_ask(story) or session.first_prompt), _ROOM["ask"])
    done = outcome(story, most=_ROOM["outcome"]) or folded(session.last_outcome)[: _ROOM["outcome"]]
    opened = open_points(story, cwd=session.cwd)
    parts = _parts(story, ask)
    fixed = {
        "branch": [session.git_branch] if session.git_branch else [],
        "fixes": _fixes(story, "\n".join(opened)),
        "results": _results(story),
        "open": opened,
        "subagents": _subagents(story),
        "files": _files(session),
    }
    kept = {name: _fitting(lines, _ROOM.get(name, 200)) for name, lines in fixed.items()}
    kept["commands"] = _fitting(_commands(story, kept), _ROOM["commands"])
    asks = [each.ask for each in parts]
    covered = {*terms("\n".join([*asks, done, *kept["open"]]))}
    pool = rank.recurring([*prompts.prompts(story), *rank.answers(story)])
    pool = [
        each
        for each in pool
        if not _is_open(each)
        and (each.source == PROMPT or not results.is_overtaken(each.text, story, place=each.place))
        and not covered.issuperset(terms(_without_heading(each)))
    ]
    frame = len("\n\n".join(_blocks(session, parts, done, kept, [])))
    said = sum(len(each.text) for each in pool)
    room = min(_most(said) - frame - _LABELS * len(parts), max(_SHORT_SESSION, said // 2))
    chosen = rank.choose(pool, room=room, said=[*asks, done, *kept["open"]])
    text = "\n\n".join(_blocks(session, parts, done, kept, chosen))
    further = _further(pool, chosen, room=room, said=[*asks, done, *kept["open"]])
    return (
        paths.shortened(text, root=session.cwd),
        paths.shortened("\n".join(further), root=session.cwd),
    )


def _further(
    pool: Sequence[Statement], chosen: Sequence[Statement], *, room: int, said: Sequence[str]
) -> list[str]:
    """What would be told besides if there were more room, what matters most first."""
    known = {id(each) for each in chosen}
    lines: list[str] = []
    for more in _FURTHER:
        added = [
            each for each in rank.choose(pool, room=room + more, said=said) if id(each) not in known
        ]
        known.update(map(id, added))
        lines += [f"- {line}" for line in _merged(added)]
    return lines


def _most(said: int) -> int:
    """The characters of a note of a session in which so many were said: more for each doubling."""
    doublings = math.log2(max(said, 1) / 10_000)
    return min(MOST, max(SHORT, round(SHORT + 740 * doublings)))


@record
class _Part:
    """A task of the session: what was asked, and the commits that it made, the latest first."""

    ask: str
    start: int
    end: int
    commits: list[str]


def _parts(story: Story, ask: str) -> list[_Part]:
    """The tasks of a session, each with the first prompt that says something."""
    starts = tasks(story) or [0]
    made = findings.commits(story)
    printed = [*findings.pull_requests(story)][::-1]
    parts: list[_Part] = []
    for number, (start, end) in enumerate(
        zip(starts, [*starts[1:], len(story.moments)], strict=True)
    ):
        lines = [
            f"{each.hash} {each.subject}".strip() for each in made if start <= each.place < end
        ]
        lines = [*(printed if end == len(story.moments) else []), *lines[::-1]]
        lines = _fitting([clipped(line, 130) for line in lines], _ROOM["commits"] // len(starts))
        said = ask if number == 0 else clipped(folded(story.moments[start].text), _MOST_STATEMENT)
        parts.append(_Part(said, 0 if number == 0 else start, end, lines))
    return parts


def _blocks(
    session: ParsedSession,
    parts: list[_Part],
    done: str,
    kept: dict[str, list[str]],
    chosen: list[Statement],
) -> Iterator[str]:
    for number, part in enumerate(parts):
        yield f"**Ask:** {part.ask or '(no user prompt captured)'}"
        told = [each for each in chosen if part.start <= each.place < part.end]
        asked = _merged([each for each in told if each.source == PROMPT])
        later = [line for line in asked if not part.ask.startswith(line.rstrip("…"))]
        yield from _list("Asked and answered later", later)
        if number == 0 and kept["branch"]:
            yield f"**Branch:** {kept['branch'][0]}"
        learned = [each for each in told if each.source != PROMPT]
        yield from _list("Decided and found", _merged(learned))
        yield from _list("Commits", part.commits)
    yield from _list("Errors and fixes", kept["fixes"])
    yield from _list("Last results", kept["results"])
    yield from _list("Commands", kept["commands"])
    yield from _list("Subagents", kept["subagents"])
    yield from _list("Open", kept["open"])
    if kept["files"]:
        count = len(paths.written(session.files_touched))
        yield "\n".join([f"**Files touched ({count}):**", *kept["files"]])
    yield f"**Outcome:** {done or '(no assistant output captured)'}"


def _is_open(statement: Statement) -> bool:
    """Whether a statement says what was open then: the block of what is open knows better."""
    text = statement.text[:40] if statement.source == SUMMARY else ""
    return is_open_heading(statement.heading) or OPEN.is_in(sentence(text))


def _list(label: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield "\n".join([f"**{label}:**", *(f"- {line}" for line in lines)])


def _merged(chosen: list[Statement]) -> list[str]:
    return [clipped(each.text, _MOST_STATEMENT) for each in chosen]


def _without_heading(statement: Statement) -> str:
    return statement.text.removeprefix(f"{statement.heading}: ")


def _fitting(lines: list[str], room: int) -> list[str]:
    """The lines that fit, but at least the first."""
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 3
        if kept and room < 0:
            break
        kept.append(line)
    return kept


def _fixes(story: Story, opened: str) -> list[str]:
    """What was repaired, and what was not and is not `opened` either."""
    fixed = [each.line() for each in repairs.fixes(story)][::-1]
    fixes = "\n".join(fixed)
    failed = [
        f"`{command}` fails: {error}"
        for command, error in reversed(findings.unfixed(story))
        if error not in fixes and f"`{command}`" not in opened
    ]
    return [*fixed[:5], *failed[:2]]


def _results(story: Story) -> list[str]:
    """The last result of each check; a failure that is among the errors only there."""
    failed = {command for command, _ in findings.unfixed(story)[-2:]}
    return [
        each.line() for each in results.results(story) if each.passed or each.command not in failed
    ]


def _commands(story: Story, kept: dict[str, list[str]]) -> list[str]:
    """The commands that no result or fix already names."""
    covered = "\n".join([*kept["fixes"], *kept["results"]])
    lines = [f"`{command}`" for command in findings.worth_knowing(story)]
    return [line for line in lines if line not in covered][:8]


def _subagents(story: Story) -> list[str]:
    """What subagents found, a line each, the latest first."""
    lines = []
    for subagent in reversed(story.of(SUBAGENT)):
        report = [each.text for each in statements(rank.report_of(subagent)) if len(each.text) > 30]
        if report:
            lines.append(f"{clipped(folded(subagent.text), 60)}: {clipped(report[0], 110)}")
    return lines


def _files(session: ParsedSession) -> list[str]:
    files = paths.written(session.files_touched)
    return paths.listing(files, root=session.cwd, most=_ROOM["files"])
