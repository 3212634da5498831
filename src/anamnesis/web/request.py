"""A request as pages see it: its parameters, its form, and the responses to it."""

from __future__ import annotations

import json
import traceback
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoSuchNote
from anamnesis.operations.curate import review
from anamnesis.operations.notes import show
from anamnesis.operations.notes.browse import MARKS
from anamnesis.operations.notes.list import PENDING, NoteFilter
from anamnesis.operations.notes.search import warnings
from anamnesis.operations.travel import conflicts
from anamnesis.project import GLOBAL, short_names
from anamnesis.web import formatting, markdown
from anamnesis.web.dashboard import NOTE_VIEWS, UnexpectedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from markupsafe import Markup
    from starlette.requests import Request

    from anamnesis.notes.fields import Memory
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore
    from anamnesis.web.dashboard import Dashboard, Notice

    PageFunction = Callable[["Visit"], Response]
    Endpoint = Callable[[Request], Awaitable[Response]]

FACETS = (
    "type",
    "project",
    "scope",
    "machine",
    "source",
    "tag",
)  # several values of each can be chosen
NOT_PREFIX = "not-"  # before the name of a facet: a value that notes must not have
# Appearance settings and their values; the first is the default.
APPEARANCE = {
    "theme": ("auto", "light", "dark"),
    "density": ("comfortable", "compact"),
    "keys": ("on", "off"),
}
_MOST_FIELDS = 2000  # enough for a whole page of selected notes
_LONGEST_PARAMETER = 1000
_MOST_VALUES = 50  # of one facet


class NeedsFreshLink(AnamnesisError):
    """A change that could make this machine run or send something needs a recent sign-in."""

    def __init__(self, subject: str) -> None:
        super().__init__(
            f"To change {subject}, confirm that it is you: open a fresh link.",
            hint="Run `anamnesis dashboard`, open the link in this browser, and try again "
            "within ten minutes. Each link confirms one change.",
        )


def own_address(address: str) -> str:
    """The address if it is one of the dashboard's own pages, else an empty string."""
    is_own = address.startswith("/") and not address.startswith(("//", "/\\"))
    is_own = is_own and not urlsplit(address).netloc and not set("\n\r\t") & set(address)
    return address if is_own else ""


