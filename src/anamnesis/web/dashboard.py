"""What all pages share: the store, the menu, notices, templates and background jobs."""

from __future__ import annotations

import functools
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
from anamnesis.notes.source import source_in_words
from anamnesis.operations.machine import index
from anamnesis.operations.notes import history, undo
from anamnesis.operations.notes.browse import NoteCounts
from anamnesis.operations.notes.list import NoteFilter
from anamnesis.operations.notes.search import search
from anamnesis.operations.travel.sync import KnownState
from anamnesis.web import formatting, markdown
from anamnesis.web.drafts import Drafts

if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.config import Home
    from anamnesis.store import MemoryStore
    from anamnesis.web.security import Keys

    Work = Callable[[Callable[[int, int], None]], Any]

HERE = Path(__file__).parent
_NOTICES = 50  # notices of the latest actions to keep
_JOBS = 20  # jobs to keep, so that pages can ask for the result
_FULL_REFRESH_SECONDS = 20.0  # edits in place are found only by checking every file
_RECORD_SECONDS = 0.7  # so that tagging ten notes in a row makes one version
_REST_FACTOR = 400  # rest this many times as long as a full refresh took: 0.25 % of a core


@dataclass(frozen=True, slots=True)
class Notice:
    """A message about what was just done, with the unit that undoes it, if there is one."""

    text: str
    tone: str = "done"  # or trouble
    unit: str = ""
    links: tuple[tuple[str, str], ...] = ()  # labels and addresses


