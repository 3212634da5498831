"""Make the weights with which `trust/sums.py` tells orders to an agent from developers' notes.

    python -m benchmarks.orders [--authors] [HARMLESS.json …]

Learns from `data/orders.txt` (grammars of both kinds, drawn with a fixed seed), from the corpora of
the tests and from this repository's documentation. HARMLESS.json holds a list of further harmless
texts. Each author of `tests/corpus/rounds` is left out in turn: what the others teach says from
which sum on a text is held, and `--authors` prints what is missed and held then. Without it the
weights are written, learned from everything. Needs scipy.
"""

from __future__ import annotations

import json
import random
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from anamnesis.trust import views
from anamnesis.trust.sums import between, concepts, meanings, near, place, sentences, within
from anamnesis.trust.verdict import judged, readings, with_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_ROOT = Path(__file__).parents[1]
_OUTPUT = _ROOT / "src" / "anamnesis" / "trust" / "weights.bin"
_DRAWN = 12  # texts of one line of a grammar
_SEED = 1
_SIZE = 190_000  # places of the table, a byte each
_STEP = 0.012  # of a weight: the largest is 1.05, and a byte goes up to 127 steps
_STRENGTH = 0.1  # of the fit, the less the smoother
_ORDER_COUNTS = 3.0  # times as much as a harmless text
_AUTHOR_COUNTS = 4.0  # times as much as a text that was drawn from a grammar
_FURTHER_COUNTS = 0.2  # times as much, or thousands of pages would outweigh a few hundred notes
_SENTENCES = 3  # one of so many sentences of harmless texts is learned from by itself
_TRIES = 60  # of the fit
_HELD, _SURE, _DOUBTED = 0.0175, 0.0125, 0.06  # of the harmless texts by authors who were left out
_WORTH = -200  # steps: the sum of its words from which on more of a sentence is looked at
_ABOUT_POISON = ("0097", "0140", "0200", "SECURITY")  # pages that quote it
_LONGEST = 20_000  # characters of a text
_HIDDEN = 1_000_000  # the sum of a text that hides letters
AUTHORS = "abcdefhikl"  # g is left for checking
FURTHER = "further"  # harmless texts that are not in this repository


class Text(NamedTuple):
    """A text, whether it is an order, and of which family."""

    said: str
    family: str
    order: bool


def drawn(path: Path) -> Iterator[Text]:
    """Texts of the grammars in a file."""
    slots: dict[str, list[str]] = {}
    chance = random.Random(_SEED)
    family, order = "", False
    for line in filter(None, path.read_text("utf-8").splitlines()):
        mark, _, rest = line.partition(" ")
        if mark == "=":
            name, _, said = rest.partition(" ")
            slots[name] = said.split(" | ")
        elif mark in "+-" and " " not in rest:
            family, order = rest, mark == "+"
        else:
            for said in sorted({_expanded(line, slots, chance) for _ in range(_DRAWN)}):
                yield Text(said, family, order)


def _expanded(line: str, slots: dict[str, list[str]], chance: random.Random) -> str:
    line = re.sub(
        r"\{([A-Z]+)\}",
        lambda found: _expanded(chance.choice(slots[found[1]]), slots, chance),
        line,
    )
    while found := re.search(r"\(([^()]*\|[^()]*)\)", line):
        line = line[: found.start()] + chance.choice(found[1].split("|")) + line[found.end() :]
    return line


def written() -> Iterator[Text]:
    """The corpora of the tests and the pages of the documentation."""
    corpus = _ROOT / "tests" / "corpus"
    sys.path.insert(0, str(corpus.parent))
    from corpus.poison import HARMLESS, POISON
    from corpus.rounds import by_author

    for author in AUTHORS:
        for kind in ("poison", "harmless"):
            yield from (Text(said, author, kind == "poison") for said in by_author(author, kind))
    apart = (corpus / "poison_apart.txt").read_text("utf-8").strip().split("\n---\n")
    yield from (Text(said, "own", order=True) for said in POISON)
    yield from (Text(said, "apart", order=True) for said in apart)
    notes = json.loads((corpus.parent / "data" / "developer_notes.json").read_text("utf-8"))[
        "notes"
    ]
    harmless = [*HARMLESS, *(f"{note['title']}\n\n{note['body']}" for note in notes)]
    for name in ("harmless_apart.txt", "voices_harmless.txt"):
        harmless += (corpus / name).read_text("utf-8").splitlines()
    for page in sorted([*_ROOT.glob("docs/**/*.md"), *_ROOT.glob("*.md")]):
        if not any(mark in page.name for mark in _ABOUT_POISON):
            harmless += page.read_text("utf-8").split("\n\n")
    yield from (Text(said, "harmless", order=False) for said in harmless if said.strip())


