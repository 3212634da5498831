"""What became of the code that notes speak of, as it was last judged while nobody waited.

One file for each checkout, `<home>/state/anchors/<hash>.json`, which a hook reads without git.
"""

from __future__ import annotations

import os

from anamnesis.git.config import find_repository
from anamnesis.ground.records import record
from anamnesis.ground.state import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from anamnesis.config import Home

FOLDER = "anchors"


@record
class Standing:
    """The state of a note's code, if it is not as it was, and a sentence about it."""

    state: str  # moved, changed or gone
    sentence: str


def standings(home: Home, directory: str) -> dict[str, Standing]:
    """The notes whose code moved, changed or is gone, in the checkout of a directory."""
    top = top_of(directory)
    notes = state_of(home, top).record().get("notes") if top else None
    if not isinstance(notes, dict):
        return {}
    return {id: Standing(*map(str, about)) for id, about in notes.items() if _is_pair(about)}


def is_watched(home: Home, directory: str) -> bool:
    """Whether notes were ever judged in the checkout of a directory."""
    top = top_of(directory)
    return bool(top) and os.path.exists(state_of(home, top).path)


def note_standings(home: Home, top: str, found: Mapping[str, Standing]) -> None:
    """Keep what was judged. Raises NotWritable."""
    notes = {id: [each.state, each.sentence] for id, each in sorted(found.items())}
    state_of(home, top).write({"top": top, "notes": notes})


def top_of(directory: str) -> str:
    """The folder of the checkout that a directory is in; empty outside of one."""
    repository = find_repository(os.path.abspath(directory))
    return repository.top if repository else ""


def state_of(home: Home, top: str, *, kind: str = "") -> StateFile:
    """What is kept of a checkout; a `kind` is a file of its own beside it."""
    from hashlib import blake2b

    name = blake2b(os.fsencode(os.path.realpath(top)), digest_size=8).hexdigest()
    return StateFile(home.state(FOLDER, f"{name}{kind}.json"))


def _is_pair(about: object) -> bool:
    return isinstance(about, list) and len(about) == 2
