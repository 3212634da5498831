"""Syncing notes with other machines and indexing what changed, for every face."""

from __future__ import annotations

import os
import threading

from anamnesis import config
from anamnesis.anchors import standing
from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import record, replace
from anamnesis.hooks import background, runs
from anamnesis.sync import SyncBackend, SyncResult, SyncState
from anamnesis.sync.git import NETWORK_SECONDS, backend_of, backend_of_this_machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from anamnesis.config import Home
    from anamnesis.store import MemoryStore

__all__ = [
    "NETWORK_SECONDS", "KnownState", "SyncBackend", "SyncOutcome", "arrive", "backend_of",
    "clean_up", "exchange", "first_sync", "has_native_news", "import_native", "sync",
    "sync_memory", "sync_state",
]  # fmt: skip

_REFS = ("HEAD", "packed-refs", "refs/heads/main", "refs/remotes/origin/main")
_PATIENCE_SECONDS = 0.25  # for a store of some thousand notes this is always enough
_CACHE = "index"  # of git's own index, which measuring updates
_MANY = 500
_ARRIVAL_SECONDS = 10.0  # a session start is waiting, and its client gives up after 15


@record
class SyncOutcome:
    """What a sync did, and how many notes the index holds afterwards."""

    result: SyncResult
    indexed: int
    recovered: str = ""  # what was rolled back first, as a sentence

    def as_dict(self) -> dict[str, object]:
        """What a sync did, as a dictionary."""
        result = self.result
        return {
            "pushed": result.pushed,
            "pulled": result.pulled,
            "conflicted": result.conflicted,
            "sent": result.sent,
            "received": result.received,
            "head": result.head,
            "indexed": self.indexed,
            "detail": result.detail,
            "conflicts": list(result.conflicts),
            "changed": list(result.changed),
            "held_back": list(result.held_back),
            "offline": result.offline,
            "error": result.error,
            "hint": result.hint,
        }


def sync(
    backend: SyncBackend | None = None,
    *,
    store: MemoryStore | None = None,
    seconds: float = NETWORK_SECONDS,
    accept_deletions: bool = False,
) -> SyncOutcome:
    """Write a heartbeat, import Claude Code's memory, and sync.

    Without a backend, over the remote of this machine; `seconds` is what one exchange may take.
    Raises BrokenConfig.
    """
    config.require_readable()
    from anamnesis.operations.travel import fleet

    home = config.home_directory()
    recovered = _recover(home, store)
    if _is_arriving(home):
        backend = backend_of_this_machine(seconds=seconds, hurried=True)
    else:
        fleet.note_host(home)
        fleet.beat(home)
        if has_native_news(home):
            _with_store(store, import_native)
    backend = backend or backend_of_this_machine(seconds=seconds)
    done = exchange(backend, store=store, accept_deletions=accept_deletions)
    if done.result.conflicts and config.is_ephemeral():
        done = _with_both_versions(done, backend, store)
    fleet.make_name_unique(home)
    _look_at_code(home, store)
    return replace(done, recovered=recovered)


def _look_at_code(home: Home, store: MemoryStore | None) -> None:
    """Judge again what became of the code that notes speak of, in this directory's checkout."""
    if not standing.is_watched(home, "."):
        return
    from anamnesis.operations.notes import anchors

    _with_store(store, lambda opened: anchors.look(opened, directory="."))


def arrive(home: Home) -> None:
    """Fetch the notes for an ephemeral machine that has none; failures are reported elsewhere."""
    if not _is_arriving(home):
        return
    try:
        sync(seconds=_ARRIVAL_SECONDS)
    except AnamnesisError as error:
        runs.failed(home, "sync", error.message)


def _is_arriving(home: Home) -> bool:
    """Whether an ephemeral machine has not synced yet: it only fetches, and fast."""
    return config.is_ephemeral() and not runs.last_exchange(home).at


def _with_both_versions(
    done: SyncOutcome, backend: SyncBackend, store: MemoryStore | None
) -> SyncOutcome:
    """Keep the other version of a conflict as a second note: nobody will come back to choose."""
    from anamnesis.operations.travel import conflicts

    def keep(opened: MemoryStore) -> None:
        for id in done.result.conflicts:
            conflicts.resolve(opened, id, "both")

    _with_store(store, keep)
    return exchange(backend, store=store)


def first_sync() -> SyncOutcome:
    """Sync; a machine whose name is taken is renamed first."""
    from anamnesis.operations.travel import fleet

    home = config.home_directory()
    done = exchange(backend_of_this_machine())
    if fleet.make_name_unique(home) or fleet.beat(home):
        again = exchange(backend_of_this_machine())
        return again if again.result.error else done
    return done


def sync_state() -> SyncState:
    """The sync state of this machine; runs git, never the network."""
    return backend_of_this_machine().state()


