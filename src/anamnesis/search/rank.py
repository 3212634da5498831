"""How well notes answer a question, and why: a pure function of texts and counts.

A note's score is the share of its words (BM25, with a bonus for words that stand together as in
the question), measured against the best note, plus how near it is in meaning, times a light prior
for confident and recent notes. docs/decisions/0012-recall.md has the measurements behind the
constants.
"""

from __future__ import annotations

from datetime import date
from math import log

from anamnesis.ground.records import record
from anamnesis.text import words
from anamnesis.text.words import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.search.matrix import Nearness
    from anamnesis.search.meaning import Meaning
    from anamnesis.search.query import Query, Term

BESIDE = "@"  # before the ids of a second index; no note's own id has it
_SATURATION = 1.2  # BM25's k1: the tenth occurrence of a word says little
_LENGTH = 0.5  # BM25's b; 0.4 suits short turns, 0.75 suits code
_TITLE, _TAGS, _PARTS = 1.5, 1.5, 0.5  # against 1 for the body
COLUMN_WEIGHTS = (0, _TITLE, 1, _TAGS, _PARTS, 0)  # id, title, body, tags, parts, facets
_ADJACENCY = 0.5
_WINDOW = 4  # words apart
MEANING = 0.8  # against 1 for the words of the best note
NEARNESS = 1.25  # the same, for what the encoder says
_READ_FOR_MEANING = 16  # notes; meaning does not lift what ranks lower by its words
_RECENCY = 0.01  # at most; enough to order equals
_HALF_LIFE = 365  # days
_DOUBT = 0.1  # what a confidence of 0 costs
_FUNCTION_SHARE = 0.5  # a function word is taken to be in half of the notes: counting costs more


@record
class Statistics:
    """What the whole store says about the words of a question."""

    notes: int
    average_length: float
    frequencies: Mapping[str, int]  # stem -> notes with it


@record
class Candidate:
    """A note that may answer: its text and what the prior needs."""

    id: str
    title: str
    body: str
    tags: str
    parts: str
    updated_at: str
    confidence: float
    row: int = 0
    vector: bytes | None = None  # what it means, if that was computed before

    @property
    def words(self) -> list[str]:
        """The words of its title and body."""
        return words.tokens(self.title) + words.tokens(self.body)


@record
class Share:
    """What one word gave to a note's score."""

    word: str
    kind: str
    notes: int  # how many have it
    count: float  # in this note; title and tags count more
    points: float


@record
class Why:
    """Why a note ranks where it does."""

    shares: tuple[Share, ...]
    together: float  # points for words that stand together
    words: float  # all points against the best note's
    meaning: float
    nearness: float  # by the encoder, where there is one
    prior: float
    coverage: float  # how much of the question, by weight, the note has

    @property
    def parts(self) -> list[tuple[str, float]]:
        """What contributed how much to the score; the parts add up to it.

        The words come first, in the order of their shares.
        """
        points = sum(share.points for share in self.shares) + self.together
        unit = self.words / points if points else 0.0
        parts = [(share.word, share.points * unit) for share in self.shares]
        parts.append(("words that stand together", self.together * unit))
        parts.append(("related words", MEANING * self.meaning))
        parts.append(("the encoder", NEARNESS * self.nearness))
        whole = sum(value for _, value in parts)
        return [*parts, ("recent and confident", whole * (self.prior - 1))]


