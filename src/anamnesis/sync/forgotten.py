"""Which of some files are notes that a person had forgotten: their removal is never an accident."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.notes.frontmatter import note_in
from anamnesis.notes.ids import names_an_id
from anamnesis.sync.paths import TOMBSTONES

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from anamnesis.sync.repository import Repository

_LARGEST = 16 * 1024 * 1024
_BATCH = 5_000  # texts that are looked into at once


def ids(paths: Iterable[str]) -> set[str]:
    """The ids whose tombstones are among some paths."""
    stones = (path for path in paths if path.startswith(f"{TOMBSTONES}/"))
    return {path.rpartition("/")[2].removesuffix(".json") for path in stones}


def texts(
    repository: Repository, candidates: Iterable[tuple[str, str]], gone: Container[str]
) -> Iterator[str]:
    """Those of some texts, each with its path, that are one of the notes.

    A file says by its name which note it is, or, where a person named it, by its front matter.
    """
    unsure = []
    for oid, path in candidates:
        if path.rpartition("/")[2].removesuffix(".md") in gone:
            yield oid
        elif not names_an_id(path):
            unsure.append(oid)
    for start in range(0, len(unsure), _BATCH):
        found = repository.contents(unsure[start : start + _BATCH], limit=_LARGEST)
        notes = ((oid, note_in(data)) for oid, data in found.items())
        yield from (oid for oid, note in notes if note is not None and note.id in gone)
