"""Resolving a conflict: one version of a note, both, or a note composed of parts of each.

There are three kinds: a note that two machines edited, one that a machine deleted and another
changed, and a second version of a note's file that another sync program made.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.ground.counting import counted, counting, passes
from anamnesis.ground.errors import EXIT_CONFLICT, AnamnesisError, InvalidInput
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.history.undo import FileChange
from anamnesis.history.units import hash_of
from anamnesis.notes import tree
from anamnesis.notes.fields import CHOICE, FIELDS, ITEMS, items, new_id, of_items
from anamnesis.notes.frontmatter import deserialize, note_in
from anamnesis.sync.conflicts import HERE, THERE, Conflict, Conflicts, archive_name
from anamnesis.sync.diff3 import Region, edits, ended, lines_of, marked, regions
from anamnesis.sync.merge import merged_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore


MINE, THEIRS, BOTH, EDIT = "mine", "theirs", "both", "edit"
CHOICES = (MINE, THEIRS, BOTH)
_PLAIN = (*(name for name, row in FIELDS.items() if row.merge == CHOICE), "extra")
_SETS = tuple(name for name, row in FIELDS.items() if row.merge == ITEMS)  # may keep both
_PICKED = (*_PLAIN, *_SETS, "body")


class NoSuchConflict(AnamnesisError):
    """No note with a conflict has this id."""

    def __init__(self, given: str) -> None:
        super().__init__(
            f"There is no conflict for {given}.", hint="See:  anamnesis conflicts list"
        )


class StillInConflict(AnamnesisError):
    """The edited text still holds conflict markers."""

    def __init__(self) -> None:
        super().__init__(
            "The text still contains conflict markers; the conflict stays.",
            hint="Edit it again and remove the lines that start with <<<<<<<, ======= and >>>>>>>.",
            exit_code=EXIT_CONFLICT,
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """A conflict, and what it is between; a side that has no such file, or deleted it, is None."""

    conflict: Conflict
    mine: bytes | None
    theirs: bytes | None
    file: str  # of this machine, relative to the store
    current: bytes | None  # what that file says: if one side deleted it, the version of the other
    copy: str = ""  # the file that another sync program made, relative to the store

    @property
    def other(self) -> str:
        """Where the other version comes from."""
        return self.conflict.machine or "another machine"

    @property
    def about(self) -> str:
        """What clashes: a deletion, or the names of fields; the text is called `body`."""
        if self.conflict.deleted:
            return f"deleted {'here' if self.conflict.deleted == HERE else f'on {self.other}'}"
        return ", ".join(self.conflict.fields)

    @property
    def choices(self) -> dict[str, str]:
        """What each choice does, by its name."""
        if self.conflict.deleted:
            keep, delete = "keep the note", "delete it on all machines"
            here = self.conflict.deleted == HERE
            return {MINE: delete if here else keep, THEIRS: keep if here else delete}
        if self.mine is None:
            return {MINE: "leave it deleted", THEIRS: f"take the one from {self.other}"}
        if self.copy:
            return {
                MINE: "keep the note, remove the copy",
                THEIRS: "take the copy",
                BOTH: "make the copy a second note",
                EDIT: "combine both",
            }
        return {
            MINE: "keep this machine's version",
            THEIRS: f"take the one from {self.other}",
            BOTH: "keep the other version as a second note",
            EDIT: "combine both",
        }

    @property
    def title(self) -> str:
        """The title of the note on this machine, or else of the other version."""
        notes = (note_in(data) for data in (self.mine, self.theirs) if data is not None)
        return next((note.title for note in notes if note is not None), self.conflict.path)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The result of resolving: the change, which can be undone, and the second note of "both"."""

    unit: undo.Unit | None
    second: Memory | None = None


def held(store: MemoryStore) -> list[Sides]:
    """All conflicts."""
    found = Conflicts(store.home).waiting().values()
    return [*(_sides(store, conflict) for conflict in found), *_copies(store)]


