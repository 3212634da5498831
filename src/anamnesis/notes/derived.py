"""Ids and keys derived from a note's content, the same on every machine."""

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
    """A ULID for content: its time, then a hash instead of random bits."""
    digest = blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=10).digest()
    return encode_id(_milliseconds(at), int.from_bytes(digest))


def fingerprint(text: str) -> str:
    """A short hash of a text, for noticing that it changed."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def keys(**values: str) -> str:
    """Extra front matter of Anamnesis, one quoted line each."""
    lines = (f'{name}: "{_plain(value)}"\n' for name, value in values.items() if value)
    return "".join(lines)


def key(note: Memory, name: str) -> str:
    """The value of such a line; empty if there is none."""
    return next((value for key, value in _KEY.findall(note.extra) if key == name), "")


def _plain(value: str) -> str:
    return re.sub(r"[^\w ./:@+,-]", "-", value)


def _milliseconds(at: str) -> int:
    try:
        return max(0, int(datetime.fromisoformat(at).timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0
