"""Show what the store holds, how sync stands, and what needs your attention."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from anamnesis.cli import arguments, findings, machines, output
from anamnesis.config import home_directory
from anamnesis.operations.care.status import NotSetUp, full_report
from anamnesis.sync.machine import backend_of_this_machine

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

_PROJECTS_SHOWN = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)
    parser.add_argument("--fleet", action="store_true", help="the machines that share the notes")
    parser.add_argument("--forget", metavar="MACHINE", help="take a machine off that list")


def run(args: Namespace) -> int:
    """Print the report; raises NotSetUp where there is no store."""
    home = home_directory()
    if not os.path.isdir(home):
        raise NotSetUp(home)
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
    for line in _sync_lines(report["sync"]):
        output.say(line)
    if report["semantic"]["on"] and not report["semantic"]["problem"]:
        known = f"{report['semantic']['notes']} of {report['total']} notes"
        output.say(f"semantic   {known} can be found by what they say")
    if report["findings"]:
        output.say("")
    findings.show(report["findings"], within="anamnesis status")
    unreadable = [f"{found['path']}: {found['reason']}" for found in report["unreadable"]]
    _list("Files that cannot be read:", unreadable)
    _list("Files that stay on this machine:", report["sync"]["held_back"])


def _counted(counts: dict[str, int]) -> str:
    shown = [f"{key} {number}" for key, number in list(counts.items())[:_PROJECTS_SHOWN]]
    more = f", and {len(counts) - len(shown)} more" if len(counts) > len(shown) else ""
    return f"{', '.join(shown)}{more}"


def _sync_lines(sync: dict[str, Any]) -> list[str]:
    if not sync["initialized"]:
        return [f"sync       {sync['detail']}"]
    where = sync["remote"] or "this machine only"
    waiting = "uncommitted changes, " if sync["dirty"] else ""
    return [
        f"sync       {where}: {waiting}{sync['ahead']} to send, {sync['behind']} to take over",
        f"last sync  {sync['last_success'] or 'never'}",
        *([f"held       {', '.join(sync['held'])}"] if sync["held"] else []),
    ]


def _list(heading: str, lines: Sequence[str]) -> None:
    if lines:
        output.say(f"\n{heading}")
    for line in lines:
        output.say(f"  {line}")
