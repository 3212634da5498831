"""A fleet in a bad year: many machines, and everything that can happen to them and to their remote.

`PYTHONPATH=tests python -m faults.simulation --machines 20 --rounds 20 --seed 1` prints what came
of it. Every edit carries a word of its own, so that each can be looked for on every disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis.config import Home
from anamnesis.operations.curate import forget
from anamnesis.operations.notes.move import move
from anamnesis.operations.travel import purge, sync
from anamnesis.store import MemoryStore
from anamnesis.sync.conflicts import Conflicts
from anamnesis.sync.purge import PurgeRefused
from support.fleet import Fleet, Machine, SealedFleet, git

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTES = 12  # that all machines edit
LINES = 8
WORD = re.compile(r"word\d+x")
OLD = "old-box"  # runs 0.1.3 until it is updated, half-way through
TWIN = "twin"  # made from a disk image of another machine
_SKEWS = (0, 0, 0, -3600, 86_400, -40 * 86_400)  # seconds that a clock is wrong by


@dataclass
class Report:
    """What was done, and what did not hold."""

    done: Counter[str] = field(default_factory=Counter)
    held: int = 0
    lost: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    needlessly_held: list[str] = field(default_factory=list)

    @property
    def holes(self) -> list[str]:
        """Everything that should not have happened."""
        return [*self.lost, *self.back, *self.apart, *self.needlessly_held]


class Simulation:
    """Machines, what they wanted, and what became of it."""

    def __init__(self, base: Path, *, machines: int, seed: int, sealed: bool = False) -> None:
        self.random = random.Random(seed)
        self.sealed = sealed
        self.fleet = SealedFleet(base) if sealed else Fleet(base)
        self.report = Report()
        self.machines = [self._new(f"m{number:02}") for number in range(machines - 2)]
        self.old = Machine(base / OLD, str(self.fleet.remote))
        self.wanted: dict[str, str] = {}  # word -> the note that it stands in
        self.gone: set[str] = set()  # notes that must not come back
        self.deleted: set[str] = set()  # notes that a machine deleted, back by now or not
        self.forgotten: set[str] = set()
        self.twice: set[str] = set()  # notes with an edit that a copied disk brings once more
        self.baseless: set[str] = set()  # that two disks have, one of them without any version
        self.local: set[str] = set()  # notes that one machine took out of the fleet
        self.clashing: set[str] = set()  # notes of which two machines changed the same words
        self._lines: dict[tuple[str, int], set[str]] = {}  # words that nobody replaced yet
        self._words = 0
        self._skews = {m.name: self.random.choice(_SKEWS) for m in self.machines}
        first = self.machines[0]
        for number in range(NOTES):
            first.write(_id("N", number), "\n\n".join(f"line {at}" for at in range(LINES)))
        for machine in self.machines:
            self.sync(machine)
        if sealed:  # which 0.1.3 cannot read
            self.update_old()
        else:
            git("clone", "--quiet", str(self.fleet.remote), str(self.old.memory), cwd=base)

    def _new(self, name: str, *, install: str = "") -> Machine:
        machine = self.fleet.machine(name)
        settings: dict[str, object] = {
            "machine_id": name,
            "install_id": install or f"install-{name}",
        }
        settings["remote"] = str(self.fleet.remote)
        settings |= {"sealed": True} if self.sealed else {}
        (machine.home / "config.json").write_text(json.dumps(settings))
        return machine

    # What machines do

    def sync(self, machine: Machine) -> None:
        if machine is self.old:
            _sync_as_013(machine)
            return
        with self._at(machine):
            result = sync.sync().result
        assert not result.error, f"{machine.name}: {result}"
        self.report.done["syncs"] += 1

    def edit(self, machine: Machine, note_id: str) -> None:
        """Add a paragraph, or change a line; acknowledged when the file is there."""
        path = _file(machine, note_id)
        if path is None or note_id in machine_held(machine):
            return
        text = path.read_text()
        head, _, body = text.partition("\n---\n")
        parts = body.strip("\n").split("\n\n")
        word = self._word(note_id)
        at = self.random.randrange(LINES + 4)
        if at < LINES and at < len(parts):
            read = WORD.findall(parts[at])
            for old in read:
                self.wanted.pop(old, None)  # replaced by someone who had read it
            parts[at] = f"line {at} {word}"
            unread = self._lines.setdefault((note_id, at), set())
            unread.difference_update(read)
            if unread:
                self.clashing.add(note_id)
            unread.add(word)
        else:
            parts.append(f"added {word}")
        stamp = f"2026-0{self.random.randint(1, 9)}-11T12:00:{self.random.randint(10, 59)}+00:00"
        head = re.sub(r"updated_at: .*", f"updated_at: {stamp}", head)
        fresh = path.with_name(".tmp-edit")
        fresh.write_text(f"{head}\n---\n\n" + "\n\n".join(parts) + "\n")
        if skew := self._skews.get(machine.name):
            now = fresh.stat().st_mtime + skew
            os.utime(fresh, (now, now))
        os.replace(fresh, path)
        self.gone.discard(note_id)  # an edit wins over a deletion that it did not know of
        if note_id in self.forgotten:
            self.wanted.pop(word, None)
        self.report.done["edits"] += 1

    def delete(self, machine: Machine, note_id: str) -> None:
        path = _file(machine, note_id)
        if path is None or note_id in machine_held(machine):
            return
        self._no_longer_wanted(path.read_text())
        path.unlink()
        self.deleted.add(note_id)
        if note_id not in self.wanted.values():  # else somebody edited it whom we have not met
            self.gone.add(note_id)
        self.report.done["deletes"] += 1

    def create(self, machine: Machine) -> None:
        word = self._word("")
        note_id = _id("W", self._words)
        self.wanted[word] = note_id
        machine.write(note_id, "\n\n".join([f"line 0 {word}", *map(str, range(1, LINES))]))
        self.report.done["creates"] += 1

    def rename(self, machine: Machine, note_id: str) -> None:
        """Give a file another name by hand."""
        path = _file(machine, note_id)
        if path is not None and note_id not in machine_held(machine):
            path.rename(path.with_name(f"by hand {note_id}.md"))
            self.report.done["renames"] += 1

    def keep_local(self, machine: Machine, note_id: str) -> None:
        path = _file(machine, note_id)
        if path is None or path.stem != note_id or note_id in machine_held(machine):
            return
        with self._at(machine), MemoryStore(machine.home) as store:
            move(store, [note_id], scope="machine-local")
        self.local.add(note_id)  # all its words are looked for still, on whichever disk
        self.report.done["moves"] += 1

    def forget(self, machine: Machine, note_id: str, *, and_purge: bool = False) -> None:
        path = _file(machine, note_id)
        if path is None or note_id in machine_held(machine):
            return
        with self._at(machine), MemoryStore(machine.home) as store:
            forget.forget(store, [note_id])
            self.forgotten.add(note_id)
            self.wanted = {word: note for word, note in self.wanted.items() if note != note_id}
            self.report.done["forgets"] += 1
            if and_purge:
                try:
                    purge.purge(store, [note_id])
                    self.report.done["purges"] += 1
                except PurgeRefused as refused:
                    self.report.done[f"purges refused ({_kind(refused)})"] += 1

    # What happens to machines and to the remote

    def back_up(self, machine: Machine) -> Path:
        kept = self.fleet.base / f"backup of {machine.name}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(machine.home, kept, symlinks=True)
        return kept

    def restore(self, machine: Machine, kept: Path) -> None:
        """Put a backup of a whole store back; only what no other disk has is gone with it."""
        elsewhere = "".join(
            _everything(other) for other in [*self.machines, self.old] if other is not machine
        )
        for word in WORD.findall(_everything(machine)):
            if word not in elsewhere:
                self.wanted.pop(word, None)
        shutil.rmtree(machine.home)
        shutil.copytree(kept, machine.home, symlinks=True)
        self.twice |= _unsent(machine)
        self.baseless |= _never_committed(machine)
        self.report.done["backups restored"] += 1

    def clone(self, machine: Machine) -> None:
        """A second machine from a disk image of the first: the same name, the same id."""
        shutil.copytree(machine.home, self.fleet.base / TWIN, symlinks=True)
        self.machines.append(self.fleet.machine(TWIN))
        self.twice |= _unsent(machine)
        self.baseless |= _never_committed(machine)
        self.report.done["clones"] += 1

    def update_old(self) -> None:
        """The machine with 0.1.3 gets this version."""
        self.machines.append(self._new(OLD))
        self.old = Machine(self.fleet.base / "nobody", None)
        self.report.done["updates"] += 1

    def empty_remote(self) -> None:
        shutil.rmtree(self.fleet.remote)
        git("init", "--quiet", "--bare", "-b", "main", str(self.fleet.remote), cwd=self.fleet.base)
        self.report.done["remotes emptied"] += 1

    def squash_remote(self) -> None:
        tree = git("rev-parse", "main^{tree}", cwd=self.fleet.remote)
        commit = git("commit-tree", tree, "-m", "all in one", cwd=self.fleet.remote)
        git("update-ref", "refs/heads/main", commit, cwd=self.fleet.remote)
        self.report.done["remotes squashed"] += 1

    def replace_remote(self, kept: Path) -> None:
        shutil.rmtree(self.fleet.remote)
        shutil.copytree(kept, self.fleet.remote)
        self.report.done["remotes replaced by an older copy"] += 1

    # A year

    def run(self, rounds: int) -> Report:
        half = rounds // 2
        kept: dict[str, Path] = {}
        for number in range(rounds):
            if number == rounds // 5:
                self.forget(
                    self.machines[1], _id("N", 11), and_purge=True
                )  # refused: 0.1.3 is alive
                kept["machine"] = self.back_up(self.machines[2])
            if number == rounds // 4:
                self.clone(self.machines[3])
            if number == rounds // 3:
                self.empty_remote()
            if number == half:
                self.restore(self.machines[2], kept["machine"])
                if self.old.name == OLD:
                    self.update_old()
                kept["remote"] = self.fleet.base / "older remote"
                shutil.copytree(self.fleet.remote, kept["remote"])
            if number == rounds * 3 // 5:
                self.squash_remote()
            if number == rounds * 4 // 5:
                self.replace_remote(kept["remote"])
            self._one_round(number, last=number == rounds - 1)
        self._come_to_rest()
        self._examine()
        return self.report

    def _one_round(self, number: int, *, last: bool) -> None:
        everybody = [*self.machines, *([self.old] if self.old.name == OLD else [])]
        self.random.shuffle(everybody)
        for machine in everybody:
            notes = sorted({_id_of(path) for path in machine.memory.glob("*/*.md")})
            for note_id in self.random.sample(notes, min(2, len(notes))):
                self.edit(machine, note_id)
            self._something_else(machine, notes, number)
            if self.random.random() < 0.8:  # some are offline for a round
                self.sync(machine)

    def _something_else(self, machine: Machine, notes: list[str], number: int) -> None:
        others = [note for note in notes if note.startswith("01W")]
        chance = self.random.random()
        if chance < 0.15 or not others:
            self.create(machine)
        elif machine is self.old:
            return
        elif chance < 0.20:
            self.delete(machine, self.random.choice(others))
        elif chance < 0.24:
            self.rename(machine, self.random.choice(others))
        elif chance < 0.27:
            self.keep_local(machine, self.random.choice(others))
        elif chance < 0.30:
            self.forget(machine, self.random.choice(others), and_purge=number % 3 == 2)

    def _come_to_rest(self) -> None:
        for _ in range(6):
            before = [machine.files() for machine in self.machines]
            for machine in self.machines:
                self.sync(machine)
            commits = {machine.git("rev-parse", "main") for machine in self.machines}
            if before == [machine.files() for machine in self.machines] and len(commits) == 1:
                return
        self.report.apart.append("the machines do not come to rest")

    def _examine(self) -> None:
        report, held = self.report, {m.name: machine_held(m) for m in self.machines}
        anywhere = set().union(*held.values())
        report.held = len(anywhere)
        needless = anywhere - self.clashing - self.baseless
        report.needlessly_held += sorted(f"held: {note}" for note in needless)
        asked = {note for m in self.machines for note in _asked_about(m)}
        report.needlessly_held += sorted(
            f"asked about: {note}" for note in asked - self.deleted - self.local
        )
        known, first = self.machines[0].files(), _kept_local(self.machines[0])
        for machine in self.machines:
            files, apart = machine.files(), anywhere | first | _kept_local(machine)
            for path in sorted({*known, *files}):
                if _id_of(Path(path)) in apart:
                    continue
                if known.get(path) != files.get(path):
                    report.apart.append(f"{machine.name}: {path} differs")
        texts = {machine.name: _everything(machine) for machine in self.machines}
        for word, note in sorted(self.wanted.items()):
            having = [name for name, text in texts.items() if word in text]
            if len(having) < len(texts) and not (having and note in anywhere | self.local):
                report.lost.append(f"{word} of {note} is on {len(having)} of {len(texts)} disks")
        for machine in self.machines:
            present = {_id_of(path) for path in machine.memory.glob("*/*.md")}
            for note in sorted(present & (self.gone - self.twice | self.forgotten)):
                report.back.append(f"{note} is back on {machine.name}")

    def _word(self, note_id: str) -> str:
        self._words += 1
        word = f"word{self._words}x"
        self.wanted[word] = note_id
        return word

    def _no_longer_wanted(self, text: str) -> None:
        for word in WORD.findall(text):
            self.wanted.pop(word, None)

    @contextmanager
    def _at(self, machine: Machine) -> Iterator[None]:
        before = os.environ.get("ANAMNESIS_HOME")
        os.environ["ANAMNESIS_HOME"] = str(machine.home)
        try:
            yield
        finally:
            if before is None:
                del os.environ["ANAMNESIS_HOME"]
            else:
                os.environ["ANAMNESIS_HOME"] = before


def machine_held(machine: Machine) -> set[str]:
    """The ids of the notes that wait for a choice on a machine."""
    return {_id_of(Path(path)) for path in machine.held()}


def _asked_about(machine: Machine) -> set[str]:
    """The ids of the notes that one machine deleted and another changed."""
    waiting = Conflicts(Home(machine.home)).waiting()
    return {_id_of(Path(path)) for path, each in waiting.items() if each.deleted}


def _sync_as_013(machine: Machine) -> None:
    """What the first published version did: add, commit, pull with rebase, push."""
    who = f"anamnesis@{machine.name}"
    me = ("-c", "user.name=anamnesis", "-c", f"user.email={who}")
    git("add", "-A", cwd=machine.memory)
    if git("status", "--porcelain", cwd=machine.memory):
        said = f"anamnesis: sync from {machine.name} at 2026-01-01T00:00:00+00:00"
        git(*me, "commit", "--quiet", "-m", said, cwd=machine.memory)
    for attempt in ((*me, "pull", "--rebase", "--quiet", "origin", "main"), ("push", "--quiet")):
        try:
            git(*attempt, cwd=machine.memory)
        except AssertionError:  # it stayed where it was, and so did its user
            if (machine.memory / ".git" / "rebase-merge").exists():
                git("rebase", "--abort", cwd=machine.memory)
            return


def _file(machine: Machine, note_id: str) -> Path | None:
    return next((p for p in machine.memory.glob("*/*.md") if _id_of(p) == note_id), None)


def _id(kind: str, number: int) -> str:
    """An id as the program makes them."""
    return f"01{kind}{number:023}"


def _id_of(path: Path) -> str:
    return path.stem.removeprefix("by hand ")


def _everything(machine: Machine) -> str:
    """What a machine has on its disk: notes, local notes, conflicts that are not resolved."""
    found = [*machine.memory.glob("*/*.md"), *machine.home.glob("local/*/*.md")]
    found += [p for p in machine.home.glob("conflicts/*/*.md") if "resolved" not in p.parts]
    return "\n".join(path.read_text(errors="replace") for path in found)


def _kept_local(machine: Machine) -> set[str]:
    """The ids of the notes that a machine keeps for itself."""
    return {_id_of(path) for path in machine.home.glob("local/*/*.md")}


def _unsent(machine: Machine) -> set[str]:
    """The notes that a machine changed and did not send yet."""
    changed = machine.git("status", "--porcelain", "--untracked-files=all").splitlines()
    known = machine.git("diff", "--name-only", "refs/remotes/origin/main", "HEAD").splitlines()
    paths = [*(line[3:].strip('"') for line in changed), *known]
    return {_id_of(Path(path)) for path in paths}


def _never_committed(machine: Machine) -> set[str]:
    """The notes of a copied disk that no history has: edited there, nothing says which is older."""
    untracked = machine.git("ls-files", "--others", "--", "*.md").splitlines()
    return {_id_of(Path(path)) for path in untracked}


def _kind(refused: PurgeRefused) -> str:
    return "an older machine" if "version" in refused.message else "conflicts are waiting for you"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("--machines", 20), ("--rounds", 20), ("--seed", 1)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--sealed", action="store_true", help="with a sealed remote")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="anamnesis-fleet-") as folder:
        os.environ["HOME"] = folder
        simulation = Simulation(
            Path(folder), machines=args.machines, seed=args.seed, sealed=args.sealed
        )
        report = simulation.run(args.rounds)
    print("; ".join(f"{number} {what}" for what, number in sorted(report.done.items())))
    print(f"{report.held} notes held after a real clash; {len(report.holes)} holes")
    for hole in report.holes:
        print(hole)
    return 1 if report.holes else 0


if __name__ == "__main__":
    sys.exit(main())
