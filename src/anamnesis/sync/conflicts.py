"""Notes with a part that was edited on two machines: held, with everything that a choice needs.

Your version is the file itself. The other one and the text that both started from are kept in
`<home>/conflicts/<id>/`; once resolved, the folder moves to `conflicts/resolved/`, so that the
version that was not chosen is still there. The three differ only in what is held: whatever else
either side edits is merged with each sync.

A note that one machine deleted and another changed is an ordinary note again, on all machines. Only
the question waits, whether it should have been deleted; the changed text is kept with it.
"""

from __future__ import annotations

import json
import os

from anamnesis.ground import atomic
from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import NotWritable, reason_of
from anamnesis.ground.records import record, replace
from anamnesis.notes.fields import is_valid_id
from anamnesis.notes.frontmatter import note_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from anamnesis.config import Home
    from anamnesis.notes.fields import NoteId

_RESOLVED = "resolved"
HERE, THERE = "here", "there"  # the side that deleted a note
_FORMERLY = "settled"  # what that folder was called up to 1.0
_ARCHIVES = (_RESOLVED, _FORMERLY)
_ANNOUNCED = "told"
_REOPENED = "reopened"
_MARKS = frozenset({_ANNOUNCED, _REOPENED})  # in the folder of a conflict, beside its versions
_STAMP = -len("-2026-01-31T120000-ab12")  # what `resolve` adds to an id


@record
class Conflict:
    """One held note. `path` is relative to the tree of portable notes."""

    id: str
    path: str
    fields: tuple[str, ...]  # what both sides changed
    machine: str  # where the other version comes from
    since: str
    base: bytes | None
    theirs: bytes
    written: str = ""  # when the other version was committed there; unknown to earlier versions
    deleted: str = ""  # HERE or THERE: who deleted what the other changed


