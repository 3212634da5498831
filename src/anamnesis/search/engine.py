"""Searching the index: a free text in, the notes that answer it best out, each with the reason."""

from __future__ import annotations

from anamnesis.ground.records import record, replace
from anamnesis.search import query as queries
from anamnesis.search import rank, select, typos

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from anamnesis.notes.note import Memory
    from anamnesis.search.filters import Filters
    from anamnesis.search.matrix import Nearness
    from anamnesis.search.meaning import Meaning
    from anamnesis.search.query import Query

_READ = 30  # notes whose text is read and ranked with everything we know
_LONGEST_BODY = 20_000  # characters that are read for the ranking of one note
_PREFIX_WEIGHT = 0.7


@record
class Question:
    """What to look for, among which notes, and how many of them to give."""

    text: str
    filters: Filters
    limit: int = 8
    offset: int = 0
    by_meaning: bool = False  # without it the table of word vectors is not even loaded
    forgiving: bool = True  # whether to guess at words that are begun or mistyped
    nearness: Nearness | None = None  # of all notes to the question, where there is an encoder


@record
class Found:
    """A hit: where the note is, and why it was found."""

    id: str
    scope: str
    path: str
    score: float
    why: rank.Why


@record
class SearchHit:
    """A note that answers a question, how well, and why."""

    note: Memory
    score: float
    why: rank.Why


def search(db: sqlite3.Connection, asked: Question) -> list[Found]:
    """The notes that answer a free text best.

    A longer list begins with the shorter one: notes are read and ranked in blocks, in the order
    that their words alone give.
    """
    query = queries.read(asked.text)
    wanted = asked.offset + asked.limit
    if asked.limit <= 0 or asked.offset < 0 or not query.terms:
        return []
    if asked.forgiving:
        query, known = _in_words_of_the_store(db, query)
    else:
        known = select.statistics(db, query.terms)
    meaning = _meaning(query) if asked.by_meaning else None
    places: dict[str, tuple[str, str]] = {}
    hits: list[rank.Ranked] = []
    best = 0.0
    for rows in _blocks(db, asked, query, known):
        block = texts(db, rows, places)
        hits += rank.ranked(
            query, block, known, meaning=meaning, nearness=asked.nearness, best=best
        )
        best = best or max(hit.points for hit in hits)
    return [
        Found(hit.candidate.id, *places[hit.candidate.id], hit.score, hit.why())
        for hit in hits[asked.offset : wanted]
    ]


def _blocks(
    db: sqlite3.Connection, asked: Question, query: Query, known: rank.Statistics
) -> list[list[int]]:
    """The rows of the notes to read: by their words, the first ones joined by the nearest."""
    terms = [term for term in query.terms if known.frequencies.get(term.stem)]
    wanted = -(-(asked.offset + asked.limit) // _READ) * _READ
    found = []
    if terms:
        found = select.candidates(db, terms, known, filters=asked.filters, wanted=wanted)
    first = found[:_READ]
    if asked.nearness is not None:
        near = select.near(db, asked.nearness.best_first(), filters=asked.filters, wanted=_READ)
        first += [row for row in near if row not in first]
    rest = [found[start : start + _READ] for start in range(_READ, len(found), _READ)]
    blocks = [first, *([row for row in block if row not in first] for block in rest)]
    return [block for block in blocks if block]


def _in_words_of_the_store(db: sqlite3.Connection, query: Query) -> tuple[Query, rank.Statistics]:
    """The question, with a last word that is still being typed and with typing errors mended."""
    known = select.statistics(db, query.terms)
    last = queries.last_word(query)
    if last is not None and not known.frequencies.get(last.stem, 1):
        begun = replace(typos.completed(db, last), kind="prefix", weight=_PREFIX_WEIGHT)
        query = queries.exchanged(query, {last.stem: begun})
        known = select.statistics(db, query.terms)
    if not any(known.frequencies.values()):
        query = typos.corrected(db, query)
        known = select.statistics(db, query.terms)
    return query, known


def _meaning(query: Query) -> Meaning | None:
    from anamnesis.search import meaning

    return meaning.of(query.words)


def texts(
    db: sqlite3.Connection, rows: Sequence[int], places: dict[str, tuple[str, str]]
) -> list[rank.Candidate]:
    """The notes in these rows as the ranking reads them; `places` learns where each is."""
    found = db.execute(
        "SELECT m.id, f.title, substr(f.body, 1, ?), f.tags, f.parts, m.updated_at, m.confidence, "  # noqa: S608
        "m.scope, m.body_path FROM memories m CROSS JOIN memories_fts f ON f.rowid = m.rowid "
        f"WHERE m.rowid IN ({', '.join('?' * len(rows))})",
        (_LONGEST_BODY, *rows),
    )
    candidates = []
    for *text, scope, path in found:
        candidates.append(rank.Candidate(*text))
        places[text[0]] = (scope, path)
    return candidates
