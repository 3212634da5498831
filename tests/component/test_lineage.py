"""The history of a note whose file has, or had, another name than its id."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from anamnesis.cli import main
from anamnesis.store import MemoryStore
from support.notes import hand_written, write_file

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
FIRST, SECOND, THIRD = "body one", "body two", "body three"


@pytest.fixture(autouse=True)
def named_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "here")


def run(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code, capsys.readouterr()
    return capsys.readouterr().out


def versions(capsys: Capture, note_id: str) -> list[dict[str, object]]:
    found = json.loads(run(capsys, "history", note_id, "--json"))
    assert isinstance(found, list)
    return found


def synced(capsys: Capture, root: Path, path: str, note_id: str, body: str) -> None:
    write_file(root, path, hand_written(note_id, body=body))
    run(capsys, "sync")


def renamed(capsys: Capture, root: Path, old: str, new: str) -> None:
    (root / new).parent.mkdir(parents=True, exist_ok=True)
    (root / old).rename(root / new)
    run(capsys, "sync")


def test_a_file_with_a_name_of_its_own_has_a_history(root: Path, capsys: Capture) -> None:
    synced(capsys, root, "memory/semantic/wal-mode.md", "wal", FIRST)
    synced(capsys, root, "memory/semantic/wal-mode.md", "wal", SECOND)

    newest, oldest = versions(capsys, "wal")
    said = run(capsys, "diff", "wal", str(oldest["commit"]), str(newest["commit"]))

    assert f"-{FIRST}\n+{SECOND}" in said


def test_a_rename_is_followed_back_over_several_names(root: Path, capsys: Capture) -> None:
    note_id = run(capsys, "write", FIRST, "--title", "T").strip()
    run(capsys, "sync")
    renamed(capsys, root, f"memory/semantic/{note_id}.md", "memory/semantic/one.md")
    renamed(capsys, root, "memory/semantic/one.md", "memory/semantic/deep/two.md")
    synced(capsys, root, "memory/semantic/deep/two.md", note_id, SECOND)

    found = versions(capsys, note_id)
    run(capsys, "restore", note_id, str(found[-1]["commit"]))

    assert len(found) == 4
    assert not any(version["deleted"] for version in found)
    with MemoryStore(root) as store:
        note = store.get(note_id)
    assert note is not None
    assert note.body == FIRST


def test_another_note_that_had_the_name_before_is_left_out(root: Path, capsys: Capture) -> None:
    synced(capsys, root, "memory/semantic/ideas.md", "old-one", FIRST)
    synced(capsys, root, "memory/semantic/ideas.md", "new-one", SECOND)

    assert len(versions(capsys, "new-one")) == 1
    assert len(versions(capsys, "old-one")) == 1


@pytest.mark.parametrize("name", ["wal.md", "plans.md"])
def test_a_deleted_note_is_found_whatever_it_was_called(
    root: Path, capsys: Capture, name: str
) -> None:
    run(capsys, "write", "another")
    synced(capsys, root, f"memory/semantic/{name}", "wal", FIRST)
    (root / "memory/semantic" / name).unlink()
    run(capsys, "sync")

    gone, last = versions(capsys, "wal")
    run(capsys, "restore", "wal", str(last["commit"]))

    assert gone["deleted"]
    assert not last["deleted"]
    assert (root / "memory/semantic/wal.md").read_text().endswith(f"{FIRST}\n")


def test_a_deleted_note_is_followed_through_its_last_rename(root: Path, capsys: Capture) -> None:
    note_id = run(capsys, "write", FIRST).strip()
    run(capsys, "write", "another")
    run(capsys, "sync")
    renamed(capsys, root, f"memory/semantic/{note_id}.md", "memory/semantic/named.md")
    (root / "memory/semantic/named.md").unlink()
    run(capsys, "sync")

    found = versions(capsys, note_id)

    assert [version["deleted"] for version in found] == [True, False, False]


def test_a_part_of_a_deleted_notes_id_is_enough(root: Path, capsys: Capture) -> None:
    note_id = run(capsys, "write", FIRST).strip()
    run(capsys, "write", "another")
    run(capsys, "sync")
    run(capsys, "delete", note_id, "--yes")
    run(capsys, "sync")

    assert versions(capsys, note_id[-8:].lower()) == versions(capsys, note_id)


def test_a_note_that_stays_here_now_keeps_its_past(root: Path, capsys: Capture) -> None:
    run(capsys, "write", "another")
    synced(capsys, root, "memory/semantic/wal.md", "wal-mode", FIRST)
    renamed(capsys, root, "memory/semantic/wal.md", "local/semantic/mine.md")

    gone, last = versions(capsys, "wal-mode")

    assert gone["deleted"]
    assert FIRST in run(capsys, "diff", "wal-mode", str(gone["commit"]), str(last["commit"]))


def test_a_version_that_cannot_be_read_counts_by_its_name(root: Path, capsys: Capture) -> None:
    synced(capsys, root, "memory/semantic/wal.md", "wal", FIRST)
    (root / "memory/semantic/wal.md").write_text("no front matter any more\n")
    by_hand = ["git", "-c", "user.name=p", "-c", "user.email=p@example.org", "commit", "-qam", "x"]
    subprocess.run(by_hand, cwd=root / "memory", check=True)
    synced(capsys, root, "memory/semantic/wal.md", "wal", THIRD)

    assert len(versions(capsys, "wal")) == 3


def test_a_note_that_never_was_is_not_found(root: Path, capsys: Capture) -> None:
    synced(capsys, root, "memory/semantic/wal.md", "wal", FIRST)

    run(capsys, "history", "nothing", code=1)
    run(capsys, "restore", "nothing", "HEAD", code=1)


def test_a_forgotten_note_is_not_restored(root: Path, capsys: Capture) -> None:
    note_id = run(capsys, "write", FIRST).strip()
    run(capsys, "write", "another")
    run(capsys, "sync")
    run(capsys, "forget", note_id, "--yes")
    run(capsys, "sync")

    run(capsys, "restore", note_id, str(versions(capsys, note_id)[-1]["commit"]), code=2)

    assert not (root / f"memory/semantic/{note_id}.md").exists()
