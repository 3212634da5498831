"""Measure how well recall answers questions whose answers are known.

build        draft a question for each of a sample of notes
approve      approve drafted questions: all, or those with the given numbers
run          recall@1, 3, 5, 8 and MRR over the approved questions
experiment   reflect on a copy of the store and compare; the store is not changed
import       import questions from a JSON Lines file
history      recall over time, as a plot
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.care import evaluate
from anamnesis.operations.curate import reflect

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.care.evaluate import Case, Measurement
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
    parser.add_argument("verb", choices=_VERBS, help="see above")
    parser.add_argument(
        "item", nargs="*", help="import: a file; approve: numbers, or nothing for all"
    )
    arguments.add_count(parser, "-n", default=20, help="build: how many notes; default: 20")
    parser.add_argument("--seed", type=int, default=0, help="build: choose another sample of notes")
    parser.add_argument(
        "--all", action="store_true", help="include questions that were not approved"
    )
    parser.add_argument("--no-model", action="store_true", help="build, experiment: use no model")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Carry out one action."""
    verbs = {
        "build": _build, "approve": _approve, "run": _run, "experiment": _experiment,
        "import": _import, "history": _history,
    }  # fmt: skip
    with arguments.open_store() as store:
        return verbs[args.verb](store, args)


def _build(store: MemoryStore, args: Namespace) -> int:
    with output.progress("asking") as progress:
        added = evaluate.draft_cases(
            store, number=args.n, seed=args.seed, use_model=not args.no_model, progress=progress
        )
    if args.json:
        output.say_json({"drafted": added})
        return 0
    output.say(f"eval: {counted(added, 'question')} drafted")
    if not added:
        return 0
    output.talk(f"check {store.home.eval_cases}, then:  anamnesis eval approve")
    return 0


def _approve(store: MemoryStore, args: Namespace) -> int:
    approved = evaluate.approve(store.home, args.item)
    if args.json:
        output.say_json({"approved": approved})
        return 0
    output.say(f"eval: {counted(approved, 'question')} approved")
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
    model = None if args.no_model else reflect.configured_model(store.home)
    with output.progress("searching") as progress:
        outcome = evaluate.experiment(store, _cases(store, args), model=model, progress=progress)
    if args.json:
        output.say_json({
            "before": _fields(outcome.before), "after": _fields(outcome.after),
            "added": outcome.added, "problems": list(outcome.problems),
            "regressions": list(outcome.regressions),
        })  # fmt: skip
        return 1 if outcome.regressions else 0
    _print("before", outcome.before)
    _print("after", outcome.after)
    output.say(f"{outcome.added} notes would be added")
    for problem in outcome.problems:
        output.say(f"problem     {problem}")
    for query in outcome.regressions:
        output.say(f"regression  {query}")
    return 1 if outcome.regressions else 0


def _import(store: MemoryStore, args: Namespace) -> int:
    if len(args.item) != 1:
        raise InvalidInput("Give one JSON Lines file.")
    added = evaluate.import_cases(store.home, args.item[0])
    output.say(f"eval: {counted(added, 'question')} added")
    return 0


def _history(store: MemoryStore, args: Namespace) -> int:
    measurements = evaluate.history(store.home)
    if args.json:
        output.say_json(measurements)
        return 0
    for k in evaluate.KS:
        values = [float(each["recall"].get(str(k), 0)) for each in measurements]  # type: ignore[attr-defined]
        bars = "".join(_BARS[round(value * (len(_BARS) - 1))] for value in values[-60:])
        output.say(
            f"recall@{k}  {bars}  {values[-1]:.0%}" if values else f"recall@{k}  no runs yet"
        )
    return 0


def _cases(store: MemoryStore, args: Namespace) -> list[Case]:
    cases = evaluate.approved_cases(store.home, everything=args.all)
    if not cases:
        raise InvalidInput(
            "There are no approved questions.",
            hint="anamnesis eval build, then:  anamnesis eval approve",
        )
    return cases


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