class Conflicts:
    """The held notes of one store, on disk."""

    def __init__(self, home: Home) -> None:
        self._root = home.conflicts

    def waiting(self) -> dict[str, Conflict]:
        """The notes that wait for a choice, by path."""
        return {conflict.path: conflict for conflict in self._all()}

    def held(self) -> dict[str, Conflict]:
        """Those of them whose file is held, because both sides have the note."""
        return {path: each for path, each in self.waiting().items() if not each.deleted}

    def hold(
        self, path: str, *, base: bytes | None, theirs: bytes, machine: str, written: str = "",
        fields: tuple[str, ...], deleted: str = "", known: Mapping[str, Conflict] | None = None,
    ) -> Conflict:  # fmt: skip
        """Keep both sides of a note until you choose; on disk when this returns.

        `known` is the result of `waiting`, for callers with many: reading all takes minutes.
        """
        before = (self.waiting() if known is None else known).get(path)
        if before is not None:
            if deleted and not before.deleted:
                return before  # words that are held outlive a deletion anyway
            after = replace(before, theirs=theirs, machine=machine, written=written)
            if before.deleted:
                after = replace(after, base=base, fields=fields, deleted=deleted)
            return self.renew(before, after)
        conflict = Conflict(
            self._id_for(path, theirs), path, fields, machine, utcnow(), base, theirs, written,
            deleted,
        )  # fmt: skip
        folder = self._folder(conflict.id)
        making = f"{folder}{atomic.TEMP_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
        if base is not None:
            atomic.write_bytes(os.path.join(making, "base.md"), base)
        atomic.write_bytes(os.path.join(making, "theirs.md"), theirs)
        atomic.write_text(os.path.join(making, "conflict.json"), _described(conflict))
        atomic.rename(making, folder)
        return conflict

    def renew(self, before: Conflict, after: Conflict) -> Conflict:
        """Record how a held note has changed since; on disk when this returns.

        Only the base matters to later merges, and it is one file: a kill in between costs nothing.
        """
        folder = self._folder(before.id)
        if after.base is not None and after.base != before.base:
            atomic.write_bytes(os.path.join(folder, "base.md"), after.base)
        if after.theirs != before.theirs:
            atomic.write_bytes(os.path.join(folder, "theirs.md"), after.theirs)
        if _described(after) != _described(before):
            atomic.write_text(os.path.join(folder, "conflict.json"), _described(after))
        return after

    def keep(self, conflict: Conflict, mine: bytes | None) -> None:
        """Keep this machine's version beside the other one, before anything is written over it."""
        folder, number = self._folder(conflict.id), 1
        while mine is not None:
            name = "mine.md" if number == 1 else f"mine-{number}.md"
            kept = _read(folder, name)
            if kept is None:
                atomic.write_bytes(os.path.join(folder, name), mine)
            if kept in (None, mine):
                return
            number += 1  # left by an interrupted attempt, before another edit

    def resolve(self, conflict: Conflict, *, mine: bytes | None) -> None:
        """End a conflict. Both versions move to the archive of resolved ones."""
        self.keep(conflict, mine)
        atomic.make_directory(self._folder(_RESOLVED))
        atomic.rename(self._folder(conflict.id), self._folder(archive_name(conflict)))

    def files(self, conflict: Conflict) -> dict[str, bytes]:
        """What is kept of a conflict: every file in its folder, by name."""
        folder = self._folder(conflict.id)
        contents = {name: _read(folder, name) for name in _names(folder) if not _is_beside(name)}
        return {name: data for name, data in contents.items() if data is not None}

    def reopen(self, conflict_id: str) -> None:
        """Mark a conflict whose resolution is being undone: main may have it by now."""
        atomic.write_bytes(os.path.join(self._folder(conflict_id), _REOPENED), b"")

    def reopened(self) -> dict[str, Conflict]:
        """The conflicts whose resolution was undone since the last commit, by path."""
        return {conflict.path: conflict for conflict in self._all(marked=_REOPENED)}

    def unmark(self, conflict: Conflict) -> None:
        """Remove that mark: main has the other version again."""
        atomic.remove(os.path.join(self._folder(conflict.id), _REOPENED))

    def sweep(self) -> None:
        """Remove the folders without a conflict: it was undone, or resolved file by file.

        Such a folder would be in the way of the next conflict about the same note. Raises
        NotWritable.
        """
        for folder in (self._root, *map(self._folder, _ARCHIVES)):
            for name in filter(is_valid_id, _names(folder)):
                path = os.path.join(folder, name)
                files = _names(path)
                if name in _ARCHIVES or not os.path.isdir(path) or not all(map(_is_beside, files)):
                    continue
                for each in files:
                    atomic.discard(os.path.join(path, each))
                try:
                    os.rmdir(path)
                except OSError as error:
                    if not os.path.isdir(path) or _names(path):
                        continue  # something was put there just now
                    raise NotWritable(path, reason=reason_of(error)) from error

    def unannounced(self) -> list[Conflict]:
        """The held notes that no session was told of yet; from now on they count as announced."""
        news = []
        for conflict in self._all():
            marker = os.path.join(self._folder(conflict.id), _ANNOUNCED)
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL, 0o600))
            except OSError:
                continue  # announced already, or a read-only store, which is reported elsewhere
            news.append(conflict)
        return news

    def erase(self, ids: Container[NoteId]) -> None:
        """Delete every kept version of some notes, held or resolved."""
        import shutil

        kept = [(self._root, name, name) for name in _names(self._root)]
        for archive in map(self._folder, _ARCHIVES):
            kept += [(archive, name, name[:_STAMP]) for name in _names(archive)]
        for folder, name, note_id in kept:
            path = os.path.join(folder, name)
            half = name.partition(atomic.TEMP_PREFIX)[0]  # of a conflict whose process was killed
            if note_id in ids or half in ids or any(each in ids for each in _note_ids(path)):
                shutil.rmtree(path)

    def _all(self, *, marked: str = "") -> Iterator[Conflict]:
        for name in filter(is_valid_id, _names(self._root)):
            folder = self._folder(name)
            if marked and not os.path.exists(os.path.join(folder, marked)):
                continue
            conflict = _load(folder, name)
            if conflict is not None:
                yield conflict

    def _folder(self, name: str) -> str:
        return os.path.join(self._root, name)

    def _id_for(self, path: str, theirs: bytes) -> str:
        """The note's id, or one made from the path where that is taken or unusable."""
        note = note_in(theirs)
        note_id = note.id if note else path.rpartition("/")[2].removesuffix(".md")
        if is_valid_id(note_id) and note_id not in _ARCHIVES and not self._is_taken(note_id):
            return note_id
        from hashlib import blake2b

        name = f"path-{blake2b(path.encode(), digest_size=8).hexdigest()}"
        return f"{name}-{os.urandom(4).hex()}" if self._is_taken(name) else name

    def _is_taken(self, conflict_id: str) -> bool:
        return os.path.lexists(self._folder(conflict_id))


def archive_name(conflict: Conflict) -> str:
    """Where a conflict goes once it is resolved, relative to the folder of conflicts."""
    stamp = utcnow().replace(":", "").partition("+")[0]
    return f"{_RESOLVED}/{conflict.id}-{stamp}-{os.urandom(2).hex()}"


def _note_ids(folder: str) -> Iterator[str]:
    """The ids in the versions that are kept in a folder, which may be named for their path."""
    for name in _names(folder):
        note = note_in(_read(folder, name) or b"") if name.endswith(".md") else None
        if note is not None:
            yield note.id


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _is_beside(name: str) -> bool:
    """Whether a file in the folder of a conflict is no part of it: a mark, or half written."""
    return name in _MARKS or name.startswith(atomic.TEMP_PREFIX)


def _load(folder: str, name: str) -> Conflict | None:
    described, theirs = _read(folder, "conflict.json"), _read(folder, "theirs.md")
    if described is None or theirs is None:
        return None
    try:
        facts = json.loads(described)
        return Conflict(
            id=name,
            path=str(facts["path"]),
            fields=tuple(map(str, facts["fields"])),
            machine=str(facts["machine"]),
            since=str(facts["since"]),
            base=_read(folder, "base.md"),
            theirs=theirs,
            written=str(facts.get("written", "")),
            deleted=str(facts.get("deleted", "")),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _described(conflict: Conflict) -> str:
    names = ("path", "fields", "machine", "since", "written", "deleted")
    facts = {name: getattr(conflict, name) for name in names}
    return json.dumps(facts, ensure_ascii=False, indent=1)


def _read(folder: str, name: str) -> bytes | None:
    try:
        with open(os.path.join(folder, name), "rb") as stream:
            return stream.read()
    except OSError:
        return None
