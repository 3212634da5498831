"""Exchange notes with your other machines.

Commits what changed here, takes over what changed elsewhere and sends the result. Offline is
fine: everything is committed locally and goes out with the next sync. A note that was edited on
two machines is held until you choose; all others are synced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import output
from anamnesis.ground.errors import EXIT_CONFLICT, EXIT_FAILED
from anamnesis.hooks import background
from anamnesis.operations.travel.sync import exchange
from anamnesis.sync.git import NETWORK_SECONDS
from anamnesis.sync.machine import backend_of_this_machine

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.travel.sync import Synchronised

EXAMPLES = """\
examples:
  anamnesis sync
  anamnesis sync --detach          return at once; the outcome is in `anamnesis status`
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--detach", action="store_true", help="sync in the background")
    parser.add_argument("--json", action="store_true", help="print JSON for a program")
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        default=NETWORK_SECONDS,
        help="how long one exchange with the remote may take (30)",
    )
    parser.add_argument(
        "--accept-deletions",
        action="store_true",
        help="delete all notes everywhere if all were deleted here, or the other way round",
    )


def run(args: Namespace) -> int:
    """Sync, print the outcome, tell by the exit code whether a person is needed."""
    if args.detach:
        deletions = ["--accept-deletions"] if args.accept_deletions else []
        background.start(["sync", f"--timeout={args.timeout}", *deletions])
        output.talk("sync: started in the background; see:  anamnesis status")
        return 0
    backend = backend_of_this_machine(seconds=args.timeout)
    done = exchange(backend, accept_deletions=args.accept_deletions)
    if done.recovered:
        output.talk(f"sync: {done.recovered}")
    if args.json:
        output.say_json(_as_json(done))
    else:
        _print(done)
    if done.result.conflicted:
        return EXIT_CONFLICT
    return EXIT_FAILED if done.result.error else 0


def _as_json(done: Synchronised) -> dict[str, object]:
    result = done.result
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": done.indexed,
        "detail": result.detail,
        "conflicts": list(result.conflicts),
        "changed": list(result.changed),
        "held_back": list(result.held_back),
        "offline": result.offline,
        "error": result.error,
        "hint": result.hint,
    }


def _print(done: Synchronised) -> None:
    result = done.result
    output.say(
        f"sync: pushed={result.pushed} pulled={result.pulled} conflicted={result.conflicted} "
        f"head={result.head or '-'} indexed={done.indexed} ({result.detail})"
    )
    for line in result.held_back:
        output.talk(f"sync: not sent: {line}")
    if result.hint:
        output.talk(result.hint)
    if result.conflicts:
        output.talk("your version is kept; everything else was synced")
        for conflict_id in result.conflicts:
            output.talk(f"compare and choose:  anamnesis conflicts show {conflict_id}")
