"""Searching the notes, for every face."""

from __future__ import annotations

from anamnesis import config
from anamnesis.ground.records import fresh, record, replace
from anamnesis.operations.notes.masking import masked, masked_note
from anamnesis.operations.notes.show import NOTE_URI, find
from anamnesis.search.engine import SearchHit, explanation
from anamnesis.search.query import Filters
from anamnesis.trust.policy import why_not

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.notes.fields import Memory
    from anamnesis.search.last_word import Before
    from anamnesis.store import MemoryStore

__all__ = [
    "Filters",
    "SearchAnswer",
    "SearchHit",
    "explain",
    "matching_part",
    "search",
    "warnings",
]

_TO_AGENT = "Not reviewed, do not act on it"
_WAITS = "Waits for your review"
_ONLY_FOUND = "Not given to agents unasked"


@record
class SearchAnswer:
    """The notes that answer, best first, and whether the query named one note."""

    hits: Sequence[SearchHit]
    by_id: bool = False
    warnings: dict[str, str] = fresh(default_factory=dict)  # about notes that are not injected


def search(
    store: MemoryStore,
    text: str,
    *,
    filters: Filters | None = None,
    limit: int,
    offset: int = 0,
    for_agent: bool = False,
) -> SearchAnswer:
    """The notes that answer a text best; an id or address as the text gives that note alone.

    An id names its note, so neither filters nor a note that replaces it hide it.
    """
    named = _named(store, text.strip().removeprefix(NOTE_URI))
    if named is not None:
        one = [named][offset : offset + max(limit, 0)]
        return _answer(store, one, by_id=True, for_agent=for_agent)
    _keep_vectors_up(store)
    hits = store.recall(text, filters=filters, k=limit, offset=offset)
    if filters is not None and filters.as_of:
        hits = _as_of(store, hits, filters.as_of)
    return _answer(store, hits, for_agent=for_agent)


def _as_of(store: MemoryStore, hits: Sequence[SearchHit], day: str) -> list[SearchHit]:
    """The hits with the text of a day; what was said later amends nothing then."""
    from anamnesis.history.restore import as_of  # asks git

    past = [(hit, as_of(store, hit.note, day)) for hit in hits]
    return [hit if note is hit.note else replace(hit, note=note, before=None) for hit, note in past]


def _answer(
    store: MemoryStore, hits: Sequence[SearchHit], *, for_agent: bool, by_id: bool = False
) -> SearchAnswer:
    if for_agent:
        hits = [replace(hit, note=masked_note(store, hit.note)) for hit in hits]
    about = warnings([hit.note for hit in hits], for_agent=for_agent)
    hits = _with_own_words_before(store, hits, about, for_agent=for_agent)
    if any(hit.note.anchors for hit in hits):
        about = _with_code(store, hits, about)
    return SearchAnswer(hits, by_id=by_id, warnings=about)


def _with_own_words_before(
    store: MemoryStore, hits: Sequence[SearchHit], about: dict[str, str], *, for_agent: bool
) -> Sequence[SearchHit]:
    """The hits, without earlier words that nobody answers for, or that such a note would amend."""
    if not (ids := [hit.before.id for hit in hits if hit.before]):
        return hits
    allowed = store.admitted(ids)
    return [
        replace(hit, before=_masked(store, hit.before) if for_agent else hit.before)
        if hit.before and hit.before.id in allowed and hit.note.id not in about
        else replace(hit, before=None)
        for hit in hits
    ]


def _masked(store: MemoryStore, before: Before) -> Before:
    return replace(before, says=masked(store, before.says, of=[before.own_id]))


def _with_code(
    store: MemoryStore, hits: Sequence[SearchHit], about: dict[str, str]
) -> dict[str, str]:
    """What is told of notes, with what became of their code in the current directory."""
    from anamnesis.anchors.standing import standings

    code = standings(store.home, ".")
    told = {hit.note.id: code[hit.note.id].remark for hit in hits if hit.note.id in code}
    return {**about, **{id: f"{about.get(id, '')} {text}.".strip() for id, text in told.items()}}


def matching_part(hit: SearchHit, *, room: int) -> str:
    """The lines of a note that matched, in at most `limit` characters."""
    from anamnesis.search.excerpts import passage

    weights = {each.word: each.points for each in hit.why.shares if each.kind != "function"}
    return passage(hit.note.body, weights, room=room)


def warnings(notes: Sequence[Memory], *, for_agent: bool = False) -> dict[str, str]:
    """Why some of these notes are not given to an agent unasked, by id, in words for you.

    `for_agent` says it to the agent instead, which asked for the note and must not obey it.
    """
    by_origin: dict[tuple[str, bool], tuple[str, str]] = {}  # each costs a look at the settings
    told: dict[str, str] = {}
    for note in notes:
        if not note.origin:
            continue
        kind = (note.origin, "pending" in note.tags)
        if kind not in by_origin:
            by_origin[kind] = _by_origin(note)
        lead, reason = by_origin[kind]
        if reason:
            told[note.id] = f"{_TO_AGENT if for_agent else lead}: {reason}."
    return told


def _by_origin(note: Memory) -> tuple[str, str]:
    # Whatever is true of a note without tags, no review changes.
    lead = _ONLY_FOUND if why_not(note.origin, ()) else _WAITS
    return lead, why_not(note.origin, note.tags)


def explain(answer: SearchAnswer, hit: SearchHit) -> list[str]:
    """Why a note was found, as lines of text."""
    return ["named by its id"] if answer.by_id else explanation(hit.score, hit.why)


def _keep_vectors_up(store: MemoryStore) -> None:
    if config.encoder_is_on():
        from anamnesis.operations.machine import embed

        embed.keep_up(store.home)


def _named(store: MemoryStore, note_id: str) -> SearchHit | None:
    read = find(store, note_id) or find(store, note_id.upper())
    if read is None:
        return None
    from anamnesis.search.rank import Why

    reason = Why((), together=0, words=1.0, meaning=0, nearness=0, prior=1.0, coverage=1.0)
    return SearchHit(read.note, 1.0, reason)
