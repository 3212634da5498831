"""A note as text: YAML front matter between two `---` lines, then the body.

Files are written exactly as `yaml.safe_dump` would write them, so most lines have one plain form
that can be written and read without loading YAML at all. Anything else is left to
`yamlfront`, which is also the reference that the property tests compare this module with.
"""

from __future__ import annotations

from anamnesis.ground.records import replace
from anamnesis.notes.fields import IDS, KEYS, NUMBER, TEXT, WORDS, Memory, UnreadableNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from anamnesis.notes.fields import Value

_FM_DELIM = "---\n"
_KINDS = {name: row.kind for name, row in KEYS.items()}
_ALWAYS = frozenset(name for name, row in KEYS.items() if row.always)
_LISTS = frozenset(name for name, kind in _KINDS.items() if kind in (WORDS, IDS))

# Writing: what YAML 1.1 would not read as text is left to the dumper.
_NOT_TEXT = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null"])
_ID = r"[0-9][0-9A-Z]*[A-DF-Z][0-9A-Z]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"
_QUOTED = frozenset("#,[]{}&*!|>'\"%@`")  # no plain scalar begins with one of these
_LINE = 80  # the dumper breaks a line at the first single space beyond this column

# Reading: a plain scalar starts with none of these, and is not null.
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`~ ")
_NULLS = frozenset(["null", "Null", "NULL", ""])
_KEY_LETTERS = "abcdefghijklmnopqrstuvwxyz_"


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


def deserialize(text: str, *, missing: Callable[[str], str] | None = None) -> Memory:
    """The note in a file's text. Raises UnreadableNote with the reason.

    `missing` gives the `id` or `type` of a front matter that has none, or nothing.
    """
    front, body = _split(text)
    plain = _read_plain(front)
    if plain is None:
        if any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in front.split("\n")):
            raise UnreadableNote("it holds git conflict markers")
        from anamnesis.notes import yamlfront

        plain = yamlfront.load(front)
    fields, extra = plain
    note = _build(fields, body, missing)
    return replace(note, extra=extra) if extra else note


def note_in(data: bytes) -> Memory | None:
    """Some bytes as a note; None if they are not one."""
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
    """A value as it is written: one id is a text, several are a list."""
    if kind is IDS:
        ids: list[str] = value.split()
        return ids if len(ids) > 1 else "".join(ids)
    return float(value) if kind is NUMBER else list(value)


def _plain_lines(fields: Mapping[str, Value]) -> list[str] | None:
    lines: list[str] = []
    for key, value in fields.items():
        if isinstance(value, list):
            items = [_written(item, 1) for item in value]
            if None in items:
                return None
            lines.append(f"{key}:\n" if value else f"{key}: []\n")
            lines.extend(f"- {item}\n" for item in items)
            continue
        column = len(key) + 1
        scalar = _number(value) if isinstance(value, float) else _written(value, column)
        if scalar is None:
            return None
        lines.append(f"{key}: {scalar}\n")
    return lines


def _written(text: str, column: int) -> str | None:
    """The text as the dumper writes it from a column on, or None where only the dumper knows."""
    if text.endswith("+00:00") and _is(_STAMP, text):
        return f"'{text}'"
    if (text[:1].isdigit() or text[8:9] == "-") and _is(_ID, text):
        return text
    if not text or not text.isprintable() or text[0] == " " or text[-1] == " ":
        return None
    if text[0] in _QUOTED or text[-1] == ":" or ": " in text or " #" in text:
        doubled = text.replace("'", "''")
        return f"'{_folded(doubled, column + 2)}'"
    return _folded(text, column + 1) if _is_text(text) else None


def _is_text(text: str) -> bool:
    """Whether YAML certainly reads a plain scalar as text."""
    first = text[0]
    if first.isalpha() or first in "_/(":
        return text.lower() not in _NOT_TEXT
    # No number has a space, and a date has its first hyphen here.
    return first.isdigit() and " " in text and text[4:5] != "-"


def _folded(text: str, column: int) -> str:
    if column + len(text) <= _LINE:
        return text
    before, *rest = text.split(" ")
    folded, column = before, column + len(before)
    for word in rest:
        breaks = column > _LINE and before and word  # several spaces are kept as they are
        folded += f"\n  {word}" if breaks else f" {word}"
        column = (2 if breaks else column + 1) + len(word)
        before = word
    return folded


def _is(pattern: str, text: str) -> bool:
    import re  # only writing needs it; loading it costs a hook half as much as starting Python

    return re.fullmatch(pattern, text) is not None


def _number(value: float) -> str | None:
    text = repr(value)
    return text if all(map(str.isdigit, text.split("."))) else None


def _split(text: str) -> tuple[str, str]:
    text = text.removeprefix("\ufeff")
    if not text.startswith((_FM_DELIM, "---\r\n")):
        raise UnreadableNote("memory file missing YAML front-matter")
    start = text.index("\n") + 1
    end = start - 1  # of the line before
    while not _closes(text, end + 1):
        end = text.find("\n---", end + 1)
        if end < 0:
            raise UnreadableNote("its front matter is not closed by a --- line")
    body = text[end + 1 :].partition("\n")[2]
    return text[start : end + 1], body.removesuffix("\n")


def _closes(text: str, start: int) -> bool:
    """Whether the line that starts there is a `---` alone."""
    if not text.startswith("---", start):
        return False
    end = text.find("\n", start)
    line = text[start + 3 :] if end < 0 else text[start + 3 : end].removesuffix("\r")
    return not line.strip(" \t")


def _read_plain(front: str) -> tuple[dict[str, Value | None], str] | None:
    """The fields of front matter as the dumper lays it out, and the lines of keys unknown here.

    Every line is `key: scalar`, `- scalar` below a list, or the indented rest of a folded
    scalar; all in printable characters, which rules out every line break but one. None if it is
    anything else, which only YAML can read.
    """
    if not front.replace("\n", "").isprintable():
        return None
    raw: dict[str, str | list[str]] = {}
    extra = key = ""
    for line in front.removesuffix("\n").split("\n"):
        if not line.startswith(("- ", "  ")):
            key, colon, value = line.partition(":")
            if not colon or key in raw:
                return None
            if key in _KINDS:
                raw[key] = [] if not value and key in _LISTS else value
            elif key and not key.strip(_KEY_LETTERS) and _scalar(value) is not None:
                extra += f"{line}\n"
            else:
                return None
            continue
        value_so_far = raw.get(key)
        if isinstance(value_so_far, list) == line.startswith("  ") or value_so_far is None:
            return None
        if isinstance(value_so_far, list):
            value_so_far.append(line[1:])
        elif value_so_far.endswith(" ") or line[2:3] in _INDICATORS:
            return None
        else:
            raw[key] = f"{value_so_far} {line[2:]}"
    fields = _scalars(raw)
    return None if fields is None else (fields, extra)


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
    """The text of ` plain`, ` 'quoted'` or ` "quoted"`, or None if that is not certain."""
    text = written[1:]
    if text[:1] == '"':
        inner = text[1:-1]
        closed = len(text) > 1 and text[-1] == '"' and '"' not in inner and "\\" not in inner
        return inner if closed and written[0] == " " else None
    if text[:1] == "'":
        inner = text[1:-1]
        closed = len(text) > 1 and text[-1] == "'" and "'" not in inner.replace("''", "")
        return inner.replace("''", "'") if closed else None
    if text in _NULLS or text[0] in _INDICATORS or text[-1] in " :":
        return None
    return None if ": " in text or " #" in text or written[0] != " " else text


def _build(
    fields: Mapping[str, Value | None], body: str, missing: Callable[[str], str] | None
) -> Memory:
    """A note from some fields; a missing or null field gets its default."""
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
            items = _several(value, separator="," if kind is WORDS else None)
            values[key] = items if kind is WORDS else " ".join(items)
    for key in ("id", "type"):
        values[key] = values.get(key, "").strip() or (missing(key) if missing else "")
        if not values[key]:
            raise UnreadableNote(f"its front matter has no {key}")
    if "title" not in values:
        values["title"] = first_line(body) or values["id"]
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


def first_line(body: str) -> str:
    """The title that a text without one has."""
    return next((line.strip("# \t") for line in body.splitlines() if line.strip("# \t")), "")[:80]
