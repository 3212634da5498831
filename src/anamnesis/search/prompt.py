"""Whether a note answers what somebody just typed: the notes that do, or nothing.

A search may give its best guess, for somebody looks at it. A prompt is interrupted by what is
given, so a note must earn that by three figures, each of which means the same in a store of 25
notes and of 50,000:

coverage  how much of what the prompt says, weighed by rarity, the note says too
strength  its points by words, in units of a word that no other note has
lead      how far it is ahead of the next note

A name that few notes contain (`EADDRINUSE`, `busy_timeout`, `src/app.py`, 5432) is enough alone.
Where words leave it open, the vectors of words decide. docs/decisions/0070-prompts.md has the
measurements behind the constants.
"""

from __future__ import annotations

from anamnesis.ground.counting import counted
from anamnesis.ground.records import record, replace
from anamnesis.search import engine, languages, names, rank, select
from anamnesis.search import query as queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence

    from anamnesis.search.filters import Filters
    from anamnesis.search.matrix import Nearness
    from anamnesis.search.meaning import Meaning
    from anamnesis.search.query import Query, Term

MOST = 3  # notes that are given at a time

_PROMPT_LENGTH = 4_000  # characters; what follows is pasted
_MOST_TERMS = 16  # that are looked for; every word more makes the search of a large store slower
_LOOKED_AT = 12  # notes; beyond, the order by words says that they say less
_SMALLEST = 50  # notes: in a store of three, a word that two of them have is still a rare word
_LEAD = 1 / 3
_ENOUGH = 2.2  # coverage, strength and a third of the lead, without asking what words mean
_ENOUGH_UNASKED = 1.8  # the same, where the vectors have nothing to say
_OPEN = 1.0  # less is never enough, whatever the words mean
_MEANING = 6.0  # the cosine of the right note is some 0.2 above that of a wrong one
_ENOUGH_WITH_MEANING = 4.6
# Of the encoder. So many deviations cannot be had by chance in a store of less than some twenty.
_NEAR, _STANDS_OUT, _AHEAD = 0.7, 4.0, 0.8
_UNDERSTOOD = 0.6  # of the words of a prompt must have a vector; the rest may be the point
_BESIDE_BEST = 0.8  # of the best note's points; what has fewer is crumbs beside it


@record
class Answer:
    """A note that answers a prompt: where it is, why it does, and the words to show it by."""

    id: str
    scope: str
    path: str
    why: str
    weights: Mapping[str, float]  # stem -> points, for choosing the passage


@record
class _Evidence:
    """What speaks for a note."""

    hit: rank.Ranked
    coverage: float
    strength: float
    lead: float
    names: tuple[str, ...] = ()
    meaning: float = 0.0
    nearness: float = 0.0  # by the encoder, if that decided

    @property
    def by_words(self) -> float:
        return self.coverage + self.strength + _LEAD * self.lead

    @property
    def is_open(self) -> bool:
        """Whether words say neither yes nor no."""
        return not self.names and _OPEN <= self.by_words < _ENOUGH

    @property
    def is_enough(self) -> bool:
        if self.names or self.by_words >= _ENOUGH:
            return True
        if not self.meaning:
            return self.by_words >= _ENOUGH_UNASKED
        return self.is_open and self.by_words + _MEANING * self.meaning >= _ENOUGH_WITH_MEANING

    @property
    def why(self) -> str:
        """The reason, for the receipt."""
        shares = [share for share in self.hit.why().shares if share.kind != "function"]
        said = ", ".join(f"{share.word} (in {counted(share.notes, 'note')})" for share in shares)
        named = f"names {', '.join(self.names)}; " if self.names else ""
        meant = f" + {_MEANING:g} x {self.meaning:.2f} meaning" if self.meaning else ""
        near = f", {self.nearness:.2f} near" if self.nearness else ""
        return (
            f"{named}{self.coverage:.2f} coverage + {self.strength:.2f} strength "
            f"+ {self.lead:.2f} lead{meant}{near}: {said}"
        )


