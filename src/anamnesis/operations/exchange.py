"""A sync as every surface does it: the command, the hook, the tool and the dashboard."""

from __future__ import annotations

from anamnesis import config
from anamnesis.operations import fleet, upkeep
from anamnesis.operations.synchronise import Synchronised, synchronise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore
    from anamnesis.sync.backend import SyncBackend


def exchange(
    backend: SyncBackend, *, store: MemoryStore | None = None, accept_deletions: bool = False
) -> Synchronised:
    """Leave a sign of life, take in other memories, exchange notes, look after what arrived."""
    home = config.home_directory()
    fleet.beat(home)
    done = synchronise(
        backend,
        store=store,
        importers=upkeep.before_sync(home),
        afterwards=[upkeep.after_sync],
        accept_deletions=accept_deletions,
    )
    fleet.settle_name(home)
    return done


def sync_memory(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """Run one sync cycle, then make the index say what the files say."""
    result = exchange(backend, store=store).result
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": store.stats()["total"],
        "detail": result.detail,
    }
