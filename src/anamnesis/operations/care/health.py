"""The list of health checks: `doctor`, `status`, the dashboard and `memory_status` read from it.

A check is a function and a row in one of the modules of `checks/`; the row names the faces that
show it. A session's start runs those of `checks/sessions.py` alone, so that it loads nothing else.
The set-up of agents has checks of its own above us (`onboard/health.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.operations.care.checks import examined, machine, sessions, store, travel

if TYPE_CHECKING:
    from anamnesis.operations.care.checks import Finding, Subject

CHECKS = (*machine.CHECKS, *store.CHECKS, *travel.CHECKS, *sessions.CHECKS)


def findings(subject: Subject, *, face: str) -> list[Finding]:
    """What is worth a word in a face that only glances: nothing that is in order."""
    return [finding for finding in examined(subject, CHECKS, face=face) if not finding.is_ok]
