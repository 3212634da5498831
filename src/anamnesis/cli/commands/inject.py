"""Print the notes that a session in this project starts with: a hook for SessionStart, or by hand.

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
  anamnesis inject                      # what a session started here would get
  anamnesis inject --explain            # how each note is shown, and why
  anamnesis inject --project my-project --k 12
  anamnesis inject --format gemini < payload.json
"""
_SWEEP_SECONDS = 600.0
OPTIONS = {
    "--project": hooks.Option(
        "the project; default: that of the payload's directory", metavar="KEY"
    ),
    "--k": hooks.Option("at most K notes of the project; default: whatever fits", metavar="K"),
    "--format": hooks.Option(
        "claude, codex, gemini, copilot or text; default: claude",
        metavar="CLIENT",
        default="claude",
    ),
    "--max-chars": hooks.Option("at most UNITS UTF-16 units; default: 9500", metavar="UNITS"),
    "--explain": hooks.Option("print the plan instead of the notes", is_flag=True),
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
        explain=options.flag("--explain"),
    )


def run(args: Namespace) -> int:
    """Print the working set, with options that argparse has parsed."""
    limit, k = getattr(args, "max_chars", None), getattr(args, "k", None)
    return _inject(
        project=getattr(args, "project", None),
        k=None if k is None else int(k),
        format=getattr(args, "format", None),
        limit=int(limit) if limit else None,
        explain=getattr(args, "explain", False),
    )


def _inject(
    *,
    project: str | None,
    k: int | None,
    format: str | None,
    limit: int | None,
    explain: bool,
) -> int:
    def work() -> str:
        from anamnesis.operations.sessions.inject import explain_start, inject

        hook, key = payload.read(), hooks.project_named(project)
        if explain:
            return explain_start(home_directory(), hook, project=key, k=k, limit=limit)
        text = inject(
            home_directory(),
            hook,
            project=key,
            k=k,
            format=format or "claude",
            limit=limit,
        )
        if hook.event == "SessionStart" and os.environ.get("ANAMNESIS_SWEEP") != "0":
            hooks.guarded("inject", _sweep_now_and_then)
        return text

    return hooks.guarded("inject", work, area="inject")


def _sweep_now_and_then() -> str:
    """Capture sessions that were killed, in the background."""
    from anamnesis.hooks import background

    background.start_now_and_then(home_directory(), ["capture", "--sweep"], every=_SWEEP_SECONDS)
    return ""
