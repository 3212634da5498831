"""Choosing between two versions of a note that was edited on two machines."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

from anamnesis.ground import atomic, locks
from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import EXIT_CONFLICT, AnamnesisError, InvalidInput, NoteChangedOnDisk
from anamnesis.notes import tree
from anamnesis.notes.frontmatter import deserialize, note_in
from anamnesis.notes.ids import new_id
from anamnesis.sync import conflicts
from anamnesis.sync.diff3 import marked

if TYPE_CHECKING:
    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore
    from anamnesis.sync.conflicts import Conflict

CHOICES = ("mine", "theirs", "both")
_LOCK_SECONDS = 10.0


class NoSuchConflict(AnamnesisError):
    """No held note has this id."""

    def __init__(self, given: str) -> None:
        super().__init__(f"No conflict is held for {given}.", hint="See:  anamnesis conflicts list")


class StillInConflict(AnamnesisError):
    """The edited text still holds conflict markers."""

    def __init__(self) -> None:
        super().__init__(
            "The text still holds conflict markers; the conflict stays.",
            hint="Edit it again and remove the lines that start with <<<<<<<, ======= and >>>>>>>.",
            exit_code=EXIT_CONFLICT,
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """A conflict with this machine's version; None if there is no such file any more."""

    conflict: Conflict
    mine: bytes | None

    @property
    def other(self) -> str:
        """The name of the other machine."""
        return self.conflict.machine or "another machine"


def held(store: MemoryStore) -> list[Sides]:
    """All held notes."""
    found = conflicts.held(store.home).values()
    return [Sides(conflict, _read(store, conflict)) for conflict in found]


def find(store: MemoryStore, given: str) -> Sides:
    """The held note with this id, or with enough of its start or end."""
    matching = [
        sides
        for sides in held(store)
        if sides.conflict.id.startswith(given) or sides.conflict.id.endswith(given)
    ]
    exact = [sides for sides in matching if sides.conflict.id == given]
    if len(exact or matching) != 1 or not given:
        raise NoSuchConflict(given)
    return (exact or matching)[0]


def difference(sides: Sides) -> str:
    """What the other version changes in this machine's, as a unified diff."""
    mine = (sides.mine or b"").decode("utf-8", "replace").splitlines(keepends=True)
    theirs = sides.conflict.theirs.decode("utf-8", "replace").splitlines(keepends=True)
    return "".join(unified_diff(mine, theirs, "this machine", sides.other))


def draft(sides: Sides) -> str:
    """Both versions in one text, with git's markers around what differs."""
    base = sides.conflict.base or b""
    mine = sides.mine if sides.mine is not None else base
    texts = [data.decode("utf-8", "replace") for data in (base, mine, sides.conflict.theirs)]
    return marked(*texts, names=("this machine", sides.other))


def resolve(store: MemoryStore, given: str, choice: str) -> Memory | None:
    """Settle a conflict with one version, or keep both; gives the second note if there is one."""
    if choice not in CHOICES:
        raise InvalidInput(f"{choice!r} is none of: {', '.join(CHOICES)}.")
    sides = find(store, given)
    second = _keep_as_second(store, sides.conflict) if choice == "both" else None
    wanted = sides.conflict.theirs if choice == "theirs" else sides.mine
    _settle(store, sides, wanted)
    return second


def resolve_with(store: MemoryStore, given: str, text: str) -> None:
    """Settle a conflict with a text that a person made out of both."""
    sides = find(store, given)
    if any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in text.split("\n")):
        raise StillInConflict
    note = deserialize(text)
    if note.id != deserialize(sides.conflict.theirs.decode()).id:
        raise InvalidInput("The id of a note cannot be changed.")
    _settle(store, sides, text.encode())


def _settle(store: MemoryStore, sides: Sides, wanted: bytes | None) -> None:
    """Write the chosen text, then let go. Killed in between, the next sync lets go by itself."""
    home = store.home
    path = sides.conflict.path
    with locks.held(home.lock("store"), name="store", timeout=_LOCK_SECONDS):
        if _read(store, sides.conflict) != sides.mine:
            raise NoteChangedOnDisk(path)
        if wanted is not None and wanted != sides.mine:
            atomic.write_bytes(os.path.join(home.memory, path), wanted)
        conflicts.settle(home, sides.conflict, mine=sides.mine)
    store.refresh_paths([f"memory/{path}"])


def _keep_as_second(store: MemoryStore, conflict: Conflict) -> Memory:
    """The other version as a note of its own that points to the first."""
    theirs = note_in(conflict.theirs)
    if theirs is None:
        raise InvalidInput(
            "The other version is not a readable note.", hint="Choose --mine, --theirs or --edit."
        )
    pointer = f"variant_of: {theirs.id}\n"
    return store.put(
        replace(
            theirs,
            id=new_id(),
            title=f"{theirs.title} (other version of {theirs.id})",
            extra=theirs.extra + pointer,
            updated_at=utcnow(),
        )
    )


def _read(store: MemoryStore, conflict: Conflict) -> bytes | None:
    return tree.bytes_at(os.path.join(store.home.memory, conflict.path))
