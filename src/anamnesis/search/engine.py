"""Searching the index: a free text in, the notes that answer it best out, each with the reason.

Choosing the notes to rank must not cost more in a larger store, and common words are in half of all
notes. So as long as there are rarer words, those choose, and the common ones only help to rank.
"""

from __future__ import annotations

from itertools import combinations, islice, zip_longest

from anamnesis.ground.counting import counted
from anamnesis.ground.records import record, replace
from anamnesis.search import query as queries
from anamnesis.search import rank, typos
from anamnesis.search.last_word import newest_word_first
from anamnesis.search.rank import BESIDE, COLUMN_WEIGHTS, MEANING, NEARNESS, Statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.search.last_word import Before
    from anamnesis.search.matrix import Nearness
    from anamnesis.search.meaning import Meaning
    from anamnesis.search.query import Filters, Query, Term
    from anamnesis.search.rank import Share, Why

_NO_ROW = 0  # vectors of the second index are kept by whoever writes it
_READ = 30  # notes whose text is read and fully ranked, at a time
_LONGEST_BODY = 20_000  # characters that are read for the ranking of one note
_PREFIX_WEIGHT = 0.7
_BUDGET = 2000  # notes that a question may select; each costs some microseconds
_ENOUGH = 200  # notes found by rare words; fewer may all be irrelevant
_PAIRED = 5  # words too common alone that are tried two by two
_UBIQUITOUS = 4  # a word in more than this share of notes says little
_SPARE = 20  # notes asked for beyond those wanted, as some may turn out to be filtered
_MOST_NAMED = 500  # notes in one statement
_HEAD = "{title tags}"
_BM25 = f"bm25(memories_fts, {', '.join(map(str, COLUMN_WEIGHTS))})"


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
class FoundNote:
    """A hit: where the note is, and why it was found."""

    id: str
    scope: str
    path: str
    score: float
    why: rank.Why
    before: Before | None = None  # the word that it amends

    @property
    def is_beside(self) -> bool:
        """Whether it is a note of the second index."""
        return self.id.startswith(BESIDE)

    @property
    def own_id(self) -> str:
        """The id of the note itself."""
        return self.id.removeprefix(BESIDE)


@record
class SearchHit:
    """A note that answers a question, how well, and why."""

    note: Memory
    score: float
    why: rank.Why
    before: Before | None = None  # the word that it amends


def search(
    db: sqlite3.Connection,
    question: Question,
    fresh: dict[int, bytes] | None = None,
    *,
    beside: sqlite3.Connection | None = None,
) -> list[FoundNote]:
    """The notes that answer a free text best, among those of one index or of two.

    A longer list begins with the shorter one: notes are read and ranked in blocks, ordered by
    their words alone. Vectors that had to be computed are added to `fresh` (see `keep`). How rare
    words are is counted over both indexes, so that one ranking holds.
    """
    query = queries.read(question.text)
    wanted = question.offset + question.limit
    if question.limit <= 0 or question.offset < 0 or not query.terms:
        return []
    if question.forgiving:
        query, known = _in_words_of_the_store(db, query, beside)
    else:
        known = statistics(db, query.terms, beside=beside)
    meaning = _meaning(query) if question.by_meaning else None
    places: dict[str, tuple[str, str]] = {}
    hits: list[rank.Ranked] = []
    best = 0.0
    others = [] if beside is None else _blocks(beside, question, query, known)
    for rows, theirs in zip_longest(_blocks(db, question, query, known), others, fillvalue=()):
        block = texts(db, rows, places)
        if beside is not None:
            block += texts(beside, theirs, places, mark=BESIDE)
        hits += rank.ranked(
            query, block, known, meaning=meaning, nearness=question.nearness, best=best, fresh=fresh
        )
        best = best or max(hit.points for hit in hits)
    if fresh is not None:
        fresh.pop(_NO_ROW, None)
    hits, befores = newest_word_first(hits)
    return [
        FoundNote(
            hit.candidate.id,
            *places[hit.candidate.id],
            hit.score,
            hit.why(),
            before=befores.get(hit.candidate.id),
        )
        for hit in hits[question.offset : wanted]
    ]


def matching(db: sqlite3.Connection, text: str, *, limit: int) -> list[int]:
    """The rows of the notes that a search for a text chooses from, best first by their words."""
    query, known = _in_words_of_the_store(db, queries.read(text))
    terms = [term for term in query.terms if known.frequencies.get(term.stem)]
    if not terms:
        return []
    everything, rows = queries.Filters(include_superseded=True), []
    every = _any(term.match for term in terms)
    if frequency(db, every, known.notes) > 3 * limit:  # so many that only the telling words choose
        chosen = expression(terms, known.frequencies, known.notes)
        rows = _exact(db, chosen, everything, limit)
    return rows if len(rows) >= _ENOUGH else _exact(db, every, everything, limit)


