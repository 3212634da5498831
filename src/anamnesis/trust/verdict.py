"""Why a note must not be given to a model: orders to its reader, or a secret.

Whether a text tries to steer the agent that reads it is decided without a model. It is looked at as it reads once invisible,
look-alike, split and encoded letters are read out (`views`); its words become concepts, and rows of concepts are signs
(`grammar`). Beside them every sentence gets a sum of weights (`sums`). A note that quotes such a text is found as well: the
reader cannot tell the two apart either.

Once you have read such a note, you can vouch for it: for this text, on this machine, in
`<home>/vouched/`. Another machine, or whoever can write to the remote, cannot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from anamnesis.trust import encoded, policy, views
from anamnesis.trust.clean import is_of_others
from anamnesis.trust.grammar import PARAGRAPH, grammar, read
from anamnesis.trust.lexicon import ENGLISH
from anamnesis.trust.signs import ENOUGH, HARMS, REASONS
from anamnesis.trust.spellings import SPELLINGS, Spelling
from anamnesis.trust.sums import Sum, strongest, telling_words, weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.trust.clean import CleanTexts, NewTexts, Note

_NEARBY = 45  # words: an order and its addressee stand in two or three sentences
_MOST = 200_000  # characters that are looked at; what is longer is an attachment, and no order
_HIDDEN = 3  # points of concealment that suffice without an act, if they address a reader
ENCODED_ENOUGH = 2  # points that suffice in a text that was encoded
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
    honest = weights().honest_if_sure if sure else weights().honest
    for reading, points in with_points(readings(text[:_MOST])):
        sounds = strongest(reading.view)
        clearly_honest = reading.is_plain and sounds.total <= honest
        found = None if clearly_honest else judged(reading, points)
        if found := found or _sounding(sounds, sure=sure):
            return found
    return None


def with_points(every: Iterable[Reading]) -> Iterator[tuple[Reading, int]]:
    """Readings with the points that suffice in each: fewer where something was disguised or encoded.

    What a text says openly is no reason to doubt a file name that reads like a chain of words.
    """
    plain, points = None, ENOUGH
    for reading in every:
        if reading.is_plain:
            plain = reading
        elif plain is not None:
            points = ENOUGH if judged(plain, ENCODED_ENOUGH) else ENCODED_ENOUGH
            plain = None
        yield reading, points


def _sounding(sounds: Sum, *, sure: bool) -> Finding | None:
    """What the sum of a view's words says, where no sign does."""
    if sounds.total <= (weights().sure if sure else weights().enough):
        return None
    telling = ", ".join(telling_words(sounds.sentences))
    return Finding("order", f"it reads like an order to the agent ({telling})")


def is_doubtful(line: str) -> bool:
    """Whether a line from a tool or a subagent may be an order; it takes less than holding a note."""
    return finding(line) is not None or (strongest(views.plain(line)).total > weights().wary)


@lru_cache(maxsize=1000)
def _in_tags(tags: str) -> Finding | None:
    return finding(tags)  # many notes have the same few tags


class Reading(NamedTuple):
    """A view of a text, its words and what they show."""

    view: str
    words: list[str]
    marks: int
    is_plain: bool = True


def readings(text: str) -> Iterator[Reading]:
    """A text as it stands; then what else it says, if something in it is disguised, turned or encoded."""
    words = views.plain_words(NEW_PARAGRAPH.sub(f" {PARAGRAPH} ", text))
    view, marks = " ".join(words), _marks().of(words)
    yield Reading(view, words, marks)
    for other in _unveiled(text, view, marks):
        words = other.split()
        yield Reading(other, words, _marks().of(words), is_plain=False)


def _unveiled(text: str, view: str, marks: int) -> Iterator[str]:
    if marks & views.EVERY_DISGUISE or views.looks_alike(view):
        yield from views.disguised(view, marks, _telling())
        yield from views.turned(view, marks, _telling())
    if views.may_be_encoded(text):
        yield from map(views.plain, encoded.decoded(text))


def judged(reading: Reading, enough: int) -> Finding | None:
    """What the signs in a reading say: points of different kinds nearby that suffice, with an act among them."""
    view, words, marks, _ = reading
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
