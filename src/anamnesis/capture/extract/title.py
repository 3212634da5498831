"""A title that says the main work."""

from __future__ import annotations

import math
import re
from itertools import chain, islice

from anamnesis.archive.turns import PLAN
from anamnesis.capture.extract import findings, shell
from anamnesis.capture.extract.outcome import reports
from anamnesis.capture.extract.prompts import first_ask, says_something
from anamnesis.capture.extract.results import says_how_checks_ended
from anamnesis.capture.story import ANSWER, EDIT, PROMPT, RUN, SUBAGENT
from anamnesis.ground.records import record
from anamnesis.text.clipping import clipped
from anamnesis.text.sentences import COLON, QUESTION, extent, folded, is_pasted, sentences, units
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
_HEADING = re.compile(r"#{1,3}\s+(.{8,120})")
_MARKS = re.compile(r"[\s\u2300-\u27bf\U0001f000-\U0001faff]+$")
# What a subject names before its colon: `gui: …`, `feat(cart): …`, but not the kind of a commit.
_SCOPE = re.compile(
    r"(?:\w+\(([^()]{1,24})\)!?|(?!(?:feat|fix|docs?|chore|style|ci|tests?|build|perf|refactor"
    r"|revert|wip)!?:)([\w./-]{1,20}(?: [\w./-]{1,12})?)): "
)
_KIND = re.compile(r"\w+!?: ")
_NUMBERED_PART = re.compile(r"([A-Za-z]{1,8}[-_. ]?)(\d{1,3})$")
_MANY = 4  # commits; of so many, one is a part
_SERIES, _MOST_PARTS = 3, 3
# What each kind of candidate is worth beside the subject of a commit.
_REPORTED, _PLANNED, _ASKED, _BESIDE_THE_WORK, _A_CHORE = 0.8, 0.8, 0.2, 0.5, 0.3
_SOME = 0.1  # edits; what a turn without any stands for
_FEW = 4  # words; of fewer each would count for more
_LATEST = 200  # answers and prompts whose words are counted
_MARK = re.compile(r"^(?:[-*>#\s]+|\d+[.)]\s*(?=\D))+")
_ONLY_CODE = re.compile(r"`[^`]*`[.:]?$")
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


@record
class _Candidate:
    """What may name a session."""

    text: str
    worth: float  # of its kind
    work: float  # that it stands for


def _candidates(story: Story) -> Iterator[str]:
    asked = (
        line for prompt in story.of(PROMPT) if not prompt.answer for line in _from_ask(prompt.text)
    )
    reported = (line for report in reports(story) for line in _reported(report))
    if not _has_worked(story):
        # Where nothing was done, what was asked says more than the answer to the last question.
        yield from filter(None, [story.client_title])
        yield from chain(asked, reported)
        return
    told = [*_told(story)]
    matter = _matter(story)
    total = max(sum(1 for each in story.moments if each.kind == EDIT), 1)
    yield from (each.text for each in sorted(told, key=lambda each: -_value(each, matter, total)))
    yield from chain(reported, asked)


def _told(story: Story) -> Iterator[_Candidate]:
    """The messages of commits, and what each turn asked and reported, with the work of each."""
    made = [each.subject for each in findings.commits(story)]
    parts = _parts(story) if len(made) >= _MANY else ""
    total = len(story.of(EDIT))
    in_turn = since_commit = 0.0
    said = ""
    for moment in [*story.moments, None]:
        if moment is None or (moment.kind == PROMPT and not moment.answer):
            yield from (_Candidate(line, _REPORTED, in_turn) for line in _headline(said))
            said, in_turn = "", 0.0
        elif moment.kind == EDIT:
            in_turn, since_commit, said = in_turn + 1, since_commit + 1, ""
        elif moment.kind == ANSWER:
            said = moment.text
        elif moment.kind == PLAN and not moment.failed:
            yield from (_Candidate(line, _PLANNED, total / 3) for line in _headline(moment.text))
        elif moment.kind == RUN:
            said = ""
            for _, subject in [] if moment.failed else shell.commits(moment.text, moment.answer):
                text = f"{parts}: {_without_scope(subject)}" if parts else subject
                yield _Candidate(text, _committed(subject, made), since_commit + 1)
                in_turn, since_commit = in_turn + 1, 0.0
    if story.client_title:
        yield _Candidate(story.client_title, 1.0, total / 2)
    if total and not made:
        yield from (_Candidate(line, _ASKED, total) for line in _from_ask(first_ask(story)))


