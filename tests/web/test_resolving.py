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


# Deleted on one machine, changed on another


@pytest.fixture(params=["here", "there"])
def deletion(request: pytest.FixtureRequest, store: MemoryStore, desk: Machine) -> str:
    """One note that one of the two deleted and the other changed; the side that deleted it."""
    desk.write(NOTE, "line one", title="shared")
    desk.sync()
    assert main(["sync"]) == 0
    if request.param == "here":
        desk.edit(NOTE, body="line one, changed")
        store.delete(NOTE)
    else:
        desk.delete(NOTE)
        found = store.require(NOTE)
        store.update(replace(found.note, body="line one, changed"), expected_hash=found.hash)
    desk.sync()
    assert main(["sync"]) == 3
    return str(request.param)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_deletion_of_what_was_changed_elsewhere_is_kept_or_deleted(
    resolve: Resolve, deletion: str, root: Path, desk: Machine, browser: TestClient,
    capsys: pytest.CaptureFixture[str], *, keeps: bool,
) -> None:  # fmt: skip
    side = "deleted here" if deletion == "here" else "deleted on desk"
    assert side in browser.get("/conflicts").text
    assert "Delete it on all machines" in browser.get(f"/conflicts/{NOTE}").text
    assert main(["conflicts", "list"]) == 3
    assert f"({side})" in capsys.readouterr().out

    resolve("theirs" if (deletion == "here") == keeps else "mine")

    assert main(["conflicts", "list"]) == 0
    for _ in range(2):
        assert main(["sync"]) == 0
        desk.sync()
    assert len(files_of(root, NOTE)) == len(files_of(desk.home, NOTE)) == keeps


# Copies that another sync program made


@pytest.fixture(params=["memory", "local"])
def copied(request: pytest.FixtureRequest, store: MemoryStore, root: Path) -> Path:
    """A note with a copy beside it; the file of the note."""
    desk_like = Machine(root, None)
    path = desk_like.write(NOTE, "line one\nline two", title="shared")
    if request.param == "local":
        store.refresh()
        store.move(NOTE, "machine-local")
        path = root / "local/semantic" / path.name
    copy = path.with_name(f"{path.stem}.sync-conflict-20260101-120000-ABCDEFG.md")
    copy.write_text(path.read_text().replace("line two", "line of the copy"))
    store.refresh()
    return path


def copy_id(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["conflicts", "list", "--json"]) == 3
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["fields"], listed["machine"]) == (["body"], "another sync program")
    return str(listed["id"])


@pytest.mark.parametrize(
    ("choice", "kept"), [("mine", "line two"), ("theirs", "line of the copy"), ("both", "line two")]
)
def test_a_copy_of_another_sync_program_is_resolved_like_any_conflict(
    copied: Path, store: MemoryStore, root: Path, capsys: pytest.CaptureFixture[str],
    choice: str, kept: str,
) -> None:  # fmt: skip
    given = copy_id(capsys)

    assert main(["conflicts", "resolve", given, f"--{choice}"]) == 0

    assert files_of(root, NOTE) == {str(copied.relative_to(root)): f"line one\n{kept}"}
    others = [note.body for note in store.list() if note.id != NOTE]
    assert others == ["line one\nline of the copy"] * (choice == "both")
    assert not list(copied.parent.glob("*sync-conflict*"))
    assert main(["conflicts", "list"]) == 0
    assert main(["undo"]) == 0
    assert main(["conflicts", "list"]) == 3


def test_parts_of_a_copy_are_picked_in_the_dashboard(
    copied: Path, root: Path, browser: TestClient, capsys: pytest.CaptureFixture[str]
) -> None:
    given = copy_id(capsys)
    page = browser.get(f"/conflicts/{given}").text
    assert "Another sync program kept a second version" in page
    seal = page.partition('name="seal" value="')[2].partition('"')[0]

    picked = {"choice": "picked", "seal": seal, "part-1": "both"}
    assert browser.post(f"/conflicts/{given}", data=picked).status_code == 303

    assert list(files_of(root, NOTE).values()) == ["line one\nline two\nline of the copy"]
    assert not list(copied.parent.glob("*sync-conflict*"))
