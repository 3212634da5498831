"""A note as text: YAML front matter between two `---` lines, then the body.

What this program writes is what `yaml.safe_dump` would write, so most lines have one plain form
that can be written and read without loading YAML at all. Anything else is left to
`yamlfront`, which is also the reference that the property tests compare this module with.
"""

from __future__ import annotations

import re

from anamnesis.ground.records import replace
from anamnesis.notes.fields import IDS, KEYS, NUMBER, TEXT, WORDS
from anamnesis.notes.note import Memory, UnreadableNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from anamnesis.notes.fields import Value

_FM_DELIM = "---\n"
_KINDS = {name: row.kind for name, row in KEYS.items()}
_ALWAYS = frozenset(name for name, row in KEYS.items() if row.always)
_LISTS = frozenset(name for name, kind in _KINDS.items() if kind in (WORDS, IDS))

# Writing: a plain scalar that YAML 1.1 reads as this very text and the dumper writes without
# quotes. It starts with a letter, holds no indicator, and is no word for true, false or null.
_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./()@+ -]*[A-Za-z0-9_./()@+-])?")
_NOT_TEXT = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null"])
_ID = re.compile(r"01[0-9A-Z]*[A-DF-Z][0-9A-Z]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
_FOLD_AT = 80  # the dumper's line width: longer values are folded, and left to it

# Reading: a plain scalar starts with none of these, and is not null.
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`~ ")
_NULLS = frozenset(["null", "Null", "NULL", ""])
_END = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


def serialize(note: Memory) -> str:
    """The text of a note's file."""
    fields = _fields(note)
    lines = _plain_lines(fields)
    if lines is None:
        from anamnesis.notes import yamlfront

        front = yamlfront.dump(fields)
    else:
        front = "".join(lines)
    return f"{_FM_DELIM}{front}{note.extra}{_FM_DELIM}{note.body}\n"


def deserialize(text: str) -> Memory:
    """The note that a file's text holds; raises UnreadableNote with the reason if none."""
    front, body = _split(text)
    fields = _read_plain(front)
    if fields is not None:
        return _build(fields, body)
    if _CONFLICT.search(front):
        raise UnreadableNote("it holds git conflict markers")
    from anamnesis.notes import yamlfront

    fields, extra = yamlfront.load(front)
    return replace(_build(fields, body), extra=extra)


def note_in(data: bytes) -> Memory | None:
    """The note that some bytes are; None if they are none."""
    try:
        return deserialize(data.decode())
    except (UnreadableNote, UnicodeDecodeError):
        return None


def _fields(note: Memory) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for key, kind in _KINDS.items():
        value = getattr(note, key)
        if kind is not TEXT and value:
            value = _spelled(value, kind)
        if value or key in _ALWAYS:
            fields[key] = value
    return fields


def _spelled(value: Any, kind: str) -> Value:
    """A value as it is written: one id alone is a text, several are a list."""
    if kind is IDS:
        ids: list[str] = value.split()
        return ids if len(ids) > 1 else "".join(ids)
    return float(value) if kind is NUMBER else list(value)


def _plain_lines(fields: Mapping[str, Value]) -> list[str] | None:
    lines: list[str] = []
    for key, value in fields.items():
        if isinstance(value, list):
            items = [_plain(item) for item in value]
            if None in items:
                return None
            lines.append(f"{key}:\n" if value else f"{key}: []\n")
            lines.extend(f"- {item}\n" for item in items)
            continue
        scalar = _number(value) if isinstance(value, float) else _plain(value)
        if scalar is None or len(key) + 2 + len(scalar) >= _FOLD_AT:
            return None
        lines.append(f"{key}: {scalar}\n")
    return lines


def _plain(text: str) -> str | None:
    """The text as the dumper writes it on one line, or None where that takes the dumper."""
    if len(text) < _FOLD_AT - 2:
        if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT and "  " not in text:
            return text
        if _STAMP.fullmatch(text):
            return f"'{text}'"
        if _ID.fullmatch(text):
            return text
    return None


def _number(value: float) -> str | None:
    text = repr(value)
    return text if re.fullmatch(r"\d+\.\d+", text) else None


def _split(text: str) -> tuple[str, str]:
    text = text.removeprefix("\ufeff")
    if not text.startswith((_FM_DELIM, "---\r\n")):
        raise UnreadableNote("memory file missing YAML front-matter")
    start = text.index("\n") + 1
    end = _END.search(text, start)
    if end is None:
        raise UnreadableNote("its front matter is not closed by a --- line")
    body = text[end.end() :]
    return text[start : end.start()], body.removesuffix("\n")


def _read_plain(front: str) -> dict[str, Value | None] | None:
    """The fields of front matter as the dumper lays it out, or None if YAML has to read it.

    Every line is `key: scalar`, `- scalar` below a list, or the indented rest of a folded
    scalar; all in printable characters, which leaves out every line break but one.
    """
    if not front.replace("\n", "").isprintable():
        return None
    raw: dict[str, str | list[str]] = {}
    key = ""
    for line in front.removesuffix("\n").split("\n"):
        if not line.startswith(("- ", "  ")):
            key, colon, value = line.partition(":")
            if not colon or key not in _KINDS or key in raw:
                return None
            raw[key] = [] if not value and key in _LISTS else value
            continue
        begun = raw.get(key)
        if isinstance(begun, list) == line.startswith("  ") or begun is None:
            return None
        if isinstance(begun, list):
            begun.append(line[1:])
        elif begun.endswith(" ") or line[2:3] in _INDICATORS:
            return None
        else:
            raw[key] = f"{begun} {line[2:]}"
    return _scalars(raw)


def _scalars(raw: Mapping[str, str | list[str]]) -> dict[str, Value | None] | None:
    fields: dict[str, Value | None] = {}
    for key, value in raw.items():
        if isinstance(value, list):
            items = [_scalar(item) for item in value]
            if not items or None in items:
                return None
            fields[key] = [item for item in items if item is not None]
        elif value == " []" and _KINDS[key] is WORDS:
            fields[key] = []
        else:
            fields[key] = _scalar(value)
            if fields[key] is None:
                return None
    return fields


def _scalar(written: str) -> str | None:
    """The text of ` plain` or ` 'quoted'`, or None if it is neither beyond doubt."""
    text = written[1:]
    if text[:1] == "'":
        inner = text[1:-1]
        closed = len(text) > 1 and text[-1] == "'" and "'" not in inner.replace("''", "")
        return inner.replace("''", "'") if closed else None
    if text in _NULLS or text[0] in _INDICATORS or text[-1] in " :":
        return None
    return None if ": " in text or " #" in text or written[0] != " " else text


def _build(fields: Mapping[str, Value | None], body: str) -> Memory:
    """The note of some fields; a field that is not there, or null, has its default."""
    values: dict[str, Any] = {}
    for key, value in fields.items():
        kind = _KINDS[key]
        if value is None:
            continue
        if kind is TEXT:
            values[key] = value
        elif kind is NUMBER:
            values[key] = _finite(key, value)
        else:
            found = _several(value, separator="," if kind is WORDS else None)
            values[key] = found if kind is WORDS else " ".join(found)
    for key in ("id", "type"):
        values[key] = values.get(key, "").strip()
        if not values[key]:
            raise UnreadableNote(f"its front matter has no {key}")
    if "title" not in values:
        values["title"] = _first_line(body) or fields["id"]
    return Memory(body=body, **values)


def _several(value: Value, *, separator: str | None) -> list[str]:
    """The distinct items of a list, or of a hand-written `a, b`, in order."""
    if isinstance(value, list):
        return list(dict.fromkeys(value))
    items = (item.strip() for item in str(value).split(separator))
    return [item for item in dict.fromkeys(items) if item]


def _finite(key: str, value: Any) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if number - number != 0.0:  # not a number, or infinite: neither can be sorted by
        raise UnreadableNote(f"its {key} {value!r} is not a number")
    return number


def _first_line(body: str) -> str:
    return next((line.strip("# \t") for line in body.splitlines() if line.strip("# \t")), "")[:80]
