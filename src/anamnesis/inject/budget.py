"""What fits: clients cut a hook's output, so nothing is printed that would not arrive.

Claude Code counts UTF-16 units and replaces everything over 10,000 of them by a preview.
"""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.inject import render
from anamnesis.project import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anamnesis.inject.select import Candidate
    from anamnesis.notes.note import Memory

LIMIT = 9_500  # units; 500 below the cut, for what a client may put around it
_GLOBAL_SHARE = 0.6  # of the room, while notes of the project wait for theirs
_LINES_SHARE = 0.25  # of the room, for the titles of what does not fit
_MISSES = 3  # notes in a row that do not fit; looking further costs reads and finds crumbs
_GAP = 2  # the blank line between two parts


@record
class Fitted:
    """An injection that fits: its text, and what became of each note."""

    text: str
    whole: dict[str, int]  # id -> units, of the notes shown in full
    listed: list[str]  # ids of the notes of which only the title is shown


def units(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def fit(
    candidates: Sequence[Candidate],
    *,
    read: Callable[[str], Memory | None],
    limit: int = LIMIT,
    notices: Sequence[str] = (),
    beyond: int = 0,
) -> Fitted:
    """As many notes in full as there is room for, the others as one line each.

    Only the notes that are shown are read, and a few that turn out to be too long. `beyond` is the
    number of notes that were not even candidates; they are counted.
    """
    room = limit - units(render.framed((), (), notices=notices, unlisted=beyond))
    shelf = _Shelf(read)
    if not shelf.take(candidates, up_to=room, misses=1):
        shelf.clear()
        _share(shelf, candidates, room)
    whole = [each.note.id for each in candidates if each.note.id in shelf.taken]
    rest = [each for each in candidates if each.note.id not in shelf.taken | shelf.gone]
    lines, unlisted = _lines(rest, room - shelf.used, beyond)
    if not whole and not lines and not notices:
        return Fitted("", {}, [])
    sections = [shelf.sections[id] for id in whole]
    text = render.framed(sections, lines, notices=notices, unlisted=unlisted)
    listed = [each.note.id for each in rest[: len(lines)]]
    fitted = Fitted(text, {id: units(shelf.sections[id]) for id in whole}, listed)
    return fitted if units(text) <= limit else Fitted("", {}, [])


def _share(shelf: _Shelf, candidates: Sequence[Candidate], room: int) -> None:
    """Give the notes that are always on their share, the project the next, and back again."""
    room -= int(room * _LINES_SHARE)
    always = [each for each in candidates if each.note.project == GLOBAL]
    others = [each for each in candidates if each.note.project != GLOBAL]
    shelf.take(always, up_to=int(room * _GLOBAL_SHARE) if others else room)
    shelf.take(others, up_to=room)
    shelf.take(always, up_to=room)


class _Shelf:
    """The notes taken so far, and the room that they use."""

    def __init__(self, read: Callable[[str], Memory | None]) -> None:
        self.taken: set[str] = set()
        self.gone: set[str] = set()  # known to the index, but no longer there or readable
        self.sections: dict[str, str] = {}
        self.used = 0
        self._read = read

    def take(self, candidates: Iterable[Candidate], *, up_to: int, misses: int = _MISSES) -> bool:
        """Take what fits, in order; whether all of it did."""
        missed = 0
        for candidate in candidates:
            id = candidate.note.id
            if id in self.taken or not self._load(id):
                continue
            size = units(self.sections[id]) + _GAP
            if self.used + size > up_to:
                missed += 1
                if missed == misses:
                    return False
                continue
            self.taken.add(id)
            self.used += size
        return missed == 0

    def clear(self) -> None:
        """Put everything back."""
        self.taken.clear()
        self.used = 0

    def _load(self, id: str) -> bool:
        if id not in self.sections and id not in self.gone:
            note = self._read(id)
            if note is None:
                self.gone.add(id)
            else:
                self.sections[id] = render.section(note)
        return id in self.sections


def _lines(rest: Sequence[Candidate], room: int, beyond: int) -> tuple[list[str], int]:
    if not rest:
        return [], beyond
    alone = units(render.framed((), (), unlisted=beyond))
    overhead = units(render.framed((), ["x"], unlisted=len(rest) + beyond)) - alone
    lines: list[str] = []
    used = overhead
    for candidate in rest:
        line = render.line(candidate.note)
        used += units(line) + 1
        if used > room:
            break
        lines.append(line)
    return lines, len(rest) - len(lines) + beyond