def _sides(store: MemoryStore, conflict: Conflict) -> Sides:
    # It may be local only, of another type or renamed by now.
    usual = [f"{name}/{conflict.path}" for name in ("local", "memory")]
    file = _file(store, usual, conflict.theirs)
    current = tree.bytes_at(os.path.join(store.home, file))
    kept = conflict.theirs if current is None else current
    mine, theirs = {
        HERE: (None, kept),
        THERE: (current, None),
    }.get(conflict.deleted, (current, conflict.theirs))
    return Sides(conflict, mine, theirs, file, current)


def _copies(store: MemoryStore) -> Iterator[Sides]:
    """The second versions that Syncthing, Dropbox or Nextcloud made of a note's file."""
    for path in (each.path for each in store.unreadable()):
        data, original = tree.bytes_at(os.path.join(store.home, path)), tree.copied_from(path)
        if not original or data is None:
            continue
        file = _file(store, [f"{path.rpartition('/')[0]}/{original}"], data)
        current = tree.bytes_at(os.path.join(store.home, file))
        conflict = Conflict(
            id=f"copy-{hash_of(path.encode())[:8]}", path=file.partition("/")[2],
            fields=tuple(_differing(current, data)), machine="another sync program",
            since=_written(os.path.join(store.home, path)), base=None, theirs=data,
        )  # fmt: skip
        yield Sides(conflict, current, data, file, current, copy=path)


def _written(path: str) -> str:
    """When a file was written, as notes write times."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(os.stat(path).st_mtime), UTC).isoformat()


def _differing(mine: bytes | None, theirs: bytes) -> Iterator[str]:
    """The fields in which two versions differ, as far as both can be read."""
    notes = note_in(mine or b""), note_in(theirs)
    if notes[0] and notes[1]:
        yield from (name for name in _PICKED if _text(notes[0], name) != _text(notes[1], name))


def find(store: MemoryStore, given: str) -> Sides:
    """The conflict with this id, or with enough of its start or end. Raises NoSuchConflict."""
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
    theirs = (sides.theirs or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return "".join(unified_diff(mine, theirs, "this machine", sides.other))


def draft(sides: Sides) -> str:
    """Both versions in one text, with git's markers around what differs."""
    if sides.mine is None or sides.theirs is None:
        return (sides.mine or sides.theirs or b"").decode("utf-8", "replace")
    base = sides.conflict.base or b""
    texts = [data.decode("utf-8", "replace") for data in (base, sides.mine, sides.theirs)]
    return marked(*texts, names=("this machine", sides.other))


def resolve(store: MemoryStore, given: str, choice: str) -> Resolved:
    """Resolve a conflict with one version, or keep both as two notes.

    Raises InvalidInput, NoSuchConflict, and NoteChangedOnDisk if the note is edited meanwhile.
    """
    if choice not in CHOICES:
        raise InvalidInput(f"{choice!r} is not one of: {', '.join(CHOICES)}.")
    sides = find(store, given)
    second = _second(sides) if choice == BOTH and sides.mine and sides.theirs else None
    return _resolve(store, [(sides, _chosen(sides, choice))], second=second)


def resolve_all(
    store: MemoryStore, held: Sequence[Sides], choice: str, *, progress: Progress = None
) -> Resolved:
    """Resolve some conflicts with this machine's versions or with the others, as one change.

    Raises InvalidInput, and NoteChangedOnDisk if a note is edited meanwhile.
    """
    if choice not in (MINE, THEIRS):
        raise InvalidInput("Only one side can be chosen for all.")
    chosen = [(sides, _chosen(sides, choice)) for sides in held]
    return _resolve(store, chosen, progress=progress)


