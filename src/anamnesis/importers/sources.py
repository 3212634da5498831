"""What was imported before and into which files, so that only changed texts are imported again.

A lost file costs one slower import and nothing else.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.notes import tree
from anamnesis.notes.fields import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anamnesis.config import Home
    from anamnesis.importers.import_draft import ImportDraft
    from anamnesis.notes.fields import NoteId
    from anamnesis.store import MemoryStore

_STATE = "imported-sources.json"
_FILES = "imported-files.json"
_MOST_FILES = 20


def digest(draft: ImportDraft, *, under: str) -> str:
    """A hash of a draft's whole text; `under` is whatever else affects its note."""
    from anamnesis.notes.derived import fingerprint

    parts = (under, draft.title, draft.body, draft.type, draft.project, *draft.tags)
    return fingerprint("\0".join(parts))


def mark(home: Home, file: str, *, digest: str) -> str:
    """What to remember of an import: the text that was imported, and the state of its note."""
    state = _state(home, file)
    return f"{digest} {state}" if state else ""


def _is_as_marked(home: Home, file: str, *, mark: str) -> bool:
    """Whether a note has not been edited since it was imported."""
    state = _state(home, file)
    return state != "" and mark.endswith(f" {state}")


def _state(home: Home, file: str) -> str:
    try:
        status = os.lstat(os.path.join(home, file))
    except OSError:
        return ""
    return f"{status.st_mtime_ns} {status.st_size}"


def file_key(path: str, *, under: str) -> str:
    """A key for a file as it is now; empty for a directory or an unreadable file."""
    from hashlib import blake2b

    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError:
        return ""
    named = f"{under}\0{os.path.abspath(path)}\0".encode("utf-8", "surrogateescape")
    return blake2b(named + content, digest_size=16).hexdigest()


def _notes_of(home: Home, key: str) -> list[str]:
    """The ids of the notes that a file gave when it was last imported; none if it has changed."""
    ids: list[str] = home.state_file(_FILES).record().get(key, [])
    return ids


def remember_file(home: Home, key: str, ids: list[str]) -> None:
    """Remember which notes a file gave, none of which has changed since."""
    if ids and key:
        home.state_file(_FILES).change(
            lambda before: {**dict(list(before.items())[1 - _MOST_FILES :]), key: ids}
        )


def known(home: Home) -> dict[str, str]:
    """The marks of what was imported, by the id of the note."""
    return home.state_file(_STATE).record()


def remember(home: Home, digests: Mapping[str, str], *, files: Mapping[str, str]) -> None:
    """Remember what this import wrote into which files, for the next one."""
    marks = {id: mark(home, file, digest=digests[id]) for id, file in files.items()}
    home.state_file(_STATE).change(lambda before: {**before, **marks})


def unchanged_notes(store: MemoryStore, file: str) -> int:
    """How many notes a file gave, if neither it nor one of them has changed since; else 0."""
    ids = _notes_of(store.home, file)
    marks, files = known(store.home) if ids else {}, files_of(store, ids)
    as_marked = (_is_as_marked(store.home, files.get(id, ""), mark=marks.get(id, "")) for id in ids)
    return len(ids) if all(as_marked) else 0


def files_of(store: MemoryStore, ids: Iterable[NoteId]) -> dict[str, str]:
    """The files of some notes, relative to the root of the store."""
    from anamnesis.index.queries import places  # a sync with nothing to import does without

    return store.ask(lambda db: places(db, ids))


def named_in_trees(home: Home) -> Iterator[str]:
    """The ids that files are named after, whether the index knows them by now or not."""
    for folder in (os.path.join(home, name, type) for name in tree.TREES for type in TYPES):
        if os.path.isdir(folder):
            yield from (name.removesuffix(".md") for name in os.listdir(folder))
