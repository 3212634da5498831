"""The backend of one store, as the configuration of this machine describes it."""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.ground.home import Home
from anamnesis.redact.allowed import secrets_stay_here
from anamnesis.sync.git import NETWORK_SECONDS, GitSyncBackend


def backend_of_this_machine(*, seconds: float = NETWORK_SECONDS) -> GitSyncBackend:
    """The backend that the configuration describes."""
    return backend_of(
        config.home_directory(), machine_id=config.resolve_machine_id(), seconds=seconds
    )


def backend_of(
    root: str | os.PathLike[str], *, machine_id: str, seconds: float = NETWORK_SECONDS
) -> GitSyncBackend:
    """The backend of one store, with the remote that the configuration names."""
    home = Home(os.fspath(root))
    return GitSyncBackend(
        home.memory,
        remote=config.resolve_remote(),
        machine_id=machine_id,
        seconds=seconds,
        check=secrets_stay_here(home),
    )
