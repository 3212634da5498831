"""A title that says what was done."""

from __future__ import annotations

import re
from itertools import chain

from anamnesis.capture.extract import findings, shell
from anamnesis.capture.extract.outcome import reports
from anamnesis.capture.extract.prompts import says_something
from anamnesis.capture.story import EDIT, PROMPT, RUN, SUBAGENT
from anamnesis.text.clipping import clipped
from anamnesis.text.sentences import COLON, QUESTION, extent, folded, sentences, units
from anamnesis.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from anamnesis.capture.story import Story

MOST = 80
_FEWEST = 12
_TELLING = 3  # words that are more than "I have", "as you said"
_FEWEST_CLAUSE = 40  # characters of a clause that is a title by itself
_CLAUSES = (re.compile(r"; | [\u2013\u2014] |\uff1b"), re.compile(r": |[\uff0c\uff1a]"))
# Prefixes and subjects of commits that say how, not what.
_CHORE = re.compile(
    r"(?:wip|fix(?:up)?|squash!|fixup!|typo|update|updates|changes|checkpoint|save|merge\b.*"
    r"|revert\b.*|bump\b.*|release\b.*|initial commit|first commit)[.!]*\Z",
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
        line = _short(_tidy(candidate))
        if extent(line) < _FEWEST:
            continue
        first = first or line
        if _key(line) not in used:
            return line
    return _numbered(first, used) if first else ""


def _candidates(story: Story) -> Iterator[str]:
    subjects = [each.subject for each in findings.commits(story)]
    meaningful = [each for each in subjects if not _CHORE.match(each) and extent(each) >= _FEWEST]
    work = [each for each in meaningful if not _BESIDE.match(each)]
    yield from reversed((work or meaningful)[-3:])
    if story.client_title:
        yield story.client_title
    reported = (line for report in reports(story) for line in _reported(report))
    asked = (
        line for prompt in story.of(PROMPT) if not prompt.answer for line in _from_ask(prompt.text)
    )
    # Where nothing was done, what was asked says more than the answer to the last question.
    worked = subjects or _has_worked(story)
    yield from chain(reported, asked) if worked else chain(asked, reported)
    yield from subjects[-1:]


def _has_worked(story: Story) -> bool:
    runs = story.of(RUN)
    return bool(story.of(EDIT, SUBAGENT)) or any(shell.main_part(each.text) for each in runs)


def _reported(text: str) -> Iterator[str]:
    """The first sentences of a report that are more than "Done."."""
    paragraphs = [unit for unit in units(text)[:8] if not unit.is_code and not unit.is_item]
    candidates = [
        each for unit in paragraphs[:3] if not unit.opens for each in sentences(unit.text)[:3]
    ]
    # What an answer begins with often replies to the last word; a sentence that tells is better.
    yield from sorted(filter(_is_title, candidates), key=lambda each: not _tells(each))


def _tells(sentence: str) -> bool:
    telling = {
        word for word in terms(sentence) if len(word) > 3 or not (word.isascii() and word.isalpha())
    }
    return len(telling) >= _TELLING


def _is_title(sentence: str) -> bool:
    return (
        extent(sentence) >= _FEWEST
        and len(terms(sentence)) > 2
        and not sentence.endswith((*QUESTION, *COLON))
        and not _PASTE.match(sentence)
        and "://" not in sentence
    )


def _from_ask(text: str) -> Iterator[str]:
    """The first sentence of a prompt that says something and was not pasted."""
    for line in text.split("\n"):
        sentence = (sentences(folded(line)) or [""])[0]
        if says_something(sentence) and not _PASTE.match(sentence):
            yield sentence
            return


def _short(text: str) -> str:
    """A title that fits: whole clauses if they say enough, else cut at a word."""
    if len(text) <= MOST:
        return text
    for clause in _CLAUSES:
        ends = [found.start() for found in clause.finditer(text, _FEWEST_CLAUSE, MOST)]
        whole = [text[:end] for end in ends if text.count("(", 0, end) == text.count(")", 0, end)]
        if whole:
            return whole[-1]
    return clipped(text, MOST)


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
