"""Between the files on disk and git: what was changed here, and writing what came from elsewhere.

A file is written only if it still is what was last committed. One that was edited meanwhile is
merged like any other edit, so a person who saves during a sync loses nothing.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.ground import atomic, locks
from anamnesis.notes import tree
from anamnesis.notes.frontmatter import deserialize
from anamnesis.notes.note import UnreadableNote
from anamnesis.sync import conflicts, forgotten
from anamnesis.sync.merge import three_way
from anamnesis.sync.paths import (
    TOMBSTONES,
    by_folded_name,
    collides,
    is_note,
    travels,
    why_not,
)
from anamnesis.sync.plan import Change, is_sweeping
from anamnesis.sync.repository import FILE_MODES, Repository, blob_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from anamnesis.ground.home import Home

    Check = Callable[[str, bytes], str]  # path and content -> why it must not leave, or nothing

_BATCH = 100  # files written per hold of the store's lock: a tenth of a second on a slow disk
_LOCK_SECONDS = 30.0
_EMPTY = "0" * 40
_AS_IT_IS = b"\0leave the file as it is"  # compared by identity


class Irregular(Exception):
    """Something on disk that is neither a regular file nor nothing."""


@dataclass(frozen=True, slots=True)
class LocalChanges:
    """What the disk has that git does not."""

    writes: dict[str, bytes | None] = field(default_factory=dict)  # None: deleted
    held_back: dict[str, str] = field(default_factory=dict)  # path -> why it does not travel
    swept: list[Change] = field(default_factory=list)  # all gone at once: taken for an accident
    same: list[str] = field(default_factory=list)  # looked different, but say what is committed


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written to the disk."""

    changed: tuple[str, ...] = ()
    absent: dict[str, str] = field(default_factory=dict)  # path -> why it was not written


