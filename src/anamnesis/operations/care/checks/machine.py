"""Checks of this machine: required programs, the home, its settings and its hooks."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import sys
import time
from typing import TYPE_CHECKING

from anamnesis import __version__
from anamnesis.capture.discovery import count_without_hooks, unreadable
from anamnesis.git import command
from anamnesis.ground.counting import counted
from anamnesis.ground.system import is_read_only
from anamnesis.hooks import receipts, runs, switches
from anamnesis.inject.clip import LIMIT
from anamnesis.operations.care.checks import (
    DASHBOARD,
    DOCTOR,
    FAILED,
    GLANCES,
    OK,
    STATUS,
    WARNING,
    Check,
    Finding,
    Subject,
)
from anamnesis.operations.care.checks.sessions import REMEDIES
from anamnesis.operations.machine import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.config import Home

_OLDEST_GIT = (2, 25)


def _python(_subject: Subject) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", OK, f"{version}, anamnesis {__version__}")


def _git(subject: Subject) -> Iterator[Finding]:
    if shutil.which("git") is None:
        yield Finding("git", FAILED, "not on PATH; notes cannot be synced", "Install git.")
        return
    where = subject.home if subject.exists else os.sep
    version_text = command.git(["--version"], cwd=where, timeout=10).text
    version = re.search(r"(\d+)\.(\d+)", version_text)  # Apple's says more behind it
    if version is None or tuple(map(int, version.groups())) < _OLDEST_GIT:
        yield Finding("git", WARNING, f"{version_text} is old", "Install git 2.25 or newer.")
    else:
        yield Finding("git", OK, version_text)


def _home(subject: Subject) -> Iterator[Finding]:
    home = subject.home
    if not subject.exists:
        yield Finding("store", FAILED, f"there is no {home}", "anamnesis init")
        return
    wide = [path for path, mode in _private(home) if _mode(path) & ~mode]
    if is_read_only(home):
        sentence = f"nothing can be saved: the disk of {home} is mounted read-only"
        yield Finding("store", FAILED, sentence, "Mount it for writing; reading works meanwhile.")
    elif closed := [path for path in _written_to(home) if not os.access(path, os.W_OK)]:
        sentence = f"nothing can be saved: {', '.join(closed)} may not be written"
        yield Finding("store", FAILED, sentence, f"chmod u+w {shlex.join(closed)}")
    elif wide and os.name != "nt":
        yield Finding(
            "store", WARNING, f"others may read {', '.join(wide)}",
            "anamnesis doctor --fix", fix=lambda: _make_private(home),
        )  # fmt: skip
    else:
        yield Finding("store", OK, home)


def _written_to(home: Home) -> list[str]:
    return [path for path in (home, home.memory, home.local) if os.path.exists(path)]


def _private(home: Home) -> list[tuple[str, int]]:
    """The home and the settings, with modes that keep other users out."""
    wanted = [(home, 0o700), (home.settings, 0o600)]
    return [(path, mode) for path, mode in wanted if os.path.exists(path)]


def _make_private(home: Home) -> None:
    for path, mode in _private(home):
        os.chmod(path, mode)


def _mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def _config(_subject: Subject) -> Iterator[Finding]:
    for setting in settings.unusable():
        sentence = f"{setting.key} in config.json must be {setting.expects}"
        yield Finding("config", FAILED, sentence, f"anamnesis config unset {setting.key}")


def _paused(subject: Subject) -> Iterator[Finding]:
    if os.path.exists(os.path.join(subject.home, "paused")):
        sentence = "paused everywhere; nothing is captured or recalled"
        yield Finding("paused", WARNING, sentence, "anamnesis resume")
    for project in switches.paused_projects(subject.home):
        remedy = f"anamnesis resume --project {shlex.quote(project)}"
        sentence = f"paused in {project}; nothing is captured or recalled there"
        yield Finding("paused", WARNING, sentence, remedy)


def _last_runs(subject: Subject) -> Iterator[Finding]:
    latest: dict[str, dict[str, object]] = {}
    for run in runs.latest_runs(subject.home):
        if run.get("session"):  # otherwise it was run by hand, or by the self-test
            latest.setdefault(str(run.get("hook")), run)
    if "inject" not in latest and not is_read_only(subject.home):  # which keeps no record
        sentence = "no session has started here since the set-up"
        yield Finding("hooks fire", WARNING, sentence, "Start a session, then check again.")
    for hook in ("inject", "capture"):
        if hook in latest:
            run = latest[hook]
            severity = OK if run.get("ok") else FAILED
            remedy = "" if run.get("ok") else REMEDIES[hook]
            yield Finding(f"last {hook}", severity, f"{run.get('at')}: {run.get('did')}", remedy)


def _unhooked(subject: Subject) -> Iterator[Finding]:
    if is_read_only(subject.home):
        return  # the hooks may have run; nothing could be saved
    if number := count_without_hooks(subject.home, now=time.time()):
        those = counted(number, "session")
        sentence = f"{those} of the last week ran without hooks and left no notes"
        yield Finding("sessions", WARNING, sentence, "anamnesis capture --backfill --since 7d")


def _compressed(subject: Subject) -> Iterator[Finding]:
    if number := unreadable(subject.home):
        those = counted(number, "compressed session")
        yield Finding("zstd", WARNING, f"not on PATH; {those} cannot be read", "Install zstd.")


def _budget(subject: Subject) -> Iterator[Finding]:
    injections = (
        entry for entry in receipts.latest(subject.home) if entry.get("event") == "inject"
    )
    given = next((entry for entry in injections if entry.get("session")), None)
    if given is None:
        return
    units = int(given.get("units", 0))
    notes = given.get("notes", ())
    titles = sum(not note.get("whole") for note in notes)
    whole = counted(len(notes) - titles, "note")
    sentence = f"{units} of {LIMIT} units, {whole} whole, {titles} in part or by title"
    if titles > len(notes) / 2:
        yield Finding("injection", WARNING, sentence, "anamnesis list --project global")
    else:
        yield Finding("injection", OK, sentence)


CHECKS = (
    Check("python", _python, frozenset({DOCTOR}), needs_store=False),
    Check("git", _git, frozenset({DOCTOR}), needs_store=False),
    Check("store", _home, GLANCES, needs_store=False),
    Check("config", _config, frozenset({DOCTOR, STATUS, DASHBOARD})),
    Check("paused", _paused, GLANCES),
    Check("sessions without hooks", _unhooked, frozenset({DOCTOR, STATUS})),
    Check("zstd", _compressed, frozenset({DOCTOR})),
    Check("last runs", _last_runs, frozenset({DOCTOR})),
    Check("injection", _budget, frozenset({DOCTOR})),
)
