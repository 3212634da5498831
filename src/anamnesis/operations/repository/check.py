"""What is wrong with the notes of a repository, for people and for CI."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import carried
from anamnesis.config import Home
from anamnesis.operations.repository.reading import read_carried
from anamnesis.secrets import allow_list, findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.operations.repository.reading import CarriedNotes

UNREADABLE, SECRET, DOUBLED = "unreadable", "secret", "doubled id"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend: where it is, of what kind, and a sentence about it."""

    path: str  # relative to the repository, with forward slashes
    line: int
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Checked:
    """How many notes were read, and what is wrong."""

    notes: int
    problems: tuple[Problem, ...]


def check(directory: str) -> Checked:
    """Check the notes of a repository. Raises InvalidInput.

    Needs neither a store nor a home: the same on every machine.
    """
    found = read_carried(directory)
    problems = [
        *(Problem(path, 1, UNREADABLE, f"{why}") for path, why in found.unreadable.items()),
        *_secrets(found),
        *_doubled(found),
    ]
    problems.sort(key=lambda problem: (problem.path, problem.line))
    return Checked(len(found.notes), tuple(problems))


def _secrets(found: CarriedNotes) -> Iterator[Problem]:
    allowed = allow_list(Home(os.path.join(found.top, carried.FOLDER)))
    for each in found.notes:
        text = each.text
        for finding in findings(text, allow=allowed):
            line = text.count("\n", 0, finding.start) + 1
            sentence = (
                f"it seems to hold a secret ({finding.kind}); remove it and replace the secret, "
                f"or allow its value in {carried.FOLDER}/redact-allow.txt"
            )
            yield Problem(each.path, line, SECRET, sentence)


def _doubled(found: CarriedNotes) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for each in found.notes:
        other = first.setdefault(each.note.id, each.path)
        if other != each.path:
            sentence = f"its id {each.note.id} is also that of {other}; delete one of them"
            yield Problem(each.path, 1, DOUBLED, sentence)
