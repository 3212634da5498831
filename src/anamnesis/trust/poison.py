"""Whether a text tries to steer the agent that reads it, and by what.

Deterministic and without a model: the signs of `rules`, `acts` and `languages` are looked for in
the text as it reads once invisible, look-alike, split and encoded letters are read out (`views`).
A note that quotes such a text is found as well: the reader cannot tell the two apart either.
"""

from __future__ import annotations

import re
from functools import cache

from anamnesis.ground.records import record
from anamnesis.trust import views
from anamnesis.trust.rules import ALONE, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEARBY = 250  # characters: an order and its addressee stand in two or three sentences
_MOST = 200_000  # characters that are looked at; what is longer is an attachment, and no order
_LATIN = "\u024f"  # the last letter that the rules of European languages need not go beyond


@record
class Finding:
    """Why a text is held."""

    kind: str
    reason: str


@record
class _Sign:
    rule: Rule
    at: int


def finding(*texts: str) -> Finding | None:
    """What the texts of a note try to do to their reader, or None."""
    text = "\n\n".join(texts)
    if veiled := views.hidden(text):
        return Finding("hidden", veiled)
    for view, encoded in _views(text[:_MOST]):
        if found := _judged(_signs(view, encoded=encoded), encoded=encoded):
            return found
    return None


def _views(text: str) -> Iterator[tuple[str, bool]]:
    telling = _telling()
    view = views.plain(text)
    spoken = views.words(view)
    yield view, False
    for other in views.disguised(view, spoken, telling):
        yield other, True
    for other in views.turned(view, frozenset(spoken), _turns()):
        yield other, True
    for other in views.decoded(text):
        yield views.plain(other), True


def _signs(view: str, *, encoded: bool) -> list[_Sign]:
    """The signs in a view; how somebody is spoken to is looked for only beside an act."""
    spoken = frozenset(views.words(view))
    foreign = not view.isascii() and max(view) > _LATIN
    signs: list[_Sign] = []
    for number, rule in enumerate(_rules()):
        if not rule.harm and not signs:
            continue
        if not rule.needs and not foreign and not rule.pattern.isascii():
            continue
        if all(not need.isdisjoint(spoken) for need in rule.needs):
            signs += [_Sign(rule, found.start()) for found in _compiled(number).finditer(view)]
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


@cache
def _compiled(number: int) -> re.Pattern[str]:
    return re.compile(_rules()[number].pattern)


@cache
def _telling() -> frozenset[str]:
    """The words that somebody would take apart to hide them."""
    long = {word for rule in _rules() for need in rule.needs for word in need if len(word) > 4}
    return frozenset(
        long | {"user", "curl", "tell", "send", "you", "your", "not", "the", "all", "and"}
    )


@cache
def _turns() -> views.Turns:
    return views.Turns(_telling())
