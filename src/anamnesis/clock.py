"""The time, in the one form that notes carry."""

from __future__ import annotations

from datetime import UTC, datetime


def utcnow() -> str:
    """Now as UTC ISO-8601 with second precision, for example `2026-06-24T18:33:07+00:00`."""
    return datetime.now(UTC).isoformat(timespec="seconds")
