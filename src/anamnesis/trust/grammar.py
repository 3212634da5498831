"""A text as a string with one letter per word, and the rows of `signs` as patterns over those letters.

A letter stands for the concepts that its word can have (`lexicon`, `languages`), whatever the language and however the word is
inflected. Between the letters stand `.` for the end of a sentence, `:` and `,`; a word that means nothing
here is a blank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, reduce
from itertools import permutations
from operator import or_
from typing import TYPE_CHECKING

from anamnesis.trust import views
from anamnesis.trust.languages import SPACED, UNSPACED
from anamnesis.trust.lexicon import ACTS, ENGLISH
from anamnesis.trust.signs import HARMS, SIGNS
from anamnesis.trust.vocabulary import FURTHER, FURTHER_UNSPACED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PARAGRAPH = "\u00b6"
NOTHING = " "
_FIRST_LETTER = 0xE000  # of the private use area of Unicode
_MOST_WORDS = 50_000  # remembered; some megabytes, forgotten at once when there are more
_LONGEST_WORD = 400  # characters; what is longer is data
_OPENING = "\"'`*_()[]{}<>“”‘’«»„¿¡「」『』（）|#+=-"
_CLOSING = _OPENING + ",.;:!?…—–。、，；：！？।॥؟،"
_END, _PAUSE = frozenset(".!?…。！？।॥؟"), frozenset(",;—–、，；،")
_COLON = frozenset(":：")
_ADDRESS = re.compile(
    r"(?:\w{2,8}://|www\.|git@)(?!localhost|127\.|0\.0\.0\.0|\[::1)|[\w.+%-]+@[\w-]+\.\w"
)
_NUMBERED = re.compile(
    r"(?!127\.|0\.0|10\.|192\.168|172\.(?:1[6-9]|2\d|3[01])\.|169\.254)\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\Z"
)
_BARE_HOST = re.compile(
    r"[\w-]+(?:\.[\w-]+)*\.(?:example|com|net|org|io|dev|xyz|ru|cn|site|st|sh)(?:[/:]\S*)?\Z"
)
_SECRET_FILE = re.compile(
    r"\.ssh\b|\.env\b|\.aws\b|\.netrc|\.pypirc|\.gnupg|\.kube\b|id_(?:rsa|ed25519|ecdsa)|/etc/(?:shadow|passwd)"
    r"|master\.key\b|credentials?\b|\bsecrets?\b|\.docker/config|hosts\.yml|keychain|\.pgpass|_history\b|\.pem\b|\.p12\b|\.kdbx"
    r"|service[-_]account|wallet|login.data|cookies|gcloud|maildir|keepass"
)
_SECRET_NAME = re.compile(r"\$?[a-z0-9_]*_(?:api_)?(?:key|token|secret|password)s?\Z")
_CONFIG_FILE = re.compile(
    r"settings(?:\.local)?\.json|\.mcp\.json|(?:claude|agents|gemini)\.md|\.(?:bash|zsh)rc|\.profile|authorized_keys"
    r"|sudoers|pip\.conf|\.gitconfig|\.git/hooks|/etc/hosts|crontab|\.claude/|\.npmrc|\.codex/"
)
_JOINTS = re.compile(r"[/'’|=()\[\]{}:,+]|--+|(?<=\w)-(?=\w)")
_UNSPACED = (UNSPACED, FURTHER_UNSPACED)
_ARABIC_ARTICLES = ("وال", "بال", "لل", "ال", "و", "ف", "ب", "ل", "ה", "ו", "ל")


# Distinctions that only English words are made for.
_ALSO = {"TELL": ("FTELL", "TELLN"), "INSTR": ("INSTRPLUS",), "CONTENTS": ("DIRECTORY",)}
_IN_ORDERS = ACTS | {"VERB", "ACT"}


class Letters(dict[str, str]):
    """The letter of each word, with the sign that ends it; words are added as they turn up."""

    def __init__(self) -> None:
        self._whole: dict[str, frozenset[str]] = {}
        self._begun: dict[str, frozenset[str]] = {}
        for table in (ENGLISH, *SPACED, FURTHER, *_UNSPACED):
            for concept, listed in table.items():
                also = _ALSO.get(concept, ()) if table is not ENGLISH else ()
                if concept in ACTS:
                    also = (*also, "ACT") if table is not ENGLISH else ("ACT", "VERB")
                for word in listed.split():
                    for each in (concept, *also):
                        self._learn(views.plain(word), each)
        every = {*self._whole.values(), *self._begun.values(), *(meant for _, meant in _FORMS)}
        every |= {meant - _IN_ORDERS for meant in every}
        self._letter = {frozenset[str](): NOTHING}
        for number, meant in enumerate(sorted(every - {frozenset()}, key=sorted)):
            self._letter[meant] = chr(_FIRST_LETTER + number)
        # Where an order cannot have its verb, a verb gets the letter of its other meanings.
        self._described = {
            letter: self._letter[meant - _IN_ORDERS]
            for meant, letter in self._letter.items()
            if "VERB" in meant
        }
        lead, bound, to = map(self.of, ("LEAD", "BOUND", "TO"))
        you, could, that, tool = map(self.of, ("YOU", "COULD", "THAT", "TOOL"))
        verbs = "".join(self._described)
        negations = {
            letter: NOTHING
            for meant, letter in self._letter.items()
            if "NOT" in meant and "VERB" not in meant
        }
        self._described |= negations
        never = "".join(negations)
        # The letter comes first and what stands before it afterwards: most letters are neither.
        self._no_order = re.compile(
            f"[{verbs}{never}](?:(?<=[{verbs}])(?<![.,:{lead}].)(?<![{could}{that}][{you}].)(?<![{bound}{tool}][{to}].)"
            f"(?<![{you}][^.,:][{to}].)(?<!^.)|(?<=[{self.of('DID')}][{never}]))"
        )
        self._beginnings = frozenset(stem[:2] for stem in self._begun)

    def _learn(self, word: str, concept: str) -> None:
        concepts_of = self._begun if word.endswith("*") else self._whole
        stem = word.removesuffix("*")
        concepts_of[stem] = concepts_of.get(stem, frozenset()) | {concept}

    def without_descriptions(self, reading: str) -> str:
        """A reading that keeps verbs only where an order can have one."""
        return self._no_order.sub(lambda found: self._described[found[0]], reading)

    def of(self, concept: str) -> str:
        """The letters of all words that can stand for a concept. Raises KeyError."""
        found = "".join(letter for meant, letter in self._letter.items() if concept in meant)
        if not found:
            raise KeyError(concept)
        return found

    def concepts(self) -> dict[str, tuple[str, ...]]:
        """What each letter stands for."""
        return {letter: tuple(sorted(meant)) for meant, letter in self._letter.items()}

    def __missing__(self, raw: str) -> str:
        if len(self) >= _MOST_WORDS:
            self.clear()
        found = self[raw] = self._read(raw[:_LONGEST_WORD])
        return found

    def _read(self, raw: str) -> str:
        if raw == PARAGRAPH:
            return "."
        begun = raw.lstrip(_OPENING + ",;:!?")
        core = begun.rstrip(_CLOSING)
        tail = begun[len(core) :]
        sign = ""
        if not _END.isdisjoint(tail):
            sign = "."
        elif not _COLON.isdisjoint(tail):
            sign = ":"
        elif not _PAUSE.isdisjoint(tail):
            sign = ","
        if not core:
            return sign or ("," if raw[0] in "—–-|" else "")
        if (
            core[1:2] in _ELISIONS and core[2:].isalpha() and core[0] == "n"
        ):  # the French "n'informe"
            return self["ne"] + self._letter[self._meant(core[2:])] + sign
        return self._letter[self._meant(core)] + sign

    def _meant(self, core: str) -> frozenset[str]:
        found = self._known(core)
        if found or (core.isascii() and core.isalpha()):
            return found
        if found := _shaped(core):
            return found
        for article in _ARABIC_ARTICLES:
            if core.startswith(article) and (found := self._known(core[len(article) :])):
                return found
        for part in _JOINTS.split(core)[:_MOST_PARTS]:
            if part != core and (found := self._known(part) or _shaped(part)):
                return found
        return frozenset()

    def _known(self, word: str) -> frozenset[str]:
        found = self._whole.get(word)
        if found is None and word.endswith(("'s", "’s")):
            found = self._whole.get(word[:-2])
        begins = found is None and word[:2] in self._beginnings
        for end in range(len(word), 1, -1) if begins else ():
            found = self._begun.get(word[:end])
            if found is not None:
                break
        return found or frozenset()


_MOST_PARTS = 6
_ELISIONS = ("'", "’")
_FORMS = (
    (lambda word: _ADDRESS.search(word) or _NUMBERED.match(word), frozenset({"DEST", "URL"})),
    (lambda word: "authorized_keys" in word, frozenset({"CONFIG", "FILE"})),
    (
        lambda word: _SECRET_FILE.search(word) and _CONFIG_FILE.search(word),
        frozenset({"CONFIG", "SECRET", "FILE"}),
    ),
    (_SECRET_FILE.search, frozenset({"SECRET", "FILE"})),
    (_CONFIG_FILE.search, frozenset({"CONFIG", "FILE"})),
    (lambda word: word.startswith(("~/", "$home/")), frozenset({"OWN", "FILE"})),
    (_SECRET_NAME.match, frozenset({"TOKEN", "SECRETNAME"})),
    (_BARE_HOST.match, frozenset({"DEST"})),
)


def _shaped(word: str) -> frozenset[str]:
    """What a word is by its form: an address, a file that matters, the name of a secret."""
    if word.isalpha():
        return frozenset()
    return next((meant for form, meant in _FORMS if form(word)), frozenset())


@cache
def letters() -> Letters:
    """The one table of letters."""
    return Letters()


@cache
def _unspaced() -> re.Pattern[str]:
    words = {
        views.plain(word)
        for table in _UNSPACED
        for listed in table.values()
        for word in listed.split()
    }
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join([*map(re.escape, longest_first), "[。、，；：！？]"]))


def spaced(view: str) -> str:
    """A view, as `views.plain` makes it, with spaces between words in every language."""
    parted = _unspaced().sub(r" \g<0> ", view) if views.is_foreign(view) else view
    return parted.replace("<", " <").replace(">", "> ") if "<" in view else parted


def read(view: str, words: list[str] | None = None) -> str:
    """The letters of a view, as `views.plain` makes it; `words` are the view's own, if known."""
    parted = spaced(view)
    if words is None or parted is not view:
        words = parted.split()
    table = letters()
    return table.without_descriptions("".join(map(table.__getitem__, words)))


