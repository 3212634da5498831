"""Seeded stores of realistic notes: 1 to 2 KB of words that are as unequal as real ones."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path

from anamnesis.notes.fields import TYPES, Memory
from anamnesis.notes.frontmatter import serialize

# 200k takes a quarter of an hour more: `make bench LARGE=1`
SIZES = (1_000, 10_000, 50_000, *((200_000,) if os.environ.get("LARGE") else ()))
PROJECTS = [f"github.com/team/project-{number}" for number in range(20)]
COMMON = """
the to of and a in is it for on with that this be as are was we not use when from by or an at if
have can will should which has but all file run code test error add set need new
""".split()  # noqa: SIM905  a list of words reads best as words
SYLLABLES = """
ca de fi go hu ja ke li mo nu pa qui re so tu va wo xe yo za bra cle dro flu gri ple sta tri
""".split()  # noqa: SIM905
QUESTION = "how do we {0} the {1} of the {2} when the {3} does not {4} in the {5}"


def vocabulary(size: int = 20_000) -> list[str]:
    """Invented words, the same in every run."""
    chance = random.Random(1)
    made = dict.fromkeys(COMMON)
    while len(made) < size:
        made["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))] = None
    return list(made)


def notes(count: int) -> Iterator[Memory]:
    """So many notes, the same in every run."""
    chance = random.Random(2)
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    for number in range(count):
        body = " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(150, 300)))
        day = f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}"
        yield Memory(
            id=f"01J{number:023}",
            type=TYPES[number % 3],
            title=" ".join(chance.choices(words, cum_weights=weights, k=6)),
            body=body,
            project="global" if number % 500 == 0 else PROJECTS[number % 20],
            machine_id=f"machine-{number % 3}",
            tags=chance.sample(words[100:400], k=2),
            created_at=f"{day}T10:00:00+00:00",
            updated_at=f"{day}T10:00:00+00:00",
        )


def questions(count: int) -> list[str]:
    """Natural-language questions of 8 to 15 words: mostly common ones, a few that matter."""
    chance = random.Random(3)
    words = vocabulary()
    return [QUESTION.format(*chance.choices(words[60:6000], k=6)) for _ in range(count)]


def write_files(root: Path, count: int) -> None:
    """The notes as files, without the durability that a person's notes get."""
    for type in TYPES:
        (root / "memory" / type).mkdir(parents=True, exist_ok=True)
    for note in notes(count):
        (root / "memory" / note.type / f"{note.id}.md").write_text(serialize(note))
