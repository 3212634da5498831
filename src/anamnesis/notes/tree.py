"""The two trees of note files: where a note lives, what is there, and reading one safely."""

from __future__ import annotations

import os
import re
import stat

from anamnesis.ground.records import fresh, record, replace
from anamnesis.notes.fields import FIELDS
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.notes.ids import is_valid_id
from anamnesis.notes.note import TYPES, Memory, UnreadableNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from anamnesis.notes.fields import Value

TREES = {"memory": "portable", "local": "machine-local"}  # the tree decides the scope
MAX_NOTE_BYTES = 1024 * 1024
_SAFE_TYPE = re.compile(r"[a-z][a-z0-9-]{0,31}")
NEVER = -1  # the time of a folder that has to be looked at again
# A link or a FIFO in the tree must neither lead us elsewhere nor make us wait.
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


Stamp = tuple[int, int, int]  # size, mtime_ns, inode: a file with the same stamp was not changed


@record
class Listing:
    """What the trees hold. Paths are relative to the root, with forward slashes."""

    files: dict[str, Stamp] = fresh(default_factory=dict)
    problems: dict[str, str] = fresh(default_factory=dict)  # entries that are no regular file
    folders: dict[str, int] = fresh(default_factory=dict)  # when each was last changed


@record
class ReadNote:
    """A note as it was read, with the bytes that it was read from."""

    note: Memory
    data: bytes
    stamp: Stamp

    @property
    def hash(self) -> str:
        """The hash of the file, for a guarded update."""
        from hashlib import blake2b

        return blake2b(self.data, digest_size=16).hexdigest()


def tree_of(scope: str) -> str:
    """The name of the tree that holds notes of a scope."""
    return "local" if scope == "machine-local" else "memory"


def path_of(note: Memory) -> str:
    """Where a note belongs, relative to the root."""
    if not is_valid_id(note.id):
        raise UnreadableNote(f"its id {note.id[:80]!r} is not a valid id")
    if not is_safe_type(note.type):
        raise UnreadableNote(f"its type {note.type[:80]!r} is none of {', '.join(TYPES)}")
    return f"{tree_of(note.scope)}/{note.type}/{note.id}.md"


def is_safe_type(type: str) -> bool:
    """Whether a type may name a directory: a known one, or a word a newer version may use."""
    return _SAFE_TYPE.fullmatch(type) is not None


def encode(note: Memory) -> bytes:
    """The bytes of a note's file."""
    return serialize(note).encode()


def without_lone_surrogates(note: Memory) -> Memory:
    """The note with U+FFFD for every half of a surrogate pair, which UTF-8 cannot hold."""
    try:
        encode(note)
    except UnicodeEncodeError:
        return replace(note, **{name: _whole(getattr(note, name)) for name in FIELDS})
    return note


def _whole(value: Value) -> Value:
    if isinstance(value, list):
        return [str(_whole(item)) for item in value]
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def read_note(root: str, path: str) -> ReadNote:
    """The note in a file, or UnreadableNote with the reason; FileNotFoundError if it is gone."""
    data, stamp = read_regular(os.path.join(root, path))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableNote(f"it is not UTF-8 (byte {error.start})") from None
    note = deserialize(text)
    scope = TREES[path.partition("/")[0]]
    if note.scope != scope:
        note = replace(note, scope=scope)
    path_of(note)
    return ReadNote(note, data, stamp)


def concern(note: Memory, path: str) -> str:
    """What a person should look at in a note that is readable all the same, or nothing."""
    folder = path.split("/")[-2]
    if note.type not in TYPES and folder != note.type:
        return f"unknown type {note.type!r} (known: {', '.join(TYPES)}); indexed as it is"
    if "<<<<<<< " in note.body and _has_conflict_markers(note.body):
        return "it holds git conflict markers; indexed as it is"
    return ""


def scan(root: str, start: Iterable[str] = TREES, *, deep: bool = True) -> Listing:
    """Every `.md` entry of some folders and, if deep, of the folders below them."""
    listing = Listing()
    waiting = list(start)
    while waiting:
        folder = waiting.pop()
        below = _scan_folder(root, folder, listing)
        if deep:
            waiting.extend(below)
    return listing


def folders_around(path: str) -> list[str]:
    """The folders that a file is in, from its tree down."""
    names = path.split("/")[:-1]
    return ["/".join(names[: depth + 1]) for depth in range(len(names))]


def folder_mtime(root: str, folder: str) -> int:
    """When a folder last gained or lost an entry; 0 if it is not there."""
    try:
        return os.stat(os.path.join(root, folder), follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0


def _scan_folder(root: str, folder: str, listing: Listing) -> list[str]:
    # Taken before the entries are read: a later change is then noticed the next time.
    changed = folder_mtime(root, folder)
    files, below = listing.files, []
    try:
        with os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                if name.endswith(".md"):
                    path = f"{folder}/{name}"
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # deleted since; its folder's time tells the next look
                    files[path] = (status.st_size, status.st_mtime_ns, status.st_ino)
                    if not stat.S_ISREG(status.st_mode):
                        listing.problems[path] = _irregular(status.st_mode)
                elif entry.is_dir(follow_symlinks=False):
                    below.append(f"{folder}/{name}")
    except FileNotFoundError:
        return []
    except OSError as error:
        files[folder] = (0, 0, 0)
        listing.problems[folder] = f"the folder cannot be listed: {(error.strerror or '').lower()}"
        changed = NEVER
    listing.folders[folder] = changed
    return below


def _irregular(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "it is a symbolic link, which is not followed"
    return "it is a directory" if stat.S_ISDIR(mode) else "it is not a regular file"


def read_regular(path: str) -> tuple[bytes, Stamp]:
    """The bytes of a file that is neither a link nor too large, with its stamp."""
    try:
        with _open_regular(path) as stream:
            status = os.fstat(stream.fileno())
            data = stream.read(MAX_NOTE_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableNote(f"it cannot be read: {(error.strerror or '').lower()}") from None
    if len(data) > MAX_NOTE_BYTES:
        raise UnreadableNote("it is larger than 1 MiB")
    return data, (status.st_size, status.st_mtime_ns, status.st_ino)


def bytes_at(path: str) -> bytes | None:
    """The bytes of a file of any size; None if there is no regular file."""
    try:
        with _open_regular(path) as stream:
            return stream.read()
    except (FileNotFoundError, UnreadableNote):
        return None


def _open_regular(path: str) -> BinaryIO:
    try:
        descriptor = os.open(path, os.O_RDONLY | _SAFELY)
    except OSError:
        if os.path.islink(path):
            raise UnreadableNote(_irregular(stat.S_IFLNK)) from None
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise UnreadableNote(_irregular(mode))
    return open(descriptor, "rb")


def _has_conflict_markers(body: str) -> bool:
    unfenced = re.sub(r"(?ms)^(```|~~~).*?^\1", "", body)
    return re.search(r"(?ms)^<{7} .*^={7}$.*^>{7} ", unfenced) is not None