class KnownState:
    """The sync state of one store; `contents` gives a value that changes with every note.

    Comparing 50,000 files with the last commit takes git a tenth of a second, and several pages
    need the result. So it is measured in the background: a caller waits a moment, then gets the
    previous state. `generation` counts how often the state has changed.
    """

    def __init__(self, home: Home, contents: Callable[[], str]) -> None:
        self._home = home
        self._contents = contents
        self.generation = 0
        self._starting = threading.Lock()
        self._measuring = threading.Lock()
        self._under_way: threading.Thread | None = None
        self._known: tuple[tuple[object, ...], SyncState] | None = None

    def __call__(self) -> SyncState:
        """The current state; while a large store is being compared, the previous one."""
        known = self._known
        if known is None or known[0] == self._seen():
            return self.measured()
        with self._starting:
            if self._under_way is None or not self._under_way.is_alive():
                self._under_way = threading.Thread(target=self.measured, daemon=True)
                self._under_way.start()
            under_way = self._under_way
        under_way.join(_PATIENCE_SECONDS)
        return self._known[1] if self._known else known[1]

    def measured(self) -> SyncState:
        """The current state, however long it takes."""
        with self._measuring:
            marks = self._seen()
            if self._known is None or self._known[0] != marks:
                before, now = self._known, sync_state()
                self._known = (marks, now)
                self.generation += before is None or before[1] != now
            return self._known[1]

    def _seen(self) -> tuple[object, ...]:
        return (self._contents(), *self._marks())

    def _marks(self) -> Iterator[tuple[object, ...]]:
        """Marks that change with a commit, a sync, a conflict or a new file of another program."""
        git = os.path.join(self._home.memory, ".git")
        own = os.path.join(git, "anamnesis")
        for folder in (self._home.memory, self._home.conflicts, own):
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else ()
            yield from (_mark(folder, name) for name in names if name not in (_CACHE, ".git"))
        yield _mark(self._home, "config.json")
        yield from (_mark(git, ref) for ref in _REFS)


def exchange(
    backend: SyncBackend, *, store: MemoryStore | None = None, accept_deletions: bool = False
) -> SyncOutcome:
    """Sync, index exactly the files that changed, and clean up what arrived.

    Without a store one is opened only if there is something to index: an exchange with nothing to
    do never changes the database.
    """
    from anamnesis.index import database
    from anamnesis.notes import tree
    from anamnesis.sync.git import GitSyncBackend

    if isinstance(backend, GitSyncBackend):
        backend.expect_deletions(_deleted_here)
    result = _reported(lambda: backend.sync(accept_deletions=accept_deletions))
    paths = tuple(dict.fromkeys((*result.changed, *result.committed)))
    if len(paths) > _MANY and config.is_ephemeral() and not store:
        background.start(["sync"] if result.unfinished else background.REINDEX)
    elif paths or tree.is_burial_due(config.home_directory()):
        _with_store(store, lambda opened: _follow(opened, paths, arrived=result.changed))
    worked = not (result.error or result.offline)
    home = config.home_directory()
    runs.note_exchange(home, worked=worked, changed=result.changed)
    return SyncOutcome(result, database.notes_in(home.index_db))


def sync_memory(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """Run one sync cycle, then update the index."""
    done = sync(backend, store=store)
    result = done.result
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": store.stats()["total"],
        "detail": "; ".join(filter(None, (done.recovered, result.detail))),
    }


def has_native_news(home: Home) -> bool:
    """Whether Claude Code's own memory is imported and has changed since the last time."""
    from anamnesis.importers import native

    return native.is_wanted() and native.changed(home)


def import_native(store: MemoryStore) -> None:
    """Import Claude Code's own memory; a failure does not stop the sync."""
    from anamnesis.operations.curate import native_memory

    try:
        native_memory.import_native(store)
    except AnamnesisError as error:
        did = f"Claude Code's memory was not imported: {error.message}"
        runs.note_run(store.home, "import", did=did, failed=True)


def clean_up(store: MemoryStore, arrived: Sequence[str] = ()) -> list[str]:
    """Remove notes that were forgotten on one machine and edited on another; returns their ids.

    Where recall uses vectors, those of the notes that arrived are made in the background.
    """
    from anamnesis.notes import tree

    buried: list[str] = []
    if tree.is_burial_due(store.home) or tree.forgotten(store.home):
        from anamnesis.operations.curate import forget

        buried = forget.bury(store)
    if arrived:
        from anamnesis.operations.curate import native_memory

        native_memory.fold_pairs(store)
    if len(arrived) > _MANY:
        from anamnesis.operations.machine import index

        index.complete(store)
    if config.encoder_is_on():
        from anamnesis.operations.machine import embed

        embed.keep_up(store.home)
    return buried


def _recover(home: Home, store: MemoryStore | None) -> str:
    """Roll back a change that was killed half-way, so that half of it is not synced."""
    from anamnesis.history.units import Units

    units = Units(home)
    units.prune()
    if not units.has_unfinished():
        return ""
    from anamnesis.history import undo

    sentences: list[str] = []
    _with_store(store, lambda opened: sentences.append(undo.recovery(undo.recover(opened))))
    return sentences[0]


def _deleted_here() -> set[str]:
    """The files that commands removed on this machine: those deletes were meant."""
    from anamnesis.history.units import Units

    return Units(config.home_directory()).deleted_here()


def _reported(sync: Callable[[], SyncResult]) -> SyncResult:
    """The outcome of a sync; a failure is reported by the next session."""
    home = config.home_directory()
    try:
        with runs.Watched(home, "sync"):
            result = sync()
    except Exception:
        runs.note_exchange(home, worked=False)
        raise
    if result.error:
        runs.failed(home, "sync", result.error)
    elif not result.offline:
        runs.worked(home, "sync")
    return result


def _follow(store: MemoryStore, paths: Sequence[str], *, arrived: Sequence[str]) -> None:
    """Index what changed, including manual edits; for very many files a diff is cheaper."""
    if len(paths) > _MANY:
        store.refresh()
    else:
        store.refresh_paths([path for path in paths if path.endswith(".md")])
    clean_up(store, arrived)


def _with_store(store: MemoryStore | None, work: Callable[[MemoryStore], object]) -> None:
    if store is not None:
        work(store)
        return
    from anamnesis.store import MemoryStore

    with MemoryStore(config.home_directory()) as opened:
        work(opened)


def _mark(folder: str, name: str) -> tuple[object, ...]:
    try:
        status = os.stat(os.path.join(folder, name))
    except OSError:
        return (name,)
    return (name, status.st_mtime_ns, status.st_size, status.st_ino)
