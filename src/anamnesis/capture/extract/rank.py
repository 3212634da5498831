"""Which statements of a session fit into its note: the most telling, each thing once."""

from __future__ import annotations

import heapq
import math
import re

from anamnesis.archive.turns import PLAN
from anamnesis.capture.extract import shell
from anamnesis.capture.extract.outcome import REPORT
from anamnesis.capture.extract.prompts import Statement, says_something
from anamnesis.capture.story import ANSWER, EDIT, PROMPT, RECAP, RUN, SUBAGENT, SUMMARY
from anamnesis.ground.records import replace
from anamnesis.text.cues import Cue, sentence
from anamnesis.text.sentences import (
    COLON,
    QUESTION,
    Unit,
    extent,
    is_source,
    sentences,
    statements,
    units,
)
from anamnesis.text.terms import terms

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
    (re.compile(r"pending|current|next|work", re.IGNORECASE), -0.5),
    (re.compile(r"user|message|request|intent", re.IGNORECASE), 0.4),
    (re.compile(r"concept|file|code", re.IGNORECASE), 0.3),
)
# How a prompt begins that rejects what was just done.
_NO = re.compile(
    r"\s*(?:(?:no|nope|nein|nee|non|não|нет|wrong|falsch|stop)\b(?! (?:problem|worries))"
    r"|不[是对對要行]|いや|違い|아니)",
    re.IGNORECASE,
)
# What was so then, and need not be so at the end.
_OF_THE_MOMENT = Cue(
    "currently, at the moment, right now, for the moment, in progress, derzeit, momentan",
    "im moment, actuellement, pour le moment, de momento, actualmente, attualmente, no momento",
    "сейчас",
    "目前, 正在, 現在, 现在, 현재",
)
# How a sentence says what the agent does next, in a few languages.
_ANNOUNCED = re.compile(
    r"\b(?:let me|let's|i['\u2019]ll|i will|i['\u2019]m going to|i am going to|lass mich|ich werde"
    r"|je vais|voy a|vou |adesso|сейчас я)\b|让我|讓我|我来|我來|これから",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(rf"(?:[^\W_]+[,.!:]* ){{0,2}}(?:{_ANNOUNCED.pattern})", re.IGNORECASE)
_DOING = re.compile(r"i['\u2019]m \w+ing\b", re.IGNORECASE)
_REFUSED = -1.2
_WORK = frozenset({ANSWER, RUN, EDIT, SUBAGENT})  # what is said before them ends no turn
_LABELLED = re.compile(r"[A-Z][\w ]{2,40}: ")
_NUMBERED = re.compile(r"^\d{1,2}\.\s")
_MOST_TEXT = 80_000  # characters that are weighed; the final answers first, the latest first
_MOST_RANKED = 300
_MOST_COMPARED = 1_000
_RARE = 0.1  # share of the statements that may have a word by which two are compared
_ALIKE = 0.25  # cosine of two statements on the same matter
_TOLD_AGAIN = 0.3  # how the odds grow with the moments that come back to a matter
_SHORTEST = 24
_LONGEST = 210  # characters that a statement may take in the note
_AGAIN = 0.35  # worth of a word that was already used
_SAME = 0.7  # share of a statement's words that makes another one nearly the same
_SAME_TEXT = 0.75  # worth of a second statement from the same answer


# What the client puts under a subagent's report, for the agent alone.
_FOR_THE_AGENT = re.compile(r"\n*(?:agentId: |<usage>).*\Z", re.DOTALL)


def answers(story: Story) -> list[Statement]:
    """Every statement of the agent, of its subagents and of the client's summaries."""
    result: list[Statement] = []
    remaining = _MOST_TEXT
    last = max((at for at, each in enumerate(story.moments) if each.kind == PROMPT), default=0)
    for place, worth in _sources(story):
        moment = story.moments[place]
        text = _text_of(moment)
        for unit in statements(text):
            said = _told(unit.text) if moment.kind == ANSWER else unit.text
            if place < last and _OF_THE_MOMENT.is_in(sentence(said)):
                continue
            if extent(said) >= _SHORTEST and not is_source(unit):
                value = _worth(unit, moment, worth)
                result.append(Statement(place, said, value, moment.kind, unit.heading))
        remaining -= len(text)
        if remaining < 0:
            break
    return result


def _told(text: str) -> str:
    """A statement without the sentences that only announce what the agent does next."""
    said = sentences(text)
    if said and _DOING.match(said[-1]) and text.endswith(said[-1]):
        said = said[:-1]
    return " ".join(each for each in said if not _ANNOUNCES.match(each))


def _text_of(moment: Moment) -> str:
    """What a moment says."""
    if moment.kind == SUBAGENT:
        return report_of(moment)
    return "\n\n".join(shell.explanations(moment.text)) if moment.kind == RUN else moment.text


def report_of(subagent: Moment) -> str:
    """What a subagent reported, without what its client added for the agent."""
    return _FOR_THE_AGENT.sub("", subagent.answer)


def recurring(pool: list[Statement]) -> list[Statement]:
    """The most telling statements, worth more the more often others come back to their matter."""
    if len(pool) > _MOST_COMPARED:
        least = sorted(map(_density, pool), reverse=True)[_MOST_COMPARED]
        pool = [each for each in pool if _density(each) > least]
    words = [set(terms(each.text)) for each in pool]
    places: dict[str, list[int]] = {}
    for number, mine in enumerate(words):
        for word in mine:
            places.setdefault(word, []).append(number)
    many = len(pool)
    weight = {word: math.log(1 + many / len(at)) ** 2 for word, at in places.items()}
    lengths = [math.sqrt(math.fsum([weight[word] for word in mine])) for mine in words]
    # A word of everywhere says nothing of a matter, and would compare all with all.
    rare = {word: at for word, at in places.items() if len(at) < max(2, many * _RARE)}
    compared = []
    for number, each in enumerate(pool):
        shared: dict[int, float] = {}
        for word in sorted(words[number] & rare.keys()):
            for other in rare[word]:
                shared[other] = shared.get(other, 0.0) + weight[word]
        least = _ALIKE * lengths[number]
        alike = {
            pool[other].place for other, sum_ in shared.items() if sum_ > least * lengths[other]
        }
        compared.append(_told_again(each, len(alike - {each.place})))
    return compared


def _told_again(statement: Statement, times: int) -> Statement:
    odds = statement.worth / (1 - statement.worth) * (1 + times) ** _TOLD_AGAIN
    return replace(statement, worth=odds / (1 + odds))


def choose(pool: Iterable[Statement], *, room: int, said: Iterable[str] = ()) -> list[Statement]:
    """The statements for `room` characters, in order; words `said` elsewhere count less."""
    pool = list(pool)
    weighed = _Pool(sorted(pool, key=_density, reverse=True)[:_MOST_RANKED])
    for text in said:
        weighed.tell(set(terms(text)))
    chosen: list[int] = []
    heap = [(-weighed.gain(number), number) for number in range(len(weighed.ranked))]
    heapq.heapify(heap)
    while heap and room > _SHORTEST:
        number = heapq.heappop(heap)[1]
        current = -weighed.gain(
            number
        )  # gains only fall: an entry that is still the best is the best
        if heap and current > heap[0][0]:
            heapq.heappush(heap, (current, number))
            continue
        number = weighed.latest_of_its_kind(number, chosen)
        cost = min(len(weighed.ranked[number].text), _LONGEST) + 3
        if number in chosen or cost > room:
            continue
        chosen.append(number)
        room -= cost
        weighed.take(number)
    taken = {id(weighed.ranked[number]) for number in chosen}
    return sorted((each for each in pool if id(each) in taken), key=lambda each: each.place)


class _Pool:
    """Statements and the worth of their words, given what has been chosen."""

    def __init__(self, ranked: list[Statement]) -> None:
        self.ranked = ranked
        self._terms = [set(terms(each.text)) for each in ranked]
        self._places: dict[str, list[int]] = {}  # the statements that have a word
        for number, each in enumerate(self._terms):
            for word in each:
                self._places.setdefault(word, []).append(number)
        many = len(ranked)
        self._rarity = {word: math.log(1 + many / len(at)) for word, at in self._places.items()}
        self._uses: dict[str, int] = {}
        self._used: dict[int, int] = {}

    def tell(self, words: Iterable[str]) -> None:
        """Count words as used."""
        for word in words:
            self._uses[word] = self._uses.get(word, 0) + 1

    def take(self, number: int) -> None:
        """Count a statement as chosen."""
        place = self.ranked[number].place
        self._used[place] = self._used.get(place, 0) + 1
        self.tell(self._terms[number])

    def gain(self, number: int) -> float:
        """What a statement adds per character."""
        rarity, uses, terms = self._rarity, self._uses, self._terms[number]
        # Exact sums: the order of a set must not decide which statement a note holds.
        total = math.fsum([rarity[word] for word in terms]) or 1.0
        fresh = math.fsum([rarity[word] * _AGAIN ** uses.get(word, 0) for word in terms])
        again = _SAME_TEXT ** self._used.get(self.ranked[number].place, 0)
        return _density(self.ranked[number]) * again * float((fresh / total) ** 1.2)

    def latest_of_its_kind(self, number: int, chosen: list[int]) -> int:
        """The last statement that says nearly the same: the later one is valid."""
        ranked, mine = self.ranked, self._terms[number]
        weight = math.fsum([self._rarity[word] for word in mine])
        best = number
        for other in self._with_a_rare_word(mine, weight):
            each = ranked[other]
            later = each.place > ranked[best].place and each.source == ranked[number].source
            if later and each.worth > 0.7 * ranked[number].worth and other not in chosen:
                shared = math.fsum([self._rarity[word] for word in mine & self._terms[other]])
                if shared > _SAME * weight:
                    best = other
        return best

    def _with_a_rare_word(self, mine: set[str], weight: float) -> list[int]:
        """The statements that may share enough: those without one of the rarest words cannot."""
        numbers: set[int] = set()
        unseen = weight
        for word in sorted(mine, key=lambda each: (-self._rarity[each], each)):
            if unseen <= _SAME * weight:
                break
            numbers.update(self._places[word])
            unseen -= self._rarity[word]
        return sorted(numbers)


def _density(statement: Statement) -> float:
    return statement.worth / math.sqrt(min(len(statement.text), _LONGEST) + 12)


def _sources(story: Story) -> list[tuple[int, float]]:
    """The moments to weigh, with the worth of their place, the most telling first."""
    final, passing, other = [], [], []
    last = True
    ends_turn = True
    refused = False
    for place in range(len(story.moments) - 1, -1, -1):
        kind = story.moments[place].kind
        if kind == ANSWER and ends_turn:
            short = extent(story.moments[place].text) < 2 * REPORT
            if not _is_small_talk(story, place) and not (refused and short):
                final.append((place, 0.8 if last else _REFUSED if refused else 0.0))
                last = False
        elif kind == ANSWER and extent(story.moments[place].text) >= REPORT:  # else it announces
            # One paragraph before a call announces it; more says what was found on the way.
            announces = len(units(story.moments[place].text)) == 1
            passing.append((place, -0.8 if announces else -1.2))
        elif kind in {SUMMARY, RECAP}:
            other.append((place, 0.4))
        elif kind == SUBAGENT:
            other.append((place, -1.8))
        elif kind == PLAN and not story.moments[place].failed:
            other.append((place, -0.9))
        elif kind == RUN and not story.moments[place].failed:
            other.append((place, 0.65))  # the message of a commit
        if kind == PROMPT:
            refused = _NO.match(story.moments[place].text) is not None
        ends_turn = kind == PROMPT or (ends_turn and kind not in _WORK)
    return [*other, *final, *passing]


def _is_small_talk(story: Story, place: int) -> bool:
    """Whether a short answer only replies to "thanks" or the like."""
    before = story.moments[place - 1] if place else None
    if before is None or before.kind != PROMPT or before.answer or says_something(before.text):
        return False
    return extent(story.moments[place].text) < REPORT


def _worth(unit: Unit, moment: Moment, base: float) -> float:
    """How useful a statement is to a colleague; weights in decision 0080."""
    text = unit.text
    sum_ = base - 3.3 + 0.5 * math.log(len(text))
    sum_ += 0.2 * min(len(_CODE.findall(text)), 5) + 0.19 * min(len(_DIGIT.findall(text)), 6)
    sum_ += 1.0 * (_ARROW.search(text) is not None) + 0.4 * unit.is_item
    sum_ -= 0.5 * (_LABELLED.match(text) is not None)
    sum_ -= 0.9 * text.endswith(QUESTION) + 0.9 * text.endswith(COLON)
    if moment.kind == SUMMARY:
        sum_ += next((worth for found, worth in _SECTIONS if found.search(unit.heading)), 0.0)
        sum_ -= 0.5 * (_NUMBERED.match(text) is not None)
    return 1 / (1 + math.exp(-sum_))
