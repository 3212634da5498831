"""Numbers, times and markdown formatted for people to read."""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_HUES = 20  # colours that tell projects apart; the style sheet defines the same number
_SYNTAX = (  # markdown syntax, and what replaces it
    (r"<!--.*?-->|^```\w*|^ *\|?[ :|-]*---[ :|-]*$", " "),
    (r"!?\[([^\[\]]*)\]\([^()\s]*\)|\[\[([^\[\]]+)\]\]", r"\1\2"),
    (r"^ *(?:#{1,6} |>|[-+*] (?:\[[ xX]\] )?)+ *|\|", " "),
    (r"`+|\*+(?=[^\s*])|(?<=[^\s*])\*+|~~|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)", ""),
    (r"\[\[|\]\]", ""),  # left of a link that the end of the excerpt cut off
)
_STEPS = ((60, "second"), (60, "minute"), (24, "hour"), (7, "day"), (5, "week"))


def ago(text: str, *, now: datetime | None = None) -> str:
    """How long ago a time was; after five weeks, its date."""
    moment = _parse(text)
    if moment is None:
        return text[:10] or "unknown"
    amount = int(((now or datetime.now(UTC)) - moment).total_seconds())
    if amount < 60:
        return "just now" if amount > -60 else text[:10]
    for size, name in _STEPS:
        if amount < size:
            return f"{plural(amount, name)} ago"
        amount //= size
    return day(text)


def day(text: str) -> str:
    """A date as `12 Mar 2026`."""
    moment = _parse(text)
    return f"{moment.day} {moment:%b %Y}" if moment else text[:10] or "unknown"


def moment(text: str) -> str:
    """A time as `2026-03-12 18:05`, in the time zone of this machine."""
    when = _parse(text)
    return f"{when.astimezone():%Y-%m-%d %H:%M}" if when else text


def number(value: int) -> str:
    """A number with thousands separators."""
    return f"{value:,}"


def plural(amount: int, noun: str, many: str = "") -> str:
    """An amount with its noun."""
    return f"{amount:,} {noun if amount == 1 else many or noun + 's'}"


def plain(text: str) -> str:
    """Markdown stripped of its syntax, for an excerpt."""
    for pattern, replacement in _SYNTAX:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE | re.DOTALL)
    return " ".join(text.split())


def hues(names: Iterable[str]) -> dict[str, int]:
    """A colour for each name, derived from the name and unique while there are enough colours.

    Earlier names choose first.
    """
    chosen: dict[str, int] = {}
    for name in names:
        preferred = zlib.crc32(name.encode()) % _HUES
        free = [
            hue % _HUES
            for hue in range(preferred, preferred + _HUES)
            if hue % _HUES not in chosen.values()
        ]
        chosen[name] = free[0] if free else preferred
    return chosen


def timestamp(seconds: float) -> str:
    """Seconds since the epoch as an ISO time, which the other functions take."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _parse(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)
