"""Changes that belong together as one commit, where notes are under git."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from anamnesis import config
from anamnesis.errors import AnamnesisError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def one_commit(root: str) -> Iterator[None]:
    """Commit what waits, then what happens inside; nothing at all without a repository."""
    _commit(root)
    yield
    _commit(root)


def _commit(root: str) -> None:
    if not os.path.isdir(os.path.join(root, "memory", ".git")):
        return
    from anamnesis.operations.synchronise import backend_of

    # Trouble with git must not stop a change of notes: the next sync commits them and tells.
    with suppress(AnamnesisError):
        backend_of(root, machine_id=config.resolve_machine_id()).commit()
