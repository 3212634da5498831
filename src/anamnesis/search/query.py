"""A question: free text as terms to look for, and the filters that every hit has to meet."""

from __future__ import annotations

import re
from itertools import pairwise

from anamnesis.ground.records import record, replace
from anamnesis.index import vocabulary
from anamnesis.text import languages, words
from anamnesis.text.words import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.text.languages import Language


_FUNCTION_WEIGHT = 0.2  # enough to order notes that match the rest equally
_LIGHT_WEIGHT = 0.4
_PART_WEIGHT = 0.5  # a piece of an identifier says half of what the identifier says
# A prompt can be pages long. Its point is at the beginning or at the end.
_FIRST_WORDS, _LAST_WORDS = 32, 16


@record
class Term:
    """One word to look for, and how much it matters."""

    text: str
    stem: str
    weight: float = 1.0
    kind: str = "word"  # word, light, function, part, bigram, prefix or typo
    forms: tuple[str, ...] = ()  # of a prefix: the words of the store that it stands for

    @property
    def selects(self) -> bool:
        """Whether a note can be found by this word alone."""
        return self.kind != "function"

    @property
    def match(self) -> str:
        """The word as a match expression: quoted, so that it is never an operator."""
        if self.forms:
            return f"({any_of(self.forms)})"
        return f'"{self.text}"*' if self.kind == "prefix" else f'"{self.text}"'


@record
class Query:
    """A free text as terms."""

    terms: tuple[Term, ...]  # each stem once, in the order of the text
    pairs: tuple[tuple[str, str], ...]  # stems of words that follow one another
    words: tuple[str, ...]  # all words as they stand, for their meaning
    language: Language | None = None  # None for English


def _fts_query(query: str) -> str:
    """Every word of the text, quoted so that none is an operator, joined with OR."""
    return any_of(re.findall(r"\w+", query))


def any_of(texts: Iterable[str]) -> str:
    """A match expression for notes with at least one of these words."""
    return " OR ".join(f'"{text}"' for text in texts)


def read(text: str) -> Query:
    """The terms of a free text; nothing in it is ever an operator."""
    sequence = _bounded(words.tokens(text))
    terms: dict[str, Term] = {}
    language = languages.language_of(sequence)
    for word in sequence:
        if not words.unspaced(word):
            _add(terms, _word(word, language))
    for compound in words.compounds(text)[:_FIRST_WORDS]:
        for part in _parts(compound):
            _add(terms, part)
    for run in words.unspaced(words.fold(text))[:_FIRST_WORDS]:
        for pair in words.bigrams(run)[:_FIRST_WORDS]:
            _add(terms, Term(pair, pair, kind="bigram" if len(pair) > 1 else "prefix"))
    if terms and not any(term.selects for term in terms.values()):
        # Only function words: then they are what is asked for.
        terms = {key: Term(term.text, term.stem) for key, term in terms.items()}
    strong = [stem(word) for word in sequence if _is_strong(terms.get(stem(word)))]
    pairs = tuple((a, b) for a, b in pairwise(strong) if a != b)
    return Query(tuple(terms.values()), pairs, tuple(sequence), language)


def last_word(query: Query) -> Term | None:
    """The word that may still be being typed."""
    last = stem(query.words[-1]) if query.words else ""
    return next((term for term in query.terms if term.stem == last and len(last) > 1), None)


def exchanged(query: Query, instead: Mapping[str, Term]) -> Query:
    """The query with other terms for some stems."""
    terms = (instead.get(term.stem, term) for term in query.terms)
    return replace(query, terms=tuple({term.stem: term for term in terms}.values()))


def _bounded(sequence: list[str]) -> list[str]:
    distinct = list(dict.fromkeys(sequence))
    if len(distinct) <= _FIRST_WORDS + _LAST_WORDS:
        return sequence
    kept = {*distinct[:_FIRST_WORDS], *distinct[-_LAST_WORDS:]}
    return [word for word in dict.fromkeys(sequence) if word in kept]


def _word(word: str, language: Language | None) -> Term:
    if language is not None:
        if word in language.function_words:
            return Term(word, stem(word), _FUNCTION_WEIGHT, "function")
        if word.isalpha() and (start := language.stem(word)):
            return Term(start, start, kind="prefix")
    if word in words.FUNCTION_WORDS:
        return Term(word, stem(word), _FUNCTION_WEIGHT, "function")
    if word in words.LIGHT_WORDS:
        return Term(word, stem(word), _LIGHT_WEIGHT, "light")
    return Term(word, stem(word))


