"""The values that a person declared harmless, in `<home>/redact-allow.txt`, one per line."""

from __future__ import annotations

import os

FILE_NAME = "redact-allow.txt"


def allow_list(home: str) -> tuple[str, ...]:
    """The allowed values: whole values only, so that a line cannot open a door by accident."""
    try:
        with open(os.path.join(home, FILE_NAME), encoding="utf-8-sig", errors="replace") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return ()
    return tuple(line for line in lines if line and not line.startswith("#"))