class Visit:
    """A request with its form, and the responses that a page can give."""

    def __init__(self, request: Request, body: bytes) -> None:
        self.request = request
        self.dashboard: Dashboard = request.app.state.dashboard
        self.store: MemoryStore = self.dashboard.store
        self.body = body
        self.version = self.dashboard.counts.version()  # before the page reads anything
        self._form: dict[str, list[str]] | None = None

    @property
    def from_htmx(self) -> bool:
        """Whether htmx requests a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    @property
    def appearance(self) -> dict[str, str]:
        """The theme, the density and the state of single-key shortcuts."""
        chosen = self.dashboard.appearance
        return {
            name: value if (value := chosen.get(name)) in choices else choices[0]
            for name, choices in APPEARANCE.items()
        }

    @cached_property
    def projects(self) -> dict[str, tuple[str, str]]:
        """The short name and the colour class of every project."""
        names = self.dashboard.counts.values("project")
        colours = formatting.hues(name for name in names if name != GLOBAL)
        return {
            name: (short, f"hue-{colours.get(name, 'none')}")
            for name, short in short_names(names).items()
        }

    def short_project(self, name: str) -> str:
        """A project's name, shortened as far as it stays unique."""
        return self.projects.get(name, (name, ""))[0]

    @cached_property
    def in_conflict(self) -> frozenset[str]:
        """The ids of the notes in conflict."""
        return frozenset(sides.conflict.id for sides in conflicts.held(self.store))

    @property
    def pending(self) -> int:
        """The number of notes to review."""
        return review.pending_count(self.store)

    @property
    def note_views(self) -> tuple[tuple[str, str], ...]:
        """The views of a note: the end of the address, and the label."""
        return NOTE_VIEWS

    def marked(self, text: str) -> Markup:
        """Text with the matches highlighted."""
        return markdown.marked(text, *MARKS)

    def marked_title(self, text: str) -> Markup:
        """A title with inline code rendered and the matches highlighted."""
        return markdown.title(text, *MARKS)

    def parameter(self, name: str, default: str = "") -> str:
        """A query parameter."""
        return self.request.query_params.get(name, default)[:_LONGEST_PARAMETER]

    def parameters(self, name: str) -> list[str]:
        """All distinct values of a query parameter."""
        values = dict.fromkeys(self.request.query_params.getlist(name))
        return [value[:_LONGEST_PARAMETER] for value in values if value][:_MOST_VALUES]

    def number(self, name: str, default: int, *, most: int) -> int:
        """A query parameter as a number from 0 to `most`."""
        text = self.parameter(name)
        return min(int(text), most) if text.isascii() and text.isdigit() else default

    def path_part(self, name: str) -> str:
        """A path parameter."""
        return str(self.request.path_params[name])

    @property
    def fields(self) -> dict[str, str]:
        """The form, with the last value of each field."""
        return {name: values[-1] for name, values in self._read_form().items()}

    def values(self, name: str) -> list[str]:
        """All values of a form field."""
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
        """The value of a form field."""
        values = self.values(name)
        return values[-1] if values else default

    def json_body(self) -> dict[str, Any]:
        """The body as a JSON object."""
        try:
            value = json.loads(self.body or b"{}")
            json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate cannot be stored
        except (ValueError, RecursionError):
            raise InvalidInput("The body is not JSON.") from None
        if not isinstance(value, dict):
            raise InvalidInput("The body is not a JSON object.")
        return value

    def note(self) -> ReadNote:
        """The note that the path names."""
        read = self.note_or_none()
        if read is None:
            raise NoSuchNote(self.path_part("id")[:80])
        return read

    def note_or_none(self) -> ReadNote | None:
        """The note that the path names, if it is there."""
        return self.read(self.path_part("id"))

    def read(self, note_id: str) -> ReadNote | None:
        """A note by an id from a request; None if there is none or the id is not valid."""
        return show.find(self.store, note_id)

    def warning(self, note: Memory) -> str:
        """Why agents are not given a note unasked; empty if they are."""
        return warnings([note]).get(note.id, "")

    def note_filter(self) -> NoteFilter:
        """The filters in the query; a facet may be repeated."""
        state = self.parameter("state", "current")
        facets = {name: self.parameters(name) for name in FACETS}
        return NoteFilter(
            **{name: values[0] for name, values in facets.items() if values},
            session=self.parameter("session"),
            state=state if state in ("current", "superseded", "all") else "current",
            day=self.parameter("day"),
            review=PENDING if self.parameter("review") == PENDING else "",
            since=self.parameter("since")[:10],
            until=self.parameter("until")[:10],
            more=tuple((name, value) for name in FACETS for value in facets[name][1:]),
            without=tuple(
                (name, value) for name in FACETS for value in self.parameters(f"{NOT_PREFIX}{name}")
            ),
        )

    def address(self, **changes: str | int | Sequence[str] | None) -> str:
        """This page's address with some parameters changed; None removes a parameter."""
        pairs = self.request.query_params.multi_items()
        query = [pair for pair in pairs if pair[0] != "notice" and pair[0] not in changes]
        for key, value in changes.items():
            values = [str(value)] if isinstance(value, str | int) else value or ()
            query += [(key, each) for each in values]
        return self.request.url.path + (f"?{urlencode(query)}" if query else "")

    def page(self, template: str, *, status: int = 200, **context: Any) -> Response:
        """A page rendered from a template."""
        key = self.parameter("notice")
        html = self.dashboard.render(
            template,
            visit=self,
            path=self.request.url.path,
            nonce=self.request.state.nonce,
            notice=self.dashboard.notice(key) if key else None,
            **context,
        )
        return HTMLResponse(html, status)

    def json_response(self, value: object, *, status: int = 200) -> Response:
        """A response in JSON."""
        return JSONResponse(value, status)

    def redirect(self, address: str, notice: Notice | None = None) -> Response:
        """A redirect to another page, which shows the notice."""
        if notice is not None:
            page, hash_sign, fragment = address.partition("#")
            separator = "&" if "?" in page else "?"
            address = f"{page}{separator}notice={self.dashboard.remember(notice)}"
            address += hash_sign + fragment
        if self.request.headers.get("x-sent-by") == "script":
            return self.json_response(
                {"go": address}
            )  # the script keeps its page until this arrives
        return RedirectResponse(address, 303)

    def return_address(self, default: str) -> str:
        """The page that the form asks to return to, if it is one of the dashboard's own."""
        return own_address(self.value("back")) or default

    @property
    def is_fresh(self) -> bool:
        """Whether the browser signed in recently; scripts prove themselves with every request."""
        state = self.request.state
        return bool(state.by_script or (state.session and state.session.is_fresh))

    def require_fresh(self, subject: str) -> None:
        """Raise NeedsFreshLink unless the browser signed in recently."""
        if not self.is_fresh:
            raise NeedsFreshLink(subject)

    def confirm(self) -> None:
        """Use up the fresh link, just before the change that it was needed for."""
        if session := self.request.state.session:
            self.dashboard.keys.confirm(session)


def endpoint(page: PageFunction) -> Endpoint:
    """A page function as an ASGI endpoint: reads the body, then runs the function in a thread."""

    async def respond(request: Request) -> Response:
        body = await request.body() if request.method not in ("GET", "HEAD") else b""
        try:
            return await run_in_threadpool(page, Visit(request, body))
        except (AnamnesisError, HTTPException):
            raise
        except Exception as error:
            traceback.print_exc()
            raise UnexpectedError(error) from error

    return respond
