"""The table of a note's fields: one row each, from which everything else follows.

Front matter, index columns, the three-way merge, the composition of conflicts, forms, the API, the
tools' answers, exports and imports read this table. To add a field, add one row to `Memory`.
"""

from __future__ import annotations

import os
import time

from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import fresh, record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeVar, dataclass_transform

    Kind = Literal["text", "number", "words", "ids"]
    Rule = Literal["same", "choice", "writer", "items", "entries", "lines", "earliest", "latest"]
    Value = str | float | list[str]
    MemoryType = Literal["procedural", "semantic", "episodic"]
    Scope = Literal["portable", "machine-local"]
    NoteId = str
    T = TypeVar("T")
else:
    MemoryType = Scope = NoteId = str
    from anamnesis.ground.records import dataclass_transform

# How a field is spelled: words are a list, ids one text with spaces between them.
TEXT: Kind = "text"
NUMBER: Kind = "number"
WORDS: Kind = "words"
IDS: Kind = "ids"

# How two edits of a field become one; `sync/merge` carries these rules out.
SAME: Rule = "same"  # two versions of one note always agree on it
CHOICE: Rule = "choice"  # your words: never guessed where both sides changed them
WRITER: Rule = "writer"  # a fact about one writer: the later edit wins if both sides changed it
ITEMS: Rule = "items"  # a set: what either side added is there, what either removed is not
ENTRIES: Rule = "entries"  # lines of YAML: each key separately, as a choice
LINES: Rule = "lines"  # a text: changes to different lines are combined
EARLIEST: Rule = "earliest"
LATEST: Rule = "latest"

# The keys that every version knows, in the order of the file. Other keys follow them.
SPECIFIED = (
    "id", "type", "title", "project", "machine_id", "scope", "prov_source", "confidence",
    "prov_model", "prov_session", "supersedes", "created_at", "updated_at", "tags",
)  # fmt: skip
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
ID_LENGTH = 26  # of generated ids; a hand-written note may have another
_LONGEST = 64
_ALLOWED = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
TYPES: tuple[MemoryType, ...] = ("procedural", "semantic", "episodic")
SCOPES: tuple[Scope, ...] = ("portable", "machine-local")
SOURCES = ("human", "session-end", "reflection", "import")


@record
class Row:
    """The definition of one field."""

    name: str
    merge: Rule
    kind: Kind
    default: Value | None  # None: required in every note
    always: bool  # written also when it is empty
    key: bool  # a key of the front matter
    column: bool  # a column of the index
    label: str  # what forms call it; a field without a label is not edited there
    shown: bool  # part of what the tools answer


def row(
    *,
    merge: Rule,
    kind: Kind = TEXT,
    default: Value | None = None,
    always: bool = False,
    key: bool = True,
    column: bool = True,
    label: str = "",
    shown: bool = False,
) -> Any:
    """A row of the table; its name is that of the attribute."""
    return Row("", merge, kind, default, always, key, column, label, shown)


FIELDS: dict[str, Row] = {}  # in the order of the record


@dataclass_transform(frozen_default=True, field_specifiers=(row,))
def _record_of_rows(cls: type[T]) -> type[T]:
    """Turn a class of rows into a record, and add the rows to the table."""
    for name in cls.__annotations__:
        about: Row = vars(cls)[name]
        FIELDS[name] = replace(about, name=name)
        if about.default is None:
            delattr(cls, name)
        elif isinstance(about.default, list):
            setattr(cls, name, fresh(default_factory=list))
        else:
            setattr(cls, name, about.default)
    return record(cls)


