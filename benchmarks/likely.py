"""Make the weights with which `redact/likely.py` tells secrets from other words.

    python -m benchmarks.likely [--families | --words] HARMLESS.json …

Learns from the places of the tests' corpora, filled with passwords of many kinds, from their
harmless lines, and from HARMLESS.json, lists of harmless texts that are not in this repository.
`--families` learns from two thirds of the places and of the kinds of passwords and from half of the
harmless texts, and prints what is left of the others; without it the weights are written.
`--words` writes instead which words most of the texts use, for `redact/vocabulary.py`.
"""

from __future__ import annotations

import json
import random
import re
import string
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from anamnesis import redact
from anamnesis.redact import likely, telling, vocabulary
from anamnesis.redact.anchors import Anchored
from anamnesis.redact.names import named_values
from anamnesis.redact.slots import Mention

_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT / "tests"))
from corpus import everyday, held_out, phrasings, places, voices, written_apart  # noqa: E402
from corpus.formats import draw  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_CORPUS = _ROOT / "tests" / "corpus"
_OUTPUT = _ROOT / "src" / "anamnesis" / "redact" / "weights.txt"
_WORDS = _OUTPUT.with_name("words.txt")
_MOST_WORDS = 6000
_LEAST_ROWS = 8  # that a feature must occur in
_SMALLEST = 10  # hundredths; weights below are left out
_RIDGE = 3.0
_HARD = 4.0  # weight of a harmless line that was made to look like a secret
_LIMIT = -1.5  # the log odds from which on a word is taken
_THIRDS = 3
_LEARNED = (
    "first",
    "second",
    "fourth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)  # rounds of `corpus/held_out.py`
_MIXED = string.ascii_letters + string.digits
_NAMES = [
    "anna",
    "peter",
    "maria",
    "lukas",
    "sophie",
    "james",
    "oliver",
    "emma",
    "mehmet",
    "yuki",
    "pierre",
    "carlos",
    "lucia",
    "ivan",
    "olga",
    "priya",
    "chen",
    "wei",
    "laura",
    "marco",
    "tom",
    "sarah",
]
# Plain words that people choose, none of them of a corpus.
_WORDS_ALONE = """
sunflower Kingfisher marmalade buttercup tangerine Thunderbird avalanche blueberry carousel
dandelion firefly gingerbread hedgehog Jellyfish kangaroo Schmetterling eichhörnchen Blumenkohl
Regenschirm Nussknacker kartoffelsalat Zwetschge papillon Grenouille escargot parapluie
citrouille Tournesol mariposa Cangrejo sandía golondrina Zanahoria lagartija libellula Fragola
pipistrello tartufo Girasole maracujá Borboleta abacaxi andorinha Beija stroopwafel Vlinder
paddenstoel regenboog motylek Biedronka pierogi kapusta jahodovec Vrabec kukačka fjäril Blåbär
kanelbulle smultron kelebek Papatya sakura tanuki Momiji hotaru kabocha dumpling Baozi kimchi
bibimbap matcha babushka Pelmeni snegurochka borscht бабочка Одуванчик ромашка солнышко
"""
_PLAIN = tuple(_WORDS_ALONE.split())
_WALKS = ["1qaz2wsx", "qwer1234", "asdf4321", "zaq1xsw2", "1q2w3e4r5t", "qwertz123", "QAZwsx123"]


class Row(NamedTuple):
    """What is known of a word, and whether it is a secret."""

    features: list[str]
    secret: bool
    weight: float
    family: str
    said: str


def passwords(chance: random.Random, signs: str, words: Sequence[str]) -> dict[str, str]:
    """A password of each kind."""
    first, second, third, *more = (chance.choice(words) for _ in range(5))
    one, two = first.capitalize(), second.capitalize()
    sign, digits = chance.choice(signs), str(chance.randrange(10, 9999))
    year = str(chance.randrange(1975, 2028))
    joint = chance.choice([each for each in "-_." if each in signs] or [""])
    name = chance.choice(_NAMES)
    maybe = chance.choice(("", sign))
    small, large = string.ascii_lowercase, string.ascii_uppercase

    def drawn(shortest: int, longest: int, letters: str) -> str:
        return "".join(chance.choices(letters, k=chance.randrange(shortest, longest)))

    def misspelt(word: str) -> str:
        table = dict(zip("aeiost", chance.choice(("@310$7", "431057")), strict=True))
        return "".join(table[c] if c in table and chance.random() < 0.7 else c for c in word)

    def spoken(syllables: int) -> str:
        return "".join(
            chance.choice("bcdfghjklmnprstvwz") + chance.choice("aeiou") for _ in range(syllables)
        )

    return {
        "word digits": first + digits,
        "Word digits sign": one + digits + sign,
        "Word sign digits": one + sign + digits,
        "year": one + year + maybe,
        "two": one + sign + two + chance.choice(("", digits)),
        "two digits": one + two + digits,
        "joined": joint.join((first, second, digits)),
        "Joined": joint.join((one, two, digits)),
        "Joined words": joint.join((one, two)),
        "phrase": "-".join((first, second, third, *more)[: chance.choice((4, 5))]),
        "Phrase": one + two + third.capitalize() + digits,
        "underscores": "_".join((one, two, digits[:2])),
        "misspelt": misspelt(one) + maybe + digits,
        "misspelt two": misspelt(first) + joint + misspelt(two),
        "mixed": drawn(8, 24, _MIXED),
        "mixed again": drawn(10, 20, _MIXED),
        "signs": drawn(8, 22, _MIXED + signs * 2),
        "few signs": drawn(10, 18, _MIXED + signs),
        "small": drawn(9, 20, small + string.digits),
        "groups": joint.join(drawn(4, 5, large + string.digits) for _ in range(3)),
        "groups of six": "-".join(drawn(6, 7, _MIXED) for _ in range(3)),
        "spoken": spoken(4) + digits,
        "Spoken": spoken(3).capitalize() + sign + digits,
        "name year": name + year,
        "Name year": name.capitalize() + sign + year,
        "walk": chance.choice(_WALKS) + maybe,
        "in between": first + digits + two,
        "letters": drawn(9, 16, string.ascii_letters),
        "digits word": digits + first + sign + second,
        **{kind: chance.choice(_PLAIN) for kind in ("plain", "plain word", "a word")},
    }


_KINDS = list(passwords(random.Random(1), "!-", ["word"]))


def planted(
    kinds: Sequence[str], words: Sequence[str], *, seed: int, each: int
) -> Iterator[tuple[str, str, list[str]]]:
    """Places of the corpora, each with its text and the secrets in it."""

    def password(chance: random.Random, *, signs: str = "!#$%&*?-_.") -> str:
        return passwords(chance, signs, words)[chance.choice(kinds)]

    places.password = password
    voices._SPECIAL["pw"] = password
    for placed in places.drawn(seed=seed, each=each):
        if placed.kind not in places.SHAPES:
            yield placed.place, placed.text, placed.secrets
    chance = random.Random(seed)
    by_hand = (_CORPUS / "passwords_by_hand.txt").read_text("utf-8").splitlines()
    for number in range(each):
        lines = zip(voices.LINES, voices.drawn(seed * 10 + number), strict=True)
        yield from ((place, line, secrets) for place, (line, secrets) in lines)
        for place in phrasings.PHRASINGS:
            if slot := re.search(r"(?<!\{)\{[vu]\}", place):
                secret = password(chance, signs="!_-")
                text = place.replace(slot[0], secret).replace("{{", "{").replace("}}", "}")
                yield place, text, [secret]
        for place in by_hand:
            secrets = [password(chance, signs="!#%-_") for _ in re.findall("«.*?»", place)]
            rest = iter(secrets)
            yield (
                place,
                "".join(
                    next(rest) if part.startswith("«") else part
                    for part in re.split("(«.*?»)", place)
                ),
                secrets,
            )
    yield from ((text, text, [secret]) for text, secret in written_apart.SECRETS)
    for which in _LEARNED:
        for other in (str, lambda secret: _another(secret, password, chance)):
            yield from (
                (placed.place, placed.text, placed.secrets)
                for placed in held_out.drawn(which, other=other)
            )


def _another(secret: str, password: Callable[..., str], chance: random.Random) -> str:
    """Another secret in the place of one: digits for digits, words for words."""
    if secret.isdigit():
        return "".join(chance.choices(string.digits, k=len(secret)))
    return secret if " " in secret else password(chance, signs="!#%-_")


def harmless_lines() -> Iterator[str]:
    """The harmless lines of the corpora."""
    for name in (
        "harmless.txt",
        "harmless_apart.txt",
        "voices_harmless.txt",
        "held_out_harmless.txt",
    ):
        yield from (_CORPUS / name).read_text("utf-8").splitlines()
    yield from (*written_apart.HARMLESS, *phrasings.HARMLESS, *everyday.everyday_lines())
    for line in (_CORPUS / "places_harmless.txt").read_text("utf-8").splitlines():
        for seed in range(3):
            yield draw(line.replace("\\n", "\n"), random.Random(f"{seed} {line}"))


def words_of(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """The words of a text that are judged, and what is known of each."""
    mentions: list[Mention] = []
    list(named_values(Anchored(text), mentions))
    if not text.isascii():
        list(redact._named_in_other_alphabets(text, mentions))
    for found in likely.candidates(text, mentions):
        features = [*telling.made_of(text[found.start : found.end]), *telling.place(text, found)]
        yield found.start, found.end, features


def rows_of(text: str, secrets: list[str], family: str, weight: float = 1.0) -> Iterator[Row]:
    """The judged words of a text; those that are only partly a secret are left out."""
    spans = [m.span() for secret in secrets for m in re.finditer(re.escape(secret), text)]
    for start, end, features in words_of(text):
        overlap = max((min(end, b) - max(start, a) for a, b in spans), default=0)
        if overlap <= 0 or overlap >= 0.6 * (end - start):
            said = text[max(0, start - 60) : end + 40]
            yield Row(features, overlap > 0, weight, family, said)


def _together(rows: Iterable[Row]) -> list[Row]:
    """The rows, those that are alike as one that weighs as much as all."""
    weights: Counter[tuple[frozenset[str], bool]] = Counter()
    for row in rows:
        weights[frozenset(row.features), row.secret] += row.weight  # type: ignore[assignment]
    return [Row(sorted(f), secret, weight, "", "") for (f, secret), weight in weights.items()]


def fitted(rows: Sequence[Row]) -> dict[str, float]:
    """Weights by logistic regression."""
    rows = _together(rows)
    counts = Counter(feature for row in rows for feature in set(row.features))
    kept = [feature for feature, count in counts.items() if count >= _LEAST_ROWS]
    columns = {feature: number for number, feature in enumerate(kept, start=1)}
    table = np.zeros((len(rows), len(columns) + 1), np.float32)
    table[:, 0] = 1
    for number, row in enumerate(rows):
        table[number, [columns[each] for each in row.features if each in columns]] = 1
    secret = np.array([row.secret for row in rows], np.float32)
    weight = np.array([row.weight for row in rows], np.float32)
    ridge = np.full(table.shape[1], _RIDGE)
    ridge[0] = 1e-6
    found = np.zeros(table.shape[1])
    for _ in range(20):
        chance = 1 / (1 + np.exp(-np.clip(table @ found.astype(np.float32), -30, 30)))
        slope = table.T @ (weight * (chance - secret)) + ridge * found
        bend = (table.T * (weight * chance * (1 - chance) + 1e-6)) @ table
        step = np.linalg.solve(bend.astype(np.float64) + np.diag(ridge), slope)
        found -= step
        if np.abs(step).max() < 1e-3:
            break
    return {"": found[0], **{feature: found[number] for feature, number in columns.items()}}


def common_words(texts: Iterable[str]) -> list[str]:
    """The words that most texts use, without those that another one stands for."""
    counts = Counter(
        word for text in texts for word in {each.lower() for each in vocabulary.words_in(text)}
    )
    common = {word for word, _ in counts.most_common(_MOST_WORDS)}
    return sorted(word for word in common if not vocabulary.stems(word) & (common - {word}))


def _part(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


def _rounded(weights: dict[str, float], limit: float) -> dict[str, int]:
    weights = {**weights, "": weights[""] - limit}
    rounded = {feature: round(weight * 100) for feature, weight in weights.items()}
    return {each: by for each, by in rounded.items() if not each or abs(by) >= _SMALLEST}


def _use(weights: dict[str, int]) -> None:
    telling.weights.cache_clear()
    telling.weights().update(weights)
    for gone in set(telling.weights()) - set(weights):
        del telling.weights()[gone]
    telling.worth.cache_clear()
    likely._parts.cache_clear()
    redact._harmless.clear()


def main(arguments: list[str]) -> None:
    """Write the weights, or print what they are worth on what was left out."""
    texts = [
        text for path in arguments if path[0] != "-" for text in json.loads(Path(path).read_text())
    ]
    texts = list(dict.fromkeys(texts))
    if "--words" in arguments:
        _WORDS.write_text("\n".join(common_words(texts)) + "\n", "utf-8")
        return
    counts = Counter(word for text in texts for word in re.findall(r"\b[a-z]{4,8}\b", text))
    words = [word for word, _ in counts.most_common(4000)][300:]
    rows = [row for line in harmless_lines() for row in rows_of(line, [], "harmless", _HARD)]
    rows += [row for text in texts for row in rows_of(text, [], "others")]
    if "--families" in arguments:
        _leave_out(rows, words)
        return
    for family, text, secrets in planted(_KINDS, words, seed=1, each=4):
        rows += rows_of(text, secrets, family)
    weights = _rounded(fitted(rows), _LIMIT)
    lines = [f"{weight} {feature}" for feature, weight in sorted(weights.items())]
    _OUTPUT.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(rows)} words, {sum(row.secret for row in rows)} secrets, {len(weights)} weights")


def _leave_out(harmless: list[Row], words: Sequence[str]) -> None:
    learned = [kind for number, kind in enumerate(_KINDS) if number % _THIRDS]
    others = [kind for kind in _KINDS if kind not in learned]
    tests = [row for row in harmless if _part(row.said) % 2]
    for fold in range(_THIRDS):
        rows = [row for row in harmless if not _part(row.said) % 2]
        for family, text, secrets in planted(learned, words, seed=1, each=3):
            if _part(family) % _THIRDS != fold:
                rows += rows_of(text, secrets, family)
        weights = fitted(rows)
        unseen = [
            each
            for each in planted(others, words, seed=2, each=2)
            if _part(each[0]) % _THIRDS == fold
        ]
        for limit in (None, 0.0, -1.0, -1.5, -2.0, -3.0):
            rounded = {"": -100_000} if limit is None else _rounded(weights, limit)
            _use(rounded)
            left = [
                (secret, text)
                for _, text, secrets in unseen
                for secret in places.left_in(
                    redact.redact(text), places.Placed("", "", text, secrets)
                )
            ]
            every = sum(len(secrets) for _, _, secrets in unseen)
            taken = Counter(
                row.family
                for row in tests
                if sum(rounded.get(f, 0) for f in row.features) + rounded[""] > 0
            )
            print(
                f"{fold} limit {limit}: {len(left)} of {every} left ({len(left) / every:.2%});"
                f" taken {dict(taken)}"
            )
        for each in left[:40]:
            print("  ", each)


if __name__ == "__main__":
    main(sys.argv[1:])
