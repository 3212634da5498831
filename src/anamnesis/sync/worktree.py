"""Between the files on disk and git: what changed here, and writing what came from elsewhere.

A file is written only if it still is what was last committed. One that was edited meanwhile is
merged like any other edit, so saving during a sync loses nothing.
"""

from __future__ import annotations

import os
import time

from anamnesis.ground import atomic, locks
from anamnesis.ground.records import fresh, record
from anamnesis.notes import tree
from anamnesis.notes.fields import UnreadableNote, names_an_id
from anamnesis.notes.frontmatter import note_in
from anamnesis.sync import purge
from anamnesis.sync.conflicts import Conflict, Conflicts
from anamnesis.sync.plan import (
    Change,
    by_folded_name,
    collides,
    is_alias,
    is_note,
    is_sweeping,
    is_syncable,
    printable,
    three_way,
    why_not,
    why_not_json,
)
from anamnesis.sync.repository import FILE_MODES, STATES, Repository, blob_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from anamnesis.config import Home

    Check = Callable[[str, bytes], str]  # path and content -> why it must not leave, or nothing

_BATCH = 100  # files written per hold of the store's lock: a tenth of a second on a slow disk
_LOCK_SECONDS = 30.0
_QUIET_SECONDS = 10.0  # a file is adopted once nobody is typing: its heading becomes its title
_PAUSES = (0, *[0.02] * 20)  # an editor writes a note within milliseconds
_EMPTY = "0" * 40
_AS_IT_IS = b"\0leave the file as it is"  # compared by identity
_NO_FILE = ""  # in place of an id: a symbolic link, for example


class Irregular(Exception):
    """Something on disk that is neither a regular file nor nothing."""


@record
class LocalChanges:
    """What the disk has that git does not."""

    writes: dict[str, bytes | None] = fresh(default_factory=dict)  # None: deleted
    held_back: dict[str, str] = fresh(default_factory=dict)  # path -> why it is not synced
    edits: dict[str, str] = fresh(default_factory=dict)  # path -> what is committed of a write
    swept: list[Change] = fresh(default_factory=list)  # all gone at once: taken for an accident
    unwritten: list[Change] = fresh(default_factory=list)  # aliases that git has and the disk lacks
    same: list[str] = fresh(default_factory=list)  # looked changed, but equal what is committed


@record
class Applied:
    """What was written to the disk."""

    changed: tuple[str, ...] = ()
    absent: dict[str, str] = fresh(default_factory=dict)  # path -> why it was not written


