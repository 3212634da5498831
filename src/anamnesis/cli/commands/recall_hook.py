"""Print the notes that answer a prompt, if any clearly do: a hook for UserPromptSubmit.

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
  echo '{"prompt": "why is sqlite locked", "cwd": "."}' | anamnesis recall-hook
"""


def _answer(payload: Payload, project: str | None, format: str) -> str:
    from anamnesis.operations.sessions.prompt import recall_for_prompt

    return recall_for_prompt(home_directory(), payload, project=project, format=format)


_HOOK = hooks.Moment("recall-hook", _answer, clients="claude, codex, gemini, copilot or text")
add_arguments, run_hook, run = _HOOK.add_arguments, _HOOK.run_hook, _HOOK.run
