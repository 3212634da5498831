"""Which statements of a session fit into its note: the most telling, each thing once."""

from __future__ import annotations

import heapq
import math
import re

from anamnesis.capture.extract.prompts import Said
from anamnesis.capture.extract.text import COLON, QUESTION, Unit, statements, words
from anamnesis.capture.story import AGENT, ANSWER, PROMPT, RECAP, SUMMARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.capture.story import Moment, Story

_CODE = re.compile(r"`[^`]+`|\b\w+[_/.]\w[\w./]*|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\b|--[a-z]")
_DIGIT = re.compile(r"\d")
_ARROW = re.compile(r"→|->|=>|⇒")
# Headings of the client's own summary; it always writes them in English.
_SECTIONS = (
    (re.compile(r"error|fix|problem", re.IGNORECASE), 0.8),
    (re.compile(r"pending|current|next|work", re.IGNORECASE), 0.8),
    (re.compile(r"user|message|request|intent", re.IGNORECASE), 0.4),
    (re.compile(r"concept|file|code", re.IGNORECASE), -0.6),
)
_NUMBERED = re.compile(r"^\d{1,2}\.\s")
_MOST_TEXT = 100_000  # characters that are weighed; the final answers first, the latest first
_MOST_RANKED = 500
_SHORTEST = 24
_LONGEST = 210  # characters that a statement may take in the note
_AGAIN = 0.35  # what a word is still worth after it was said once
_SAME_TEXT = 0.75  # what a second statement of one answer is still worth


# What the client puts under a helper's report, for the agent alone.
_FOR_THE_AGENT = re.compile(r"\n*(?:agentId: |<usage>).*\Z", re.DOTALL)


def answers(story: Story) -> list[Said]:
    """Every statement of the agent, of its helpers and of the client's summaries."""
    found: list[Said] = []
    left = _MOST_TEXT
    for place, worth in _sources(story):
        moment = story.moments[place]
        text = report_of(moment) if moment.kind == AGENT else moment.text
        for unit in statements(text):
            if len(unit.text) >= _SHORTEST:
                value = _worth(unit, moment, worth)
                found.append(Said(place, unit.text, value, moment.kind, unit.heading))
        left -= len(text)
        if left < 0:
            break
    return found


def report_of(helper: Moment) -> str:
    """What a helper reported, without what its client added for the agent."""
    return _FOR_THE_AGENT.sub("", helper.answer)


def choose(pool: Iterable[Said], *, room: int, said: Iterable[str] = ()) -> list[Said]:
    """The statements for `room` characters, in order; what was `said` elsewhere counts as told."""
    ranked = sorted(pool, key=_density, reverse=True)[:_MOST_RANKED]
    terms = [set(words(each.text)) for each in ranked]
    rarity = _rarity(terms)
    told: dict[str, int] = {}
    for text in said:
        for word in set(words(text)):
            told[word] = told.get(word, 0) + 1
    used: dict[int, int] = {}

    def gain(number: int) -> float:
        total = sum(rarity[word] for word in terms[number]) or 1.0
        fresh = sum(rarity[word] * _AGAIN ** told.get(word, 0) for word in terms[number])
        again = _SAME_TEXT ** used.get(ranked[number].place, 0)
        return _density(ranked[number]) * again * float((fresh / total) ** 1.2)

    chosen: list[int] = []
    heap = [(-gain(number), number) for number in range(len(ranked))]
    heapq.heapify(heap)
    while heap and room > _SHORTEST:
        number = heapq.heappop(heap)[1]
        current = -gain(number)  # gains only fall, so an entry that is still the best is the best
        if heap and current > heap[0][0]:
            heapq.heappush(heap, (current, number))
            continue
        number = _latest_of_its_kind(number, ranked, terms, rarity, chosen)
        cost = min(len(ranked[number].text), _LONGEST) + 3
        if number in chosen or cost > room:
            continue
        chosen.append(number)
        room -= cost
        used[ranked[number].place] = used.get(ranked[number].place, 0) + 1
        for word in terms[number]:
            told[word] = told.get(word, 0) + 1
    return sorted((ranked[number] for number in chosen), key=lambda each: each.place)


def _latest_of_its_kind(
    number: int,
    ranked: list[Said],
    terms: list[set[str]],
    rarity: dict[str, float],
    chosen: list[int],
) -> int:
    """The last statement that says much the same: what was said later is what holds."""
    mine, weight = terms[number], sum(rarity[word] for word in terms[number])
    best = number
    for other, each in enumerate(ranked):
        later = each.place > ranked[best].place and each.source == ranked[number].source
        if later and each.worth > 0.7 * ranked[number].worth and other not in chosen:
            shared = sum(rarity[word] for word in mine & terms[other])
            if shared > 0.7 * weight:
                best = other
    return best


def _density(said: Said) -> float:
    return said.worth / math.sqrt(min(len(said.text), _LONGEST) + 12)


def _rarity(terms: list[set[str]]) -> dict[str, float]:
    counts: dict[str, int] = {}
    for each in terms:
        for word in each:
            counts[word] = counts.get(word, 0) + 1
    return {word: math.log(1 + len(terms) / count) for word, count in counts.items()}


def _sources(story: Story) -> list[tuple[int, float]]:
    """The moments to weigh with what their place is worth, the most telling first."""
    final, passing, other = [], [], []
    last = True
    ends_turn = True
    for place in range(len(story.moments) - 1, -1, -1):
        kind = story.moments[place].kind
        if kind == ANSWER and ends_turn:
            final.append((place, 0.8 if last else 0.0))
            last = False
        elif kind == ANSWER:
            passing.append((place, -0.1))
        elif kind in {SUMMARY, RECAP}:
            other.append((place, 0.4))
        elif kind == AGENT:
            other.append((place, -1.8))
        ends_turn = kind == PROMPT or (ends_turn and kind != ANSWER)
    return [*other, *final, *passing]


def _worth(unit: Unit, moment: Moment, base: float) -> float:
    """How likely a statement is one that a colleague wants; weights in decision 0080."""
    text = unit.text
    sum_ = base - 3.3 + 0.5 * math.log(len(text))
    sum_ += 0.2 * min(len(_CODE.findall(text)), 5) + 0.14 * min(len(_DIGIT.findall(text)), 6)
    sum_ += 1.0 * (_ARROW.search(text) is not None) + 0.4 * unit.is_item
    sum_ -= 0.9 * text.endswith(QUESTION) + 0.9 * text.endswith(COLON)
    if moment.kind == SUMMARY:
        sum_ += next((worth for found, worth in _SECTIONS if found.search(unit.heading)), 0.0)
        sum_ -= 0.5 * (_NUMBERED.match(text) is not None)
    return 1 / (1 + math.exp(-sum_))
