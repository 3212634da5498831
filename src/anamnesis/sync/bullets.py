"""Merging two edits of an unordered list, item by item; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anamnesis.sync.diff3 import ended, lines_of
from anamnesis.sync.likeness import are_alike

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anamnesis.sync.places import Place

    Words = Callable[[str, str, str], str | None]

_BULLET = re.compile(r"([ \t]*)[-*+] ")


def merge_items(place: Place, *, mine_first: bool, merge_words: Words) -> list[str] | None:
    """What either side added is there, what either removed is not; None if that is not enough.

    It is not if the lines are no list, if an item is there twice, or if both sides gave one
    item different words that cannot be merged either.
    """
    lists = [_items(side) for side in (place.base, place.mine, place.theirs)]
    before, own, other = lists
    if before is None or own is None or other is None:
        return None
    if any(len(set(items)) < len(items) for items in (before, own, other)):
        return None
    edited = _edited_by_both(before, own, other, merge_words)
    if edited is None:
        return None
    own, other = ([edited.get(item, item) for item in items] for items in (own, other))
    news = [set(items) - set(before) for items in (own, other)]
    # A side that has all that the other one added tells where it belongs.
    leads = (
        mine_first
        if news[0] == news[1]
        else news[0] > news[1] or (mine_first and not news[0] < news[1])
    )
    first, second = (own, other) if leads else (other, own)
    return [line for item in _together(before, first, second) for line in lines_of(item)]


def _edited_by_both(
    base: list[str], mine: list[str], theirs: list[str], merge_words: Words
) -> dict[str, str] | None:
    """Items of either side that are edits of one and the same item, with what they become."""
    fresh = [[item for item in side if item not in base] for side in (mine, theirs)]
    merged: dict[str, str] = {}
    for item in base:
        if item in mine or item in theirs:
            continue
        edits = [next((new for new in side if are_alike(item, new)), None) for side in fresh]
        one, other = edits
        if one is None or other is None or one == other:
            continue
        both = merge_words(item, one, other)
        if both is None:
            return None
        merged[one] = merged[other] = both
        fresh[0].remove(one)
        fresh[1].remove(other)
    return merged


def _together(base: list[str], first: list[str], second: list[str]) -> list[str]:
    """The items of both, each new one after the item that it was put after."""
    removed = {item for item in base if item not in first or item not in second}
    result = [item for item in first if item not in removed]
    added = {item for item in result if item not in base}
    at = 0
    for item in second:
        if item in removed:
            continue
        if item in result:
            at = result.index(item) + 1
            continue
        while at < len(result) and result[at] in added:
            at += 1
        result.insert(at, item)
        at += 1
    return list(dict.fromkeys(result))


def _items(lines: Sequence[str]) -> list[str] | None:
    """The items of a list, each with its further lines; None if this is no list."""
    if not lines:
        return []
    first = _BULLET.match(lines[0])
    if first is None:
        return None
    depth = len(first[1])
    items: list[str] = []
    for line in ended(lines):
        bullet = _BULLET.match(line)
        if bullet is not None and len(bullet[1]) <= depth:
            items.append(line)
        elif line.strip() and not line[: depth + 1].isspace():
            return None
        else:
            items[-1] += line
    return items