def _parts(compound: str) -> list[Term]:
    pieces = [piece for word in words.WORD.findall(compound) for piece in words.pieces(word)]
    folded = [words.fold(piece) for piece in (*pieces, words.joined(compound)) if piece]
    useful = [piece for piece in folded if len(piece) > 1 and piece not in words.FUNCTION_WORDS]
    return [Term(piece, stem(piece), _PART_WEIGHT, "part") for piece in useful]


def _add(terms: dict[str, Term], term: Term) -> None:
    present = terms.get(term.stem)
    if present is None or present.weight < term.weight:
        terms[term.stem] = term


def _is_strong(term: Term | None) -> bool:
    return term is not None and term.kind in ("word", "light")


_EQUAL = (("type", "type"), ("scope", "scope"), ("machine_id", "machine"))


_KNOWN_THEN = "substr(m.created_at, 1, length(?)) <= ?"
_NOT_REPLACED_THEN = (
    "NOT EXISTS (SELECT 1 FROM supersessions s JOIN memories later ON later.id = s.memory_id "
    "WHERE s.target = m.id AND substr(later.created_at, 1, length(?)) <= ?)"
)


@record
class Filters:
    """Conditions that every hit meets; empty ones do not apply."""

    projects: tuple[str, ...] = ()  # any of them
    type: str = ""
    scope: str = ""
    tags: tuple[str, ...] = ()  # all of them
    machine: str = ""
    source: str = ""
    since: str = ""  # ISO 8601, a date or a time: updated then or later
    until: str = ""  # updated then or earlier; a date includes its whole day
    file: str = ""  # a path or file name that the note mentions
    include_superseded: bool = False
    as_of: str = ""  # a date or a time: what was there then and not replaced yet
    also: tuple[str, Sequence[str]] = ("", ())  # a further condition on `memories m`, its values

    @property
    def only_projects(self) -> bool:
        """Whether there are no filters except, perhaps, projects."""
        return self == Filters(self.projects, include_superseded=self.include_superseded)

    def condition(self) -> tuple[str, list[str]]:
        """The filters as SQL on `memories m` and `memories_fts`, with their values."""
        clauses, values = self._supersession()
        if self.projects:
            clauses.append(f"m.project IN ({', '.join('?' * len(self.projects))})")
            values += self.projects
        for column, field in _EQUAL:
            if value := getattr(self, field):
                clauses.append(f"m.{column} = ?")
                values.append(value)
        if self.source:
            from anamnesis.index.note_filter import SOURCE  # seldom asked for

            clauses.append(f"{SOURCE} = ?")
            values.append(self.source)
        for tag in self.tags:
            clauses.append(
                "EXISTS (SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id AND t.tag = ?)"
            )
            values.append(tag)
        if self.since:
            clauses.append("m.updated_at >= ?")
            values.append(self.since)
        if self.until:
            clauses.append("substr(m.updated_at, 1, length(?)) <= ?")
            values += [self.until, self.until]
        if self.file:
            clauses.append(
                "(instr(lower(memories_fts.body), lower(?)) "
                "OR instr(lower(memories_fts.title), lower(?)))"
            )
            values += [self.file, self.file]
        if self.also[0]:
            clauses.append(self.also[0])
            values += self.also[1]
        return " AND ".join(clauses), values

    def _supersession(self) -> tuple[list[str], list[str]]:
        """The condition on superseded notes: as of now, or of a day in the past."""
        if not self.as_of:
            return ["1" if self.include_superseded else "m.superseded = 0"], []
        if self.include_superseded:
            return [_KNOWN_THEN], [self.as_of] * 2
        return [_KNOWN_THEN, _NOT_REPLACED_THEN], [self.as_of] * 4

    def match(self) -> list[str]:
        """The part of the filters that the full-text index itself can apply."""
        clauses = []
        if self.projects:
            clauses.append(any_of(map(vocabulary.facet, self.projects)))
        if path := words.tokens(self.file):
            clauses.append(f'"{" ".join(path)}"')
        return clauses


EVERYTHING = Filters()
