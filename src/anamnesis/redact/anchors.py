"""What rules are made of: literals found quickly in a text, patterns around them, and findings.

A hundred and fifty kinds of secret are looked for in every text. Each has a literal that it must
contain, and finding a literal costs far less than running a pattern; so patterns run only where
their literal stands. Three things make the literals themselves cheap: they are sought in one byte
per character; those of long tokens only in the parts of the text that are long tokens; and others
only if a word of the text contains their letters, which is known of each word once it was met.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain

from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    T = TypeVar("T")

_LONG_WORD = b"a" * 16  # no token of a vendor has fewer characters in one piece
_LEAD = 24  # what may stand before that piece: `SG.`, `ya29.`, `.atlasv1.`
_WORD_CHARACTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/~")
_LETTERS = bytes(code if 97 <= code <= 122 else 32 for code in range(256))  # the small ones
_MOST_WORDS = 50_000  # remembered: some megabytes, forgotten at once when there are more
_SOUGHT: dict[bytes, set[bytes]] = {}  # letters that are sought, by the first two of them
_RANK: dict[bytes, int] = {}  # of letters that are sought: which were named first
_IN_NAMES = b"abcdefghijklmnopqrstuvwxyz_-+/~"  # of which no generator makes a whole token
_NO_DIGITS = bytes(code for code in range(256) if not 48 <= code <= 57)
# A checksum or an id of one case, and no letter beyond f; after `_` or `:` it may be part of a key.
_CHECKSUM = re.compile(
    rb"(?<![_:0-9a-f])(?:[0-9a-f]{28,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\Z"
)
_CLASSES = bytes(ord("a" if code in _WORD_CHARACTERS else " ") for code in range(256))
# A sign between letters and digits, as in hardly any word but a password.
SIGN_CLASSES = bytes(
    ord(
        "0"
        if 48 <= code < 58
        else "a"
        if chr(code).isascii() and chr(code).isalpha()
        else "!"
        if chr(code) in "!$@#^&*?~%"
        else " "
    )
    for code in range(256)
)
ODD_PAIRS = (b"a!0", b"0!a", b"0! ")
PLACEHOLDER_START = "[redacted: "
# A token starts where a word does. Letters before it may belong to something else: to a `\n` in
# JSON, to `%3D` in an address, to the colour of a terminal.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=[0-9]m))"


class Anchored:
    """A text in which literals are found quickly; positions are those of the text."""

    __slots__ = ("_bytes", "_letters", "_long", "_long_words", "_lowered", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # One byte per character: what is not Latin becomes `?`, and positions stay the same.
        self._bytes = text.encode("latin-1", "replace")
        self._lowered = self._bytes.lower()
        self._long = _long_words(self._bytes)
        self._long_words = b" ".join(self._long)
        self._letters: set[bytes] | None = None

    def tokens(self, sought: Sequence[tuple[bytes, T]]) -> Iterator[tuple[Iterator[int], T]]:
        """The literals that are part of a long token: where each stands, and what belongs to it."""
        words = self._long_words
        if words:
            # All but a few are absent: they must not even cost a call.
            present = [each for each in sought if each[0] in words]
            yield from ((_positions(key, self._bytes), its) for key, its in present)

    def long_words(self) -> Iterator[int]:
        """Where the different long words begin that have digits, and are no checksum."""
        for word, start in self._long.items():
            if word.translate(None, _NO_DIGITS) and not _CHECKSUM.search(word):
                yield start

    def has_odd_words(self) -> bool:
        """Whether a sign stands between letters and digits anywhere."""
        classes = self._bytes.translate(SIGN_CLASSES)
        return any(pair in classes for pair in ODD_PAIRS)

    def words(
        self, sought: Mapping[bytes, Sequence[tuple[bytes, T]]]
    ) -> Iterator[tuple[Iterator[int], T]]:
        """The lower-case literals: where each stands, in either case, and what belongs to it."""
        lowered = self._lowered
        if self._letters is None:
            words = set(lowered.translate(_LETTERS).split())
            self._letters = {b"", *chain.from_iterable(map(_contained.__getitem__, words))}
        # In the order of the rules, which decides what a value is that two of them find.
        for letters in sorted(sought.keys() & self._letters, key=_RANK.__getitem__):
            present = [each for each in sought[letters] if each[0] in lowered]
            yield from ((_positions(key, lowered), its) for key, its in present)


def by_letters(sought: Iterable[tuple[bytes, T]]) -> dict[bytes, list[tuple[bytes, T]]]:
    """Literals by the letters that a word of the text must contain, if one of them stands there."""
    found: dict[bytes, list[tuple[bytes, T]]] = {}
    for literal, its in sought:
        letters = max(literal.translate(_LETTERS).split(), key=len, default=b"")
        found.setdefault(letters, []).append((literal, its))
    for letters in found:
        _SOUGHT.setdefault(letters[:2], set()).add(letters)
        _RANK.setdefault(letters, len(_RANK))
    return found


class _Contained(dict[bytes, tuple[bytes, ...]]):
    """What each word contains of the letters that are sought; words are added as they are met."""

    def __missing__(self, word: bytes) -> tuple[bytes, ...]:
        if len(self) >= _MOST_WORDS:
            self.clear()
        found = self[word] = tuple(
            letters
            for at in range(len(word))
            for first in (word[at : at + 1], word[at : at + 2])
            for letters in _SOUGHT.get(first, ())
            if word.startswith(letters, at)
        )
        return found


_contained = _Contained()


def _positions(literal: bytes, data: bytes) -> Iterator[int]:
    at = data.find(literal)
    while at >= 0:
        yield at
        at = data.find(literal, at + len(literal))


def _long_words(data: bytes) -> dict[bytes, int]:
    """The different long words of a text, each with what stands before it, and where it begins."""
    classes = data.translate(_CLASSES) + b" "
    words: dict[bytes, int] = {}
    at = classes.find(_LONG_WORD)  # skips sixteen characters at a time
    while at >= 0:
        end = classes.find(b" ", at)
        if data[at:end].translate(None, _IN_NAMES):
            words[data[max(0, at - _LEAD) : end]] = at
        at = classes.find(_LONG_WORD, end)
    return words


@record
class Finding:
    """One secret: `text[start:end]`, and its kind in plain words."""

    kind: str
    start: int
    end: int

    @property
    def placeholder(self) -> str:
        """What stands in the text instead."""
        return f"{PLACEHOLDER_START}{self.kind}]"


@record
class Shape:
    """What every secret of a kind contains literally, and its pattern (group 1 is the secret)."""

    kind: str
    literals: tuple[bytes, ...]
    pattern: str
    before: tuple[int, ...] = (0,)  # how far before its literal it may start
    generated: bool = False  # the mark alone proves little: the value must look random too
    no_words: bool = False  # likewise, but anything other than plain words will do
    chosen: bool = False  # likewise, but a password that you could make up will do
    unsaid: bool = False  # likewise, but any word will do that is not said of passwords

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when its literal first turns up: all of them would take 20 ms."""
        return compiled(self.pattern)


def shape(
    kind: str,
    literals: str,
    pattern: str,
    *,
    before: tuple[int, ...] = (0,),
    generated: bool = False,
    inside: bool = False,
) -> Shape:
    """A kind of token; `inside` ones may start in the middle of a word."""
    return Shape(
        kind=kind, literals=tuple(each.encode() for each in literals.split()),
        pattern=f"{'' if inside else _EDGE}({pattern})", before=before, generated=generated,
    )  # fmt: skip


def phrase(
    kind: str,
    literals: str,
    pattern: str,
    *,
    before: tuple[int, ...] = (0,),
    generated: bool = False,
    no_words: bool = False,
    chosen: bool = False,
    unsaid: bool = False,
) -> Shape:
    """Words around a secret; the pattern ignores case and its group 1 is the secret.

    In a literal, `␣` is a blank.
    """
    return Shape(
        kind=kind, literals=tuple(each.replace("␣", " ").encode() for each in literals.split()),
        pattern=f"(?i){pattern}", before=before, generated=generated, no_words=no_words,
        chosen=chosen, unsaid=unsaid,
    )  # fmt: skip


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first needed."""
    return re.compile(pattern)
