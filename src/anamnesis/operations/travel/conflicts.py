"""Choosing between two versions of a note that was edited on two machines."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import unified_diff
from typing import TYPE_CHECKING

from anamnesis.ground import atomic, locks
from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import EXIT_CONFLICT, AnamnesisError, InvalidInput, NoteChangedOnDisk
from anamnesis.notes import tree
from anamnesis.notes.fields import encode_id
from anamnesis.notes.frontmatter import deserialize, note_in
from anamnesis.sync.conflicts import Conflict, Conflicts
from anamnesis.sync.diff3 import marked

if TYPE_CHECKING:
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore


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

    @property
    def title(self) -> str:
        """The title of the note on this machine, or else of the other version."""
        notes = (note_in(data) for data in (self.mine, self.conflict.theirs) if data is not None)
        return next((note.title for note in notes if note is not None), self.conflict.path)


def held(store: MemoryStore) -> list[Sides]:
    """All held notes."""
    found = Conflicts(store.home).held().values()
    return [Sides(conflict, _read(store, conflict)) for conflict in found]


def find(store: MemoryStore, given: str) -> Sides:
    """The held note with this id, or with enough of its start or end. Raises NoSuchConflict."""
    part = given.upper()
    matching = [
        sides
        for sides in held(store)
        if (whole := sides.conflict.id.upper()).startswith(part) or whole.endswith(part)
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
    """Resolve a conflict with one version, or keep both; gives the second note if there is one.

    Raises InvalidInput.
    """
    if choice not in CHOICES:
        raise InvalidInput(f"{choice!r} is none of: {', '.join(CHOICES)}.")
    sides = find(store, given)
    second = _keep_as_second(store, sides.conflict) if choice == "both" else None
    wanted = sides.conflict.theirs if choice == "theirs" else sides.mine
    _resolve(store, sides, wanted)
    return second


def resolve_with(store: MemoryStore, given: str, text: str) -> None:
    """Resolve a conflict with a text that a person made out of both. Raises InvalidInput."""
    sides = find(store, given)
    if any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in text.split("\n")):
        raise StillInConflict
    note = deserialize(text)
    if note.id != deserialize(sides.conflict.theirs.decode()).id:
        raise InvalidInput("The id of a note cannot be changed.")
    _resolve(store, sides, text.encode())


def _resolve(store: MemoryStore, sides: Sides, wanted: bytes | None) -> None:
    """Write the chosen text, then let go. If it is killed in between, the next sync lets go."""
    home = store.home
    path = sides.conflict.path
    file = _file(store, sides.conflict)
    with locks.held(home.lock("store"), name="store", timeout=_LOCK_SECONDS):
        if _read(store, sides.conflict) != sides.mine:
            raise NoteChangedOnDisk(path)
        Conflicts(home).keep(sides.conflict, sides.mine)
        kept = wanted is None or wanted == sides.mine
        if not kept and not atomic.exchange(os.path.join(home, file), sides.mine, wanted):
            raise NoteChangedOnDisk(path)
        Conflicts(home).resolve(sides.conflict, mine=sides.mine)
    store.refresh_paths([file])


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
            id=_second_id(conflict),
            title=f"{theirs.title} (other version of {theirs.id})",
            extra=theirs.extra + pointer,
            updated_at=utcnow(),
        )
    )


def _second_id(conflict: Conflict) -> str:
    """The id of the second note: the same however often a killed command is repeated."""
    from hashlib import blake2b

    digest = blake2b(conflict.id.encode() + conflict.theirs, digest_size=10).digest()
    moment = datetime.fromisoformat(conflict.since).timestamp()
    return encode_id(int(moment * 1000), int.from_bytes(digest))


def _read(store: MemoryStore, conflict: Conflict) -> bytes | None:
    return tree.bytes_at(os.path.join(store.home, _file(store, conflict)))


def _file(store: MemoryStore, conflict: Conflict) -> str:
    """This machine's version: it may be local only, of another type or renamed by now."""
    usual = [f"{name}/{conflict.path}" for name in ("local", "memory")]
    here = [path for path in usual if os.path.lexists(os.path.join(store.home, path))]
    theirs = note_in(conflict.theirs)
    if not here and theirs is not None and (mine := store.get(theirs.id)):
        here = list(store.files_of(mine))  # one id has one file, wherever that is
    return here[0] if here else usual[1]
