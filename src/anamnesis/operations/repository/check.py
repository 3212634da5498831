"""What is wrong with the notes of a repository, for people and for CI."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import carried
from anamnesis.anchors.judge import GONE
from anamnesis.config import Home
from anamnesis.ground.counting import counted
from anamnesis.notes import tree
from anamnesis.notes.fields import UnreadableNote
from anamnesis.operations.repository import block
from anamnesis.operations.repository.reading import read_carried
from anamnesis.secrets import allow_list, findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.operations.repository.reading import CarriedNotes

UNREADABLE, SECRET, DOUBLED, BRIDGE = "unreadable", "secret", "doubled id", "bridge"
STALE = "stale note"


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


def check(directory: str, *, since: str = "") -> Checked:
    """Check the notes of a repository and what was made of them. Raises InvalidInput.

    With `since`, a commit or branch, also name the notes whose code changed after that. Needs
    neither a store nor a home: the same on every machine.
    """
    found = read_carried(directory)
    problems = [
        *(Problem(path, 1, UNREADABLE, f"{why}") for path, why in found.unreadable.items()),
        *_secrets(found),
        *_doubled(found),
        *_bridges(found),
        *(_broken(found, since) if since else ()),
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


def _bridges(found: CarriedNotes) -> Iterator[Problem]:
    for name in carried.BRIDGES:
        try:
            data, _ = tree.read_regular(os.path.join(found.top, name))
        except FileNotFoundError:
            continue
        except UnreadableNote as error:
            if "symbolic link" not in error.reason:  # the file that it leads to is checked itself
                yield Problem(name, 1, BRIDGE, error.reason)
            continue
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if carried.BLOCK_BEGIN not in text:
            continue
        if (there := block.find(text)) is None:
            yield Problem(name, 1, BRIDGE, "the block of notes has no end; run: anamnesis bridge")
            continue
        line = there.before.count("\n") + 1
        for section in there.edited:
            sentence = f"the text of note {section.id} was edited here, not in its file"
            yield Problem(name, line, BRIDGE, f"{sentence}; run: anamnesis bridge")
        if there.strays:
            lines = counted(len(there.strays), "line")
            yield Problem(name, line, BRIDGE, f"{lines} in the block of notes belong to no note")
        now = block.render(found.notes, size=there.size, keep=there.edited)
        if not there.strays and now not in text:
            yield Problem(
                name, line, BRIDGE, "the block of notes is out of date; run: anamnesis bridge"
            )


def _broken(found: CarriedNotes, since: str) -> Iterator[Problem]:
    from anamnesis.operations.repository.affected_notes import broken_since

    paths = {each.note.id: each.path for each in found.notes}
    for note, verdict, line in broken_since(found, since):
        title = " ".join(note.title.split())
        what = "is gone" if verdict.state == GONE else "changed"
        sentence = (
            f"{verdict.anchor.place} {what}, of which a note speaks: {title} ({note.id}); edit or "
            f"delete it, or if it still holds run: anamnesis stale --confirm {note.id}"
        )
        path = paths[note.id] if verdict.state == GONE else verdict.path
        yield Problem(path, line, STALE, sentence)
