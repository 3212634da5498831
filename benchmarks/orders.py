"""Make the weights with which `trust/verdict.py` tells orders to an agent from developers' notes.

    python -m benchmarks.orders [--families] [HARMLESS.json …]

Learns from `data/orders.txt` (grammars of both kinds, drawn with a fixed seed), from the corpora of
the tests and from this repository's documentation. HARMLESS.json holds a list of further harmless
texts: half of each is learned from, the other half says from which sum on a text is held.
`--families` leaves out one family of orders after the other and prints how many of its texts are
found all the same; without it the weights are written. Needs scikit-learn.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from anamnesis.trust import views
from anamnesis.trust.grammar import PARAGRAPH, letters
from anamnesis.trust.verdict import NEW_PARAGRAPH, bare, meanings, near, neighbours, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROOT = Path(__file__).parents[1]
_OUTPUT = _ROOT / "src" / "anamnesis" / "trust" / "weights.txt"
_DRAWN = 8  # texts of one line of a grammar
_SEED = 1
_LEAST_TEXTS = 3  # that a feature must occur in
_SMALLEST = 8  # hundredths; weights below are left out
_STRENGTH = 0.1  # of the fit, the less the smoother
_HELD = 0.006  # of the harmless texts that nothing was learned from
_DOUBTED = 0.03  # the same, of lines that tools printed
_WORTH = 0  # the sum of its words from which on more of a sentence is looked at
_ABOUT_POISON = ("0097", "0140", "0200", "SECURITY")  # pages that quote it
_FOLDS = 5


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

    apart = (corpus / "poison_apart.txt").read_text("utf-8").strip().split("\n---\n")
    yield from (Text(said, "own", order=True) for said in POISON)
    yield from (
        Text(each, f"apart {at * 9 // len(apart)}", order=True) for at, each in enumerate(apart)
    )
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


def features(text: str) -> Iterator[Counter[str]]:
    """What the weights are given to, sentence by sentence."""
    concepts = letters().concepts()
    view = views.plain(NEW_PARAGRAPH.sub(f" {PARAGRAPH} ", text[:20_000]))
    for words in sentences(view):
        found = Counter(f"W {bare(word)}" for word in set(words))
        found.update(
            f"C {each}"
            for word in set(words)
            for letter in meanings([word])
            for each in concepts[letter]
        )
        meant = meanings(words)
        found.update(f"F {each}" for letter in meant[:1] for each in concepts[letter])
        found.update(f"B {two}" for two in neighbours(words))
        for pair in near(meant):
            first, second = concepts[pair[0]], concepts[pair[1]]
            found.update(f"P {one} {other}" for one in first for other in second)
        yield found


class Table:
    """The features of some texts: a row for each sentence."""

    def __init__(self, texts: Sequence[str], names: dict[str, int] | None = None) -> None:
        rows = [(at, found) for at, text in enumerate(texts) for found in features(text)]
        self.names = names if names is not None else _common(rows)
        self.text = np.array([at for at, _ in rows])
        places = [
            (row, self.names[name], number)
            for row, (_, found) in enumerate(rows)
            for name, number in found.items()
            if name in self.names
        ]
        row, column, number = zip(*places, strict=True)
        self.rows = sparse.csr_matrix((number, (row, column)), (len(rows), len(self.names)), float)
        self.count = len(texts)

    def whole(self) -> Any:
        """A row for each text."""
        ones = np.ones(len(self.text))
        shape = (self.count, len(self.text))
        return sparse.csr_matrix((ones, (self.text, np.arange(len(self.text)))), shape) @ self.rows

    def sums(self, weight: Any) -> Any:
        """The largest sum of each text, over sentences in a row."""
        alone = np.array([name[0] in "WC" for name in self.names])
        each = self.rows @ (weight * alone)
        each += (self.rows @ (weight * ~alone)) * (each >= _WORTH)
        best = np.full(self.count, -np.inf)
        for length in range(3):
            first = np.arange(max(0, len(each) - length))
            first = first[self.text[first] == self.text[first + length]]
            total = sum(each[first + more] for more in range(length + 1))
            np.maximum.at(best, self.text[first], total)
        return best


def _common(rows: list[tuple[int, Counter[str]]]) -> dict[str, int]:
    of_text: dict[int, set[str]] = {}
    for at, found in rows:
        of_text.setdefault(at, set()).update(found)
    times = Counter(name for names in of_text.values() for name in names)
    common = sorted(name for name, number in times.items() if number >= _LEAST_TEXTS)
    return {name: at for at, name in enumerate(common)}


class Lesson:
    """What is learned from, and what the threshold comes from."""

    def __init__(self, texts: list[Text], harmless: list[str]) -> None:
        self.families = np.array([text.family for text in texts])
        self.order = np.array([text.order for text in texts])
        self.learned = Table([*(text.said for text in texts), *harmless[::2]])
        self.kept = Table(harmless[1::2] or harmless, self.learned.names)

    def weights(self, left_out: Sequence[str] = ()) -> tuple[Any, list[float]]:
        """The weights without some families; the sums from which on a text is held, or doubted."""
        orders = np.zeros(self.learned.count, bool)
        orders[: len(self.order)] = self.order
        used = orders.copy()
        used[: len(self.order)] &= ~np.isin(self.families, left_out)
        whole = self.learned.whole()
        rows = sparse.vstack(
            [whole[used], whole[~orders], self.learned.rows[~orders[self.learned.text]]]
        )
        kind = np.r_[np.ones(used.sum()), np.zeros(rows.shape[0] - used.sum())]
        fit = LogisticRegression(C=_STRENGTH, solver="liblinear", class_weight={1: 5, 0: 1})
        weight = np.round(100 * fit.fit(rows.tocsr(), kind).coef_[0])
        weight[abs(weight) < _SMALLEST] = 0
        return weight, list(np.quantile(self.kept.sums(weight), [1 - _HELD, 1 - _DOUBTED]))


def main(arguments: list[str]) -> None:
    files = [Path(each) for each in arguments if not each.startswith("-")]
    harmless = [text for file in files for text in json.loads(file.read_text("utf-8"))]
    lesson = Lesson([*drawn(_ROOT / "benchmarks" / "data" / "orders.txt"), *written()], harmless)
    if "--families" in arguments:
        _leave_out(lesson)
        return
    weight, (enough, wary) = lesson.weights()
    names = {name: int(weight[at]) for name, at in lesson.learned.names.items() if weight[at]}
    limits = {"enough": enough, "wary": wary, "worth": _WORTH}
    lines = [f"{int(limit)} - {name}" for name, limit in limits.items()]
    lines += [f"{number} {name}" for name, number in names.items()]
    _OUTPUT.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(names)} weights, {_OUTPUT.stat().st_size} bytes; held from {int(enough)} on")


def _leave_out(lesson: Lesson) -> None:
    families = list(dict.fromkeys(lesson.families[lesson.order]))
    for fold in range(_FOLDS):
        out = families[fold::_FOLDS]
        weight, (enough, _) = lesson.weights(out)
        found = lesson.learned.sums(weight)[: len(lesson.order)] > enough
        for family in out:
            its = lesson.order & (lesson.families == family)
            print(f"{family:16} {found[its].sum():4} of {its.sum()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
