"""What every sync backend keeps to, whatever it moves the notes with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path

import pytest

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.sync import SyncBackend, SyncResult
from support.fleet import FIVE, Fleet
from support.reference_sync import ReferenceSyncBackend, SharedVersions

Disk = MutableMapping[str, bytes]


class Folder(MutableMapping[str, bytes]):
    """The files of a directory as a mapping."""

    def __init__(self, base: Path) -> None:
        self._base = base

    def __getitem__(self, path: str) -> bytes:
        try:
            return (self._base / path).read_bytes()
        except FileNotFoundError:
            raise KeyError(path) from None

    def __setitem__(self, path: str, data: bytes) -> None:
        target = self._base / path
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(".tmp-contract")
        fresh.write_bytes(data)
        os.replace(fresh, target)

    def __delitem__(self, path: str) -> None:
        (self._base / path).unlink()

    def __iter__(self) -> Iterator[str]:
        for path in sorted(self._base.rglob("*.md")):
            if ".git" not in path.parts:
                yield str(path.relative_to(self._base))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Node:
    """One machine of the contract: a disk and the backend under test."""

    def __init__(self, disk: Disk, backend: SyncBackend) -> None:
        self.disk = disk
        self.backend = backend

    def write(self, name: str, body: str = FIVE, **fields: object) -> None:
        note = Memory(id=name, type="semantic", title="A title", body=body, created_at="2026")
        self.disk[f"semantic/{name}.md"] = serialize(replace(note, **fields)).encode()

    def note(self, name: str) -> Memory:
        return deserialize(self.disk[f"semantic/{name}.md"].decode())

    def edit(self, name: str, **fields: object) -> None:
        self.disk[f"semantic/{name}.md"] = serialize(replace(self.note(name), **fields)).encode()

    def delete(self, name: str) -> None:
        del self.disk[f"semantic/{name}.md"]

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        return self.backend.sync(accept_deletions=accept_deletions)

    def has(self, name: str) -> bool:
        return f"semantic/{name}.md" in self.disk


Join = Callable[[str], Node]


@pytest.fixture(params=["git", "sealed", "reference"])
def join(request: pytest.FixtureRequest, tmp_path: Path) -> Join:
    """Let another machine join the ones that share a remote; an empty name has no remote."""
    if request.param != "reference":
        fleet = Fleet(tmp_path)
        if request.param == "sealed":
            fleet = request.getfixturevalue("sealed_fleet").copy(tmp_path / "sealed")

        def machine(name: str) -> Node:
            made = fleet.machine(name or "alone")
            made.remote = made.remote if name else None
            made.sync()  # a sealed remote has a commit from the start
            return Node(Folder(made.memory), made.backend)

        return machine
    shared = SharedVersions()

    def dictionary(name: str) -> Node:
        disk: Disk = {}
        remote = shared if name else None
        return Node(disk, ReferenceSyncBackend(disk, remote=remote, machine_id=name))

    return dictionary


@pytest.fixture
def pair(join: Join) -> tuple[Node, Node]:
    """Two machines that have the note `n`."""
    laptop, desk = join("laptop"), join("desk")
    laptop.write("n")
    laptop.write("anchor")
    laptop.sync()
    desk.sync()
    return laptop, desk


def test_a_note_reaches_the_other_machine(pair: tuple[Node, Node]) -> None:
    laptop, desk = pair

    assert desk.disk == laptop.disk


def test_the_result_tells_what_happened(join: Join) -> None:
    laptop, desk = join("laptop"), join("desk")
    laptop.write("n")

    sent, taken = laptop.sync(), desk.sync()

    assert (sent.pushed, sent.pulled, sent.conflicted) == (True, 0, False)
    assert (taken.pushed, taken.pulled, taken.conflicted) == (False, 1, False)
    assert sent.head is not None
    assert len(taken.changed) == 1


def test_a_sync_with_nothing_to_do_does_nothing(pair: tuple[Node, Node]) -> None:
    laptop, _ = pair

    result = laptop.sync()

    assert (result.pushed, result.pulled, result.changed) == (False, 0, ())


def test_without_a_remote_it_commits_locally_and_says_so(join: Join) -> None:
    alone = join("")
    alone.write("n")

    result = alone.sync()

    assert (result.pushed, result.conflicted) == (False, False)
    assert "remote" in result.detail
    assert alone.backend.state().initialized


def test_a_deletion_travels(pair: tuple[Node, Node]) -> None:
    laptop, desk = pair
    laptop.delete("n")
    laptop.sync()

    desk.sync()

    assert not desk.has("n")


def test_edits_of_different_fields_are_merged(pair: tuple[Node, Node]) -> None:
    laptop, desk = pair
    laptop.edit("n", title="Another title", tags=["a"])
    desk.edit("n", body="changed", tags=["b"])
    laptop.sync()

    result = desk.sync()
    laptop.sync()

    assert not result.conflicted
    merged = laptop.note("n")
    assert (merged.title, merged.body, set(merged.tags)) == ("Another title", "changed", {"a", "b"})
    assert desk.disk == laptop.disk


def test_edits_of_different_lines_are_merged(pair: tuple[Node, Node]) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    desk.edit("n", body=FIVE.replace("five", "FIVE"))
    laptop.sync()
    desk.sync()
    laptop.sync()

    assert laptop.note("n").body == "ONE\ntwo\nthree\nfour\nFIVE"
    assert desk.disk == laptop.disk


def test_what_was_deleted_on_either_side_and_edited_on_the_other_is_kept_and_asked_about(
    pair: tuple[Node, Node],
) -> None:
    laptop, desk = pair
    laptop.write("m")
    laptop.sync()
    desk.sync()
    laptop.delete("n")
    desk.edit("n", body="still needed")
    laptop.edit("m", body="still needed")
    desk.delete("m")
    laptop.sync()
    desk.sync()
    laptop.sync()

    assert laptop.note("n").body == laptop.note("m").body == "still needed"
    assert desk.disk == laptop.disk
    assert len(desk.backend.state().held) == 2
    assert laptop.backend.state().held == ()


def test_an_edit_follows_a_note_that_moved_to_another_type(pair: tuple[Node, Node]) -> None:
    laptop, desk = pair
    moved = replace(laptop.note("n"), type="procedural")
    laptop.disk["procedural/n.md"] = serialize(moved).encode()
    laptop.delete("n")
    desk.edit("n", body="edited meanwhile")
    laptop.sync()
    desk.sync()
    laptop.sync()

    assert not desk.has("n")
    assert deserialize(desk.disk["procedural/n.md"].decode()).body == "edited meanwhile"
    assert desk.disk == laptop.disk


@pytest.fixture
def clash(pair: tuple[Node, Node]) -> tuple[Node, Node]:
    """Both machines changed the same line; the desk noticed."""
    laptop, desk = pair
    laptop.edit("n", body="from laptop")
    desk.edit("n", body="from desk")
    desk.write("other", "not concerned")
    laptop.sync()
    desk.sync()
    return laptop, desk


def test_a_clash_keeps_the_local_text_and_tells(clash: tuple[Node, Node]) -> None:
    _, desk = clash

    result = desk.sync()

    assert result.conflicted
    assert len(result.conflicts) == 1
    assert desk.note("n").body == "from desk"
    assert len(desk.backend.state().held) == 1


def test_a_clash_holds_nothing_else_up(clash: tuple[Node, Node]) -> None:
    laptop, desk = clash
    laptop.write("later", "x")
    laptop.sync()

    desk.sync()

    assert laptop.has("other")
    assert desk.has("later")
    assert laptop.note("n").body == "from laptop"


def test_a_clash_ends_when_an_edit_makes_it_mergeable(clash: tuple[Node, Node]) -> None:
    laptop, desk = clash
    desk.disk["semantic/n.md"] = laptop.disk["semantic/n.md"]

    result = desk.sync()

    assert not result.conflicted
    laptop.sync()
    assert desk.disk == laptop.disk


def test_a_clash_ends_when_the_other_side_gives_in(clash: tuple[Node, Node]) -> None:
    laptop, desk = clash
    laptop.disk["semantic/n.md"] = desk.disk["semantic/n.md"]
    laptop.sync()
    desk.sync()

    result = desk.sync()

    assert not result.conflicted
    assert desk.disk == laptop.disk


def test_a_machine_that_joins_keeps_its_own_notes(pair: tuple[Node, Node], join: Join) -> None:
    laptop, _ = pair
    phone = join("phone")
    phone.write("own", "mine")
    phone.write("anchor")
    phone.sync()
    laptop.sync()

    assert phone.disk == laptop.disk
    assert laptop.note("own").body == "mine"


def test_a_machine_that_lost_all_its_notes_gets_them_back(pair: tuple[Node, Node]) -> None:
    laptop, desk = pair
    desk.disk.clear()

    desk.sync()
    laptop.sync()

    assert laptop.has("n")
    assert desk.disk == laptop.disk


def test_deleting_everything_travels_if_it_is_accepted(pair: tuple[Node, Node]) -> None:
    laptop, desk = pair
    desk.disk.clear()
    desk.sync(accept_deletions=True)

    laptop.sync()

    assert len(desk.disk) == len(laptop.disk) == 0


def test_the_state_tells_about_changes_that_wait(pair: tuple[Node, Node]) -> None:
    laptop, _ = pair
    assert not laptop.backend.state().dirty
    laptop.edit("n", body="x")

    assert laptop.backend.state().dirty
    laptop.sync()
    assert not laptop.backend.state().dirty
