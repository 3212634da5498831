"""Which notes a search looks at, at a cost that does not follow the size of the store.

Common words are in half of all notes. While rarer words are there, those choose the notes to
look at, and the common ones only help to rank them.
"""

from __future__ import annotations

from itertools import combinations, islice

from anamnesis.search.rank import COLUMN_WEIGHTS, Statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anamnesis.search.filters import Filters
    from anamnesis.search.query import Term

_BUDGET = 2000  # notes that a question may select; each costs some microseconds
_ENOUGH = 200  # found by rare words; fewer may all be beside the point
_PAIRED = 5  # words too common alone that are tried two by two
_UBIQUITOUS = 4  # a word in more than one of so many notes says little
_SPARE = 20  # notes asked for beyond those wanted, as some may turn out to be filtered
_MOST_NAMED = 500  # notes in one statement
_HEAD = "{title tags}"
_BM25 = f"bm25(memories_fts, {', '.join(map(str, COLUMN_WEIGHTS))})"


def statistics(db: sqlite3.Connection, terms: Iterable[Term]) -> Statistics:
    """How many notes there are, how long they are, and how many have each word."""
    notes, average = _totals(db)
    counted = {term.stem: frequency(db, term.match, notes) for term in terms if term.selects}
    return Statistics(notes, average, counted)


def frequency(db: sqlite3.Connection, match: str, notes: int) -> int:
    """How many notes match; counting stops where it no longer makes a difference."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
    count: int = db.execute(sql, (match, _ceiling(notes))).fetchone()[0]
    return count


def candidates(
    db: sqlite3.Connection,
    terms: Sequence[Term],
    known: Statistics,
    *,
    filters: Filters,
    wanted: int,
) -> list[int]:
    """The rows of the notes to look at, by their words alone."""
    every = _any(term.match for term in terms)
    narrow = filters.match()
    if narrow and frequency(db, _all(narrow), known.notes) <= _BUDGET:
        return _exact(db, every, filters, wanted)
    chosen = expression(terms, known.frequencies, known.notes)
    found = _quick(db, chosen, filters, wanted)
    if found is None:
        found = _exact(db, chosen, filters, wanted)
    if len(found) < wanted and chosen != every:
        seen = set(found)
        found += [row for row in _exact(db, every, filters, wanted) if row not in seen]
    return found[:wanted]


def near(db: sqlite3.Connection, ids: Iterator[str], *, filters: Filters, wanted: int) -> list[int]:
    """The rows of the first of these notes that the filters let through."""
    condition, values = filters.condition()
    found: list[int] = []
    size = 2 * wanted
    while len(found) < wanted and (some := list(islice(ids, size))):
        allowed = db.execute(
            "SELECT m.id, m.rowid FROM memories m "  # noqa: S608  fixed names
            "CROSS JOIN memories_fts ON memories_fts.rowid = m.rowid "
            f"WHERE m.id IN ({', '.join('?' * len(some))}) AND {condition}",
            (*some, *values),
        )
        rows = dict(allowed.fetchall())
        found += [rows[id] for id in some if id in rows]
        size = min(2 * size, _MOST_NAMED)
    return found[:wanted]


def expression(terms: Sequence[Term], frequencies: Mapping[str, int], notes: int) -> str:
    """A match expression for about as many notes as the budget allows.

    Rare words select alone; where they find too few, common ones select two by two; where all
    are too common for that, the rarest must come together, and one that is alone must be in the
    head of a note. The other words are part of the expression too, in a way that excludes
    nothing: they count for the order of the notes.
    """
    rarest_first = sorted(terms, key=lambda term: (frequencies[term.stem], term.stem))
    telling = [term for term in rarest_first if frequencies[term.stem] < _ceiling(notes)]
    if not telling and len(terms) == 1:
        return f"{_HEAD} : {terms[0].match}"
    telling = telling or rarest_first
    rare, spent = _within_budget(telling, frequencies)
    if len(rare) == len(telling):
        return _any(term.match for term in telling)
    clauses = [term.match for term in rare]
    if spent < _ENOUGH:
        clauses += _pairs(telling[len(rare) :], frequencies, notes)
    if not clauses:
        clauses = [" AND ".join(term.match for term in telling[:3])]
    return _all([_any(clauses), _any(term.match for term in telling)])


def _within_budget(
    terms: Sequence[Term], frequencies: Mapping[str, int]
) -> tuple[Sequence[Term], int]:
    spent = 0
    for at, term in enumerate(terms):
        if spent + frequencies[term.stem] > _BUDGET:
            return terms[:at], spent
        spent += frequencies[term.stem]
    return terms, spent


def _pairs(common: Sequence[Term], frequencies: Mapping[str, int], notes: int) -> list[str]:
    clauses: list[str] = []
    spent = 0
    for one, other in combinations(common[:_PAIRED], 2):
        spent += frequencies[one.stem] * frequencies[other.stem] // max(notes, 1)
        if spent > _BUDGET:
            break
        clauses.append(f"({one.match} AND {other.match})")
    return clauses


def _quick(db: sqlite3.Connection, match: str, filters: Filters, wanted: int) -> list[int] | None:
    """The best rows without looking at each one's note, or None if that cannot be trusted."""
    if not filters.only_projects:
        return None
    limit = wanted + _SPARE
    found = db.execute(
        f"SELECT rowid, {_BM25} FROM memories_fts WHERE memories_fts MATCH ? "  # noqa: S608
        "ORDER BY 2 LIMIT ?",
        (_all([match, *filters.match()]), limit),
    ).fetchall()
    if len(found) == limit and found[-1][1] == found[-2][1]:
        return None  # which of equal notes are in would depend on the order they were indexed in
    condition, values = filters.condition()
    marks = ", ".join("?" * len(found))
    kept = db.execute(
        f"SELECT rowid FROM memories m WHERE rowid IN ({marks}) AND {condition}",  # noqa: S608
        (*(row[0] for row in found), *values),
    )
    allowed = {row[0] for row in kept}
    rows = [row[0] for row in found if row[0] in allowed][:wanted]
    return rows if len(rows) == wanted or len(found) < limit else None


def _exact(db: sqlite3.Connection, match: str, filters: Filters, wanted: int) -> list[int]:
    condition, values = filters.condition()
    # CROSS JOIN keeps the match outside: the other way round it would run once for each note.
    found = db.execute(
        "SELECT m.rowid FROM memories_fts CROSS JOIN memories m "  # noqa: S608  fixed names
        f"ON m.rowid = memories_fts.rowid WHERE memories_fts MATCH ? AND {condition} "
        f"ORDER BY {_BM25}, m.updated_at DESC, m.id DESC LIMIT ?",
        (_all([match, *filters.match()]), *values, wanted),
    )
    return [row[0] for row in found]


def _totals(db: sqlite3.Connection) -> tuple[int, float]:
    """The number of notes and their mean length in words, as FTS5 keeps them for its own bm25."""
    row = db.execute("SELECT block FROM memories_fts_data WHERE id = 1").fetchone()
    notes, _id, title, body, tags, *_ = [*_varints(row[0] if row else b""), *[0] * 5]
    return notes, (title + body + tags) / max(notes, 1)


def _varints(block: bytes) -> list[int]:
    values, value = [], 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            values.append(value)
            value = 0
    return values


def _ceiling(notes: int) -> int:
    return max(_BUDGET, notes // _UBIQUITOUS) + 1


def _any(clauses: Iterable[str]) -> str:
    return " OR ".join(clauses)


def _all(clauses: Iterable[str]) -> str:
    return " AND ".join(f"({clause})" for clause in clauses)
