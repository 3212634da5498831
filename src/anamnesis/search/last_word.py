"""The last word: of two notes that answer a question alike, the later one comes first.

Knowledge changes, and the older note often repeats the question more closely. A later note goes
before an earlier one when each of them has, in one statement, the words of the question that make
the matter: whatever rare word of it the earlier one has, the later one has too. Siblings (CPU,
memory) stay apart by the rare word that differs. Only the order changes; nothing is hidden.
docs/decisions/0255-the-last-word.md has the measurements behind the constants.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.search.rank import Ranked

_LOOKED_AT = 8  # hits; a note further down is about something else
_COVERED = 0.9  # of the weight of what the earlier note has of the question
_MATTER = 1.0  # rare words, in units of one that no other note has; fewer make no matter
_AS_GOOD = 0.8  # of the earlier note's score


def newest_word_first(hits: Sequence[Ranked]) -> tuple[list[Ranked], dict[str, str]]:
    """The hits, amended ones behind what amends them, and by id the earlier note of each."""
    ordered, amended = list(hits), dict[str, str]()
    first = ordered[:_LOOKED_AT]
    for earlier in first:
        later = [each for each in first if amends(each, earlier)]
        if not later:
            continue
        latest = max(later, key=lambda each: each.candidate.updated_at)
        amended.setdefault(latest.candidate.id, earlier.candidate.id)
        if ordered.index(latest) > ordered.index(earlier):
            ordered.remove(latest)
            ordered.insert(ordered.index(earlier), latest)
    return ordered, amended


def amends(later: Ranked, earlier: Ranked) -> bool:
    """Whether a note is a later word on what the question asks and another note says."""
    if later.candidate.updated_at[:10] <= earlier.candidate.updated_at[:10]:
        return False
    if later.score < _AS_GOOD * earlier.score:
        return False
    wanted = earlier.matched
    enough = _COVERED * sum(wanted.values())
    shared = sum(weight for term, weight in wanted.items() if term in later.matched)
    if not wanted or shared < enough or earlier.matter < _MATTER:
        return False
    return min(earlier.said_at_once(wanted), later.said_at_once(wanted)) >= enough
