"""What you said in a session, and how telling each sentence is."""

from __future__ import annotations

import math

from anamnesis.capture.extract.findings import decisive_line
from anamnesis.capture.extract.rules import is_rule
from anamnesis.capture.story import ANSWER, PROMPT
from anamnesis.ground.records import record
from anamnesis.text.clipping import clipped
from anamnesis.text.cues import Cue, sentence
from anamnesis.text.sentences import (
    QUESTION,
    Unit,
    extent,
    folded,
    is_pasted,
    sentences,
    statements,
    units,
)
from anamnesis.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.story import Moment, Story

# Only a hint: words that contrast one thing with another, in a few languages.
_CONTRAST = Cue(
    "not, no, never, only, instead, always, must, should, don't, dont, do not, without, but",
    "rather, nicht, nie, kein*, immer, statt, nur, pas, jamais, toujours, plutôt, sans, sino",
    "nunca, siempre, não, sempre, не, никогда, всегда, только",
    "不, 别, 別, 勿, 必须, 必須, 只, 先, 要",
)
_ARROWS = ("→", "->")
_LONG_PROMPT = 1_500
_SHORT = 25
_FEW_WORDS = 5
_RULE = 0.9  # what binds later sessions is wanted most


@record
class Statement:
    """One statement with what it is worth and where it comes from."""

    place: int  # of its moment in the story
    text: str
    worth: float  # between 0 and 1
    source: str
    heading: str = ""


def says_something(text: str) -> bool:
    """Whether a prompt makes sense without its context."""
    long_words = [word for word in terms(text) if len(word) > 1]
    return len(long_words) > _FEW_WORDS or (extent(text) > _SHORT and len(long_words) > 2)


def prompts(story: Story) -> list[Statement]:
    """Every statement of the user, with its worth."""
    typed: list[Statement] = []
    places = [place for place, each in enumerate(story.moments) if each.kind == PROMPT]
    for number, place in enumerate(places):
        moment = story.moments[place]
        if moment.answer:
            typed.append(_choice(place, moment))
        elif says_something(moment.text):
            age = number / len(places)
            typed.extend(_statements(place, moment.text, age))
        elif offer := _offer(story, place):
            typed.append(Statement(place, f"{folded(moment.text)} → {offer}", 0.45, PROMPT))
    return typed


def _choice(place: int, moment: Moment) -> Statement:
    """An answer to a question of the client, with the question."""
    question = clipped(folded(moment.answer), 140)
    return Statement(place, f"{question} → {clipped(folded(moment.text), 160)}", 0.9, PROMPT)


def _offer(story: Story, place: int) -> str:
    """What "yes please" refers to: the end of the answer before it."""
    for moment in reversed(story.moments[:place]):
        if moment.kind == PROMPT:
            return ""
        if moment.kind == ANSWER:
            sentences_said = [each for unit in units(moment.text) for each in sentences(unit.text)]
            questions = [at for at, each in enumerate(sentences_said) if each.endswith(QUESTION)]
            return clipped(_question(sentences_said, questions[-1]), 180) if questions else ""
    return ""


def _question(sentences_said: list[str], at: int) -> str:
    """A question with the sentence it is about: "Shall I?" alone asks nothing."""
    return (
        sentences_said[at]
        if says_something(sentences_said[at])
        else " ".join(sentences_said[max(0, at - 1) : at + 1])
    )


def _statements(place: int, text: str, age: float) -> list[Statement]:
    long_enough = [unit for unit in statements(text) if len(unit.text) > 8]
    result = []
    for number, unit in enumerate(long_enough):
        worth = _worth(unit, number, len(long_enough), len(text), age)
        if is_rule(unit.text):
            worth = max(worth, _RULE)
        result.append(Statement(place, unit.text, worth, PROMPT))
    if any(is_pasted(line) for line in text.split("\n")):
        error = decisive_line(text)
        if error and not any(error in each.text for each in result if each.worth > 0.5):
            result.append(Statement(place, error, 0.6, PROMPT))
    return result


def _worth(unit: Unit, number: int, of: int, length: int, age: float) -> float:
    """How useful a sentence is to a colleague; weights in decision 0080."""
    text = unit.text
    sum_ = -0.9 - 0.25 * age + 0.25 * math.log(len(text)) - 0.3 * math.log(of)
    sum_ += 1.6 * (number == 0) - 1.2 * (number == of - 1 and of > 1) + 0.06 * min(number, 10)
    sum_ += 1.3 * _CONTRAST.is_in(sentence(text))
    sum_ -= 2.1 * is_pasted(text) + 1.1 * unit.is_code
    sum_ -= 3.0 * (extent(text) < _SHORT) + 0.6 * (length > _LONG_PROMPT)
    sum_ -= 1.4 * text.endswith(QUESTION)
    return 1 / (1 + math.exp(-sum_))


def first_ask(story: Story) -> str:
    """The first prompt that says something; else the first there is."""
    asked = [each.text for each in story.of(PROMPT) if not each.answer]
    return next((text for text in asked if says_something(text)), asked[0] if asked else "")
