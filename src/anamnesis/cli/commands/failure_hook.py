"""Print what helped when a command failed like this before: a hook for PostToolUseFailure.

The client's payload is read from standard input. Always exits 0, and usually prints
nothing.
"""

from __future__ import annotations

from anamnesis.cli import hooks
from anamnesis.config import home_directory
from anamnesis.hooks import payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

EXAMPLES = """\
examples:
  echo '{"error": "KeyError: region", "cwd": "."}' | anamnesis failure-hook --format text
"""
OPTIONS = hooks.moment_options("claude, or text for plain text")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    hooks.declare(parser, OPTIONS)


def run_hook(arguments: Sequence[str]) -> int:
    """Print what helped before."""
    options = hooks.Options(OPTIONS, arguments)
    return _help(project=options.text("--project"), format=options.text("--format"))


def run(args: Namespace) -> int:
    """Print what helped before, with options that argparse has parsed."""
    return _help(project=args.project, format=args.format)


def _help(*, project: str | None, format: str | None) -> int:
    def work() -> str:
        from anamnesis.operations.sessions.failure import help_after_failure

        hook = payload.read()
        return help_after_failure(
            home_directory(), hook, project=project, format=format or "claude"
        )

    return hooks.guarded("failure-hook", work, area="recall")
