"""Notes begin to travel: the remote is found or made, and the first sync is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.operations.travel import fleet
from anamnesis.operations.travel import remote as connect
from anamnesis.operations.travel.sync import synchronise
from anamnesis.sync import remote
from anamnesis.sync.machine import backend_of_this_machine

if TYPE_CHECKING:
    from anamnesis.operations.travel.sync import Synchronised


def reach(url: str) -> bool:
    """Prove that a remote takes and gives commits, making it if there is none; whether we did."""
    remote.require_usable(url)
    try:
        connect.prove(url)
    except connect.RemoteNotUsable as error:
        if "there is no git repository" not in error.message:
            raise
        connect.create(url)
        connect.prove(url)
        return True
    return False


def first_sync() -> Synchronised:
    """Exchange notes; a machine whose name is taken gets one of its own first."""
    home = config.home_directory()
    done = synchronise(backend_of_this_machine())
    if fleet.settle_name(home) or fleet.beat(home):
        again = synchronise(backend_of_this_machine())
        return again if again.result.error else done
    return done
