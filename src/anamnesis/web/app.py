"""The application: its routes, the guard in front of them, and error pages."""

from __future__ import annotations

from types import MappingProxyType
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
from anamnesis.web.drafts import HandOver
from anamnesis.web.pages import (
    background,
    conflicts,
    curate,
    export,
    fleet,
    forget,
    history,
    injection,
    note,
    notes,
    repository,
    review,
    sessions,
    settings,
    start,
    timeline,
)
from anamnesis.web.request import NeedsFreshLink, Visit, endpoint, own_address
from anamnesis.web.security import NEXT_COOKIE, PROOF_PATH, SIGN_IN_PATH, Guard, Keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from anamnesis.store import MemoryStore
    from anamnesis.web.request import PageFunction

EMPTY: Mapping[str, str] = MappingProxyType({})
_WEEK = 7 * 86_400
_COMPRESSION = 3  # turns a page of 90 KB into 12; higher levels cost more and gain little
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
        "Check the address, or choose a page from the menu.",
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
    former: Mapping[str, str] = EMPTY,
    port: int = 0,
    project: str = "",
) -> Starlette:
    """The dashboard of one store, served under these host names only.

    `former` has the names of earlier starts, each with the key that its pages were given.
    """
    dashboard = Dashboard(store, keys=keys, cookie=cookie, project=project)
    hand_over = HandOver(dashboard.drafts, former, key=dashboard.draft_key)
    guard = Middleware(
        Guard,
        keys=keys,
        hosts=hosts,
        cookie=cookie,
        by_password=by_password,
        former=frozenset(f"{name}:{port}" for name in former),
        signed_out=lambda: _outside(
            dashboard, "You are signed out", "Each link works once, in one browser.", status=401
        ),
        at_former=_former(dashboard, hand_over),
    )
    app = Starlette(
        routes=[Route(PROOF_PATH, hand_over.prove, methods=["GET"]), *routes()],
        middleware=[guard, Middleware(GZipMiddleware, compresslevel=_COMPRESSION)],
        exception_handlers={AnamnesisError: _error_response, HTTPException: _error_response},
    )
    app.state.dashboard = dashboard
    return app


def _outside(dashboard: Dashboard, title: str, reason: str, *, status: int) -> HTMLResponse:
    """A page for somebody who is not signed in: why, and what to do."""
    return HTMLResponse(dashboard.render("outside.html", title=title, reason=reason), status)


def _former(dashboard: Dashboard, hand_over: HandOver) -> Starlette:
    """What is served under the names of earlier starts: how to go on, and nothing of the store."""

    async def explain(_: Request) -> Response:
        reason = "The dashboard has a new address each time it starts."
        return _outside(dashboard, "This address has ended", reason, status=421)

    return Starlette(
        routes=[
            Route(PROOF_PATH, hand_over.prove, methods=["GET"]),
            Route(PROOF_PATH, hand_over.accept, methods=["POST"]),
            Mount("/static", _Static(directory=HERE / "static")),
            Route("/{path:path}", explain, methods=["GET", "POST"]),
        ]
    )


def routes() -> list[Route | Mount]:
    """All routes."""
    return [
        Route(SIGN_IN_PATH, _sign_in, methods=["GET"]),
        _get("/", start.show),
        *_note_routes(),
        _get("/review", review.show),
        _post("/review", review.decide),
        _get("/history", history.show),
        _get("/conflicts", conflicts.show),
        _post("/conflicts", conflicts.resolve_all),
        _get("/conflicts/{id}", conflicts.show_one),
        _post("/conflicts/{id}", conflicts.resolve),
        _get("/fleet", fleet.show),
        _post("/sync", fleet.sync),
        _get("/injection", injection.show),
        _post("/injection", injection.act),
        _get("/timeline", timeline.show),
        _get("/sessions", sessions.show),
        _get("/session/{id:path}", sessions.show_one),
        _get("/repository", repository.show),
        _post("/repository", repository.decide),
        _get("/settings", settings.show),
        _post("/settings/refresh", settings.refresh),
        _post("/settings/agents", settings.set_up_agents),
        _post("/settings/config", settings.configure),
        _post("/settings/test", settings.test),
        _post("/sign-out", settings.sign_out),
        _post("/appearance", settings.set_appearance),
        _post("/preview", note.preview),
        *api.routes(),
        Mount("/static", _Static(directory=HERE / "static")),
    ]


def _note_routes() -> list[Route]:
    return [
        _get("/notes", notes.show),
        _post("/notes", curate.act),
        _get("/ids", notes.ids),
        _post("/views", notes.save_view),
        _post("/undo", curate.undo),
        _get("/merge", curate.compare),
        _post("/merge", curate.merge_notes),
        _post("/import", curate.import_files),
        _post("/forget", forget.carry_out),
        _get("/forgotten", forget.show),
        _get("/jobs/{id}", background.show),
        _get("/exports/{id}", export.download),
        _post("/reflect", background.reflect),
        _post("/backfill", background.backfill),
        _post("/fix", background.fix),
        _post("/fleet/approve", fleet.approve),
        _get("/tidy", curate.tidy),
        _post("/tidy", curate.find),
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
        _get("/notes/{id}/history", history.show_note),
        _post("/notes/{id}/restore", history.restore),
        _post("/notes/{id}/bring-back", history.bring_back),
    ]


def _get(path: str, page: PageFunction) -> Route:
    return Route(path, endpoint(page), methods=["GET"])


def _post(path: str, page: PageFunction) -> Route:
    return Route(path, endpoint(page), methods=["POST"])


async def _sign_in(request: Request) -> Response:
    """Exchange a single-use token for a session cookie; HEAD leaves the token unused.

    A browser that signed in with a password is redirected to an address without it: browsers
    block the requests of scripts on a page whose address contains a password.
    """
    dashboard: Dashboard = request.app.state.dashboard
    if request.method == "HEAD":
        return PlainTextResponse("")
    if request.state.session and "token" not in request.query_params:
        return HTMLResponse(
            dashboard.render("opened.html", target=f"http://{request.headers['host']}/")
        )
    secret = dashboard.keys.redeem(
        request.query_params.get("token", ""), replacing=request.cookies.get(dashboard.cookie, "")
    )
    if not secret:
        reason = "Each link works once, so that no one else can use it."
        return _outside(dashboard, "This link has already been used", reason, status=401)
    target = own_address(request.cookies.get(NEXT_COOKIE, ""))
    target = target or own_address(dashboard.drafts.take_place()) or "/"
    # Not a redirect: the request came from elsewhere, so the browser would not send the cookie.
    response = HTMLResponse(dashboard.render("opened.html", target=target))
    response.set_cookie(
        dashboard.cookie,
        secret,
        httponly=True,
        samesite="strict",
        path="/",
    )
    response.delete_cookie(NEXT_COOKIE, path=SIGN_IN_PATH)
    return response


async def _error_response(request: Request, error: Exception) -> Response:
    """An error and its hint, as a page or as JSON."""
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
    if not request.state.is_signed_in:
        return PlainTextResponse(f"{message}\n", status)
    visit = Visit(request, b"")
    if request.url.path.startswith("/api/"):
        return visit.json_response({"error": message, "hint": hint}, status=status)
    return visit.page("error.html", status=status, message=message, hint=hint, code=status)


class _Static(StaticFiles):
    """Static files, which browsers may cache: their addresses change with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = f"private, max-age={_WEEK}"
        return response
