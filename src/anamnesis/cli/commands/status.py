"""Show what the store holds, where it is, and which files need a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anamnesis.cli import arguments, machines, output
from anamnesis.ground.counting import counted
from anamnesis.operations.care.status import full_report
from anamnesis.operations.travel.sync import sync_lines
from anamnesis.sync.machine import backend_of_this_machine

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

_PROJECTS_SHOWN = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)
    parser.add_argument("--fleet", action="store_true", help="the machines that share the notes")
    parser.add_argument("--forget", metavar="MACHINE", help="take a machine off that list")


def run(args: Namespace) -> int:
    """Print the report."""
    if args.fleet or args.forget:
        return machines.show(forget=args.forget, as_json=args.json)
    with arguments.open_store() as store:
        store.refresh()
        report = full_report(store, backend_of_this_machine())
    if args.json:
        output.say_json(report)
    else:
        _print(report)
    return 0


def _print(report: dict[str, Any]) -> None:
    output.say(f"store      {report['root']}  (machine {report['machine_id']})")
    output.say(f"notes      {report['total']}  ({report['superseded']} superseded)")
    for name in ("type", "scope", "project"):
        if report[f"by_{name}"]:
            output.say(f"{'by ' + name:<10} {_counted(report[f'by_{name}'])}")
    for line in (*sync_lines(report["sync"]), *_warnings(report)):
        output.say(line)
    problems = report["unreadable"]
    if problems:
        output.say(f"\n{counted(len(problems), 'file needs', 'files need')} a person:")
    for problem in problems:
        output.say(f"  {problem['path']}: {problem['reason']}")


def _counted(counts: dict[str, int]) -> str:
    shown = [f"{key} {number}" for key, number in list(counts.items())[:_PROJECTS_SHOWN]]
    more = f", and {len(counts) - len(shown)} more" if len(counts) > len(shown) else ""
    return f"{', '.join(shown)}{more}"


def _semantic(report: dict[str, Any]) -> str:
    problem = report["semantic"]["problem"]
    if problem:
        return f"{problem}; notes are found by their words alone"
    return f"{report['semantic']['notes']} of {report['total']} notes can be found by what they say"


def _warnings(report: dict[str, Any]) -> Iterator[str]:
    if report["pending"]:
        yield f"pending    {report['pending']}; look at them with:  anamnesis review"
    if report["degraded"]:
        yield f"index      {report['degraded']}"
    if report["meaning"]:
        yield f"meaning    {report['meaning']}"
    if report["semantic"]["on"]:
        yield f"semantic   {_semantic(report)}"
    if report["paused"]:
        yield f"paused     {report['paused']}; go on with:  anamnesis resume"
    for sentence in report["failing"]:
        yield f"failing    {sentence}"
