"""How the store and its sync stand, and bringing both up to date."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.operations.backend import State, SyncBackend
    from anamnesis.store import MemoryStore

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
    result = backend.sync()
    store.refresh()
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": store.stats()["total"],
        "detail": result.detail,
    }


def _sync_report(state: State) -> dict[str, object]:
    return {
        "initialized": state.initialized,
        "remote": _without_password(state.remote),
        "head": state.head,
        "dirty": state.dirty,
        "detail": state.detail,
    }


def _without_password(remote: str | None) -> str | None:
    """The remote without what stands before the @ of a web address: it may be a token."""
    scheme, separator, rest = (remote or "").partition("://")
    host, slash, path = rest.partition("/")
    if not separator or scheme not in ("http", "https") or "@" not in host:
        return remote
    return f"{scheme}://…@{host.rpartition('@')[2]}{slash}{path}"


def _largest(counts: object) -> object:
    if not isinstance(counts, dict) or len(counts) <= _PROJECTS_NAMED:
        return counts
    named = dict(list(counts.items())[:_PROJECTS_NAMED])
    rest = sum(counts.values()) - sum(named.values())
    return {**named, f"({len(counts) - len(named)} other projects)": rest}
