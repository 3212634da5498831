"""How the store and its sync stand, and bringing both up to date."""

from __future__ import annotations

from anamnesis.operations.synchronise import synchronise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore
    from anamnesis.sync.backend import SyncBackend, SyncState

_PROJECTS_NAMED = 50
_PROBLEMS_NAMED = 10


def status_report(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """Counts, paths, sync, and the files that need a person if there are any."""
    report: dict[str, object] = {
        "root": str(store.root),
        "db_path": str(store.db_path),
        **store.stats(),
        "sync": _sync_report(backend.state()),
    }
    report["by_project"] = _largest(report["by_project"])
    problems = store.unreadable()
    if problems:
        named = [f"{found.path}: {found.reason}" for found in problems[:_PROBLEMS_NAMED]]
        more = len(problems) - len(named)
        report["unreadable"] = [*named, f"and {more} more"] if more else named
    if store.degraded:
        report["degraded"] = store.degraded
    return report


def sync_memory(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """Run one sync cycle, then make the index say what the files say."""
    result = synchronise(backend, store=store).result
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": store.stats()["total"],
        "detail": result.detail,
    }


def _sync_report(state: SyncState) -> dict[str, object]:
    report: dict[str, object] = {
        "initialized": state.initialized,
        "remote": state.remote,
        "head": state.head,
        "dirty": state.dirty,
        "detail": state.detail,
    }
    if state.held:
        report["held"] = list(state.held)
    return report


def _largest(counts: object) -> object:
    if not isinstance(counts, dict) or len(counts) <= _PROJECTS_NAMED:
        return counts
    named = dict(list(counts.items())[:_PROJECTS_NAMED])
    rest = sum(counts.values()) - sum(named.values())
    return {**named, f"({len(counts) - len(named)} other projects)": rest}
