"""Whether this machine has removed all that it kept of forgotten notes.

A process can be killed between the arrival of a tombstone and the removal. So a mark says up to
which change of the folder of tombstones nothing is kept; a sync asks with two system calls.
"""

from __future__ import annotations

import os

from anamnesis.config import Home  # noqa: TC001  a sync with nothing to do loads no typing
from anamnesis.ground import atomic

_MARK = "buried"


def latest(home: Home) -> int:
    """When a note was last forgotten, here or elsewhere; 0 if none was."""
    try:
        return os.stat(os.path.join(home.memory, ".tombstones")).st_mtime_ns
    except OSError:
        return 0


def is_due(home: Home) -> bool:
    """Whether something of a forgotten note may still be here."""
    at = latest(home)
    if not at:
        return False
    try:
        with open(home.state(_MARK), "rb") as stream:
            return stream.read() != b"%d" % at
    except OSError:
        return True


def note(home: Home, at: int) -> None:
    """Record that nothing is kept of what was forgotten until then. Raises NotWritable."""
    atomic.write_bytes(home.state(_MARK), b"%d" % at)
