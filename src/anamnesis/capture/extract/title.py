"""A title that says what was done."""

from __future__ import annotations

import re

from anamnesis.capture.extract import findings
from anamnesis.capture.extract.outcome import reports
from anamnesis.capture.extract.prompts import says_something
from anamnesis.capture.extract.text import COLON, QUESTION, clipped, folded, sentences, units, words
from anamnesis.capture.story import PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from anamnesis.capture.story import Story

MOST = 80
_FEWEST = 12
# Prefixes and subjects of commits that say how, not what.
_CHORE = re.compile(
    r"(?:wip|fix(?:up)?|squash!|fixup!|typo|update|updates|changes|checkpoint|save|merge\b.*"
    r"|revert\b.*"
    r"|bump\b.*|chore\b.*|style\b.*|ci\b.*|release\b.*|initial commit|first commit)[.!]*\Z",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"(?:docs?|chore|style|ci|tests?|build)(?:\([^)]*\))?!?:", re.IGNORECASE)
_MARK = re.compile(r"^(?:[-*>#\s]+|\d+[.)]\s+)+")
_PASTE = re.compile(r"^(?:Traceback|File \"|\$ |at |<|\{|\[|https?://|/|@|`{3}|\W*$)")


def title(story: Story, *, taken: Collection[str] = ()) -> str:
    """What the session did, in at most 80 characters; unlike the `taken` ones where possible."""
    used = {_key(each) for each in taken}
    first = ""
    for candidate in _candidates(story):
        line = clipped(_tidy(candidate), MOST)
        if len(line) < _FEWEST:
            continue
        first = first or line
        if _key(line) not in used:
            return line
    return _numbered(first, used) if first else ""


def _candidates(story: Story) -> Iterator[str]:
    subjects = [each.subject for each in findings.commits(story)]
    meaningful = [each for each in subjects if not _CHORE.match(each) and len(each) >= _FEWEST]
    work = [each for each in meaningful if not _BESIDE.match(each)]
    yield from reversed((work or meaningful)[-3:])
    if story.client_title:
        yield story.client_title
    for report in reports(story):
        yield from _reported(report)
    for prompt in story.of(PROMPT):
        if not prompt.answer:
            yield from _asked(prompt.text)
    yield from subjects[-1:]


def _reported(text: str) -> Iterator[str]:
    """The first sentences of a report that are more than "Done."."""
    for unit in units(text)[:3]:
        if not unit.is_code and not unit.opens:
            yield from filter(_is_title, sentences(unit.text)[:3])


def _is_title(sentence: str) -> bool:
    return (
        len(sentence) >= _FEWEST
        and len(words(sentence)) > 2
        and not sentence.endswith((*QUESTION, *COLON))
        and not _PASTE.match(sentence)
    )


def _asked(text: str) -> Iterator[str]:
    """The first sentence of a prompt that says something and was not pasted."""
    for line in text.split("\n"):
        sentence = (sentences(folded(line)) or [""])[0]
        if says_something(sentence) and not _PASTE.match(sentence):
            yield sentence
            return


def _tidy(text: str) -> str:
    return folded(_MARK.sub("", text.replace("**", ""))).rstrip(".。:")


def _key(text: str) -> str:
    return folded(text).lower().rstrip("…")


def _numbered(line: str, used: set[str]) -> str:
    for number in range(2, 100):
        candidate = f"{clipped(line, MOST - 5)} ({number})"
        if _key(candidate) not in used:
            return candidate
    return line
