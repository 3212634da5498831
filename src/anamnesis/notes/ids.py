"""Note ids: ULIDs, which sort by the time they were made."""

from __future__ import annotations

import os
import re
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
LENGTH = 26  # of the ids that are made here; a hand-written note may have another
_OWN_NAME = re.compile(rf"(?:.*/)?[{_ALPHABET}]{{{LENGTH}}}\.md")
_VALID = re.compile(r"[0-9A-Za-z_-]{1,64}")


def new_id() -> str:
    """A fresh ULID: 48 bits of milliseconds, then 80 random bits."""
    return encode_id(time.time_ns() // 1_000_000, int.from_bytes(os.urandom(10)))


def encode_id(milliseconds: int, rest: int) -> str:
    """The ULID of a time and of 80 bits."""
    number = milliseconds << 80 | rest
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def names_an_id(path: str) -> bool:
    """Whether this program named a file: what such a file holds is said by its name."""
    return _OWN_NAME.fullmatch(path) is not None


def is_valid_id(text: object) -> bool:
    """Whether this may name a file: no separator, no dot, nothing that leaves the tree."""
    return isinstance(text, str) and _VALID.fullmatch(text) is not None
