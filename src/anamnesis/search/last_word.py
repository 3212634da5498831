"""The last word: of two notes that answer a question alike, the later one comes first.

Knowledge changes, and the older note often repeats the question more closely. A later note goes
before an earlier one when they share the rare words of the question that make the matter, each in
one statement. Siblings (CPU, memory) stay apart by the word that differs: it stands where the other
has another name. Only the order changes; nothing is hidden. docs/decisions/0278-siblings.md has
the measurements behind the constants.
"""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.search.rank import BESIDE
from anamnesis.text import words
from anamnesis.text.clipping import clipped
from anamnesis.text.words import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from anamnesis.search.rank import Ranked

_LOOKED_AT = 8  # hits; a note further down is about something else
_AS_GOOD = 0.6  # of the earlier note's score
_SHARED = 0.5  # of the weight of what the earlier note has of the question
_MATTER = 1.2  # shared rare words, in units of one that no other note has; fewer make no matter
_AT_ONCE = 0.7  # of those words, in one statement
_ALIKE = 0.5  # of the words of the earlier statement; where the question alone does not tell
_SLOT = 3  # words that may stand where another note has another name
_LONGEST = 160  # characters of what was said before


@record
class Before:
    """What an earlier note says about what a later one says now."""

    id: str
    day: str
    says: str

    @property
    def own_id(self) -> str:
        """The id of the note itself."""
        return self.id.removeprefix(BESIDE)

    def told(self, since: str) -> str:
        """Since when the later word holds, and the one before it, in a line."""
        says = clipped(" ".join(self.says.split()), _LONGEST)
        return f"since {since[:10]}; before: {says} ({self.day}, {self.own_id})"


def newest_word_first(hits: Sequence[Ranked]) -> tuple[list[Ranked], dict[str, Before]]:
    """The hits, amended ones behind what amends them, and by id the word before each."""
    ordered, befores = list(hits), dict[str, Before]()
    first = hits[:_LOOKED_AT]
    pairs = [(later, each) for later in first for each in first if amends(later, each)]
    for later, earlier in sorted(pairs, key=lambda pair: _day(pair[1])):
        said = earlier.statement(earlier.matched)[1]
        if set(words.tokens(said)) - set(later.candidate.words):
            own = earlier.candidate
            befores[later.candidate.id] = Before(own.id, _day(earlier), said)
    for earlier in first:
        by_day = sorted((later for later, each in pairs if each is earlier), key=_at)
        if by_day and ordered.index(by_day[-1]) > ordered.index(earlier):
            ordered.remove(by_day[-1])
            ordered.insert(ordered.index(earlier), by_day[-1])
    return ordered, befores


def _is_beside(hit: Ranked) -> bool:
    return hit.candidate.id.startswith(BESIDE)


def _at(hit: Ranked) -> str:
    return hit.candidate.updated_at


def _day(hit: Ranked) -> str:
    return hit.candidate.updated_at[:10]


def amends(later: Ranked, earlier: Ranked) -> bool:
    """Whether a note is a later word on what the question asks and another note says."""
    if _day(later) <= _day(earlier) or later.score < _AS_GOOD * earlier.score:
        return False
    if _is_beside(later) and not _is_beside(earlier):
        return False  # a repository's note, dated as its writer likes, amends none of yours
    wanted = earlier.matched
    shared = {term: weight for term, weight in wanted.items() if term in later.matched}
    whole, both = sum(wanted.values()), sum(shared.values())
    if not shared or both < _SHARED * whole or earlier.matter(shared) < _MATTER:
        return False
    had, said = earlier.statement(wanted)
    has, says = later.statement(shared)
    if had < _AT_ONCE * whole or has < _AT_ONCE * both:
        return False
    missing = earlier.stems(set(wanted) - set(shared))
    return not missing or (
        _is_alike(said, f"{later.candidate.title} {says}")
        and not _is_sibling(earlier.candidate.title, later.candidate.title, missing, said)
        and not _is_sibling(said, says, missing, earlier.candidate.title)
    )


def _is_alike(earlier: str, later: str) -> bool:
    """Whether a statement says most of what another one says."""
    there = set(map(stem, words.tokens(later)))
    said = {stem(word) for word in words.tokens(earlier) if word not in words.FUNCTION_WORDS}
    return len(said & there) >= _ALIKE * len(said)


def _is_sibling(earlier: str, later: str, missing: AbstractSet[str], beside: str) -> bool:
    """Whether another name stands where the earlier text has a word that the later note lacks.

    "The importer gives up after 90 s" and "the exporter gives up after 20 s" are alike in all but
    the one word that matters: it has the same words around it.
    """
    ours, theirs = (["", *words.tokens(text), ""] for text in (earlier, later))
    known = set(map(stem, [*ours, *words.tokens(beside)]))
    at = [place for place, word in enumerate(ours) if word and stem(word) in missing]
    slots = {
        (ours[start], ours[end])
        for place in at
        for start, end in ((place - 1, place + 1), (place - 1, place + 2), (place - 2, place + 1))
        if start >= 0 and end < len(ours)
    }
    return any(
        (theirs[start], theirs[end]) in slots
        and any(stem(word) not in known for word in theirs[start + 1 : end])
        for start in range(len(theirs))
        for end in range(start + 2, min(start + 2 + _SLOT, len(theirs)))
    )
