"""Errors that were fixed before: error and fix pairs in session notes, found by signature.

The same error is never printed twice letter for letter: line numbers, addresses and directories
differ. Its signature leaves them out.
"""

from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.text import words
from anamnesis.trust.policy import condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from anamnesis.notes.fields import Memory

# As docs/formats/session-note.md has it.
PAIR = r"(?m)^- `(?P<command>.+?)` failed: (?P<error>.+) → (?P<fix>.+)$"
_COLOUR = r"\x1b\[[0-9;]*m"
_DIRECTORY = r"(?:\w+://)?(?:[a-z]:)?(?:[\w.:~@+-]*[/\\])+(?=[\w.@+-]|$)"
_WORD = r"(?<!\w)[^\W\d_]\w+(?:[.'-]\w+)*"  # neither numbers nor single letters
_ADDRESS = r"0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{7,}"
_LONGEST = 8  # words; the lines of notes are clipped
_LEAST = 2
# Words that any program's failures contain. A line of nothing else identifies no error: a fix in
# one place says nothing about another.
_COMMON_WORDS = """
    a access address already an and any argument arguments as assert assertion assertionerror at
    attribute attributeerror attributes bash be because bounds build but by call callable called
    cannot code command compilation compile complete completed connect connection core could
    defined denied did directory do does done dumped during econnrefused elifecycle end enoent err
    error errors etimedout exception exist exit exited expected expression fail failed failing
    failure failures fatal fault file filenotfounderror find for found from function got has have
    heap host importerror in index indexerror info input instance int invalid is it iterable
    javascript json keyerror killed last line list log main make makefile memory message missing
    module modulenotfounderror most named nameerror no non nonetype not npm null object of on one
    open operation or oserror out parse passed permission permissionerror positional process
    program promise properties property range read reading recent recipe referenceerror refused
    rejection required resolve result return returned run running runtimeerror script
    segmentation sh signal status step stopped str string subscriptable successfully such syntax
    syntaxerror target task test tests that the this thread time timed timeout to token traceback
    type typeerror unable undefined unexpected unhandled unknown unterminated use value
    valueerror values warning warnings was were with without you zero
"""
_COMMON = frozenset(_COMMON_WORDS.split())
# What programs call their errors: EADDRINUSE, SQLITE_BUSY, ORA-01555, TS2345, ZorbelError.
_CODE = r"\b(?:[A-Z][A-Z0-9_]{5,}|[A-Z]{1,6}-?\d{3,8}|[A-Z]\w+(?:Error|Exception))\b"
_MOST_CODES = 8


@record
class Fix:
    """An error that was fixed, as its session note puts it, or that a note is about."""

    signature: str
    note_id: str
    line: str  # `COMMAND` failed: ERROR → FIX; the title of a note
    machine: str = ""
    day: str = ""


def signature(line: str) -> str:
    """What identifies an error; empty for a line that any failure could print."""
    text = re.sub(_COLOUR, "", line[:600]) if "\x1b" in line else line[:600]
    text = re.sub(_DIRECTORY, "", text.lower())
    stable = [word for word in re.findall(_WORD, text) if not re.fullmatch(_ADDRESS, word)]
    stable = stable[:_LONGEST]
    is_telling = any(word not in _COMMON for word in stable)
    return " ".join(stable) if is_telling and len(stable) >= _LEAST else ""


def of_note(note: Memory) -> list[tuple[str, str, str]]:
    """The rows of a note: signature, id and line of each error with a fix."""
    rows = {}
    for pair in re.finditer(PAIR, note.body):
        if sign := signature(pair["error"].rstrip("… ")):
            rows[sign] = (sign, note.id, pair[0].removeprefix("- "))
    return list(rows.values())


def find(
    db: sqlite3.Connection, lines: Sequence[str], *, projects: Sequence[str], session: str
) -> Fix | None:
    """The latest fix for the last of these lines that was seen before.

    `session` is the current one, whose own fixes are left out.
    """
    signatures = list(dict.fromkeys(filter(None, map(signature, reversed(lines)))))
    if not signatures:
        return None
    by_signature = {fix.signature: fix for fix in _rows(db, signatures, projects, session)}
    return next((by_signature[each] for each in signatures if each in by_signature), None)


def about(db: sqlite3.Connection, lines: Sequence[str], *, projects: Sequence[str]) -> Fix | None:
    """The note, sessions aside, whose title names the error of one of these lines; the latest."""
    codes = dict.fromkeys(
        code
        for line in reversed(lines)
        for code in re.findall(_CODE, line[:600])
        if code.lower() not in _COMMON
    )
    keys = ",".join("?" * len(projects))
    for code in list(codes)[:_MOST_CODES]:
        phrase = " ".join(words.tokens(code))
        rows = db.execute(
            "SELECT m.id, m.title, m.machine_id, m.updated_at FROM memories_fts f "  # noqa: S608
            "JOIN memories m ON m.rowid = f.rowid WHERE memories_fts MATCH ? "
            f"AND m.type <> 'episodic' AND m.project IN ({keys}) AND m.superseded = 0 "
            f"AND {condition()} ORDER BY m.updated_at DESC, m.id DESC",
            (f'title : "{phrase}"', *projects),
        )
        for id, title, machine, updated in rows:
            if code in title:  # "FAILED" is not the name of an error where a title has "Failed"
                return Fix(phrase, id, title, machine=machine, day=updated[:10])
    return None


def _rows(
    db: sqlite3.Connection, signatures: Sequence[str], projects: Sequence[str], session: str
) -> Iterator[Fix]:
    """The fixes of some signatures, the latest last."""
    signs, keys = (",".join("?" * len(each)) for each in (signatures, projects))
    rows = db.execute(
        "SELECT f.signature, f.memory_id, f.line, m.machine_id, m.updated_at FROM fixes f "  # noqa: S608
        f"JOIN memories m ON m.id = f.memory_id WHERE f.signature IN ({signs}) "
        f"AND m.project IN ({keys}) AND m.superseded = 0 AND {condition()} "
        "AND (m.prov_session IS NULL OR m.prov_session <> ?) ORDER BY m.updated_at, m.id",
        (*signatures, *projects, session),
    )
    for row in rows:
        yield Fix(row[0], row[1], row[2], machine=row[3], day=row[4][:10])
