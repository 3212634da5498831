"""Which notes of a repository a change takes the ground from, and tying them to the code again."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.anchors.anchor import parse_all
from anamnesis.anchors.checkout import Checkout
from anamnesis.anchors.judge import CHANGED, GONE, Judge, judge_all
from anamnesis.ground import atomic
from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import InvalidInput, NoteChangedOnDisk
from anamnesis.notes import tree
from anamnesis.operations.notes.anchors import renewed
from anamnesis.operations.repository.reading import read_carried

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from anamnesis.anchors.judge import Verdict
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.operations.repository.reading import CarriedNotes

_BROKEN = (CHANGED, GONE)


def broken_since(found: CarriedNotes, base: str) -> Iterator[tuple[Memory, Verdict, int]]:
    """Notes whose code this change alters: what became of it, and the line where it is now.

    The change is what the files on disk are beyond the commit at which `base` was left. Raises
    InvalidInput for a base that git does not know.
    """
    fork = Checkout(found.top).fork_of(base)
    if not fork:
        raise InvalidInput(
            f"git does not know {base} here.",
            hint="Fetch it first; a shallow clone has no past:  git fetch --unshallow",
        )
    now, then = Checkout(found.top), Checkout(found.top, at=fork)
    judge, before = Judge(now, now), Judge(then, then)
    for each in found.notes:
        for verdict in judge_all(parse_all(each.note.anchors), judge):
            if verdict.state in _BROKEN and before.judge(verdict.anchor).state not in _BROKEN:
                yield each.note, verdict, judge.line_of(verdict)


def confirm_carried(directory: str, ids: Container[NoteId]) -> list[NoteId]:
    """Tie notes in the files of a repository to its code as it is; the ids of those there are.

    Nothing is committed. Raises NoteChangedOnDisk and NotWritable.
    """
    found = read_carried(directory)
    done = []
    for each in found.notes:
        if each.note.id not in ids:
            continue
        after = replace(each.note, anchors=renewed(each.note, directory), updated_at=utcnow())
        path = os.path.join(found.top, each.path)
        if not atomic.exchange(path, each.data, tree.encode(after)):
            raise NoteChangedOnDisk(path)
        done.append(each.note.id)
    return done
