"""The passages of several texts that answer a question: the best of all, not some of each.

What was asked for is seldom in the first lines of the best text, and often in a few lines of the
fourth. So the texts are cut into pieces, and all pieces compete for the room. A piece counts what
its text counts, its share of the question's words, weighted by how few pieces have each, and how
near it is in meaning. docs/decisions/0275-decisive-passages.md has the measurements.
"""

from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.search import meaning
from anamnesis.search import query as queries
from anamnesis.search.excerpts import SENTENCE_END
from anamnesis.search.rank import MEANING, rarity
from anamnesis.text import words
from anamnesis.text.words import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anamnesis.search.query import Term

_PIECE = 500  # characters: a few sentences; 300 answered fewer questions, whole notes far fewer
_LONGEST = 20_000  # characters of a text that are looked through, as the ranking does
_GAP = "…"


@record
class Source:
    """A text that may answer: its rank against the best of its kind, and what naming it costs."""

    text: str
    rank: float
    heading: int  # characters


@record
class Chosen:
    """What was chosen of a source."""

    text: str
    whole: bool


@record
class _Piece:
    source: int
    number: int
    text: str
    words: Sequence[str]
    stems: frozenset[str]

    def has(self, term: Term) -> bool:
        is_part = term.kind in ("bigram", "prefix") and term.text in self.text
        return is_part or term.stem in self.stems


def decisive(
    question: str,
    sources: Sequence[Source],
    *,
    room: int,
    piece: int = _PIECE,
    most: int | None = None,
) -> list[Chosen | None]:
    """What to show of each source, in `room` characters with the headings; None for nothing.

    Pieces have about `piece` characters, and come from at most so many sources.
    """
    cut = [list(_pieces(source.text[:_LONGEST], longest=piece)) for source in sources]
    pieces = [
        _piece(at, number, text)
        for at, texts in enumerate(cut)
        for number, text in enumerate(texts or [""])
    ]
    kept: dict[int, list[_Piece]] = {}
    for each in _best_first(question, sources, pieces):
        cost = len(each.text) + 2 * len(_GAP) + 2
        if each.source not in kept:
            if len(kept) == most:
                continue
            cost += sources[each.source].heading
        if cost <= room:
            room -= cost
            kept.setdefault(each.source, []).append(each)
    return [
        _joined(source, sorted(kept[at], key=lambda piece: piece.number), of=len(cut[at]))
        if at in kept
        else None
        for at, source in enumerate(sources)
    ]


def _piece(source: int, number: int, text: str) -> _Piece:
    tokens = words.tokens(text)
    return _Piece(source, number, text, tokens, frozenset(map(stem, tokens)))


def _best_first(question: str, sources: Sequence[Source], pieces: Sequence[_Piece]) -> list[_Piece]:
    query = queries.read(question)
    meant = meaning.of(query.words)
    having = {term: sum(piece.has(term) for piece in pieces) for term in query.terms}
    weights = {
        term: term.weight * rarity(number, len(pieces))
        for term, number in having.items()
        if term.selects and number
    }
    whole = sum(weights.values()) or 1.0

    def worth(piece: _Piece) -> float:
        share = sum(weight for term, weight in weights.items() if piece.has(term)) / whole
        near = meant.nearness(meant.vector(piece.words)) if meant else 0.0
        return sources[piece.source].rank + share + MEANING * max(0.0, near)

    return sorted(pieces, key=worth, reverse=True)


def _pieces(text: str, *, longest: int) -> Iterator[str]:
    """The lines of a text, short ones together and long ones in sentences."""
    piece = ""
    for part in _parts(text, longest=longest):
        if piece and len(piece) + len(part) > longest:
            yield piece.strip("\n")
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip("\n")


def _parts(text: str, *, longest: int) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        sentences = [line] if len(line) <= longest else re.split(SENTENCE_END, line)
        for at, sentence in enumerate(sentences):
            space = " " if at + 1 < len(sentences) else ""
            for start in range(0, len(sentence) + len(space), longest):
                yield f"{sentence}{space}"[start : start + longest]


def _joined(source: Source, kept: Sequence[_Piece], *, of: int) -> Chosen:
    if len(kept) >= of and len(source.text) <= _LONGEST:
        return Chosen(source.text, whole=True)
    text, last = "", -1
    for piece in kept:
        text += (f"{_GAP}\n" if piece.number > last + 1 else "") + f"{piece.text}\n"
        last = piece.number
    return Chosen(text + (_GAP if last + 1 < of else ""), whole=False)
