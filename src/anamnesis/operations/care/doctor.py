"""Every part of a machine's memory looked at, each with a remedy that can be pasted."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import sys
from typing import TYPE_CHECKING

from anamnesis import __version__, config
from anamnesis.git import command
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import record
from anamnesis.hooks import receipts, runs
from anamnesis.inject.budget import LIMIT
from anamnesis.operations.machine import settings
from anamnesis.operations.travel import fleet
from anamnesis.store import MemoryStore
from anamnesis.sync import remote
from anamnesis.sync.machine import backend_of_this_machine
from anamnesis.sync.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOOD, WARNING, BAD = "ok", "warning", "failed"
_OLDEST_GIT = (2, 25)
_NETWORK_SECONDS = 20.0
_NAMED = 3  # examples in a line; `status` lists them all
_CLOCK_SECONDS = 300.0
# What shows whether an area works again.
_REMEDIES = {
    "inject": "anamnesis inject",
    "recall": "anamnesis search the words of a prompt",
    "capture": "anamnesis capture --backfill --since 7d",
    "summarising": "anamnesis config test",
    "sync": "anamnesis sync",
    "reflect": "anamnesis reflect",
    "embed": "anamnesis embed",
}


@record
class Finding:
    """One part: how it is, in words, and what to do about it."""

    part: str
    state: str
    said: str
    remedy: str = ""
    fix: Callable[[], object] | None = None


def examined(home: str) -> Iterator[Finding]:
    """The store and what it stands on; each part by itself, so that one cannot hide the next."""
    for part, look in _PARTS:
        if part not in _WITHOUT_STORE and not os.path.isdir(home):
            return  # looking would make a store
        try:
            yield from look(home)
        except AnamnesisError as error:
            yield Finding(part, BAD, error.message, error.hint)


def _python(_home: str) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", GOOD, f"{version}, anamnesis {__version__}")


def _git(home: str) -> Iterator[Finding]:
    if shutil.which("git") is None:
        yield Finding("git", BAD, "not on PATH; notes cannot travel", "Install git.")
        return
    said = command.git(["--version"], cwd=_existing(home), timeout=10).text
    version = re.search(r"(\d+)\.(\d+)", said)  # Apple's says more behind it
    if version is None or tuple(map(int, version.groups())) < _OLDEST_GIT:
        yield Finding("git", WARNING, f"{said} is old", "Install git 2.25 or newer.")
    else:
        yield Finding("git", GOOD, said)


def _privacy(home: str) -> Iterator[Finding]:
    if not os.path.isdir(home):
        yield Finding("store", BAD, f"there is no {home}", "anamnesis init")
        return
    wide = [path for path, mode in _private(home) if _mode(path) & ~mode]
    if wide and os.name != "nt":
        yield Finding(
            "store", WARNING, f"others may read {', '.join(wide)}",
            "anamnesis doctor --fix", fix=lambda: _make_private(home),
        )  # fmt: skip
    elif not os.access(home, os.W_OK):
        yield Finding("store", BAD, f"{home} is read-only", f"chmod u+w {shlex.quote(home)}")
    else:
        yield Finding("store", GOOD, home)


def _config(_home: str) -> Iterator[Finding]:
    for setting in settings.unusable():
        said = f"{setting.key} in config.json must be {setting.expects}"
        yield Finding("config", BAD, said, f"anamnesis config unset {setting.key}")


def _private(home: str) -> list[tuple[str, int]]:
    """What nobody else may enter or read: the rest lies inside of it."""
    wanted = [(home, 0o700), (os.path.join(home, "config.json"), 0o600)]
    return [(path, mode) for path, mode in wanted if os.path.exists(path)]


def _make_private(home: str) -> None:
    for path, mode in _private(home):
        os.chmod(path, mode)


def _mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def _index(home: str) -> Iterator[Finding]:
    with MemoryStore(home) as store:
        changes = store.refresh()
        total = store.stats()["total"]
        broken = store.unreadable()
        if store.degraded:
            yield Finding("index", WARNING, store.degraded, "anamnesis reindex", fix=store.reindex)
        else:
            behind = f" ({changes} since the last look)" if len(changes) else ""
            yield Finding("index", GOOD, f"{counted(total, 'note')}{behind}")
        newest = store.list(limit=1)
    if broken:
        named = "; ".join(f"{each.path}: {each.reason}" for each in broken[:_NAMED])
        remedy = "anamnesis status   # lists them all; edit or remove the files"
        yield Finding("notes", WARNING, f"{len(broken)} cannot be read: {named}", remedy)
    if newest and fleet.seconds_of(newest[0].updated_at) > _now() + _CLOCK_SECONDS:
        said = f"a note is dated {newest[0].updated_at}, which is in the future"
        yield Finding("clock", WARNING, said, "Check the clock of this machine and the others.")


def _sync(home: str) -> Iterator[Finding]:
    url = config.resolve_remote()
    if not url:
        yield Finding("sync", GOOD, "no remote: the notes stay on this machine")
        return
    state = backend_of_this_machine().state()
    if state.held:
        those = counted(len(state.held), "note was", "notes were")
        said = f"{those} edited on two machines"
        yield Finding("conflicts", BAD, said, "anamnesis conflicts list")
    if state.held_back:
        those = counted(len(state.held_back), "file stays", "files stay")
        said = f"{those} on this machine, for example {state.held_back[0]}"
        yield Finding("not sent", WARNING, said, "anamnesis status   # lists them all")
    if state.last_error:
        yield Finding("sync", BAD, state.last_error, "anamnesis sync")
    else:
        yield Finding("sync", GOOD, f"last success {state.last_success or 'never'}")
    yield _reached(home, url)


def _reached(home: str, url: str) -> Finding:
    shown = remote.shown(url)
    repository = Repository(os.path.join(home, "memory"))
    try:
        around = remote.surroundings(repository, url)
        finished = command.git(
            ["ls-remote", "--heads", "--", remote.require_usable(url)],
            cwd=_existing(home), timeout=_NETWORK_SECONDS, env=around,
        )  # fmt: skip
    except AnamnesisError as error:
        return Finding("remote", BAD, error.message, error.hint)
    if finished.code == 0:
        return Finding("remote", GOOD, f"{shown} answers")
    trouble = remote.explain(finished, url, _NETWORK_SECONDS)
    return Finding("remote", BAD, trouble.message, trouble.hint or "anamnesis sync")


def _runs(home: str) -> Iterator[Finding]:
    for failing in runs.failing(home):
        yield Finding(failing.area, BAD, failing.sentence, _REMEDIES[failing.area])
    latest: dict[str, dict[str, object]] = {}
    for run in runs.latest_runs(home):
        if run.get("session"):  # else somebody ran it by hand, or we did
            latest.setdefault(str(run.get("hook")), run)
    if "inject" not in latest:
        said = "no session has started here since the set-up"
        yield Finding("hooks fire", WARNING, said, "Start a session, then look again.")
    for hook in ("inject", "capture"):
        if hook in latest:
            run = latest[hook]
            state = GOOD if run.get("ok") else BAD
            yield Finding(f"last {hook}", state, f"{run.get('at')}: {run.get('did')}")


def _budget(home: str) -> Iterator[Finding]:
    injections = (entry for entry in receipts.latest(home) if entry.get("event") == "inject")
    given = next((entry for entry in injections if entry.get("session")), None)
    if given is None:
        return
    units = int(given.get("units", 0))
    notes = given.get("notes", ())
    left_out = sum(1 for note in notes if not note.get("whole"))
    whole = counted(len(notes) - left_out, "note")
    said = f"{units} of {LIMIT} units, {whole} whole, {left_out} as titles"
    if left_out > len(notes) / 2:
        yield Finding("injection", WARNING, said, "anamnesis list --project global")
    else:
        yield Finding("injection", GOOD, said)


def _fleet(home: str) -> Iterator[Finding]:
    if fleet.has_rival(home):
        said = f"another machine is called {config.resolve_machine_id()} too"
        if fleet.is_named_from_outside():
            yield Finding("fleet", BAD, said, "unset ANAMNESIS_MACHINE_ID")
        else:
            yield Finding("fleet", BAD, said, "anamnesis doctor --fix", fix=fleet.take_own_name)
    others = [m for m in fleet.machines(home) if m.machine != config.resolve_machine_id()]
    for machine in others:
        if machine.is_ahead_of_time:
            said = f"{machine.name} is ahead of time ({machine.seen})"
            yield Finding("clock", WARNING, said, "Check the clocks of both machines.")
        if machine.version != __version__:
            said = f"{machine.name} runs {machine.version}, this machine {__version__}"
            older = machine.name if _number(machine.version) < _number(__version__) else "here"
            remedy = f"uv tool upgrade anamnesis-memory   # {older}"
            yield Finding("versions", WARNING, said, remedy)
        if machine.last_error:
            yield Finding("fleet", WARNING, f"{machine.name}: {machine.last_error}")
    for machine in fleet.silent(home):
        said = f"{machine.name} has not synced for {machine.days_silent:.0f} days"
        remedy = f"anamnesis status --fleet --forget {shlex.quote(machine.machine)}"
        yield Finding("fleet", WARNING, said, remedy)
    if others:
        yield Finding(
            "fleet",
            GOOD,
            f"{counted(len(others) + 1, 'machine shares', 'machines share')} these notes",
        )


def _number(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def _now() -> float:
    import time

    return time.time()


def _existing(home: str) -> str:
    return home if os.path.isdir(home) else os.sep


_WITHOUT_STORE = ("python", "git", "store")
_PARTS: tuple[tuple[str, Callable[[str], Iterator[Finding]]], ...] = (
    ("python", _python),
    ("git", _git),
    ("store", _privacy),
    ("config", _config),
    ("index", _index),
    ("sync", _sync),
    ("hooks", _runs),
    ("injection", _budget),
    ("fleet", _fleet),
)
