"""Every front end at once on two machines, with a slow model and kill -9 all the while.

Each actor writes down what was acknowledged to it, and nothing else. At the end all of that must be
in the notes: an edit in its note, a note in its store, a deleted note nowhere.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anamnesis.ground.errors import AnamnesisError
from anamnesis.history import undo
from anamnesis.store import MemoryStore
from support import model_server as play
from support.fronts import Commands, Dashboard, Editor, Front, Library, Tools
from support.hooks import Transcript
from support.notes import content_of_files, index_content

_SHARED = 6
_CAPTURES = 4  # of one session, then the next begins: an edit must meet a capture that waits
_LATEST = 2  # sessions whose notes are edited
OF_EDITOR, OF_OTHERS = "e", "s"  # sessions by who edits their notes
_SETTLING = 6  # syncs of each machine until all have everything; a killed git is waited for


@dataclass(slots=True)
class Acknowledged:
    """What was promised: lines by note, notes that were written, and notes that were deleted."""

    lines: list[tuple[str, str, str, str]] = field(default_factory=list)  # who, machine, note, line
    written: list[tuple[str, str, str]] = field(default_factory=list)  # who, machine, note
    deleted: list[str] = field(default_factory=list)
    captured: int = 0
    synced: int = 0

    def __len__(self) -> int:
        return len(self.lines) + len(self.written) + len(self.deleted)


@dataclass(frozen=True, slots=True)
class Report:
    """What became of the promises."""

    acknowledged: Acknowledged
    kills: int
    lost: tuple[str, ...]
    left_out: int  # texts of captures that did not get in, kept for undo

    def __str__(self) -> str:
        did = self.acknowledged
        ways: dict[str, int] = {}
        for who, *_ in (*did.lines, *did.written):
            ways[who] = ways.get(who, 0) + 1
        listed = ", ".join(f"{who} {number}" for who, number in sorted(ways.items()))
        return (
            f"{len(did)} changes acknowledged ({listed}, deleted {len(did.deleted)}); "
            f"{did.captured} captures, {did.synced} syncs, {self.kills} kills; "
            f"{len(self.lost)} lost, {self.left_out} captures kept apart"
        )


class Processes:
    """The children that run now; any of them may be killed at any moment."""

    def __init__(self) -> None:
        self._alive: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self.kills = 0

    def start(self, words: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(words, **options, start_new_session=True, text=False)
        with self._lock:
            self._alive = {each for each in self._alive if each.poll() is None} | {child}
        return child

    def kill_one(self, dice: random.Random) -> None:
        """Kill a process, and half of the time all that it started."""
        with self._lock:
            running = [each for each in self._alive if each.poll() is None]
        if not running:
            return
        victim = dice.choice(sorted(running, key=lambda each: each.pid))
        try:
            if dice.random() < 0.5:
                os.killpg(victim.pid, signal.SIGKILL)
            else:
                victim.kill()
        except ProcessLookupError:
            return
        self.kills += 1

    def end(self) -> None:
        """Wait for those that still run: none may outlive the test."""
        for child in self._alive:
            child.wait(timeout=180)


class Load:
    """The machines, the actors, and what they were promised."""

    def __init__(self, base: Path, *, seed: int) -> None:
        self.did = Acknowledged()
        self._base, self._dice = base, random.Random(seed)
        self._processes = Processes()
        self._over = threading.Event()
        self._numbers = iter(range(10**9))
        self._trouble: list[str] = []
        remote = base / "remote.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
        self._homes = {name: base / name for name in ("laptop", "desk")}
        for name, home in self._homes.items():
            store = home / ".anamnesis"
            store.mkdir(parents=True)
            settings = {"machine_id": name, "remote": str(remote)}
            (store / "config.json").write_text(json.dumps(settings))

    def run(self, *, seconds: float, kills: int) -> Report:
        """Let everybody work for a time, then wait until all machines agree, and count."""
        with play.serving(self._summary) as model:
            self._told = {
                "ANAMNESIS_REFLECTION_PROVIDER": "local",
                "ANAMNESIS_REFLECTION_MODEL": "small",
                "ANAMNESIS_REFLECTION_BASE_URL": f"{model.url}/v1",
            }
            self._prepare()
            actors = [threading.Thread(target=actor) for actor in self._actors()]
            for actor in actors:
                actor.start()
            self._kill(seconds, kills)
            self._over.set()
            for actor in actors:
                actor.join()
        self._dashboard.end()
        self._processes.end()
        if self._trouble:
            raise AssertionError(self._trouble[0])
        return self._counted()

    # The actors

    def _prepare(self) -> None:
        laptop, start = self._homes["laptop"], self._processes.start
        with MemoryStore(laptop / ".anamnesis") as store:
            self._shared = [
                store.write(type="semantic", title=f"shared {n}", body="Begun.").id
                for n in range(_SHARED)
            ]
            self._of_editor = store.write(type="semantic", title="by editor", body="Begun.").id
        self._commands = Commands(laptop, start=start)
        self._calm = {name: Commands(home) for name, home in self._homes.items()}
        self._captures = Commands(laptop, start=start, **self._told)
        self._desk = Commands(self._homes["desk"], start=start)
        self._dashboard = Dashboard(laptop, start=start)
        self._tools = Tools(laptop, start=start)
        self._captured = {OF_EDITOR: 0, OF_OTHERS: 0}
        for name in ("laptop", "desk"):
            assert self._calm[name].run("sync")[0] == 0

    def _actors(self) -> list[Callable[[], None]]:
        library, editor = Library(self._homes["laptop"]), Editor(self._homes["laptop"])
        return [
            self._again_and_again(lambda: self._edit("command", self._commands)),
            self._again_and_again(lambda: self._edit("dashboard", self._dashboard)),
            self._again_and_again(lambda: self._edit("library", library), pause=0.2),
            self._again_and_again(lambda: self._save(editor), pause=0.2),
            self._again_and_again(lambda: self._edit("desk", self._desk, "desk")),
            self._again_and_again(lambda: self._write("command", self._commands)),
            self._again_and_again(lambda: self._write("dashboard", self._dashboard), pause=0.5),
            self._again_and_again(lambda: self._write("tool", self._tools), pause=0.5),
            self._again_and_again(lambda: self._capture(OF_EDITOR)),
            self._again_and_again(lambda: self._capture(OF_OTHERS)),
            self._again_and_again(lambda: self._sync("laptop"), pause=1.0),
            self._again_and_again(lambda: self._sync("desk"), pause=1.0),
        ]

    def _again_and_again(
        self, act: Callable[[], None], *, pause: float = 0.05
    ) -> Callable[[], None]:
        def actor() -> None:
            while not self._over.wait(pause):
                try:
                    act()
                except Exception as error:  # noqa: BLE001  the test must not wait for ever
                    self._trouble.append(f"{type(error).__name__}: {error}")
                    return

        return actor

    def _edit(self, who: str, front: Front, machine: str = "laptop") -> None:
        notes = self._sessions(OF_OTHERS) if machine == "laptop" else []
        note_id = self._dice.choice(notes if notes and next(self._numbers) % 2 else self._shared)
        line = self._line(who)
        if front.add(note_id, line):
            self.did.lines.append((who, machine, note_id, line))

    def _save(self, editor: Editor) -> None:
        """An editor may overwrite others; so these notes have only capture and sync besides."""
        note_id = self._dice.choice([self._of_editor, *self._sessions(OF_EDITOR)])
        line = self._line("editor")
        if editor.add(note_id, line):
            self.did.lines.append(("editor", "laptop", note_id, line))

    def _write(self, who: str, front: Commands | Dashboard | Tools) -> None:
        number = next(self._numbers)
        note_id = front.write(f"note {number}", f"What {who} wrote as number {number}.")
        if not note_id:
            return
        if who == "command" and number % 3 == 0:
            if self._commands.run("delete", note_id, "--yes")[0] == 0:
                self.did.deleted.append(note_id)
            return
        self.did.written.append((who, "laptop", note_id))

    def _capture(self, kind: str) -> None:
        session = f"{kind}-{self._captured[kind] // _CAPTURES}"
        self._captured[kind] += 1
        path = self._base / "transcripts" / f"{session}.jsonl"
        transcript = Transcript(path, session=session, cwd=str(self._base))
        if path.stat().st_size == 0:
            transcript.user(f"Make part {session} of the shop faster, and keep its tests passing")
            transcript.edit(f"/u/shop/{session}.py").result()
        transcript.assistant(f"Step {next(self._numbers)} is done, as the tests of the shop show.")
        payload = {"session_id": session, "transcript_path": str(path)}
        code, _ = self._captures.run("capture", data=json.dumps(payload).encode())
        self.did.captured += code == 0

    def _sync(self, machine: str) -> None:
        commands = Commands(self._homes[machine], start=self._processes.start)
        self.did.synced += commands.run("sync")[0] == 0

    def _kill(self, seconds: float, kills: int) -> None:
        end = time.monotonic() + seconds
        every = seconds / max(kills, 1)
        while time.monotonic() < end or self._processes.kills < kills:
            time.sleep(self._dice.uniform(0.5, 1.5) * min(every, 1.0))
            due = kills - (end - time.monotonic()) / every
            if self._processes.kills < due:
                self._processes.kill_one(self._dice)
            if self._trouble:
                return

    # What they work on

    def _line(self, who: str) -> str:
        return f"Line {next(self._numbers)} that came by {who}."

    def _sessions(self, kind: str) -> list[str]:
        """The notes of the latest sessions of a kind."""
        try:
            with MemoryStore(self._homes["laptop"] / ".anamnesis", hurried=True) as store:
                notes = store.headers(type="episodic")
        except AnamnesisError:
            return []
        found = [note for note in notes if note.prov_session.startswith(kind)]
        return [note.id for note in sorted(found, key=lambda note: note.id)[-_LATEST:]]

    def _summary(self, handler: play.Handler) -> None:
        """A model that takes its time and says something else each time."""
        time.sleep(self._dice.uniform(0.1, 1.2))
        number = next(self._numbers)
        body = f"**Outcome:** state {number} of the work.\n\n**Next:** whatever follows {number}."
        play.says(json.dumps({"keep": True, "title": f"Work {number}", "body": body}))(handler)

    # What became of it

    def _counted(self) -> Report:
        for _ in range(_SETTLING):
            time.sleep(0.5)
            codes = [self._calm[name].run("sync")[0] for name in self._homes]
        assert set(codes) <= {0, 3}, codes
        texts = {name: self._texts(home) for name, home in self._homes.items()}
        lost = [
            f"{who} on {machine}: {line} in {note_id}"
            for who, machine, note_id, line in self.did.lines
            if line not in texts[machine].get(note_id, "")
        ]
        lost += [
            f"{who}: note {note_id} on {name}"
            for who, _, note_id in self.did.written
            for name in self._homes
            if note_id not in texts[name]
        ]
        lost += [
            f"deleted {note_id} came back on {name}"
            for note_id in self.did.deleted
            for name in self._homes
            if note_id in texts[name]
        ]
        with MemoryStore(self._homes["laptop"] / ".anamnesis") as store:
            left_out = sum(unit.redoes == "capture" for unit in undo.undoable(store.home))
        return Report(self.did, self._processes.kills, tuple(lost), left_out)

    def _texts(self, home: Path) -> dict[str, str]:
        """Every note with its text; none is torn, and the index says the same."""
        root = home / ".anamnesis"
        with MemoryStore(root) as store:
            store.refresh()
            assert list(store.unreadable()) == []
            notes = {note.id: note.body for note in store.list()}
        assert index_content(root)["memories"] == content_of_files(root)["memories"]
        return notes
