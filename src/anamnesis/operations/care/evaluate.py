"""How well search answers known questions: now, over time, and after a reflection."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anamnesis.eval import Case, build_eval_candidates, joined, load, report, save
from anamnesis.ground import clock
from anamnesis.ground.errors import InvalidInput
from anamnesis.inject.render import render_inject
from anamnesis.inject.select import select_inject
from anamnesis.operations.curate import reflect
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.config import Home
    from anamnesis.ground.counting import Progress
    from anamnesis.llm.models import Model

__all__ = [
    "KS", "Case", "Experiment", "Measurement", "approve", "approved_cases", "draft_cases",
    "experiment", "history", "import_cases", "measure", "remember",
]  # fmt: skip

KS = (1, 3, 5, 8)
_CHARACTERS_PER_TOKEN = 4  # rough, for English and code; the trend matters, not the number


@dataclass(frozen=True, slots=True)
class Measurement:
    """Recall over some cases, and the size of a session start."""

    cases: int
    recall: dict[int, float]
    mrr: float
    working_set_tokens: int  # of the largest project
    ranks: list[int] = field(default_factory=list)  # of each case, 0 for not found


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a reflection would do to recall, measured on a copy."""

    before: Measurement
    after: Measurement
    added: int
    problems: tuple[str, ...]
    regressions: tuple[str, ...]  # questions answered before but not after


def measure(store: MemoryStore, cases: Sequence[Case], *, progress: Progress = None) -> Measurement:
    """Ask every question and find the rank of its answer."""
    successors = _successors(store)
    answers = []
    for done, case in enumerate(cases):
        answers.append((_answers(store, case, successors), case.relevant))
        if progress is not None:
            progress(done + 1, len(cases))
    found = report(answers, KS)
    return Measurement(
        cases=found.cases,
        recall=dict(found.recall),
        mrr=found.mrr,
        working_set_tokens=_working_set_tokens(store, cases),
        ranks=[_rank(hits, relevant) for hits, relevant in answers],
    )


def approved_cases(home: Home, *, everything: bool = False) -> list[Case]:
    """The approved cases of a store, or all."""
    return [case for case in load(home.eval_cases) if case.approved or everything]


def draft_cases(
    store: MemoryStore, *, number: int, seed: int, use_model: bool, progress: Progress = None
) -> int:
    """Draft a question for each of a sample of notes; returns how many are new."""
    model = reflect.configured_model(store.home) if use_model else None
    drafts = build_eval_candidates(store, model=model, n=number, seed=seed, progress=progress)
    return _add(store.home, drafts)


def import_cases(home: Home, path: str) -> int:
    """Add the cases of a file; returns how many are new. Raises InvalidInput."""
    return _add(home, load(path))


def approve(home: Home, numbers: Sequence[str]) -> int:
    """Approve the cases with these numbers, or all; returns how many. Raises InvalidInput."""
    known = load(home.eval_cases)
    if not all(number.isdigit() and 0 < int(number) <= len(known) for number in numbers):
        raise InvalidInput(f"Give numbers from 1 to {len(known)}, or none for all.")
    chosen = {int(number) - 1 for number in numbers} or set(range(len(known)))
    cases = (replace(case, approved=case.approved or at in chosen) for at, case in enumerate(known))
    save(home.eval_cases, cases)
    return len(chosen)


def _add(home: Home, more: Sequence[Case]) -> int:
    known = load(home.eval_cases)
    cases = joined(known, more)
    save(home.eval_cases, cases)
    return len(cases) - len(known)


def experiment(
    store: MemoryStore,
    cases: Sequence[Case],
    *,
    model: Model | None,
    least: int | None = None,
    progress: Progress = None,
) -> Experiment:
    """Reflect on a copy of the store and compare; the store itself is only read."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-") as sandbox:
        for tree in ("memory", "local"):
            skipped = shutil.ignore_patterns(".git")
            shutil.copytree(store.root / tree, os.path.join(sandbox, tree), ignore=skipped)
        with MemoryStore(sandbox) as copy:
            before = measure(copy, cases, progress=progress)
            found = reflect.propose(copy, least=least, model=model)
            reflect.apply(copy, found)
            after = measure(copy, cases, progress=progress)
    answered = zip(cases, before.ranks, after.ranks, strict=True)
    return Experiment(
        before,
        after,
        added=sum(len(each.added) for each in found),
        problems=tuple(f"{each.project}: {each.problem}" for each in found if each.problem),
        regressions=tuple(case.query for case, was, now in answered if was and not now),
    )


def remember(home: Home, measured: Measurement) -> None:
    """Add a measurement to the history that the plot shows."""
    line = json.dumps({
        "at": clock.utcnow(), "cases": measured.cases, "mrr": round(measured.mrr, 4),
        "recall": {str(k): round(value, 4) for k, value in measured.recall.items()},
        "working_set_tokens": measured.working_set_tokens,
    })  # fmt: skip
    with open(home.eval_history, "a", encoding="utf-8") as stream:
        stream.write(line + "\n")


def history(home: Home) -> list[dict[str, object]]:
    """The measurements so far, oldest first; broken lines are skipped."""
    try:
        with open(home.eval_history, encoding="utf-8") as stream:
            lines = stream.readlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("recall"), dict):
            found.append(entry)
    return found


def _answers(store: MemoryStore, case: Case, successors: dict[str, set[str]]) -> list[str]:
    """The hits, best first; a note that replaced a relevant one counts as that one."""
    stands_for: dict[str, str] = {}
    for relevant in reversed(case.relevant):
        waiting = [relevant]
        while waiting:
            id = waiting.pop()
            if stands_for.get(id) != relevant:
                stands_for[id] = relevant
                waiting += successors.get(id, ())
    hits = store.search(case.query, project=case.project or None, k=max(KS))
    return [stands_for.get(hit.id, hit.id) for hit in hits]


def _rank(hits: Sequence[str], relevant: Sequence[str]) -> int:
    return next((place for place, hit in enumerate(hits, 1) if hit in relevant), 0)


def _successors(store: MemoryStore) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for note in store.headers():
        for old in note.supersedes_ids:
            found.setdefault(old, set()).add(note.id)
    return found


def _working_set_tokens(store: MemoryStore, cases: Sequence[Case]) -> int:
    projects = {case.project for case in cases if case.project} or {"global"}
    sizes = (len(render_inject(select_inject(store, project=name))) for name in projects)
    return max(sizes) // _CHARACTERS_PER_TOKEN
