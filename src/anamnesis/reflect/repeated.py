"""Without a model: facts that several sessions state in the same words become notes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.notes.derived import derived_id
from anamnesis.notes.note import Memory
from anamnesis.redact import findings
from anamnesis.reflect.plan import CONFIDENCE, PENDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ENOUGH_SESSIONS = 3  # twice may be one piece of work that went on the next day
_LEAST_WORDS = 5
_SHORTEST, _LONGEST = 30, 400
_LABEL = re.compile(r"^(?:(?:[-*+]|\d+[.)])\s+)?(?:\*\*[^*]{1,40}\*\*:?)?\s*")
# Blocks of a session note that hold what a person asked; a question is no fact.
_ASKED = re.compile(r"^\*\*(?:Ask|Asked and answered later):\*\*")
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


def repeated_facts(sessions: Iterable[Memory]) -> list[Fact]:
    """The statements that enough sessions make, in the words of the latest."""
    found: dict[str, dict[str, tuple[Memory, str]]] = {}
    for session in sessions:
        for statement in _statements(session.body):
            norm = " ".join(_WORD.findall(statement.lower()))
            # Several notes of one session count once.
            found.setdefault(norm, {})[session.prov_session or session.id] = (session, statement)
    facts = []
    for norm in sorted(found):
        said = sorted(found[norm].values(), key=lambda each: (each[0].updated_at, each[0].id))
        if len(said) >= ENOUGH_SESSIONS:
            facts.append(Fact(said[-1][1], tuple(session for session, _ in said)))
    return facts


def promoted(facts: Iterable[Fact], *, project: str, machine_id: str) -> list[Memory]:
    """A semantic note for each fact: the same bytes wherever the same sessions are known."""
    return [_note(fact, project, machine_id) for fact in facts]


def _note(fact: Fact, project: str, machine_id: str) -> Memory:
    latest = fact.sessions[-1].updated_at
    return Memory(
        # From the words alone, and with nothing else in the file that two machines, of which one
        # knows more sessions, would write differently.
        id=derived_id("repeated", project, fact.text, at=""),
        type="semantic",
        title=fact.text if len(fact.text) <= 80 else fact.text[:79].rsplit(" ", 1)[0] + " …",
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
    fenced = asked = False
    for line in body.splitlines():
        if _BLOCK.match(line):
            asked = _ASKED.match(line) is not None
        if asked:
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
    return _NOT_A_FACT.search(text.lower()) is None and not findings(text)
