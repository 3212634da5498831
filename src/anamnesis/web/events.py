"""Telling open pages what the notes are now, whatever program changed them.

A browser opens few connections to one server, and a stream that stays open in every tab would use
them up. So a page that is looked at asks every moment, and compares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.visit import Visit


def show(visit: Visit) -> Response:
    """What all notes are, and what the file of one note is, each as a mark to compare.

    `version` is the mark that pages are drawn with: cheap, but it moves more often than notes do.
    """
    visit.dashboard.refresh()
    note_id = visit.parameter("note")
    hash = _hash(visit, note_id) if note_id else ""
    counts = visit.dashboard.counts
    return visit.answer({"version": counts.version(), "notes": counts.contents(), "hash": hash})


def _hash(visit: Visit, note_id: str) -> str:
    """The hash of the file as it is; empty if it is gone or cannot be read."""
    try:
        read = visit.read(note_id)
    except AnamnesisError:
        return ""
    return read.hash if read else ""
