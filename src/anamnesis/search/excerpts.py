"""The part of a note that answers: title and best passage with marks, or the telling lines."""

from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.text import words
from anamnesis.text.words import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.search.rank import Share

    Span = tuple[int, int, str]  # where a word that matches stands, and which one it is


_JOINT = "[a-z][A-Z]|_"
START, END = "\x02", "\x03"
_LONGEST = 20_000  # characters of a body that are looked through, as the ranking does
_BEFORE, _LENGTH = 40, 230  # characters of a passage before the first match, and in all
_MOST_WORDS = 6  # that are marked: those that gave most to the score
_LONG_LINE = 240  # characters; a longer line is taken apart into sentences
SENTENCE_END = "(?<=[.!?;])\\s+|(?<=[\u3002\uff01\uff1f\uff1b])"
_BESIDE = 0.3  # of a piece's worth counts for its neighbours: an answer follows its question
_GAP = "…"


@record
class Excerpt:
    """A title and a passage in which START and END enclose what matched."""

    title: str
    passage: str
    words: tuple[str, ...]  # that matched, as they stand in the note


def excerpt(db: sqlite3.Connection, note_id: str, shares: Iterable[Share]) -> Excerpt | None:
    """The parts of a note that gave it its score."""
    telling = [share for share in shares if share.kind != "function"][:_MOST_WORDS]
    row = db.execute(
        "SELECT title, substr(body, 1, ?), tags FROM memories_fts "
        "WHERE rowid = (SELECT rowid FROM memories WHERE id = ?)",
        (_LONGEST, note_id),
    ).fetchone()
    if row is None or not telling:
        return None
    texts = [text.replace(START, "").replace(END, "") for text in row]
    spans = [_spans(text, telling) for text in texts]
    matched = [
        text[a:b].lower() for text, each in zip(texts, spans, strict=True) for a, b, _ in each
    ]
    title, body, _ = texts
    in_title, in_body, _ = spans
    return Excerpt(
        title=_marked(title, in_title, 0, len(title)),
        passage=_passage(body, in_body),
        words=tuple(dict.fromkeys(matched))[:_MOST_WORDS],
    )


def _spans(text: str, shares: Sequence[Share]) -> list[Span]:
    stems = {stem(share.word): share.word for share in shares}
    begun = tuple(share.word for share in shares if share.kind == "prefix")
    heads = {share.word[:2] for share in shares}  # most words need no stemming to be told apart
    spans: list[Span] = []
    for match in re.finditer(r"\w+", text):
        word = words.fold(match[0])
        if word[:2] in heads and (stem(word) in stems or (begun and word.startswith(begun))):
            spans.append((*match.span(), stems.get(stem(word), word)))
        elif re.search(_JOINT, match[0]):
            spans += _matching_pieces(match, stems)
    for share in shares:
        if share.kind == "bigram":
            places = re.finditer(re.escape(share.word), text, re.IGNORECASE)
            spans += [(*place.span(), share.word) for place in places]
    return _apart(sorted(spans))


def _matching_pieces(match: re.Match[str], stems: dict[str, str]) -> list[Span]:
    """The parts of an identifier that match."""
    return [
        (match.start() + piece.start(), match.start() + piece.end(), stems[stem(piece[0].lower())])
        for piece in words.PIECE.finditer(match[0])
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
    """The stretch with the most different matching words, cut between words."""
    best = max(spans, key=lambda span: (_variety(spans, span[0]), -span[0]), default=(0, 0, ""))
    first = max(0, best[0] - _BEFORE)
    if first:
        first = body.find(" ", first, best[0]) + 1 or best[0]
    last = min(len(body), first + _LENGTH)
    if last < len(body):
        end = body.rfind(" ", best[1], last)
        last = end if end > first else last
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


def passage(body: str, weights: Mapping[str, float], *, room: int) -> str:
    """At most `room` characters of a body: all of it, or the parts with the most telling words.

    `weights` gives the points of each word that the note was found by.
    """
    if len(body) <= room:
        return body
    pieces = _pieces(body[:_LONGEST])
    own = [_worth(text, weights) for _, text in pieces]
    worth = [
        value + _BESIDE * max(own[at - 1] if at else 0.0, own[at + 1] if at + 1 < len(own) else 0.0)
        for at, value in enumerate(own)
    ]
    kept: set[int] = set()
    space = room - 2 * len(_GAP)
    for at in sorted(range(len(pieces)), key=lambda at: (-worth[at], at)):
        size = len(pieces[at][1]) + len(_GAP) + 2
        if size <= space and (worth[at] or not kept):
            kept.add(at)
            space -= size
    return _joined(pieces, sorted(kept)) if kept else _cut(pieces, worth, room)


def _pieces(body: str) -> list[tuple[str, str]]:
    """Lines and, of long ones, sentences; each with what stood before it."""
    pieces: list[tuple[str, str]] = []
    for line in body.splitlines():
        if not line.strip():
            continue
        parts = re.split(SENTENCE_END, line) if len(line) > _LONG_LINE else [line]
        pieces += [(" " if at else "\n", part.rstrip()) for at, part in enumerate(parts) if part]
    return pieces


def _worth(text: str, weights: Mapping[str, float]) -> float:
    stems = {stem(word) for word in words.tokens(text)}
    folded = text.lower()
    return sum(
        points
        for word, points in weights.items()
        if stem(word) in stems or (word in folded and not word.isdigit())
    )


def _joined(pieces: Sequence[tuple[str, str]], kept: Sequence[int]) -> str:
    text, last = "", -1
    for at in kept:
        before, piece = pieces[at]
        gap = f"{before}{_GAP}{before}" if at > last + 1 else before
        text += gap + piece
        last = at
    return text.strip("\n ") + (f" {_GAP}" if last + 1 < len(pieces) else "")


def _cut(pieces: Sequence[tuple[str, str]], worth: Sequence[float], room: int) -> str:
    """The most telling piece where none fits as a whole."""
    best = max(range(len(pieces)), key=worth.__getitem__, default=-1)
    return pieces[best][1][: room - len(_GAP)].rstrip() + _GAP if best >= 0 else ""
