"""Who commits, and what a commit says."""

from __future__ import annotations

import time
from dataclasses import dataclass

from anamnesis.ground.clock import utcnow


@dataclass(frozen=True, slots=True)
class Identity:
    """Who commits."""

    machine_id: str

    def signature(self) -> str:
        """Name, address and time as git writes them."""
        machine = "".join(c for c in self.machine_id if c.isprintable() and c not in "<>\\")
        return f"anamnesis <anamnesis@{machine.strip() or 'unknown'}> {int(time.time())} +0000"

    def message(self) -> str:
        """What a commit says."""
        return f"anamnesis: sync from {self.machine_id} at {utcnow()}"
