"""A repository that carries notes: what a session start costs with them, and a check in CI."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from anamnesis.carried import FOLDER
from anamnesis.config import Home
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.repository.bridge import bridge
from anamnesis.operations.repository.trust import trust
from anamnesis.store import MemoryStore
from benchmarks import corpus
from benchmarks.hooks import OF_PYTHON, PROJECT, START, Hooks
from benchmarks.measure import COMMAND, Table, adopt_orphans, sample_process

CARRIED = 500
OWN = 10_000
FILES = 10_000


def run() -> None:
    """Print the table."""
    adopt_orphans()
    table = Table("Notes in the repository")
    with tempfile.TemporaryDirectory() as directory:
        hooks = Hooks(_store(Path(directory) / "home"))
        top = _repository(Path(directory) / "code")
        payload = {**START, "cwd": str(top)}
        asked = {"prompt": "what was it about the gateway and its timeouts", "cwd": str(top)}
        before = "no session gets them"
        assert before.encode() in hooks.run("inject", payload=payload)
        for label in ("before they are trusted", "trusted"):
            taken, python = hooks.sample("inject", payload=payload)
            table.row(
                f"inject, {CARRIED} notes {label}", taken, baseline=python, most=3, of=OF_PYTHON
            )
            hit, python = hooks.sample("recall-hook", payload=asked)
            table.row(f"recall-hook, {CARRIED} notes {label}", hit, baseline=python)
            home = Home(str(hooks.root))
            with MemoryStore(home):
                trust(home, str(top))
            os.sync()  # writing back what was just written is not the hook's
        assert b"source: repository" in hooks.run("inject", payload=payload)
        bridge(home, str(top), files=["AGENTS.md"])
        checked = sample_process([COMMAND, "check", str(top)])
        table.row(f"check, {CARRIED} notes, {FILES:,} files", checked)
        table.figure("  CPU of it", checked.best, "s", most=2.0)


def _store(root: Path) -> Path:
    corpus.write_files(root, OWN)
    MemoryStore(root).close()
    return root


def _repository(top: Path) -> Path:
    """A working tree with code, and with the notes of a project in it."""
    for number in range(FILES):
        folder = top / "src" / f"package{number % 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module{number}.py").write_text(f"NUMBER = {number}\n")
    for note in [note for note in corpus.notes(CARRIED * 3) if note.type != "episodic"][:CARRIED]:
        path = top / FOLDER / "memory" / note.type / f"{note.id}-r.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(serialize(note).replace(f"id: {note.id}", f"id: {note.id}-r", 1))
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for words in (["init", "--quiet"], ["remote", "add", "origin", f"https://{PROJECT}.git"]):
        subprocess.run(["git", *words], cwd=top, env=env, check=True)
    return top


if __name__ == "__main__":
    run()
    print(json.dumps(Table.missed))