def answers(
    db: sqlite3.Connection,
    prompt: str,
    *,
    filters: Filters,
    nearness: Callable[[], Nearness | None] | None = None,
) -> list[Answer]:
    """The notes that answer a prompt, best first; mostly none.

    `nearness` asks the encoder, where there is one; that is slow, so it is asked last.
    """
    text = prompt[:_PROMPT_LENGTH]
    query = _bounded(queries.read(text))
    known = select.statistics(db, query.terms)
    named = names.found(db, text, filters=filters)
    terms = [term for term in query.terms if known.frequencies.get(term.stem)]
    if not terms and not named:
        return []
    rows = select.candidates(db, terms, known, filters=filters, wanted=_LOOKED_AT) if terms else []
    rows += [row for row in named if row not in rows]
    places: dict[str, tuple[str, str]] = {}
    block = engine.texts(db, rows, places)
    known = replace(known, notes=max(known.notes, _SMALLEST))
    hits = rank.ranked(query, block, known)
    by_id = {id: said for row, (id, said) in named.items() if row in rows}
    evidence = [_evidence(hit, hits, query, known, by_id) for hit in hits]
    return [
        Answer(each.hit.candidate.id, *places[each.hit.candidate.id], each.why, _weights(each))
        for each in _chosen(evidence, query, nearness)
    ]


def _bounded(query: Query) -> Query:
    """The query with its most telling terms only."""
    telling = [term for term in query.terms if term.selects]
    telling.sort(key=lambda term: (term.kind == "light", -term.weight, -len(term.text)))
    kept = {term.stem for term in telling[:_MOST_TERMS]}
    return replace(query, terms=tuple(term for term in query.terms if term.stem in kept))


def _evidence(
    hit: rank.Ranked,
    hits: Sequence[rank.Ranked],
    query: Query,
    known: rank.Statistics,
    named: Mapping[str, tuple[str, ...]],
) -> _Evidence:
    have = {share.word for share in hit.why().shares}
    weights = {term.text: _weight(term, known) for term in query.terms}
    whole = sum(weights.values())
    rival = max((other.points for other in hits if other is not hit), default=0.0)
    return _Evidence(
        hit,
        coverage=sum(weights[word] for word in have) / whole if whole else 0.0,
        strength=hit.points / rank.most_points(known.notes),
        lead=max(0.0, 1 - rival / hit.points) if hit.points else 0.0,
        names=named.get(hit.candidate.id, ()),
    )


def _weight(term: Term, known: rank.Statistics) -> float:
    return term.weight * rank.rarity(known.frequencies.get(term.stem, 0), known.notes)


def _chosen(
    evidence: Sequence[_Evidence], query: Query, nearness: Callable[[], Nearness | None] | None
) -> list[_Evidence]:
    """The best note if it is good enough, and those that are as good."""
    best = max((each.hit.points for each in evidence), default=0.0)
    worth = [e for e in evidence if e.names or e.hit.points >= best * _BESIDE_BEST][:MOST]
    if any(each.is_open for each in worth):
        meaning = _meaning(query)
        worth = [_with_meaning(each, meaning) if each.is_open else each for each in worth]
    chosen = [each for each in worth if each.is_enough]
    if not chosen and nearness and any(each.is_open for each in evidence):
        chosen = _near(evidence, nearness())
    return chosen


def _near(evidence: Sequence[_Evidence], nearness: Nearness | None) -> list[_Evidence]:
    """The one note that stands out by what it says, among those whose words leave it open."""
    if nearness is None:
        return []
    by_nearness = sorted(evidence, key=lambda each: -nearness.cosine(each.hit.candidate.id))
    nearest = by_nearness[0]
    cosine = nearness.cosine(nearest.hit.candidate.id)
    rival = max((nearness.cosine(e.hit.candidate.id) for e in by_nearness[1:2]), default=0.0)
    stands_out = nearness.deviations(cosine) >= _STANDS_OUT
    ahead = nearness.deviations(cosine) - nearness.deviations(rival) >= _AHEAD
    if not (nearest.is_open and cosine >= _NEAR and stands_out and ahead):
        return []
    return [replace(nearest, nearness=cosine)]


def _meaning(query: Query) -> Meaning | None:
    """What the prompt means, as far as the vectors of English words can tell."""
    from anamnesis.search import meaning  # most prompts are decided without

    said = [term.text for term in query.terms if term.kind in ("word", "light")]
    known = sum(map(meaning.knows, said))
    if languages.of(query.words) or known < _UNDERSTOOD * len(said):
        return None
    return meaning.of(query.words, pieces=False)


def _with_meaning(each: _Evidence, meaning: Meaning | None) -> _Evidence:
    if meaning is None:
        return each
    return replace(each, meaning=meaning.nearness(each.hit.words))


def _weights(each: _Evidence) -> dict[str, float]:
    shares = [share for share in each.hit.why().shares if share.kind != "function"]
    return {share.word: share.points for share in shares}
