"""What of a note answers a query: its title and the best passage, with marks around the words."""

from __future__ import annotations

from anamnesis.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

START, END = "\x02", "\x03"  # control characters that a note's text is cleared of before
_MARKED = (
    "SELECT highlight(memories_fts, 1, char(2), char(3)), "
    "snippet(memories_fts, 2, char(2), char(3), '…', 32) "  # words of the passage
    "FROM memories_fts WHERE memories_fts MATCH ? AND rowid = "
    "(SELECT rowid FROM memories WHERE id = ?)"
)


@record
class Excerpt:
    """A title and a passage in which START and END enclose what matched."""

    title: str
    passage: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words that matched, each once."""
        pieces = f"{self.title} {self.passage}".split(START)[1:]
        found = (piece.partition(END)[0].lower() for piece in pieces)
        return tuple(dict.fromkeys(found))


def excerpt(db: sqlite3.Connection, note_id: str, match: str) -> Excerpt | None:
    """What of a note matches an FTS5 expression, or None if nothing does."""
    row = db.execute(_MARKED, (match, note_id)).fetchone() if match else None
    return Excerpt(row[0], row[1]) if row else None
