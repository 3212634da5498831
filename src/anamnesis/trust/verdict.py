"""Why a note must not be given to a model: orders to its reader, or a secret.

Whether a text tries to steer the agent that reads it is decided without a model. It is looked at as it reads once invisible,
look-alike, split and encoded letters are read out (`views`); its words become concepts, and rows of concepts are signs
(`grammar`). Beside them every sentence gets a sum: of the weights of its words, of three to five letters in a row within a
word, of two words in a row, of its concepts and of two concepts near each other. `weights.bin` holds one byte for each place that
a name can be hashed to; `benchmarks/orders.py` makes it. A note that quotes such a text is found as well: the reader cannot tell the two apart either.

Once you have read such a note, you can vouch for it: for this text, on this machine, in
`<home>/vouched/`. Another machine, or whoever can write to the remote, cannot.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from anamnesis.trust import encoded, policy, views
from anamnesis.trust.clean import is_of_others
from anamnesis.trust.grammar import PARAGRAPH, grammar, letters, read, spaced
from anamnesis.trust.lexicon import ENGLISH
from anamnesis.trust.signs import ENOUGH, HARMS, REASONS
from anamnesis.trust.spellings import SPELLINGS, Spelling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.trust.clean import CleanTexts, NewTexts, Note

_NEARBY = 45  # words: an order and its addressee stand in two or three sentences
_MOST = 200_000  # characters that are looked at; what is longer is an attachment, and no order
_HIDDEN = 3  # points of concealment that suffice without an act, if they address a reader
ENCODED_ENOUGH = 2  # points that suffice in a text that was encoded
_WEIGHTS = os.path.join(os.path.dirname(__file__), "weights.bin")
_STRIPPED = "\"'`*_()[]{}<>.,;:!?|#+=-"
_NEAR = 5  # words with a meaning between two concepts
_IN_A_ROW = (3, 4, 5)  # letters
_LONGEST_WORD = 60  # letters; what is longer is no word
_LONGEST = 30  # words of a sentence; code has no full stops
_WINDOW = 3  # sentences that are added up: an order and what is said about it
_MOST_WORDS = 50_000  # remembered; some megabytes, forgotten at once when there are more
_SENTENCE_END = re.compile(rf"(?<=[.!?…。！？।॥؟{PARAGRAPH}])\s+")
_REDACTED = re.compile(r"\[redacted: [^\]]{0,40}\]")  # names a secret, and is none
_NOTHING = -1_000_000  # the sum of a view without words
_BEGINNING, _NO_WORD = "^", "#"
_SHOWN = 3  # words that a reason names
_SHORTEST_SHOWN = 4  # letters; "the" explains nothing
_WITHOUT_SIGNS = {ord(sign): None for sign in ".,: "}
NEW_PARAGRAPH = re.compile(r"\n\s*(?=\n|[-*#>|] |\d+[.)] )")


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a text is held."""

    kind: str
    reason: str


def verdict(home: str, note: Note, *, clean: CleanTexts | NewTexts | None = None) -> Finding | None:
    """What is found in a note that you have not vouched for, or None."""
    if clean is not None and note in clean:
        return None
    text = f"{note.title}\n\n{note.body}"
    tags = ", ".join(note.tags)
    found = finding(text, sure=not is_of_others(note)) or _secret(home, text)
    tagged = _in_tags(tags) if tags else None
    if clean is not None and found is None and tagged is None:
        clean.add(note)
    if found is not None and not policy.is_vouched(home, title=note.title, body=note.body):
        return found
    return tagged  # tags come and go; you vouch for the title and body alone


def _secret(home: str, text: str) -> Finding | None:
    from anamnesis.config import Home
    from anamnesis.redact import allow_list, findings

    found = findings(text)
    if found:
        found = findings(text, allow=allow_list(Home(home)))
    kinds = ", ".join(dict.fromkeys(each.kind for each in found))
    return Finding("secret", f"it seems to hold a secret ({kinds})") if found else None


def finding(*texts: str, sure: bool = False) -> Finding | None:
    """What the texts of a note try to do to their reader, or None.

    `sure` asks for more: what you and your sessions write is full of orders. Signs count
    only where the words around them do not read like those of an honest note.
    """
    text = "\n\n".join(texts)
    if veiled := views.hidden(text):
        return Finding("hidden", veiled)
    for number, reading in enumerate(readings(text[:_MOST])):
        sounds = _strongest(reading.view)
        honest = weights().honest_if_sure if sure else weights().honest
        clearly_honest = number == 0 and sounds.total <= honest
        found = None if clearly_honest else judged(reading, ENCODED_ENOUGH if number else ENOUGH)
        if found := found or _sounding(sounds, sure=sure):
            return found
    return None


