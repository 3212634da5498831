"""The current time as notes write it, and times as people type them."""

from __future__ import annotations

from time import gmtime, strftime, time  # datetime would cost every hook another millisecond

_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
_DAYS = {"today": 0, "yesterday": 1}
_NEAR = ("today", "yesterday")


def utcnow() -> str:
    """Now as UTC ISO-8601 with second precision, for example `2026-06-24T18:33:07+00:00`."""
    return at(time())


def at(seconds: float) -> str:
    """Seconds since the epoch in the same form."""
    return strftime("%Y-%m-%dT%H:%M:%S+00:00", gmtime(seconds))


def age(moment: str, *, now: str = "") -> str:
    """How long ago a day was: `today`, `yesterday`, `3 days ago`, `10 months ago`; or nothing."""
    then, today = _ordinal(moment), _ordinal(now or utcnow())
    days = today - then
    if not then or days < 0:
        return ""
    if days < len(_NEAR):
        return _NEAR[days]
    for size, unit in ((365, "years"), (30, "months"), (1, "days")):
        if days >= 2 * size:
            return f"{days // size} {unit} ago"
    return ""


def _ordinal(moment: str) -> int:
    """The day of a time as a number; 0 for anything that begins with no date."""
    year, month, day = moment[:4], moment[5:7], moment[8:10]
    if not (year.isdecimal() and month.isdecimal() and day.isdecimal()):
        return 0
    # Years that begin in March end with the day that some of them have and others have not.
    years, months = int(year) - (int(month) < 3), (int(month) + 9) % 12
    return (
        years * 365 + years // 4 - years // 100 + years // 400 + (153 * months + 2) // 5 + int(day)
    )


def since(text: str) -> float:
    """Seconds since the epoch for `30d`, `12h`, `yesterday` or a date; 0 for an empty text.

    Raises InvalidInput for anything else.
    """
    import re
    from datetime import datetime, timedelta

    text = text.strip().lower()
    if not text:
        return 0.0
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", text):
        return time() - int(ago[1]) * _SECONDS[ago[2]]
    if text in _DAYS:
        midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=_DAYS[text])).timestamp()
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        from anamnesis.ground.errors import InvalidInput

        raise InvalidInput(
            f"{text!r} is not a time.",
            hint="Write 30d, 12h, yesterday, or a date such as 2026-01-31.",
        ) from None
