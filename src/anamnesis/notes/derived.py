"""Ids and keys that follow from what a note is made of, the same on every machine."""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b

from anamnesis.notes.fields import encode_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.notes.fields import Memory

_KEY = re.compile(r"(?m)^([a-z_]+): \"([^\"\n]*)\"$")


def derived_id(*parts: str, at: str) -> str:
    """A ULID for content: the time it belongs to, then a hash instead of chance."""
    digest = blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=10).digest()
    return encode_id(_milliseconds(at), int.from_bytes(digest))


def fingerprint(text: str) -> str:
    """A short hash of a text, for noticing that it changed."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def keys(**values: str) -> str:
    """Front matter of our own beyond the note's fields, one quoted line each."""
    lines = (f'{name}: "{_plain(value)}"\n' for name, value in values.items() if value)
    return "".join(lines)


def key(note: Memory, name: str) -> str:
    """What such a line says, or nothing."""
    return next((value for found, value in _KEY.findall(note.extra) if found == name), "")


def _plain(value: str) -> str:
    return re.sub(r"[^\w ./:@+,-]", "-", value)


def _milliseconds(at: str) -> int:
    try:
        return max(0, int(datetime.fromisoformat(at).timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0
