"""The last word: of two notes that answer a question alike, the later one comes first.

Knowledge changes, and the older note often repeats the question more closely. A later note goes
before an earlier one when each of them has, in one statement, the words of the question that make
the matter: whatever rare word of it the earlier one has, the later one has too. Siblings (CPU,
memory) stay apart by the rare word that differs. Only the order changes; nothing is hidden.
docs/decisions/0255-the-last-word.md has the measurements behind the constants.
"""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.search.rank import BESIDE
from anamnesis.text import words
from anamnesis.text.clipping import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.search.rank import Ranked

_LOOKED_AT = 8  # hits; a note further down is about something else
_COVERED = 0.9  # of the weight of what the earlier note has of the question
_MATTER = 1.0  # rare words, in units of one that no other note has; fewer make no matter
_AS_GOOD = 0.8  # of the earlier note's score
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
    if _day(later) <= _day(earlier):
        return False
    if _is_beside(later) and not _is_beside(earlier):
        return False  # a repository's note, dated as its writer likes, amends none of yours
    if later.score < _AS_GOOD * earlier.score:
        return False
    wanted = earlier.matched
    enough = _COVERED * sum(wanted.values())
    shared = sum(weight for term, weight in wanted.items() if term in later.matched)
    if not wanted or shared < enough or earlier.matter < _MATTER:
        return False
    return min(earlier.statement(wanted)[0], later.statement(wanted)[0]) >= enough
