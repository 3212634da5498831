"""One request, read and answered: what pages are written against."""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoSuchNote
from anamnesis.index.browse import NoteFilter
from anamnesis.index.curation import PENDING
from anamnesis.operations.curate import review
from anamnesis.operations.notes import show
from anamnesis.operations.travel import conflicts
from anamnesis.search import excerpts
from anamnesis.web import markdown, navigation

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from markupsafe import Markup
    from starlette.requests import Request

    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore
    from anamnesis.web.dashboard import Dashboard, Notice

    Page = Callable[["Visit"], Response]
    Endpoint = Callable[[Request], Awaitable[Response]]

THEMES = ("auto", "light", "dark")
_MOST_FIELDS = 2000  # a page of notes can be selected as a whole
_LONGEST_PARAMETER = 1000


class Unforeseen(AnamnesisError):
    """A mistake of ours: the person is told where to read about it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"The dashboard could not do this ({type(error).__name__}).",
            hint="What went wrong is in the terminal that it runs in. The other pages still work.",
        )


class Visit:
    """A request with its form, and the ways to answer it."""

    def __init__(self, request: Request, body: bytes) -> None:
        self.request = request
        self.dashboard: Dashboard = request.app.state.dashboard
        self.store: MemoryStore = self.dashboard.store
        self.body = body
        self._form: dict[str, list[str]] | None = None

    @property
    def from_htmx(self) -> bool:
        """Whether a script of ours asks for a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    @property
    def theme(self) -> str:
        """The colours that the person chose: auto follows the system."""
        chosen = self.request.cookies.get("theme", "")
        return chosen if chosen in THEMES else "auto"

    @property
    def held(self) -> int:
        """How many notes wait for a person's choice."""
        return len(conflicts.held(self.store))

    @property
    def pending(self) -> int:
        """How many notes no person has looked at yet."""
        return review.pending_count(self.store)

    @property
    def note_views(self) -> tuple[tuple[str, str], ...]:
        """The ways to look at one note."""
        return navigation.NOTE_VIEWS

    def marked(self, text: str) -> Markup:
        """Text with what matched marked."""
        return markdown.marked(text, excerpts.START, excerpts.END)

    def asked(self, name: str, default: str = "") -> str:
        """A parameter of the address."""
        return self.request.query_params.get(name, default)[:_LONGEST_PARAMETER]

    def asked_number(self, name: str, default: int, *, most: int) -> int:
        """A parameter of the address that is a number from 0 to `most`."""
        text = self.asked(name)
        return min(int(text), most) if text.isascii() and text.isdigit() else default

    def named(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    @property
    def fields(self) -> dict[str, str]:
        """The form."""
        return {name: values[-1] for name, values in self._read_form().items()}

    def values(self, name: str) -> list[str]:
        """All values of a field of the form."""
        return self._read_form().get(name, [])

    def _read_form(self) -> dict[str, list[str]]:
        if self._form is None:
            try:
                self._form = parse_qs(
                    self.body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS
                )
            except ValueError:
                raise InvalidInput("The form cannot be read.") from None
        return self._form

    def value(self, name: str, default: str = "") -> str:
        """A field of the form."""
        found = self.values(name)
        return found[-1] if found else default

    def json(self) -> dict[str, Any]:
        """The body as a JSON object."""
        try:
            found = json.loads(self.body or b"{}")
            json.dumps(found, ensure_ascii=False).encode()  # half a character cannot be stored
        except (ValueError, RecursionError):
            raise InvalidInput("The body is not JSON.") from None
        if not isinstance(found, dict):
            raise InvalidInput("The body is not a JSON object.")
        return found

    def note(self) -> ReadNote:
        """The note that the path names."""
        found = self.found_note()
        if found is None:
            raise NoSuchNote(self.named("id")[:80])
        return found

    def found_note(self) -> ReadNote | None:
        """The note that the path names, if it is there."""
        return self.read(self.named("id"))

    def read(self, note_id: str) -> ReadNote | None:
        """A note by an id from outside; what is no id names none."""
        return show.find(self.store, note_id)

    def shown(self) -> NoteFilter:
        """The filters that the address carries."""
        state = self.asked("state", "current")
        return NoteFilter(
            type=self.asked("type"),
            project=self.asked("project"),
            scope=self.asked("scope"),
            machine=self.asked("machine"),
            source=self.asked("source"),
            tag=self.asked("tag"),
            session=self.asked("session"),
            state=state if state in ("current", "superseded", "all") else "current",
            day=self.asked("day"),
            review=PENDING if self.asked("review") == PENDING else "",
        )

    def address(self, **changes: str | int | None) -> str:
        """This page's address with some parameters changed; None removes one."""
        kept = {key: value for key, value in self.request.query_params.items() if key != "notice"}
        kept.update({key: str(value) for key, value in changes.items() if value is not None})
        for key in [key for key, value in changes.items() if value is None]:
            kept.pop(key, None)
        return self.request.url.path + (f"?{urlencode(kept)}" if kept else "")

    def page(self, template: str, *, status: int = 200, **context: Any) -> Response:
        """A page of HTML."""
        key = self.asked("notice")
        html = self.dashboard.draw(
            template,
            visit=self,
            path=self.request.url.path,
            nonce=self.request.state.nonce,
            notice=self.dashboard.notice(key) if key else None,
            **context,
        )
        return HTMLResponse(html, status)

    def answer(self, value: object, *, status: int = 200) -> Response:
        """JSON for a program."""
        return JSONResponse(value, status)

    def go(self, address: str, notice: Notice | None = None) -> Response:
        """Show another page next, with a notice of what was done."""
        if notice is not None:
            page, mark, part = address.partition("#")
            separator = "&" if "?" in page else "?"
            address = f"{page}{separator}notice={self.dashboard.remember(notice)}{mark}{part}"
        return RedirectResponse(address, 303)

    def back(self, default: str) -> str:
        """Where the person came from: an address of ours that the form names."""
        given = self.value("back")
        split = urlsplit(given)
        ours = given.startswith("/") and not given.startswith(("//", "/\\"))
        return given if ours and not split.netloc and "\n" not in given else default


def endpoint(page: Page) -> Endpoint:
    """A page function as the server calls it: the body is read, then a thread does the work."""

    async def answered(request: Request) -> Response:
        body = await request.body() if request.method not in ("GET", "HEAD") else b""
        try:
            return await run_in_threadpool(page, Visit(request, body))
        except (AnamnesisError, HTTPException):
            raise
        except Exception as error:
            traceback.print_exc()
            raise Unforeseen(error) from error

    return answered
