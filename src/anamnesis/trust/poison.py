"""Whether a text tries to steer the agent that reads it, and by what.

Deterministic and without a model: the signs of `rules`, `acts` and `languages` are looked for in
the text as it reads once invisible, look-alike, split and encoded letters are read out (`views`).
A note that quotes such a text is found as well: the reader cannot tell the two apart either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from anamnesis.trust import views
from anamnesis.trust.places import Places
from anamnesis.trust.rules import ALONE, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEARBY = 250  # characters: an order and its addressee stand in two or three sentences
_MOST = 200_000  # characters that are looked at; what is longer is an attachment, and no order


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a text is held."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Sign:
    rule: Rule
    at: int


def finding(*texts: str) -> Finding | None:
    """What the texts of a note try to do to their reader, or None."""
    text = "\n\n".join(texts)
    if veiled := views.hidden(text):
        return Finding("hidden", veiled)
    for places, encoded in _views(text[:_MOST]):
        if found := _judged(_signs(places, encoded=encoded), encoded=encoded):
            return found
    return None


def _views(text: str) -> Iterator[tuple[Places, bool]]:
    view = views.plain(text)
    spoken = views.words(view)
    places = Places(view, spoken)
    yield places, False
    for other in _unveiled(text, view, spoken, places.spoken):
        yield Places(other, views.words(other)), True


def _unveiled(text: str, view: str, spoken: list[str], known: frozenset[str]) -> Iterator[str]:
    """What the text says besides, if something in it is disguised, turned or encoded."""
    yield from views.disguised(view, spoken, _telling())
    yield from views.turned(view, known, _telling())
    yield from map(views.plain, views.decoded(text))


def _signs(places: Places, *, encoded: bool) -> list[_Sign]:
    """The signs in a view; how somebody is spoken to is looked for only beside an act."""
    rules = _rules()
    signs: list[_Sign] = []
    for number in _needs().met_by(places.spoken, foreign=views.is_foreign(places.view)):
        rule = rules[number]
        if not rule.harm and not signs:
            break  # acts come first
        signs += [_Sign(rule, at) for at in places.matches(rule, _compiled(number))]
        if signs and (encoded or signs[-1].rule.weight >= ALONE):
            return signs[-1:]
    return sorted(signs, key=lambda sign: sign.at)


def _judged(signs: list[_Sign], *, encoded: bool) -> Finding | None:
    """The verdict: one sign that says enough, or two kinds nearby, one of them an act.

    What somebody took the trouble to encode needs one act only.
    """
    for first, sign in enumerate(signs):
        if sign.rule.weight >= ALONE or (encoded and sign.rule.harm):
            return Finding(sign.rule.kind, sign.rule.reason)
        near = {sign.rule.kind: sign.rule}
        for other in signs[first + 1 :]:
            if other.at - sign.at > _NEARBY:
                break
            near.setdefault(other.rule.kind, other.rule)
        if found := _together(near.values()):
            return found
    return None


def _together(near: Iterable[Rule]) -> Finding | None:
    acts = [rule for rule in near if rule.harm]
    others = [rule for rule in near if not rule.harm]
    if not acts or len(acts) + len(others) < _ENOUGH:
        return None
    worst = min(acts, key=lambda rule: _ORDER.index(rule.kind))
    return Finding(worst.kind, worst.reason)


_ENOUGH = 2
_ORDER = (
    "backdoor", "exfiltrate", "destroy", "shell", "weaken", "tool", "spread", "obey", "override",
    "identity", "reveal", "conceal", "consent", "host", "steer",
)  # fmt: skip


@cache
def _rules() -> tuple[Rule, ...]:
    from anamnesis.trust.acts import _ACTS
    from anamnesis.trust.languages import _LANGUAGES
    from anamnesis.trust.rules import _RULES

    every = (*_RULES, *_ACTS, *_LANGUAGES)
    return tuple(sorted(every, key=lambda rule: (not rule.harm, -rule.weight)))


class _Needs:
    """The needs of all rules as bits, so that a text is asked for each of its words once."""

    _FOREIGN = 1

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._bits: dict[str, int] = {}
        self._of: list[int] = []
        bit = self._FOREIGN
        for rule in rules:
            # Words of languages without spaces cannot be looked up; their letters can.
            needed = 0 if rule.needs or rule.pattern.isascii() else self._FOREIGN
            for need in rule.needs:
                bit <<= 1
                needed |= bit
                for word in need:
                    self._bits[word] = self._bits.get(word, 0) | bit
            self._of.append(needed)

    def met_by(self, spoken: frozenset[str], *, foreign: bool) -> list[int]:
        """The numbers of the rules that these words could break."""
        met = self._FOREIGN if foreign else 0
        for word in self._bits.keys() & spoken:
            met |= self._bits[word]
        return [number for number, needed in enumerate(self._of) if met & needed == needed]


@cache
def _needs() -> _Needs:
    return _Needs(_rules())


@cache
def _compiled(number: int) -> re.Pattern[str]:
    return re.compile(_rules()[number].pattern)


@cache
def _telling() -> views.Telling:
    long = {word for rule in _rules() for need in rule.needs for word in need if len(word) > 4}
    short = {"user", "curl", "tell", "send", "you", "your", "not", "the", "all", "and"}
    return views.Telling(frozenset(long | short))
