"""The application: addresses, the guard around them, and how errors look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from anamnesis.ground.errors import (
    AnamnesisError,
    InvalidInput,
    NoSuchNote,
    NoteChangedOnDisk,
    StoreBusy,
)
from anamnesis.notes.fields import UnreadableNote
from anamnesis.operations.notes.history import NoHistory, NoSuchVersion
from anamnesis.operations.notes.undo import NothingToUndo
from anamnesis.operations.sessions.archive import NoSuchSession
from anamnesis.operations.travel.conflicts import NoSuchConflict, StillInConflict
from anamnesis.web import api
from anamnesis.web.dashboard import HERE, Dashboard
from anamnesis.web.pages import (
    conflicts,
    curate,
    export,
    fleet,
    history,
    injection,
    note,
    notes,
    pulse,
    recall,
    relations,
    review,
    sessions,
    settings,
    timeline,
    work,
)
from anamnesis.web.security import DOOR, NEXT, Guard, Keys
from anamnesis.web.visit import NeedsFreshLink, Visit, endpoint, own_address

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from anamnesis.store import MemoryStore
    from anamnesis.web.visit import PageFunction

_WEEK = 7 * 86_400
_MONTH = 30 * 86_400  # the server ends a session earlier if it is not used
_COMPRESSION = 3  # a page of 90 KB becomes 12; more costs more and gives little
_STATUS = {
    NoSuchNote: 404,
    NoSuchConflict: 404,
    NoSuchVersion: 404,
    NoHistory: 404,
    NoSuchSession: 404,
    NothingToUndo: 404,
    NoteChangedOnDisk: 409,
    StillInConflict: 409,
    UnreadableNote: 422,
    InvalidInput: 400,
    NeedsFreshLink: 403,
    StoreBusy: 503,
}

_NO_NOTE = (
    "There is no note at this address.",
    "It may have been deleted, merged into another one, or never synced to this machine.",
)
_HTTP = {
    404: (
        "There is no page at this address.",
        "It may have been mistyped. Every page is in the menu.",
    ),
    405: ("This address is for the dashboard's own forms.", "Go back and use the button there."),
}


def build(
    store: MemoryStore,
    *,
    keys: Keys,
    hosts: frozenset[str],
    cookie: str,
    by_password: frozenset[str] = frozenset(),
    project: str = "",
) -> Starlette:
    """The dashboard of one store, answering to these names only."""
    guard = Middleware(Guard, keys=keys, hosts=hosts, cookie=cookie, by_password=by_password)
    app = Starlette(
        routes=routes(),
        middleware=[guard, Middleware(GZipMiddleware, compresslevel=_COMPRESSION)],
        exception_handlers={AnamnesisError: _trouble, HTTPException: _trouble},
    )
    app.state.dashboard = Dashboard(store, keys=keys, cookie=cookie, project=project)
    return app


def routes() -> list[Route | Mount]:
    """All addresses."""
    return [
        Route(DOOR, _open, methods=["GET"]),
        _get("/", pulse.show),
        *_of_notes(),
        _get("/review", review.show),
        _post("/review", review.decide),
        _get("/history", history.show),
        _get("/conflicts", conflicts.show),
        _post("/conflicts", conflicts.resolve_all),
        _get("/conflicts/{id}", conflicts.one),
        _post("/conflicts/{id}", conflicts.resolve),
        _get("/fleet", fleet.show),
        _post("/sync", fleet.sync),
        _get("/injection", injection.show),
        _post("/injection", injection.act),
        _get("/recall", recall.show),
        _post("/recall", recall.expect),
        _get("/timeline", timeline.show),
        _get("/sessions", sessions.show),
        _get("/session/{id:path}", sessions.one),
        _get("/map", relations.show),
        _get("/settings", settings.show),
        _post("/settings/refresh", settings.refresh),
        _post("/settings/agents", settings.set_up),
        _post("/settings/config", settings.configure),
        _post("/settings/test", settings.test),
        _post("/sign-out", settings.sign_out),
        _post("/appearance", settings.appear),
        _post("/preview", note.preview),
        *api.routes(),
        Mount("/static", _Static(directory=HERE / "static")),
    ]


def _of_notes() -> list[Route]:
    return [
        _get("/notes", notes.show),
        _post("/notes", curate.act),
        _get("/ids", notes.ids),
        _post("/views", notes.save_view),
        _post("/undo", curate.undo),
        _get("/merge", curate.compare),
        _post("/merge", curate.merge_notes),
        _post("/import", curate.import_files),
        _get("/jobs/{id}", work.show),
        _get("/exports/{id}", export.download),
        _post("/reflect", work.reflect),
        _post("/backfill", work.backfill),
        _post("/fix", work.fix),
        _post("/fleet/approve", fleet.approve),
        _get("/tidy", curate.tidy),
        _post("/tidy", curate.look),
        _post("/tidy/fold", curate.fold),
        _get("/new", note.blank),
        _post("/new", note.create),
        _get("/notes/{id}", note.show),
        _get("/find", note.find),
        _get("/notes/{id}/card", note.card),
        _get("/notes/{id}/source", note.source),
        _get("/notes/{id}/edit", note.edit),
        _post("/notes/{id}", note.save),
        _post("/notes/{id}/redact", note.redact),
        _get("/notes/{id}/history", history.of_note),
        _post("/notes/{id}/restore", history.restore),
        _post("/notes/{id}/bring-back", history.bring_back),
    ]


def _get(path: str, page: PageFunction) -> Route:
    return Route(path, endpoint(page), methods=["GET"])


def _post(path: str, page: PageFunction) -> Route:
    return Route(path, endpoint(page), methods=["POST"])


async def _open(request: Request) -> Response:
    """Exchange a token that works once for the session's cookie; HEAD only looks.

    Who comes with a password is in already, and is led to an address without it: on a page whose
    address has one, browsers refuse what its scripts ask for.
    """
    dashboard: Dashboard = request.app.state.dashboard
    if request.method == "HEAD":
        return PlainTextResponse("")
    if request.state.session and "token" not in request.query_params:
        return HTMLResponse(
            dashboard.draw("opened.html", target=f"http://{request.headers['host']}/")
        )
    secret = dashboard.keys.redeem(
        request.query_params.get("token", ""), instead_of=request.cookies.get(dashboard.cookie, "")
    )
    if not secret:
        return PlainTextResponse("This address was used already. Run:  anamnesis dashboard\n", 401)
    target = own_address(request.cookies.get(NEXT, "")) or "/"
    # Not a redirect: the browser came from elsewhere and would not send the cookie along yet.
    answer = HTMLResponse(dashboard.draw("opened.html", target=target))
    answer.set_cookie(
        dashboard.cookie,
        secret,
        max_age=_MONTH,
        httponly=True,
        samesite="strict",
        path="/",
    )
    answer.delete_cookie(NEXT, path=DOOR)
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
        if isinstance(error, NoSuchNote) and not request.url.path.startswith("/api/"):
            hint = _NO_NOTE[1]
            message = _NO_NOTE[0] if error.note_id in request.url.path else message
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
