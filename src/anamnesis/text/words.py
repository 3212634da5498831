"""Text as words: tokens, parts that the tokenizer would miss, stems."""

from __future__ import annotations

import re
from functools import lru_cache

WORD = re.compile(r"[^\W_]+")

# Scripts that write without spaces: to the tokenizer a whole sentence would be one word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
# As text, compiled only when a note needs it: each pattern costs a hook time.
_ACCENT = "[\u0300-\u036f]"
_ACCENTED = "[\u00e0-\u024f\u0300-\u036f\u1e00-\u1eff]"
_TYPOGRAPHY = "[\u2010-\u2027\u2030-\u205e\u2190-\u2bff]+"  # dashes, quotes, arrows
_SPACE = ord(" ")
_ASCII = [chr(code) for code in range(128)]
_FOLDED = bytes(ord(c.lower()) if c.isalnum() else _SPACE for c in _ASCII) + bytes(128)
_COMPOUND = bytes(ord(c) if c.isalnum() or c in "_-" else _SPACE for c in _ASCII) + bytes(128)
PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MOST_JOINED = 4  # pieces; longer ones are sentences with hyphens
_LONGEST_JOINED = 32

# Words of grammar, not of content: they count a little for the ranking and never select.
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
    return spaced(text).split()


def spaced(text: str) -> str:
    """The words of a text, folded, with spaces before, between and after them."""
    if not text.isascii():
        text = _compiled(_TYPOGRAPHY).sub(" ", text)
    if text.isascii():  # by far the most common, and five times faster
        return f" {text.encode('ascii').translate(_FOLDED).decode('ascii')} "
    return f" {' '.join(WORD.findall(fold(text)))} "


def unspaced(text: str) -> list[str]:
    """The stretches of a text in scripts that write without spaces."""
    return [] if text.isascii() else _compiled(f"[{_UNSPACED}]+").findall(text)


_PLAIN_WORDS: set[str] = set()  # cached: a note has few words that no other has
_MOST_PLAIN = 50_000  # some megabytes


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def pieces(word: str) -> list[str]:
    """The pieces of a mixed word: `getUserById` has four, `deploy` has one."""
    return PIECE.findall(word)


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of the characters of a text without spaces."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def compounds(text: str) -> list[str]:
    """The distinct words of a text that may have pieces: `getUserById`, `api_key`, `python3`."""
    words = text.encode("ascii", "replace").translate(_COMPOUND).decode("ascii").split()
    unknown = set(words) - _PLAIN_WORDS
    mixed = {word for word in unknown if not _is_plain(word)}
    if len(_PLAIN_WORDS) > _MOST_PLAIN:
        _PLAIN_WORDS.clear()
    _PLAIN_WORDS.update(unknown - mixed)
    return list(dict.fromkeys(word for word in words if word in mixed)) if mixed else []


def _is_plain(word: str) -> bool:
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


def joined(compound: str) -> str:
    """A compound as one word, `apikey` for `api-key` and `api_key`; empty if it is none."""
    words = compound.replace("-", "_").strip("_").split("_")
    if not 1 < len(words) <= _MOST_JOINED or len(compound) > _LONGEST_JOINED or "" in words:
        return ""
    return "".join(words)


def parts(text: str) -> str:
    """What else a note can be found by: pieces and joined forms of identifiers, bigrams."""
    terms: dict[str, None] = {}
    for compound in compounds(text):
        for word in WORD.findall(compound):
            split = pieces(word)
            if len(split) > 1:
                terms.update(dict.fromkeys(split))
        if whole := joined(compound):
            terms[whole] = None
    if not text.isascii():
        for run in unspaced(text):
            terms.update(dict.fromkeys(bigrams(run)))
    return " ".join(terms)


_VOWELS = "aeiou"
_SHORTEST, _LONGEST = 3, 64  # bytes; SQLite leaves other words as they are

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "logi": "log", "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous",
    "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive",
    "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti",
    "ous", "ive", "ize", "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if not _SHORTEST <= len(word.encode("utf-8", "surrogatepass")) <= _LONGEST:
        return word
    word = _past_tense(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _swapped(_swapped(word, _STEP_2), _STEP_3)
    return _tidied(_shortened(word))


def _plural(word: str) -> str:
    if (word.endswith("sses") and len(word) > 4) or (word.endswith("ies") and len(word) > 3):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_tense(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _restored(word[: -len(suffix)])
    return word


def _restored(word: str) -> str:
    """The word behind "-ed" or "-ing": hop(ping), fil(ing), conflat(ed)."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    doubled = len(word) > 1 and word[-1] == word[-2] and word[-1] not in _VOWELS
    if doubled and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _swapped(word: str, suffixes: dict[str, str]) -> str:
    longest = max((s for s in suffixes if word.endswith(s)), key=len, default="")
    if longest and _measure(word[: -len(longest)]) > 0:
        return word[: -len(longest)] + suffixes[longest]
    return word


def _shortened(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            allowed = suffix != "ion" or rest.endswith(("s", "t"))
            return rest if allowed and _measure(rest) > 1 else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _is_consonant(word: str, at: int) -> bool:
    if word[at] == "y":
        return at == 0 or not _is_consonant(word, at - 1)
    return word[at] not in _VOWELS


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, at) for at in range(len(word)))


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    count, after_vowel = 0, False
    for at in range(len(word)):
        consonant = _is_consonant(word, at)
        count += after_vowel and consonant
        after_vowel = not consonant
    return count


def _ends_short(word: str) -> bool:
    """Whether it ends like "hop": consonant, vowel, consonant other than w, x, y."""
    last = len(word) - 1
    return (
        last >= 2
        and _is_consonant(word, last)
        and not _is_consonant(word, last - 1)
        and _is_consonant(word, last - 2)
        and word[last] not in "wxy"
    )
