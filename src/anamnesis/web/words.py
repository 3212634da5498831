"""Numbers, times and ids as people read them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_STEPS = ((60, "second"), (60, "minute"), (24, "hour"), (7, "day"), (5, "week"))


def ago(text: str, *, now: datetime | None = None) -> str:
    """How long ago a time was; after five weeks, its date."""
    moment = _parsed(text)
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
    moment = _parsed(text)
    return f"{moment.day} {moment:%b %Y}" if moment else text[:10] or "unknown"


def moment(text: str) -> str:
    """A time as `2026-03-12 18:05`, in the time zone of this machine."""
    found = _parsed(text)
    return f"{found.astimezone():%Y-%m-%d %H:%M}" if found else text


def number(value: int) -> str:
    """A number with its thousands apart."""
    return f"{value:,}"


def plural(amount: int, noun: str, many: str = "") -> str:
    """An amount with its noun."""
    return f"{amount:,} {noun if amount == 1 else many or noun + 's'}"


def plain(text: str) -> str:
    """Markdown without its signs, for an excerpt."""
    text = re.sub(r"^```\w*|^[#>]+ |\||-{3,}", " ", text, flags=re.MULTILINE)
    return " ".join(re.sub(r"[`*]+", "", text).split())


def _parsed(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
