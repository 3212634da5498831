"""Without a model: what several sessions say about a file, error or command becomes a note.

A failure that was fixed in several sessions is identified by its program and error, a check by its
command, a statement by most of its words. One that names nothing ("all tests pass and the build is
clean") is boilerplate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.index.fixes import PAIR
from anamnesis.notes.derived import derived_id
from anamnesis.notes.fields import Memory
from anamnesis.reflect.plan import CONFIDENCE, PENDING
from anamnesis.reflect.similarity import groups
from anamnesis.secrets import findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anamnesis.notes.fields import MemoryType

ENOUGH_SESSIONS = 3  # twice may be one piece of work that went on the next day
_LEAST_WORDS = 5
_ALIKE = 0.6  # of all word triples; numbers and negations are the same anyway
_SHORTEST, _LONGEST = 30, 400
_LABEL = re.compile(r"^(?:(?:[-*+]|\d+[.)])\s+)?(?:\*\*[^*]{1,40}\*\*:?)?\s*")
# Blocks of a session note without facts: what you asked, and the state of one day.
_NO_FACTS = re.compile(
    r"^\*\*(?:Ask|Asked and answered later|Branch|Commits|Last results|Commands|Open|Runs"
    r"|Files touched \(\d+\)):\*\*"
)
_VARIES = re.compile(r"\d+|0x[0-9a-f]+|(?<=[\s'\"(])/\S+")  # numbers, addresses, absolute paths
# A file, a piece of code, an option, a name: what a statement is about.
_ANCHOR = re.compile(
    r"`[^`]+`|\w[/.]\w|\w_\w|(?<=\w )--?[a-z]|[a-z][A-Z]|\b[A-Z]{2,}\b|(?<=[\w,;:)] )[A-Z]\w|\d{2,}"
)
_PASSED = re.compile(r"^- `(?P<command>[^`…]{4,80})`: passed\b", re.MULTILINE)
_BLOCK = re.compile(r"^\*\*[A-Z][^*]{1,40}:\*\*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`\"'(])")
_WORD = re.compile(r"\w+")
_NOT_A_FACT = re.compile(
    r"\?$|^\(no |\.\.\.$|^(?:please|can you|could you|let me|i'll|i will|now )\b"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement and the sessions that make it."""

    text: str
    sessions: tuple[Memory, ...]
    type: MemoryType = "semantic"
    title: str = ""


def repeated_facts(sessions: Iterable[Memory]) -> list[Fact]:
    """The statements that enough sessions make in nearly the same words, in those of the first."""
    by_words: dict[str, dict[str, tuple[Memory, str]]] = {}
    for session in sorted(sessions, key=_when):
        for statement in _statements(session.body):
            norm = " ".join(_WORD.findall(statement.lower()))
            # Several notes of one session count once.
            of_session = by_words.setdefault(norm, {})
            of_session.setdefault(session.prov_session or session.id, (session, statement))
    alike = groups([(norm, norm) for norm in by_words], threshold=_ALIKE)
    told = {norm for group in alike for norm in group}
    facts = []
    for group in [*alike, *([norm] for norm in by_words if norm not in told)]:
        sightings: dict[str, tuple[Memory, str]] = {}
        for norm in group:
            for name, sighting in by_words[norm].items():
                sightings.setdefault(name, sighting)
        if len(sightings) >= ENOUGH_SESSIONS:
            first, *others = sorted(sightings.values(), key=lambda each: _when(each[0]))
            facts.append(Fact(first[1], (first[0], *(session for session, _ in others))))
    return sorted(facts, key=lambda fact: fact.text)


def repeated_checks(sessions: Iterable[Memory]) -> list[Fact]:
    """The tests, builds and linters that passed in enough sessions."""
    by_command: dict[str, dict[str, Memory]] = {}
    for session in sorted(sessions, key=_when):
        for line in _PASSED.finditer(session.body):
            of_session = by_command.setdefault(line["command"], {})
            of_session.setdefault(session.prov_session or session.id, session)
    return [
        Fact(
            f"`{command}` checks this project; it passed in several sessions.",
            tuple(found.values()),
            "procedural",
            f"Check: {command}",
        )
        for command, found in sorted(by_command.items())
        if len(found) >= ENOUGH_SESSIONS and not findings(command)
    ]


def _when(session: Memory) -> tuple[str, str]:
    return session.updated_at, session.id


def repeated_fixes(sessions: Iterable[Memory]) -> list[Fact]:
    """The failures that enough sessions fixed, in the words of the first."""
    by_kind: dict[str, dict[str, tuple[Memory, re.Match[str]]]] = {}
    for session in sessions:
        for line in re.finditer(PAIR, session.body):
            program = " ".join(line["command"].split()[:2])
            kind = f"{program}: {_VARIES.sub('0', line['error'].lower())}"
            by_kind.setdefault(kind, {}).setdefault(
                session.prov_session or session.id, (session, line)
            )
    facts = []
    for kind in sorted(by_kind):
        # In the words of the first session, which stay the same when a later one repeats it.
        sightings = sorted(
            by_kind[kind].values(), key=lambda each: (each[0].created_at, each[0].id)
        )
        if len(sightings) >= ENOUGH_SESSIONS and not findings(sightings[0][1][0]):
            line = sightings[0][1]
            title = f"`{line['command']}` fails: {line['error']}"
            text = line[0].removeprefix("- ")
            facts.append(
                Fact(text, tuple(session for session, _ in sightings), "procedural", title)
            )
    return facts


def promoted(facts: Iterable[Fact], *, project: str, machine_id: str) -> list[Memory]:
    """A semantic note for each fact: the same bytes wherever the same sessions are known."""
    return [_note(fact, project, machine_id) for fact in facts]


def _note(fact: Fact, project: str, machine_id: str) -> Memory:
    latest, title = fact.sessions[-1].updated_at, fact.title or fact.text
    return Memory(
        # From the words alone, and with nothing else in the file that two machines, of which one
        # knows more sessions, would write differently.
        id=derived_id("repeated", project, fact.text, at=""),
        type=fact.type,
        title=title if len(title) <= 80 else title[:79].rsplit(" ", 1)[0] + " …",
        body=fact.text,
        project=project,
        machine_id=machine_id,
        tags=["reflection", PENDING],
        created_at=latest,
        updated_at=latest,
        prov_source="reflection",
        prov_model="heuristic",
        confidence=CONFIDENCE,
    )


def _statements(body: str) -> Iterator[str]:
    fenced = skipped = False
    for line in body.splitlines():
        if _BLOCK.match(line):
            skipped = _NO_FACTS.match(line) is not None
        if skipped or re.match(PAIR, line):
            continue
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or line.lstrip().startswith(("#", "|", ">", "```", "~~~")):
            continue
        for sentence in _SENTENCE_END.split(_LABEL.sub("", line.strip(), count=1)):
            text = sentence.strip()
            if _SHORTEST <= len(text) <= _LONGEST and _is_statement(text):
                yield text


def _is_statement(text: str) -> bool:
    words: Sequence[str] = _WORD.findall(text)
    if len(words) < _LEAST_WORDS or "/" in text.partition(" ")[0]:
        return False  # a path of the list of touched files, or a heading
    if _NOT_A_FACT.search(text.lower()) is not None or _ANCHOR.search(text) is None:
        return False
    return not findings(text)
