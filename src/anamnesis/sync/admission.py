"""Whether a remote holds notes, or somebody's project, with which nothing is exchanged."""

from __future__ import annotations

import re

from anamnesis.aliases import FOLDER as ALIASES
from anamnesis.notes.fields import TYPES
from anamnesis.sync.plan import MACHINES, TOMBSTONES, is_syncable
from anamnesis.sync.remote import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.sync.repository import Repository

# Where notes, heartbeats and aliases are, whichever machine wrote them.
_OURS = (*TYPES, MACHINES, TOMBSTONES, ALIASES)
# What a site puts into a repository that was just created there.
_BOILERPLATE = re.compile(r"(?i)(?:readme|licen[cs]e|copying|notice|\.git)[^/]*\Z")
_NAMED = 3


def foreign_files(repository: Repository, commit: str) -> list[str]:
    """A few files that do not belong in a store of notes; none if it is one, or has none yet."""
    listed = repository.git("ls-tree", "-r", "--name-only", "-z", commit).out
    paths = [path for path in listed.decode("utf-8", "replace").split("\0") if path]
    if any(path.partition("/")[0] in _OURS for path in paths):
        return []
    return [path for path in paths if not is_syncable(path) and not _BOILERPLATE.match(path)][
        :_NAMED
    ]


def is_sealed(foreign: list[str]) -> bool:
    """Whether files that do not belong in a store of notes are those of a sealed one."""
    return any(path.startswith("generations/") for path in foreign)


def refusal(url: str, foreign: list[str]) -> tuple[str, str]:
    """Why a repository is refused, and what to do."""
    if is_sealed(foreign):
        return (
            f"{url} is sealed; nothing was sent there",
            f"Ask to join:  anamnesis join {quoted(url)}",
        )
    return (
        f"{url} holds something other than notes ({', '.join(foreign)}); nothing was sent there",
        "Use a separate repository for the notes:  anamnesis remote --create URL",
    )
