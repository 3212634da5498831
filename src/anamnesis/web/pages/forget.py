"""Forgetting notes: what is removed, then sync and history in one go, with a line per machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground import clock
from anamnesis.ground.errors import AnamnesisError
from anamnesis.operations.curate import forget
from anamnesis.operations.notes.show import find
from anamnesis.operations.sessions import archive
from anamnesis.operations.travel import purge
from anamnesis.operations.travel.purge import Purged
from anamnesis.operations.travel.sync import sync
from anamnesis.web.dashboard import Notice
from anamnesis.web.formatting import plural
from anamnesis.web.pages import background, fleet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import NoteId
    from anamnesis.web.request import Visit


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten last, and how far that got."""

    ids: tuple[NoteId, ...]
    words: str
    at: str
    versions: int  # that are gone from the history
    is_history_rewritten: bool
    problem: str  # why a sync or the history must wait
    later: tuple[str, ...]  # where git keeps copies for a while, and what it may keep


def ask(visit: Visit, ids: Sequence[NoteId]) -> Response:
    """What would be removed, and where, before anything is."""
    words = visit.value("words").strip()
    home = visit.dashboard.home
    notes = [read.note for note_id in ids if (read := find(visit.store, note_id)) is not None]
    own = [note.prov_session for note in notes if note.type == "episodic"]
    return visit.page(
        "forget.html",
        notes=notes,
        words=words,
        sessions=sum(archive.has(home, session) for session in own),
        other_sessions=forget.choose_sessions(home, words, beside=notes) if words else [],
        kept=forget.kept_for_undo(home, words),
        machines=_others(visit),
        is_shared=bool(visit.dashboard.sync_state().remote),
    )


def carry_out(visit: Visit) -> Response:
    """Forget them here, sync, and rewrite the history if that was asked for."""
    ids, words = visit.value("ids").split(), visit.value("words").strip()
    is_everything = visit.value("history") == "1"
    store, home = visit.store, visit.dashboard.home

    def run(progress: Progress) -> Notice:
        here = [note_id for note_id in ids if find(store, note_id) is not None]
        sessions = [each.id for each in forget.choose_sessions(home, words)] if words else []
        at = clock.utcnow()
        forget.forget(store, here, sessions=sessions, query=words, progress=progress)
        visit.dashboard.drafts.forget(ids)
        purged, problem = Purged(), ""
        try:
            if is_everything:
                purged = purge.purge(store, ids, query=words)
            elif visit.dashboard.sync_state().remote:
                result = sync(store=store).result
                problem = result.detail if result.error or result.offline else ""
        except AnamnesisError as error:
            problem = f"{error.message} {error.hint}".strip()
        visit.dashboard.sync_state.measured()
        visit.dashboard.jobs.results["forgotten"] = Forgotten(
            tuple(ids),
            words,
            at,
            purged.texts,
            is_everything and not problem,
            problem,
            tuple(_later(purged)),
        )
        return Notice(f"{plural(len(here), 'note')} forgotten.", "trouble" if problem else "done")

    return background.run(
        visit, f"Forgetting {plural(len(ids), 'note')}", run, back="/forgotten", once=False
    )


def _later(purged: Purged) -> Iterator[str]:
    if not purged.cleared:
        yield "Git removes its copies from this disk later."
    if not purged.remote_cleared:
        yield "Git removes its copies from the remote's disk later."
    if purged.other_refs:
        yield f"These refs may still hold old versions: {', '.join(purged.other_refs)}."


def show(visit: Visit) -> Response:
    """How far the latest forgetting got, machine by machine."""
    done: Forgotten | None = visit.dashboard.jobs.results.get("forgotten")
    machines = [(name, seen, bool(done and seen > done.at)) for name, seen in _others(visit)]
    return visit.page("forgotten.html", done=done, machines=machines)


def _others(visit: Visit) -> list[tuple[str, str]]:
    """The other machines, and when each was last heard of.

    Its commits and heartbeats travel with the sync that they were written for.
    """
    return [(row.name, row.last_seen) for row in fleet.machines(visit) if not row.is_here]