class Ranked:
    """A candidate with its score; the explanation is computed on request."""

    __slots__ = ("_best", "_reading", "candidate", "meaning", "nearness", "prior", "score")

    def __init__(
        self, reading: _Reading, *, best: float, meaning: float, nearness: float, newest: int
    ) -> None:
        self.candidate = reading.candidate
        self.meaning, self.nearness = meaning, nearness
        self.prior = _prior(reading.candidate, newest)
        total = reading.points / best + MEANING * meaning + NEARNESS * nearness
        self.score = round(total * self.prior, 9)
        self._reading, self._best = reading, best

    @property
    def points(self) -> float:
        """The points for its words alone."""
        return self._reading.points

    @property
    def matched(self) -> dict[int, float]:
        """The telling words of the question that it has: which, and what each weighs."""
        scorer = self._reading.scorer
        rows = enumerate(zip(scorer.terms, self._reading.counts, strict=True))
        return {at: scorer.weights[at] for at, (term, count) in rows if count and term.selects}

    def matter(self, terms: Mapping[int, float]) -> float:
        """What some words weigh together, in units of a word that no other note has."""
        return sum(terms.values()) * (_SATURATION + 1) / self._reading.scorer.most

    def stems(self, terms: Iterable[int]) -> set[str]:
        """The stems of some words of the question."""
        return {self._reading.scorer.terms[at].stem for at in terms}

    def statement(self, wanted: Mapping[int, float]) -> tuple[float, str]:
        """The statement that, with the title, has most of some words of the question: what, which.

        Of several, the first.
        """
        title, scorer = self.candidate.title, self._reading.scorer
        best, found = -1.0, ""
        for line in self.candidate.body.splitlines() or [""]:
            for sentence in line.split(". "):
                places = scorer.among(words.spaced(f"{title} {sentence}"))
                weight = sum(wanted.get(term, 0.0) for term in {term for _, term in places})
                if weight > best:
                    best, found = weight, sentence
        return best, found.strip() or title

    @property
    def strength(self) -> float:
        """Its points in units of a word that no other note has; comparable between stores."""
        return self._reading.points / self._reading.scorer.most

    @property
    def rarest(self) -> float:
        """What its most telling word alone is worth, in the same units."""
        return max(self._reading.shares, default=0.0) / self._reading.scorer.most

    def why(self) -> Why:
        """The explanation of the score."""
        reading, scorer = self._reading, self._reading.scorer
        rows = zip(scorer.terms, scorer.frequencies, reading.counts, reading.shares, strict=True)
        shares = [
            Share(term.text, term.kind, frequency, count, points)
            for term, frequency, count, points in rows
            if count
        ]
        have = sum(w for w, count in zip(scorer.weights, reading.counts, strict=True) if count)
        return Why(
            shares=tuple(sorted(shares, key=lambda share: -share.points)),
            together=reading.together,
            words=reading.points / self._best,
            meaning=self.meaning,
            nearness=self.nearness,
            prior=self.prior,
            coverage=have / scorer.whole if scorer.whole else 0.0,
        )


def ranked(
    query: Query,
    candidates: Sequence[Candidate],
    statistics: Statistics,
    *,
    meaning: Meaning | None = None,
    nearness: Nearness | None = None,
    best: float = 0.0,
    fresh: dict[int, bytes] | None = None,
) -> list[Ranked]:
    """The candidates, best first; equals by the latest, then by id.

    `best` is the most points that any note has, if that note is not among the candidates. Vectors
    that had to be computed are added to `fresh`, by the row of the note.
    """
    if not candidates:
        return []
    scorer = _Scorer(query, statistics)
    readings = [_Reading(candidate, scorer) for candidate in candidates]
    best = best or max(reading.points for reading in readings) or 1.0
    newest = max(map(_day, candidates))
    # With an encoder, some notes are not here for their words: the meaning of each is compared.
    looked_at = _READ_FOR_MEANING if nearness is None else len(readings)
    by_words = sorted(readings, key=lambda reading: reading.points, reverse=True)
    hits = [
        Ranked(
            reading,
            best=best,
            meaning=_likeness(meaning, reading, fresh) if place < looked_at else 0.0,
            nearness=0.0 if nearness is None else nearness.of(reading.candidate.id),
            newest=newest,
        )
        for place, reading in enumerate(by_words)
    ]
    hits.sort(key=lambda hit: (hit.score, hit.candidate.updated_at, hit.candidate.id), reverse=True)
    return hits


class _Scorer(dict[str, int]):
    """The question's terms, and which of them a word of a text is (-1 for none)."""

    def __init__(self, query: Query, statistics: Statistics) -> None:
        self.terms = query.terms
        self.average = max(statistics.average_length, 1.0)
        self.most = most_points(statistics.notes)
        self.frequencies = [self._frequency(term, statistics) for term in self.terms]
        self.weights = [
            term.weight * rarity(frequency, statistics.notes)
            for term, frequency in zip(self.terms, self.frequencies, strict=True)
        ]
        self.whole = sum(self.weights)
        self.plain = [at for at, term in enumerate(self.terms) if term.kind == "bigram"]
        self.function_words = {t.text: at for at, t in enumerate(self.terms) if not t.selects}
        self._stems = {t.stem: at for at, t in enumerate(self.terms) if t.selects}
        self._starts = [(t.text, at) for at, t in enumerate(self.terms) if t.kind == "prefix"]
        # Stemming changes at most the last letter that it keeps, so a word begins like its stem.
        begun = {start for start, _ in self._starts}
        begun.update(t.stem[:-1] or t.stem for t in self.terms if t.selects)
        self._heads = [f" {head}" for head in begun]
        self.partners = self._partners(query)

    def among(self, spaced: str) -> list[tuple[int, int]]:
        """Where in a text with spaces around each word terms stand: `(place, term)`."""
        # Hardly any word of a note is a term. Searching for how terms begin finds those at once.
        found: dict[int, int] = {}
        for head in self._heads:
            at = spaced.find(head)
            while at >= 0:
                end = spaced.index(" ", at + 1)
                if (term := self[spaced[at + 1 : end]]) >= 0:
                    found[at] = term
                at = spaced.find(head, end)
        return sorted(found.items())

    def __missing__(self, word: str) -> int:
        at = self._stems.get(stem(word), -1)
        if at < 0 and self._starts:
            at = next((at for start, at in self._starts if word.startswith(start)), -1)
        self[word] = at
        return at

    def _frequency(self, term: Term, statistics: Statistics) -> int:
        if term.selects:
            return statistics.frequencies.get(term.stem, 0)
        return int(statistics.notes * _FUNCTION_SHARE)

    def _partners(self, query: Query) -> list[list[tuple[int, int, int]]]:
        """Per term, the pairs it is part of: which pair, the other term, what to add."""
        partners: list[list[tuple[int, int, int]]] = [[] for _ in self.terms]
        for pair, (before, after) in enumerate(dict.fromkeys(query.pairs)):
            first, second = self._stems.get(before, -1), self._stems.get(after, -1)
            if first >= 0 and second >= 0:
                partners[second].append((pair, first, 0))
                partners[first].append((pair, second, 1))  # the other way round counts less
        return partners


