"""What a machine knows of a sealed remote: the generations it trusts and the last pack it saw.

The ledger lies beside the keys, apart from the git repository: whoever rolls the remote back, or
restores the repository from a backup, does not make this machine forget what it has seen.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property

from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError
from anamnesis.sync.sealed import envelope


class UnreadableLedger(AnamnesisError):
    """The file that says which generations to trust is damaged."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is damaged, so this machine cannot tell whom to trust.",
            hint="Restore it from a backup; or move it away and run:  anamnesis join URL --code "
            "CODE  with the code that `anamnesis machines` prints on another machine.",
        )


@dataclass(frozen=True)
class Ledger:
    """The generations up to the one in force, and the last pack of it that was seen."""

    files: tuple[bytes, ...]
    number: int = 0
    pack: str = ""

    @cached_property
    def generation(self) -> envelope.Generation:
        """The generation in force."""
        return envelope.read_generation(self.files[-1])

    @property
    def last(self) -> str:
        """What the next pack has to name as the one before it."""
        return self.pack or self.generation.hash


def read(folder: str) -> Ledger | None:
    """What this machine knows; None if it never met a sealed remote. Raises UnreadableLedger."""
    path = _place(folder)
    try:
        with open(path, encoding="utf-8") as stream:
            stored = json.load(stream)
        files = tuple(str(text).encode() for text in stored["generations"])
        ledger = Ledger(files, int(stored["number"]), str(stored["pack"]))
        _ = ledger.generation
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, IndexError, envelope.Refused):
        raise UnreadableLedger(path) from None
    return ledger


def write(folder: str, ledger: Ledger) -> None:
    """Remember what was seen."""
    stored = {
        "generations": [data.decode() for data in ledger.files],
        "number": ledger.number,
        "pack": ledger.pack,
    }
    atomic.write_text(_place(folder), json.dumps(stored, indent=1))


def _place(folder: str) -> str:
    return os.path.join(folder, "store.json")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the packs of the remote are in the repository of this machine."""

    commit: str = ""  # the sealed commit that was read to its end
    generation: str = ""
    number: int = 0
    pack: str = ""
    tip: str = ""  # the clear commit that it led to
    first: int = 0  # the size of the first pack
    later: int = 0  # and of all others together


def read_progress(own: str) -> Progress:
    """How far this repository has come; a missing or damaged file says: not at all."""
    try:
        with open(os.path.join(own, "sealed.json"), encoding="utf-8") as stream:
            stored = json.load(stream)
        names = Progress.__slots__
        return Progress(**{name: type(getattr(_NOTHING, name))(stored[name]) for name in names})
    except (OSError, ValueError, KeyError, TypeError):
        return _NOTHING


def write_progress(own: str, progress: Progress) -> None:
    """Remember how far the repository has come."""
    stored = {name: getattr(progress, name) for name in Progress.__slots__}
    atomic.write_text(os.path.join(own, "sealed.json"), json.dumps(stored, indent=1))


_NOTHING = Progress()