class WorkTree:
    """The files of one machine's portable notes."""

    def __init__(
        self, repository: Repository, home: Home, check: Check | None, *, durable: bool = True,
        adopter: str = "",
    ) -> None:  # fmt: skip
        self._repository = repository
        self.home = home
        self._check = check
        self._durable = durable  # whether files from elsewhere must survive a power cut here
        self._adopter = adopter  # the machine that takes care of what editors leave
        self.conflicts = Conflicts(home)
        self.deleted_here: Callable[[], Container[str]] = frozenset  # by commands: no accident

    def changes(self, absent: Mapping[str, str], *, accept_deletions: bool) -> LocalChanges:
        """Compare the disk with the commit that HEAD names; only differing files are read."""
        local = LocalChanges()
        held = self.conflicts.held()
        moved = {self.place_of(conflict) for conflict in held.values()}
        deleted = []
        for path, committed in self._candidates():
            if path in held:
                continue
            if f"memory/{path}" in moved:
                local.held_back[path] = "this note was edited on two machines; choose a version"
                continue
            if not is_syncable(path):
                if reason := why_not(path):
                    there = committed and not os.path.lexists(f"{self.home.memory}/{path}")
                    where = "it is at the remote, not here: " if there else ""
                    local.held_back[printable(path)] = f"{where}{reason}"
                continue
            try:
                data = self._candidate(path, committed)
            except Irregular as irregular:
                local.held_back[path] = str(irregular)
                continue
            if data is not None:
                self._compare(path, data, committed, local)
            elif committed and path not in absent:
                deleted.append(Change(path, committed, None))
        # An earlier version takes aliases over and does not write them: that deletes none.
        aliases = [change for change in deleted if is_alias(change.path)]
        local.unwritten.extend(Change(each.path, None, each.before) for each in aliases)
        deleted = [change for change in deleted if change not in aliases]
        self._date_edits(local)
        if is_sweeping(deleted, notes_left=0) and not accept_deletions:
            local.swept.extend(self._swept(deleted))
        swept = {change.path for change in local.swept}
        gone = {c.path: c.before for c in deleted if c.before and c.path not in swept}
        local.writes.update(dict.fromkeys(gone))
        local.edits.update(gone)
        return local

    def _candidate(self, path: str, committed: str | None) -> bytes | None:
        """What the disk has for a path. Raises Irregular if it cannot be synced."""
        data = self.read(path)
        if data is None and committed == _NO_FILE:
            raise Irregular("at the remote it is not a regular file")
        return data

    def _swept(self, deleted: Sequence[Change]) -> list[Change]:
        """The removed files that look like an accident; none if they are too few for one."""
        present = self._present(*os.path.split(self._repository.directory))
        if not is_sweeping(deleted, notes_left=(left := sum(map(is_note, present)))):
            return []
        texts = [(change.before, change.path) for change in deleted if change.before]
        stones = tree.forgotten(self.home)
        forgotten = set(purge.forgotten_texts(self._repository, texts, stones))
        moved = self.placed()
        meant = self.deleted_here()
        lost = [
            change
            for change in deleted
            if change.before not in forgotten
            and change.path not in meant
            and os.path.basename(change.path) not in moved
        ]
        others = left and left + len(deleted) - len(lost)
        return lost if is_sweeping(lost, notes_left=others) else []

    def placed(self) -> set[str]:
        """The names of all files that hold notes here, synced or not."""
        here = self._present(*os.path.split(self._repository.directory))
        return {os.path.basename(path) for path in (*here, *self._present(self.home, "local"))}

    def _compare(self, path: str, data: bytes, committed: str | None, local: LocalChanges) -> None:
        if committed and blob_id(data, like=committed) == committed:
            local.same.append(path)
            return
        if self._adopter and committed is None and is_note(path):
            fresh = self._adopted(path, data)
            if fresh is None:
                local.held_back[path] = "it was saved a moment ago; the next sync makes it a note"
                return
            data = fresh
        if reason := self.why_held_back(path, data):
            local.held_back[path] = reason
        else:
            local.writes[path] = data
            if committed:
                local.edits[path] = committed

    def _adopted(self, path: str, data: bytes) -> bytes | None:
        """A file that you put here without front matter or id, as a note; else as it is.

        None if you may still be typing.
        """
        from anamnesis.notes import editor

        quiet = time.time() - self._changed_at(path)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return data
        note = editor.adopted(f"memory/{path}", text, at=self._time_of(path), machine=self._adopter)
        if note is None:
            return data
        return None if quiet < _QUIET_SECONDS else self._rewritten(path, data, tree.encode(note))

    def _date_edits(self, local: LocalChanges) -> None:
        """Give notes that were edited in an editor the time of that edit."""
        late = {path: blob for path, blob in local.edits.items() if self._is_late(path, local)}
        if not late or not self._adopter:
            return
        from anamnesis.notes import editor

        contents = self._repository.contents(late.values(), limit=tree.MAX_NOTE_BYTES)
        for path, blob in late.items():
            data = local.writes[path] or b""
            old = contents.get(blob, b"").decode("utf-8", "replace")
            if text := editor.dated(data.decode(), old, at=self._time_of(path)):
                local.writes[path] = self._rewritten(path, data, text.encode())

    def _is_late(self, path: str, local: LocalChanges) -> bool:
        """Whether a note was saved after the time that it gives."""
        note = note_in(local.writes[path] or b"") if is_note(path) else None
        return note is not None and note.updated_at < self._time_of(path)

    def _rewritten(self, path: str, data: bytes, fresh: bytes) -> bytes:
        """What a file says now: the fresh text, unless it was saved at this very moment."""
        with self.locked():
            done = atomic.exchange(self._absolute(path), data, fresh)
        return fresh if done else data

    def _changed_at(self, path: str) -> float:
        try:
            return os.stat(self._absolute(path), follow_symlinks=False).st_mtime
        except FileNotFoundError:
            return 0.0

    def _time_of(self, path: str) -> str:
        from anamnesis.ground.clock import at

        return at(self._changed_at(path))

    def why_held_back(self, path: str, data: bytes) -> str:
        """Why a file must not reach the other machines, or nothing."""
        if not is_note(path):
            return why_not_json(data)
        if len(data) > tree.MAX_NOTE_BYTES:
            return "it is larger than 1 MiB"
        try:
            note = tree.note_at(f"memory/{path}", data.decode())
            tree.path_of(note)
        except UnreadableNote as error:
            return error.reason
        except UnicodeDecodeError as error:
            return f"it is not UTF-8 (byte {error.start})"
        if "conflict markers" in tree.concern(note, f"memory/{path}"):
            return "it holds git conflict markers"
        return self._check(path, data) if self._check else ""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None if there is none. Raises Irregular if it is no plain file."""
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
        blobs = [change.after for change in changes if change.after]
        contents = self._repository.contents(blobs, limit=tree.MAX_NOTE_BYTES)
        place = os.path.split(self._repository.directory)
        present = by_folded_name(self._present(*place)) if self._ignores_case() else None
        changed = [] if self._durable else self._filled(changes, contents)
        if changed:
            done = frozenset(changed)
            changes = [change for change in changes if change.path not in done]
        absent: dict[str, str] = {}
        local = self._local_ids() if changes else frozenset()
        for start in range(0, len(changes), _BATCH):
            with self.locked():
                held = self.conflicts.held()
                possible = []
                for change in changes[start : start + _BATCH]:
                    reason = self._obstacle(change, contents, present, local)
                    if reason:
                        absent[change.path] = reason
                    else:
                        possible.append(change)
                changed += self._bring(possible, contents, held)
        return Applied(tuple(changed), absent)

    def _filled(self, changes: Sequence[Change], contents: Mapping[str, bytes]) -> list[str]:
        """Write whole folders where there are none: each is built aside, then renamed.

        Returns the paths written. Anything less simple is left to the usual way.
        """
        folders: dict[str, list[tuple[str, bytes]]] = {}
        for change in changes:
            folder, _, name = change.path.rpartition("/")
            if change.after and change.after in contents and folder and "/" not in folder:
                folders.setdefault(folder, []).append((name, contents[change.after]))
        filled = []
        with self.locked():
            for folder, files in folders.items():
                here = self._absolute(f"{folder}/")[:-1]
                if not os.path.lexists(here) and not self._local_ids():
                    aside = os.path.join(self._repository.own, "filling")
                    if atomic.fill_directory(here, files, aside=aside):
                        filled += [f"{folder}/{name}" for name, _ in files]
        return filled

    def _bring(
        self,
        changes: Sequence[Change],
        contents: Mapping[str, bytes],
        held: Mapping[str, Conflict],
    ) -> list[str]:
        """Write some files; the lock is held. Returns the paths that changed."""
        changed: dict[str, None] = {}
        waiting, pauses = list(changes), iter(_PAUSES)
        while waiting and (pause := next(pauses, None)) is not None:  # saved now: read it again
            time.sleep(pause)
            news = []
            for change in waiting:
                before, after = self._outcome(change, contents, held.get(change.path))
                if after is not _AS_IT_IS:
                    news.append((self._absolute(change.path), before, after))
            moved_on = set(atomic.exchange_all(news, durable=self._durable))
            written = {path for path, _, _ in news} - moved_on
            changed |= dict.fromkeys(c.path for c in waiting if self._absolute(c.path) in written)
            waiting = [c for c in waiting if self._absolute(c.path) in moved_on]
        for change in waiting:  # a program is still writing it: a later sync merges that
            if change.after:
                self._hold(change, contents[change.after], ("file",))
        return list(changed)

    def _hold(self, change: Change, theirs: bytes, fields: tuple[str, ...]) -> None:
        base = self._content(change.before)
        self.conflicts.hold(change.path, base=base, theirs=theirs, machine="", fields=fields)

    def _outcome(
        self, change: Change, contents: Mapping[str, bytes], held: Conflict | None
    ) -> tuple[bytes | None, bytes | None]:
        """A file's content, and what it should become: theirs, both edits, or unchanged."""
        try:
            data = self.read(change.path)
        except Irregular:
            return None, _AS_IT_IS  # not a file of ours; `_obstacle` reports it
        return data, self._wanted(change, data, contents, held)

    def _wanted(
        self,
        change: Change,
        data: bytes | None,
        contents: Mapping[str, bytes],
        held: Conflict | None,
    ) -> bytes | None:
        """Theirs if the file has not changed, else both edits, or leave it as it is."""
        like = change.after or change.before or _EMPTY
        current = None if data is None else blob_id(data, like=like)
        if current == change.after:
            return _AS_IT_IS
        new = contents[change.after] if change.after else None
        if held is None and (current == change.before or data is None):
            return new
        if new is None or data is None:
            return _AS_IT_IS  # deleted elsewhere, edited here: the edit wins
        base = held.base if held else self._content(change.before or self._removed(change.path))
        merged = three_way(base, data, new)
        if merged.data is None and held is None:
            self._hold(change, new, merged.clashes)
        return _AS_IT_IS if merged.kept in (None, data) else merged.kept

    def _obstacle(
        self,
        change: Change,
        contents: Mapping[str, bytes],
        present: dict[str, str] | None,
        local: frozenset[str],
    ) -> str:
        """Why a file cannot be written here, or nothing."""
        if change.after is None:
            return ""
        if change.after not in contents:
            return "it is larger than 1 MiB"
        if present is not None and collides(change.path, present):
            return "its name differs from that of another file only in upper and lower case"
        theirs = note_in(contents[change.after]) if local else None
        moved_just_now = os.path.lexists(f"{self.home.local}/{change.path}")
        if moved_just_now or (theirs and theirs.id in local):
            return "this machine keeps its own version of the note (machine-local)"
        try:
            self._absolute(change.path)
            self.read(change.path)
        except Irregular as irregular:
            return str(irregular)
        if present is not None:
            present.update(by_folded_name([change.path]))
        return ""

    def is_local(self, version: bytes) -> bool:
        """Whether this machine keeps the note of a version to itself."""
        note = note_in(version)
        return note is not None and note.id in self._local_ids()

    def _local_ids(self) -> frozenset[str]:
        """The ids of the notes that this machine keeps to itself, whatever their files' names.

        A generated name contains the id; only files that you named are read.
        """
        ids = set()
        for path in tree.scan(self.home, ["local"]).files:
            known = names_an_id(path)
            note = None if known else note_in(tree.bytes_at(f"{self.home}/{path}") or b"")
            ids.add(note.id if note else os.path.basename(path)[:-3])
        return frozenset(ids)

    def place_of(self, conflict: Conflict) -> str:
        """Where this machine has a held note, relative to its home; empty if it was deleted.

        A note that was moved, renamed or given another type is found by its id.
        """
        for usual in (f"memory/{conflict.path}", f"local/{conflict.path}"):
            if os.path.lexists(os.path.join(self.home, usual)):
                return usual
        theirs = note_in(conflict.theirs)
        for path in tree.scan(self.home).files if theirs else ():
            note = note_in(tree.bytes_at(os.path.join(self.home, path)) or b"")
            if note and theirs and note.id == theirs.id:
                return path
        return ""

    def write(self, path: str, data: bytes | None, *, over: bytes | None) -> bool:
        """Write or remove a file if it still says what was read; False if it moved on."""
        return data == over or atomic.exchange(self._absolute(path), over, data)

    def _candidates(self) -> Iterator[tuple[str, str | None]]:
        """Paths that may differ from HEAD, each with the id that HEAD has for it."""
        printed = self._repository.status()
        candidates: dict[str, str | None] = {}
        for line in printed.decode("utf-8", "surrogateescape").split("\0"):
            if line.startswith("1 "):
                *facts, path = line.split(" ", 8)
                known = facts[6] if facts[3] in FILE_MODES else _NO_FILE
                candidates[path] = known if int(facts[3]) else None
            elif line.startswith(("? ", "! ")):
                candidates.setdefault(line[2:], None)
        yield from candidates.items()

    def _absolute(self, path: str) -> str:
        """Where a file is, with every folder on the way a real one inside our tree."""
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

    def _removed(self, path: str) -> str | None:
        """The content of a file before it was last removed: the base if it exists again."""
        repository = self._repository
        history = repository.history("HEAD", most=STATES) if repository.head_commit() else []
        changes = (change for _, step in history for change in step if change.path == path)
        return next((change.before for change in changes if change.after is None), None)

    def _present(self, root: str, name: str) -> set[str]:
        """The notes that a tree has on disk, relative to it."""
        return {path.partition("/")[2] for path in tree.scan(root, [name]).files}

    def _ignores_case(self) -> bool:
        return os.path.lexists(os.path.join(self._repository.directory, ".GIT"))

    def locked(self) -> AbstractContextManager[None]:
        """The lock that every writer of notes holds."""
        return locks.held(self.home.lock("store"), name="store", timeout=_LOCK_SECONDS)
