"""What all pages share: the store, the menu, notices, templates, and work beside the pages."""

from __future__ import annotations

import secrets
import threading
import time
import traceback
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from anamnesis import __version__
from anamnesis.config import resolve_machine_id
from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.operations.machine import index
from anamnesis.operations.notes import history, undo
from anamnesis.operations.notes.browse import NoteCounts
from anamnesis.operations.notes.list import NoteFilter
from anamnesis.operations.notes.search import search
from anamnesis.operations.travel.sync import KnownState
from anamnesis.web import markdown, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.config import Home
    from anamnesis.store import MemoryStore
    from anamnesis.web.security import Keys

    Work = Callable[[Callable[[int, int], None]], Any]

HERE = Path(__file__).parent
_NOTICES = 50  # of the latest acts
_JOBS = 20  # that are over and may still be asked for
_THOROUGH_SECONDS = 20.0  # edits in place are found by looking at every file
_RECORD_SECONDS = 0.7  # tagging ten notes in a row makes one version
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


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One page of the menu."""

    name: str
    address: str
    key: str  # after g
    icon: str  # the path of a 16 x 16 drawing
    below: str = ""  # how addresses of its single things begin, where not with its own


@dataclass(frozen=True, slots=True)
class Act:
    """Something that the command palette does: a page to open, or a form to send."""

    name: str
    address: str
    fields: tuple[tuple[str, str], ...] | None = None  # of the form; None: only a page to open


_PULSE = "M1 8h3l2-5 3.5 10L12 8h3"
_NOTES = "M3 2h7l3 3v9H3zM10 2v3h3M5.5 8h5M5.5 11h5"
_REVIEW = "M2.5 8.5 6 12l7.5-8M2 3h6M2 5.5h3"
_TIDY = "M2 4h8v9H2zM6 4V2h8v9h-4M4.5 7h3M4.5 10h3"
_TIMELINE = "M2 3h12v11H2zM2 6.5h12M5 1.5v3M11 1.5v3M5 9.5h1M8 9.5h1M11 9.5h.5"
_SESSIONS = "M2 2.5h9v6H6l-2.5 2V8.5H2zM13 5.5h1v6h-1.5v2l-2.5-2H7"
_MAP = "M8 8 3.5 4M8 8l4.5-3M8 8l-3 5M8 8l5 4M8 6.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3"
_HISTORY = "M8 4v4l3 2M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2 6M2 2.5V6h3.5"
_CONFLICTS = "M5 2v6a3 3 0 0 0 3 3M11 2v6a3 3 0 0 1-3 3v3M3 4l2-2 2 2M9 4l2-2 2 2"
_FLEET = "M2 3h12v6H2zM5 13h6M8 9v4"
_INJECTION = "M8 1.5v9M4.5 7 8 10.5 11.5 7M2 12v2.5h12V12"
_RECALL = "M6 2h4M7 2v4L2.5 13.5h11L9 6V2M4.8 10h6.4"
_SETTINGS = "M2 4h7M12 4h2M2 8h2M7 8h7M2 12h6M11 12h3M9 2.5v3M5.5 6.5v3M9.5 10.5v3"

MENU = (
    MenuEntry("Pulse", "/", "p", _PULSE),
    MenuEntry("Notes", "/notes", "n", _NOTES),
    MenuEntry("Review", "/review", "v", _REVIEW),
    MenuEntry("Tidy", "/tidy", "d", _TIDY),
    MenuEntry("History", "/history", "h", _HISTORY),
    MenuEntry("Conflicts", "/conflicts", "c", _CONFLICTS),
    MenuEntry("Fleet", "/fleet", "f", _FLEET),
    MenuEntry("Injection", "/injection", "i", _INJECTION),
    MenuEntry("Recall lab", "/recall", "r", _RECALL),
    MenuEntry("Timeline", "/timeline", "t", _TIMELINE),
    MenuEntry("Sessions", "/sessions", "w", _SESSIONS, below="/session/"),
    MenuEntry("Map", "/map", "m", _MAP),
    MenuEntry("Settings", "/settings", "s", _SETTINGS),
)

ACTS = (
    Act("Write a new note", "/new"),
    Act("Sync now", "/sync", ()),
    Act("Undo the latest change", "/undo", (("latest", "1"),)),
    Act("Reflect on sessions now", "/reflect", ()),
    Act("Look for duplicates", "/tidy", (("view", "duplicates"),)),
    Act("Run every check of doctor", "/settings?doctor=1"),
    Act("Fix what doctor found", "/fix", ()),
    Act("Sign out", "/settings#sessions"),
)

NOTE_VIEWS = (("", "Read"), ("/source", "Source"), ("/history", "History"))


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
        for name in self._templates.list_templates():
            self._templates.get_template(name)
        self.counts.overview()
        with suppress(OSError):  # no git: then there is no history to look at either
            history.prepare(self.home)
            self.sync_state.measured()
            history.look_ahead(self.home)
            history.standings(self.home)

    def look_ahead(self, ahead: list[history.Version]) -> None:
        """Prepare the next page of the history while you read this one."""
        if ahead:
            threading.Thread(
                target=history.look_ahead, args=(self.home, ahead), daemon=True
            ).start()

    def refresh(self) -> None:
        """Index what other programs did; edits in place from time to time, however many ask."""
        with self._lock:
            thorough = time.monotonic() >= self._next_look
            if thorough:
                self._next_look = time.monotonic() + _THOROUGH_SECONDS
        if thorough:
            self.look()
        else:
            index.notice_changes(self.store)

    def look(self) -> None:
        """Compare every file with the index, and rest for so long that it costs little."""
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


class Recorder:
    """Commits saved notes to the local history, a moment later and once for several saves.

    `trouble` says why the last time failed.
    """

    def __init__(self, store: MemoryStore) -> None:
        self.trouble = ""
        self._store = store
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._at_work = threading.Lock()

    def soon(self) -> None:
        """Record shortly; further changes until then come along."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(_RECORD_SECONDS, self._record)
                self._timer.daemon = True
                self._timer.start()

    def now(self) -> None:
        """Record what waits, before the history is shown, a sync, or the end of the server."""
        if (timer := self._timer) is not None:
            timer.cancel()
        self._record()

    def _record(self) -> None:
        with self._at_work:  # one at a time; who comes second finds that nothing waits any more
            with self._lock:
                waiting, self._timer = self._timer, None
            if waiting is None:
                return
            try:
                history.record_changes(self._store)
                self.trouble = ""
            except StoreBusy:
                self.soon()  # a sync is at work; it may have seen the files before the last save
            except AnamnesisError as error:
                self.trouble = error.message
            except OSError as error:  # in a thread of its own: nothing would show it
                self.trouble = f"Not recorded in the history: {error}."


