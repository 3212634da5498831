"""The note of a session: what was asked, done, decided, learned and left open, in a few KB."""

from __future__ import annotations

import re

from anamnesis.capture.extract import findings, paths, prompts, rank
from anamnesis.capture.extract.outcome import outcome
from anamnesis.capture.extract.text import clipped, folded, statements
from anamnesis.capture.story import AGENT, PROMPT, RECAP, SUMMARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.capture.extract.prompts import Said
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.story import Story

MOST = 5_000  # characters; more is a transcript, less leaves out what somebody asks for
_LABELS = 70  # characters of the labels above the chosen statements
_ROOM = {
    "ask": 420, "commits": 620, "fixes": 640, "results": 260, "commands": 300, "open": 420,
    "files": 320, "helpers": 240, "outcome": 620,
}  # fmt: skip
_SHORT_SESSION = 600  # characters of statements that are kept whole; of more, half at most
_LATE = 30  # moments; what a summary before them called pending may be done by now
_MOST_STATEMENT = 210
_OPEN = re.compile(
    r"\b(?:next|pending|remaining|todo|to do|open|left|follow.?up|outstanding|blocked|noch offen"
    r"|nächste"
    r"|à faire|pendiente|siguiente)\b|下一步|待办|待辦|接下來|接下来|未完成|次の|残り|дальше"
    r"|осталось",
    re.IGNORECASE,
)


def body(session: ParsedSession, story: Story) -> str:
    """The note's text, at most `MOST` characters."""
    ask = clipped(folded(prompts.first_ask(story) or session.first_prompt), _ROOM["ask"])
    done = outcome(story, most=_ROOM["outcome"]) or folded(session.last_outcome)[: _ROOM["outcome"]]
    fixed = {
        "branch": [session.git_branch] if session.git_branch else [],
        "commits": _commits(story),
        "fixes": _fixes(story),
        "results": [f"`{command}`: {said}" for command, said in findings.results(story)[::-1]],
        "commands": [f"`{command}`" for command in findings.worth_knowing(story)[:8]],
        "open": _open(story),
        "helpers": _helpers(story),
        "files": _files(session),
    }
    kept = {name: _fitting(lines, _ROOM.get(name, 200)) for name, lines in fixed.items()}
    told = f"{ask}\n{done}"
    pool = [*prompts.prompts(story), *rank.answers(story)]
    pool = [each for each in pool if each.text not in told]
    frame = len("\n\n".join(_blocks(session, ask, done, kept, [])))
    room = min(
        MOST - frame - _LABELS, max(_SHORT_SESSION, sum(len(each.text) for each in pool) // 2)
    )
    chosen = rank.choose(pool, room=room, said=[ask, done, *kept["open"]])
    text = "\n\n".join(_blocks(session, ask, done, kept, chosen))
    return paths.shortened(text, root=session.cwd)


def _blocks(
    session: ParsedSession,
    ask: str,
    done: str,
    kept: dict[str, list[str]],
    chosen: list[Said],
) -> Iterator[str]:
    asked = [each for each in chosen if each.source == PROMPT]
    found = [each for each in chosen if each.source != PROMPT]
    later = [line for line in _merged(asked) if not ask.startswith(line.rstrip("…"))]
    opened = [each for each in found if _OPEN.search(each.heading) or _is_next(each)]
    decided = [each for each in found if each not in opened]
    yield f"**Ask:** {ask or '(no user prompt captured)'}"
    yield from _list("Asked and answered later", later)
    if kept["branch"]:
        yield f"**Branch:** {kept['branch'][0]}"
    yield from _list("Decided and found", _merged(decided))
    yield from _list("Commits", kept["commits"])
    yield from _list("Errors and fixes", kept["fixes"])
    yield from _list("Last results", kept["results"])
    yield from _list("Commands", kept["commands"])
    yield from _list("Helpers", kept["helpers"])
    yield from _list("Open", [*kept["open"], *_merged(opened)])
    if kept["files"]:
        count = len(paths.written(session.files_touched))
        yield "\n".join([f"**Files touched ({count}):**", *kept["files"]])
    yield f"**Outcome:** {done or '(no assistant output captured)'}"


def _is_next(said: Said) -> bool:
    return said.source == SUMMARY and _OPEN.search(said.text[:40]) is not None


def _list(label: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield "\n".join([f"**{label}:**", *(f"- {line}" for line in lines)])


def _merged(chosen: list[Said]) -> list[str]:
    return [clipped(each.text, _MOST_STATEMENT) for each in chosen]


def _fitting(lines: list[str], room: int) -> list[str]:
    """As many lines as there is room for, the first at any rate."""
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 3
        if kept and room < 0:
            break
        kept.append(line)
    return kept


def _commits(story: Story) -> list[str]:
    """The latest first: what was done last is what somebody continues from."""
    lines = [f"{each.hash} {each.subject}".strip() for each in findings.commits(story)]
    return [clipped(line, 130) for line in [*findings.pull_requests(story), *lines][::-1]]


def _fixes(story: Story) -> list[str]:
    fixed = [each.line() for each in findings.fixes(story)][::-1]
    failed = [f"`{command}` fails: {error}" for command, error in findings.unfixed(story)][::-1]
    return [*fixed[:5], *failed[:2]]


def _open(story: Story) -> list[str]:
    """Open items of the agent's list, the client's recap, what a late summary calls pending."""
    lines = [clipped(each.text, 160) for each in story.todos if not each.is_done]
    late = story.moments[-max(_LATE, len(story.moments) // 4) :]
    recaps = [each.text for each in late if each.kind == RECAP]
    lines[:0] = [clipped(folded(text), 240) for text in recaps[-1:]]
    for summary in [each for each in late if each.kind == SUMMARY][-1:]:
        pending = [each for each in statements(summary.text) if _OPEN.search(each.heading)]
        lines += [clipped(each.text, 200) for each in pending if len(each.text) > 20]
    return lines


def _helpers(story: Story) -> list[str]:
    """What helpers of the agent found, a line each, the latest first."""
    lines = []
    for helper in reversed(story.of(AGENT)):
        report = [each.text for each in statements(rank.report_of(helper)) if len(each.text) > 30]
        if report:
            lines.append(f"{clipped(folded(helper.text), 60)}: {clipped(report[0], 110)}")
    return lines


def _files(session: ParsedSession) -> list[str]:
    files = paths.written(session.files_touched)
    return paths.listing(files, root=session.cwd, most=_ROOM["files"])
