"""What a session starts with."""

from __future__ import annotations

from anamnesis.ground.counting import counted
from anamnesis.hooks import receipts, runs, switches
from anamnesis.index import working_set
from anamnesis.inject import budget, formats, select
from anamnesis.operations.care.checks import SESSION, Subject, examined, sessions
from anamnesis.project import GLOBAL, resolve_project_key
from anamnesis.store import IndexBroken, MemoryStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.ground.home import Home
    from anamnesis.hooks.payload import Payload
    from anamnesis.operations.care.checks import Check

_MOST_GLOBAL = 300  # as many lines as a budget could hold; the index is not read further


def inject(
    home: Home,
    payload: Payload,
    *,
    project: str | None = None,
    k: int = 8,
    format: str = "claude",
    limit: int | None = None,
) -> str:
    """The working set of the project as the client wants it, with a receipt of what was given."""
    cwd = payload.cwd or "."
    project = project or resolve_project_key(cwd)
    if off := switches.why_off(home, project=project, cwd=cwd):
        runs.note_run(home, "inject", did=off, session=payload.session_id)
        return ""
    session, limit = payload.session_id, limit or formats.LIMITS.get(format, budget.LIMIT)
    checks = sessions.at_session_start(home)
    try:
        with MemoryStore(home, hurried=True) as store:
            notices = _notices(home, checks, store=store)
            chosen, fitted = _fitted(
                store, project=project, k=k, session=session, limit=limit, notices=notices
            )
            if store.lags:
                _bring_up_to_date(home)
    except IndexBroken:
        notices = _notices(home, [check for check in checks if not check.needs_index])
        chosen, fitted = _unindexed(
            home, project=project, session=session, limit=limit, notices=notices
        )
    _leave_receipt(home, payload, project, chosen, fitted)
    return formats.wrapped(fitted.text, format=format, event=payload.event or "SessionStart")


def preview(
    store: MemoryStore, *, project: str, k: int = 8, limit: int = budget.LIMIT
) -> tuple[list[select.Candidate], budget.Fitted]:
    """What a new session of the project would be given now, and out of what; leaves no trace."""
    home = store.home
    notices = _notices(home, sessions.at_session_start(home, unasked=False), store=store)
    return _fitted(store, project=project, k=k, session="", limit=limit, notices=notices)


def _fitted(
    store: MemoryStore, *, project: str, k: int, session: str, limit: int, notices: list[str]
) -> tuple[list[select.Candidate], budget.Fitted]:
    chosen = select.candidates(
        store, project=project, k=k, most_global=_MOST_GLOBAL, session=session
    )
    known = store.ask(
        lambda db: working_set.count_shown(db, projects={project, GLOBAL}, session=session)
    )
    # A reflected session that still has open points is given, but not counted.
    shown = sum("reflected" not in each.note.tags for each in chosen)
    beyond = max(0, known - shown)
    return chosen, budget.fit(chosen, read=store.get, limit=limit, notices=notices, beyond=beyond)


def _unindexed(
    home: Home, *, project: str, session: str, limit: int, notices: list[str]
) -> tuple[list[select.Candidate], budget.Fitted]:
    """What can be given without an index, which is built meanwhile."""
    from anamnesis.inject import newest

    _bring_up_to_date(home)
    notes = newest.newest_notes(home, project=project, session=session)
    chosen = newest.candidates(notes)
    told = [*notices, newest.NOTICE] if notes else notices
    return chosen, budget.fit(chosen, read=notes.get, limit=limit, notices=told)


def _bring_up_to_date(home: Home) -> None:
    from anamnesis.operations.sessions.rebuilding import rebuild_in_background

    rebuild_in_background(home)


def _notices(home: Home, checks: Sequence[Check], *, store: MemoryStore | None = None) -> list[str]:
    found = examined(Subject(home, store=store), checks, face=SESSION)
    return [f"Anamnesis: {finding.sentence}. Run: {finding.remedy}" for finding in found]


def _leave_receipt(
    home: Home,
    payload: Payload,
    project: str,
    chosen: list[select.Candidate],
    fitted: budget.Fitted,
) -> None:
    why = {candidate.note.id: candidate.why for candidate in chosen}
    given = [receipts.Given(id, why[id], size, whole=True) for id, size in fitted.whole.items()]
    given += [receipts.Given(id, why[id], 0, whole=False) for id in fitted.listed]
    size = budget.units(fitted.text)
    receipts.write(
        home,
        event="inject",
        session=payload.session_id,
        project=project,
        source=payload.source,
        given=given,
        units=size,
    )
    those = f"{counted(len(fitted.whole), 'note')} and {counted(len(fitted.listed), 'title')}"
    did = f"{those} for {project}, {size} units"
    runs.note_run(home, "inject", did=did, session=payload.session_id)
    runs.worked(home, "inject")
