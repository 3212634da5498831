"""Putting a copy of one of your notes into the repository, and taking it back.

Nothing is committed: what is written is a change of the working tree, reviewed like any other.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import carried, consent
from anamnesis.config import Home
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, FileInTheWay, InvalidInput, NoteChangedOnDisk
from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.fields import TYPES
from anamnesis.operations.notes.anchors import tied
from anamnesis.project import resolve_project_key, source_of
from anamnesis.secrets import allow_list, findings
from anamnesis.trust.policy import PENDING, PINNED, why_not

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore

_GIT_SECONDS = 5.0
_OF_YOURS = {PENDING, PINNED, "import", "reflected", "unreflected"}  # tags that mean nothing there
_HOME = re.compile(
    r"(?<![\w./-])(?:/home/|/Users/|[A-Za-z]:[\\/]+Users[\\/]+)(?!\*|<|\$|\{)[^\s/\\\"'`)]+"
)


class NotToBeShared(AnamnesisError):
    """A note that must not leave for a repository, and why."""

    def __init__(self, note: Memory, reason: str, *, hint: str = "") -> None:
        title = " ".join(note.title.split())[:60]
        super().__init__(f"Cannot share {note.id} ({title}): {reason}.", hint=hint)


@dataclass(frozen=True, slots=True)
class Copy:
    """A file to write, or to remove: where, and its text before and after."""

    note_id: NoteId
    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Sharing:
    """What is going to be written in a repository."""

    root: str  # its `.anamnesis`
    source: str
    copies: tuple[Copy, ...]


def plan_share(store: MemoryStore, notes: Sequence[Memory], directory: str) -> Sharing:
    """What sharing some notes would write; writes nothing.

    Raises InvalidInput where notes cannot be shared at all, NotToBeShared, and FileInTheWay for a
    file there that has the id of a note but is not a copy of it.
    """
    root, source = _place(store.home, directory)
    project = resolve_project_key(directory)
    shared = consent.shared(store.home, source)
    copies = []
    for note in notes:
        copy = _copy_of(note, project=project, directory=directory)
        _require_harmless(note, tree.encode(copy), root)
        path = os.path.join(root, tree.path_of(copy))
        before = tree.bytes_at(path)
        after = tree.encode(copy)
        if before is not None and note.id not in shared and before != after:
            raise FileInTheWay(_shown(path, root))
        if before != after:
            copies.append(Copy(note.id, path, before, after))
    return Sharing(root, source, tuple(copies))


def plan_unshare(store: MemoryStore, names: Iterable[str], directory: str) -> Sharing:
    """What taking notes back would remove; enough of the start or end of an id names one.

    Raises InvalidInput for a note that was not shared from here.
    """
    root, source = _place(store.home, directory)
    shared = consent.shared(store.home, source)
    copies = []
    for name in names:
        meant = [id for id in shared if id.startswith(name.upper()) or id.endswith(name.upper())]
        if len(meant) != 1:
            raise InvalidInput(f"{name} was not shared with this repository from this machine.")
        note_id = meant[0]
        paths = [os.path.join(root, "memory", type, f"{note_id}.md") for type in TYPES]
        before = {path: data for path in paths if (data := tree.bytes_at(path)) is not None}
        copies += [Copy(note_id, path, data, None) for path, data in before.items()]
        if not before:
            copies.append(Copy(note_id, paths[0], None, None))
    return Sharing(root, source, tuple(copies))


def carry_out(home: Home, sharing: Sharing) -> None:
    """Write or remove the files of a plan, and record it.

    Raises NoteChangedOnDisk if somebody changed one meanwhile, and NotWritable.
    """
    carries = os.path.isdir(os.path.join(sharing.root, "memory"))
    for copy in sharing.copies:
        if copy.after is not None:
            os.makedirs(os.path.dirname(copy.path), exist_ok=True)  # as readable as the repository
        if copy.before != copy.after:
            if not atomic.exchange(copy.path, copy.before, copy.after):
                raise NoteChangedOnDisk(copy.path)
            _make_readable(copy.path)
        consent.note_shared(home, sharing.source, [copy.note_id], gone=copy.after is None)
    if not carries:
        consent.trust_notes(home, sharing.source)  # all that it carries is yours


def shown_path(sharing: Sharing, copy: Copy) -> str:
    """The path of a file as the repository knows it."""
    return _shown(copy.path, sharing.root)


def is_ignored(sharing: Sharing) -> bool:
    """Whether git ignores the folder, so that a commit would not take the notes along."""
    from anamnesis.git import command

    asked = command.git(
        ["check-ignore", "-q", sharing.root],
        cwd=os.path.dirname(sharing.root),
        timeout=_GIT_SECONDS,
    )
    return asked.code == 0


def _place(home: Home, directory: str) -> tuple[str, str]:
    root = carried.root_of(directory)
    if not root:
        raise InvalidInput(f"{os.path.abspath(directory)} is in no git repository.")
    if os.path.islink(root) or os.path.islink(os.path.join(root, "memory")):
        raise InvalidInput(f"{root} is a symbolic link, which is not followed.")
    if os.path.isdir(root) and carried.is_own_store(root):
        raise InvalidInput(f"{root} is your own store.")
    if carried.waits(home, directory):
        raise InvalidInput(
            "This repository carries notes that you have not accepted.",
            hint="Look at them, then:  anamnesis project trust",
        )
    return root, source_of(directory)


def _copy_of(note: Memory, *, project: str, directory: str) -> Memory:
    """A note as others may have it: its text, and nothing about you or your machines."""
    return replace(
        note,
        project=project,
        machine_id="unknown",
        scope="portable",
        prov_source="human",
        prov_model="",
        prov_session="",
        origin="",
        extra="",
        anchors=note.anchors or tied(f"{note.title}\n{note.body}", directory),
        tags=[tag for tag in note.tags if tag not in _OF_YOURS],
    )


def _require_harmless(note: Memory, data: bytes, root: str) -> None:
    if note.scope == "machine-local":
        raise NotToBeShared(
            note, "it is local only", hint=f"anamnesis move {note.id} --scope portable"
        )
    if reason := why_not(note.origin, note.tags):
        raise NotToBeShared(note, reason, hint="To keep it first:  anamnesis review")
    text = data.decode()
    if found := findings(text, allow=allow_list(Home(root))):
        kinds = ", ".join(dict.fromkeys(each.kind for each in found))
        raise NotToBeShared(note, f"it seems to hold a secret ({kinds})")
    own = os.path.expanduser("~")
    named = _HOME.search(text)
    if named or (len(own) > 1 and own in text):
        where = named[0] if named else own
        raise NotToBeShared(
            note, f"it names a home directory ({where})", hint=f"anamnesis edit {note.id}"
        )


def _make_readable(path: str) -> None:
    if os.name == "nt" or not os.path.exists(path):
        return
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(path, 0o666 & ~mask)


def _shown(path: str, root: str) -> str:
    return os.path.relpath(path, os.path.dirname(root)).replace(os.sep, "/")
