"""Resolving a conflict of a note that has another place by now: one id never has two files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.cli import main
from anamnesis.ground.records import replace
from anamnesis.notes.frontmatter import deserialize
from anamnesis.store import MemoryStore
from support.fleet import Fleet, Machine
from support.thin import every

NOTE = "01K0000000000000000000C0DE"
Resolve = Callable[[str], None]


@pytest.fixture
def desk(tmp_path: Path, root: Path) -> Machine:
    fleet = Fleet(tmp_path)
    root.mkdir(exist_ok=True)
    (root / "config.json").write_text(json.dumps({"remote": str(fleet.remote)}))
    return fleet.machine("desk")


@pytest.fixture(params=["command", "dashboard"])
def resolve(request: pytest.FixtureRequest, browser: TestClient) -> Resolve:
    """Resolves the conflict with one of the choices, by one of the faces."""

    def by_command(choice: str) -> None:
        assert main(["conflicts", "resolve", NOTE, f"--{choice}"]) == 0

    def by_dashboard(choice: str) -> None:
        assert browser.post(f"/conflicts/{NOTE}", data={"choice": choice}).status_code == 303

    return by_command if request.param == "command" else by_dashboard


@pytest.fixture
def conflict(store: MemoryStore, desk: Machine) -> str:
    """One note, edited here and on the desk."""
    desk.write(NOTE, "line one\nline two", title="shared")
    desk.sync()
    assert main(["sync"]) == 0
    desk.edit(NOTE, body="line one\nline of the desk")
    desk.sync()
    found = store.require(NOTE)
    store.update(replace(found.note, body="line one\nline of the laptop"), expected_hash=found.hash)
    assert main(["sync"]) == 3
    return NOTE


def moved_to_local(store: MemoryStore) -> str:
    store.move(NOTE, "machine-local")
    return f"local/semantic/{NOTE}.md"


def of_another_type(store: MemoryStore) -> str:
    found = store.require(NOTE)
    store.update(replace(found.note, type="procedural"), expected_hash=found.hash)
    return f"memory/procedural/{NOTE}.md"


def of_another_type_and_local(store: MemoryStore) -> str:
    of_another_type(store)
    store.move(NOTE, "machine-local")
    return f"local/procedural/{NOTE}.md"


def renamed_by_hand(store: MemoryStore) -> str:
    folder = Path(store.home, "memory/semantic")
    (folder / f"{NOTE}.md").rename(folder / "my own name.md")
    store.refresh()
    return "memory/semantic/my own name.md"


def renamed_by_hand_in_local(store: MemoryStore) -> str:
    moved_to_local(store)
    folder = Path(store.home, "local/semantic")
    (folder / f"{NOTE}.md").rename(folder / "my own name.md")
    store.refresh()
    return "local/semantic/my own name.md"


PLACES = [
    moved_to_local, of_another_type, of_another_type_and_local, renamed_by_hand,
    renamed_by_hand_in_local,
]  # fmt: skip


def files_of(root: Path, note_id: str) -> dict[str, str]:
    """The text of every file of an id, by its path."""
    found = [path for tree in ("memory", "local") for path in (root / tree).glob("*/*.md")]
    notes = {str(path.relative_to(root)): deserialize(path.read_text()) for path in found}
    return {path: note.body for path, note in notes.items() if note.id == note_id}


@pytest.mark.parametrize("place", every(3, PLACES), ids=lambda place: place.__name__)
@pytest.mark.parametrize("choice", ["mine", "theirs", "both"])
def test_a_choice_never_creates_a_second_file(
    resolve: Resolve, conflict: str, store: MemoryStore, root: Path, desk: Machine,
    place: Callable[[MemoryStore], str], choice: str,
) -> None:  # fmt: skip
    path = place(store)

    resolve(choice)

    kept = "line of the desk" if choice == "theirs" else "line of the laptop"
    assert files_of(root, NOTE) == {path: f"line one\n{kept}"}
    others = [note for note in store.list() if note.id != NOTE]
    assert [note.body for note in others] == ["line one\nline of the desk"] * (choice == "both")
    for _ in range(2):
        assert main(["sync"]) == 0
        desk.sync()
    assert files_of(root, NOTE) == {path: f"line one\n{kept}"}
    assert len(files_of(desk.home, NOTE)) == (not path.startswith("local/"))


@pytest.mark.parametrize("place", PLACES[:-1], ids=lambda place: place.__name__)
def test_a_sync_in_between_creates_no_second_file(
    conflict: str, store: MemoryStore, root: Path, desk: Machine,
    place: Callable[[MemoryStore], str],
) -> None:  # fmt: skip
    path = place(store)

    for _ in range(2):
        main(["sync"])
        if desk.path(NOTE).exists():
            desk.edit(NOTE, title="Edited again")
        desk.sync()
    main(["sync"])

    assert list(files_of(root, NOTE)) == [path]
    assert "line of the laptop" in files_of(root, NOTE)[path]
