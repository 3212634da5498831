"""The working set of a session: what is always on, what the project knows, what was done last."""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.index import working_set
from anamnesis.project import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

_DURABLE = ("procedural", "semantic")
_MAX_EPISODIC = 2  # the "what I last did" thread; more crowds out durable notes
_EVERY = 1 << 40


@record
class Candidate:
    """A note that belongs to the working set, still without its body, and why it does."""

    note: Memory
    why: str


def select_inject(store: MemoryStore, *, project: str, k: int = 8) -> list[Memory]:
    """All global notes, then up to `k` of the project, with their bodies."""
    found = (store.get(chosen.note.id) for chosen in candidates(store, project=project, k=k))
    return [note for note in found if note is not None]


def candidates(
    store: MemoryStore, *, project: str, k: int, most_global: int = _EVERY, session: str = ""
) -> list[Candidate]:
    """The working set from the index alone; no file is read.

    A session that goes on is not told what it did itself.
    """

    def choose(db: sqlite3.Connection) -> list[Candidate]:
        return [*_global(db, most_global), *_of_project(db, project, max(k, 0), session)]

    unique: dict[str, Candidate] = {}
    chosen: list[Candidate] = store.ask(choose)
    for candidate in chosen:
        unique.setdefault(candidate.note.id, candidate)
    return list(unique.values())


def _global(db: sqlite3.Connection, most: int) -> list[Candidate]:
    notes = _latest(db, GLOBAL, working_set.types_of(db, GLOBAL), most)
    return [Candidate(note, "global") for note in notes]


def _of_project(db: sqlite3.Connection, project: str, budget: int, session: str) -> list[Candidate]:
    latest = working_set.left_open(db, project=project)
    latest += _latest(db, project, ["episodic"], _MAX_EPISODIC + 1)
    others = [note for note in latest if not session or note.prov_session != session]
    episodes = others[: min(_MAX_EPISODIC, budget)]
    durable = _latest(db, project, list(_DURABLE), budget - len(episodes))
    return [
        *(Candidate(note, f"recent {note.type} note of the project") for note in durable),
        *(Candidate(note, "what was done last") for note in episodes),
    ]


def _latest(db: sqlite3.Connection, project: str, types: list[str], limit: int) -> list[Memory]:
    first = working_set.pinned(db, project=project, types=types)
    notes: list[Memory] = []
    for type in types:
        notes += working_set.latest_of_type(db, project=project, type=type, limit=limit)
    notes.sort(key=lambda note: (note.updated_at, note.confidence, note.id), reverse=True)
    chosen = {note.id: note for note in (*first, *notes)}
    return list(chosen.values())[:limit]