def _without_scope(subject: str) -> str:
    scope = _SCOPE.match(subject) or _KIND.match(subject)
    return subject[scope.end() :] if scope else subject


def _committed(subject: str, made: list[str]) -> float:
    """What a subject is worth: a chore says little, and so does what is beside the work."""
    if _CHORE.match(subject) or extent(subject) < _FEWEST:
        return _A_CHORE
    is_beside = _BESIDE.match(subject) and not all(map(_BESIDE.match, made))
    return _BESIDE_THE_WORK if is_beside else 1.0


def _headline(text: str) -> Iterator[str]:
    """The heading that a text opens with, and its first sentences."""
    opening = units(text)[:1]
    heading = _HEADING.match(text.lstrip())
    if heading:
        yield _MARKS.sub("", heading[1])
    elif opening:
        yield from islice(_reported(text), 1)


def _parts(story: Story) -> str:
    """The parts of the work that most commits name: `gui, schema, cli`, `W1-W6`; or nothing."""
    work: dict[str, float] = {}
    since = 0
    for moment in story.of(EDIT, RUN):
        since += moment.kind == EDIT
        made = shell.commits(moment.text, moment.answer) if moment.kind == RUN else []
        for _, subject in made if not moment.failed else []:
            if found := _SCOPE.match(subject):
                name = (found[1] or found[2]).strip()
                name = next((each for each in work if each.lower() == name.lower()), name)
                work[name] = work.get(name, 0.0) + since + 1
            since = 0
    names = sorted(work, key=lambda each: -work[each])
    numbered = [each for each in map(_NUMBERED_PART.match, names) if each]
    for stem in dict.fromkeys(each[1] for each in numbered):
        numbers = [int(each[2]) for each in numbered if each[1] == stem]
        if len(numbers) >= _SERIES:
            return f"{stem}{min(numbers)}-{stem}{max(numbers)}"
    return ", ".join(names[:_MOST_PARTS]) if len(names) > 1 else ""


def _matter(story: Story) -> dict[str, float]:
    """What each word says about the work: how often it is asked, committed and edited."""
    asked = [each.text for each in story.of(PROMPT) if not each.answer]
    made = [each.subject for each in findings.commits(story)]
    edited = ["/".join(each.text.replace("\\", "/").split("/")[-4:]) for each in story.of(EDIT)]
    evidence: dict[str, float] = {}
    for texts in (asked, made, edited):
        for word, times in _texts_with(texts).items():
            evidence[word] = evidence.get(word, 0.0) + math.log(1 + times)
    spoken = _texts_with(
        [unit.text for each in story.of(ANSWER, PROMPT)[-_LATEST:] for unit in units(each.text)]
    )
    many = 1 + max(spoken.values(), default=0)
    return {
        word: known * math.log(1 + many / (1 + spoken.get(word, 0)))
        for word, known in evidence.items()
    }


def _texts_with(texts: list[str]) -> dict[str, int]:
    times: dict[str, int] = {}
    for text in texts:
        for word in _words(text):
            times[word] = times.get(word, 0) + 1
    return times


def _words(text: str) -> set[str]:
    return {word for word in terms(text) if len(word) > 2 or not word.isascii()}


def _value(candidate: _Candidate, matter: dict[str, float], total: int) -> float:
    words = _words(_short(_tidy(candidate.text)))
    told = math.fsum(sorted(matter.get(word, 0.0) for word in words))
    said = candidate.worth * (1 + told / math.sqrt(max(_FEW, len(words))))
    return said * math.sqrt(math.sqrt(min(1.0, (candidate.work + _SOME) / total)))


def _has_worked(story: Story) -> bool:
    runs = story.of(RUN)
    if story.of(EDIT, SUBAGENT) or findings.commits(story):
        return True
    return any(shell.main_part(each.text) for each in runs)


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
        and not _ONLY_CODE.match(sentence)
        and not says_how_checks_ended(sentence)
        and "://" not in sentence
    )


def _from_ask(text: str) -> Iterator[str]:
    """The first sentence of a prompt that says something and was not pasted."""
    for line in text.split("\n"):
        sentence = (sentences(folded(line)) or [""])[0]
        if says_something(sentence) and not (_PASTE.match(sentence) or is_pasted(sentence)):
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
