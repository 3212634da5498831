"""Print what helped when a command failed like this before: a hook for PostToolUseFailure.

The client's payload is read from standard input. Always exits 0, and usually prints
nothing.
"""

from __future__ import annotations

from anamnesis.cli import hooks
from anamnesis.config import home_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.hooks.payload import Payload

EXAMPLES = """\
examples:
  echo '{"error": "KeyError: region", "cwd": "."}' | anamnesis failure-hook --format text
"""


def _answer(payload: Payload, project: str | None, format: str) -> str:
    from anamnesis.operations.sessions.moment import help_after_failure

    return help_after_failure(home_directory(), payload, project=project, format=format)


_HOOK = hooks.Moment("failure-hook", _answer, clients="claude, or text for plain text")
add_arguments, run_hook, run = _HOOK.add_arguments, _HOOK.run_hook, _HOOK.run