def notice_of(unit: undo.Unit | None, text: str, *, tone: str = "done") -> Notice:
    """A notice about a change that can be undone."""
    return Notice(text, tone, unit.id if unit else "")


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One page in the menu."""

    name: str
    address: str
    key: str  # pressed after g
    icon: str  # an SVG path in a 16 x 16 box
    detail_prefix: str = ""  # of the addresses of its detail pages, if not its own address


@dataclass(frozen=True, slots=True)
class PaletteAction:
    """An action in the command palette: opens a page, or submits a form."""

    name: str
    address: str
    fields: tuple[tuple[str, str], ...] | None = None  # form fields; None opens the page instead


_PULSE = "M1 8h3l2-5 3.5 10L12 8h3"
_NOTES = "M3 2h7l3 3v9H3zM10 2v3h3M5.5 8h5M5.5 11h5"
_REVIEW = "M2.5 8.5 6 12l7.5-8M2 3h6M2 5.5h3"
_TIDY = "M2 4h8v9H2zM6 4V2h8v9h-4M4.5 7h3M4.5 10h3"
_TIMELINE = "M2 3h12v11H2zM2 6.5h12M5 1.5v3M11 1.5v3M5 9.5h1M8 9.5h1M11 9.5h.5"
_SESSIONS = "M2 2.5h9v6H6l-2.5 2V8.5H2zM13 5.5h1v6h-1.5v2l-2.5-2H7"
_HISTORY = "M8 4v4l3 2M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2 6M2 2.5V6h3.5"
_CONFLICTS = "M5 2v6a3 3 0 0 0 3 3M11 2v6a3 3 0 0 1-3 3v3M3 4l2-2 2 2M9 4l2-2 2 2"
_FLEET = "M2 3h12v6H2zM5 13h6M8 9v4"
_INJECTION = "M8 1.5v9M4.5 7 8 10.5 11.5 7M2 12v2.5h12V12"
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
    MenuEntry("Timeline", "/timeline", "t", _TIMELINE),
    MenuEntry("Sessions", "/sessions", "w", _SESSIONS, detail_prefix="/session/"),
    MenuEntry("Settings", "/settings", "s", _SETTINGS),
)

PALETTE_ACTIONS = (
    PaletteAction("Write a new note", "/new"),
    PaletteAction("Sync now", "/sync", ()),
    PaletteAction("Undo the latest change", "/undo", (("latest", "1"),)),
    PaletteAction("Reflect on sessions now", "/reflect", ()),
    PaletteAction("Look for duplicates", "/tidy", (("view", "duplicates"),)),
    PaletteAction("Run all checks of doctor", "/settings?doctor=1"),
    PaletteAction("Fix what doctor found", "/fix", ()),
    PaletteAction("Notes that the repository carries", "/repository"),
    PaletteAction("Sign out", "/settings#sessions"),
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
        self.project = project  # the project that it was started in
        self.link: Callable[..., str] = lambda **_: (
            ""
        )  # set by the server, which knows its addresses
        self.machine = resolve_machine_id()
        self.counts = NoteCounts(store)
        self.sync_state = KnownState(store.home, self.counts.version)
        self.recorder = Recorder(store)
        self.jobs = Jobs()
        self.drafts = Drafts(store.home)
        self._appearance_file = store.home.state_file("appearance.json")
        self.appearance = self._appearance_file.record()
        self.draft_key = secrets.token_urlsafe(32)  # of the pages of this start, see drafts
        self._next_full_refresh = time.monotonic() + _FULL_REFRESH_SECONDS
        self._templates = _environment()
        self._notices: OrderedDict[str, Notice] = OrderedDict()
        self._lock = threading.Lock()

    def set_appearance(self, name: str, value: str) -> None:
        """Save one setting of the appearance: as a cookie, it would end with the host name."""
        self.appearance[name] = value
        self._appearance_file.write(self.appearance)

    @property
    def home(self) -> Home:
        """The folder of the store."""
        return self.store.home

    def render(self, template: str, **context: Any) -> str:
        """A template rendered to HTML."""
        return self._templates.get_template(template).render(machine=self.machine, **context)

    def prepare(self) -> None:
        """Compile the templates of the pages that are opened first."""
        for name in ("base.html", "parts.html", "pulse.html", "notes.html", "notes_results.html"):
            self._templates.get_template(name)

    def warm(self) -> None:
        """Fill the caches for the first page and the first search while the browser opens."""
        undo.roll_back(self.store, wait=False)
        self.counts.facets(NoteFilter())
        search(self.store, "notes", limit=1)
        for name in self._templates.list_templates():
            self._templates.get_template(name)
        with suppress(OSError):  # without git there is no history to prefetch
            history.prepare(self.home)
            self.sync_state.measured()
            history.look_ahead(self.home)
            history.standings(self.home)

    def look_ahead(self, versions: list[history.Version]) -> None:
        """Prefetch the next page of the history in the background."""
        if versions:
            threading.Thread(
                target=history.look_ahead, args=(self.home, versions), daemon=True
            ).start()

    def refresh(self) -> None:
        """Index what other programs changed; edits in place are looked for at intervals only."""
        with self._lock:
            is_due = time.monotonic() >= self._next_full_refresh
            if is_due:
                self._next_full_refresh = time.monotonic() + _FULL_REFRESH_SECONDS
        if is_due:
            self.refresh_fully()
        else:
            index.notice_changes(self.store)

    def refresh_fully(self) -> None:
        """Compare every file with the index, then wait long enough that it costs little."""
        start = time.thread_time()
        with suppress(StoreBusy):  # whoever holds the store indexes them
            index.refresh(self.store)
        pause = max(_FULL_REFRESH_SECONDS, _REST_FACTOR * (time.thread_time() - start))
        self._next_full_refresh = time.monotonic() + pause

    def remember(self, notice: Notice) -> str:
        """Keep a notice for the next page; returns its key."""
        key = notice.unit or secrets.token_urlsafe(9)
        with self._lock:
            self._notices[key] = notice
            while len(self._notices) > _NOTICES:
                self._notices.popitem(last=False)
        return key

    def notice(self, key: str) -> Notice | None:
        """A notice by its key; a change that can be undone has one even after a restart."""
        notice = self._notices.get(key)
        if notice is not None and not notice.unit:
            return notice
        unit = undo.unit_of(self.home, key)
        return None if unit is None else notice or notice_of(unit, f"{unit.summary}.")


class Recorder:
    """Commits saved notes to the local history shortly after, several saves in one commit.

    `last_error` says why the last attempt failed.
    """

    def __init__(self, store: MemoryStore) -> None:
        self.last_error = ""
        self._store = store
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._recording = threading.Lock()

    def schedule(self) -> None:
        """Record in a moment, together with any changes made until then."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(_RECORD_SECONDS, self._record)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> None:
        """Record what is scheduled: before the history is shown, a sync, or the server stops."""
        if (timer := self._timer) is not None:
            timer.cancel()
        self._record()

    def _record(self) -> None:
        with self._recording:  # one at a time; the second finds nothing left to record
            with self._lock:
                timer, self._timer = self._timer, None
            if timer is None:
                return
            try:
                history.record_changes(self._store)
                self.last_error = ""
            except StoreBusy:
                self.schedule()  # a running sync may have read the files before the last save
            except AnamnesisError as error:
                self.last_error = error.message
            except OSError as error:  # nothing else would report it from this thread
                self.last_error = f"Not recorded in the history: {error}."