@_record_of_rows
class Memory:
    """One note: its front matter and its body."""

    id: str = row(merge=SAME, always=True, shown=True)
    type: MemoryType = row(merge=CHOICE, always=True, shown=True, label="Type")
    title: str = row(merge=CHOICE, always=True, shown=True, label="Title")
    body: str = row(merge=LINES, key=False, column=False)
    project: str = row(merge=CHOICE, default="global", always=True, shown=True, label="Project")
    machine_id: str = row(merge=WRITER, default="unknown", always=True, shown=True)
    scope: Scope = row(merge=CHOICE, default="portable", always=True, shown=True, label="Scope")
    tags: list[str] = row(
        merge=ITEMS, kind=WORDS, default=[], always=True, shown=True, label="Tags"
    )
    created_at: str = row(merge=EARLIEST, default="", always=True, shown=True)
    updated_at: str = row(merge=LATEST, default="", always=True, shown=True)
    prov_source: str = row(merge=WRITER, default="human", always=True)
    prov_model: str = row(merge=WRITER, default="")
    prov_session: str = row(merge=WRITER, default="")
    confidence: float = row(merge=CHOICE, kind=NUMBER, default=1.0, always=True, label="Confidence")
    supersedes: str = row(merge=ITEMS, kind=IDS, default="", label="Replaces")
    # Who wrote it, in more detail than the source: `agent:<client>`, `import:<program>`.
    origin: str = row(merge=WRITER, default="")
    # The commit that was checked out when the session ended.
    at_commit: str = row(merge=WRITER, default="")
    # What the note says of code, tied to the code: `path#name hash commit`, see `anchors/`.
    anchors: list[str] = row(merge=ITEMS, kind=WORDS, default=[])
    # Keys that this version does not know, as lines of YAML, kept word for word.
    extra: str = row(merge=ENTRIES, default="", key=False, column=False)

    @property
    def supersedes_ids(self) -> tuple[NoteId, ...]:
        """The ids of the notes that this one replaces."""
        return tuple(self.supersedes.split())


KEYS = {name: FIELDS[name] for name in SPECIFIED} | {
    name: about for name, about in FIELDS.items() if about.key
}  # in the order of the file
LATER = {name: row for name, row in KEYS.items() if name not in SPECIFIED}
EDITED = {name: row.label for name, row in FIELDS.items() if row.label}


def items(note: Memory, name: str) -> list[str]:
    """The items of a field that holds several."""
    value = getattr(note, name)
    return value.split() if FIELDS[name].kind == IDS else list(value)


def of_items(name: str, items: list[str]) -> Value:
    """Several items as the value of their field."""
    return " ".join(items) if FIELDS[name].kind == IDS else items


def of_text(name: str, text: str) -> Value:
    """The value of a field from one line of a form; nan for what is not a number."""
    kind = FIELDS[name].kind
    if kind == NUMBER:
        try:
            return float(text)
        except ValueError:
            return float("nan")
    if kind == TEXT:
        return " ".join(text.split())
    items = text.split() if kind == IDS else (" ".join(word.split()) for word in text.split(","))
    return of_items(name, [item for item in items if item])


def plain(note: Memory, name: str) -> Value:
    """A field as JSON: several items are a list."""
    if FIELDS[name].kind in (WORDS, IDS):
        return items(note, name)
    value: Value = getattr(note, name)
    return value


_latest = [0, 0]  # milliseconds and further bits of the id that this process made last


def new_id() -> str:
    """A fresh ULID: 48 bits of milliseconds, then 80 random bits.

    A note takes less than a millisecond: those of one still sort as they were written.
    """
    now, chance = time.time_ns() // 1_000_000, int.from_bytes(os.urandom(10))
    # The first leaves half of the room to those that follow, a random distance apart.
    rest = _latest[1] + 1 + (chance >> 24) if now == _latest[0] else chance >> 1
    _latest[:] = now, rest
    return encode_id(now, rest)


def next_id(after: str) -> str:
    """A fresh ULID that sorts after another one, also once the clock was set back."""
    fresh = new_id()
    if fresh > after or not names_an_id(f"{after}.md"):
        return fresh
    number = 0
    for letter in after:
        number = number << 5 | _ALPHABET.index(letter)
    return encode_id(0, number + 1)


def encode_id(milliseconds: int, rest: int) -> str:
    """The ULID for a time and 80 further bits."""
    number = milliseconds << 80 | rest
    return "".join([_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5)])


def names_an_id(path: str) -> bool:
    """Whether a file name was generated from an id."""
    name = path.rpartition("/")[2]
    return len(name) == ID_LENGTH + 3 and name.endswith(".md") and not name[:-3].strip(_ALPHABET)


def is_valid_id(text: object) -> bool:
    """Whether an id is safe in a file name: no separator, no dot, no way out of the tree."""
    return isinstance(text, str) and 0 < len(text) <= _LONGEST and not text.strip(_ALLOWED)


class UnreadableNote(AnamnesisError, ValueError):
    """A file that cannot be read as a note, and why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason, hint="The file is left unchanged; fix it by hand.")