class Unforeseen(AnamnesisError):
    """A bug: the page says where to read about it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"The dashboard could not do this ({type(error).__name__}).",
            hint="What went wrong is in the terminal that it runs in. The other pages still work.",
        )


@dataclass(slots=True)
class Job:
    """One piece of work, and how far it is."""

    title: str
    back: str | Callable[[], str]  # the page to show with the notice; found when it is over
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    done: int = 0
    total: int = 0  # 0: unknown
    notice: Any = None  # what came of it, once it is over
    error: AnamnesisError | None = None  # or why it failed
    over: threading.Event = field(default_factory=threading.Event)

    def advance(self, done: int, total: int) -> None:
        """Say how far it is."""
        self.done, self.total = done, total

    @property
    def address(self) -> str:
        """The page to show with the notice."""
        return self.back if isinstance(self.back, str) else self.back()


class Jobs:
    """The latest pieces of work of one server."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}  # what was looked for last, by the name of its view
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(
        self, title: str, work: Work, *, back: str | Callable[[], str], once: bool = True
    ) -> Job:
        """Start a piece of work; if it is to run `once` at a time and does already, gives that."""
        with self._lock:
            for other in self._jobs.values():
                if once and other.title == title and not other.over.is_set():
                    return other
            job = Job(title, back)
            self._jobs[job.id] = job
            over = [each.id for each in self._jobs.values() if each.over.is_set()]
            for id in over[: max(0, len(self._jobs) - _JOBS)]:
                del self._jobs[id]
        threading.Thread(target=_carry_out, args=(job, work), daemon=True).start()
        return job

    def get(self, id: str) -> Job | None:
        """The piece of work with this id."""
        return self._jobs.get(id)


def _carry_out(job: Job, work: Work) -> None:
    try:
        job.notice = work(job.advance)
    except AnamnesisError as error:
        job.error = error
    except Exception as error:  # noqa: BLE001  in a thread of its own, nobody else would say it
        traceback.print_exc()
        job.error = Unforeseen(error)
    job.over.set()


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(menu=MENU, version=__version__, asset=_asset, plural=words.plural)
    environment.filters.update(
        ago=words.ago,
        day=words.day,
        moment=words.moment,
        number=words.number,
        plain=words.plain,
        timestamp=words.timestamp,
        title_html=markdown.title,
        visible=markdown.visible,
    )
    return environment


def _asset(name: str) -> str:
    """The address of a static file, different after each change so that it can be cached."""
    return f"/static/{name}?v={_stamp(name)}"


def _stamp(name: str) -> str:
    status = (HERE / "static" / name).stat()
    return f"{status.st_mtime_ns:x}{status.st_size:x}"
