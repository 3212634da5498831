"""The application: addresses, the guard around them, and how errors look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from anamnesis.ground.errors import (
    AnamnesisError,
    InvalidInput,
    NoSuchNote,
    NoteChangedOnDisk,
    StoreBusy,
)
from anamnesis.history.log import NoHistory, NoSuchVersion
from anamnesis.notes.note import UnreadableNote
from anamnesis.operations.travel.conflicts import NoSuchConflict, StillInConflict
from anamnesis.web import api, events
from anamnesis.web.dashboard import HERE, Dashboard
from anamnesis.web.pages import (
    conflicts,
    fleet,
    injection,
    note,
    notes,
    pulse,
    recall,
    relations,
    review,
    settings,
    timeline,
    versions,
)
from anamnesis.web.security import Guard, Keys
from anamnesis.web.visit import Visit, endpoint

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from anamnesis.store import MemoryStore
    from anamnesis.web.visit import Page

_WEEK = 7 * 86_400
_STATUS = {
    NoSuchNote: 404,
    NoSuchConflict: 404,
    NoSuchVersion: 404,
    NoHistory: 404,
    NoteChangedOnDisk: 409,
    StillInConflict: 409,
    UnreadableNote: 422,
    InvalidInput: 400,
    StoreBusy: 503,
}

_HTTP = {
    404: (
        "There is no page at this address.",
        "It may have been mistyped. The pages are on the left.",
    ),
    405: ("This address is for the dashboard's own forms.", "Go back and use the button there."),
}


def build(
    store: MemoryStore, *, keys: Keys, hosts: frozenset[str], cookie: str, project: str = ""
) -> Starlette:
    """The dashboard of one store, answering to these names only."""
    app = Starlette(
        routes=routes(),
        middleware=[Middleware(Guard, keys=keys, hosts=hosts, cookie=cookie)],
        exception_handlers={AnamnesisError: _trouble, HTTPException: _trouble},
    )
    app.state.dashboard = Dashboard(store, keys=keys, cookie=cookie, project=project)
    return app


def routes() -> list[Route | Mount]:
    """All addresses."""
    return [
        Route("/open", _open, methods=["GET"]),
        _get("/", pulse.show),
        _get("/notes", notes.show),
        _post("/notes", notes.act),
        _post("/undo", notes.undo),
        _get("/new", note.blank),
        _post("/new", note.create),
        _get("/notes/{id}", note.show),
        _get("/notes/{id}/source", note.source),
        _get("/notes/{id}/edit", note.edit),
        _post("/notes/{id}", note.save),
        _post("/notes/{id}/redact", note.redact),
        _get("/notes/{id}/history", versions.of_note),
        _post("/notes/{id}/restore", versions.restore),
        _get("/review", review.show),
        _post("/review", review.decide),
        _get("/history", versions.show),
        _get("/conflicts", conflicts.show),
        _get("/conflicts/{id}", conflicts.one),
        _post("/conflicts/{id}", conflicts.resolve),
        _get("/fleet", fleet.show),
        _post("/sync", fleet.sync),
        _get("/injection", injection.show),
        _get("/recall", recall.show),
        _get("/timeline", timeline.show),
        _get("/map", relations.show),
        _get("/settings", settings.show),
        _post("/settings/refresh", settings.refresh),
        _post("/settings/agents", settings.set_up),
        _post("/settings/config", settings.configure),
        _post("/theme", settings.theme),
        _post("/preview", note.preview),
        _get("/events", events.show),
        *api.routes(),
        Mount("/static", _Static(directory=HERE / "static")),
    ]


def _get(path: str, page: Page) -> Route:
    return Route(path, endpoint(page), methods=["GET"])


def _post(path: str, page: Page) -> Route:
    return Route(path, endpoint(page), methods=["POST"])


async def _open(request: Request) -> Response:
    """Exchange a token that works once for the session's cookie."""
    dashboard: Dashboard = request.app.state.dashboard
    if not dashboard.keys.redeem(request.query_params.get("token", "")):
        return PlainTextResponse("This address was used already. Run:  anamnesis dashboard\n", 401)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        dashboard.cookie, dashboard.keys.session, httponly=True, samesite="strict", path="/"
    )
    return answer


async def _trouble(request: Request, error: Exception) -> Response:
    """What went wrong and what to do, as a page or as JSON."""
    if isinstance(error, HTTPException):
        status = error.status_code
        message, hint = _HTTP.get(status, (str(error.detail), ""))
    else:
        assert isinstance(error, AnamnesisError)  # noqa: S101  see exception_handlers
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
        message, hint = error.message, error.hint
    if not request.state.inside:
        return PlainTextResponse(f"{message}\n", status)
    visit = Visit(request, b"")
    if request.url.path.startswith("/api/"):
        return visit.answer({"error": message, "hint": hint}, status=status)
    return visit.page("error.html", status=status, message=message, hint=hint, code=status)


class _Static(StaticFiles):
    """Our own files, which a browser may keep: their address changes with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = f"private, max-age={_WEEK}"
        return answer