def _blocks(
    db: sqlite3.Connection, question: Question, query: Query, known: rank.Statistics
) -> list[list[int]]:
    """The rows of the notes to read, by their words; the nearest ones join the first block."""
    terms = [term for term in query.terms if known.frequencies.get(term.stem)]
    wanted = -(-(question.offset + question.limit) // _READ) * _READ
    rows = []
    if terms:
        rows = candidates(db, terms, known, filters=question.filters, wanted=wanted)
    first = rows[:_READ]
    if question.nearness is not None:
        near = nearest(db, question.nearness.best_first(), filters=question.filters, wanted=_READ)
        first += [row for row in near if row not in first]
    rest = [rows[start : start + _READ] for start in range(_READ, len(rows), _READ)]
    blocks = [first, *([row for row in block if row not in first] for block in rest)]
    return [block for block in blocks if block]


def _in_words_of_the_store(
    db: sqlite3.Connection, query: Query, beside: sqlite3.Connection | None = None
) -> tuple[Query, rank.Statistics]:
    """The question, with a half-typed last word completed and typing errors corrected."""
    known = statistics(db, query.terms, beside=beside)
    last = queries.last_word(query)
    for words in (db, beside):
        if words is None:
            continue
        if last is not None and not known.frequencies.get(last.stem, 1):
            begun = replace(typos.completed(words, last), kind="prefix", weight=_PREFIX_WEIGHT)
            query = queries.exchanged(query, {last.stem: begun})
            known = statistics(db, query.terms, beside=beside)
        if not any(known.frequencies.values()):
            query = typos.corrected(words, query)
            known = statistics(db, query.terms, beside=beside)
    return query, known


def _meaning(query: Query) -> Meaning | None:
    from anamnesis.search import meaning

    return meaning.of(query.words)


def texts(
    db: sqlite3.Connection,
    rows: Sequence[int],
    places: dict[str, tuple[str, str]],
    *,
    mark: str = "",
) -> list[rank.Candidate]:
    """The notes in these rows as the ranking reads them; their places are added to `places`.

    A `mark` before their ids tells the notes of a second index from those of the first.
    """
    row = str(_NO_ROW) if mark else "m.rowid"
    cursor = db.execute(
        "SELECT m.scope, m.body_path, "  # noqa: S608  fixed names
        "? || m.id, f.title, substr(f.body, 1, ?), f.tags, f.parts, m.updated_at, m.confidence, "
        f"{row}, v.vector FROM memories m CROSS JOIN memories_fts f ON f.rowid = m.rowid "
        "LEFT JOIN meanings v ON v.rowid = m.rowid "
        f"WHERE m.rowid IN ({', '.join('?' * len(rows))})",
        (mark, _LONGEST_BODY, *rows),
    )
    candidates = []
    for scope, path, *text in cursor:
        candidates.append(rank.Candidate(*text))
        places[text[0]] = (scope, path)
    return candidates


def keep(db: sqlite3.Connection, fresh: Mapping[int, bytes]) -> None:
    """Remember what notes mean, for the next search; the caller's transaction has read them."""
    db.executemany("INSERT OR REPLACE INTO meanings VALUES (?, ?)", fresh.items())


def not_understood(db: sqlite3.Connection) -> list[int]:
    """The rows of the notes whose meaning has not been computed yet."""
    from anamnesis.search import meaning

    if meaning.of(()) is None:
        return []
    return [
        row[0] for row in db.execute("SELECT rowid FROM memories EXCEPT SELECT rowid FROM meanings")
    ]


def understood(db: sqlite3.Connection, rows: Sequence[int]) -> dict[int, bytes]:
    """What the notes in these rows mean."""
    from anamnesis.search import meaning

    reader = meaning.of(())
    notes = texts(db, rows, {}) if reader else []
    return {note.row: reader.vector(note.words) for note in notes if reader}


_KINDS = {
    "function": "a function word",
    "light": "a light word",
    "part": "a part of an identifier",
    "prefix": "the beginning of a word",
    "typo": "taken for a typing error",
}


def explanation(score: float, why: Why) -> list[str]:
    """The sum behind a score, then what each word contributed."""
    parts = [f"{why.words:.3f} words", f"{MEANING:g} x {why.meaning:.3f} meaning"]
    if why.nearness:
        parts.append(f"{NEARNESS:g} x {why.nearness:.3f} nearness")
    total = f"({' + '.join(parts)}) x {why.prior:.3f} prior"
    return [
        f"{score:.3f} = {total}; has {why.coverage:.0%} of the question",
        *(_share(share) for share in why.shares),
        *([f"  {why.together:6.2f}  words that stand together"] if why.together else []),
    ]


def _share(share: Share) -> str:
    kind = _KINDS.get(share.kind)
    rarity = "" if share.kind == "function" else f", in {counted(share.notes, 'note')}"
    return (
        f"  {share.points:6.2f}  {share.word}: {share.count:g} here{rarity}"
        f"{f' ({kind})' if kind else ''}"
    )


def statistics(
    db: sqlite3.Connection, terms: Iterable[Term], *, beside: sqlite3.Connection | None = None
) -> Statistics:
    """How many notes there are, how long they are, and how many have each word."""
    notes, average = _totals(db)
    telling = [term for term in terms if term.selects]
    counted = {term.stem: frequency(db, term.match, notes) for term in telling}
    if beside is None:
        return Statistics(notes, average, counted)
    more, their_average = _totals(beside)
    for term in telling:
        counted[term.stem] += frequency(beside, term.match, more)
    whole = notes * average + more * their_average
    return Statistics(notes + more, whole / max(notes + more, 1), counted)


def frequency(db: sqlite3.Connection, match: str, notes: int) -> int:
    """How many notes match; counting stops where more would make no difference."""
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
    """The rows of the notes to rank, chosen by their words alone."""
    every = _any(term.match for term in terms)
    narrow = filters.match()
    if narrow and frequency(db, _all(narrow), known.notes) <= _BUDGET:
        return _exact(db, every, filters, wanted)
    chosen = expression(terms, known.frequencies, known.notes)
    rows = _quick(db, chosen, filters, wanted)
    if rows is None:
        rows = _exact(db, chosen, filters, wanted)
    if len(rows) < wanted and chosen != every:
        seen = set(rows)
        rows += [row for row in _exact(db, every, filters, wanted) if row not in seen]
    return rows[:wanted]


def nearest(
    db: sqlite3.Connection, ids: Iterator[NoteId], *, filters: Filters, wanted: int
) -> list[int]:
    """The rows of the first of these notes that the filters let through."""
    condition, values = filters.condition()
    chosen: list[int] = []
    size = 2 * wanted
    while len(chosen) < wanted and (some := list(islice(ids, size))):
        allowed = db.execute(
            "SELECT m.id, m.rowid FROM memories m "  # noqa: S608  fixed names
            "CROSS JOIN memories_fts ON memories_fts.rowid = m.rowid "
            f"WHERE m.id IN ({', '.join('?' * len(some))}) AND {condition}",
            (*some, *values),
        )
        rows = dict(allowed.fetchall())
        chosen += [rows[id] for id in some if id in rows]
        size = min(2 * size, _MOST_NAMED)
    return chosen[:wanted]


def expression(terms: Sequence[Term], frequencies: Mapping[str, int], notes: int) -> str:
    """A match expression for about as many notes as the budget allows.

    Rare words select alone; where they find too few, common ones select in pairs; where all are
    too common for that, the rarest must occur together, and a single word must be in a title or
    tag. The other words are part of the expression too, in a way that excludes nothing: they
    affect the order of the notes.
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
    ranked = db.execute(
        f"SELECT rowid, {_BM25} FROM memories_fts WHERE memories_fts MATCH ? "  # noqa: S608
        "ORDER BY 2 LIMIT ?",
        (_all([match, *filters.match()]), limit),
    ).fetchall()
    if len(ranked) == limit and ranked[-1][1] == ranked[-2][1]:
        return None  # which of several equal notes are in would depend on the indexing order
    condition, values = filters.condition()
    marks = ", ".join("?" * len(ranked))
    kept = db.execute(
        f"SELECT rowid FROM memories m WHERE rowid IN ({marks}) AND {condition}",  # noqa: S608
        (*(row[0] for row in ranked), *values),
    )
    allowed = {row[0] for row in kept}
    rows = [row[0] for row in ranked if row[0] in allowed][:wanted]
    return rows if len(rows) == wanted or len(ranked) < limit else None


def _exact(db: sqlite3.Connection, match: str, filters: Filters, wanted: int) -> list[int]:
    condition, values = filters.condition()
    # CROSS JOIN keeps the match outside: the other way round it would run once for each note.
    cursor = db.execute(
        "SELECT m.rowid FROM memories_fts CROSS JOIN memories m "  # noqa: S608  fixed names
        f"ON m.rowid = memories_fts.rowid WHERE memories_fts MATCH ? AND {condition} "
        f"ORDER BY {_BM25}, m.updated_at DESC, m.id DESC LIMIT ?",
        (_all([match, *filters.match()]), *values, wanted),
    )
    return [row[0] for row in cursor]


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