@cache
def _alone(word: str) -> list[int]:
    return [place(name, _SIZE) for name in within(word)]


def _together(words: list[str]) -> Iterator[int]:
    meant = meanings(words)
    names = [f"F {each}" for letter in meant[:1] for each in concepts()[letter]]
    names += between(words)
    for pair in near(meant):
        first, second = (concepts()[letter] for letter in pair)
        names += (f"P {one} {other}" for one in first for other in second)
    return (place(name, _SIZE) for name in names)


def has_signs(text: str) -> bool:
    """Whether the signs in a text are those of an order."""
    return any(judged(each, points) is not None for each, points in with_points(readings(text)))


class Table:
    """The names in some texts: a row for each sentence, apart for words alone and together."""

    def __init__(self, texts: Sequence[str]) -> None:
        owner, reading, alone, together = [], [], _Rows(), _Rows()
        for at, text in enumerate(texts):
            for number, found in enumerate(readings(text[:_LONGEST])):
                for words in sentences(found.view):
                    owner.append(at)
                    reading.append((at, number))
                    alone.add(each for word in set(words) for each in _alone(word))
                    together.add(_together(words))
        self.text = np.array(owner)
        _, self.reading = np.unique(np.array(reading), axis=0, return_inverse=True)
        self.alone, self.together = alone.matrix(), together.matrix()
        self.rows = (self.alone + self.together).tocsr()
        self.count = len(texts)
        ones = np.ones(len(owner), np.float32)
        shape = (self.count, len(owner))
        self.whole = sparse.csr_matrix((ones, (self.text, np.arange(len(owner)))), shape)
        self.whole = (self.whole @ self.rows).tocsr()
        self.whole.data = np.minimum(self.whole.data, 2)  # a long text says a word more often

    def sums(self, weight: Any) -> Any:
        """The largest sum of each text, over sentences in a row, as `verdict` has it."""
        each = self.alone @ weight
        each += (self.together @ weight) * (each >= _WORTH)
        best = np.full(self.count, -np.inf)
        for length in range(3):
            first = np.arange(max(0, len(each) - length))
            first = first[self.reading[first] == self.reading[first + length]]
            total = sum(each[first + more] for more in range(length + 1))
            np.maximum.at(best, self.text[first], total)
        return best


class _Rows:
    """Rows of places, put together as they are found."""

    def __init__(self) -> None:
        self._places: list[int] = []
        self._ends = [0]

    def add(self, places: Iterable[int]) -> None:
        self._places.extend(places)
        self._ends.append(len(self._places))

    def matrix(self) -> Any:
        ones = np.ones(len(self._places), np.float32)
        shape = (len(self._ends) - 1, _SIZE)
        found = sparse.csr_matrix((ones, self._places, self._ends), shape)
        found.sum_duplicates()
        return found


class Lesson:
    """What is learned from."""

    def __init__(self, texts: list[Text]) -> None:
        self.family = np.array([text.family for text in texts])
        self.order = np.array([text.order for text in texts])
        self.signs = np.array([has_signs(text.said[:_LONGEST]) for text in texts])
        self.hidden = np.array([bool(views.hidden(text.said)) for text in texts])
        self.table = Table([text.said for text in texts])
        chance = np.random.default_rng(_SEED)
        self._alone = chance.random(len(self.table.text)) < 1 / _SENTENCES

    def weights(self, left_out: str = "") -> Any:
        """The weights without the texts of an author, as whole steps."""
        used = self.family != left_out
        honest = used & ~self.order
        rows = sparse.vstack(
            [
                self.table.whole[used & self.order],
                self.table.whole[honest],
                self.table.rows[honest[self.table.text] & self._alone],
            ]
        ).tocsr()
        orders = int((used & self.order).sum())
        kind = np.where(np.arange(rows.shape[0]) < orders, 1.0, -1.0)
        alone = self.table.text[honest[self.table.text] & self._alone]
        counts = np.concatenate([self._counts(each) for each in (used & self.order, honest, alone)])
        return np.round(_fitted(rows, kind, counts) / _STEP).clip(-127, 127)

    def _counts(self, which: Any) -> Any:
        """How much each of some texts counts."""
        family = self.family[which]
        by_author = np.where(np.isin(family, list(AUTHORS)), _AUTHOR_COUNTS, 1.0)
        return np.where(family == FURTHER, _FURTHER_COUNTS, by_author) * np.where(
            self.order[which], _ORDER_COUNTS, 1.0
        )