class WorkTree:
    """The files of one machine's portable notes."""

    def __init__(self, repository: Repository, home: Home, check: Check | None) -> None:
        self._repository = repository
        self._home = home
        self._check = check

    def changes(self, absent: Mapping[str, str], *, accept_deletions: bool) -> LocalChanges:
        """Compare the disk with the commit that HEAD names; only differing files are read."""
        found = LocalChanges()
        held = conflicts.held(self._home)
        deleted = []
        for path, committed in self._candidates():
            if path in held:
                continue
            if not travels(path):
                if committed is None and (reason := why_not(path)):
                    found.held_back[_printable(path)] = reason
                continue
            try:
                data = self.read(path)
            except Irregular as irregular:
                found.held_back[path] = str(irregular)
                continue
            if data is not None:
                self._compare(path, data, committed, found)
            elif committed and path not in absent:
                deleted.append(Change(path, committed, None))
        if is_sweeping(deleted, notes_left=self._notes_left(deleted)) and not accept_deletions:
            found.swept.extend(self._not_forgotten(deleted))
        swept = {change.path for change in found.swept}
        found.writes.update({c.path: None for c in deleted if c.path not in swept})
        return found

    def _not_forgotten(self, deleted: Sequence[Change]) -> list[Change]:
        """The removed files that no tombstone speaks of; none if too few to be an accident."""
        gone = forgotten.ids(self._stones())
        texts = [(change.before, change.path) for change in deleted if change.before]
        meant = set(forgotten.texts(self._repository, texts, gone))
        lost = [change for change in deleted if change.before not in meant]
        return lost if is_sweeping(lost, notes_left=0) else []

    def _stones(self) -> list[str]:
        try:
            names = os.listdir(os.path.join(self._repository.directory, TOMBSTONES))
        except OSError:
            return []
        return [f"{TOMBSTONES}/{name}" for name in names]

    def _compare(self, path: str, data: bytes, committed: str | None, found: LocalChanges) -> None:
        if committed and blob_id(data, like=committed) == committed:
            found.same.append(path)
        elif reason := self.objection(path, data):
            found.held_back[path] = reason
        else:
            found.writes[path] = data

    def objection(self, path: str, data: bytes) -> str:
        """Why a file must not reach the other machines, or nothing."""
        if not is_note(path):
            return _json_objection(data)
        if len(data) > tree.MAX_NOTE_BYTES:
            return "it is larger than 1 MiB"
        try:
            note = deserialize(data.decode())
            tree.path_of(note)
        except UnreadableNote as error:
            return error.reason
        except UnicodeDecodeError as error:
            return f"it is not UTF-8 (byte {error.start})"
        if "conflict markers" in tree.concern(note, f"memory/{path}"):
            return "it holds git conflict markers"
        return self._check(path, data) if self._check else ""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None if there is none; Irregular if it must not be followed."""
        absolute = self._absolute(path)
        try:
            data, _ = tree.read_regular(absolute)
        except FileNotFoundError:
            return None
        except UnreadableNote as error:
            raise Irregular(error.reason) from None
        return data

    def apply(self, changes: Sequence[Change]) -> Applied:
        """Bring the disk from one commit to another, file by file."""
        wanted = [change.after for change in changes if change.after]
        contents = self._repository.contents(wanted, limit=tree.MAX_NOTE_BYTES)
        present = by_folded_name(self._present()) if self._ignores_case() else None
        changed: list[str] = []
        absent: dict[str, str] = {}
        for start in range(0, len(changes), _BATCH):
            with self.locked():
                held = conflicts.held(self._home)
                possible = []
                for change in changes[start : start + _BATCH]:
                    reason = self._obstacle(change, contents, present)
                    if reason:
                        absent[change.path] = reason
                    else:
                        possible.append(change)
                changed += self._bring(possible, contents, held)
        return Applied(tuple(changed), absent)

    def _bring(
        self,
        changes: Sequence[Change],
        contents: Mapping[str, bytes],
        held: Mapping[str, conflicts.Conflict],
    ) -> list[str]:
        """Write some files, the lock being held; gives the paths that changed."""
        outcomes = {
            change.path: self._outcome(change, contents, held.get(change.path))
            for change in changes
        }
        news = {path: data for path, data in outcomes.items() if data is not _AS_IT_IS}
        atomic.write_all(
            {self._absolute(path): data for path, data in news.items() if data is not None}
        )
        for path, data in news.items():
            if data is None:
                atomic.remove(self._absolute(path))
        return list(news)

    def _outcome(
        self, change: Change, contents: Mapping[str, bytes], held: conflicts.Conflict | None
    ) -> bytes | None:
        """What a file has to say: theirs if it is what it was, else both edits, or as it is."""
        try:
            data = self.read(change.path)
        except Irregular:
            return _AS_IT_IS  # not our file: where one is to be written, that is an obstacle
        like = change.after or change.before or _EMPTY
        found = None if data is None else blob_id(data, like=like)
        if found == change.after:
            return _AS_IT_IS
        new = contents[change.after] if change.after else None
        if held is None and (found == change.before or data is None):
            return new
        if new is None or data is None:
            return _AS_IT_IS  # deleted elsewhere, edited here: the edit wins
        base = self._content(change.before) if held is None else held.base
        merged = three_way(base, data, new)
        if merged.data is None and held is None:
            conflicts.hold(
                self._home, change.path, base=base, theirs=new, machine="", fields=merged.clashes
            )
        return _AS_IT_IS if merged.kept in (None, data) else merged.kept

    def _obstacle(
        self, change: Change, contents: Mapping[str, bytes], present: dict[str, str] | None
    ) -> str:
        """Why a file cannot be written here, or nothing."""
        if change.after is None:
            return ""
        if change.after not in contents:
            return "it is larger than 1 MiB"
        if present is not None and collides(change.path, present):
            return "another file has the same name but for upper and lower case"
        if os.path.lexists(os.path.join(self._home, "local", change.path)):
            return "this machine keeps its own version of the note (machine-local)"
        try:
            self._absolute(change.path)
            self.read(change.path)
        except Irregular as irregular:
            return str(irregular)
        if present is not None:
            present.update(by_folded_name([change.path]))
        return ""

    def write(self, path: str, data: bytes | None, *, unless: bytes | None) -> None:
        """Write or remove a file, unless it says that already."""
        if data == unless:
            return
        if data is None:
            atomic.remove(self._absolute(path))
        else:
            atomic.write_bytes(self._absolute(path), data)

    def _candidates(self) -> Iterator[tuple[str, str | None]]:
        """Paths that may differ from HEAD, each with the id that HEAD has for it."""
        printed = self._repository.status()
        found: dict[str, str | None] = {}
        for line in printed.decode("utf-8", "surrogateescape").split("\0"):
            if line.startswith("1 "):
                *facts, path = line.split(" ", 8)
                found[path] = facts[6] if facts[3] in FILE_MODES else None
            elif line.startswith(("? ", "! ")):
                found.setdefault(line[2:], None)
        yield from found.items()

    def _absolute(self, path: str) -> str:
        """Where a file is, with every folder on the way a real one inside of our tree."""
        absolute = self._repository.directory
        *folders, name = path.split("/")
        for folder in folders:
            absolute = os.path.join(absolute, folder)
            if os.path.islink(absolute):
                raise Irregular(f"its folder {folder} is a symbolic link, which is not followed")
        return os.path.join(absolute, name)

    def _content(self, blob: str | None) -> bytes | None:
        if blob is None:
            return None
        return self._repository.contents([blob], limit=tree.MAX_NOTE_BYTES).get(blob)

    def _notes_left(self, deleted: Sequence[Change]) -> int:
        """How many notes are on disk; not counted unless something was deleted."""
        return sum(map(is_note, self._present())) if deleted else 1

    def _present(self) -> set[str]:
        root, name = os.path.split(self._repository.directory)
        listing = tree.scan(root, [name])
        return {path.partition("/")[2] for path in listing.files}

    def _ignores_case(self) -> bool:
        return os.path.lexists(os.path.join(self._repository.directory, ".GIT"))

    def locked(self) -> AbstractContextManager[None]:
        """The lock that every writer of notes holds."""
        path = os.path.join(self._home, "locks", "store.lock")
        return locks.held(path, name="store", timeout=_LOCK_SECONDS)


def _printable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _json_objection(data: bytes) -> str:
    try:
        return "" if isinstance(json.loads(data), dict) else "it is not a JSON object"
    except (ValueError, RecursionError):
        return "it is not JSON"
