"""How the store and its sync stand."""

from __future__ import annotations

from anamnesis.operations.travel.sync import sync_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore
    from anamnesis.sync.backend import SyncBackend

_PROJECTS_NAMED = 50
_PROBLEMS_NAMED = 10


def status_report(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """Counts, paths, sync, and the files that need a person if there are any."""
    from anamnesis.search import encoder

    problems = store.unreadable()
    report: dict[str, object] = {
        "root": str(store.root),
        "db_path": str(store.db_path),
        **store.stats(),
        "sync": _spoken(sync_report(backend, besides=[found.path for found in problems])),
    }
    report["by_project"] = _largest(report["by_project"])
    if problems:
        report["unreadable"] = _some([f"{found.path}: {found.reason}" for found in problems])
    if store.degraded:
        report["degraded"] = store.degraded
    if missing := encoder.problem():
        report["semantic"] = f"{missing}; notes are found by their words alone"
    return report


def full_report(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """All that a person may want to know of the store, for the command line and the dashboard."""
    from anamnesis.config import resolve_machine_id
    from anamnesis.hooks import runs, switches
    from anamnesis.operations.curate.review import pending_count
    from anamnesis.operations.machine import embed
    from anamnesis.search import meaning

    problems = store.unreadable()
    root = str(store.root)
    return {
        "root": root,
        "db_path": str(store.db_path),
        "machine_id": resolve_machine_id(),
        **store.stats(),
        "superseded": len(store.superseded_ids()),
        "pending": pending_count(store),
        "degraded": store.degraded,
        "failing": [
            failing.sentence
            for failing in runs.failing(root)
            if failing.area != "sync"  # which tells more about itself
        ],
        "paused": switches.paused(root),
        "meaning": meaning.problem(),
        "semantic": embed.report(root),
        "unreadable": [
            {"path": found.path, "reason": found.reason, "indexed": found.indexed}
            for found in problems
        ],
        "sync": sync_report(backend, besides=[found.path for found in problems]),
    }


def _largest(counts: object) -> object:
    if not isinstance(counts, dict) or len(counts) <= _PROJECTS_NAMED:
        return counts
    named = dict(list(counts.items())[:_PROJECTS_NAMED])
    rest = sum(counts.values()) - sum(named.values())
    return {**named, f"({len(counts) - len(named)} other projects)": rest}


def _spoken(sync: dict[str, object]) -> dict[str, object]:
    """The documented part of a sync report, and what else a model should know of if it is so."""
    always = ("initialized", "remote", "head", "dirty", "detail")
    told = {key: _some(sync[key]) for key in ("held", "held_back") if sync[key]}
    return {**{key: sync[key] for key in always}, **told}


def _some(found: object) -> list[str]:
    """The first of some lines, and how many more there are."""
    lines = found if isinstance(found, list) else []
    more = len(lines) - _PROBLEMS_NAMED
    return [*lines[:_PROBLEMS_NAMED], f"and {more} more"] if more > 0 else lines
