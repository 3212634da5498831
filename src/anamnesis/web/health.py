"""Findings of the health checks, as the dashboard shows them."""

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
from anamnesis.web.formatting import ago

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.web.dashboard import Dashboard

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
_TONES = {FAILED: "trouble", WARNING: "notice", OK: "well"}  # the worst first
# The page with the details of a finding.
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


def quick_checks(dashboard: Dashboard) -> list[HealthLine]:
    """The findings of the quick checks, the worst first."""
    subject = Subject(dashboard.home, store=dashboard.store, state=dashboard.sync_state)
    checks = (_history_check(dashboard), *status.CHECKS)
    return _lines(examined(subject, checks, face=DASHBOARD))


def all_checks(dashboard: Dashboard) -> list[HealthLine]:
    """The findings of `anamnesis doctor`, which contacts the remote and runs the command."""
    dashboard.refresh()
    state = dashboard.sync_state
    return _lines(onboard_health.doctor(dashboard.home, store=dashboard.store, state=state))


def _history_check(dashboard: Dashboard) -> Check:
    """Whether what was saved here could be committed; only this process knows."""

    def find(_subject: Subject) -> Iterator[Finding]:
        if error := dashboard.recorder.last_error:
            yield Finding("history", FAILED, error.removesuffix("."), "anamnesis sync")

    return Check("history", find, frozenset({DASHBOARD}))


def _lines(findings: Iterable[Finding]) -> list[HealthLine]:
    lines = [
        HealthLine(
            finding.name,
            _TONES[finding.severity],
            _TIME.sub(lambda match: ago(match[0]), finding.sentence),
            finding.sentence if _TIME.search(finding.sentence) else "",
            finding.remedy,
            _ADDRESSES.get(finding.name, ""),
        )
        for finding in findings
    ]
    return sorted(lines, key=lambda line: list(_TONES.values()).index(line.tone))