def _sounding(sounds: _Sum, *, sure: bool) -> Finding | None:
    """What the sum of a view's words says, where no sign does."""
    if sounds.total <= (weights().sure if sure else weights().enough):
        return None
    telling = ", ".join(_words(sounds.sentences))
    return Finding("order", f"it reads like an order to the agent ({telling})")


def is_doubtful(line: str) -> bool:
    """Whether a line from a tool or a subagent may be an order; it takes less than holding a note."""
    return finding(line) is not None or (_strongest(views.plain(line)).total > weights().wary)


@lru_cache(maxsize=1000)
def _in_tags(tags: str) -> Finding | None:
    return finding(tags)  # many notes have the same few tags


class Reading(NamedTuple):
    """A view of a text, its words and what they show."""

    view: str
    words: list[str]
    marks: int


def readings(text: str) -> Iterator[Reading]:
    """A text as it stands; then what else it says, if something in it is disguised, turned or encoded."""
    words = views.plain_words(NEW_PARAGRAPH.sub(f" {PARAGRAPH} ", text))
    view, marks = " ".join(words), _marks().of(words)
    yield Reading(view, words, marks)
    for other in _unveiled(text, view, marks):
        words = other.split()
        yield Reading(other, words, _marks().of(words))


def _unveiled(text: str, view: str, marks: int) -> Iterator[str]:
    if marks & views.EVERY_DISGUISE or views.looks_alike(view):
        yield from views.disguised(view, marks, _telling())
        yield from views.turned(view, marks, _telling())
    if views.may_be_encoded(text):
        yield from map(views.plain, encoded.decoded(text))


def judged(reading: Reading, enough: int) -> Finding | None:
    """What the signs in a reading say: points of different kinds nearby that suffice, with an act among them."""
    view, words, marks = reading
    spelled = list(_spelled(view, marks))
    beside_act = any(kind in HARMS for _, kind, _ in spelled)
    worded = grammar().signs_in(read(view, words), beside_act=beside_act)
    signs = sorted([*((at, sign.kind, sign.points) for at, sign in worded), *spelled])
    for first, (at, _, _) in enumerate(signs):
        near: dict[str, int] = {}
        for other, kind, points in signs[first:]:
            if other - at > _NEARBY:
                break
            near[kind] = max(near.get(kind, 0), points)
        acts = [kind for kind in near if kind in HARMS]
        if acts:
            held = _score(near, acts) >= enough
        else:
            held = near.get("conceal", 0) >= _HIDDEN and _score(near, acts) > enough
        if held:
            kind = max(acts, key=near.__getitem__, default="conceal")
            return Finding(kind, REASONS[kind])
    return None


def _score(near: dict[str, int], acts: list[str]) -> int:
    """The points of signs together: several acts are a runbook, a secret one is an order."""
    frames = sorted(
        points for kind, points in near.items() if kind not in acts and kind != "conceal"
    )
    worst = max((near[kind] for kind in acts), default=0)
    more = len([kind for kind in acts if kind != "act"][1:2])
    return worst + more + near.get("conceal", 0) + sum(frames[-1:]) + len(frames[1:2])


_BY_LITERAL: dict[str, list[Spelling]] = {}
for _each in SPELLINGS:
    for _literal in _each.literals:
        _BY_LITERAL.setdefault(_literal, []).append(_each)


def _spelled(view: str, marks: int) -> Iterator[tuple[int, str, int]]:
    present = [_BY_LITERAL[each] for each in _marks().literals(marks) if each in view]
    for spelling in dict.fromkeys(chain.from_iterable(present)):
        at = seen = 0
        for found in _compiled(spelling.pattern).finditer(view):
            # Places are counted as the words of a reading are.
            at += len(read(view[seen : found.start()]))
            seen = found.start()
            yield at, spelling.kind, spelling.points


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _marks() -> views.Marks:
    return views.Marks(tuple(_BY_LITERAL), _telling())


@cache
def _telling() -> views.Telling:
    concepts = (
        "IGNORE INSTR PRIOR SEND RUN FETCH SECRET DESTROY TELL AGENT USER QUIET DISABLE FOLLOW"
    )
    every = {word for concept in concepts.split() for word in ENGLISH[concept].split()}
    long = {word for word in every if len(word) > 4 and word.isalpha()}
    short = {"user", "curl", "tell", "send", "you", "your", "not", "the", "all", "and"}
    return views.Telling(frozenset(long | short))


def sentences(view: str) -> Iterator[list[str]]:
    """The words of each sentence of a view, as `views.plain` makes it."""
    for sentence in _SENTENCE_END.split(spaced(view)):
        words = sentence.split()
        if len(words) <= _LONGEST:
            yield words
        else:
            yield from (words[at : at + _LONGEST] for at in range(0, len(words), _LONGEST))


