"""Telling open pages that notes changed on disk, by whatever program.

A browser opens few connections to one server, and a stream that stays open in every tab would use
them up. So each answer ends at once; the browser asks again by itself and says what it last saw.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING

from starlette.responses import Response

from anamnesis.ground.errors import AnamnesisError

if TYPE_CHECKING:
    from anamnesis.web.visit import Visit

_PAUSE_MILLISECONDS = 1500
_NONE = "none"  # an empty id would not be sent back


def show(visit: Visit) -> Response:
    """Server-sent events: `changed` if the note, or any note, is not what the page last saw."""
    visit.dashboard.look()
    note_id = visit.asked("note")
    hash = _hash(visit, note_id) if note_id else ""
    now = (hash or _NONE) if note_id else _version(visit)
    seen = visit.request.headers.get("last-event-id")
    lines = [f"retry: {_PAUSE_MILLISECONDS}", f"id: {now}"]
    if seen != now and (seen is not None or hash):  # of a note, also what it is at first
        lines += ["event: changed", f"data: {json.dumps({'hash': hash})}"]
    return Response("\n".join([*lines, "", ""]), media_type="text/event-stream")


def _hash(visit: Visit, note_id: str) -> str:
    """The hash of the file as it is; empty if it is gone or cannot be read."""
    try:
        found = visit.read(note_id)
    except AnamnesisError:
        return ""
    return found.hash if found else ""


def _version(visit: Visit) -> str:
    return blake2b(repr(visit.dashboard.counts.version()).encode(), digest_size=9).hexdigest()
