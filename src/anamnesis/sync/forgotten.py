"""Which of some files are notes that a person had forgotten: their removal is never an accident."""

from __future__ import annotations

import re

from anamnesis.notes.frontmatter import UnreadableNote, deserialize
from anamnesis.sync.paths import TOMBSTONES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from anamnesis.sync.repository import Repository

_LARGEST = 16 * 1024 * 1024
_BATCH = 5_000  # texts that are looked into at once
# Files that this program named: what such a file holds is said by its name.
NAMED_BY_ID = re.compile(r"(?:.*/)?[0-9A-HJKMNP-TV-Z]{26}\.md")


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
        elif not NAMED_BY_ID.fullmatch(path):
            unsure.append(oid)
    for start in range(0, len(unsure), _BATCH):
        found = repository.contents(unsure[start : start + _BATCH], limit=_LARGEST)
        yield from (oid for oid, data in found.items() if said_id(data) in gone)


def said_id(data: bytes) -> str:
    """The id that a text says; nothing if it is no note."""
    try:
        return deserialize(data.decode()).id
    except (UnreadableNote, UnicodeDecodeError):
        return ""
