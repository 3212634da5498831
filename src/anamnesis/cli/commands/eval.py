"""Measure how well recall answers questions whose answers are known.

build        draft a question for each of some notes, to be approved
approve      approve drafted questions: all, or those whose number is given
run          recall@1, 3, 5, 8 and MRR over the approved questions
experiment   reflect on a copy of the store and compare; the store is not changed
import       take in questions from a file of JSON lines
history      recall over time, as a plot
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.eval import cases as questions
from anamnesis.eval.build import build_eval_candidates
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.care import evaluate
from anamnesis.operations.curate import reflect

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.care.evaluate import Measurement
    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis eval build -n 50
  anamnesis eval approve 1 2 5
  anamnesis eval run --json
  anamnesis eval experiment
"""
_BARS = " ▁▂▃▄▅▆▇█"
_VERBS = ("build", "approve", "run", "experiment", "import", "history")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("verb", choices=_VERBS, help="what to do, see above")
    parser.add_argument(
        "given", nargs="*", help="import: a file; approve: numbers, or nothing for all"
    )
    arguments.add_count(parser, "-n", default=20, help="build: how many notes; default: 20")
    parser.add_argument("--seed", type=int, default=0, help="build: another sample of notes")
    parser.add_argument("--all", action="store_true", help="also questions that nobody approved")
    parser.add_argument("--no-model", action="store_true", help="build, experiment: use no model")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Do what the verb says."""
    verbs = {
        "build": _build, "approve": _approve, "run": _run, "experiment": _experiment,
        "import": _import, "history": _history,
    }  # fmt: skip
    with arguments.open_store() as store:
        return verbs[args.verb](store, args)


def _build(store: MemoryStore, args: Namespace) -> int:
    model = None if args.no_model else reflect.configured_model()
    with output.progress("asking") as progress:
        found = build_eval_candidates(
            store, model=model, n=args.n, seed=args.seed, progress=progress
        )
    added = _add(store, found)
    output.say(f"eval: {added} questions drafted")
    output.talk(f"look at {questions.path_in(store.home)}, then:  anamnesis eval approve")
    return 0


def _approve(store: MemoryStore, args: Namespace) -> int:
    path = questions.path_in(store.home)
    known = questions.load(path)
    if not all(given.isdigit() and 0 < int(given) <= len(known) for given in args.given):
        raise InvalidInput(f"Give numbers from 1 to {len(known)}, or none for all.")
    chosen = {int(given) - 1 for given in args.given} or set(range(len(known)))
    questions.save(
        path, (replace(case, approved=case.approved or i in chosen) for i, case in enumerate(known))
    )
    output.say(f"eval: {counted(len(chosen), 'question')} approved")
    return 0


def _run(store: MemoryStore, args: Namespace) -> int:
    cases = _cases(store, args)
    with output.progress("searching") as progress:
        measured = evaluate.measure(store, cases, progress=progress)
    evaluate.remember(store.home, measured)
    missed = [case.query for case, rank in zip(cases, measured.ranks, strict=True) if not rank]
    if args.json:
        output.say_json({**_fields(measured), "missed": missed})
        return 0
    _print("", measured)
    for query in missed:
        output.say(f"missed  {query}")
    return 0


def _experiment(store: MemoryStore, args: Namespace) -> int:
    model = None if args.no_model else reflect.configured_model()
    with output.progress("searching") as progress:
        found = evaluate.experiment(store, _cases(store, args), model=model, progress=progress)
    if args.json:
        output.say_json({
            "before": _fields(found.before), "after": _fields(found.after), "added": found.added,
            "problems": list(found.problems), "regressions": list(found.regressions),
        })  # fmt: skip
        return 1 if found.regressions else 0
    _print("before", found.before)
    _print("after", found.after)
    output.say(f"{found.added} notes would be added")
    for problem in found.problems:
        output.say(f"problem     {problem}")
    for query in found.regressions:
        output.say(f"regression  {query}")
    return 1 if found.regressions else 0


def _import(store: MemoryStore, args: Namespace) -> int:
    if len(args.given) != 1:
        raise InvalidInput("Name one file of JSON lines.")
    output.say(f"eval: {counted(_add(store, questions.load(args.given[0])), 'question')} added")
    return 0


def _history(store: MemoryStore, args: Namespace) -> int:
    found = evaluate.history(store.home)
    if args.json:
        output.say_json(found)
        return 0
    for k in evaluate.KS:
        values = [float(each["recall"].get(str(k), 0)) for each in found]  # type: ignore[attr-defined]
        bars = "".join(_BARS[round(value * (len(_BARS) - 1))] for value in values[-60:])
        output.say(
            f"recall@{k}  {bars}  {values[-1]:.0%}" if values else f"recall@{k}  no runs yet"
        )
    return 0


def _cases(store: MemoryStore, args: Namespace) -> list[questions.Case]:
    cases = evaluate.approved_cases(store.home, everything=args.all)
    if not cases:
        raise InvalidInput(
            "There are no approved questions.",
            hint="anamnesis eval build, then:  anamnesis eval approve",
        )
    return cases


def _add(store: MemoryStore, more: list[questions.Case]) -> int:
    path = questions.path_in(store.home)
    known = questions.load(path)
    cases = questions.joined(known, more)
    questions.save(path, cases)
    return len(cases) - len(known)


def _print(when: str, measured: Measurement) -> None:
    shown = "  ".join(f"recall@{k} {value:.0%}" for k, value in measured.recall.items())
    size = f"working set {measured.working_set_tokens} tokens"
    output.say(f"{when:<7} {shown}  MRR {measured.mrr:.3f}  {size}  ({measured.cases} questions)")


def _fields(measured: Measurement) -> dict[str, object]:
    return {
        "cases": measured.cases,
        "recall": {str(k): value for k, value in measured.recall.items()},
        "mrr": measured.mrr,
        "working_set_tokens": measured.working_set_tokens,
    }
