"""Resolving a conflict is a change like any other: every face takes it back, text and conflict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.curate import forget
from anamnesis.operations.travel import conflicts
from anamnesis.store import MemoryStore
from anamnesis.sync.conflicts import Conflicts
from support.fleet import Fleet, Machine, in_step

from .test_undo import anamnesis, dashboard, notes_in


@pytest.fixture
def clash(store: MemoryStore) -> Memory:
    return _clash(store, "VPN")


def _clash(store: MemoryStore, title: str) -> Memory:
    """A note that is held: here it says `here`, on the desk it says `there`."""
    before = store.write(type="semantic", title=title, body="before")
    read = store.require(before.id)
    base, theirs = (serialize(replace(before, body=body)).encode() for body in ("before", "there"))
    Conflicts(store.home).hold(
        f"semantic/{before.id}.md", base=base, theirs=theirs, machine="desk", fields=("body",)
    )
    return store.update(replace(read.note, body="here"), expected_hash=read.hash)


def kept_in(root: Path) -> dict[str, bytes]:
    """Every note, and both versions of every conflict.

    Not what both had before: the dashboard records a moment later, and may find something newer.
    """
    names = ("theirs.md", "conflict.json")
    files = (path for path in (root / "conflicts").rglob("*") if path.name in names)
    return {**notes_in(root), **{str(path.relative_to(root)): path.read_bytes() for path in files}}


def by_command(choice: str) -> Callable[[MemoryStore, str], None]:
    def resolve(store: MemoryStore, note_id: str) -> None:
        editor = "sed -i -e /^[<=>]/d -e s/there//"
        done = anamnesis("conflicts", "resolve", note_id, f"--{choice}", EDITOR=editor)
        assert done.returncode == 0, done.stderr

    return resolve


def in_dashboard(choice: str) -> Callable[[MemoryStore, str], None]:
    def resolve(store: MemoryStore, note_id: str) -> None:
        form = {"choice": choice, "seal": conflicts.seal(conflicts.find(store, note_id))}
        if choice == "picked":
            form["part-1"] = "both"
        answer = dashboard(store).post(f"/conflicts/{note_id}", data=form)
        assert answer.status_code == 303

    return resolve


WAYS = {
    **{f"command --{choice}": by_command(choice) for choice in ("mine", "theirs", "both", "edit")},
    **{f"page {choice}": in_dashboard(choice) for choice in ("mine", "theirs", "both", "picked")},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_resolved_conflict_comes_back_with_its_text(
    store: MemoryStore, root: Path, clash: Memory, way: str
) -> None:
    before, base = kept_in(root), conflicts.find(store, clash.id).conflict.base
    WAYS[way](store, clash.id)
    assert conflicts.held(store) == []
    resolved = kept_in(root)

    done = anamnesis("undo", "--json")

    assert done.returncode == 0
    assert kept_in(root) == before
    if way.startswith("command"):
        assert conflicts.find(store, clash.id).conflict.base == base
    assert [sides.conflict.id for sides in conflicts.held(store)] == [clash.id]
    assert [note.body for note in store.list()] == ["here"]
    assert json.loads(done.stdout)["put_back"] == (2 if "both" in way else 1)

    assert anamnesis("undo", json.loads(done.stdout)["redo"]).returncode == 0
    assert kept_in(root) == resolved
    assert conflicts.held(store) == []


def test_the_page_undoes_all_conflicts_that_were_resolved_together(
    store: MemoryStore, root: Path, clash: Memory
) -> None:
    other = _clash(store, "Ports")
    before = kept_in(root)
    sealed = [f"{each.conflict.id} {conflicts.seal(each)}" for each in conflicts.held(store)]
    form = {"choice": "theirs", "id": sealed}
    assert dashboard(store).post("/conflicts", data=form).status_code == 303
    assert {note.body for note in store.list()} == {"there"}
    restarted = dashboard(store)
    assert "2 conflicts resolved" in restarted.get("/history?undo=1").text

    assert restarted.post("/undo", data={"latest": "1"}).status_code == 303

    assert kept_in(root) == before
    assert {each.conflict.id for each in conflicts.held(store)} == {clash.id, other.id}


def test_a_note_that_was_edited_since_is_left_and_so_is_its_conflict(
    store: MemoryStore, root: Path, clash: Memory
) -> None:
    conflicts.resolve(store, clash.id, "theirs")
    read = store.require(clash.id)
    store.update(replace(read.note, body="later"), expected_hash=read.hash)

    done = anamnesis("undo")

    assert done.returncode == 1
    assert conflicts.held(store) == []
    assert store.require(clash.id).note.body == "later"


def test_the_next_conflict_about_a_note_is_not_replaced_by_the_last(
    store: MemoryStore, root: Path, clash: Memory
) -> None:
    unit = conflicts.resolve(store, clash.id, "mine").unit
    assert unit is not None
    newer = serialize(replace(clash, body="there again")).encode()
    path = f"semantic/{clash.id}.md"
    held = Conflicts(store.home).hold(
        path, base=None, theirs=newer, machine="desk", fields=("body",)
    )
    assert held.id == clash.id  # nothing of the resolved one is in its way

    assert anamnesis("undo", unit.id).returncode == 1

    assert [sides.conflict.theirs for sides in conflicts.held(store)] == [newer]


def test_a_session_that_was_told_of_a_conflict_is_not_in_the_way_of_an_undo(
    store: MemoryStore, root: Path, clash: Memory
) -> None:
    assert Conflicts(store.home).unannounced()
    conflicts.resolve(store, clash.id, "theirs")
    assert [path.name for path in (root / "conflicts").iterdir()] == ["resolved"]

    assert anamnesis("undo").returncode == 0

    assert list((root / "conflicts" / "resolved").iterdir()) == []
    assert [sides.conflict.id for sides in conflicts.held(store)] == [clash.id]


def test_nothing_of_a_forgotten_note_waits_in_a_resolved_conflict(
    store: MemoryStore, root: Path, clash: Memory
) -> None:
    conflicts.resolve(store, clash.id, "theirs")

    forget.forget(store, [clash.id])

    texts = [path.read_text() for path in (root / "undo").rglob("*.json")]
    assert not any(word in text for text in texts for word in ("VPN", "here", "before the"))
    assert list((root / "conflicts" / "resolved").iterdir()) == []


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines in step."""
    fleet = Fleet(tmp_path)
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("n", "before")
    in_step(laptop, desk)
    return laptop, desk


