"""The versions of one note, through all the names that its file has had.

A note is identified by its id. Its file is usually `<id>.md`, but you may rename it; then only the
front matter has the id, and a rename is a removal and an addition in one commit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.history import log
from anamnesis.history.log import NoSuchVersion, Version
from anamnesis.notes.fields import TYPES, is_valid_id, names_an_id
from anamnesis.notes.frontmatter import note_in
from anamnesis.notes.tree import MAX_NOTE_BYTES
from anamnesis.sync.repository import one_per_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anamnesis.notes.fields import Memory

# Git compares whole folders for each version of a note, and comparing two versions lists all of
# them again. Until something is recorded, the answer stays the same.
_cache: dict[tuple[str, str, str, tuple[str, ...], int], list[Version]] = {}
_MOST_KEPT = 64
_MOST_CANDIDATES = 2_000  # files looked into for an id: a tenth of a second


def versions(
    memory_dir: str, note_id: str, *, names: Iterable[str] = (), limit: int = 100
) -> list[Version]:
    """The changes of one note, newest first; `names` are paths that it is known to have.

    Raises InvalidInput.
    """
    if not is_valid_id(note_id):
        raise InvalidInput(f"{note_id[:80]!r} is not a note id.")
    known = dict.fromkeys(names)
    key = (memory_dir, log.head(memory_dir), note_id, tuple(known), limit)
    if key not in _cache:
        if len(_cache) >= _MOST_KEPT:
            _cache.clear()
        _cache[key] = _versions(memory_dir, note_id, known, limit)
    return list(_cache[key])


def _versions(memory_dir: str, note_id: str, known: dict[str, None], limit: int) -> list[Version]:
    changes = _changes(memory_dir, note_id, known, limit) if known else []
    if not changes:
        known.update(dict.fromkeys(_usual_names(memory_dir, note_id)))
        changes = _changes(memory_dir, note_id, known, limit)
    if not changes:
        return _found_by_reading(memory_dir, note_id)[:limit]
    while len(changes) < limit:
        more = [name for name in _neighbours(memory_dir, note_id, changes) if name not in known]
        if not more:
            break
        known.update(dict.fromkeys(more))
        changes = _changes(memory_dir, note_id, known, limit)
    return changes


def text_at(memory_dir: str, note_id: str, revision: str, *, names: Iterable[str] = ()) -> bytes:
    """The text of a note in a version. Raises NoSuchVersion."""
    commit = log.resolve(memory_dir, revision)
    known = {*names, *(f"{type}/{note_id}.md" for type in TYPES)}
    listed = dict(_listed(memory_dir, commit, known))
    blob = _blob_of(memory_dir, note_id, listed, known)
    if blob is None:
        listed = dict(_listed(memory_dir, commit))
        past = versions(memory_dir, note_id, names=known)
        known.update(file[2:] for version in past for file in version.files)
        blob = _blob_of(memory_dir, note_id, listed, known)
    if blob is None:
        raise NoSuchVersion(note_id, revision)
    return log.git_output(memory_dir, "cat-file", "blob", blob)


def text_in(memory_dir: str, version: Version) -> bytes:
    """A note's text after one of its changes; nothing if that removed it."""
    pairs = zip(version.files, version.blobs, strict=True)
    blob = next((blob for file, blob in pairs if not file.startswith("D ")), "")
    return log.git_output(memory_dir, "cat-file", "blob", blob) if blob else b""


def texts_in(memory_dir: str, versions: Sequence[Version]) -> list[str]:
    """A note's text after each of its changes; empty where that removed it."""
    pairs = [zip(each.files, each.blobs, strict=True) for each in versions]
    blobs = [next((b for file, b in each if not file.startswith("D ")), "") for each in pairs]
    contents = contents_of(memory_dir, [blob for blob in blobs if blob])
    return [contents.get(blob, b"").decode("utf-8", "replace") for blob in blobs]


def removed_ids(memory_dir: str, part: str) -> list[str]:
    """The ids of removed notes that start or end with a part of an id."""
    part = part.lower()
    removed = log.changes(memory_dir, ["--diff-filter=D"])
    names = (name.rpartition("/")[2].removesuffix(".md") for name in _names(removed))
    ids = dict.fromkeys(name for name in names if is_valid_id(name))
    return [id for id in ids if id.lower().startswith(part) or id.lower().endswith(part)]


def _changes(memory_dir: str, note_id: str, names: Iterable[str], limit: int) -> list[Version]:
    # Whole paths: git compares them a hundred times faster than patterns, and one path alone it
    # can look up (see history.index_changes).
    places = [f":(literal){path}" for path in names]
    changes = log.changes(memory_dir, [f"--max-count={int(limit)}", "--", *places])
    return list(_own(memory_dir, note_id, changes))


def _usual_names(memory_dir: str, note_id: str) -> Iterator[str]:
    return (f"{folder}/{note_id}.md" for folder in _folders(memory_dir))


