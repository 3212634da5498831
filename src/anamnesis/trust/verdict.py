"""Why a note must not be given to a model: orders to its reader, or a secret.

Whether a text tries to steer the agent that reads it is decided without a model. It is looked at as it reads once invisible,
look-alike, split and encoded letters are read out (`views`); its words become concepts, and rows of concepts are signs
(`grammar`). Beside them every sentence gets a sum: of the weights of its words, of two words in a row, of its concepts and of
two concepts near each other. `weights.txt` holds the weights, one to a line; `benchmarks/orders.py` makes them. A note that quotes such a text is found as well: the reader cannot tell the two apart either.

Once you have read such a note, you can vouch for it: for this text, on this machine, in
`<home>/vouched.txt`. Another machine, or whoever can write to the remote, cannot.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from anamnesis.trust import encoded, views
from anamnesis.trust.clean import is_of_others
from anamnesis.trust.grammar import PARAGRAPH, grammar, letters, read, spaced
from anamnesis.trust.lexicon import ENGLISH
from anamnesis.trust.signs import ENOUGH, HARMS, REASONS
from anamnesis.trust.spellings import SPELLINGS, Spelling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.trust.clean import CleanTexts, NewTexts, Note

_VOUCHED = "vouched.txt"
_NEARBY = 45  # words: an order and its addressee stand in two or three sentences
_MOST = 200_000  # characters that are looked at; what is longer is an attachment, and no order
_HIDDEN = 3  # points of concealment that suffice without an act, if they address a reader
_ENCODED_ENOUGH = 2  # points that suffice in a text that was encoded
_WEIGHTS = os.path.join(os.path.dirname(__file__), "weights.txt")
_STRIPPED = "\"'`*_()[]{}<>.,;:!?|#+=-"
_SURE = 800  # of a sum; no note of 16 real sessions and none of 17 rules in them reaches 700
_NEAR = 5  # words with a meaning between two concepts
_LONGEST = 30  # words of a sentence; code has no full stops
_WINDOW = 3  # sentences that are added up: an order and what is said about it
_MOST_WORDS = 50_000  # remembered; some megabytes, forgotten at once when there are more
_SENTENCE_END = re.compile(rf"(?<=[.!?…。！？।॥؟{PARAGRAPH}])\s+")
_REDACTED = re.compile(r"\[redacted: [^\]]{0,40}\]")  # names a secret, and is none
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
    if found is not None and _mark(text) not in _vouched(home):
        return found
    return tagged  # tags come and go; you vouch for the title and body alone


def vouch(home: str, *, title: str, body: str) -> None:
    """Remember that you have read exactly this and want it. Raises NotWritable."""
    from anamnesis.ground import atomic

    mark = _mark(f"{title}\n\n{body}")
    vouched = _vouched(home)
    if mark not in vouched:
        lines = "".join(f"{each}\n" for each in sorted({*vouched, mark}))
        atomic.write_text(os.path.join(home, _VOUCHED), lines)


def _secret(home: str, text: str) -> Finding | None:
    from anamnesis.config import Home
    from anamnesis.redact import allow_list, findings

    found = findings(text)
    if found:
        found = findings(text, allow=allow_list(Home(home)))
    kinds = ", ".join(dict.fromkeys(each.kind for each in found))
    return Finding("secret", f"it seems to hold a secret ({kinds})") if found else None


def _mark(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _vouched(home: str) -> frozenset[str]:
    try:
        with open(os.path.join(home, _VOUCHED), encoding="ascii", errors="replace") as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()


def finding(*texts: str, sure: bool = False) -> Finding | None:
    """What the texts of a note try to do to their reader, or None.

    `sure` asks for more than wording: what you and your sessions write is full of orders.
    """
    text = "\n\n".join(texts)
    if veiled := views.hidden(text):
        return Finding("hidden", veiled)
    text = text[:_MOST]
    words = views.plain_words(NEW_PARAGRAPH.sub(f" {PARAGRAPH} ", text))
    view = " ".join(words)
    marks = _marks().of(words)
    found = _judged(view, words, marks, ENOUGH) or _sounding(view, sure=sure)
    if found is None:
        for other in _unveiled(text, view, marks):
            words = other.split()
            marks = _marks().of(words)
            if found := _judged(other, words, marks, _ENCODED_ENOUGH) or _sounding(
                other, sure=sure
            ):
                break
    return found


def _sounding(view: str, *, sure: bool) -> Finding | None:
    """What the sum of a view's words says, where no sign does."""
    telling = _order_in(view, _SURE if sure else weights().enough)
    return Finding("order", f"it reads like an order to the agent ({telling})") if telling else None


