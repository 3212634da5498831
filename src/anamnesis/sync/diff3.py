"""Merging two edits of one text line by line, as diff3 does; pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_WORK = 4_000_000  # pairs of equal lines to look at: about a second


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines `start` to `end` of the base became `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """Unchanged lines, then a place that one side or both rewrote."""

    before: Sequence[str]
    base: Sequence[str]
    mine: Sequence[str]
    theirs: Sequence[str]
    by_mine: bool
    by_theirs: bool

    @property
    def agreed(self) -> Sequence[str] | None:
        """What the place becomes; None where the sides rewrote it differently."""
        if self.by_mine and self.by_theirs and self.mine != self.theirs:
            return None
        return self.mine if self.by_mine else self.theirs


def merge_text(base: str, mine: str, theirs: str) -> str | None:
    """Both edits in one text, or None where they touch the same lines."""
    merged = merge_lines(lines_of(base), lines_of(mine), lines_of(theirs))
    return None if merged is None else "".join(merged)


def marked(base: str, mine: str, theirs: str, *, names: tuple[str, str]) -> str:
    """Both edits in one text, with git's markers around those that touch the same lines."""
    return "".join(_woven(lines_of(base), lines_of(mine), lines_of(theirs), names))


def merge_lines(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]
) -> list[str] | None:
    """Both edits of some lines, or None where they overlap or touch and differ."""
    merged: list[str] = []
    for region in regions(base, mine, theirs):
        if region.agreed is None:
            return None
        merged.extend((*region.before, *region.agreed))
    return merged


def edits(base: Sequence[str], changed: Sequence[str]) -> Iterator[Edit]:
    """What turns one list of lines into the other, in order."""
    head = _common(base, changed)
    tail = _common(base[head:][::-1], changed[head:][::-1])
    old, new = base[head : len(base) - tail], changed[head : len(changed) - tail]
    if not old and not new:
        return
    if _work(old, new) > _MAX_WORK:
        yield Edit(head, head + len(old), tuple(new))
        return
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(head + a, head + b, tuple(new[c:d]))


def regions(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[Region]:
    """The places that were rewritten, in order; the last region is what is left unchanged."""
    ours, others = list(edits(base, mine)), list(edits(base, theirs))
    done = 0
    while ours or others:
        left, right = _next_group(ours, others)
        start = min(edit.start for edit in (*left, *right))
        end = max(edit.end for edit in (*left, *right))
        own, other = (rewritten(base, start, end, group) for group in (left, right))
        yield Region(base[done:start], base[start:end], own, other, bool(left), bool(right))
        done = end
    yield Region(base[done:], (), (), (), by_mine=False, by_theirs=False)


def _woven(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str], names: tuple[str, str]
) -> Iterator[str]:
    for region in regions(base, mine, theirs):
        yield from region.before
        if region.agreed is not None:
            yield from region.agreed
            continue
        yield f"<<<<<<< {names[0]}\n"
        yield from ended(region.mine)
        yield "=======\n"
        yield from ended(region.theirs)
        yield f">>>>>>> {names[1]}\n"


def ended(lines: Sequence[str]) -> Iterator[str]:
    """The lines, each with an end."""
    return (line if line.endswith("\n") else f"{line}\n" for line in lines)


def _next_group(ours: list[Edit], others: list[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Take the first edits that overlap or touch one another off both lists."""
    first = ours if not others or (ours and ours[0].start <= others[0].start) else others
    end = first[0].end
    groups: tuple[list[Edit], list[Edit]] = ([], [])
    grown = True
    while grown:
        grown = False
        for waiting, group in zip((ours, others), groups, strict=True):
            while waiting and (waiting[0].start <= end if any(groups) else waiting is first):
                edit = waiting.pop(0)
                group.append(edit)
                end = max(end, edit.end)
                grown = True
    return groups


def rewritten(base: Sequence[str], start: int, end: int, changes: Sequence[Edit]) -> list[str]:
    """What some edits make of the lines `start` to `end` of the base."""
    lines: list[str] = []
    for edit in changes:
        lines.extend(base[start : edit.start])
        lines.extend(edit.lines)
        start = edit.end
    lines.extend(base[start:end])
    return lines


def lines_of(text: str) -> list[str]:
    """The lines with their ends; only LF ends a line, so that any text is put together again."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _work(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(counts[line] for line in old)
