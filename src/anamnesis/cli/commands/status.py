"""Show what the store holds, the state of sync, and anything that needs you."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anamnesis.cli import arguments, output, tables
from anamnesis.config import resolve_machine_id
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.care.status import full_report
from anamnesis.operations.travel import fleet
from anamnesis.project import short_names

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence

    from anamnesis.config import Home

EXAMPLES = """\
examples:
  anamnesis status
  anamnesis status --fleet                    # your machines, and when each last synced
  anamnesis status --fleet --forget old-box   # no longer list a machine
"""
_PROJECTS_SHOWN = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)
    parser.add_argument(
        "--fleet", action="store_true", help="list the machines that share the notes"
    )
    parser.add_argument("--forget", metavar="MACHINE", help="remove a machine from that list")


def run(args: Namespace) -> int:
    """Print the report; raises NotSetUp where there is no store."""
    home = arguments.existing_home()
    if args.fleet or args.forget:
        return _fleet(home, forget=args.forget, as_json=args.json)
    with arguments.store_to_read() as store:
        report = full_report(store)
        held = tables.shown_ids(store, held_notes(report))
    if args.json:
        output.say_json(report)
    else:
        _print(report, list(held.values()))
    return 0


def held_notes(report: Mapping[str, Any]) -> list[str]:
    """The ids of the notes with a conflict."""
    return list(report["sync"]["held"])


def _print(report: dict[str, Any], held: Sequence[str]) -> None:
    output.say(f"store      {report['root']}  (machine {report['machine_id']})")
    output.say(f"notes      {report['total']}  ({report['superseded']} superseded)")
    for name in ("type", "scope", "project"):
        if report[f"by_{name}"]:
            _say_row(f"by {name}", _counted(report[f"by_{name}"]))
    for heading, text in _sync_rows(report["sync"], held):
        _say_row(heading, text)
    if report["semantic"]["on"] and not report["semantic"]["problem"]:
        known = f"{report['semantic']['notes']} of {report['total']} notes"
        output.say(f"semantic   {known} can be found by meaning")
    if kept := report["archive"]["sessions"]:
        size = report["archive"]["bytes"] / 1_000_000
        output.say(f"archive    {counted(kept, 'session')} word for word, {size:.1f} MB")
    if report["findings"]:
        output.say("")
    output.say_findings(report["findings"], within="anamnesis status")
    unreadable = [f"{file['path']}: {file['reason']}" for file in report["unreadable"]]
    _list("Files that cannot be read:", unreadable)
    held_back = report["sync"]["held_back"]
    _list("Files that are not synced:", held_back if len(held_back) > 1 else ())


def _say_row(heading: str, text: str) -> None:
    first, *rest = tables.wrapped(text, indent=11)
    output.say(f"{heading:<10} {first}")
    for line in rest:
        output.say(f"{'':<10} {line}")


def _counted(counts: dict[str, int]) -> str:
    names = short_names(counts) if tables.is_terminal() else {key: key for key in counts}
    shown = [f"{names[key]} {number}" for key, number in list(counts.items())[:_PROJECTS_SHOWN]]
    more = f", and {len(counts) - len(shown)} more" if len(counts) > len(shown) else ""
    return f"{', '.join(shown)}{more}"


def _sync_rows(sync: dict[str, Any], held: Sequence[str]) -> list[tuple[str, str]]:
    if not sync["initialized"]:
        return [("sync", sync["detail"])]
    if not sync["remote"]:
        unsaved = "; the latest changes are not in the history yet" if sync["dirty"] else ""
        return [("sync", f"no remote; notes stay on this machine{unsaved}")]
    where = sync["remote"] + (" (sealed)" if sync["sealed"] else "")
    waiting = "uncommitted changes, " if sync["dirty"] else ""
    last = tables.moment(sync["last_success"]) if sync["last_success"] else "never"
    return [
        ("sync", f"{where}: {waiting}{sync['ahead']} to send, {sync['behind']} to receive"),
        ("last sync", last),
        *([("held", ", ".join(held))] if held else []),
    ]


def _list(heading: str, lines: Sequence[str]) -> None:
    if lines:
        output.say(f"\n{heading}")
    for line in lines:
        output.say(f"  {line}")


def _fleet(home: Home, *, forget: str | None, as_json: bool) -> int:
    """Print every machine that has reported, after removing one from the list if asked."""
    if forget and not fleet.forget(home, forget):
        raise InvalidInput(f"No machine is called {forget}.", hint="anamnesis status --fleet")
    machines = fleet.machines(home)
    if as_json:
        output.say_json([{name: getattr(each, name) for name in fleet.FIELDS} for each in machines])
        return 0
    if not machines:
        output.talk(arguments.NO_MACHINES)
    for machine in machines:
        output.say(_machine_line(machine))
    return 0


def _machine_line(machine: fleet.Machine) -> str:
    facts = [
        f"{machine.label:<24} anamnesis {machine.version}",
        f"seen {tables.moment(machine.seen)}",
        f"last capture {tables.moment(machine.last_capture) if machine.last_capture else 'never'}",
    ]
    facts += [f"{machine.pending} held"] if machine.pending else []
    facts += [machine.last_error] if machine.last_error else []
    facts += ["this machine"] if machine.machine == resolve_machine_id() else []
    return ", ".join(facts)