def resolve_with(store: MemoryStore, given: str, text: str) -> Resolved:
    """Resolve a conflict with a text that you composed. Raises InvalidInput."""
    sides = find(store, given)
    if any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in text.split("\n")):
        raise StillInConflict
    note = deserialize(text)
    if note.id != deserialize(sides.conflict.theirs.decode()).id:
        raise InvalidInput("The id of a note cannot be changed.")
    return _resolve(store, [(sides, text.encode())])


@dataclass(frozen=True, slots=True)
class Field:
    """A field that differs: its value before both edits, here and there, and which to use."""

    name: str
    base: str
    mine: str
    theirs: str
    pick: str

    @property
    def picks(self) -> tuple[str, ...]:
        """The choices for this field."""
        return (MINE, THEIRS, BOTH) if self.name in _SETS else (MINE, THEIRS)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the text: before both edits, here and there, and which to use."""

    base: str
    mine: str
    theirs: str
    pick: str

    @property
    def differs(self) -> bool:
        """Whether there is something to choose."""
        return self.mine != self.theirs

    @property
    def taken(self) -> str:
        """The text that was chosen."""
        if self.pick == BOTH and self.differs:
            return "".join(ended(lines_of(self.mine))) + self.theirs
        return self.theirs if self.pick == THEIRS else self.mine


@dataclass(frozen=True, slots=True)
class Composition:
    """Two versions in parts, with what to use of each."""

    base: Memory | None
    mine: Memory
    theirs: Memory
    fields: tuple[Field, ...]
    parts: tuple[Part, ...]

    def note(self) -> Memory:
        """The note that results from the picks; all other fields are merged by their rules."""
        merged = merged_fields(self.base, self.mine, self.theirs)
        taken: dict[str, object] = {
            name: value
            for name, value in merged.items()
            if name not in _PICKED and value is not None
        }
        taken["updated_at"] = utcnow()
        for field in self.fields:
            taken[field.name] = _value(self.mine, self.theirs, field)
        body = "".join(part.taken for part in self.parts).removesuffix("\n")
        return replace(self.mine, **taken, body=body)


def composition(sides: Sides, picks: Mapping[str, str]) -> Composition | None:
    """Both versions in parts; None if one of them is not a readable note.

    `picks` says what to use for `field-<name>` and `part-<number>`; anything else comes from the
    side that changed it, and from this machine if both did.
    """
    mine, theirs = note_in(sides.mine or b""), note_in(sides.theirs or b"")
    if mine is None or theirs is None:
        return None
    base = note_in(sides.conflict.base or b"")
    fields = tuple(_fields(base, mine, theirs, picks))
    texts = (None if base is None else base.body, mine.body, theirs.body)
    return Composition(base, mine, theirs, fields, tuple(_parts(*texts, picks)))


def seal(sides: Sides) -> str:
    """A hash that tells whether both versions are still those that you saw."""
    from hashlib import blake2b

    return blake2b(repr((sides.mine, sides.theirs)).encode(), digest_size=16).hexdigest()


def _chosen(sides: Sides, choice: str) -> bytes | None:
    if choice == BOTH and sides.mine is None:
        return sides.theirs
    return sides.theirs if choice == THEIRS else sides.mine


def _resolve(
    store: MemoryStore,
    chosen: Sequence[tuple[Sides, bytes | None]],
    *,
    second: Memory | None = None,
    progress: Progress = None,
) -> Resolved:
    """Write the chosen texts and drop the conflicts, all as one change."""
    changes = undo.changes_of(store, [(None, second)] if second else [])
    reading, writing = passes(progress, 2, total=len(chosen))
    for sides, wanted in counting(chosen, reading):
        changes.append(FileChange(sides.file, sides.current, wanted))
        changes += _archiving(store, sides)
    summary = f"{counted(len(chosen), 'conflict')} resolved"
    unit = undo.apply(store, changes, kind="resolve", summary=summary, progress=writing)
    return Resolved(unit, second)


def _archiving(store: MemoryStore, sides: Sides) -> list[FileChange]:
    """The changes that move a conflict's files to the archive of resolved ones."""
    conflict, archive = sides.conflict, archive_name(sides.conflict)
    if sides.copy:
        kept = (("mine.md", sides.mine), ("theirs.md", sides.theirs))
        moved = [FileChange(f"conflicts/{archive}/{n}", None, data) for n, data in kept if data]
        return [*moved, FileChange(sides.copy, sides.theirs, None)]
    Conflicts(store.home).keep(conflict, sides.current)
    return [
        change
        for name, data in Conflicts(store.home).files(conflict).items()
        for change in (
            FileChange(f"conflicts/{archive}/{name}", None, data),
            FileChange(f"conflicts/{conflict.id}/{name}", data, None),
        )
    ]


