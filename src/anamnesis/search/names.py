"""Names that a text mentions and few notes contain: identifiers, error names, paths, numbers."""

from __future__ import annotations

import re

from anamnesis.index import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from anamnesis.search.filters import Filters

_FEW = 3  # notes; what more of them contain says less than the words around it
_MOST = 6  # names of a text that are looked for
_SHORTEST = 4  # letters and digits, numbers aside
_MARK = re.compile(r"[A-Za-z0-9]+(?:[./:_-]+[A-Za-z0-9]+)*")
_NAME = (
    r"\w*[^\W_]_[^\W_]\w*"  # busy_timeout
    r"|[a-z]+[A-Z]\w*"  # getUserById
    r"|[A-Z]\w*(?:Error|Exception|Warning)"
    r"|[\w-]*(?:[A-Za-z]-?\d|\d[A-Za-z])[\w-]*"  # utf8mb4, ORA-01555
    r"|[\w/.-]*\w\.[a-z]\w{0,4}"  # src/app.py
    r"|\w+(?:/\w+){2,}"
    r"|(?!(?:19|20)\d\d$)\d{3,}(?<!00)"  # neither years nor round numbers
)
_SHOUTED = r"[A-Z]{5,}"


def mentioned(text: str) -> list[str]:
    """The names in a text, as they stand there."""
    found = dict.fromkeys(mark for mark in _MARK.findall(text) if _is_name(mark))
    return list(found)[:_MOST]


def found(
    db: sqlite3.Connection, text: str, *, filters: Filters
) -> dict[int, tuple[str, tuple[str, ...]]]:
    """The notes that contain a rare name of a text: row -> id and names."""
    notes: dict[int, tuple[str, tuple[str, ...]]] = {}
    for name in mentioned(text):
        phrase = f'"{" ".join(words.tokens(name))}"'
        having = db.execute(
            "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?", (phrase, _FEW + 1)
        ).fetchall()
        if len(having) > _FEW:
            continue
        for rowid, id in _allowed(db, [row[0] for row in having], filters):
            notes[rowid] = (id, (*notes.get(rowid, (id, ()))[1], name))
    return notes


def _allowed(db: sqlite3.Connection, rows: list[int], filters: Filters) -> list[tuple[int, str]]:
    condition, values = filters.condition()
    marks = ", ".join("?" * len(rows))
    return [
        (row[0], row[1])
        for row in db.execute(
            f"SELECT m.rowid, m.id FROM memories m WHERE m.rowid IN ({marks}) AND {condition}",  # noqa: S608
            (*rows, *values),
        )
    ]


def _is_name(mark: str) -> bool:
    if mark.isdigit():
        return re.fullmatch(_NAME, mark) is not None
    if sum(map(str.isalnum, mark)) < _SHORTEST:
        return False
    return re.fullmatch(_NAME, mark) is not None or (
        re.fullmatch(_SHOUTED, mark) is not None and not _is_english(mark)
    )


def _is_english(word: str) -> bool:
    """Whether a word in capitals is only an emphasised one."""
    from anamnesis.search import meaning

    return meaning.knows(word.lower())
