"""The tasks of a session: where the work turned to something else."""

from __future__ import annotations

import math

from anamnesis.capture.extract import shell
from anamnesis.capture.extract.prompts import says_something
from anamnesis.capture.story import EDIT, PROMPT, RUN
from anamnesis.ground.records import record
from anamnesis.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.story import Story

_MOST = 4  # tasks; more parts would be headings with little below them
_LEAST = 4  # edits and commits of a task; less is a remark between two others
_ALIKE = 0.15  # cosine of the words of a turn and of the task so far


@record
class Task:
    """A part of a session: the place of the prompt that began it, and what was done."""

    place: int
    words: dict[str, int]
    work: int


def tasks(story: Story) -> list[int]:
    """The places of the prompts that began the tasks of a session, the first included."""
    found: list[Task] = []
    turns = _turns(story)
    spread: dict[str, int] = {}
    for turn in turns:
        for word in turn.words:
            spread[word] = spread.get(word, 0) + 1
    rarity = {word: math.log(1 + len(turns) / times) for word, times in spread.items()}
    for turn in turns:
        last = found[-1] if found else None
        if last is None or (
            turn.work >= _LEAST
            and last.work >= _LEAST
            and _cosine(last.words, turn.words, rarity) < _ALIKE
        ):
            found.append(turn)
        else:
            found[-1] = _joined(last, turn)
    while len(found) > _MOST:
        at = min(range(1, len(found)), key=lambda at: found[at - 1].work + found[at].work)
        found[at - 1 : at + 1] = [_joined(found[at - 1], found[at])]
    return [each.place for each in found]


def _turns(story: Story) -> list[Task]:
    """The turns, each with the words of what was asked, edited and committed."""
    turns: list[Task] = []
    for place, moment in enumerate(story.moments):
        text = moment.text
        if moment.kind == PROMPT and not moment.answer:
            if says_something(text) or not turns:
                turns.append(Task(place, {}, 0))
        elif moment.kind == EDIT:
            text = "/".join(text.replace("\\", "/").split("/")[-3:])
        elif moment.kind == RUN and not moment.failed:
            text = " ".join(subject for _, subject in shell.commits(text, moment.answer))
        else:
            continue
        if turns and text:
            words = dict(turns[-1].words)
            for word in terms(text):
                if len(word) > 2 or not word.isascii():
                    words[word] = words.get(word, 0) + 1
            turns[-1] = Task(turns[-1].place, words, turns[-1].work + (moment.kind != PROMPT))
    return turns


def _joined(one: Task, two: Task) -> Task:
    words = dict(one.words)
    for word, times in two.words.items():
        words[word] = words.get(word, 0) + times
    return Task(one.place, words, one.work + two.work)


def _cosine(one: dict[str, int], two: dict[str, int], rarity: dict[str, float]) -> float:
    def length(words: dict[str, int]) -> float:
        return math.fsum(sorted((math.log(1 + n) * rarity[word]) ** 2 for word, n in words.items()))

    shared = math.fsum(
        math.log(1 + one[word]) * math.log(1 + two[word]) * rarity[word] ** 2
        for word in sorted(one.keys() & two.keys())
    )
    return shared / (math.sqrt(length(one) * length(two)) or 1.0)
