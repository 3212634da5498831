"""Whether a session is worth a note: decided without a model, before any summary."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.session import ParsedSession

_TRIVIAL_OUTCOME_FLOOR = 40  # characters; "Done." and "OK, cleared." teach nobody anything
_LONE_COMMAND = re.compile(r"^/\S+$")


def is_trivial_session(session: ParsedSession) -> bool:
    """Whether nothing happened that anybody would want to recall."""
    if session.files_touched or session.compact_summary:
        return False
    prompt, outcome = session.first_prompt.strip(), session.last_outcome.strip()
    if not prompt and not outcome:
        return True
    asked_nothing = not prompt or _LONE_COMMAND.match(prompt) is not None
    return asked_nothing and len(outcome) < _TRIVIAL_OUTCOME_FLOOR