def _second(sides: Sides) -> Memory:
    """The other version as a separate note that links to the first."""
    theirs = note_in(sides.theirs or b"")
    if theirs is None:
        raise InvalidInput(
            "The other version is not a readable note.", hint="Choose --mine, --theirs or --edit."
        )
    return replace(
        theirs,
        id=new_id(),
        title=f"{theirs.title} (other version of {theirs.id})",
        extra=f"{theirs.extra}variant_of: {theirs.id}\n",
        updated_at=utcnow(),
    )


def _file(store: MemoryStore, usual: Sequence[str], version: bytes) -> str:
    """Where this machine has a note: in one of the usual places, or by the id in a version."""
    here = [path for path in usual if os.path.lexists(os.path.join(store.home, path))]
    note = note_in(version)
    if not here and note is not None and (mine := store.get(note.id)):
        here = list(store.files_of(mine))  # one id has one file, wherever that is
    return here[0] if here else usual[-1]


def _fields(
    base: Memory | None, mine: Memory, theirs: Memory, picks: Mapping[str, str]
) -> Iterator[Field]:
    for name in (*_PLAIN, *_SETS):
        before, own, other = (_text(note, name) for note in (base, mine, theirs))
        if own == other:
            continue
        usual = BOTH if name in _SETS else THEIRS if base is not None and own == before else MINE
        field = Field(name, before, own, other, usual)
        asked = picks.get(f"field-{name}", "")
        yield replace(field, pick=asked) if asked in field.picks else field


def _parts(base: str | None, mine: str, theirs: str, picks: Mapping[str, str]) -> Iterator[Part]:
    # A body has no final line end; with one, a line added at the end does not edit the last.
    own, other = lines_of(f"{mine}\n"), lines_of(f"{theirs}\n")
    found = _two_way(own, other) if base is None else regions(lines_of(f"{base}\n"), own, other)
    number = 0
    for region in found:
        if region.before:
            same = "".join(region.before)
            yield Part(same, same, same, MINE)
        before, here, there = map("".join, (region.base, region.mine, region.theirs))
        if here == there:
            if here:
                yield Part(before, here, there, MINE)
            continue
        number += 1
        usual = MINE if region.by_mine else THEIRS
        asked = picks.get(f"part-{number}", "")
        yield Part(before, here, there, asked if asked in (MINE, THEIRS, BOTH) else usual)


def _two_way(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[Region]:
    """The places that differ where the common ancestor is unknown."""
    done = 0
    for edit in edits(mine, theirs):
        own = mine[edit.start : edit.end]
        yield Region(mine[done : edit.start], (), own, edit.lines, by_mine=True, by_theirs=True)
        done = edit.end
    yield Region(mine[done:], (), (), (), by_mine=False, by_theirs=False)


def _value(mine: Memory, theirs: Memory, field: Field) -> object:
    if field.pick == BOTH:
        together = dict.fromkeys([*items(mine, field.name), *items(theirs, field.name)])
        return of_items(field.name, list(together))
    return getattr(theirs if field.pick == THEIRS else mine, field.name)


def _text(note: Memory | None, name: str) -> str:
    """A field as text to read."""
    if note is None:
        return ""
    return ", ".join(items(note, name)) if name in _SETS else str(getattr(note, name)).strip()
