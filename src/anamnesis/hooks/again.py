"""Sessions whose client has dropped its context and will not ask for it again.

Claude Code and Codex start a session again after compaction; Gemini and Copilot only tell that they
are about to. The next prompt of such a session is given the memory again.
"""

from __future__ import annotations

import os

from anamnesis.ground import atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.config import Home

_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def promise(home: Home, session: str) -> None:
    """Let the next prompt of a session bring the memory back."""
    if session:
        atomic.write_text(_marker(home, session), "")


def is_promised(home: Home, session: str) -> bool:
    """Whether a session is to get its memory again."""
    return bool(session) and os.path.exists(_marker(home, session))


def keep(home: Home, session: str) -> None:
    """Clear the promise: the memory was given."""
    atomic.remove(_marker(home, session))


def _marker(home: Home, session: str) -> str:
    name = "".join(each if each in _NAME_CHARACTERS else "-" for each in session)[:100]
    return home.spool(f"again-{name}")
