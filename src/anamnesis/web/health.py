"""The findings of the health checks as the dashboard's pages show them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.onboard import health as onboard_health
from anamnesis.operations.care import status
from anamnesis.operations.care.checks import (
    DASHBOARD,
    FAILED,
    OK,
    WARNING,
    Check,
    Finding,
    Subject,
    examined,
)
from anamnesis.web.words import ago

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.web.dashboard import Dashboard

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
_TONES = {FAILED: "trouble", WARNING: "notice", OK: "well"}  # the worst first
# The page that shows more about a finding.
_ADDRESSES = {
    "sync": "/fleet",
    "fleet": "/fleet",
    "conflicts": "/conflicts",
    "files": "/settings#files",
    "review": "/review",
    "config": "/settings#settings",
}


@dataclass(frozen=True, slots=True)
class HealthLine:
    """One finding on a page."""

    name: str
    tone: str  # trouble, notice or well
    sentence: str
    exact: str  # the same with times as the commands print them, if it has any
    remedy: str
    address: str


def glance(dashboard: Dashboard) -> list[HealthLine]:
    """What can be told at once, the worst first."""
    subject = Subject(dashboard.home, store=dashboard.store, state=dashboard.sync_state)
    checks = (_history(dashboard), *status.CHECKS)
    return _lines(examined(subject, checks, face=DASHBOARD))


def thorough(dashboard: Dashboard) -> list[HealthLine]:
    """What `anamnesis doctor` finds: asks the remote and calls the installed command."""
    dashboard.refresh()
    found = onboard_health.doctor(dashboard.home, store=dashboard.store, state=dashboard.sync_state)
    return _lines(found)


def _history(dashboard: Dashboard) -> Check:
    """Whether what was saved here could be committed, which only this process knows."""

    def look(_subject: Subject) -> Iterator[Finding]:
        if trouble := dashboard.recorder.trouble:
            yield Finding("history", FAILED, trouble.removesuffix("."), "anamnesis sync")

    return Check("history", look, frozenset({DASHBOARD}))


def _lines(findings: Iterable[Finding]) -> list[HealthLine]:
    lines = [
        HealthLine(
            finding.name,
            _TONES[finding.severity],
            _MOMENT.sub(lambda found: ago(found[0]), finding.sentence),
            finding.sentence if _MOMENT.search(finding.sentence) else "",
            finding.remedy,
            _ADDRESSES.get(finding.name, ""),
        )
        for finding in findings
    ]
    return sorted(lines, key=lambda line: list(_TONES.values()).index(line.tone))
