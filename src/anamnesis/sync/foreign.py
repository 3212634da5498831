"""Whether a repository is a memory at all: somebody's project must never be pushed to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anamnesis.notes.note import TYPES
from anamnesis.sync.paths import MACHINES, TOMBSTONES, travels

if TYPE_CHECKING:
    from anamnesis.sync.repository import Repository

# Where notes and signs of life are, on whatever machine they were written.
_OURS = (*TYPES, MACHINES, TOMBSTONES)
# What a site puts into a repository that was just created there.
_BOILERPLATE = re.compile(r"(?i)(?:readme|licen[cs]e|copying|notice|\.git)[^/]*\Z")
_NAMED = 3


def strangers(repository: Repository, commit: str) -> list[str]:
    """A few of the files that have no place in a memory; none if it is one, or has none yet."""
    listed = repository.git("ls-tree", "-r", "--name-only", "-z", commit).out
    paths = [path for path in listed.decode("utf-8", "replace").split("\0") if path]
    if any(path.partition("/")[0] in _OURS for path in paths):
        return []
    return [path for path in paths if not travels(path) and not _BOILERPLATE.match(path)][:_NAMED]


def refusal(url: str, found: list[str]) -> tuple[str, str]:
    """What to tell the person, and what to do."""
    return (
        f"{url} holds something else than notes ({', '.join(found)}); nothing was sent there",
        "Use a repository of its own for the memory:  anamnesis remote --create URL",
    )
