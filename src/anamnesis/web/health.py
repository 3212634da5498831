"""What a person should know about the store's health, each with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import record
from anamnesis.hooks import runs, switches
from anamnesis.onboard import health as onboard_health
from anamnesis.operations.care import doctor
from anamnesis.operations.travel import conflicts
from anamnesis.sync.machine import backend_of_this_machine
from anamnesis.web.words import ago, plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.sync.backend import SyncState
    from anamnesis.web.dashboard import Dashboard


@record
class Check:
    """One thing that was looked at."""

    name: str
    tone: str  # well, notice or trouble
    text: str
    remedy: str = ""  # a command to paste
    address: str = ""  # a page that shows more


_TONES = {doctor.GOOD: "well", doctor.WARNING: "notice", doctor.BAD: "trouble"}


def examined(dashboard: Dashboard) -> list[Check]:
    """What `anamnesis doctor` finds: asks the remote and calls the installed command."""
    found = list(doctor.examined(dashboard.home))
    try:
        found += onboard_health.examined(dashboard.home)
    except AnamnesisError as error:
        found.append(doctor.Finding("agents", doctor.BAD, error.message, error.hint))
    return _troubles_first(
        Check(finding.part, _TONES[finding.state], finding.said, finding.remedy)
        for finding in found
    )


def checks(dashboard: Dashboard) -> list[Check]:
    """All checks, troubles first."""
    state = backend_of_this_machine().state()
    found = [
        _sync(dashboard, state),
        *_not_sent(state),
        *_conflicts(dashboard),
        *_hooks(dashboard),
        _files(dashboard),
        _index(dashboard),
    ]
    return _troubles_first(found)


def _troubles_first(found: Iterable[Check]) -> list[Check]:
    return sorted(found, key=lambda check: ("trouble", "notice", "well").index(check.tone))


def _sync(dashboard: Dashboard, state: SyncState) -> Check:
    if dashboard.recorder.trouble:
        return Check("History", "trouble", dashboard.recorder.trouble, remedy="anamnesis sync")
    if not state.remote:
        text = "No remote is set: notes stay on this machine."
        return Check("Sync", "notice", text, address="/fleet")
    if state.last_error:
        return Check("Sync", "trouble", f"Failing: {state.last_error}", remedy="anamnesis sync")
    if not state.last_success:
        return Check("Sync", "notice", "Nothing was exchanged yet.", address="/fleet")
    waiting = state.ahead + state.behind
    if waiting or state.dirty:
        return Check("Sync", "notice", "Changes wait for the next sync.", address="/fleet")
    return Check("Sync", "well", f"Last sync {ago(state.last_success)}.", address="/fleet")


def _not_sent(state: SyncState) -> list[Check]:
    if not state.held_back:
        return []
    those = plural(len(state.held_back), "file stays", "files stay")
    text = f"{those} on this machine, for example {state.held_back[0]}."
    return [Check("Not sent", "notice", text, remedy="anamnesis status")]


def _conflicts(dashboard: Dashboard) -> list[Check]:
    held = conflicts.held(dashboard.store)
    if not held:
        return []
    text = f"{plural(len(held), 'note was', 'notes were')} edited on two machines."
    return [Check("Conflicts", "trouble", text, address="/conflicts")]


def _hooks(dashboard: Dashboard) -> list[Check]:
    found = [
        Check("Hooks", "trouble", f"{failing.sentence}.", remedy="anamnesis doctor")
        for failing in runs.failing(dashboard.home)
    ]
    if off := switches.paused(dashboard.home):
        text = f"Paused: {off}. Nothing is remembered or recalled there."
        found.append(Check("Hooks", "notice", text, remedy="anamnesis resume"))
    return found


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
