"""Words of the store that a mistyped word probably stands for."""

from __future__ import annotations

from anamnesis.index.query import exchanged
from anamnesis.index.stem import stem
from anamnesis.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from anamnesis.index.query import Query, Term

_SHORTEST = 4  # letters; shorter words have too many neighbours
_TWO_SLIPS = 8  # letters from which on two slips are forgiven
_MOST_WORDS = 4  # of a question, the longest: each costs a look through a part of the vocabulary
_MENDABLE = ("word", "prefix")
_WEIGHT = 0.7


def corrected(db: sqlite3.Connection, query: Query) -> Query:
    """The question with its longest words replaced by the likeliest words of the store."""
    words = [t for t in query.terms if t.kind in _MENDABLE and len(t.text) >= _SHORTEST]
    words = sorted(words, key=lambda term: -len(term.text))[:_MOST_WORDS]
    meant = {term.stem: better for term in words if (better := likeliest(db, term))}
    return exchanged(query, meant)


def likeliest(db: sqlite3.Connection, term: Term) -> Term | None:
    """The most common word of the store among those nearest to this one."""
    slips = 2 if len(term.text) >= _TWO_SLIPS else 1
    best: tuple[int, int, str] | None = None
    for word, notes in _vocabulary(
        db, term.stem[0], len(term.stem) - slips, len(term.stem) + slips
    ):
        apart = distance(term.stem, word, at_most=slips)
        if apart <= slips and (best is None or (apart, -notes, word) < best):
            best = (apart, -notes, word)
    if best is None:
        return None
    return replace(term, text=best[2], stem=stem(best[2]), kind="typo", weight=_WEIGHT)


def _vocabulary(
    db: sqlite3.Connection, initial: str, shortest: int, longest: int
) -> list[tuple[str, int]]:
    db.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary "
        "USING fts5vocab(main, memories_fts, row)"
    )
    found = db.execute(
        "SELECT term, doc FROM temp.vocabulary "
        "WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
        (initial, chr(ord(initial) + 1), shortest, longest),
    )
    return [(word, notes) for word, notes in found]


def distance(one: str, other: str, *, at_most: int) -> int:
    """How many letters to change, add, drop or swap; anything above `at_most` means "far"."""
    if abs(len(one) - len(other)) > at_most:
        return at_most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i]
        for j, rival in enumerate(other, 1):
            cost = min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != rival))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == rival:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
        if min(row) > at_most:
            return at_most + 1
    return row[-1]
