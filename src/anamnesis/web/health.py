"""What a person should know about the store's health, each with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.records import record
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from anamnesis.web.dashboard import Dashboard


@record
class Check:
    """One thing that was looked at."""

    name: str
    tone: str  # well, notice or trouble
    text: str
    remedy: str = ""  # a command to paste
    address: str = ""  # a page that shows more


def checks(dashboard: Dashboard) -> list[Check]:
    """All checks, troubles first."""
    found = [_files(dashboard), _index(dashboard)]
    return sorted(found, key=lambda check: ("trouble", "notice", "well").index(check.tone))


def _files(dashboard: Dashboard) -> Check:
    problems = dashboard.store.unreadable()
    if not problems:
        return Check("Files", "well", "Every note file can be read.")
    return Check(
        "Files", "trouble", f"{plural(len(problems), 'file needs', 'files need')} a person.",
        address="/settings#files",
    )  # fmt: skip


def _index(dashboard: Dashboard) -> Check:
    if dashboard.store.degraded:
        return Check("Index", "notice", dashboard.store.degraded, remedy="anamnesis reindex")
    return Check("Index", "well", "The index is in step with the files.")
