"""Several machines write, edit, delete, move and sync in any order, and some are killed.

Whatever happened: when everybody has synced until nothing moves, all machines have the same
files but for held conflicts, no text that somebody still wanted is gone, and settling the
conflicts brings them all together.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory, MemoryType
from anamnesis.notes.frontmatter import deserialize, serialize
from support.fleet import Fleet, Machine, SealedFleet, Victims, every_text
from support.reference_sync import ReferenceSyncBackend, SharedVersions

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon")
MACHINES = st.integers(min_value=0, max_value=len(NAMES) - 1)
NOTES = st.integers(min_value=0, max_value=3)
LINES = 6
TOKEN = re.compile(rb"token\d+x")


class Machines(RuleBasedStateMachine):
    """The rules; how a machine stores its files and syncs is left to the subclasses."""

    count = 3

    def __init__(self) -> None:
        super().__init__()
        self.tokens = 0
        self.wanted: set[bytes] = set()

    def disk(self, machine: int) -> Any:
        raise NotImplementedError

    def sync_one(self, machine: int) -> Any:
        raise NotImplementedError

    def found(self) -> bytes:
        raise NotImplementedError

    def held(self, machine: int) -> set[str]:
        raise NotImplementedError

    def settle(self, machine: int, path: str, choice: str) -> None:
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        """A note that nobody deletes, so that no side ever looks emptied."""
        self.put(0, "anchor", "nothing")
        for machine in range(self.count):
            self.sync_one(machine)

    @rule(machine=MACHINES, number=NOTES, kind=st.sampled_from(["semantic", "procedural"]))
    def write(self, machine: int, number: int, kind: MemoryType) -> None:
        """A new note, or one that another machine makes at the same time under the same id."""
        machine %= self.count
        if self.path(machine, number) is None:
            body = "\n".join(f"line {line} {self.token()}" for line in range(LINES))
            self.put(machine, f"note{number}", body, kind=kind)

    @rule(machine=MACHINES, number=NOTES, line=st.integers(min_value=0, max_value=LINES - 1))
    def edit_a_line(self, machine: int, number: int, line: int) -> None:
        machine %= self.count
        path = self.path(machine, number)
        if path:
            note = self.read(machine, path)
            lines = note.body.split("\n")
            at = line % len(lines)
            self.release(lines[at])
            lines[at] = f"line {at} {self.token()}"
            self.save(machine, path, replace(note, body="\n".join(lines)))

    @rule(machine=MACHINES, number=NOTES)
    def edit_the_title(self, machine: int, number: int) -> None:
        machine %= self.count
        path = self.path(machine, number)
        if path:
            note = self.read(machine, path)
            self.release(note.title)
            self.save(machine, path, replace(note, title=f"title {self.token()}"))

    @rule(machine=MACHINES, number=NOTES, tag=st.sampled_from(["a", "b", "c"]))
    def toggle_a_tag(self, machine: int, number: int, tag: str) -> None:
        machine %= self.count
        path = self.path(machine, number)
        if path:
            note = self.read(machine, path)
            rest = [other for other in note.tags if other != tag]
            self.save(machine, path, replace(note, tags=rest if tag in note.tags else [*rest, tag]))

    @rule(machine=MACHINES, number=NOTES)
    def change_the_type(self, machine: int, number: int) -> None:
        machine %= self.count
        path = self.path(machine, number)
        if path and path not in self.held(machine):
            note = self.read(machine, path)
            other = "procedural" if note.type == "semantic" else "semantic"
            if f"{other}/{note.id}.md" not in self.disk(machine):
                del self.disk(machine)[path]
                self.save(machine, f"{other}/{note.id}.md", replace(note, type=other))

    @rule(machine=MACHINES, number=NOTES)
    def delete(self, machine: int, number: int) -> None:
        machine %= self.count
        path = self.path(machine, number)
        if path and path not in self.held(machine):
            self.release(self.disk(machine)[path].decode())
            del self.disk(machine)[path]

    @rule(machine=MACHINES)
    def sync(self, machine: int) -> None:
        result = self.sync_one(machine % self.count)
        assert not result.error
        assert result.conflicted == bool(self.held(machine % self.count))

    @rule(machine=MACHINES, choice=st.sampled_from(["mine", "theirs"]))
    def choose(self, machine: int, choice: str) -> None:
        machine %= self.count
        for path in sorted(self.held(machine))[:1]:
            self.settle(machine, path, choice)

    @invariant()
    def nothing_wanted_is_lost(self) -> None:
        found = set(TOKEN.findall(self.found()))
        assert self.wanted <= found, self.wanted - found

    def teardown(self) -> None:
        try:
            self.come_to_rest()
            for _ in range(4 * self.count):
                held = [(m, path) for m in range(self.count) for path in sorted(self.held(m))]
                if not held:
                    break
                self.settle(*held[0], "mine")
                self.come_to_rest()
            assert not any(self.held(machine) for machine in range(self.count))
        finally:
            self.clean()

    def clean(self) -> None:
        """Remove what a subclass made."""

    def come_to_rest(self) -> None:
        for _ in range(3 * self.count + 3):
            results = [self.sync_one(machine) for machine in range(self.count)]
            if not any(r.pushed or r.pulled or r.changed for r in results):
                break
        else:
            raise AssertionError(f"no rest: {results}")
        self.nothing_wanted_is_lost()
        held = set().union(*(self.held(machine) for machine in range(self.count)))
        kept = [self.shared_files(machine, held) for machine in range(self.count)]
        assert all(files == kept[0] for files in kept), kept

    def shared_files(self, machine: int, held: set[str]) -> dict[str, bytes]:
        return {path: data for path, data in self.disk(machine).items() if path not in held}

    def token(self) -> str:
        self.tokens += 1
        token = f"token{self.tokens}x"
        self.wanted.add(token.encode())
        return token

    def release(self, text: str) -> None:
        """Somebody who saw this text replaced or deleted it."""
        self.wanted -= set(TOKEN.findall(text.encode()))

    def path(self, machine: int, number: int) -> str | None:
        paths = (f"{kind}/note{number}.md" for kind in ("semantic", "procedural"))
        return next((path for path in paths if path in self.disk(machine)), None)

    def put(self, machine: int, name: str, body: str, *, kind: MemoryType = "semantic") -> None:
        note = Memory(id=name, type=kind, title="A title", body=body, created_at="2026")
        self.save(machine, f"{kind}/{name}.md", note)

    def read(self, machine: int, path: str) -> Memory:
        return deserialize(self.disk(machine)[path].decode())

    def save(self, machine: int, path: str, note: Memory) -> None:
        self.disk(machine)[path] = serialize(note).encode()


class ReferenceMachines(Machines):
    """Dictionaries instead of disks: thousands of steps in a second."""

    count = 4

    def __init__(self) -> None:
        super().__init__()
        self.shared = SharedVersions()
        self.settled: list[bytes] = []
        self.nodes = [
            ReferenceSyncBackend({}, remote=self.shared, machine_id=NAMES[number])
            for number in range(self.count)
        ]

    def disk(self, machine: int) -> Any:
        return self.nodes[machine].disk

    def sync_one(self, machine: int) -> Any:
        return self.nodes[machine].sync()

    def held(self, machine: int) -> set[str]:
        return set(self.nodes[machine].held)

    def found(self) -> bytes:
        texts = [*self.settled]
        for node in self.nodes:
            texts += [*node.disk.values()]
            texts += [
                text for held in node.held.values() for text in (held.base or b"", held.theirs)
            ]
            texts += [text for version in node.history for text in version.values()]
        return b"\n".join(texts)

    def settle(self, machine: int, path: str, choice: str) -> None:
        node = self.nodes[machine]
        held = node.held.pop(path)
        self.settled += [held.theirs, node.disk.get(path, b"")]
        if choice == "theirs":
            node.disk[path] = held.theirs


class GitMachines(Machines):
    """Real files, real git, and kills."""

    kind: type[Fleet] = Fleet

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="fleet-"))
        self.fleet = self.kind(self.base)
        self.machines = [self.fleet.machine(NAMES[number]) for number in range(self.count)]
        self.victims = Victims()

    def clean(self) -> None:
        self.victims.close()
        shutil.rmtree(self.base)

    def disk(self, machine: int) -> Any:
        return _Disk(self.machines[machine])

    def sync_one(self, machine: int) -> Any:
        return self.machines[machine].sync()

    def held(self, machine: int) -> set[str]:
        return set(self.machines[machine].held())

    def found(self) -> bytes:
        return every_text(self.fleet.remote, *(machine.home for machine in self.machines))

    def shared_files(self, machine: int, held: set[str]) -> dict[str, bytes]:
        """A note that any machine keeps for itself is not compared."""
        local = {
            str(path.relative_to(one.home / "local"))
            for one in self.machines
            for path in (one.home / "local").rglob("*.md")
        }
        return super().shared_files(machine, held | local)

    def settle(self, machine: int, path: str, choice: str) -> None:
        from anamnesis.operations.travel import conflicts
        from anamnesis.store import MemoryStore

        one = self.machines[machine]
        with MemoryStore(one.home) as store:
            conflicts.resolve(store, one.held()[path].id, choice)

    @precondition(lambda self: self.tokens > 0)
    @rule(machine=MACHINES, number=st.integers(min_value=1, max_value=60))
    def sync_and_be_killed(self, machine: int, number: int) -> None:
        one = self.machines[machine % self.count]
        self.victims.sync(number, one.home, self.fleet.remote)

    @rule(machine=MACHINES, number=NOTES)
    def keep_here_or_let_travel(self, machine: int, number: int) -> None:
        one = self.machines[machine % self.count]
        path = self.path(machine % self.count, number)
        if path and path not in one.held() and not (one.home / "local" / path).exists():
            _move(one.memory / path, one.home / "local" / path)
            return
        for kept in sorted((one.home / "local").rglob(f"note{number}.md")):
            back = one.memory / kept.relative_to(one.home / "local")
            if not back.exists():
                _move(kept, back)


class _Disk(dict[str, bytes]):
    """A machine's files; what is put in or taken out is done on disk."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine.files())
        self._memory = machine.memory

    def __setitem__(self, path: str, data: bytes) -> None:
        target = self._memory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(".tmp-state")
        fresh.write_bytes(data)
        os.replace(fresh, target)

    def __delitem__(self, path: str) -> None:
        (self._memory / path).unlink()


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


TestReferenceMachines = ReferenceMachines.TestCase
TestReferenceMachines.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)

TestGitMachines = GitMachines.TestCase
TestGitMachines.settings = settings(max_examples=6, stateful_step_count=20, deadline=None)


class SealedMachines(GitMachines):
    """The same with a remote that cannot read what it holds."""

    kind = SealedFleet


TestSealedMachines = pytest.mark.soak(SealedMachines.TestCase)
TestSealedMachines.settings = settings(max_examples=6, stateful_step_count=20, deadline=None)


class ManyGitMachines(GitMachines):
    """The long run."""

    count = 5


TestManyGitMachines = pytest.mark.soak(ManyGitMachines.TestCase)
TestManyGitMachines.settings = settings(max_examples=50, stateful_step_count=50, deadline=None)
