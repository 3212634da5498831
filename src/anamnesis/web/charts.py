"""Columns of a bar chart, stacked by kind: where everything stands, before a template draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NARROW, WIDE = 460, 960  # units, about pixels: beside another card, or across the page
_HEIGHT = 150
_LEFT, _TOP, _BOTTOM = 30, 16, 22  # room for the scale, for values and for labels
_GAP = 0.25  # of a column
_LABEL = 46  # units of a label: more of them would touch each other
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a column that is of one kind."""

    kind: str
    count: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """One day or week: where it stands, what it holds and where it leads."""

    label: str  # below it; empty where labels would touch
    name: str  # in full
    address: str
    total: int
    x: float
    width: float
    top: float
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A stacked bar chart."""

    columns: tuple[Column, ...]
    kinds: tuple[str, ...]
    ticks: tuple[tuple[int, float], ...]  # a number of the scale, and its height
    width: int
    height: int = _HEIGHT
    left: int = _LEFT
    floor: int = _HEIGHT - _BOTTOM

    @property
    def total(self) -> int:
        """All that is shown."""
        return sum(column.total for column in self.columns)


@dataclass(frozen=True, slots=True)
class Slice:
    """What one column is made from."""

    name: str
    label: str
    address: str
    counts: Mapping[str, int]


def stacked(slices: Sequence[Slice], kinds: Sequence[str], *, width: int = WIDE) -> Chart:
    """The columns side by side, in the order and the kinds that are given."""
    scale = scale_of(max((sum(each.counts.values()) for each in slices), default=0))
    room, floor = _HEIGHT - _TOP - _BOTTOM, _HEIGHT - _BOTTOM
    step = (width - _LEFT) / max(1, len(slices))
    every = -(-len(slices) * _LABEL // width)  # counted from the latest, which is labelled always
    columns = []
    for at, each in enumerate(slices):
        y, segments = float(floor), []
        for kind in kinds:
            if count := each.counts.get(kind, 0):
                height = room * count / scale[-1]
                y -= height
                segments.append(Segment(kind, count, round(y, 2), round(height, 2)))
        columns.append(
            Column(
                label=each.label if (len(slices) - 1 - at) % every == 0 else "",
                name=each.name,
                address=each.address,
                total=sum(each.counts.values()),
                x=round(_LEFT + at * step + step * _GAP / 2, 2),
                width=round(step * (1 - _GAP), 2),
                top=round(y, 2),
                segments=tuple(segments),
            )
        )
    ticks = tuple((number, round(floor - room * number / scale[-1], 2)) for number in scale)
    shown = tuple(kind for kind in kinds if any(each.counts.get(kind) for each in slices))
    return Chart(tuple(columns), shown, ticks, width)


def scale_of(most: int) -> list[int]:
    """Round numbers from 0 to at least `most`, three steps at the most."""
    power = 1
    while True:
        for step in _STEPS:
            if step * power * 3 >= most:
                count = max(1, -(-most // (step * power)))
                return [step * power * at for at in range(count + 1)]
        power *= 10
