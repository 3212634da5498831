"""Recall while a person types: notes that answer this very prompt, or silence.

A note is given only if it clears a threshold that can be explained (see `Match`): enough of what
the prompt says must stand in the note, and some of it in the title or the tags, or be a code word
such as `busy_timeout` or `store.py` that nobody uses by chance.
"""

from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.inject import budget, render
from anamnesis.project import GLOBAL
from anamnesis.search.filters import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

HEADING = "# Anamnesis recall (for this prompt)"
MOST_NOTES = 3
MOST_UNITS = 2_000

_LOOKED_AT = 12  # notes that a search offers; beyond, the rank says that they say less
_MOST_WORDS = 24  # of a prompt that are weighed
_MOST_SEARCHED = 10  # of them; every word more makes the search of a large store slower
_PROMPT_LENGTH = 4_000
_THRESHOLD = 0.5  # of what the prompt says must stand in the note
_LEAST = 2.0  # weight: two words in the title, or one there and two in the body
_ENOUGH = 6.0  # weight of about six words: a long prompt need not be covered by half
_BESIDE_BEST = 0.8  # of the best note's weight; what says less is crumbs beside it
_CODE_WEIGHT = 2.0
_BODY_SHARE = 0.6  # of a word's weight, when only the body has it

_SKIPPED = re.compile(r"\s*(?:/\S|<(?:task-notification|command-|local-command|bash-))")
_WORD = re.compile(r"\w+(?:[./:_-]\w+)*")
_CODE_WORD = re.compile(r"[a-z]+[A-Z]\w*|\w*_\w+|\w+[./:]\w+|[A-Z]{2,}[a-z]\w*|\w*\d\w*[A-Za-z]\w*")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y", "e")
_STOP_WORDS = frozenset(
    """a about add added after again all also always am an and another any are as ask at be because
    been before being between both but by call can case change changed check could current day days
    did different do does doing done don down each else end even every explain few file files find
    first fix following for from further get give go going good got had happen happens has have
    having he help her here hers him his how i idea if in instead into is it its just keep kind know
    last least let like line list little long look lot made make many maybe me mean might month
    months more most much must my name need needs never new next no nor not nothing now number of
    off often ok okay old on once one only or order other others our out over own part people place
    please point possible probably put question quick re read really right run same say second see
    seem set several she should show simple since small so some something start still stop such sure
    take tell test text than thank thanks that the their them then there these they thing things
    think this those three through time times to today together too total try turn two type under
    until up us use used user using value very want was way ways we week weeks well were what when
    where whether which while who whole why will with within without word words work works would
    write year years yes yet
    you your""".split()  # noqa: SIM905  readable as text, not as two hundred lines
)


@record
class Match:
    """How well a note answers a prompt, and the words that say so."""

    note: Memory
    score: float  # the part of the prompt that stands in the note
    weight: float  # and how much that is
    in_head: tuple[str, ...]  # words of the prompt in the title or the tags
    in_body: tuple[str, ...]
    words: int

    @property
    def is_strong(self) -> bool:
        """Whether the note clears the threshold."""
        found = (*self.in_head, *self.in_body)
        vouched = self.in_head or any(is_code_word(word) for word in found)
        return bool(vouched) and self.weight >= _LEAST and self.score >= _THRESHOLD

    @property
    def why(self) -> str:
        """The reason, for the receipt."""
        places = [("title", self.in_head), ("body", self.in_body)]
        found = "; ".join(f"{place}: {', '.join(words)}" for place, words in places if words)
        return f"{self.score:.2f} of {self.words} words ({found})"


@record
class Shown:
    """A match as it was given."""

    match: Match
    units: int
    whole: bool


def is_worth_a_look(prompt: str) -> bool:
    """Whether a prompt is a person's and says more than one word."""
    return not _SKIPPED.match(prompt) and len(prompt.split()) > 1


