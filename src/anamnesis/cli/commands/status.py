"""Show what the store holds, where it is, and which files need a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import resolve_machine_id
from anamnesis.index import meaning

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.store import MemoryStore

_PROJECTS_SHOWN = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the report."""
    with arguments.open_store() as store:
        store.refresh()
        report = _report(store)
    if args.json:
        output.say_json(report)
    else:
        _print(report)
    return 0


def _report(store: MemoryStore) -> dict[str, object]:
    problems = [
        {"path": found.path, "reason": found.reason, "indexed": found.indexed}
        for found in store.unreadable()
    ]
    return {
        "root": str(store.root),
        "db_path": str(store.db_path),
        "machine_id": resolve_machine_id(),
        **store.stats(),
        "superseded": len(store.superseded_ids()),
        "degraded": store.degraded,
        "meaning": meaning.problem(),
        "unreadable": problems,
    }


def _print(report: dict[str, object]) -> None:
    output.say(f"store      {report['root']}  (machine {report['machine_id']})")
    output.say(f"notes      {report['total']}  ({report['superseded']} superseded)")
    for name in ("type", "scope", "project"):
        counts = report[f"by_{name}"]
        if isinstance(counts, dict) and counts:
            shown = [f"{key} {number}" for key, number in list(counts.items())[:_PROJECTS_SHOWN]]
            more = f", and {len(counts) - len(shown)} more" if len(counts) > len(shown) else ""
            output.say(f"{'by ' + name:<10} {', '.join(shown)}{more}")
    if report["degraded"]:
        output.say(f"index      {report['degraded']}")
    if report["meaning"]:
        output.say(f"meaning    {report['meaning']}")
    problems = report["unreadable"]
    if isinstance(problems, list) and problems:
        output.say(f"\n{len(problems)} files need a person:")
        for problem in problems:
            output.say(f"  {problem['path']}: {problem['reason']}")
