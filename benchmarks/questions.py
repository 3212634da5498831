"""Questions to archived sessions: what `sessions search` answers in the first 2,000 characters.

    python -m benchmarks.questions [FOLDER [GOLD]]

Labelled sessions are read as in `benchmarks.memory`. Each labelled fact has a question in the
words of somebody who half remembers; it is put to all sessions of the folder. What is printed is
the share of the facts, by importance, whose answer stands

room    in the first 2,000 characters of the first five passages
each    in the first 2,000 characters of any of them
five    anywhere in them
thirty  anywhere in the first thirty: what a better order could still show
said    anywhere in what the archive lets a search find
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from anamnesis.archive import database, files
from anamnesis.archive.ask import Passage, SessionFilter
from anamnesis.config import Home
from anamnesis.operations.sessions.archive import search_sessions
from benchmarks.memory import Labelled, by_capture, public_folder, public_sessions

_ROOM = 2_000  # characters
_FIRST, _MANY = 5, 30


def says(text: str, patterns: Iterable[str]) -> bool:
    """Whether a text has an answer, whatever its white space."""
    folded = re.sub(r"\s+", " ", text)
    return any(re.search(pattern, folded, re.IGNORECASE) for pattern in patterns)


def score(home: Home, sessions: Sequence[Labelled]) -> tuple[dict[str, float], float]:
    """The shares by name, and the CPU seconds of one question."""
    had: dict[str, float] = defaultdict(float)
    everything = "\n".join(
        database.text_of(turn) for file in files.listed(home) for turn in files.turns_in(file.path)
    )
    total = spent = 0.0
    asked = 0
    for fact in (fact for each in sessions for fact in each.gold.get("facts", ())):
        weight = float(fact.get("importance", 1))
        start = time.process_time()
        first = search_sessions(home, fact["question"], SessionFilter(), limit=_FIRST)
        spent, asked, total = spent + time.process_time() - start, asked + 1, total + weight
        many = search_sessions(home, fact["question"], SessionFilter(), limit=_MANY)
        for name, text in _shown(first, many, everything):
            had[name] += weight * says(text, fact["answer"])
    return {name: value / total for name, value in had.items()}, spent / max(asked, 1)


def _shown(
    first: Sequence[Passage], many: Sequence[Passage], everything: str
) -> list[tuple[str, str]]:
    return [
        ("room", "\n".join(each.text for each in first)[:_ROOM]),
        ("each", "\n\n".join(each.text[:_ROOM] for each in first)),
        ("five", "\n\n".join(each.text for each in first)),
        ("thirty", "\n\n".join(each.text for each in many)),
        ("said", everything),
    ]


def main(folder: Path, gold: Path | None) -> None:
    """Print the shares."""
    with tempfile.TemporaryDirectory() as place:
        home = Home(Path(place) / "store")
        into = Path(place) / "in"
        into.mkdir()
        sessions = public_sessions(folder, into, gold=gold)
        for session in sessions:
            by_capture(Path(home), session)
        shares, seconds = score(home, sessions)
    print("  ".join(f"{name} {share:.3f}" for name, share in shares.items()), end="  ")
    print(f"CPU of a question {1000 * seconds:.0f} ms")


if __name__ == "__main__":
    given: list[Any] = [Path(each) for each in sys.argv[1:3]]
    main(*(*given, None, None)[:2]) if given else main(public_folder(), None)
