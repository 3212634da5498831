"""Merging two edits of one text line by line, as diff3 does; pure."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from anamnesis.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_WORK = 4_000_000  # pairs of equal lines to look at: about a second


@record
class Edit:
    """Lines `start` to `end` of the base became `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def merge_text(base: str, mine: str, theirs: str) -> str | None:
    """Both edits in one text, or None where they touch the same lines."""
    merged = merge_lines(_lines(base), _lines(mine), _lines(theirs))
    return None if merged is None else "".join(merged)


def marked(base: str, mine: str, theirs: str, *, names: tuple[str, str]) -> str:
    """Both edits in one text, with git's markers around those that touch the same lines."""
    return "".join(_woven(_lines(base), _lines(mine), _lines(theirs), names))


def merge_lines(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]
) -> list[str] | None:
    """Both edits of some lines, or None where they overlap or touch and differ."""
    merged: list[str] = []
    for plain, left, right in _regions(base, mine, theirs):
        if right is not None and left != right:
            return None
        merged.extend((*plain, *left))
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


def _regions(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str], Sequence[str] | None]]:
    """Unchanged lines, then an edit: of one side (and None), or what both made of one place."""
    ours, others = list(edits(base, mine)), list(edits(base, theirs))
    done = 0
    while ours or others:
        left, right = _next_group(ours, others)
        start = min(edit.start for edit in (*left, *right))
        end = max(edit.end for edit in (*left, *right))
        own, other = (_rewritten(base, start, end, group) for group in (left, right))
        if left and right:
            yield base[done:start], own, other
        else:
            yield base[done:start], own if left else other, None
        done = end
    yield base[done:], [], None


def _woven(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str], names: tuple[str, str]
) -> Iterator[str]:
    for plain, left, right in _regions(base, mine, theirs):
        yield from plain
        if right is None or left == right:
            yield from left
            continue
        yield f"<<<<<<< {names[0]}\n"
        yield from _ended(left)
        yield "=======\n"
        yield from _ended(right)
        yield f">>>>>>> {names[1]}\n"


def _ended(lines: Sequence[str]) -> Iterator[str]:
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


def _rewritten(base: Sequence[str], start: int, end: int, changes: Sequence[Edit]) -> list[str]:
    lines: list[str] = []
    for edit in changes:
        lines.extend(base[start : edit.start])
        lines.extend(edit.lines)
        start = edit.end
    lines.extend(base[start:end])
    return lines


def _lines(text: str) -> list[str]:
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