@pytest.mark.parametrize("choice", ["mine", "theirs", "edited"])
def test_a_choice_that_was_sent_is_taken_back_everywhere(
    pair: tuple[Machine, Machine], choice: str
) -> None:
    laptop, desk = pair
    laptop.edit("n", body="from laptop")
    desk.edit("n", body="from desk")
    laptop.sync()
    assert desk.sync().conflicted
    with MemoryStore(desk.home) as store:
        if choice == "edited":
            text = serialize(replace(desk.note("n"), body="from both"))
            unit = conflicts.resolve_with(store, "n", text).unit
        else:
            unit = conflicts.resolve(store, "n", choice).unit
        assert unit is not None
        in_step(laptop, desk)

        assert anamnesis("undo", unit.id, ANAMNESIS_HOME=str(desk.home)).returncode == 0
        assert desk.body("n") == "from desk"
        assert [sides.conflict.id for sides in conflicts.held(store)] == ["n"]

        assert desk.sync().conflicted
        laptop.sync()
        assert (laptop.body("n"), desk.body("n")) == ("from laptop", "from desk")
        [sides] = conflicts.held(store)
        assert b"from laptop" in sides.conflict.theirs
        conflicts.resolve(store, "n", "mine")
    in_step(laptop, desk)
    assert laptop.body("n") == desk.body("n") == "from desk"
