"""Recall on data that others published, beside plain full-text search: for docs/results.md.

    python -m benchmarks.public [SET ...]

No encoder is used. The sets are those of `benchmarks.recall`; where one is missing, its source is
named, and the form that it has to be brought into stands in `benchmarks.recall`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamnesis.eval import report
from benchmarks import recall

SOURCES = {
    "locomo_session": "snap-research/locomo on GitHub: each session is a note",
    "locomo_turn": "snap-research/locomo on GitHub: each turn is a note",
    "lme_trunc500": "LongMemEval_S (xiaowu0162/LongMemEval on GitHub): of each session what the"
    " user said, first 500 characters",
    "mcpms_devbench": "the developer benchmark in doobidoo/mcp-memory-service on GitHub",
}
METHODS: dict[str, recall.Ask] = {
    "plain FTS5": recall.by_specification,
    "Anamnesis": recall.by_default,
}


def main() -> None:
    """Print a row for each set and method."""
    wanted = sys.argv[1:] or list(SOURCES)
    there = {each["name"]: each for each in recall.sets() if each["name"] in wanted}
    print("| | questions | hit@1 | R@5 | R@10 |\n|---|---|---|---|---|")
    for name in wanted:
        if name not in there:
            print(f"{name} is missing. Its source: {SOURCES[name]}", file=sys.stderr)
            continue
        for method, found in answers(there[name]).items():
            right = sum(bool(hits) and hits[0] in gold for hits, gold in found)
            counted = report(found, (5, 10))
            figures = (right / len(found), counted.recall[5], counted.recall[10])
            shown = " | ".join(f"{figure:.3f}" for figure in figures)
            print(f"| {name}, {method} | {len(found)} | {shown} |", flush=True)


def answers(recall_set: dict[str, Any]) -> dict[str, list[tuple[list[str], Sequence[str]]]]:
    """What each method answers to each question of a set, and what is right."""
    found: dict[str, list[tuple[list[str], Sequence[str]]]] = {name: [] for name in METHODS}
    by_corpus: dict[str, list[dict[str, Any]]] = {}
    for question in recall_set["queries"]:
        by_corpus.setdefault(question["cid"], []).append(question)
    for cid, asked in by_corpus.items():
        with tempfile.TemporaryDirectory() as directory:
            store, names = recall.filled(Path(directory), recall_set["corpora"][cid])
            with store:
                for question in asked:
                    for name, ask in METHODS.items():
                        hits = [names[id] for id in ask(store, question["q"], 10)]
                        found[name].append((hits, question["gold"]))
    return found


if __name__ == "__main__":
    main()
