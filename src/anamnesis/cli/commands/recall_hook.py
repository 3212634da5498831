"""Print the notes that answer a prompt, if any clearly do: a hook for UserPromptSubmit.

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
  echo '{"prompt": "why is sqlite locked", "cwd": "."}' | anamnesis recall-hook
"""
OPTIONS = hooks.moment_options("claude, codex, gemini, copilot or text")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    hooks.declare(parser, OPTIONS)


def run_hook(arguments: Sequence[str]) -> int:
    """Print the notes that answer the prompt."""
    options = hooks.Options(OPTIONS, arguments)
    return _recall(project=options.text("--project"), format=options.text("--format"))


def run(args: Namespace) -> int:
    """Print the notes that answer the prompt, with options that argparse has parsed."""
    return _recall(project=args.project, format=args.format)


def _recall(*, project: str | None, format: str | None) -> int:
    def work() -> str:
        from anamnesis.operations.sessions.prompt import recall_for_prompt

        hook = payload.read()
        return recall_for_prompt(home_directory(), hook, project=project, format=format or "claude")

    return hooks.guarded("recall-hook", work, area="recall")
