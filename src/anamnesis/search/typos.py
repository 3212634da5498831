"""Words of the store that a mistyped word probably stands for."""

from __future__ import annotations

from anamnesis.ground.records import replace
from anamnesis.search.query import exchanged
from anamnesis.search.stem import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from anamnesis.search.query import Query, Term

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
    length = len(term.stem)
    found = [
        (apart, -notes, known)
        for known, notes in _vocabulary(db, term.stem[0], length - slips, length + slips)
        if (apart := _apart(term, known, at_most=slips)) <= slips
    ]
    if not found:
        return None
    *_, meant = min(found)
    text = next((form for form in _forms(meant) if stem(form) == meant), meant)
    return replace(term, text=text, stem=meant, kind="typo", weight=_WEIGHT)


def _apart(term: Term, known: str, *, at_most: int) -> int:
    """The slips between a word and a stem of the index, or what a person would write for it."""
    by_stem = distance(term.stem, known, at_most=at_most + 1)
    if not at_most < by_stem <= at_most + 1:
        return by_stem
    return min(distance(term.text, form, at_most=at_most) for form in _forms(known))


def _forms(known: str) -> tuple[str, ...]:
    """Words behind a stem: releas(e), deplo(y) for deploi."""
    return (known, f"{known}e", f"{known.removesuffix('i')}y")


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