def _fitted(rows: Any, kind: Any, counts: Any) -> Any:
    """The weights of a logistic regression."""
    rows = rows.astype(np.float64)  # or each product would copy it
    columns = rows.T.tocsr()

    def loss(point: Any) -> tuple[float, Any]:
        weight = point[:-1]
        right = kind * (rows @ weight + point[-1])
        slope = -kind * counts / (1 + np.exp(np.clip(right, -30, 30)))
        total = (np.logaddexp(0, -right) * counts).sum() + weight @ weight / 2 / _STRENGTH
        return total, np.r_[columns @ slope + weight / _STRENGTH, slope.sum()]

    start = np.zeros(rows.shape[1] + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _TRIES})
    return found.x[:-1]


class Limits(NamedTuple):
    """Sums: above which a text is held or doubted, and up to which they outweigh its signs."""

    enough: int
    wary: int
    sure: int  # instead of `enough`, for what you or a session wrote
    worth: int
    honest: int
    honest_if_sure: int


def limits(lesson: Lesson, sums: Any, learned: Any) -> Limits:
    """The limits for texts of authors of whom nothing was learned.

    `learned` are the sums by all weights: none may outweigh the signs of our own corpus.
    """
    most = learned[(lesson.family == "own") & lesson.order & lesson.signs].min() - 1
    enough, honest = _least_missed(lesson, sums, most, _HELD)
    sure, honest_if_sure = _least_missed(lesson, sums, most, _SURE)
    fine = np.isin(lesson.family, list(AUTHORS)) & ~lesson.order
    wary = int(np.quantile(sums[fine], 1 - _DOUBTED))
    return Limits(enough, min(wary, enough - 1), sure, _WORTH, honest, honest_if_sure)


def _least_missed(lesson: Lesson, sums: Any, most: float, share: float) -> tuple[int, int]:
    """The two limits that hold a share of the harmless texts and miss the fewest orders."""
    known = np.isin(lesson.family, list(AUTHORS))
    fine, orders = known & ~lesson.order, known & lesson.order
    tried = []
    steps = np.quantile(sums[orders & lesson.signs], np.arange(0, 0.6, 0.01))
    for honest in np.unique(np.minimum(steps, most).astype(int)):
        by_signs = lesson.signs & (sums > honest)
        enough = int(np.quantile(np.where(by_signs, _HIDDEN, sums)[fine], 1 - share))
        missed = (~by_signs & (sums <= enough))[orders].mean()
        tried.append((missed, enough, int(honest)))
    return min(tried)[1:]


def across_authors(lesson: Lesson) -> Any:
    """The sums of each author's texts by weights that were learned from the others."""
    sums = np.zeros(lesson.table.count)
    for author in AUTHORS:
        its = lesson.family == author
        sums[its] = lesson.table.sums(lesson.weights(author))[its]
    return np.where(lesson.hidden, _HIDDEN, sums)


def main(arguments: list[str]) -> None:
    files = [Path(each) for each in arguments if not each.startswith("-")]
    further = [text for file in files for text in json.loads(file.read_text("utf-8"))]
    texts = [*drawn(_ROOT / "benchmarks" / "data" / "orders.txt"), *written()]
    lesson = Lesson([*texts, *(Text(said, FURTHER, order=False) for said in further)])
    sums = across_authors(lesson)
    weight = lesson.weights()
    found = limits(lesson, sums, lesson.table.sums(weight))
    _print(lesson, sums, found)
    if "--authors" not in arguments:
        first = " ".join(map(str, found)).encode()
        _OUTPUT.write_bytes(first + b"\n" + weight.astype(np.int8).tobytes())


def _print(lesson: Lesson, sums: Any, found: Limits) -> None:
    print(found)
    for author in AUTHORS:
        its = lesson.family == author
        for name, limit, honest in (
            ("others", found.enough, found.honest),
            ("sure", found.sure, found.honest_if_sure),
        ):
            held = (sums > limit) | (lesson.signs & (sums > honest))
            missed = 100 * (~held[its & lesson.order]).mean()
            wrongly = 100 * held[its & ~lesson.order].mean()
            print(f"{author} {name:6} missed {missed:5.1f} %  held {wrongly:4.1f} %", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
