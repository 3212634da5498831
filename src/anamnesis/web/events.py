"""Telling open pages that notes changed on disk, by whatever program."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from anamnesis.index import browse
from anamnesis.notes.ids import is_valid_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

    from anamnesis.web.dashboard import Dashboard

_TICK_SECONDS = 0.2  # how soon a server that ends is free of us
_LOOK_TICKS = 5
_THOROUGH_SECONDS = 20.0  # edits in place are found by looking at every file


async def stream(request: Request) -> Response:
    """Server-sent events: `changed` when the index took in something new."""
    dashboard: Dashboard = request.app.state.dashboard
    note_id = request.query_params.get("note", "")
    return StreamingResponse(
        _changes(request, dashboard, note_id if is_valid_id(note_id) else ""),
        media_type="text/event-stream",
    )


async def _changes(request: Request, dashboard: Dashboard, note_id: str) -> AsyncIterator[str]:
    yield "retry: 3000\n\n"
    known = await run_in_threadpool(_look, dashboard, thorough=False)
    looked = time.monotonic()
    while await _waited(request, dashboard):
        thorough = time.monotonic() - looked > _THOROUGH_SECONDS
        if thorough:
            looked = time.monotonic()
        version = await run_in_threadpool(_look, dashboard, thorough=thorough)
        if version != known:
            known = version
            hash = await run_in_threadpool(_hash, dashboard, note_id)
            yield f"event: changed\ndata: {json.dumps({'note': note_id, 'hash': hash})}\n\n"


async def _waited(request: Request, dashboard: Dashboard) -> bool:
    """Wait until the next look; whether there still is somebody to tell."""
    for _ in range(_LOOK_TICKS):
        await asyncio.sleep(_TICK_SECONDS)
        if dashboard.closing():
            return False
    return not await request.is_disconnected()


def _look(dashboard: Dashboard, *, thorough: bool) -> tuple[object, ...]:
    if thorough:
        dashboard.store.refresh()
    else:
        dashboard.store.headers(limit=0)
    return dashboard.counts.version()


def _hash(dashboard: Dashboard, note_id: str) -> str:
    return dashboard.store.ask(lambda db: browse.hash_of(db, note_id)) if note_id else ""