class UnexpectedError(AnamnesisError):
    """A bug; the page says where to find the traceback."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"The dashboard could not do this ({type(error).__name__}).",
            hint="The terminal that it runs in shows the error. The other pages still work.",
        )


@dataclass(slots=True)
class Job:
    """A background job and its progress."""

    title: str
    back: (
        str | Callable[[], str]
    )  # the page to return to; a function is called when the job is done
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    done: int = 0
    total: int = 0  # 0: unknown
    notice: Any = None  # the outcome, once it is finished
    error: AnamnesisError | None = None  # or why it failed
    finished: threading.Event = field(default_factory=threading.Event)

    def advance(self, done: int, total: int) -> None:
        """Report progress."""
        self.done, self.total = done, total

    @property
    def address(self) -> str:
        """The page to return to, which shows the notice."""
        return self.back if isinstance(self.back, str) else self.back()


class Jobs:
    """The latest background jobs of one server."""

    def __init__(self) -> None:
        self.results: dict[str, Any] = {}  # what jobs left for pages, by the name of the page
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(
        self, title: str, work: Work, *, back: str | Callable[[], str], once: bool = True
    ) -> Job:
        """Start a job, or return the running one of this title unless `once` is False."""
        with self._lock:
            for other in self._jobs.values():
                if once and other.title == title and not other.finished.is_set():
                    return other
            job = Job(title, back)
            self._jobs[job.id] = job
            finished = [job.id for job in self._jobs.values() if job.finished.is_set()]
            for id in finished[: max(0, len(self._jobs) - _JOBS)]:
                del self._jobs[id]
        threading.Thread(target=_run, args=(job, work), daemon=True).start()
        return job

    def get(self, id: str) -> Job | None:
        """The job with this id."""
        return self._jobs.get(id)


def _run(job: Job, work: Work) -> None:
    try:
        job.notice = work(job.advance)
    except AnamnesisError as error:
        job.error = error
    except Exception as error:  # noqa: BLE001  nothing else would report it from this thread
        traceback.print_exc()
        job.error = UnexpectedError(error)
    job.finished.set()


@functools.cache  # compiling all templates takes a second
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        menu=MENU, version=__version__, asset=_asset, plural=formatting.plural
    )
    environment.filters.update(
        ago=formatting.ago,
        day=formatting.day,
        moment=formatting.moment,
        number=formatting.number,
        plain=formatting.plain,
        source=source_in_words,
        timestamp=formatting.timestamp,
        title_html=markdown.title,
        visible=markdown.visible,
    )
    return environment


def _asset(name: str) -> str:
    """The address of a static file; it changes with the file, so that browsers can cache it."""
    return f"/static/{name}?v={_stamp(name)}"


def _stamp(name: str) -> str:
    status = (HERE / "static" / name).stat()
    return f"{status.st_mtime_ns:x}{status.st_size:x}"
