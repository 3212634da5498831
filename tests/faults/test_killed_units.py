"""kill -9 in the middle of a command that changes many notes: the same command again ends right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.history import undo
from anamnesis.store import MemoryStore
from support.reflect import sessions

DYING = """
import os, sys
from anamnesis.cli import main
from anamnesis.ground import atomic
number, real, count = int(sys.argv[1]), atomic._put, 0
def dies(fresh, path, before, after):
    global count
    done = real(fresh, path, before, after)
    count += "/memory/" in path
    if count == number:
        os._exit(9)
    return done
atomic._put = dies
raise SystemExit(main(sys.argv[2:]))
"""
RUN = "from anamnesis.cli import main; raise SystemExit(main())"
NOTES = 12


def notes_in(root: Path) -> dict[str, bytes]:
    """What every note file says."""
    found = (path for tree in ("memory", "local") for path in (root / tree).rglob("*.md"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def killed(number: int, *arguments: str) -> None:
    argv = [sys.executable, "-c", DYING, str(number), *arguments]
    assert subprocess.run(argv, check=False, capture_output=True).returncode == 9


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", RUN, *arguments]
    return subprocess.run(argv, check=False, capture_output=True, text=True, timeout=120)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Notes of another program."""
    path = tmp_path / "CLAUDE.md"
    rule = "## Rule {0}\n\nThis is what rule {0} asks of everybody who works here.\n"
    path.write_text("\n".join(map(rule.format, range(NOTES))))
    return path


@pytest.mark.parametrize("number", [1, 6, NOTES])
def test_a_killed_import_is_repeated_and_ends_right(
    store: MemoryStore, export: Path, number: int
) -> None:
    killed(number, "import", str(export))

    again = run("import", str(export))

    assert again.returncode == 0
    assert f"import: an interrupted import of {NOTES} notes was rolled back" in again.stderr
    assert f"{NOTES} new" in again.stdout
    assert len(store.list()) == NOTES
    assert "interrupted" not in run("import", str(export)).stderr


@pytest.mark.parametrize("number", [1, 6, NOTES])
def test_a_killed_migrate_is_repeated_and_ends_right(store: MemoryStore, number: int) -> None:
    sessions(store, NOTES)
    arguments = ("migrate", "--map", "app=other", "--apply")
    killed(number, *arguments)

    again = run(*arguments)

    assert f"migrate: an interrupted migrate of {NOTES} notes was rolled back" in again.stderr
    assert f"migrate: {NOTES} notes changed" in again.stderr
    assert {note.project for note in store.list()} == {"other"}


def test_a_killed_move_is_repeated_and_leaves_no_copy(store: MemoryStore, root: Path) -> None:
    notes = sessions(store, 1)
    argv = [sys.executable, "-c", DYING.replace('"/memory/"', '"/local/"'), "1", "move"]
    done = subprocess.run([*argv, notes[0].id, "--scope", "machine-local"], check=False)
    assert done.returncode == 9

    assert run("move", notes[0].id, "--scope", "machine-local").returncode == 0

    assert list(notes_in(root)) == [f"local/episodic/{notes[0].id}.md"]


def test_a_sync_sends_nothing_of_a_killed_unit(
    store: MemoryStore, root: Path, export: Path
) -> None:
    store.write(type="semantic", title="before", body="b")
    killed(6, "import", str(export))

    done = run("sync")

    assert "sync: an interrupted import of 12 notes was rolled back" in done.stderr
    listed = subprocess.run(
        ["git", "-C", str(root / "memory"), "ls-tree", "-r", "--name-only", "main"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert listed.stdout.count(".md") == 1


def test_a_command_that_only_writes_one_note_reports_what_it_rolled_back(
    store: MemoryStore, export: Path
) -> None:
    killed(6, "import", str(export))

    done = run("write", "a note")

    assert done.stderr.count("rolled back") == 1
    assert len(store.list()) == 1


def test_an_undo_that_is_killed_is_done_whole_by_the_next(store: MemoryStore, root: Path) -> None:
    sessions(store, NOTES)
    before = notes_in(root)
    assert run("migrate", "--map", "app=other", "--apply").returncode == 0
    killed(5, "undo")

    again = run("undo")

    assert "undo: an interrupted undo of 12 notes was rolled back" in again.stderr
    assert f"Undone: {NOTES} notes moved" in again.stdout
    assert notes_in(root) == before


def test_an_edit_that_was_killed_at_its_end_is_undone(store: MemoryStore, root: Path) -> None:
    note = store.write(type="semantic", title="t", body="before")
    before = notes_in(root)
    argv = [sys.executable, "-c", DYING, "1", "edit", note.id]
    done = subprocess.run(argv, check=False, env={**os.environ, "EDITOR": "sed -i s/before/after/"})
    assert done.returncode == 9

    [unit] = undo.undoable(Home(root))

    assert json.loads(run("undo", "--json").stdout)["put_back"] == 1
    assert unit.kind == "edit"
    assert notes_in(root) == before
