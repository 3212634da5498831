"""A point in time as people write it: `30d`, or `2026-01-31`."""

from __future__ import annotations

import re
import time
from datetime import datetime

from anamnesis.errors import InvalidInput

_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


def moment(text: str) -> float:
    """Seconds since the epoch; 0, and so everything, for an empty text."""
    text = text.strip()
    if not text:
        return 0.0
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", text):
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise InvalidInput(
            f"{text!r} is not a time.", hint="Write 30d, 12h, 2w, or a date such as 2026-01-31."
        ) from None
