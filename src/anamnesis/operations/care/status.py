"""The state of the store and of sync, and the list of health checks behind every face."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.errors import EXIT_NOT_SET_UP, AnamnesisError
from anamnesis.hooks import background
from anamnesis.index.queries import count_waiting, holds_more_than
from anamnesis.operations.care.checks import (
    STATUS,
    TOOL,
    Subject,
    examined,
    machine,
    sessions,
    store,
    travel,
)

if TYPE_CHECKING:
    from anamnesis.config import Home
    from anamnesis.operations.care.checks import Finding
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncBackend

_PROJECTS_NAMED = 50
_MOST_COMPARED = 20_000  # notes; checking the files of more takes longer than everything else
_COMPARED_EVERY = 3600.0  # seconds, in the background
_LINES_NAMED = 10
CHECKS = (*machine.CHECKS, *store.CHECKS, *travel.CHECKS, *sessions.CHECKS)


class NotSetUp(AnamnesisError):
    """There is no store yet; reading its status does not create one."""

    def __init__(self, home: Home) -> None:
        super().__init__(
            f"Anamnesis is not set up: there is no {home}.",
            hint="Set it up with:  anamnesis init",
            exit_code=EXIT_NOT_SET_UP,
        )


def status_report(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """Counts, paths and sync for an agent; findings and unreadable files only if there are any."""
    subject = Subject(store.home, store=store, state=backend.state)
    report: dict[str, object] = {
        "root": store.home,
        "db_path": str(store.db_path),
        **store.stats(),
        "sync": _brief_sync(subject),
    }
    report["by_project"] = _largest(report["by_project"])
    if unreadable := store.unreadable():
        report["unreadable"] = _some([f"{found.path}: {found.reason}" for found in unreadable])
    if found := findings(subject, face=TOOL):
        report["findings"] = [finding.as_dict() for finding in found]
    return report


def full_report(store: MemoryStore, backend: SyncBackend | None = None) -> dict[str, object]:
    """Everything that `anamnesis status` shows.

    First compares the index with every file; if there are very many, in the background and at most
    once an hour.
    """
    from anamnesis.archive import files
    from anamnesis.config import resolve_machine_id
    from anamnesis.hooks import switches
    from anamnesis.operations.machine import checkouts, embed

    root = store.home
    checkouts.learn(root, ".")
    _compare_with_files(store)
    subject = Subject(root, store=store, state=backend.state if backend is not None else None)
    return {
        "root": root,
        "db_path": root.index_db,
        "machine_id": resolve_machine_id(),
        **store.stats(),
        "superseded": len(store.superseded_ids()),
        "pending": store.ask(count_waiting),
        "paused": switches.paused(root),
        "semantic": embed.report(root),
        "archive": files.report(root),
        "unreadable": _unreadable(store),
        "sync": _full_sync(subject),
        "findings": [
            finding.as_dict() for finding in findings(subject, face=STATUS)
        ],
    }  # fmt: skip


def _compare_with_files(store: MemoryStore) -> None:
    if store.ask(lambda db: holds_more_than(db, _MOST_COMPARED)):
        background.start_now_and_then(store.home, background.REINDEX, every=_COMPARED_EVERY)
    else:
        store.refresh()


def store_report(store: MemoryStore) -> dict[str, object]:
    """Counts, paths and unreadable files, for scripts that use the dashboard's API."""
    from anamnesis.config import resolve_machine_id

    return {
        "root": store.home,
        "machine_id": resolve_machine_id(),
        **store.stats(),
        "degraded": store.degraded,
        "unreadable": _unreadable(store),
    }


def _unreadable(store: MemoryStore) -> list[dict[str, object]]:
    return [
        {"path": file.path, "reason": file.reason, "indexed": file.indexed}
        for file in store.unreadable()
    ]


def _full_sync(subject: Subject) -> dict[str, object]:
    from anamnesis.config import is_on

    state = subject.sync
    return {
        "initialized": state.initialized,
        "remote": state.remote,
        "sealed": is_on("sealed", default=False),
        "head": state.head,
        "dirty": state.dirty,
        "detail": state.detail,
        "ahead": state.ahead,
        "behind": state.behind,
        "held": list(state.held),
        "held_back": subject.not_synced,
        "last_success": state.last_success,
        "last_error": state.last_error,
        "offline_since": state.offline_since,
    }


def _brief_sync(subject: Subject) -> dict[str, object]:
    """The documented part, and what a model should know if something is wrong."""
    sync = _full_sync(subject)
    always = ("initialized", "remote", "head", "dirty", "detail")
    lists = {key: _some(sync[key]) for key in ("held", "held_back") if sync[key]}
    return {**{key: sync[key] for key in always}, **lists}


def _largest(counts: object) -> object:
    if not isinstance(counts, dict) or len(counts) <= _PROJECTS_NAMED:
        return counts
    named = dict(list(counts.items())[:_PROJECTS_NAMED])
    rest = sum(counts.values()) - sum(named.values())
    return {**named, f"({len(counts) - len(named)} other projects)": rest}


def _some(found: object) -> list[str]:
    """The first few lines, and how many more there are."""
    lines = found if isinstance(found, list) else []
    more = len(lines) - _LINES_NAMED
    return [*lines[:_LINES_NAMED], f"and {more} more"] if more > 0 else lines


def findings(subject: Subject, *, face: str) -> list[Finding]:
    """The findings that are not ok, for a face that shows only those."""
    return [finding for finding in examined(subject, CHECKS, face=face) if not finding.is_ok]
