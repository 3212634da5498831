"""The layout of stacked bar charts, which templates draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NARROW, WIDE = 460, 960  # drawing units, about pixels: half a page wide, or the whole width
_HEIGHT = 150
_LEFT, _TOP, _BOTTOM = 30, 16, 22  # room for the scale, for values and for labels
_GAP = 0.25  # of a column
_LABEL_WIDTH = 46  # units; labels closer than this would touch
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a column for one kind."""

    kind: str
    count: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """One day or week: its position, its segments, and the page that it links to."""

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
    ticks: tuple[tuple[int, float], ...]  # a number on the scale, and its y coordinate
    width: int
    height: int = _HEIGHT
    left: int = _LEFT
    floor: int = _HEIGHT - _BOTTOM

    @property
    def total(self) -> int:
        """The sum of all columns."""
        return sum(column.total for column in self.columns)


@dataclass(frozen=True, slots=True)
class Slice:
    """The data for one column."""

    name: str
    label: str
    address: str
    counts: Mapping[str, int]


def stacked(slices: Sequence[Slice], kinds: Sequence[str], *, width: int = WIDE) -> Chart:
    """A chart with one column per slice, its segments in the order of `kinds`."""
    scale = axis_scale(max((sum(each.counts.values()) for each in slices), default=0))
    room, floor = _HEIGHT - _TOP - _BOTTOM, _HEIGHT - _BOTTOM
    step = (width - _LEFT) / max(1, len(slices))
    label_step = -(-len(slices) * _LABEL_WIDTH // width)  # counted from the latest column
    columns = []
    for at, part in enumerate(slices):
        y, segments = float(floor), []
        for kind in kinds:
            if count := part.counts.get(kind, 0):
                height = room * count / scale[-1]
                y -= height
                segments.append(Segment(kind, count, round(y, 2), round(height, 2)))
        columns.append(
            Column(
                label=part.label if (len(slices) - 1 - at) % label_step == 0 else "",
                name=part.name,
                address=part.address,
                total=sum(part.counts.values()),
                x=round(_LEFT + at * step + step * _GAP / 2, 2),
                width=round(step * (1 - _GAP), 2),
                top=round(y, 2),
                segments=tuple(segments),
            )
        )
    ticks = tuple((number, round(floor - room * number / scale[-1], 2)) for number in scale)
    present = tuple(kind for kind in kinds if any(each.counts.get(kind) for each in slices))
    return Chart(tuple(columns), present, ticks, width)


def axis_scale(maximum: int) -> list[int]:
    """Round numbers from 0 to at least `maximum`, in at most three steps."""
    power = 1
    while True:
        for step in _STEPS:
            if step * power * 3 >= maximum:
                count = max(1, -(-maximum // (step * power)))
                return [step * power * at for at in range(count + 1)]
        power *= 10
