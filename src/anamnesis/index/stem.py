"""Porter's stemmer, equal to the `porter` tokenizer that the index uses.

The ranking counts words in the text of a few candidates; it must see the same word in
"connection" and "connections" as the index did.
"""

from __future__ import annotations

from functools import lru_cache

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
