"""Print what a session of this project starts with: a hook for SessionStart, or by hand.

The client's payload is read from standard input. Always exits 0.
"""

from __future__ import annotations

import os

from anamnesis.cli import hooks
from anamnesis.config import home_directory
from anamnesis.hooks import payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

EXAMPLES = """\
examples:
  anamnesis inject                      what a session started here would be given
  anamnesis inject --project my-project --k 12
  anamnesis inject --format gemini < payload.json
"""
_SWEEP_SECONDS = 600.0
OPTIONS = {
    "--project": hooks.Option(
        "the project; default: that of the payload's directory", metavar="KEY"
    ),
    "--k": hooks.Option("at most K notes of the project; default: 8", metavar="K", default="8"),
    "--format": hooks.Option(
        "claude, codex, gemini, copilot or text; default: claude",
        metavar="CLIENT",
        default="claude",
    ),
    "--max-chars": hooks.Option("at most UNITS UTF-16 units; default: 9500", metavar="UNITS"),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    hooks.declare(parser, OPTIONS)


def run_hook(arguments: Sequence[str]) -> int:
    """Print the working set."""
    options = hooks.Options(OPTIONS, arguments)
    return _inject(
        project=options.text("--project"),
        k=options.number("--k"),
        format=options.text("--format"),
        limit=options.number("--max-chars"),
    )


def run(args: Namespace) -> int:
    """Print the working set, the options being parsed already."""
    limit = getattr(args, "max_chars", None)
    return _inject(
        project=getattr(args, "project", None),
        k=int(getattr(args, "k", 8)),
        format=getattr(args, "format", None),
        limit=int(limit) if limit else None,
    )


def _inject(*, project: str | None, k: int | None, format: str | None, limit: int | None) -> int:
    def work() -> str:
        from anamnesis.operations.sessions.inject import inject

        told = payload.read()
        text = inject(
            home_directory(),
            told,
            project=project,
            k=8 if k is None else k,
            format=format or "claude",
            limit=limit,
        )
        if told.event == "SessionStart" and os.environ.get("ANAMNESIS_SWEEP") != "0":
            hooks.guarded("inject", _sweep_now_and_then)
        return text

    return hooks.guarded("inject", work, area="inject")


def _sweep_now_and_then() -> str:
    """Look after sessions that were killed, in the background."""
    from anamnesis.hooks import background

    background.start_now_and_then(home_directory(), ["capture", "--sweep"], every=_SWEEP_SECONDS)
    return ""
