"""The two trees of note files: what may be stored where, listing them, reading safely."""

from __future__ import annotations

import os
import stat

from anamnesis.carried import KIND, Checkout
from anamnesis.ground import atomic
from anamnesis.ground.errors import InvalidInput, reason_of
from anamnesis.ground.records import fresh, record, replace
from anamnesis.notes.fields import (
    FIELDS,
    TYPES,
    WORDS,
    Memory,
    UnreadableNote,
    encode_id,
    is_valid_id,
)
from anamnesis.notes.frontmatter import deserialize, serialize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.config import Home
    from anamnesis.notes.fields import Scope, Value

TREES: dict[str, Scope] = {
    "memory": "portable",
    "local": "machine-local",
}  # the tree decides the scope
MAX_NOTE_BYTES = 1024 * 1024
_ANY_SIZE = 1 << 62
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONGEST_TYPE = 32
NEVER = -1  # the time of a folder that has to be scanned again
# A link or a FIFO in the tree must neither lead elsewhere nor block.
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


Stamp = tuple[int, int, int]  # size, mtime_ns, inode: a file with the same stamp was not changed
CONFLICTED = "it holds git conflict markers; indexed anyway"
TOMBSTONES = "memory/.tombstones"
TOMBSTONE = b'{"forgotten": true}\n'
_BURIED = "buried"  # in state/


@record
class Listing:
    """What the trees hold. Paths are relative to the root, with forward slashes."""

    files: dict[str, Stamp] = fresh(default_factory=dict)
    problems: dict[str, str] = fresh(default_factory=dict)  # entries that are not regular files
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


def trees_of(root: str) -> tuple[str, ...]:
    """The trees of a store; a repository has one."""
    return ("memory",) if isinstance(root, Checkout) else tuple(TREES)


def tree_of(scope: str) -> str:
    """The name of the tree that holds notes of a scope."""
    return "local" if scope == "machine-local" else "memory"


def path_of(note: Memory) -> str:
    """The path of a note, relative to the root. Raises UnreadableNote."""
    if not is_valid_id(note.id):
        raise UnreadableNote(f"its id {note.id[:80]!r} is not a valid id")
    if not is_safe_type(note.type):
        raise UnreadableNote(f"its type {note.type[:80]!r} is none of {', '.join(TYPES)}")
    return f"{tree_of(note.scope)}/{note.type}/{note.id}.md"


def is_safe_type(type: str) -> bool:
    """Whether a type may name a directory: a known one, or a word a newer version may use."""
    is_word = type[:1].isalpha() and not type.strip(f"{_LETTERS}0123456789-")
    return is_word and len(type) <= _LONGEST_TYPE


def encode(note: Memory) -> bytes:
    """The bytes of a note's file."""
    return serialize(note).encode()


def without_lone_surrogates(note: Memory) -> Memory:
    """The note with U+FFFD for every half of a surrogate pair, which UTF-8 cannot hold."""
    try:
        for name in FIELDS:
            str(getattr(note, name)).encode()
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
    """The note in a file. Raises UnreadableNote with the reason, or FileNotFoundError."""
    data, stamp = read_regular(os.path.join(root, path))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableNote(f"it is not UTF-8 (byte {error.start})") from None
    note = note_at(path, text)
    if isinstance(root, Checkout):
        if concern(note, path) == CONFLICTED:
            raise UnreadableNote(CONFLICTED.partition(";")[0])
        note = _adopted(note, root)
    scope = TREES[path.partition("/")[0]]
    if note.scope != scope:
        note = replace(note, scope=scope)
    path_of(note)
    return ReadNote(note, data, stamp)


def _adopted(note: Memory, checkout: Checkout) -> Memory:
    """A note of a repository as it counts here: of its project, whatever the file says."""
    return replace(
        note,
        project=checkout.project,
        origin=f"{KIND}:{checkout.project}",
        machine_id=KIND,
        prov_source="human",
        prov_model="",
        prov_session="",
        tags=[tag for tag in note.tags if tag != "pending"],
    )


def copied_from(path: str) -> str:
    """The name of the file of which Syncthing, Dropbox or Nextcloud kept a second version."""
    name = path.rpartition("/")[2].removesuffix(".md")
    if ".sync-conflict-" in name:
        return f"{name.partition('.sync-conflict-')[0]}.md"
    start, bracket, rest = name.rpartition(" (")
    return f"{start}.md" if bracket and "conflicted copy" in rest else ""


