"""Several machines on one disk: each with its own home, all with the same bare repository."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.sync import GitSyncBackend, SyncResult
from anamnesis.sync.conflicts import Conflict, Conflicts
from anamnesis.sync.recovery import heal
from anamnesis.sync.repository import MAIN, UPSTREAM, Repository
from anamnesis.sync.sealed import members
from anamnesis.sync.sealed.keys import Keys, new_keys
from anamnesis.sync.sealed.transport import SealedTransport

FIVE = "one\ntwo\nthree\nfour\nfive"
CREATED = "2026-01-01T00:00:00+00:00"


class Machine:
    """One machine: its notes as files, and its sync."""

    def __init__(
        self, home: Path, remote: str | None, *, seconds: float = 20.0, sealed: bool = False
    ) -> None:
        self.sealed = sealed
        self.home = home
        self.name = home.name
        self.memory = home / "memory"
        self.remote = remote
        self.seconds = seconds
        self.memory.mkdir(parents=True, exist_ok=True)

    @property
    def backend(self) -> GitSyncBackend:
        return GitSyncBackend(
            self.memory, remote=self.remote, machine_id=self.name, seconds=self.seconds,
            sealed=self.sealed,
        )  # fmt: skip

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        return self.backend.sync(accept_deletions=accept_deletions)

    def path(self, note_id: str, *, type: str = "semantic", tree: str = "memory") -> Path:
        return self.home / tree / type / f"{note_id}.md"

    def write(self, note_id: str, body: str, **fields: object) -> Path:
        """Create or replace a note as a whole."""
        note = Memory(
            id=note_id, type="semantic", title=f"Title of {note_id}", body=body,
            machine_id=self.name, created_at=CREATED, updated_at=CREATED,
        )  # fmt: skip
        return self.put(replace(note, **fields))

    def put(self, note: Memory) -> Path:
        tree = "local" if note.scope == "machine-local" else "memory"
        path = self.path(note.id, type=note.type, tree=tree)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".tmp-{note.id}")
        fresh.write_bytes(serialize(note).encode())
        os.replace(fresh, path)
        return path

    def edit(self, note_id: str, **fields: object) -> None:
        """Change some fields of a note."""
        self.put(replace(self.note(note_id), **fields))

    def note(self, note_id: str) -> Memory:
        return deserialize(self.path(note_id).read_bytes().decode())

    def body(self, note_id: str) -> str | None:
        return self.note(note_id).body if self.path(note_id).exists() else None

    def delete(self, note_id: str) -> None:
        self.path(note_id).unlink()

    def files(self) -> dict[str, bytes]:
        """Every file that could travel."""
        return {
            str(path.relative_to(self.memory)): path.read_bytes()
            for path in sorted(self.memory.rglob("*.md"))
            if ".git" not in path.parts
        }

    def held(self) -> dict[str, Conflict]:
        return Conflicts(Home(self.home)).held()

    def git(self, *args: str) -> str:
        return git(*args, cwd=self.memory)


class Fleet:
    """Machines that share a bare repository."""

    first_commits = 0  # how many the remote has from the start

    def __init__(self, base: Path) -> None:
        self.base = base
        self.remote = base / "remote.git"
        git("init", "--quiet", "--bare", "--template=", str(self.remote), cwd=base)
        git("symbolic-ref", "HEAD", "refs/heads/main", cwd=self.remote)

    def machine(self, name: str) -> Machine:
        return self.machine_at(self.base / name)

    def machine_at(self, home: Path) -> Machine:
        return Machine(home, str(self.remote))

    def copy(self, base: Path) -> Fleet:
        """The same fleet at another place: for a test that tries many ways on from one state."""
        shutil.copytree(self.base, base, symlinks=True)
        for config in base.glob("*/memory/.git/**/config"):  # or they push to the first remote
            config.write_text(config.read_text().replace(str(self.base), str(base)))
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, base=base, remote=base / "remote.git")
        return twin

    def published(self) -> dict[str, bytes]:
        """What the bare repository has on main."""
        return files_of(self.readable(), "main")

    def readable(self) -> Path:
        """A repository whose main is what the machines see at the remote."""
        return self.remote

    def publish(self, commit: str, *, rewritten: bool = False) -> None:
        """Let the remote have a commit of the readable repository, as one who may write there."""
        git("update-ref", "refs/heads/main", commit, cwd=self.remote)


def files_of(repository: Path, commit: str) -> dict[str, bytes]:
    """The files of a commit."""
    listed = git("ls-tree", "-r", "-z", commit, cwd=repository)
    rows = [line.split("\t", 1) for line in listed.split("\0") if line]
    wanted = "".join(f"{facts.split()[2]}\n" for facts, _ in rows).encode()
    printed = subprocess.run(
        ["git", "cat-file", "--batch"], cwd=repository, input=wanted, capture_output=True,
        check=True,
    ).stdout  # fmt: skip
    found = {}
    for _, path in rows:
        head, _, printed = printed.partition(b"\n")
        size = int(head.split()[2])
        found[path], printed = printed[:size], printed[size + 1 :]
    return found


class SealedFleet(Fleet):
    """Machines that share a repository which cannot read what it holds."""

    first_commits = 2
    recovery: Keys
    store_code: str

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        founder = self.plain_machine("founder")
        founder.write("first", "the first words")
        assert founder.sync().pushed
        founder.delete("first")
        assert founder.sync(accept_deletions=True).pushed
        self.seal(founder)
        git("gc", "--quiet", "--prune=now", cwd=self.remote)  # what it had before, in clear

    def readable(self) -> Path:
        """A repository whose main is what those see who can read the remote."""
        member = self._founder()
        fetched = sealed(member).fetch()
        assert fetched.commit, fetched
        clear = self.base / "readable.git"
        shutil.rmtree(clear, ignore_errors=True)  # with what was there before
        git("init", "--quiet", "--bare", "--template=", str(clear), cwd=self.base)
        git("symbolic-ref", "HEAD", MAIN, cwd=clear)
        git("fetch", "--quiet", str(member.memory), f"+{UPSTREAM}:{MAIN}", cwd=clear)
        return clear

    def publish(self, commit: str, *, rewritten: bool = False) -> None:
        """Let a member send a commit of the readable repository, or replace all by it."""
        member = self._founder()
        member.git("fetch", "--quiet", str(self.base / "readable.git"), commit)
        transport = sealed(member)
        assert transport.fetch().commit
        pushed = transport.replace(commit) if rewritten else transport.push(commit)
        assert pushed.done, pushed

    def plain_machine(self, name: str) -> Machine:
        return super().machine_at(self.base / name)

    def seal(self, machine: Machine) -> None:
        machine.sealed = True
        self.recovery = new_keys(recovery=True)
        tip = machine.git("rev-parse", "main")
        first = members.first_generation(sealed(machine), recovery=self.recovery)
        members.seal(sealed(machine), tip, first=first, old=tip)
        self.store_code = members.generation_code(sealed(machine))
        self._sealed_by = machine.name

    def machine_at(self, home: Path) -> Machine:
        """A machine that is a member, approved by the one that sealed the remote."""
        made = Machine(home, str(self.remote), sealed=True)
        if not (made.home / "keys").exists():
            code = members.ask(sealed(made))
            members.accept(sealed(made), members.approve(sealed(self._founder()), code))
        return made

    def _founder(self) -> Machine:
        return Machine(self.base / self._sealed_by, str(self.remote), sealed=True)


# Tests that can only be about a plain remote, and where the same is tested for a sealed one.
PLAIN_ONLY = {
    "test_a_squashed_remote_that_is_put_back_takes_no_edit_away": (
        "the host cannot squash what it cannot read, and no member does: "
        "test_sealed.test_what_is_sent_to_an_earlier_generation_is_merged"
    ),
    "test_another_store_as_the_remote_takes_no_note_away": (
        "a sealed store takes nothing from another one: "
        "test_sealed.test_another_store_at_the_same_address_is_not_overwritten"
    ),
}
# A sync that stands something over a plain remote has to stand it over a sealed one.
FLEETS = [
    pytest.param(Fleet, id="plain"),
    pytest.param(SealedFleet, id="sealed", marks=[pytest.mark.soak]),
]


def sealed(machine: Machine) -> SealedTransport:
    """The transport of a machine with a sealed remote."""
    made = machine.backend.transport()
    assert isinstance(made, SealedTransport)
    heal(Repository(str(machine.memory)))
    return made


class Victims:
    """Work that is killed on the way (see faults/victim.py)."""

    def __init__(self) -> None:
        tests = Path(__file__).parents[1]
        self._server = subprocess.Popen(
            [sys.executable, str(tests / "faults" / "victim.py")],
            env={**os.environ, "PYTHONPATH": str(tests)},
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def sync(self, number: int, home: Path, remote: Path, *, path: str = "") -> bool:
        """Sync a machine until its N-th effect (0: to the end); False if it was killed."""
        return self._work(number, "sync", home=str(home), remote=str(remote), path=path)

    def forget(self, number: int, home: Path) -> bool:
        """Forget all notes of a machine until the N-th effect; False if it was killed."""
        return self._work(number, "forget", home=str(home), path="")

    def purge(self, number: int, home: Path, remote: Path) -> bool:
        """Purge what a machine forgot until the N-th effect; False if it was killed."""
        return self._work(number, "purge", home=str(home), remote=str(remote), path="")

    def set_up(self, number: int, home: Path, *, agents: str, leave: bool = False) -> bool:
        """Set agents of a person up, or leave them; False if it was killed."""
        person = str(home)
        return self._work(number, "set_up", path="", home=person, agents=agents, leave=leave)

    def _work(self, number: int, work: str, *, path: str, **places: str | bool) -> bool:
        request = {
            "number": number, "work": work, "path": path or os.environ["PATH"], **places,
        }  # fmt: skip
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        assert code in (0, -signal.SIGKILL) or (path and code == 1)  # a git that dies is an error
        return code != -signal.SIGKILL

    def close(self) -> None:
        self._server.communicate()


def git_that(place: Path, command: str, *, at: str) -> str:
    """A PATH whose git runs a shell command first when it is asked for one of its own."""
    folder = place / "bin"
    folder.mkdir()
    (folder / "git").write_text(
        f'#!/bin/sh\ncase " $* " in *" {at} "*) {command};; esac\nexec {shutil.which("git")} "$@"\n'
    )
    (folder / "git").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def git(*args: str, cwd: Path) -> str:
    """Plain git, as a person in a terminal runs it."""
    finished = subprocess.run(
        ["git", "-c", "user.name=person", "-c", "user.email=p@example.org", *args],
        cwd=cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, f"git {' '.join(args)}: {finished.stderr}"
    return finished.stdout.rstrip("\n")


def every_text(*places: Path) -> bytes:
    """All that can be found again: files, held conflicts, and every object of every history."""
    found: list[bytes] = []
    for place in places:
        if place.name.endswith(".git"):
            found.append(_reachable(place))
            continue
        files = (path for path in place.rglob("*") if path.is_file() and ".git" not in path.parts)
        found.extend(path.read_bytes() for path in files)
        if (place / "memory" / ".git").exists():
            found.append(_reachable(place / "memory"))
    return b"\n".join(found)


def _reachable(repository: Path) -> bytes:
    """Every object of a history; of a repository that a kill left half made, nothing."""
    objects = subprocess.run(
        ["git", "rev-list", "--objects", "--all", "--no-object-names"],
        cwd=repository, capture_output=True, check=False,
    ).stdout  # fmt: skip
    return subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=repository, input=objects, capture_output=True, check=False,
    ).stdout  # fmt: skip


def quiet(*machines: Machine) -> None:
    """Let everybody sync until nothing moves any more."""
    for _ in range(2 * len(machines) + 2):
        results = [machine.sync() for machine in machines]
        assert not any(result.error for result in results), results
        if not any(result.pushed or result.pulled or result.changed for result in results):
            return
    raise AssertionError(f"the machines do not come to rest: {results}")


def in_step(laptop: Machine, desk: Machine) -> None:
    """Both sync without help, and then have the same files on a clean main."""
    for machine in (desk, laptop, desk):
        result = machine.sync()
        assert not result.error, result
        assert not result.conflicted, result
    assert desk.files() == laptop.files()
    for machine in (desk, laptop):
        assert machine.git("status", "--porcelain") == ""
        assert machine.git("symbolic-ref", "HEAD") == "refs/heads/main"
