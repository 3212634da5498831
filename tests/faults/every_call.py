"""Trying a command with a fault at some of its calls, or at all of them."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from anamnesis.store import MemoryStore
from faults import scenarios_of_care
from faults.scenarios import SCENARIOS, Scenario, World
from support.fleet import every_text, git
from support.injector import KINDS, Call, Injector
from support.notes import content_of_files, index_content
from support.power_cut import STATES, Disk, moments

__all__ = ["SCENARIOS", "Hole", "Trial", "every_file", "scenarios_of_care"]


@dataclass(frozen=True, slots=True)
class Hole:
    """A fault that a command did not stand."""

    scenario: str
    kind: str
    at: int | str
    why: str

    def __str__(self) -> str:
        return f"{self.scenario}, {self.kind} at call {self.at}: {self.why}"


# What differs from run to run in the names of files: ids, hashes, stamps, what mkstemp makes up.
_MADE_UP = re.compile(
    r"01[0-9A-HJKMNP-TV-Z]{24}|\.tmp-\S+|[0-9a-f]{38,}|(?<=/)[0-9a-f]{2}(?=/|$)"
    r"|(?<=/t)\w{6}$|(?<=_)\w{6}$|(?<=-)\w{6}(?=/|$)|\d{4}-\d\d-\d\dT\S+|probe-\w+|\d{3,}"
)


class Trial:
    """One command, prepared once and tried as often as it takes."""

    def __init__(self, scenario: Scenario, folder: Path, injector: Injector) -> None:
        self._scenario = scenario
        self._injector = injector
        self._world = World(folder, injector)
        self._command = tuple(scenario.prepare(self._world))
        self._world.keep()
        done = self._world.run(*self._command, record=True, env=scenario.env)
        assert done.code in (0, 3), done
        scenario.settled(self._world)
        self._calls = injector.calls()
        self._in_step: set[str] = set()  # what the world looked like when its machines got in step

    def calls(self, *, started: bool = False) -> Counter[tuple[int, str]]:
        """How often the command makes each kind of change to each file, in a run of its own."""
        self._world.put_back()
        self._world.run(*self._command, record=True, env=self._scenario.env, started=started)
        points = (call for call in self._injector.calls() if call.name == "point")
        return Counter((call.place, self._name(call)) for call in points)

    @property
    def kinds(self) -> list[str]:
        """The faults that can be tried."""
        return [kind for kind in KINDS if kind != "save" or self._scenario.saved]

    def points(self, kind: str) -> list[int]:
        """The calls that a fault makes a difference to; of many writes of one file in a row, three.

        A database writes hundreds of pages in a row, and takes care of a fault among them.
        """
        able = set(self._injector.meets(self._calls, kind=kind))
        points = [call for call in self._calls if call.name == "point"]
        found: list[int] = []
        for _, run in groupby(points, key=lambda call: (call.place, call.paths[0])):
            numbers = [call.inode for call in run if call.inode in able]
            found += {*numbers[:1], *numbers[len(numbers) // 2 :][:1], *numbers[-1:]}
        return sorted(found)

    def places(self, kind: str) -> list[str]:
        """The files of the world that a fault makes a difference to, as patterns for every run.

        The number of a call may be another one next time: git's files are named by hashes, and the
        two ends of a push run at once. The first call on a file of some name always is the same.
        """
        able = set(self._injector.meets(self._calls, kind=kind))
        points = (call for call in self._calls if call.name == "point" and call.inode in able)
        return sorted({self._name(call) for call in points})

    def _name(self, call: Call) -> str:
        return _MADE_UP.sub("*", call.paths[0].removeprefix(str(self._world.base)))

    def holes(
        self, kind: str, points: Sequence[int | str], *, started: bool = False
    ) -> Iterator[Hole]:
        """What does not hold after a fault at some calls, or at the first on some files.

        `started` runs the command in a program that is started, not in a fork of a loaded one.
        """
        for at in points:
            try:
                self._try(kind, at, started=started)
            except (AssertionError, OSError) as error:
                yield Hole(self._scenario.name, kind, at, str(error).strip())

    @property
    def moments(self) -> list[int]:
        """The calls right after which a power cut is worth a try."""
        return list(moments(self._calls, self._world.store()))

    def power_cuts(self, moments: Sequence[int]) -> Iterator[Hole]:
        """What does not hold on a disk as the machine may find it when the power is back."""
        disk, done = self._world.disk(), 0
        for at in moments:
            for call in self._calls[done:at]:
                disk.follow(call)
            done = at
            for state in STATES:
                try:
                    self._cut(disk, state, is_done=at == self.moments[-1])
                except AssertionError as error:
                    yield Hole(self._scenario.name, f"power cut ({state})", at, str(error).strip())

    def _cut(self, disk: Disk, state: str, *, is_done: bool) -> None:
        self._world.put_back()
        disk.cut(state)
        self._check_texts("after a power cut")
        if is_done:  # and the command has said so
            _settled(self._scenario, self._world, "success without effect")
        self._go_on("a power cut")

    def _try(self, kind: str, at: int | str, *, started: bool) -> None:
        world, scenario = self._world, self._scenario
        world.put_back()
        if kind == "save":
            self._save_meanwhile(at)
            return
        first = world.run(*self._command, kind=kind, at=at, env=scenario.env, started=started)
        if not first.met:
            assert isinstance(at, int), "no such call"
            return  # this time it took fewer calls
        assert "Traceback" not in first.err, f"a traceback: {first.err[-900:]}"
        self._check_texts(f"after {first}")
        if scenario.speaks and first.code == 0 and "rolled back" not in first.err:
            _settled(scenario, world, f"success without effect: {first}")
        self._go_on(str(first))

    def _go_on(self, first: str) -> None:
        """Run the same command again on a healthy disk."""
        world, scenario = self._world, self._scenario
        _age_locks(world.base)
        again = world.run(*self._command, env=scenario.env)
        assert "Traceback" not in again.err, f"again: a traceback: {again.err[-900:]}"
        allowed = {0, *scenario.again}
        assert again.code in allowed, f"again: {again}; first: {first}"
        _settled(scenario, world, f"again: {again}; first: {first}")
        self._check_texts(f"again: {again}; first: {first}")
        ids = [note.id for note in world.notes()]
        assert len(ids) == len(set(ids)), f"two files of one id: {sorted(world.files())}"
        if scenario.syncs:
            git("rev-list", "--quiet", "--objects", "--all", cwd=world.remote)  # nothing is missing
            if (state := look(world.base)) not in self._in_step:
                self._check_in_step()
                self._in_step.add(state)
        _check_index(world.store())

    def _save_meanwhile(self, at: int | str) -> None:
        """Somebody saves the note that the command is at."""
        world, scenario = self._world, self._scenario
        path = next(p for p in world.files() if world.facts[scenario.saved] in p)
        saved = world.base / "saved"
        saved.write_bytes(world.files()[path].rstrip() + b"\n\nsaved meanwhile\n")
        around = {"FAULT_SAVE": str(saved), "FAULT_TO": str(world.store() / path), **scenario.env}
        first = world.run(*self._command, kind="save", at=at, env=around)
        if not first.met:
            return
        assert "Traceback" not in first.err, f"a traceback: {first.err[-900:]}"
        assert not saved.exists()
        assert any(b"saved meanwhile" in data for data in every_file(world.store())), (
            f"lost what was saved: {first}"
        )
        _age_locks(world.base)
        world.run(*self._command, env=scenario.env)
        assert any(b"saved meanwhile" in data for data in every_file(world.store())), (
            f"lost what was saved by the same command again: {first}"
        )

    def _check_texts(self, when: str) -> None:
        world = self._world
        for machine in ("desk", "laptop"):
            for path, data in world.files(machine).items():
                assert data.startswith(b"---\n"), f"torn: {path} {when}"
        world.notes()
        stores = [p for p in (world.store(), world.store("laptop")) if p.exists()]
        found = b"\n".join(data for store in stores for data in every_file(store))
        missing = [text for text in self._scenario.kept if text.encode() not in found]
        found = every_text(*stores) if missing else b""  # two programs of git for each history
        for text in missing:
            assert text.encode() in found, f"lost: {text!r} {when}"
        try:
            self._scenario.holds(world)
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"does not hold: {str(error)[:300]} {when}") from None

    def _check_in_step(self) -> None:
        """Sync until both machines have the same notes, three times at most."""
        world = self._world
        machines = ["desk", "laptop", "desk"][self._command == ("sync",) :]
        for machine in machines:
            done = world.run("sync", machine=machine)
            assert done.code in (0, 3), f"stuck: {machine} {done}"
            assert "Traceback" not in done.err, done.err
            if machine == "laptop" and self._synced("desk") == self._synced("laptop"):
                return
        desk, laptop = self._synced("desk"), self._synced("laptop")
        assert desk == laptop, f"not in step: {sorted(desk)} {sorted(laptop)}"

    def _synced(self, machine: str) -> dict[str, bytes]:
        """The portable notes of a machine, but for those that the desk holds in a conflict."""
        held = {path.name for path in self._world.store().glob("conflicts/0*")}
        files = self._world.files(machine).items()
        return {p: d for p, d in files if p.startswith("memory/") and Path(p).stem not in held}


def every_file(root: Path) -> Iterator[bytes]:
    """What every file of a store says, but for what git keeps and what is left half written."""
    for path in root.rglob("*"):
        if path.is_file() and ".git" not in path.parts and not path.name.startswith(".tmp-"):
            yield path.read_bytes()


# Ids and hashes, which get a number in the order of their appearance; times, sizes, made up names.
_NAMED = re.compile(rb"01[0-9A-HJKMNP-TV-Z]{24}|\b[0-9a-f]{40,64}\b")
_INCIDENTAL = re.compile(rb"\d{4}-\d\d-\d\d[T ][\d:.+Z]+|\b\d{4,}(\.\d+)?|\.tmp-[^/\s]+")
_UNREAD = ("objects", "logs", "locks", "log")  # folders
_DERIVED = re.compile(r"/(index|clean-texts\.txt|[\w.]+\.db[\w.-]*)$")


def look(base: Path) -> str:
    """All that decides what a sync does, but for objects: equal if only ids and times differ."""
    numbers: dict[bytes, bytes] = {}
    texts = []
    for folder, below, names in os.walk(base):
        below[:] = [name for name in below if name not in _UNREAD]
        for path in (os.path.join(folder, name) for name in names):
            is_read = os.path.isfile(path) and not _DERIVED.search(path)  # not a link to nowhere
            data = Path(path).read_bytes() if is_read else b""
            texts.append((_MADE_UP.sub("*", path), b"%s\n%s\n" % (os.fsencode(path), data)))
    text = _INCIDENTAL.sub(b"", b"".join(text for _, text in sorted(texts)))
    text = _NAMED.sub(lambda found: numbers.setdefault(found[0], b"<%d>" % len(numbers)), text)
    return hashlib.sha256(text).hexdigest()


def _settled(scenario: Scenario, world: World, when: str) -> None:
    try:
        scenario.settled(world)
    except (AssertionError, ValueError, OSError) as error:
        raise AssertionError(f"not done: {str(error)[:300]} {when}") from None


def _age_locks(base: Path) -> None:
    """Let the lock files of killed programs be old enough to be dead."""
    for folder, _, names in os.walk(base):
        for name in names:
            if name.endswith((".lock", ".keep")) or name == "packed-refs.new":
                os.utime(os.path.join(folder, name), (0, 0))


def _check_index(root: Path) -> None:
    with MemoryStore(root) as store:
        store.refresh()
    assert index_content(root)["memories"] == content_of_files(root)["memories"], "index"