@dataclass(frozen=True, slots=True)
class Sign:
    """One row, in one order of its words: what it is, how much it says, and how it reads in letters."""

    kind: str
    points: int
    order: str
    negated: bool  # whether it means the same after a "not"
    spans: bool  # whether it may go on in the next sentence

    @property
    def needs(self) -> list[str]:
        """The words that it needs."""
        names = self.order.split()
        return [name for name in names if name[0] not in "^_~.,:" and not name.endswith("?")]

    @property
    def is_act(self) -> bool:
        """Whether it is an act or its concealment, without which no other sign counts."""
        return self.kind in HARMS or self.kind == "conceal"


class Grammar:
    """All signs, and which of them a reading can have."""

    def __init__(self) -> None:
        self._signs = [
            _sign(kind, points, row.strip(), order)
            for (kind, points), rows in SIGNS.items()
            for row in rows.split(";")
            for order in _orders(row.strip())
        ]
        self._count = len(self._signs)
        self._places = max(len(sign.needs) for sign in self._signs)
        self._shown: dict[str, int] = {}
        self._not_needed = 0
        for number, sign in enumerate(self._signs):
            self._place(number, sign.needs)
        self._acts = self._numbers(sign.is_act for sign in self._signs)
        self._spanning = self._numbers(sign.spans for sign in self._signs)
        self._never = frozenset(letters().of("NOT"))

    def _place(self, number: int, needs: list[str]) -> None:
        """Note which letters can be the first word that a sign needs, which the second, and so on.

        There is a bit for each sign, and a block of them for each place.
        """
        for place in range(self._places):
            bit = 1 << place * self._count + number
            if place >= len(needs):
                self._not_needed |= bit
                continue
            for letter in _letters_of(needs[place]):
                self._shown[letter] = self._shown.get(letter, 0) | bit

    @staticmethod
    def _numbers(chosen: Iterable[bool]) -> int:
        return sum(1 << number for number, each in enumerate(chosen) if each)

    def _possible(self, met: set[str]) -> int:
        """The signs whose needed words are all among these letters, as bits."""
        bits = map(self._shown.__getitem__, self._shown.keys() & met)
        needed = reduce(or_, bits, self._not_needed)
        found = (1 << self._count) - 1
        for place in range(self._places):
            found &= needed >> place * self._count
        return found

    def signs_in(self, reading: str, *, beside_act: bool = False) -> Iterator[tuple[int, Sign]]:
        """Where signs begin, in no order; ways of speaking only beside an act, here or elsewhere."""
        possible = self._possible({*reading, "."})
        if not beside_act and not possible & self._acts:
            return
        # Looking at each sentence by itself costs as much as looking for two signs.
        if (possible & ~self._spanning).bit_count() > 2 * reading.count("."):
            within = (self._possible(set(each)) for each in reading.split("."))
            possible &= reduce(or_, within, self._spanning)
        for chosen in (possible & self._acts, possible & ~self._acts):
            for number in _bits(chosen):
                sign = self._signs[number]
                for found in _compiled(sign.order).finditer(reading):
                    if sign.negated or self._never.isdisjoint(_just_before(reading, found.start())):
                        beside_act = True
                        yield found.start(), sign
            if not beside_act:
                return


