"""Notes on disk and their rows in the index, changed together."""

from __future__ import annotations

import os

from anamnesis.config import Home
from anamnesis.ground import atomic
from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import (
    FileInTheWay,
    InvalidInput,
    NoSuchNote,
    NoteChangedOnDisk,
    NotWritable,
    StoreBusy,
)
from anamnesis.ground.records import replace
from anamnesis.index.catalog import Catalog
from anamnesis.index.database import IndexBroken, SqliteError
from anamnesis.notes import tree
from anamnesis.notes.fields import SCOPES, TYPES, Memory, Scope, UnreadableNote, is_valid_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from anamnesis.index.refresh import Progress

# The file is written; the next refresh catches up.
INDEX_LAG = (IndexBroken, NotWritable, StoreBusy, SqliteError)
_TRIES = 10  # an editor saves a few times a minute; a loop that never ends would hide a fault


class Filing:
    """Where each note's file is, and changing it without losing anything."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        hurried: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Open a store; a hurried caller gets IndexBroken where others wait for a rebuild.

        `progress` gets the number of files read so far, and of all files.
        """
        self.home = self._home_at(root)
        self._catalog = Catalog(self.home, hurried=hurried, progress=progress)
        self._catalog.notice()

    @staticmethod
    def _home_at(root: str | os.PathLike[str]) -> Home:
        home = Home(os.path.abspath(os.path.expanduser(os.fspath(root))))
        for name in tree.TREES:
            if not os.path.isdir(os.path.join(home, name)):
                atomic.make_directory(os.path.join(home, name))
        return home

    def create(self, note: Memory) -> Memory:
        """Store a note with its own id and times. Raises FileInTheWay if its id is taken."""
        note = tree.storable(note)
        try:
            with self._catalog.lock():
                self._require_unused(note.id)
                return self._save_locked(note, over=None)
        except StoreBusy:
            # The store is busy, but a new note conflicts with nothing: it is not lost.
            self._require_unused(note.id)
        path = tree.path_of(note)
        if not atomic.exchange(os.path.join(self.home, path), None, tree.encode(note)):
            raise FileInTheWay(path)
        return note

    def put(self, mem: Memory) -> Memory:
        """Create or replace a note, with its own id and times.

        For callers who own the note. Anamnesis itself replaces only what it has read.
        """
        try:
            return self.create(mem)
        except FileInTheWay:
            if (replaced := self.revise(mem.id, lambda _: mem)) is None:
                raise
            return replaced

    def revise(self, note_id: str, change: Callable[[Memory], Memory]) -> Memory | None:
        """Change a note as it is now, whoever else is saving it; None if it is gone.

        Its times stay. `change` may be asked again. Raises NoteChangedOnDisk if every try met
        another save.
        """
        tries = 0
        while True:
            try:
                with self._catalog.lock():
                    read = self.read(note_id)
                    return self._save_locked(change(read.note), over=read) if read else None
            except NoteChangedOnDisk:
                tries += 1
                if tries == _TRIES:
                    raise

    def update(self, mem: Memory, *, expected_hash: str) -> Memory:
        """Replace a note if its file has not changed since it was read (see `read`).

        Raises NoSuchNote or NoteChangedOnDisk.
        """
        with self._catalog.lock():
            read = self.require(mem.id)
            if read.hash != expected_hash:
                raise NoteChangedOnDisk(self._path_of(mem.id) or mem.id)
            return self._save_locked(replace(mem, updated_at=utcnow()), over=read)

    def delete(self, note_id: str) -> Memory:
        """Remove every file of a note, and its row; the history of its tree keeps it.

        Raises NoSuchNote, or NoteChangedOnDisk if it is saved at this very moment.
        """
        with self._catalog.lock():
            file = self.require(note_id)
            paths = self._paths_of(note_id)
            trusted = self._catalog.trusted(paths)
            for path in paths:
                self._remove(path)
            self._follow(paths, trusted)
            return file.note

    def move(self, note_id: str, scope: Scope) -> Memory:
        """Move every file of a note to the other tree: make it local only, or sync it again.

        Raises NoSuchNote, NoteChangedOnDisk or FileInTheWay.
        """
        tree.require_one_of("scope", scope, SCOPES)
        with self._catalog.lock():
            read = self.require(note_id)
            strays = self.strays_of(read.note, scope)
            note = read.note
            if note.scope != scope:
                moved = replace(note, scope=scope, updated_at=utcnow())
                note = self._save_locked(moved, over=read)
            paths = [path for pair in strays.items() for path in pair]
            trusted = self._catalog.trusted(paths)
            for old, new in strays.items():
                data = tree.bytes_at(os.path.join(self.home, old))
                if not atomic.exchange(os.path.join(self.home, new), None, data):
                    raise FileInTheWay(new)
                self._remove(old)
            self._follow(paths, trusted)
            return note

    def _remove(self, path: str) -> None:
        absolute = os.path.join(self.home, path)
        data = tree.bytes_at(absolute)
        if data is None:  # a link
            atomic.remove(absolute)
        elif not atomic.exchange(absolute, data, None):
            raise NoteChangedOnDisk(path)

    def get(self, note_id: str) -> Memory | None:
        """The note as it is on disk now, or None."""
        file = self.read(note_id)
        return file.note if file else None

    def read(self, note_id: str) -> tree.ReadNote | None:
        """The note with the hash that `update` needs, or None."""
        path = self._path_of(note_id)
        file = self._read(path) if path else None
        return file if file is not None and file.note.id == note_id else None

    def require(self, note_id: str) -> tree.ReadNote:
        """The note with its hash. Raises NoSuchNote."""
        file = self.read(note_id)
        if file is None:
            raise NoSuchNote(note_id)
        return file

    def files_of(self, note: Memory) -> Sequence[str]:
        """The file of a note and its copies; not a file with its id but a different text.

        A copy is left by a save that was killed while it moved the note.
        """
        own = self._path_of(note.id)
        paths = [path for path in self._paths_of(note.id) if path != own]
        others = ((path, self._read(path)) for path in paths)
        text = (note.title, note.body)
        same = [path for path, read in others if read and (read.note.title, read.note.body) == text]
        return [own, *same] if own else same

    def others_of(self, note: Memory) -> Sequence[str]:
        """The files that have a note's id but a different text."""
        own = self.files_of(note)
        return [path for path in self._paths_of(note.id) if path not in own]

    def strays_of(self, note: Memory, scope: Scope) -> dict[str, str]:
        """The files with a note's id but a different text that are not in the tree of a scope.

        Each with where it would be there.
        """
        name = tree.tree_of(scope)
        paths = [path for path in self.others_of(note) if not path.startswith(f"{name}/")]
        return {path: f"{name}/{path.partition('/')[2]}" for path in paths}

    def change(self, paths: Sequence[str], make: Callable[[], None]) -> None:
        """Hold the store's lock while notes' files are changed; the index follows if it can."""
        with self._catalog.lock():
            trusted = self._catalog.trusted(paths)
            make()
            self._follow(paths, trusted)

    def scrub(self) -> bool:
        """Leave no word of removed notes in the index; False if it is not possible now."""
        try:
            return self._catalog.scrub()
        except INDEX_LAG:
            return False

    def _follow(self, paths: Sequence[str], trusted: Sequence[str]) -> None:
        try:
            self._catalog.record(paths, trusted=trusted)
        except INDEX_LAG:
            return  # the files are written; the next refresh catches up

    def _index(
        self, mem: Memory, rel_path: str, *, gone: Sequence[str] = (), trusted: Sequence[str] = ()
    ) -> None:
        """Update the index for one note; the lock is held."""
        path = f"{tree.tree_of(mem.scope)}/{rel_path}"
        # All in one transaction: a folder is up to date only together with its notes.
        self._catalog.record([path, *gone], trusted=trusted)

    def _require_unused(self, note_id: str) -> None:
        if taken := self._paths_of(note_id):
            raise FileInTheWay(taken[0])

    def _save_locked(self, note: Memory, *, over: tree.ReadNote | None) -> Memory:
        """Save a note over the one that was read, if its file has not changed since."""
        note = tree.storable(note)
        previous = self.files_of(over.note) if over else []
        path = tree.path_of(note)
        if previous and tree.may_stay(previous[0], note):
            path = previous[0]  # a file that you named keeps its name
        absolute = os.path.join(self.home, path)
        created = not os.path.lexists(absolute)
        if not created and path not in previous:
            raise FileInTheWay(path)
        before = {old: tree.bytes_at(os.path.join(self.home, old)) for old in previous[1:]}
        if over and previous:
            before[previous[0]] = over.data
        gone = [old for old in previous if old != path]
        trusted = self._catalog.trusted([path, *gone])
        data = tree.encode(note)
        if not atomic.exchange(absolute, before.get(path), data):
            raise (FileInTheWay if created else NoteChangedOnDisk)(path)
        for old in gone:
            if not atomic.exchange(os.path.join(self.home, old), before[old], None):
                atomic.exchange(absolute, data, before.get(path))
                raise NoteChangedOnDisk(old)
        try:
            self._index(note, path.partition("/")[2], gone=gone, trusted=trusted)
        except INDEX_LAG:
            return note
        except BaseException:
            if created and not gone:
                atomic.remove(absolute)
            raise
        return note

    def _paths_of(self, note_id: str) -> Sequence[str]:
        """Every file that claims this id: usually one, none for a new note."""
        if not is_valid_id(note_id):
            raise InvalidInput(
                f"{note_id[:80]!r} is not a note id.", hint="Ids are letters, digits, - and _."
            )
        rows = self._rows("SELECT path FROM files WHERE note_id = ?", note_id)
        usual = [
            f"{name}/{type}/{note_id}.md" for name in tree.trees_of(self.home) for type in TYPES
        ]
        paths = dict.fromkeys([*(row[0] for row in rows), *usual])
        return [path for path in paths if os.path.lexists(os.path.join(self.home, path))]

    def _path_of(self, note_id: str) -> str | None:
        """The file of this id, found even while the index lags."""
        if not is_valid_id(note_id):
            return None
        rows = self._rows("SELECT scope, body_path FROM memories WHERE id = ?", note_id)
        for scope, body_path in rows:
            path = f"{tree.tree_of(scope)}/{body_path}"
            if os.path.lexists(os.path.join(self.home, path)):
                return path
        return next(iter(self._paths_of(note_id)), None)

    def _rows(self, sql: str, note_id: str) -> Sequence[sqlite3.Row]:
        try:
            return self._catalog.rows(sql, (note_id,))
        except INDEX_LAG:
            return []

    def _read(self, path: str) -> tree.ReadNote | None:
        try:
            return tree.read_note(self.home, path)
        except (UnreadableNote, OSError):
            return None
