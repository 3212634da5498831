"""What became of the code that notes speak of, as it was last judged while nobody waited.

One file for each checkout, `<home>/state/anchors/*.json`, which a hook reads without git.
"""

from __future__ import annotations

import os

from anamnesis.git.config import current_commit, find_repository
from anamnesis.ground.records import record
from anamnesis.ground.state import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anamnesis.config import Home

FOLDER = "anchors"
_LONGEST = 150  # characters of a name; `top` in the file tells two of one name apart


@record
class Standing:
    """The state of a note's code, if it is not as it was, and a sentence about it."""

    state: str  # moved, changed or gone
    sentence: str

    @property
    def is_gone(self) -> bool:
        """Whether nothing is left of the code, so that the note states no fact any more."""
        return self.state == "gone"

    @property
    def remark(self) -> str:
        """The same for a reader of the note."""
        told = " ".join(self.sentence.split())
        return told if self.state == "moved" else f"check it: {told}"


def standings(home: Home, directory: str) -> dict[str, Standing]:
    """The notes whose code moved, changed or is gone, in the checkout of a directory."""
    return last_look(home, directory)[0]


def last_look(home: Home, directory: str) -> tuple[dict[str, Standing], set[str] | None]:
    """The same, and the sessions whose commit what is checked out does not contain.

    None for the sessions if nobody looked at this commit.
    """
    top = top_of(directory)
    kept = state_of(home, top).record() if top else {}
    if kept.get("top") != top:
        return {}, None
    notes, heads = kept.get("notes"), kept.get("sessions")
    about = notes.items() if isinstance(notes, dict) else ()
    found = {id: Standing(str(pair[0]), str(pair[1])) for id, pair in about if _is_pair(pair)}
    missing = heads.get(current_commit(directory)[:12]) if isinstance(heads, dict) and heads else 0
    return found, set(map(str, missing)) if isinstance(missing, list) else None


def of_note(home: Home, id: str) -> Iterator[tuple[str, Standing]]:
    """Each checkout in which a note's code is not as it was: its folder, and what became of it."""
    try:
        names = sorted(os.listdir(home.state(FOLDER)))
    except OSError:
        return
    for name in names:
        if not name.endswith(".seen.json"):
            kept = StateFile(home.state(FOLDER, name)).record()
            notes = kept.get("notes")
            about = notes.get(id) if isinstance(notes, dict) else None
            if about is not None and _is_pair(about):
                yield str(kept.get("top")), Standing(*map(str, about))


def is_watched(home: Home, directory: str) -> bool:
    """Whether notes were ever judged in the checkout of a directory."""
    top = top_of(directory)
    return bool(top) and os.path.exists(state_of(home, top).path)


def note_standings(
    home: Home, top: str, found: Mapping[str, Standing], sessions: Mapping[str, Sequence[str]]
) -> None:
    """Keep what was judged, and for each head the sessions that it does not contain.

    Raises NotWritable.
    """
    notes = {id: [each.state, each.sentence] for id, each in sorted(found.items())}
    state_of(home, top).write({"top": top, "notes": notes, "sessions": dict(sessions)})


def top_of(directory: str) -> str:
    """The folder of the checkout that a directory is in; empty outside of one."""
    repository = find_repository(os.path.abspath(directory))
    return repository.top if repository else ""


def state_of(home: Home, top: str, *, kind: str = "") -> StateFile:
    """What is kept of a checkout; a `kind` is a file of its own beside it."""
    name = f"{len(top)}{top.replace(os.sep, '%').replace(':', '')[-_LONGEST:]}"
    return StateFile(home.state(FOLDER, f"{name}{kind}.json"))


def _is_pair(about: object) -> bool:
    return isinstance(about, list) and len(about) == 2