def is_doubtful(line: str) -> bool:
    """Whether a line from a tool or a subagent may be an order; it takes less than holding a note."""
    return finding(line) is not None or bool(_order_in(views.plain(line), weights().wary))


@lru_cache(maxsize=1000)
def _in_tags(tags: str) -> Finding | None:
    return finding(tags)  # many notes have the same few tags


def _unveiled(text: str, view: str, marks: int) -> Iterator[str]:
    """What else the text says, if something in it is disguised, turned or encoded."""
    if marks & views.EVERY_DISGUISE or views.looks_alike(view):
        yield from views.disguised(view, marks, _telling())
        yield from views.turned(view, marks, _telling())
    if views.may_be_encoded(text):
        yield from map(views.plain, encoded.decoded(text))


def _judged(view: str, words: list[str], marks: int, enough: int) -> Finding | None:
    """The verdict: points of different kinds nearby that suffice, with an act among them.

    `shown` is what the words of the view show.
    """
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


def neighbours(words: list[str]) -> set[str]:
    """Each pair of adjacent words; the first word is paired with the beginning."""
    return set(map(" ".join, pairwise([_BEGINNING, *map(bare, words)])))


def near(meant: str) -> set[str]:
    """Letters of concepts near each other, in their order."""
    return {
        first + second
        for gap in range(1, _NEAR + 1)
        for first, second in zip(meant, meant[gap:], strict=False)
    }


class Weights(dict[str, int]):
    """What each word adds to a sum, in hundredths; words are added as they turn up."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._of: dict[str, dict[str, int]] = {"W": {}, "B": {}, "C": {}, "F": {}, "P": {}, "": {}}
        for line in lines:
            weight, kind, name = line.rstrip("\n").split(" ", 2)
            self._of[kind.strip("-")][name] = int(weight)
        limits = self._of[""]
        self.enough, self.wary, self._worth = (limits[each] for each in ("enough", "wary", "worth"))
        self._concepts = letters().concepts()
        self._pairs: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        concepts = (each for letter in meanings([word]) for each in self._concepts[letter])
        found = self[word] = self._of["W"].get(bare(word), 0) + self._sum("C", concepts)
        return found

    def of(self, words: list[str]) -> int:
        """The sum of a sentence; pairs are looked at only if the words alone add up to enough."""
        total = sum(map(self.__getitem__, set(words)))
        if total < self._worth:
            return total
        meant = meanings(words)
        first = self._concepts[meant[0]] if meant else ()
        total += self._sum("F", first) + self._sum("B", neighbours(words))
        return total + sum(map(self._pair, near(meant)))

    def _sum(self, kind: str, names: Iterable[str]) -> int:
        weight_of = self._of[kind]
        return sum(weight_of[name] for name in names if name in weight_of)

    def _pair(self, pair: str) -> int:
        found = self._pairs.get(pair)
        if found is None:
            first, second = (self._concepts[letter] for letter in pair)
            names = (f"{one} {other}" for one in first for other in second)
            found = self._pairs[pair] = self._sum("P", names)
        return found


@cache
def weights() -> Weights:
    """The one set of weights, read when it is first needed."""
    with open(_WEIGHTS, encoding="utf-8") as file:
        return Weights(file)


def _order_in(view: str, enough: int) -> str:
    """Which words make a view read like an order to an agent; empty if it does not."""
    model = weights()
    every_sentence = list(sentences(_REDACTED.sub(" ", view)))
    sums = list(map(model.of, every_sentence))
    for first in range(len(sums)):
        total = 0
        for last in range(first, min(first + _WINDOW, len(sums))):
            total += sums[last]
            if total > enough:
                return ", ".join(_words(model, every_sentence[first : last + 1]))
    return ""


def _words(model: Weights, every_sentence: list[list[str]]) -> list[str]:
    """The words that add most by themselves, for the reason."""
    found = {
        bare(word): model[word] for words in every_sentence for word in words if model[word] > 0
    }
    long = [word for word in found if len(word) >= _SHORTEST_SHOWN]
    telling = sorted(long, key=lambda word: (-found[word], word))
    return telling[:_SHOWN] or ["its wording"]
