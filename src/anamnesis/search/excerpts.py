"""What of a note answers a query: its title and the best passage, with marks around the words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.index import words
from anamnesis.index.stem import stem

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from anamnesis.search.rank import Share

    Span = tuple[int, int, str]  # where a word that matches stands, and which one it is

_JOINT = re.compile(r"[a-z][A-Z]|_")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
START, END = "\x02", "\x03"
_LONGEST = 20_000  # characters of a body that are looked through, as the ranking does
_BEFORE, _LENGTH = 40, 230  # characters of a passage before the first match, and in all
_MOST_WORDS = 6  # that are marked: those that gave most to the score


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A title and a passage in which START and END enclose what matched."""

    title: str
    passage: str
    words: tuple[str, ...]  # that matched, as they stand in the note


def excerpt(db: sqlite3.Connection, note_id: str, shares: Iterable[Share]) -> Excerpt | None:
    """What of a note gave it its score."""
    wanted = [share for share in shares if share.kind != "function"][:_MOST_WORDS]
    row = db.execute(
        "SELECT title, substr(body, 1, ?), tags FROM memories_fts "
        "WHERE rowid = (SELECT rowid FROM memories WHERE id = ?)",
        (_LONGEST, note_id),
    ).fetchone()
    if row is None or not wanted:
        return None
    texts = [text.replace(START, "").replace(END, "") for text in row]
    spans = [_spans(text, wanted) for text in texts]
    found = [text[a:b].lower() for text, each in zip(texts, spans, strict=True) for a, b, _ in each]
    title, body, _ = texts
    in_title, in_body, _ = spans
    return Excerpt(
        title=_marked(title, in_title, 0, len(title)),
        passage=_passage(body, in_body),
        words=tuple(dict.fromkeys(found))[:_MOST_WORDS],
    )


def _spans(text: str, wanted: Sequence[Share]) -> list[Span]:
    stems = {stem(share.word): share.word for share in wanted}
    begun = tuple(share.word for share in wanted if share.kind == "prefix")
    heads = {share.word[:2] for share in wanted}  # most words need no stemming to be told apart
    found: list[Span] = []
    for match in re.finditer(r"\w+", text):
        word = words.fold(match[0])
        if word[:2] in heads and (stem(word) in stems or (begun and word.startswith(begun))):
            found.append((*match.span(), stems.get(stem(word), word)))
        elif _JOINT.search(match[0]):
            found += _pieces(match, stems)
    for share in wanted:
        if share.kind == "bigram":
            places = re.finditer(re.escape(share.word), text, re.IGNORECASE)
            found += [(*place.span(), share.word) for place in places]
    return _apart(sorted(found))


def _pieces(match: re.Match[str], stems: dict[str, str]) -> list[Span]:
    """The parts of an identifier that match."""
    return [
        (match.start() + piece.start(), match.start() + piece.end(), stems[stem(piece[0].lower())])
        for piece in _PIECE.finditer(match[0])
        if stem(piece[0].lower()) in stems
    ]


def _apart(spans: list[Span]) -> list[Span]:
    """The spans without those that overlap an earlier one."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _passage(body: str, spans: Sequence[Span]) -> str:
    """The stretch with most different words that match, from the start of a word."""
    if not spans:
        return body[:_LENGTH]
    best = max(spans, key=lambda span: (_variety(spans, span[0]), -span[0]))
    first = max(0, best[0] - _BEFORE)
    if first:
        first = body.find(" ", first, best[0]) + 1 or best[0]
    last = min(len(body), first + _LENGTH)
    dots = ("…" if first else "", "…" if last < len(body) else "")
    return f"{dots[0]}{_marked(body, spans, first, last)}{dots[1]}"


def _variety(spans: Sequence[Span], start: int) -> int:
    return len({word for a, _, word in spans if start <= a < start + _LENGTH - _BEFORE})


def _marked(text: str, spans: Sequence[Span], first: int, last: int) -> str:
    pieces, at = [], first
    for start, end, _ in spans:
        if start >= first and end <= last:
            pieces += [text[at:start], START, text[start:end], END]
            at = end
    return "".join([*pieces, text[at:last]])
