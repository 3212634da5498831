"""Text as words: what the tokenizer sees, and what it alone would not find."""

from __future__ import annotations

import re
from functools import lru_cache

WORD = re.compile(r"[^\W_]+")

# Scripts that write without spaces: to the tokenizer a whole sentence would be one word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
# As text: what only some notes need is compiled when one does, for a hook pays for each pattern.
_ACCENT = "[\u0300-\u036f]"
_ACCENTED = "[\u00e0-\u024f\u0300-\u036f\u1e00-\u1eff]"
_TYPOGRAPHY = "[\u2010-\u2027\u2030-\u205e\u2190-\u2bff]+"  # dashes, quotes, arrows
_SPACE = ord(" ")
_ASCII = [chr(code) for code in range(128)]
_FOLDED = bytes(ord(c.lower()) if c.isalnum() else _SPACE for c in _ASCII) + bytes(128)
_COMPOUND = bytes(ord(c) if c.isalnum() or c in "_-" else _SPACE for c in _ASCII) + bytes(128)
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MOST_JOINED = 4  # pieces; longer ones are sentences with hyphens
_LONGEST_JOINED = 32

# Words that say how something is asked, not what about: they rank a little and never select.
FUNCTION_WORDS = frozenset(
    """
    a about above again against all also am an and any are aren as at be because been being
    below both but by can cannot could couldn d did didn do does doesn doing don down during
    each either else ever every few for from further had hadn has hasn have haven having he her
    here hers herself hi him himself his how however i if in is isn it its itself just ll m may
    maybe me might mine must my myself neither nor of off ok on once or other our ours ourselves
    out please re s shall she should shouldn so some someone something somewhere still such t
    than thank thanks that the their theirs them themselves then there these they this those
    though through to too under until up upon us ve very was wasn we were weren what whatever
    when where whether which while who whom whose why will with won would wouldn yet you your
    yours yourself
    """.split()  # noqa: SIM905  reads better than a list
)
# Words of everyday talk that can be the point in code (`get`, `use`, `first`): they count less.
LIGHT_WORDS = frozenset(
    """
    after before between first get gets getting give go goes going gone got into know last let
    like more most much need needs new no not now one only over own same say see tell thing
    things use used using want wants way within without
    """.split()  # noqa: SIM905  reads better than a list
)


def fold(text: str) -> str:
    """The text in lower case without the accents of Latin letters, as the tokenizer sees it."""
    lowered = text.lower()
    if lowered.isascii() or _compiled(_ACCENTED).search(lowered) is None:
        return lowered
    from unicodedata import normalize

    return normalize("NFC", _compiled(_ACCENT).sub("", normalize("NFD", lowered)))


def tokens(text: str) -> list[str]:
    """The words of a text, folded."""
    if not text.isascii():
        text = _compiled(_TYPOGRAPHY).sub(" ", text)
    if text.isascii():  # by far the most common, and five times faster
        return text.encode("ascii").translate(_FOLDED).decode("ascii").split()
    return WORD.findall(fold(text))


def unspaced(text: str) -> list[str]:
    """The stretches of a text in scripts that write without spaces."""
    return [] if text.isascii() else _compiled(f"[{_UNSPACED}]+").findall(text)


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def pieces(word: str) -> list[str]:
    """The pieces of a mixed word: `getUserById` has four, `deploy` has one."""
    return _PIECE.findall(word)


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of the characters of a text without spaces."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def compounds(text: str) -> list[str]:
    """The distinct words of a text that may have pieces: `getUserById`, `api_key`, `python3`."""
    found = [
        word
        for word in text.encode("ascii", "replace").translate(_COMPOUND).decode("ascii").split()
        if not word.isalpha() or not (word.islower() or word.istitle() or word.isupper())
    ]
    return list(dict.fromkeys(found))


def joined(compound: str) -> str:
    """A compound as one word, `apikey` for `api-key` and `api_key`; empty if it is none."""
    words = compound.replace("-", "_").strip("_").split("_")
    if not 1 < len(words) <= _MOST_JOINED or len(compound) > _LONGEST_JOINED or "" in words:
        return ""
    return "".join(words)


def parts(text: str) -> str:
    """What else a note shall be found by: pieces and joined forms of identifiers, bigrams."""
    found: dict[str, None] = {}
    for compound in compounds(text):
        for word in WORD.findall(compound):
            split = pieces(word)
            if len(split) > 1:
                found.update(dict.fromkeys(split))
        if whole := joined(compound):
            found[whole] = None
    if not text.isascii():
        for run in unspaced(text):
            found.update(dict.fromkeys(bigrams(run)))
    return " ".join(found)


def facet(project: str) -> str:
    """A project as one word of the full-text index, so that it narrows a match for free.

    Two projects may share a word; the row's own project decides.
    """
    from binascii import crc32

    return f"zq{crc32(project.encode('utf-8', 'surrogatepass')):08x}"
