"""The outcome: the text that reports the work."""

from __future__ import annotations

from anamnesis.capture.story import ANSWER, EDIT, PROMPT, RUN, SUBAGENT
from anamnesis.text.clipping import clipped
from anamnesis.text.cues import Cue, sentence
from anamnesis.text.sentences import COLON, QUESTION, extent, folded, is_source, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.story import Moment, Story
    from anamnesis.text.sentences import Unit

REPORT = 80  # characters; thanks, "OK." and "Committed." are shorter
_SHORT_REPORT = 40  # of a turn that changed files: whatever it says is about them
_REPORTS = 3  # of each kind that may give a title
_RAN, CHANGED = 1, 2  # what was done in a turn
_LONGEST_HEADING = 60
_FIRST_WORDS = 3
# What a list of open items is headed with.
OPEN = Cue(
    "next, pending, remaining, todo, todos, to do, open, left to, left for, what's left, is left",
    "still left, follow up, followup, followups, outstanding, blocked, not done, not yet",
    "offen, offene, offener, ausstehend, nächste, nächster, à faire, reste, restant, prochaines",
    "pendiente, pendientes, siguiente, siguientes, por hacer, falta, da fare, prossimi, pendente",
    "pendentes, próximos, дальше, осталось, следующие, pozostało, następne",
    "下一步, 待办, 待辦, 接下來, 接下来, 未完成, 剩余, 次の, 残り, 未対応, 남은, 다음 단계",
)
_ANNOUNCEMENT = (*COLON, "…", "...")


def report(story: Story) -> str:
    """The last answer that reports work, not the chat after it; empty if there is none."""
    ends = turn_ends(story)
    latest = next((end for _, end, work in reversed(ends) if _is_report(end.text, work)), None)
    if latest is None:
        return max((end.text for _, end, _ in ends[-3:]), key=len, default="")
    worked = (end for _, end, work in reversed(ends) if work and _is_report(end.text, work))
    report_ = next(worked, latest)
    return latest.text if _outweighs(latest, report_) else report_.text


def reports(story: Story) -> list[str]:
    """What the last turns reported, the latest first; turns that changed files before others."""
    changed: list[str] = []
    others: list[str] = []
    for _, end, work in reversed(turn_ends(story)):
        kind = changed if work == CHANGED else others
        if len(kind) < _REPORTS and _is_report(end.text, work):
            kind.append(end.text)
    return [*changed, *others]


def outcome(story: Story, *, most: int) -> str:
    """The report in at most `most` characters, without what it calls open."""
    lines: list[str] = []
    room = most
    for unit in units(report(story)):
        if extent(unit.text) < 4 or is_source(unit) or is_open(unit):
            continue
        line = f"- {unit.text}" if unit.is_item or unit.is_code else unit.text
        if len(line) > room:
            if not lines or room > 80:
                lines.append(clipped(line, room))
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(lines).strip()


def is_open(unit: Unit) -> bool:
    """Whether a unit is under a heading such as "Next steps", or is such a heading."""
    heading = unit.text if unit.opens else unit.heading if unit.is_item else ""
    return is_open_heading(heading)


def is_open_heading(heading: str) -> bool:
    """Whether a heading says so with its first words: "With the next change:" does not."""
    first = " ".join(heading.split()[:_FIRST_WORDS])
    return len(heading) < _LONGEST_HEADING and OPEN.is_in(sentence(first))


def _outweighs(later: Moment, report_: Moment) -> bool:
    """Whether a text after the last work is the real report: long, not thanks."""
    return later is not report_ and len(later.text) > 2 * len(report_.text)


def _is_report(text: str, work: int) -> bool:
    shortest = _SHORT_REPORT if work == CHANGED else REPORT
    if extent(text) < shortest or extent(folded(text)) < shortest:
        return False
    first = units(text)[:1]
    only = len(units(text)) == 1
    return not (only and first and first[0].text.endswith((*QUESTION, *_ANNOUNCEMENT)))


def turn_ends(story: Story) -> list[tuple[int, Moment, int]]:
    """The last answer of each turn with its place, and what was done in it.

    Nothing, something run, or edited.
    """
    ends: list[tuple[int, Moment, int]] = []
    worked, last = 0, -1
    for place, moment in enumerate([*story.moments, None]):
        if moment is None or moment.kind == PROMPT:
            if last >= 0:
                ends.append((last, story.moments[last], worked))
            worked, last = 0, -1
        elif moment.kind == ANSWER:
            last = place
        elif moment.kind in {RUN, SUBAGENT, EDIT}:
            worked = max(worked, CHANGED if moment.kind == EDIT else _RAN)
            last = -1  # an earlier text only announced it
    return ends