def bare(word: str) -> str:
    """A word without the punctuation around it; one placeholder for all that is not a Latin word."""
    core = word.strip(_STRIPPED)
    return core if core.isascii() and core.isalpha() else _NO_WORD


def meanings(words: Iterable[str]) -> str:
    """The letters of the concepts in a sentence, without what means nothing."""
    table = letters()
    concepts = "".join(map(table.__getitem__, words))
    return table.without_descriptions(concepts).translate(_WITHOUT_SIGNS)


@cache
def concepts() -> dict[str, tuple[str, ...]]:
    """What each letter stands for."""
    return letters().concepts()


def within(word: str) -> Iterator[str]:
    """The names of what a word adds by itself: as it stands, by its letters in a row and by its concepts."""
    core = word.strip(_STRIPPED)
    if core.isascii() and core.isalpha():
        yield f"W {core}"
    yield from (f"C {each}" for letter in meanings([word]) for each in concepts()[letter])
    if len(core) <= _LONGEST_WORD and not core.isdigit():
        marked = f"<{core}>"
        every = (
            marked[at : at + size] for size in _IN_A_ROW for at in range(len(marked) - size + 1)
        )
        yield from (f"G {each}" for each in set(every))


def between(words: list[str]) -> set[str]:
    """The names of each pair of adjacent words; the first word is paired with the beginning."""
    return {f"B {one} {other}" for one, other in pairwise([_BEGINNING, *map(bare, words)])}


def near(meant: str) -> set[str]:
    """Letters of concepts near each other, in their order."""
    return {
        first + second
        for gap in range(1, _NEAR + 1)
        for first, second in zip(meant, meant[gap:], strict=False)
    }


class Weights(dict[str, int]):
    """What each word adds to a sum; words are added as they turn up."""

    def __init__(self, saved: bytes) -> None:
        first, _, table = saved.partition(b"\n")
        limits = map(int, first.split())
        self.enough, self.wary, self.sure, self._worth, self.honest, self.honest_if_sure = limits
        self._table = memoryview(table).cast("b")
        self._pairs: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        found = self[word] = self._sum(within(word))
        return found

    def of(self, words: list[str]) -> int:
        """The sum of a sentence; pairs are looked at only if the words alone add up to enough."""
        total = sum(map(self.__getitem__, set(words)))
        if total < self._worth:
            return total
        meant = meanings(words)
        first = concepts()[meant[0]] if meant else ()
        total += self._sum(f"F {each}" for each in first) + self._sum(between(words))
        return total + sum(map(self._pair, near(meant)))

    def _sum(self, names: Iterable[str]) -> int:
        table, size = self._table, len(self._table)
        return sum(table[place(name, size)] for name in names)

    def _pair(self, pair: str) -> int:
        found = self._pairs.get(pair)
        if found is None:
            first, second = (concepts()[letter] for letter in pair)
            found = self._sum(f"P {one} {other}" for one in first for other in second)
            self._pairs[pair] = found
        return found


def place(name: str, size: int) -> int:
    """Where the weight of a name stands in a table of some size."""
    return crc32(name.encode("utf-8", "surrogatepass")) % size


@cache
def weights() -> Weights:
    """The one set of weights, read when it is first needed."""
    with open(_WEIGHTS, "rb") as file:
        return Weights(file.read())


class _Sum(NamedTuple):
    """The sum of some sentences in a row."""

    total: int
    sentences: list[list[str]]


def _strongest(view: str) -> _Sum:
    """The sentences of a view that read most like an order to an agent."""
    every_sentence = list(sentences(_REDACTED.sub(" ", view)))
    sums = list(map(weights().of, every_sentence))
    best, where = _NOTHING, slice(0, 0)
    for first in range(len(sums)):
        total = 0
        for last in range(first, min(first + _WINDOW, len(sums))):
            total += sums[last]
            if total > best:
                best, where = total, slice(first, last + 1)
    return _Sum(best, every_sentence[where])


def _words(every_sentence: list[list[str]]) -> list[str]:
    """The words that add most by themselves, for the reason."""
    model = weights()
    found = {_shown(word): model[word] for words in every_sentence for word in words}
    long = [word for word, weight in found.items() if len(word) >= _SHORTEST_SHOWN and weight > 0]
    telling = sorted(long, key=lambda word: (-found[word], word))
    return telling[:_SHOWN] or ["its wording"]


def _shown(word: str) -> str:
    core = word.strip(_STRIPPED)
    return core if core.isalpha() else ""
