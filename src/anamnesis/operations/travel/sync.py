"""Exchange notes with the other machines, and let the index follow: the same for every face."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.hooks import runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anamnesis.ground.home import Home
    from anamnesis.store import MemoryStore
    from anamnesis.sync.backend import SyncBackend, SyncResult

    Importer = Callable[[MemoryStore], object]  # takes notes of another program into the store
    Caretaker = Callable[[MemoryStore, Sequence[str]], object]  # looks after what arrived

_MANY = 500


@dataclass(frozen=True, slots=True)
class Synchronised:
    """What a sync did, and how many files the index took in."""

    result: SyncResult
    indexed: int
    recovered: str = ""  # what was rolled back first, as a sentence


def exchange(
    backend: SyncBackend, *, store: MemoryStore | None = None, accept_deletions: bool = False
) -> Synchronised:
    """Leave a heartbeat, import other memories, exchange notes, look after what arrived."""
    from anamnesis.operations.curate import upkeep
    from anamnesis.operations.travel import fleet

    home = config.home_directory()
    recovered = _recover(home, store)
    fleet.beat(home)
    done = synchronise(
        backend,
        store=store,
        importers=upkeep.before_sync(home),
        afterwards=[upkeep.after_sync],
        accept_deletions=accept_deletions,
    )
    fleet.settle_name(home)
    return replace(done, recovered=recovered)


def _recover(home: Home, store: MemoryStore | None) -> str:
    """Roll back a change that was killed half-way: half of it must not travel."""
    from anamnesis.history import units

    units.prune(home)
    if not units.has_unfinished(home):
        return ""
    from anamnesis.history import undo

    said: list[str] = []
    _with_store(store, lambda opened: said.append(undo.recovery(undo.recover(opened))))
    return said[0]


def sync_memory(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """Run one sync cycle, then make the index say what the files say."""
    done = exchange(backend, store=store)
    result = done.result
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": store.stats()["total"],
        "detail": "; ".join(filter(None, (done.recovered, result.detail))),
    }


def synchronise(
    backend: SyncBackend,
    *,
    store: MemoryStore | None = None,
    importers: Sequence[Importer] = (),
    afterwards: Sequence[Caretaker] = (),
    accept_deletions: bool = False,
) -> Synchronised:
    """Import, sync, index exactly the files that changed, then look after what arrived.

    Without a store one is opened only if there is something to write or to index: a sync with
    nothing to do never touches the database.
    """
    if importers:
        _with_store(store, lambda opened: [take_in(opened) for take_in in importers])
    result = _watched(lambda: backend.sync(accept_deletions=accept_deletions))
    paths = tuple(dict.fromkeys((*result.changed, *result.committed)))
    if paths:
        _with_store(store, lambda opened: _index(opened, paths))
    if paths and afterwards:
        _with_store(store, lambda opened: [look(opened, result.changed) for look in afterwards])
    return Synchronised(result, len(paths))


def _watched(sync: Callable[[], SyncResult]) -> SyncResult:
    """The outcome of a sync, remembered where the next session is told of a failure."""
    home = config.home_directory()
    with runs.watched(home, "sync"):
        result = sync()
    if result.error:
        runs.failed(home, "sync", result.error)
    elif not result.offline:
        runs.worked(home, "sync")
    return result


def _index(store: MemoryStore, paths: Sequence[str]) -> None:
    """Take in what changed, edits by hand included; for very many files a diff is cheaper."""
    if len(paths) > _MANY:
        store.refresh()
    else:
        store.refresh_paths([path for path in paths if path.endswith(".md")])


def _with_store(store: MemoryStore | None, work: Callable[[MemoryStore], object]) -> None:
    if store is not None:
        work(store)
        return
    from anamnesis.store import MemoryStore

    with MemoryStore(config.home_directory()) as opened:
        work(opened)