def _sign(kind: str, points: int, row: str, order: str) -> Sign:
    negated = kind not in HARMS or row.startswith(("+", "NOT", "WITHOUT"))
    return Sign(kind, points, order, negated, spans="~" in order or "." in order)


def _bits(number: int) -> Iterator[int]:
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1


@cache
def grammar() -> Grammar:
    """The one grammar, compiled when it is first needed."""
    return Grammar()


def _just_before(reading: str, at: int) -> str:
    """The two words before a position, in the same clause."""
    before = reading[max(0, at - 2) : at]
    return before[max(map(before.rfind, ".,:")) + 1 :]


_TOGETHER = re.compile(r"\{([^}]*)\}(\d+)")


def _orders(row: str) -> list[str]:
    together = _TOGETHER.fullmatch(row.removeprefix("+"))
    if not together:
        return [row.removeprefix("+")]
    names = together[1].split()
    gap = int(together[2]) // (len(names) - 1)
    return [f" _{gap} ".join(order) for order in permutations(names)]


@cache
def _compiled(order: str) -> re.Pattern[str]:
    """The pattern of an order of words, when a text first has all of them: most texts need few."""
    return re.compile(_pattern(order), re.DOTALL)


def _pattern(row: str) -> str:
    pieces: list[str] = []
    after_word = False
    for name in row.split():
        if name == "^":
            pieces.append("(?:^|(?<=[.,:]))")
        elif name[0] in "_~":
            within = "." if name[0] == "~" else "[^.]"
            pieces.append(f"{within}{{0,{name[1:]}}}?")
        else:
            pause = "[,:]?" if after_word and name[0] not in ".,:" else ""
            one = f"{pause}[{re.escape(_letters_of(name))}]"
            pieces.append(f"(?:{one})?" if name.endswith("?") else one)
        after_word = name[0].isalpha()
    return "".join(pieces)


def _letters_of(name: str) -> str:
    names = name.removesuffix("?").split("|")
    return "".join(each if each in ".,:" else letters().of(each) for each in names)
