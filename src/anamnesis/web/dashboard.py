"""What all pages share: the store, notices of what was just done, and the templates."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from anamnesis import __version__
from anamnesis.config import resolve_machine_id
from anamnesis.ground.errors import StoreBusy
from anamnesis.operations.machine import index
from anamnesis.operations.notes import history, undo
from anamnesis.operations.notes.browse import NoteCounts
from anamnesis.operations.notes.list import NoteFilter
from anamnesis.operations.notes.search import search
from anamnesis.operations.travel.sync import KnownState
from anamnesis.web import markdown, navigation, words
from anamnesis.web.jobs import Jobs
from anamnesis.web.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.config import Home
    from anamnesis.store import MemoryStore
    from anamnesis.web.security import Keys

HERE = Path(__file__).parent
_NOTICES = 50  # of the latest acts
_THOROUGH_SECONDS = 20.0  # edits in place are found by looking at every file
_REST = 400  # a look at every file may take this part of the time: 0.25 % of a core


@dataclass(frozen=True, slots=True)
class Notice:
    """What was just done, and the unit that takes it back, if there is one."""

    text: str
    tone: str = "done"  # or trouble
    unit: str = ""
    links: tuple[tuple[str, str], ...] = ()  # names and addresses of what it speaks of


def notice_of(unit: undo.Unit | None, text: str, *, tone: str = "done") -> Notice:
    """The notice of what a unit did."""
    return Notice(text, tone, unit.id if unit else "")


class Dashboard:
    """One store behind one server."""

    def __init__(
        self, store: MemoryStore, *, keys: Keys, cookie: str = "anamnesis", project: str = ""
    ) -> None:
        self.store = store
        self.keys = keys
        self.cookie = cookie
        self.project = project  # that it was started in
        self.link: Callable[..., str] = lambda **_: ""  # the server knows its addresses
        self.machine = resolve_machine_id()
        self.counts = NoteCounts(store)
        self.sync_state = KnownState(store.home, self.counts.version)
        self.recorder = Recorder(store)
        self.jobs = Jobs()
        self._next_look = time.monotonic() + _THOROUGH_SECONDS
        self._templates = _environment()
        self._notices: OrderedDict[str, Notice] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def home(self) -> Home:
        """The folder of the store."""
        return self.store.home

    def draw(self, template: str, **context: Any) -> str:
        """A page as HTML."""
        return self._templates.get_template(template).render(machine=self.machine, **context)

    def prepare(self) -> None:
        """Compile the pages that are opened first."""
        for name in ("base.html", "parts.html", "pulse.html", "notes.html", "notes_results.html"):
            self._templates.get_template(name)

    def warm(self) -> None:
        """Count what the first page needs and load what a search needs, while the browser opens."""
        undo.roll_back(self.store, wait=False)
        self.counts.facets(NoteFilter())
        search(self.store, "notes", limit=1)
        with suppress(OSError):  # no git: then there is no history to look at either
            history.prepare(self.home)
            self.sync_state()
            history.look_ahead(self.home)

    def look_ahead(self, start: str) -> None:
        """Look at the next page of the history while somebody reads this one."""
        ahead = threading.Thread(target=history.look_ahead, args=(self.home, start), daemon=True)
        ahead.start()

    def refresh(self) -> None:
        """Index what other programs did; edits in place from time to time, however many ask."""
        with self._lock:
            thorough = time.monotonic() >= self._next_look
            if thorough:
                self._next_look = time.monotonic() + _THOROUGH_SECONDS
        if not thorough:
            index.notice_changes(self.store)
            return
        start = time.thread_time()
        with suppress(StoreBusy):  # then whoever is at work indexes them
            index.refresh(self.store)
        pause = max(_THOROUGH_SECONDS, _REST * (time.thread_time() - start))
        self._next_look = time.monotonic() + pause

    def remember(self, notice: Notice) -> str:
        """Keep a notice for the page that is shown next; gives its key."""
        key = notice.unit or secrets.token_urlsafe(9)
        with self._lock:
            self._notices[key] = notice
            while len(self._notices) > _NOTICES:
                self._notices.popitem(last=False)
        return key

    def notice(self, key: str) -> Notice | None:
        """A notice that was kept; of what can be undone also by an earlier server."""
        known = self._notices.get(key)
        if known is not None and not known.unit:
            return known
        unit = undo.unit_of(self.home, key)
        return None if unit is None else known or notice_of(unit, f"{unit.summary}.")


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        menu=navigation.MENU, version=__version__, asset=_asset, plural=words.plural
    )
    environment.filters.update(
        ago=words.ago,
        day=words.day,
        moment=words.moment,
        number=words.number,
        plain=words.plain,
        timestamp=words.timestamp,
        title_html=markdown.title,
    )
    return environment


def _asset(name: str) -> str:
    """The address of a static file, different after each change so that it can be cached."""
    return f"/static/{name}?v={_stamp(name)}"


def _stamp(name: str) -> str:
    status = (HERE / "static" / name).stat()
    return f"{status.st_mtime_ns:x}{status.st_size:x}"
