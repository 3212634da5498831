"""Output for a terminal: rows that fit its width, relative dates, short ids, colour.

A pipe or a file gets the same facts in full, one line each, so that programs can rely on them.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from anamnesis.ground.records import replace
from anamnesis.notes.source import is_carried
from anamnesis.project import short_names

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

COLORS = ("auto", "always", "never")
color = "auto"  # set by --color
# Stands for the start of an escape sequence until a text is printed. No note can know it.
ESCAPE = f"\ue000{os.urandom(4).hex()}\ue000"
_CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}
_GAP = "  "
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_DAYS_COUNTED = 30  # after that a date is clearer than a number of days
_LEAST_TITLE = 20


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """The width of the terminal."""
    return shutil.get_terminal_size().columns


def painted(text: str, style: str) -> str:
    """A text in a colour, where colour is wanted."""
    if not (text and style and _is_colored()):
        return text
    return f"{ESCAPE}{_CODES[style]}m{text}{ESCAPE}0m"


def _is_colored() -> bool:
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not is_terminal():
        return False
    # Old Windows consoles would print the codes as text.
    return sys.platform != "win32" or bool({"WT_SESSION", "TERM", "ANSICON"} & set(os.environ))


def columns(text: str) -> int:
    """How many columns a terminal needs for a text."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def clipped(text: str, room: int) -> str:
    """A text on one line of at most `room` columns, with an ellipsis if it was cut."""
    text = " ".join(text.split())
    if columns(text) <= room:
        return text
    kept = ""
    for character in text:
        if columns(kept + character) > room - 1:
            break
        kept += character
    return f"{kept.rstrip()}…"


def ago(moment: str, *, now: datetime | None = None) -> str:
    """How long ago a time was: `5m ago`, `3h ago`, `2d ago`; after a month the date."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return moment[:10]
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    if seconds < -_MINUTE or seconds >= _DAYS_COUNTED * _DAY:
        return moment[:10]
    for size, letter in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{letter} ago"
    return "just now"


def table(
    rows: Sequence[Sequence[str]],
    *,
    heading: Sequence[str] = (),
    styles: Sequence[str] = (),
    most: Sequence[int] = (),
) -> list[str]:
    """Rows as lines of aligned columns; the last column is clipped to the room that is left.

    `most` limits the widths of the first columns; 0 is no limit.
    """
    everything = [heading, *rows] if heading else rows
    if not everything:
        return []
    number = len(everything[0])
    limits = [limit or width() for limit in (*most, *[0] * number)]
    widths = [
        min(max(columns(row[place]) for row in everything), limits[place])
        for place in range(number - 1)
    ]
    rest = max(_LEAST_TITLE, width() - sum(widths) - len(_GAP) * (number - 1))
    lines = [_line(heading, [*widths, rest], ["dim"] * number)] if heading else []
    shown = [*styles, *[""] * number]
    return [*lines, *(_line(row, [*widths, rest], shown) for row in rows)]


def _line(row: Sequence[str], widths: Sequence[int], styles: Sequence[str]) -> str:
    cells = []
    for place, cell in enumerate(row):
        text = clipped(cell, widths[place])
        padding = " " * (widths[place] - columns(text)) if place < len(row) - 1 else ""
        cells.append(painted(text, styles[place]) + padding)
    return _GAP.join(cells).rstrip()


def fitted(text: str, used: int) -> str:
    """A text clipped to the rest of the line on a terminal, in full elsewhere."""
    return clipped(text, max(_LEAST_TITLE, width() - used)) if is_terminal() else text


def wrapped(text: str, *, indent: int) -> list[str]:
    """A text wrapped to fit after an indent on a terminal; one line elsewhere."""
    if not is_terminal():
        return [text]
    room = max(_LEAST_TITLE, width() - indent)
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]


def moment(text: str) -> str:
    """How long ago a time was on a terminal; the time itself elsewhere."""
    return ago(text) if is_terminal() else text


def shown_ids(store: MemoryStore, ids: Sequence[str]) -> dict[str, str]:
    """Ids as short as they can be typed on a terminal, in full elsewhere."""
    if not is_terminal():
        return {note_id: note_id for note_id in ids}
    from anamnesis.operations.notes.show import short_ids

    return short_ids(store, ids)


class NoteLines:
    """One line per note: fitted to a terminal, in full elsewhere."""

    def __init__(
        self, store: MemoryStore, notes: Sequence[Memory], *, to_review: Container[str] = ()
    ) -> None:
        self.heading = ""
        keys = [_key(note) for note in notes]
        notes = [_marked(note, to_review) for note in notes]
        if not is_terminal():
            self._lines = dict(zip(keys, map(note_line, notes), strict=True))
            return
        ids = shown_ids(store, [note.id for note in notes])
        room = max(12, width() // 6)  # more would leave too little for the title
        names = {note.project: note.project for note in notes}
        if any(columns(name) > room for name in names):
            names = short_names(names)
        rows = [(ids[n.id], ago(n.updated_at), n.type, names[n.project], n.title) for n in notes]
        lines = table(
            rows,
            heading=("ID", "UPDATED", "TYPE", "PROJECT", "TITLE") if rows else (),
            styles=("yellow", "dim", "dim", "cyan"),
            most=(0, 0, 0, room),
        )
        self.heading = lines[0] if lines else ""
        self._lines = dict(zip(keys, lines[1:], strict=True))

    def __getitem__(self, note_id: str) -> str:
        return self._lines[note_id]

    def of(self, note: Memory) -> str:
        """The line of a note, where one of a repository may have the same id as another."""
        return self._lines[_key(note)]


def _key(note: Memory) -> str:
    return f"@{note.id}" if is_carried(note) else note.id


def _marked(note: Memory, to_review: Container[str]) -> Memory:
    mark = "[repository] " if is_carried(note) else "[to review] " if note.id in to_review else ""
    return replace(note, title=f"{mark}{note.title}") if mark else note


def note_line(note: Memory) -> str:
    """One note on one line, in full."""
    title = " ".join(note.title.split())
    note_id, project = painted(note.id, "yellow"), painted(note.project, "cyan")
    return f"{note_id}  {note.type:<10}  {note.updated_at[:10]}  {project}  {title}"
