"""The store's folders in an editor: plain files become notes, and an edit counts as an edit."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of

LONG_AGO = "2026-01-01T00:00:00+00:00"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")
    (tmp_path / "store" / "memory" / "semantic").mkdir(parents=True)
    return tmp_path / "store"


def put(root: Path, name: str, text: str, *, age: float = 60.0) -> Path:
    path = root / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    saved = time.time() - age
    os.utime(path, (saved, saved))
    return path


def listed(root: Path) -> list[Memory]:
    with MemoryStore(root) as store:
        return store.list()


def test_a_plain_file_becomes_a_note_with_its_heading_as_title(root: Path) -> None:
    path = put(root, "procedural/Release steps.md", "# How we release\n\nTag, then push.\n")

    main(["sync"])

    [note] = listed(root)
    assert (note.title, note.type, note.machine_id) == ("How we release", "procedural", "laptop")
    assert path.read_text().endswith("\n---\n# How we release\n\nTag, then push.\n")
    assert note.updated_at[:4] > "2025"


def test_what_an_editor_added_on_top_stays(root: Path) -> None:
    """Obsidian calls it properties."""
    path = put(root, "semantic/VPN.md", "---\naliases: [tunnel]\ntags: [net]\n---\nPort 51820.\n")

    main(["sync"])
    put(root, "semantic/VPN.md", path.read_text() + "\nUDP.\n")
    main(["sync"])

    [note] = listed(root)
    assert note.tags == ["net"]
    assert note.body == "Port 51820.\n\nUDP."
    assert "aliases: [tunnel]" in path.read_text()


@pytest.mark.parametrize(
    "name",
    [
        "semantic/README.md",
        "semantic/LICENSE.md",
        "semantic/plan.sync-conflict-20260101-101010-ABCDEFG.md",
        "inbox/idea.md",
        "semantic/deep/idea.md",
    ],
)
def test_other_files_are_left_alone(root: Path, name: str) -> None:
    path = put(root, name, "# Idea\n\nText.\n")

    main(["sync"])

    assert path.read_text() == "# Idea\n\nText.\n"
    assert listed(root) == []


def test_a_file_that_a_pull_brought_is_left_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = tmp_path / "remote.git"
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    main(["remote", "--create", str(remote), "--yes"])
    os.system(
        f"cd {tmp_path} && git clone -q {remote} other && cd other && mkdir -p semantic &&"
        " echo '# Idea' > semantic/idea.md && git add -A &&"
        " git -c user.name=a -c user.email=a@b commit -qm idea && git push -q"
    )

    for _ in range(2):
        main(["sync"])

    assert listed(root) == []


def test_two_machines_give_one_file_one_id(root: Path, tmp_path: Path) -> None:
    """A folder that Syncthing keeps equal, as both see it before either syncs."""
    notes = []
    for name in ("laptop", "desk"):
        home = tmp_path / name
        put(home, "semantic/idea.md", "# Idea\n\nText.\n")
        backend_of(home, machine_id=name).sync()
        notes += listed(home)

    assert len({note.id for note in notes}) == 1
    assert {note.machine_id for note in notes} == {"laptop", "desk"}


def test_a_file_that_is_being_written_waits(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(root, "semantic/idea.md", "# Ide", age=1.0)

    main(["sync"])

    assert listed(root) == []
    assert "saved a moment ago" in capsys.readouterr().err


def test_an_edit_in_an_editor_counts_as_an_edit(root: Path) -> None:
    with MemoryStore(root) as store:
        for name in ("first", "second"):
            store.put(
                Memory(id=name, type="semantic", title=name, body="Old text.", project="global",
                       machine_id="laptop", created_at=LONG_AGO, updated_at=LONG_AGO)
            )  # fmt: skip
    main(["sync"])
    path = root / "memory" / "semantic" / "first.md"

    put(root, "semantic/first.md", path.read_text().replace("Old", "New"))
    main(["sync"])

    latest, other = listed(root)
    assert (latest.id, latest.body) == ("first", "New text.")
    assert latest.updated_at > other.updated_at == LONG_AGO
    assert path.read_text().replace(latest.updated_at, LONG_AGO).count(LONG_AGO) == 2


def test_a_command_that_keeps_the_time_is_no_edit(root: Path) -> None:
    with MemoryStore(root) as store:
        store.put(
            Memory(id="first", type="semantic", title="first", body="Old text.", project="global",
                   machine_id="laptop", created_at=LONG_AGO, updated_at=LONG_AGO)
        )  # fmt: skip
    main(["sync"])

    main(["pin", "first"])
    main(["sync"])

    assert [note.updated_at for note in listed(root)] == [LONG_AGO]


def test_a_file_may_be_renamed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(root, "semantic/Port.md", "# Port of staging\n\n8443.\n")
    main(["sync"])
    before = listed(root)

    path.rename(path.with_name("Staging, its port.md"))
    main(["sync"])

    said = capsys.readouterr()
    assert "removed from this disk" not in said.out + said.err
    assert listed(root) == before