def _folders(memory_dir: str) -> list[str]:
    if log.is_unborn(memory_dir):
        return list(TYPES)
    printed = log.git_output(memory_dir, "ls-tree", "-r", "-d", "-z", "--name-only", log.MAIN)
    listed = printed.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return list(dict.fromkeys([*TYPES, *listed]))


def _found_by_reading(memory_dir: str, note_id: str) -> list[Version]:
    """The changes of a note whose file names do not contain its id: such files are all read."""
    everything = log.changes(memory_dir, [])
    return list(_own(memory_dir, note_id, _worth_a_look(note_id, everything)))


def _neighbours(memory_dir: str, note_id: str, versions: Sequence[Version]) -> Iterator[str]:
    """Other names of the note in the commits that added or removed one of its names."""
    for came, went in (("A", "D"), ("D", "A")):
        turns = [each.commit for each in versions if any(file[0] == came for file in each.files)]
        if turns:
            arguments = ["--no-walk", f"--diff-filter={went}"]
            others = log.changes(memory_dir, arguments, start=turns, first=False)
            yield from _names(_own(memory_dir, note_id, _worth_a_look(note_id, others)))


def _worth_a_look(note_id: str, versions: Iterable[Version]) -> list[Version]:
    """The versions without files whose names belong to other notes."""
    return [
        _with(version, lambda path, _: path.endswith(f"{note_id}.md") or _may_be_any(path))
        for version in versions
    ]


def _may_be_any(path: str) -> bool:
    return path.endswith(".md") and not names_an_id(path)


def _own(memory_dir: str, note_id: str, versions: Sequence[Version]) -> Iterator[Version]:
    """The versions with only those files that are the note."""
    blobs = dict.fromkeys(blob for version in versions for blob in version.blobs)
    ids = _ids(memory_dir, list(blobs)[:_MOST_CANDIDATES])
    for version in versions:
        own = _with(version, lambda path, blob: _is_note(note_id, path, ids.get(blob)))
        if own.files:
            yield own


def _with(version: Version, is_kept: Callable[[str, str], bool]) -> Version:
    pairs = zip(version.files, version.blobs, strict=True)
    kept = [(file, blob) for file, blob in pairs if is_kept(file[2:], blob)]
    return replace(version, files=tuple(f for f, _ in kept), blobs=tuple(b for _, b in kept))


def _is_note(note_id: str, path: str, stated_id: str | None) -> bool:
    """Whether a file is the note, by its text, or by its name if the text has no id."""
    return stated_id == note_id or (not stated_id and path.rpartition("/")[2] == f"{note_id}.md")


def _ids(memory_dir: str, blobs: Sequence[str]) -> dict[str, str]:
    """The id in each text; nothing for one that is not a note."""
    notes = notes_in(memory_dir, blobs)
    return {blob: note.id if note else "" for blob, note in notes.items()}


def notes_in(memory_dir: str, blobs: Sequence[str]) -> dict[str, Memory | None]:
    """Each text as a note; None for one that is not a note."""
    return {blob: note_in(data) for blob, data in contents_of(memory_dir, blobs).items()}


def contents_of(memory_dir: str, blobs: Sequence[str]) -> dict[str, bytes]:
    """What git has under some names; what is too large for a note is left out."""
    if not blobs:
        return {}
    checked = log.git_output(memory_dir, "cat-file", "--batch-check", input=one_per_line(blobs))
    sizes = checked.split(b"\n")
    small = [
        fact.split()[0]
        for fact in sizes
        if fact.count(b" ") == 2 and int(fact.split()[2]) <= MAX_NOTE_BYTES
    ]
    rest = log.git_output(memory_dir, "cat-file", "--batch", input=b"\n".join([*small, b""]))
    contents: dict[str, bytes] = {}
    position = 0
    for _ in small:
        end = rest.index(b"\n", position)
        blob, _, size = rest[position:end].split()
        position = end + 1 + int(size)
        contents[blob.decode()] = rest[end + 1 : position]
        position += 1
    return contents


def _names(versions: Iterable[Version]) -> Iterator[str]:
    return (file[2:] for version in versions for file in version.files)


def _listed(memory_dir: str, commit: str, names: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """The files of a version, or some of them, with the blob that each is."""
    words = ["ls-tree", "-r", "-z", "--full-tree", commit, "--", *names]
    printed = log.git_output(memory_dir, *words)
    for line in printed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, _, blob = facts.split()
        if mode.startswith("100"):
            yield path, blob


def _blob_of(memory_dir: str, note_id: str, listed: dict[str, str], names: set[str]) -> str | None:
    usual = f"{note_id}.md"
    mine = {path: listed[path] for path in listed if path in names or path.endswith(usual)}
    ids = _ids(memory_dir, list(mine.values()))
    own = (blob for path, blob in mine.items() if _is_note(note_id, path, ids.get(blob)))
    return next(own, None)
