"""The machines that share these notes: each leaves a small heartbeat in the synced tree.

`memory/.machines/<machine>.json` is written by its own machine only, is not a note and is never
indexed. It is rewritten when something in it changes or after half a day, so that a sync
with nothing to do still has nothing to do.
"""

from __future__ import annotations

import json
import os
import time

from anamnesis import __version__, config
from anamnesis.ground import atomic, clock
from anamnesis.ground.errors import NotWritable
from anamnesis.ground.records import record, replace
from anamnesis.notes.fields import is_valid_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.config import Home

EPHEMERAL = "ephemeral"  # the install id of all containers, which come and go
FOLDER = ".machines"
_LARGEST = 64 * 1024
_DAY = 86_400.0
_REFRESH_SECONDS = _DAY / 2
_SILENT_DAYS = 7  # a week may be a holiday; more is worth a warning
_RETIRED_DAYS = 60  # stop warning about machines that are long gone
_SKEW_SECONDS = 300.0
_BOOTS = "boots"
_MOST_BOOTS = 8


@record
class Machine:
    """A machine's heartbeat."""

    machine: str
    name: str
    version: str
    install: str  # random, made once per set-up: tells machines of the same name apart
    seen: str
    last_capture: str = ""
    last_sync: str = ""
    pending: int = 0  # conflicts that are not resolved yet
    last_error: str = ""
    key: str = ""  # the code of its keys, if the remote is sealed

    @property
    def label(self) -> str:
        """Its name, with the one in the notes where that differs."""
        return self.name if self.name == self.machine else f"{self.name} ({self.machine})"

    @property
    def days_silent(self) -> float:
        """How long ago this was written."""
        return max(0.0, (time.time() - seconds_of(self.seen)) / _DAY)

    @property
    def is_ahead_of_time(self) -> bool:
        """Whether its clock is ahead."""
        return seconds_of(self.seen) - time.time() > _SKEW_SECONDS


def beat(home: Home) -> bool:
    """Leave a heartbeat if it is due; whether one was written.

    A machine that was never set up leaves none, and the file of another machine with the same name
    is never overwritten.
    """
    mine = _mine(home)
    if mine is None:
        return False
    path = _place(home, mine.machine)
    before = _read(path)
    if mine.install == EPHEMERAL:
        mine = _for_all(before, mine)
    if before is not None and (before.install != mine.install or not _is_due(before, mine)):
        return False
    fields = {name: getattr(mine, name) for name in FIELDS}
    atomic.write_text(path, json.dumps(fields, ensure_ascii=False, indent=1) + "\n")
    _remove_former(home, mine)
    return True


def machines(home: Home) -> list[Machine]:
    """Every machine that has left a heartbeat, the latest first."""
    folder = os.path.join(home.memory, FOLDER)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    found = (_read(os.path.join(folder, name)) for name in names if name.endswith(".json"))
    known = [machine for machine in found if machine is not None]
    return sorted(known, key=lambda machine: machine.seen, reverse=True)


def silent(home: Home) -> list[Machine]:
    """Other machines that have been silent for a while but are not retired yet."""
    here = config.resolve_machine_id()
    return [
        machine
        for machine in machines(home)
        if machine.machine != here
        and machine.install != EPHEMERAL
        and _SILENT_DAYS < machine.days_silent < _RETIRED_DAYS
    ]


def has_rival(home: Home) -> bool:
    """Whether another machine has this machine's name."""
    install = install_id()
    there = _read(_place(home, config.resolve_machine_id()))
    return there is not None and bool(install) and there.install != install


def install_id() -> str:
    """The id that tells this machine from others of the same name; all ephemeral ones share one."""
    known = str(config._store_config().get("install_id") or "")  # noqa: SLF001
    return known or (EPHEMERAL if config.is_ephemeral() else "")


def is_named_from_outside() -> bool:
    """Whether an environment variable sets the name, so that it cannot be changed here."""
    return bool(os.environ.get("ANAMNESIS_MACHINE_ID", "").strip())


def take_own_name() -> str:
    """Rename this machine because another one has its name; the old name is still shown."""
    from anamnesis.operations.machine import settings

    machine = config.resolve_machine_id()
    name = f"{machine[:59]}-{install_id()[:4]}"
    settings.change("display_name", machine)
    settings.change("machine_id", name)
    return name


def make_name_unique(home: Home) -> bool:
    """Rename this machine if an older one has its name; whether it was renamed."""
    if not has_rival(home) or is_named_from_outside():
        return False
    take_own_name()
    return beat(home)


def note_host(home: Home) -> None:
    """Record which boot of which computer uses the store, if it changed."""
    boot, before = _boot_id(), _boots(home)
    if not boot or boot in before[-1:]:
        return
    try:
        atomic.write_text(home.state(_BOOTS), "\n".join([*before, boot][-_MOST_BOOTS:]))
    except NotWritable:
        return  # only a warning is lost


