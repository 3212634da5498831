"""The outcome: the text that reports the work."""

from __future__ import annotations

from anamnesis.capture.extract.text import COLON, QUESTION, clipped, folded, units
from anamnesis.capture.story import AGENT, ANSWER, EDIT, PROMPT, RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.story import Moment, Story

_REPORT = 80  # characters; thanks, "OK." and "Committed." are shorter
_RAN, _CHANGED = 1, 2
_ANNOUNCEMENT = (*COLON, "…", "...")


def report(story: Story) -> str:
    """The last answer that reports work, whatever chat came after it; empty if there is none."""
    ends = _turn_ends(story)
    did = [end for end, worked in ends if worked and _is_report(end.text)]
    told = [end for end, _ in ends if _is_report(end.text)]
    if did and _outweighs(told[-1], did[-1]):
        return told[-1].text
    if did or told:
        return (did or told)[-1].text
    return max((end.text for end, _ in ends[-3:]), key=len, default="")


def reports(story: Story) -> list[str]:
    """What the last turns reported, the latest first; turns that changed files before others."""
    ends = [(end.text, worked) for end, worked in _turn_ends(story) if _is_report(end.text)]
    changed = [text for text, worked in ends if worked == _CHANGED]
    return [*changed[:-4:-1], *(text for text, worked in ends[:-4:-1] if worked != _CHANGED)]


def outcome(story: Story, *, most: int) -> str:
    """The report in at most `most` characters: its beginning, and its end if there is room."""
    lines: list[str] = []
    room = most
    for unit in units(report(story)):
        if len(unit.text) < 4:
            continue
        line = f"- {unit.text}" if unit.is_item or unit.is_code else unit.text
        if len(line) > room:
            if not lines or room > 80:
                lines.append(clipped(line, room))
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(lines).strip()


def _outweighs(later: Moment, report_: Moment) -> bool:
    """Whether what was said after the last work is the real report: a long text, not thanks."""
    return later is not report_ and len(later.text) > 2 * len(report_.text)


def _is_report(text: str) -> bool:
    told = folded(text)
    if len(told) < _REPORT:
        return False
    first = units(text)[:1]
    only = len(units(text)) == 1
    return not (only and first and first[0].text.endswith((*QUESTION, *_ANNOUNCEMENT)))


def _turn_ends(story: Story) -> list[tuple[Moment, int]]:
    """The last answer of each turn, and what was done in it: nothing, something run, or edited."""
    found: list[tuple[Moment, int]] = []
    worked, last = 0, None
    for moment in [*story.moments, None]:
        if moment is None or moment.kind == PROMPT:
            if last is not None:
                found.append((last, worked))
            worked, last = 0, None
        elif moment.kind == ANSWER:
            last = moment
        elif moment.kind in {RUN, AGENT, EDIT}:
            worked = max(worked, _CHANGED if moment.kind == EDIT else _RAN)
            last = None  # what was said before it announced it
    return found
