"""Recall while a person types: notes that answer this very prompt, or silence.

A note is given only if it clears a threshold that can be explained (see `Match`): enough of what
the prompt says must stand in the note, and some of it in the title or the tags, or be a code word
such as `busy_timeout` or `store.py` that nobody uses by chance.
"""

from __future__ import annotations

import re

from anamnesis.inject import budget, render
from anamnesis.project import GLOBAL
from anamnesis.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

HEADING = "# Anamnesis recall (for this prompt)"
MOST_NOTES = 3
MOST_UNITS = 2_000

_LOOKED_AT = 12  # notes that the search offers; beyond, the rank says that they say less
_MOST_WORDS = 24  # of a prompt; a pasted file must not make the search slow
_PROMPT_LENGTH = 4_000
_THRESHOLD = 0.5  # of what the prompt says must stand in the note
_ENOUGH = 6.0  # weight of about six words: a long prompt need not be covered by half
_CODE_WEIGHT = 2.0
_BODY_SHARE = 0.6  # of a word's weight, when only the body has it

_SKIPPED = re.compile(r"\s*(?:/\S|<(?:task-notification|command-|local-command|bash-))")
_WORD = re.compile(r"\w+(?:[./:_-]\w+)*")
_CODE_WORD = re.compile(r"[a-z]+[A-Z]\w*|\w*_\w+|\w+[./:]\w+|[A-Z]{2,}[a-z]\w*|\w*\d\w*[A-Za-z]\w*")
_STOP_WORDS = frozenset(
    """a about add added after again all also am an and any are as at be because been before being
    between both but by can change changed check could did do does doing done don down each even
    few file files find first fix for from further get give go going got had has have having he
    help her here hers him his how i if in into is it its just keep know last let like line look
    make may me more most much must my need needs new next no nor not now of off ok okay on once
    one only or other our out over own please put re really right run same say see set she should
    show so some still such sure take tell test than thank thanks that the their them then there
    these they thing things think this those to too try two under until up us use used using very
    want was way we well were what when where which while who why will with work would write yes
    you your""".split()  # noqa: SIM905  readable as text, not as two hundred lines
)


@record
class Match:
    """How well a note answers a prompt, and the words that say so."""

    note: Memory
    score: float
    in_head: tuple[str, ...]  # words of the prompt in the title or the tags
    in_body: tuple[str, ...]
    words: int

    @property
    def is_strong(self) -> bool:
        """Whether the note clears the threshold."""
        found = (*self.in_head, *self.in_body)
        vouched = self.in_head or any(is_code_word(word) for word in found)
        return len(found) > 1 and bool(vouched) and self.score >= _THRESHOLD

    @property
    def why(self) -> str:
        """The reason, for the receipt."""
        places = [("title", self.in_head), ("body", self.in_body)]
        found = "; ".join(f"{place}: {', '.join(words)}" for place, words in places if words)
        return f"{self.score:.2f} of {self.words} words ({found})"


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
    offered = store.search(" ".join(words), k=_LOOKED_AT)
    matches = [
        match(note, words)
        for note in offered
        if note.project in {project, GLOBAL}
        and note.id not in known
        and not (session and note.prov_session == session)
    ]
    strong = [each for each in matches if each.is_strong]
    return sorted(strong, key=lambda each: -each.score)[:MOST_NOTES]


def telling_words(prompt: str) -> list[str]:
    """The words of a prompt that say what it is about, code words first."""
    found = dict.fromkeys(_WORD.findall(prompt[:_PROMPT_LENGTH]))
    telling = [word for word in found if len(word) > 2 and word.lower() not in _STOP_WORDS]
    telling.sort(key=lambda word: not is_code_word(word))
    return telling[:_MOST_WORDS]


def is_code_word(word: str) -> bool:
    """Whether a word comes from code: an identifier, a path, an error name."""
    return _CODE_WORD.fullmatch(word) is not None


def match(note: Memory, words: Sequence[str]) -> Match:
    """How much of the words a note covers."""
    head = _stems(" ".join([note.title, *note.tags]))
    body = _stems(note.body)
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
    return Match(note, min(covered, 1.0), tuple(in_head), tuple(in_body), len(words))


def rendered(matches: Sequence[Match]) -> tuple[str, list[Match]]:
    """The block for the client, and the notes that are in it: whole notes, as many as fit."""
    parts, shown = [HEADING, render.FRAME], []
    used = budget.units("\n\n".join([*parts, render.END])) + 3
    for each in matches:
        text = render.section(each.note)
        size = budget.units(text) + 2
        if used + size > MOST_UNITS:
            text = f"{render.line(each.note)}: memory_search for the whole"
            size = budget.units(text) + 2
        if used + size <= MOST_UNITS:
            parts.append(text)
            shown.append(each)
            used += size
    return ("\n\n".join([*parts, render.END]) + "\n", shown) if shown else ("", [])


def _stems(text: str) -> frozenset[str]:
    stems = set()
    for word in _WORD.findall(text):
        stems.add(_stem(word))
        stems.update(_stem(part) for part in re.split(r"[./:_-]", word))
    return frozenset(stems)


def _stem(word: str) -> str:
    """A word without the endings that do not change what it is about."""
    word = word.lower()
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y"):
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            return word[: -len(ending)]
    return word
