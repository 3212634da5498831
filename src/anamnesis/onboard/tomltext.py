"""One table of a TOML file, added and removed without touching the rest of the text."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from anamnesis.onboard.settings import UnusualSettings

if TYPE_CHECKING:
    from collections.abc import Mapping


def with_table(
    path: str, data: bytes | None, name: tuple[str, str], table: Mapping[str, Any]
) -> bytes:
    """The file with these values under `[name.name]`; a different table is replaced at the end.

    Raises UnusualSettings.
    """
    text = _decoded(path, data)
    if _table(path, text, name) == table:
        return text.encode()
    text = _without(text, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(map(_key, name))}]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items()]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    result = text + gap + "".join(f"{line}{newline}" for line in lines)
    if _table(path, result, name) != table:
        raise UnusualSettings(path, f"[{'.'.join(name)}] is written in a way that cannot be edited")
    return result.encode()


def table_of(path: str, data: bytes | None, name: tuple[str, str]) -> Any:
    """The values under `[name.name]`; None if there is no such table."""
    return _table(path, _decoded(path, data), name)


def without_table(path: str, data: bytes | None, name: tuple[str, str]) -> bytes | None:
    """The file without `[name.name]` and its sub-tables. Raises UnusualSettings."""
    if data is None:
        return None
    text = _decoded(path, data)
    if _table(path, text, name) is None:
        return data
    result = _without(text, name)
    if _table(path, result, name) is not None:
        raise UnusualSettings(path, f"[{'.'.join(name)}] is written in a way that cannot be edited")
    return result.encode()


def _decoded(path: str, data: bytes | None) -> str:
    try:
        text = (data or b"").decode()
        tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise UnusualSettings(path, f"it is not UTF-8 (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise UnusualSettings(path, f"it is not valid TOML ({error})") from None
    return text


def _table(path: str, text: str, name: tuple[str, str]) -> Any:
    try:
        parent = tomllib.loads(text).get(name[0], {})
    except tomllib.TOMLDecodeError as error:
        raise UnusualSettings(path, f"the Anamnesis table does not fit in it ({error})") from None
    return parent.get(name[1]) if isinstance(parent, dict) else None


def _without(text: str, name: tuple[str, str]) -> str:
    """The lines outside the table; the blank line before it goes with it.

    Comments and blank lines below its last value belong to what follows.
    """
    first, second = (
        rf"""(?:{re.escape(part)}|"{re.escape(part)}"|'{re.escape(part)}')""" for part in name
    )
    ours = re.compile(rf"\s*\[\s*{first}\s*\.\s*{second}\s*(?:\.[^\]]*)?\]")
    outside: list[str] = []
    below: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            outside += below
            below = []
            inside = ours.match(line) is not None
            if inside and outside and not outside[-1].strip():
                outside.pop()
        if not inside:
            outside.append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            below = []
        else:
            below.append(line)
    return "".join(outside + below)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    # A JSON string is a TOML basic string, but for DEL, which no path holds.
    return json.dumps(value, ensure_ascii=False)
