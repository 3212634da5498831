"""Who commits, and what a commit says."""

from __future__ import annotations

import time

from anamnesis.ground.clock import utcnow
from anamnesis.ground.records import record

JOINED = "anamnesis: joined by "  # how a commit begins that only joins two lines of work


@record
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

    def joined(self) -> str:
        """What a commit says that only joins two lines of work."""
        return f"{JOINED}{self.machine_id} at {utcnow()}"