class _Reading:
    """One candidate, read with the question in mind."""

    def __init__(self, candidate: Candidate, scorer: _Scorer) -> None:
        self.candidate = candidate
        self.scorer = scorer
        both = words.tokens(candidate.title), words.tokens(candidate.body)
        title, body = (f" {' '.join(tokens)} " for tokens in both)
        head, length = map(len, both)
        tags = words.spaced(candidate.tags)
        in_title, in_body = scorer.among(title), scorer.among(body)
        self.counts = [0.0] * len(scorer.terms)
        self._count(in_title, _TITLE)
        self._count(in_body, 1.0)
        self._count(scorer.among(tags), _TAGS)
        if candidate.parts:
            self._count(scorer.among(words.spaced(candidate.parts)), _PARTS)
        for word, term in scorer.function_words.items():
            if f" {word} " in body or f" {word} " in title:
                self.counts[term] = 1.0
        for term in scorer.plain:
            text = scorer.terms[term].text
            self.counts[term] = _TITLE * candidate.title.count(text) + candidate.body.count(text)
        length += head + len(tags.split())
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * length / scorer.average)
        self.shares = [
            weight * count * (_SATURATION + 1) / (count + damping) if count else 0.0
            for weight, count in zip(scorer.weights, self.counts, strict=True)
        ]
        places = [*_numbered(title, in_title, 0), *_numbered(body, in_body, head + _WINDOW)]
        self.together = _ADJACENCY * _closeness(scorer, places)
        self.points = sum(self.shares) + self.together

    def _count(self, found: Iterable[tuple[int, int]], weight: float) -> None:
        for _, term in found:
            self.counts[term] += weight


def _numbered(
    spaced: str, found: Iterable[tuple[int, int]], first: int
) -> Iterable[tuple[int, int]]:
    """Where terms stand, in words instead of letters; one space is between two words."""
    start = 0
    for at, term in found:
        first += spaced.count(" ", start, at)
        start = at
        yield first, term


def _closeness(scorer: _Scorer, places: list[tuple[int, int]]) -> float:
    """Points for each pair of consecutive words, fewer the further apart they are."""
    last: dict[int, int] = {}
    nearest: dict[int, tuple[int, float]] = {}
    for place, term in places:
        for pair, other, extra in scorer.partners[term]:
            seen = last.get(other)
            if seen is None or (distance := place - seen + extra) > _WINDOW:
                continue
            if pair not in nearest or distance < nearest[pair][0]:
                weight = min(scorer.weights[term], scorer.weights[other])
                nearest[pair] = (distance, weight / distance)
        last[term] = place
    return sum(points for _, points in nearest.values())


def _likeness(meaning: Meaning | None, reading: _Reading, fresh: dict[int, bytes] | None) -> float:
    if meaning is None:
        return 0.0
    vector = reading.candidate.vector
    if vector is None:
        vector = meaning.vector(reading.candidate.words)
        if fresh is not None:
            fresh[reading.candidate.row] = vector
    return max(0.0, meaning.nearness(vector))


def most_points(notes: int) -> float:
    """The most points that a word can give if only one note has it."""
    return (_SATURATION + 1) * rarity(0, notes)


def rarity(frequency: int, notes: int) -> float:
    """BM25's inverse document frequency: a word in every note says nothing."""
    frequency = min(frequency, notes)
    return log(1 + (notes - frequency + 0.5) / (frequency + 0.5))


def _prior(candidate: Candidate, newest: int) -> float:
    age = newest - _day(candidate)
    confidence = min(1.0, max(0.0, candidate.confidence))
    recency: float = 0.5 ** (age / _HALF_LIFE)
    return (1 + _RECENCY * recency) * (1 - _DOUBT * (1 - confidence))


def _day(candidate: Candidate) -> int:
    try:
        return date.fromisoformat(candidate.updated_at[:10]).toordinal()
    except ValueError:
        return 0
