"""What a health check is, what it finds, and where findings are shown.

`operations/care/status.py` has the list; the checks themselves are in the modules beside this one.
"""

from __future__ import annotations

import os

from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from anamnesis.config import Home
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncState

OK, WARNING, FAILED = "ok", "warning", "failed"

DOCTOR = "doctor"
STATUS = "status"
DASHBOARD = "dashboard"
TOOL = "memory_status"
SESSION = "session start"
# The faces that show findings unasked, apart from the first lines of a session.
GLANCES = frozenset({DOCTOR, STATUS, DASHBOARD, TOOL})


@record
class Finding:
    """A finding of a check: the same name, sentence and remedy wherever it is shown."""

    name: str
    severity: str  # OK, WARNING or FAILED
    sentence: str  # begins in lower case and has no full stop, as in `git: not on PATH`
    remedy: str = ""  # a command that can be pasted; words only where no command helps
    fix: Callable[[], object] | None = None  # what `doctor --fix` does

    @property
    def is_ok(self) -> bool:
        """Whether there is nothing to do."""
        return self.severity == OK

    def as_dict(self) -> dict[str, object]:
        """The finding as a dictionary."""
        names = ("name", "severity", "sentence", "remedy")
        return {name: getattr(self, name) for name in names}


@record
class Check:
    """One row of the list: what it is about, how to look, and the faces that show it."""

    name: str
    look: Callable[[Subject], Iterable[Finding]]
    faces: frozenset[str]
    needs_store: bool = True  # the check would create a missing store
    needs_index: bool = False  # skipped at a session start without an index
    daily: bool = False  # a session is told of it once a day


class Subject:
    """The home to check; what several checks need is looked up once."""

    def __init__(
        self,
        home: Home,
        *,
        store: MemoryStore | None = None,
        state: Callable[[], SyncState] | None = None,
        cwd: str = ".",
    ) -> None:
        self.home = home
        self.cwd = cwd
        self._store = store
        self._opened: MemoryStore | None = None
        self._closed: AnamnesisError | None = None
        self._state = state
        self._sync: SyncState | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._opened is not None:
            self._opened.close()

    @property
    def exists(self) -> bool:
        """Whether there is a home at all."""
        return os.path.isdir(self.home)

    @property
    def looks_beside(self) -> bool:
        """Whether the store at hand has the notes of a repository, so that they are trusted."""
        return self._store is not None and self._store.beside is not None

    @property
    def store(self) -> MemoryStore:
        """The store, opened and refreshed unless one was passed in. Raises AnamnesisError."""
        if self._closed is not None:
            raise self._closed  # wait for a busy store once, not in every check
        if self._store is None:
            try:
                self._store = self._opened = _refreshed(self.home)
            except AnamnesisError as error:
                self._closed = error
                raise
        return self._store

    @property
    def sync(self) -> SyncState:
        """The sync state of this machine; runs git, never the network."""
        if self._sync is None:
            from anamnesis.sync.git import backend_of_this_machine

            self._sync = (self._state or backend_of_this_machine().state)()
        return self._sync

    @property
    def not_synced(self) -> list[str]:
        """`path: reason` of files that are not synced, without unreadable ones."""
        unreadable = tuple(f"{found.path}: " for found in self.store.unreadable())
        return [line for line in self.sync.held_back if not f"memory/{line}".startswith(unreadable)]


def examined(subject: Subject, checks: Iterable[Check], *, face: str) -> Iterator[Finding]:
    """The findings of a face's checks; a check that breaks is a finding and hides no other."""
    broken = set()  # a store that cannot be opened stops several checks but is reported once
    for check in checks:
        if face not in check.faces or (check.needs_store and not subject.exists):
            continue
        try:
            yield from check.look(subject)
        except AnamnesisError as error:
            if error.message not in broken:
                broken.add(error.message)
                yield failure(check.name, error)


def _refreshed(home: Home) -> MemoryStore:
    from anamnesis.store import MemoryStore

    store = MemoryStore(home)
    store.refresh()
    return store


def failure(name: str, error: AnamnesisError) -> Finding:
    """An error as a finding."""
    return Finding(name, FAILED, error.message.removesuffix("."), error.hint)