def is_used_by_two_hosts(home: Home) -> bool:
    """Whether computers took turns with the store within a day; containers count as their host.

    A boot does not resume. If one appears again after another, both are running.
    """
    boots = _boots(home)
    if len(set(boots)) == len(boots):
        return False
    return time.time() - os.stat(home.state(_BOOTS)).st_mtime < _DAY


def forget(home: Home, machine: str) -> bool:
    """Remove a machine from the list; it comes back if it syncs again."""
    path = _place(home, machine)
    if not os.path.exists(path):
        return False
    atomic.remove(path)
    return True


def file_name(machine: str) -> str:
    """A machine's name as a file name that is valid on every system."""
    if is_valid_id(machine):
        return machine
    import zlib

    cleaned = "".join(letter if is_valid_id(letter) else "-" for letter in machine)[:50]
    return f"{cleaned}-{zlib.crc32(machine.encode('utf-8', 'replace')):08x}"


FIELDS = (
    "machine", "name", "version", "install", "seen", "last_capture", "last_sync", "pending",
    "last_error", "key",
)  # fmt: skip
_NEWS = ("name", "version", "last_capture", "pending", "last_error", "key")
_LATER = {"key": ""}  # what heartbeats of earlier versions do not say


def _boots(home: Home) -> list[str]:
    """The boots during which the store was used, the current one last."""
    return _text(home.state(_BOOTS)).split()


def _boot_id() -> str:
    """The id of this boot of the computer; empty where the system has none."""
    return _text("/proc/sys/kernel/random/boot_id").strip()


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(_LARGEST)
    except OSError:
        return ""


def _place(home: Home, machine: str) -> str:
    return os.path.join(home.memory, FOLDER, f"{file_name(machine)}.json")


def _remove_former(home: Home, mine: Machine) -> None:
    """Remove this machine's heartbeat under another name, once.

    Machines that were copied from one another have the same install id: only a name that
    this machine itself used is certain not to belong to another.
    """
    marker = home.state("machine-name")
    former = _text(marker)
    if former == mine.machine:
        return
    there = _read(_place(home, former)) if former else None
    if there is not None and there.install == mine.install:
        forget(home, former)
    atomic.write_text(marker, mine.machine)


def _is_due(before: Machine, now: Machine) -> bool:
    if any(getattr(before, field) != getattr(now, field) for field in _NEWS):
        return True
    return seconds_of(now.seen) - seconds_of(before.seen) > _REFRESH_SECONDS


def _mine(home: Home) -> Machine | None:
    from anamnesis.hooks import runs
    from anamnesis.sync import recovery
    from anamnesis.sync.conflicts import Conflicts

    stored = config._store_config()  # noqa: SLF001
    install = install_id()
    if not install:
        return None
    machine = config.resolve_machine_id()
    synced = recovery.remembered(os.path.join(home.memory, ".git", "anamnesis"))
    failing = [each.reason for each in runs.failing(home) if each.area == "capture"]
    captures = (
        str(run.get("at", ""))
        for run in runs.latest_runs(home)
        if run.get("hook") == "capture" and str(run.get("did", "")).startswith("wrote")
    )
    return Machine(
        machine=machine,
        name=str(stored.get("display_name") or machine),
        version=__version__,
        install=install,
        seen=clock.utcnow(),
        last_capture=next(captures, ""),
        last_sync=synced.last_success or "",
        pending=len(Conflicts(home).waiting()),
        last_error=failing[0] if failing else "",
        key=_key(home),
    )


def _for_all(before: Machine | None, mine: Machine) -> Machine:
    """The heartbeat that ephemeral machines share, without what belongs to one container."""
    captured = max(mine.last_capture, before.last_capture if before else "")
    return replace(mine, last_capture=captured, pending=0, last_error="")


def _key(home: Home) -> str:
    if not config.is_on("sealed", default=False):
        return ""
    from anamnesis.sync.sealed.keys import own_code

    return own_code(home.keys)


def _read(path: str) -> Machine | None:
    """A heartbeat; None for any other file."""
    try:
        with open(path, encoding="utf-8") as stream:
            found: dict[str, Any] = {**_LATER, **json.loads(stream.read(_LARGEST))}
        texts = {name: _one_line(str(found[name])) for name in FIELDS if name != "pending"}
        return Machine(**texts, pending=int(found["pending"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _one_line(text: str) -> str:
    """A text from another machine, safe to print and to inject."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:500])


def seconds_of(stamp: str) -> float:
    """A time stamp as seconds since the epoch; 0 for anything else."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
