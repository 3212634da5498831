"""A text made ready for many questions of the kind "does this literal occur, and where?".

A hundred and fifty kinds of secret are looked for in every text. Each has a literal that it must
contain, and finding a literal costs far less than running a pattern; so patterns run only where
their literal stands. Two things make the literals themselves cheap: they are sought in one byte
per character, and those of long tokens only in the parts of the text that are long tokens.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    T = TypeVar("T")

_LONG_WORD = b"a" * 16  # no token of a vendor has fewer characters in one piece
_LEAD = 12  # what may stand before that piece: `SG.`, `ya29.`, `.atlasv1.`
_WORD_CHARACTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/~")
_CLASSES = bytes(ord("a" if code in _WORD_CHARACTERS else " ") for code in range(256))


class Anchored:
    """A text in which literals are found quickly; positions are those of the text."""

    __slots__ = ("_bytes", "_long_words", "_lowered", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # One byte per character: what is not Latin becomes `?`, and positions stay the same.
        self._bytes = text.encode("latin-1", "replace")
        self._lowered = self._bytes.lower()
        self._long_words = _long_words(self._bytes)

    def tokens(self, sought: Sequence[tuple[bytes, T]]) -> Iterator[tuple[int, T]]:
        """Where literals stand that are part of a long token, with what belongs to each."""
        words = self._long_words
        if words:
            # All but a few are absent: they must not even cost a call.
            present = [each for each in sought if each[0] in words]
            yield from ((at, its) for key, its in present for at in _positions(key, self._bytes))

    def words(self, sought: Sequence[tuple[bytes, T]]) -> Iterator[tuple[int, T]]:
        """Where lower-case literals stand, in either case, with what belongs to each."""
        lowered = self._lowered
        present = [each for each in sought if each[0] in lowered]
        yield from ((at, its) for key, its in present for at in _positions(key, lowered))


def _positions(literal: bytes, data: bytes) -> Iterator[int]:
    at = data.find(literal)
    while at >= 0:
        yield at
        at = data.find(literal, at + len(literal))


def _long_words(data: bytes) -> bytes:
    """The different long words of a text, each with what stands before it."""
    classes = data.translate(_CLASSES) + b" "
    words = set()
    at = classes.find(_LONG_WORD)  # skips sixteen characters at a time
    while at >= 0:
        end = classes.find(b" ", at)
        words.add(data[max(0, at - _LEAD) : end])
        at = classes.find(_LONG_WORD, end)
    return b" ".join(words)