def note_at(path: str, text: str) -> Memory:
    """The note in a file; a hand-written one may have neither id nor type in its front matter.

    Its type is then its folder's, and its id is derived from its path and text, so that every
    machine gives it the same one. Raises UnreadableNote, also for a copy of a note.
    """
    if original := copied_from(path):
        raise UnreadableNote(
            f"another sync program made this copy of {original}, which two machines wrote; "
            "compare and choose:  anamnesis conflicts"
        )

    def missing(key: str) -> str:
        folder, _, name = path.partition("/")[2].rpartition("/")
        if key == "type":
            return folder if folder in TYPES else ""
        from hashlib import blake2b

        digest = blake2b(f"{folder}/{name}\0{text}".encode(), digest_size=10).digest()
        return encode_id(0, int.from_bytes(digest))

    return deserialize(text, missing=missing)


def concern(note: Memory, path: str) -> str:
    """What to check in a note that could be read anyway; empty if nothing."""
    folder = path.split("/")[-2]
    if note.type not in TYPES and folder != note.type:
        return f"unknown type {note.type!r} (known: {', '.join(TYPES)}); indexed anyway"
    if "<<<<<<< " in note.body and _has_conflict_markers(note.body):
        return CONFLICTED
    return ""


def scan(root: str, start: Iterable[str] = ()) -> Listing:
    """Every `.md` entry of some folders and of the folders below them; of all trees without any."""
    listing = Listing()
    waiting = list(start or trees_of(root))
    while waiting:
        waiting.extend(_scan_folder(root, waiting.pop(), listing))
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
    # Taken before the entries are read, so that a later change is noticed next time.
    changed = folder_mtime(root, folder)
    below: list[str] = []
    try:
        with os.scandir(os.path.join(root, folder)) as entries:
            problem = _list_entries(entries, folder, listing, below)
    except FileNotFoundError:
        return []
    except OSError as error:
        problem = f"the folder cannot be listed: {reason_of(error)}"
        changed = NEVER
    if problem:
        listing.files[folder] = (0, 0, 0)
        listing.problems[folder] = problem
    listing.folders[folder] = changed
    return below


def _list_entries(
    entries: Iterable[os.DirEntry[str]], folder: str, listing: Listing, below: list[str]
) -> str:
    """Add a folder's files to a listing and its folders to `below`; returns what is wrong."""
    unnamed = []
    for entry in entries:
        name = entry.name
        if name[0] == ".":
            continue
        if not (name.isascii() or _is_utf8(name)):
            unnamed.append(name)
        elif name.endswith(".md"):
            path = f"{folder}/{name}"
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # deleted meanwhile; its folder's time has changed
            listing.files[path] = (status.st_size, status.st_mtime_ns, status.st_ino)
            if not stat.S_ISREG(status.st_mode):
                listing.problems[path] = _irregular(status.st_mode)
        elif entry.is_dir(follow_symlinks=False):
            below.append(f"{folder}/{name}")
        elif entry.is_symlink() and entry.is_dir():
            listing.files[f"{folder}/{name}"] = (0, 0, 0)
            listing.problems[f"{folder}/{name}"] = _irregular(stat.S_IFLNK)
    return f"names in it are not UTF-8: {_typeable(unnamed)}; rename them" if unnamed else ""


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _typeable(names: Iterable[str]) -> str:
    """Names that are not text, as you can type them in a shell."""
    typed = (os.fsencode(name).decode("utf-8", "backslashreplace") for name in names)
    return ", ".join(sorted(typed))