def recall(
    store: MemoryStore,
    prompt: str,
    *,
    project: str,
    given: Iterable[str] = (),
    session: str = "",
) -> list[Match]:
    """The notes that answer a prompt, best first: at most three, none given before.

    What a session did itself it need not be told.
    """
    words = telling_words(prompt)
    if len(words) < 2:
        return []
    known = set(given)
    matches = [
        match(note, words)
        for note in _offered(store, words, project)
        if note.id not in known and not (session and note.prov_session == session)
    ]
    strong = sorted((each for each in matches if each.is_strong), key=lambda each: -each.weight)
    best = strong[0].weight if strong else 0.0
    return [each for each in strong if each.weight >= best * _BESIDE_BEST][:MOST_NOTES]


def _offered(store: MemoryStore, words: Sequence[str], project: str) -> list[Memory]:
    filters = Filters(projects=tuple(dict.fromkeys([project, GLOBAL])))
    searched = " ".join(words[:_MOST_SEARCHED])
    # By its words alone, as they are: the table of meanings takes longer to load, and a guess at
    # mistyped words longer to make, than a prompt may wait.
    hits = store.recall(searched, filters=filters, k=_LOOKED_AT, by_meaning=False, forgiving=False)
    return [hit.note for hit in hits]


def telling_words(prompt: str) -> list[str]:
    """The words of a prompt that say what it is about: code words first, then the longest."""
    found: dict[str, str] = {}
    for word in _WORD.findall(prompt[:_PROMPT_LENGTH]):
        if len(word) > 2 and word.lower() not in _STOP_WORDS:
            found.setdefault(_stem(word), word)
    telling = list(found.values())
    telling.sort(key=lambda word: (not is_code_word(word), -len(word)))
    return telling[:_MOST_WORDS]


def is_code_word(word: str) -> bool:
    """Whether a word comes from code: an identifier, a path, an error name."""
    return _CODE_WORD.fullmatch(word) is not None


def match(note: Memory, words: Sequence[str]) -> Match:
    """How much of the words a note covers."""
    pattern = _pattern(words)
    head = _found(pattern, " ".join([note.title, *note.tags]))
    body = _found(pattern, note.body)
    total = score = 0.0
    in_head, in_body = [], []
    for word in words:
        weight = _CODE_WEIGHT if is_code_word(word) else 1.0
        total += weight
        if _stem(word) in head:
            in_head.append(word)
            score += weight
        elif _stem(word) in body:
            in_body.append(word)
            score += weight * _BODY_SHARE
    covered = score / min(total, _ENOUGH) if total else 0.0
    return Match(note, min(covered, 1.0), score, tuple(in_head), tuple(in_body), len(words))


def rendered(matches: Sequence[Match]) -> tuple[str, list[Shown]]:
    """The block for the client, and what is in it: notes in full, or by title if too long."""
    parts, shown = [HEADING, render.FRAME], list[Shown]()
    used = budget.units("\n\n".join([*parts, render.END])) + 3
    for each in matches:
        whole = render.section(each.note)
        title = f"{render.line(each.note)}: memory_search for the whole"
        for text in (whole, title):
            size = budget.units(text) + 2
            if used + size <= MOST_UNITS:
                parts.append(text)
                shown.append(Shown(each, size, text is whole))
                used += size
                break
    return ("\n\n".join([*parts, render.END]) + "\n", shown) if shown else ("", [])


def _pattern(words: Iterable[str]) -> str:
    """The stems of some words, each as a word of its own or as a part of a name."""
    stems = sorted({_stem(word) for word in words}, key=len, reverse=True)
    any_stem = "|".join(map(re.escape, stems))
    return rf"(?<![^\W_])({any_stem})(?:{'|'.join(_ENDINGS)})?(?![^\W_])"


def _found(pattern: str, text: str) -> set[str]:
    return set(re.findall(pattern, text.lower()))


def _stem(word: str) -> str:
    """A word without the endings that do not change what it is about."""
    word = word.lower()
    for ending in _ENDINGS:
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            return word[: -len(ending)]
    return word
