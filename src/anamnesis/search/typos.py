"""Words of the store that a mistyped word probably stands for."""

from __future__ import annotations

from functools import lru_cache

from anamnesis.ground.records import replace
from anamnesis.index.vocabulary import words_beginning, words_between
from anamnesis.search.query import exchanged
from anamnesis.text.words import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from anamnesis.search.query import Query, Term

_SHORTEST = 4  # letters; shorter words have too many neighbours
_TWO_SLIPS = 8  # letters; from this length on two slips are forgiven
_MOST_WORDS = 4  # of a question, the longest: each means scanning a part of the vocabulary
_CORRECTABLE = ("word", "prefix")
_WEIGHT = 0.7
_COMPLETIONS = 16  # words that a half-typed one may become
_MOST_NOTES = 4000  # that have one of them
_FOUND = "SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT 1"
_TRIED = 3  # words in turn, of those that are as near


def corrected(db: sqlite3.Connection, query: Query) -> Query:
    """The question with its longest words replaced by the likeliest words of the store."""
    words = [t for t in query.terms if t.kind in _CORRECTABLE and len(t.text) >= _SHORTEST]
    words = sorted(words, key=lambda term: -len(term.text))[:_MOST_WORDS]
    corrections = {term.stem: better for term in words if (better := likeliest(db, term))}
    return exchanged(query, corrections)


def completed(db: sqlite3.Connection, term: Term) -> Term:
    """A half-typed word, with the words of the store that it most likely becomes.

    A twentieth of all words share two initial letters. Searching for all of those would read half
    of the notes.
    """
    known = words_beginning(db, term.text, most=_COMPLETIONS)
    forms: list[str] = []
    notes = 0
    for word, having in known:
        if forms and notes + having > _MOST_NOTES:
            continue
        forms.append(written(word))
        notes += having
    return replace(term, forms=tuple(forms))


def likeliest(db: sqlite3.Connection, term: Term) -> Term | None:
    """The most common word of the store among those nearest to this one."""
    slips = 2 if len(term.text) >= _TWO_SLIPS else 1
    length, initial = len(term.stem), term.stem[0]
    known = words_between(
        db, initial, chr(ord(initial) + 1), lengths=(length - slips, length + slips)
    )
    letters = {*term.stem}
    nearest = sorted(
        (apart, -notes, word)
        for word, notes in known
        # Most words have different letters, which is checked far faster than their distance.
        if len(letters.difference(word)) <= slips + 1
        and len({*word}.difference(letters)) <= slips + 1
        and (apart := _apart(term, word, at_most=slips)) <= slips
    )
    for *_, meant in nearest[:_TRIED]:
        better = replace(term, text=written(meant), stem=meant, kind="typo", weight=_WEIGHT)
        if db.execute(
            _FOUND, (better.match,)
        ).fetchone():  # the vocabulary may know words that are gone
            return better
    return None


def written(known: str) -> str:
    """A word that the tokenizer reduces to this stem; the stem itself if none is known."""
    return next((form for form in _forms(known) if stem(form) == known), known)


def _apart(term: Term, known: str, *, at_most: int) -> int:
    """The typing errors between a word and a stem of the index, or one of its spellings."""
    by_stem = distance(term.stem, known, at_most=at_most + 1)
    if not at_most < by_stem <= at_most + 1:
        return by_stem
    return min(distance(term.text, form, at_most=at_most) for form in _forms(known))


def _forms(known: str) -> tuple[str, ...]:
    """Words behind a stem: releas(e), deplo(y) for deploi."""
    return (known, f"{known}e", f"{known.removesuffix('i')}y")


def distance(one: str, other: str, *, at_most: int) -> int:
    """How many letters to change, add, drop or swap; anything above `at_most` means "far"."""
    if abs(len(one) - len(other)) > at_most:
        return at_most + 1
    if not one:
        return len(other)
    # A column of the usual table at a time, in two numbers: where it grows by one from a row to the
    # next, and where it shrinks (Hyyrö 2003). Bit 0 is the first letter of `one`.
    all_rows, last_row = (1 << len(one)) - 1, 1 << len(one) >> 1
    grows, shrinks, same, before = all_rows, 0, 0, 0
    slips = len(one)
    places = _places(one)
    for letter in other:
        here = places.get(letter, 0)
        swapped = (~same & here) << 1 & before
        same = (((here & grows) + grows) ^ grows) | here | shrinks | swapped
        dearer, cheaper = shrinks | ~(same | grows), same & grows
        if dearer & last_row:
            slips += 1
        elif cheaper & last_row:
            slips -= 1
        dearer = dearer << 1 | 1
        grows = (cheaper << 1 | ~(same | dearer)) & all_rows
        shrinks = dearer & same & all_rows
        before = here
    return min(slips, at_most + 1)


@lru_cache(maxsize=8)
def _places(word: str) -> dict[str, int]:
    """At which places of a word each of its letters stands, as bits."""
    places: dict[str, int] = {}
    for at, letter in enumerate(word):
        places[letter] = places.get(letter, 0) | 1 << at
    return places