def _irregular(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "it is a symbolic link, which is not followed"
    return "it is a directory" if stat.S_ISDIR(mode) else "it is not a regular file"


def read_regular(path: str) -> tuple[bytes, Stamp]:
    """The bytes of a file that is neither a link nor too large, with its stamp.

    Raises UnreadableNote.
    """
    try:
        data, status = _read_all(path, MAX_NOTE_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableNote(f"it cannot be read: {reason_of(error)}") from None
    if len(data) > MAX_NOTE_BYTES:
        raise UnreadableNote("it is larger than 1 MiB")
    return data, (status.st_size, status.st_mtime_ns, status.st_ino)


def bytes_at(path: str) -> bytes | None:
    """The bytes of a file of any size; None if there is no regular file."""
    try:
        return _read_all(path)[0]
    except (FileNotFoundError, UnreadableNote):
        return None


def _read_all(path: str, most: int = _ANY_SIZE) -> tuple[bytes, os.stat_result]:
    """The first bytes of a regular file, at most `most`, and its status; raises UnreadableNote.

    Not through a stream, which makes three times as many system calls per file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _SAFELY)
    except OSError:
        if os.path.islink(path):
            raise UnreadableNote(_irregular(stat.S_IFLNK)) from None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableNote(_irregular(status.st_mode))
        data = os.read(descriptor, min(status.st_size + 1, most))
        more = data if len(data) != status.st_size else b""  # it grew, or was cut off meanwhile
        while more and len(data) < most:
            more = os.read(descriptor, min(MAX_NOTE_BYTES, most - len(data)))
            data += more
    finally:
        os.close(descriptor)
    return data, status


def _has_conflict_markers(body: str) -> bool:
    import re

    unfenced = re.sub(r"(?ms)^(```|~~~).*?^\1", "", body)
    return re.search(r"(?ms)^<{7} .*^={7}$.*^>{7} ", unfenced) is not None


_SURELY_SMALL = MAX_NOTE_BYTES // 16  # characters; the front matter may write one in ten bytes
_WORDS = [name for name, row in FIELDS.items() if row.kind == WORDS]


def storable(note: Memory) -> Memory:
    """The note as it will be read back. Raises InvalidInput if it cannot be stored."""
    words = {name: _distinct(getattr(note, name)) for name in _WORDS}
    if any(words[name] != getattr(note, name) for name in _WORDS):
        note = replace(note, **words)
    note = without_lone_surrogates(note)
    try:
        path_of(note)
    except UnreadableNote as error:
        raise InvalidInput(f"The note cannot be stored: {error.reason}.") from error
    characters = sum(len(str(getattr(note, name))) for name in FIELDS)
    if characters > _SURELY_SMALL and len(encode(note)) > MAX_NOTE_BYTES:
        raise InvalidInput(
            f"The note {note.title[:60]!r} is larger than 1 MiB.",
            hint="Keep the essence in the note, and refer to a file for the rest.",
        )
    return note


def may_stay(path: str, note: Memory) -> bool:
    """Whether a note may stay in its file: its tree and type have not changed."""
    name, *_, folder, _ = path.split("/")
    return name == tree_of(note.scope) and (folder == note.type or folder not in TYPES)


def require_one_of(field: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise InvalidInput for a value that is not in the list."""
    if value not in allowed:
        raise InvalidInput(f"{field} {value!r} is none of: {', '.join(allowed)}.")


def _distinct(words: Iterable[object]) -> list[str]:
    """The distinct words, each on one line."""
    plain = dict.fromkeys(" ".join(str(word).split()) for word in words)
    return [word for word in plain if word]


def tombstone_of(note_id: str) -> str:
    """The tombstone of a note, relative to the root."""
    return f"{TOMBSTONES}/{note_id}.json"


def session_tombstone_of(session: str) -> str:
    """The tombstone of a session; its id is hashed, so that not even that is kept."""
    from hashlib import blake2b

    digest = blake2b(session.encode("utf-8", "replace"), digest_size=12).hexdigest()
    return tombstone_of(f"session-{digest}")


def is_forgotten(root: str, note_id: str) -> bool:
    """Whether this note was forgotten, on any machine."""
    return is_valid_id(note_id) and os.path.exists(os.path.join(root, tombstone_of(note_id)))


def is_forgotten_session(root: str, session: str) -> bool:
    """Whether the note of this session was removed from all machines."""
    return bool(session) and os.path.exists(os.path.join(root, session_tombstone_of(session)))


def forgotten(root: str) -> set[str]:
    """The ids of all forgotten notes."""
    try:
        names = os.listdir(os.path.join(root, TOMBSTONES))
    except OSError:
        return set()
    ids = {name.removesuffix(".json") for name in names if name.endswith(".json")}
    return {each for each in ids if is_valid_id(each)}


def is_burial_due(home: Home) -> bool:
    """Whether something of a forgotten note may be kept here: a process may have been killed."""
    latest = folder_mtime(home, TOMBSTONES)
    try:
        with open(home.state(_BURIED), "rb") as stream:
            return stream.read() != b"%d" % latest
    except OSError:
        return latest > 0


def note_burial(home: Home, until: int) -> None:
    """Record until which change of the tombstones nothing is kept here; NEVER: all may be."""
    atomic.write_bytes(home.state(_BURIED), b"%d" % until)
