"""Sessions that began as a copy of another one, without the client saying so.

In a terminal, Claude Code copies the parent's lines, with their times and ids, into the fork's
transcript and reports the start under the parent's name. What the fork shares with a session that
was captured before belongs to the parent.
"""

from __future__ import annotations

import os
import re
from glob import escape, glob

from anamnesis.capture import ledger
from anamnesis.capture.lines import beginning, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.config import Home

_CONVERSATION = re.compile(rb'"type": ?"(?:user|assistant)"')
_ID = re.compile(rb'"uuid": ?"([0-9a-f-]{36})"')
_TIME = re.compile(rb'"timestamp": ?"([0-9T:.Z+-]{19,40})"')
_FIRST_LINES = 3
_HEAD_BYTES = 64 * 1024  # a copy begins as its parent does
_SIBLINGS = 100  # the latest; older ones are not forked


def began_at(home: Home, transcript: str) -> str:
    """When a fork began; empty if the session is not a copy of a captured one."""
    own = _spoken(transcript)
    # The client may write the first new line before those that it copies.
    parent = _parent(home, transcript, [identity for identity, _ in own[:_FIRST_LINES]])
    if not parent:
        return ""
    shared = {identity for identity, _ in _spoken(parent)}
    news = [at for identity, at in own if identity not in shared]
    return min(news, default=f"{own[-1][1]}~")  # else later than everything that was copied


def _parent(home: Home, transcript: str, first: Sequence[bytes]) -> str:
    folder, name = os.path.split(os.path.abspath(transcript))
    found = glob(os.path.join(escape(folder), "*.jsonl"))
    siblings = sorted((path for path in found if os.path.basename(path) != name), key=_mtime)
    for path in siblings[: -_SIBLINGS - 1 : -1]:
        session = os.path.splitext(os.path.basename(path))[0]
        head = beginning(path, _HEAD_BYTES)
        if any(each in head for each in first) and ledger.read(home, session) is not None:
            return path
    return ""


def _spoken(path: str) -> list[tuple[bytes, str]]:
    """The id and the time of every line of the conversation."""
    found = []
    for line in lines(path):
        if _CONVERSATION.search(line) and (identity := _ID.search(line)):
            at = _TIME.search(line)
            found.append((identity[1], at[1].decode() if at else ""))
    return found


def _mtime(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
