"""A question of an agent: the passages of notes and sessions that answer, sized for a model."""

from __future__ import annotations

import os

from anamnesis.archive.ask import Passage, SessionFilter
from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import fresh, record, replace
from anamnesis.operations.notes.search import Filters, SearchAnswer, search
from anamnesis.search.passages import Chosen, Source, decisive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anamnesis.notes.fields import NoteId
    from anamnesis.search.engine import SearchHit
    from anamnesis.store import MemoryStore

__all__ = ["Answer", "Chosen", "ask"]

_TELLING = 0.999  # share of a question's words, by weight, that a note must have to be enough
_PASSAGES = 30  # of sessions, that compete with the notes for the room
_WHOLE = 3  # the same, given as they are
_BEYOND = 10  # hits beyond the limit, to say how many more there are
_CLOSING = 220  # of them, for what is said about the answer itself
_NOTE, _TURN = 75, 70  # characters of a heading, without title and project


@record
class Answer:
    """What answers a question: notes, the best first, and passages of sessions."""

    found: SearchAnswer
    more: int = 0  # further notes that match, at most `most`
    most: int = _BEYOND
    parts: Mapping[NoteId, Chosen] = fresh(default_factory=dict)  # what to show of each note
    passages: Sequence[Passage] = ()
    whole: bool = True


def ask(store: MemoryStore, text: str, *, filters: Filters, limit: int, room: int | None) -> Answer:
    """The notes that answer, and of them and of earlier sessions the passages that decide.

    Without `room` (characters) the notes are left as they are; so is one whose id is the text.
    """
    found = search(store, text, filters=filters, limit=limit + _BEYOND, for_agent=True)
    more = len(found.hits[limit:])
    found = replace(found, hits=found.hits[:limit])
    passages = _beside(store, text, found, filters)
    if room is None or found.by_id:
        return Answer(found, more, passages=passages[:_WHOLE])
    sources = [*_of_notes(found), *_of_turns(passages)]
    chosen = decisive(text, sources, room=room - _CLOSING)
    pairs = zip(passages, chosen[len(found.hits) :], strict=True)
    return Answer(
        found,
        more,
        parts={hit.note.id: part for hit, part in zip(found.hits, chosen, strict=False) if part},
        passages=[replace(each, text=part.text) for each, part in pairs if part],
        whole=False,
    )


def _beside(store: MemoryStore, text: str, found: SearchAnswer, filters: Filters) -> list[Passage]:
    """What was said in sessions on this machine, where the notes may not be enough."""
    best = found.hits[0].why.coverage if found.hits else 0.0
    if found.by_id or best >= _TELLING or not os.path.exists(store.home.sessions_db):
        return []
    from anamnesis.operations.sessions.archive import turns_about

    project = filters.projects[0] if filters.projects else ""
    try:
        return turns_about(store.home, text, SessionFilter(project), limit=_PASSAGES)
    except AnamnesisError:
        return []  # the notes are the answer; trouble with the archive is reported elsewhere


def _of_notes(found: SearchAnswer) -> list[Source]:
    best = max((hit.score for hit in found.hits), default=1.0) or 1.0
    return [
        Source(hit.note.body, rank=hit.score / best, heading=_heading(hit, found))
        for hit in found.hits
    ]


def _heading(hit: SearchHit, found: SearchAnswer) -> int:
    note = hit.note
    about = (note.title, note.project, note.origin, found.warnings.get(note.id, ""))
    before = hit.before.told(note.updated_at) if hit.before else ""
    return _NOTE + len(before) + sum(map(len, about))


def _of_turns(passages: Sequence[Passage]) -> list[Source]:
    best = max((each.score for each in passages), default=1.0) or 1.0
    return [
        Source(each.text, rank=each.score / best, heading=_TURN + len(each.session.project))
        for each in passages
    ]
