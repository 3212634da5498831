"""Cues: words and phrases that tell what a sentence is for."""

from __future__ import annotations

import re
from functools import lru_cache

from anamnesis.ground.records import record

_CUE_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_HEAD = 3  # letters; the beginnings that cues have are longer
_FIRST_UNSPACED = "\u3040"  # the first character of the scripts that put no spaces between words


@record
class Sentence:
    """A sentence prepared for looking up cues."""

    text: str  # in lower case
    words: frozenset[str]
    spaced: str  # the words between spaces, one before the first and one after the last
    heads: frozenset[str]  # the first letters of the words
    is_ascii: bool


@lru_cache(maxsize=512)
def sentence(text: str) -> Sentence:
    """The words of a sentence."""
    lowered = text.lower().replace("\u2019", "'")
    words = _CUE_WORD.findall(lowered)
    heads = frozenset([word[:_HEAD] for word in words])
    return Sentence(lowered, frozenset(words), f" {' '.join(words)} ", heads, lowered.isascii())


class Cue:
    """One kind of hint."""

    __slots__ = ("_anywhere", "_beginnings", "_heads", "_phrases", "_words")

    def __init__(self, *lists: str) -> None:
        entries = [entry.strip() for each in lists for entry in each.split(",")]
        unspaced = {entry for entry in entries if max(entry) >= _FIRST_UNSPACED}
        phrases = {entry for entry in entries if " " in entry} - unspaced
        beginnings = {entry for entry in entries if entry.endswith("*")} - phrases
        self._anywhere = tuple(sorted(unspaced))
        self._phrases = tuple(f" {entry} ".replace("* ", "") for entry in sorted(phrases))
        self._beginnings = tuple(entry[:-1] for entry in sorted(beginnings))
        self._heads = frozenset(entry[:_HEAD] for entry in self._beginnings)
        self._words = frozenset(entries) - unspaced - phrases - beginnings

    def is_in(self, sentence: Sentence) -> bool:
        """Whether the sentence has one of the words."""
        # Asked of every sentence of a session: loops, because a generator costs more than it finds.
        if not self._words.isdisjoint(sentence.words):
            return True
        spaced, text = sentence.spaced, sentence.text
        for phrase in self._phrases:
            if phrase in spaced:
                return True
        if not sentence.is_ascii:
            for characters in self._anywhere:
                if characters in text:
                    return True
        return not self._heads.isdisjoint(sentence.heads) and any(
            word.startswith(self._beginnings) for word in sentence.words
        )

    def opens(self, sentence: Sentence) -> bool:
        """Whether one of the phrases is what the sentence begins with."""
        return sentence.spaced.startswith(self._phrases or ("\0",))

    def ends(self, sentence: Sentence) -> bool:
        """Whether one of the words or phrases is the last of the sentence."""
        last = sentence.spaced.rsplit(maxsplit=1)
        return bool(last) and (
            last[-1] in self._words or sentence.spaced.endswith(self._phrases or ("\0",))
        )

    def precedes(self, other: Cue, sentence: Sentence) -> bool:
        """Whether the sentence has both, this one first."""
        if not self.is_in(sentence) or not other.is_in(sentence):
            return False
        return self._place(sentence) < other._place(sentence)

    def _place(self, sentence: Sentence) -> int:
        found = [sentence.spaced.find(phrase) for phrase in self._phrases]
        found += [sentence.spaced.find(f" {word} ") for word in self._words & sentence.words]
        found += [sentence.spaced.find(characters) for characters in self._anywhere]
        return min((place for place in found if place >= 0), default=len(sentence.spaced))
