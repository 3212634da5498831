"""The time, in the one form that notes carry."""

from __future__ import annotations

from time import gmtime, strftime  # datetime would cost every hook another millisecond


def utcnow() -> str:
    """Now as UTC ISO-8601 with second precision, for example `2026-06-24T18:33:07+00:00`."""
    return strftime("%Y-%m-%dT%H:%M:%S+00:00", gmtime())
