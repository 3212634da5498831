"""Exchange notes with your other machines.

Commits what changed here, merges what changed elsewhere and pushes the result. Offline is fine:
everything is committed locally and sent with the next sync. A note that was edited on two machines
is held until you choose; all others are synced.

`indexed`, with --json and in logs, is how many notes the index holds afterwards, as in the answer
of memory_sync.
"""

from __future__ import annotations

import sys

from anamnesis.cli import output
from anamnesis.ground.errors import EXIT_CONFLICT, EXIT_FAILED
from anamnesis.hooks import background
from anamnesis.operations.travel.sync import NETWORK_SECONDS, sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from anamnesis.operations.travel.sync import SyncOutcome

EXAMPLES = """\
examples:
  anamnesis sync
  anamnesis sync --detach          # return at once; the outcome is in `anamnesis status`
"""
_CONFLICTS_NAMED = 5


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--detach", action="store_true", help="sync in the background")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="print every figure on one line, as in hooks and logs",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        default=NETWORK_SECONDS,
        help="time limit for each exchange with the remote; default: 30",
    )
    parser.add_argument(
        "--accept-deletions",
        action="store_true",
        help="delete notes everywhere even if most disappeared at once, here or on the remote",
    )


def run(args: Namespace) -> int:
    """Sync, print the outcome, and exit with 3 if a conflict needs you."""
    if args.detach:
        deletions = ["--accept-deletions"] if args.accept_deletions else []
        background.start(["sync", f"--timeout={args.timeout}", *deletions])
        output.talk("sync: started in the background; see:  anamnesis status")
        return 0
    with output.waiting("Syncing"):
        done = sync(seconds=args.timeout, accept_deletions=args.accept_deletions)
    return _report(done, as_json=args.json, verbose=args.verbose)


def run_plain() -> int:
    """Sync without options, as a session start does: needs no parser, which costs 8 ms."""
    with output.waiting("Syncing"):
        done = sync()
    return _report(done)


def _report(done: SyncOutcome, *, as_json: bool = False, verbose: bool = False) -> int:
    if done.recovered:
        output.talk(f"sync: {done.recovered}")
    if as_json:
        output.say_json(done.as_dict())
    elif verbose or not _is_terminal():
        _print_record(done)
    else:
        _print(done)
    if done.result.conflicted:
        return EXIT_CONFLICT
    return EXIT_FAILED if done.result.error else 0


def _print(done: SyncOutcome) -> None:
    """Print how many notes were sent and received, and what needs you."""
    from anamnesis.cli import tables
    from anamnesis.ground.counting import counted

    result = done.result
    counts = f"{result.sent} sent, {result.received} received"
    if result.conflicts:
        counts += f", {counted(len(result.conflicts), 'conflict')}"
    heading, color = "Synced", "green"
    failed = result.error or result.offline or result.busy
    if failed:
        heading, color = "Not synced", "red" if result.error else "yellow"
    elif result.conflicts:
        color = "yellow"
    remark = result.detail.removeprefix("synced").removeprefix("; ")
    if result.conflicts:  # they are listed below
        remark = remark.partition("edited on two machines and held")[0].removesuffix("; ")
    if failed:
        counts = result.detail.removeprefix("offline: ")
    elif remark:
        counts += f" ({remark})"
    output.say(f"{tables.painted(heading, color)}: {counts}")
    _say_what_to_do(done)


def _print_record(done: SyncOutcome) -> None:
    """Print every figure on one line, for logs and programs."""
    result = done.result
    output.say(
        f"sync: pushed={result.pushed} pulled={result.pulled} conflicted={result.conflicted} "
        f"head={result.head or '-'} indexed={done.indexed} ({result.detail})"
    )
    _say_what_to_do(done)


def _say_what_to_do(done: SyncOutcome) -> None:
    result = done.result
    for line in result.held_back:
        output.talk(f"sync: not synced: {line}")
    if result.hint:
        output.talk(result.hint)
    if result.conflicts:
        output.talk("your version is kept; everything else was synced")
        named = result.conflicts[:_CONFLICTS_NAMED]
        for conflict_id in _short(named) if _is_terminal() else named:
            output.talk(f"compare and choose:  anamnesis conflicts show {conflict_id}")
        if len(result.conflicts) > len(named):
            output.talk("see the others with:  anamnesis conflicts")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _short(ids: Sequence[str]) -> list[str]:
    """Ids as short as they can be typed; needs the index, which a sync otherwise may not."""
    from anamnesis.cli import arguments
    from anamnesis.operations.notes.show import short_ids

    with arguments.open_store() as store:
        return list(short_ids(store, ids).values())
