from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.notes.fields import SCOPES
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.notes.edit import edit
from anamnesis.operations.notes.move import move
from anamnesis.store import MemoryStore
from support.fleet import Fleet
from support.notes import content_of_files, hand_written, index_content, write_file

LINUX = sys.platform == "linux"
BAD_FILES = {
    "empty": (b"", "missing YAML front-matter"),
    "plain": (b"just text", "missing YAML front-matter"),
    "yaml": (b"---\ntitle: [\n---\nx", "not valid YAML"),
    "latin": (b"---\nid: a\ntype: semantic\ntitle: \xe9\n---\nx", "not UTF-8"),
    "markers": (b"---\n<<<<<<< ours\nid: a\n=======\nid: b\n>>>>>>> t\n---\nx", "conflict markers"),
    "no-type": (b"---\nid: a\ntitle: T\n---\nx", "no type"),
    "evil-id": (b"---\nid: ../../x\ntype: semantic\ntitle: T\n---\nx", "not a valid id"),
    "evil-type": (b"---\nid: a\ntype: ../../x\ntitle: T\n---\nx", "is none of procedural"),
    "cut": (b"---\nid: a\ntype: semantic\ntitle: T", "not closed"),
    "huge": (b"---\nid: a\ntype: semantic\ntitle: T\n---\n" + b"x" * 1024 * 1024, "1 MiB"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_reported_and_stops_nothing(
    store: MemoryStore, root: Path, name: str
) -> None:
    data, reason = BAD_FILES[name]
    note = store.write(type="semantic", title="findme", body="x")
    folder = "things" if name == "no-type" else "semantic"
    path = write_file(root, f"memory/{folder}/{name}.md", data)

    (problem,) = store.unreadable()

    assert problem.path == f"memory/{folder}/{name}.md"
    assert reason in problem.reason
    assert not problem.indexed
    assert store.search("findme") == store.list() == [note]
    assert store.reindex() == 1
    assert path.read_bytes() == data


def test_what_is_no_regular_file_is_reported(store: MemoryStore, root: Path) -> None:
    target = write_file(root, "elsewhere.md", hand_written("outside", title="findme"))
    folder = root / "memory" / "semantic"
    folder.mkdir()
    (folder / "directory.md").mkdir()
    (folder / "link.md").symlink_to(target)
    os.mkfifo(folder / "pipe.md")

    reasons = {found.path.rpartition("/")[2]: found.reason for found in store.unreadable()}

    assert reasons == {
        "directory.md": "it is a directory",
        "link.md": "it is a symbolic link, which is not followed",
        "pipe.md": "it is not a regular file",
    }
    assert store.search("findme") == []


def test_a_folder_that_is_a_link_is_reported(store: MemoryStore, root: Path) -> None:
    note = store.write(type="semantic", title="findme", body="x")
    (root / "memory" / "semantic").rename(root / "elsewhere")
    (root / "memory" / "semantic").symlink_to(root / "elsewhere")
    (root / "memory" / "dangling").symlink_to(root / "nowhere")

    (problem,) = store.unreadable()

    assert problem.path == "memory/semantic"
    assert problem.reason == "it is a symbolic link, which is not followed"
    store.reindex()
    assert store.unreadable() == [problem]

    (root / "memory" / "semantic").unlink()
    (root / "elsewhere").rename(root / "memory" / "semantic")

    assert store.unreadable() == []
    assert store.list() == [note]


@pytest.mark.skipif(not LINUX, reason="other systems have no such names")
def test_a_store_whose_path_is_not_text_is_rebuilt(tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    with MemoryStore(root) as store:
        note = store.write(type="semantic", title="findme", body="x")
        assert store.reindex() == 1
        assert store.search("findme") == [note]


@pytest.mark.skipif(not LINUX, reason="other systems have no such names")
def test_a_name_that_is_not_text_stops_nothing(store: MemoryStore, root: Path) -> None:
    note = store.write(type="semantic", title="findme", body="x")
    folder = os.fsencode(root / "memory" / "semantic")
    os.mkdir(folder + b"/caf\xe9")
    for name in (b"na\xefve.md", b"caf\xe9/inside.md"):
        with open(os.path.join(folder, name), "w") as stream:
            stream.write(hand_written("other", title="findme"))

    (problem,) = store.unreadable()

    assert problem.path == "memory/semantic"
    assert problem.reason == r"names in it are not UTF-8: caf\xe9, na\xefve.md; rename them"
    assert store.search("findme") == store.list() == [note]
    assert store.reindex() == 1
    assert store.unreadable() == [problem]

    os.rename(folder + b"/na\xefve.md", folder + b"/naive.md")
    os.rename(folder + b"/caf\xe9", folder + b"/cafe")

    (other,) = store.unreadable()
    assert other.reason.startswith("its id is also that of")
    assert len(store.list()) == 2


def with_two_files(store: MemoryStore) -> tuple[str, Path]:
    """A note whose file was copied by hand and then edited."""
    note = store.write(type="semantic", title="one", body="the first text")
    file = store.root / store.files_of(note)[0]
    copy = file.with_name("copy.md")
    copy.write_text(file.read_text().replace("the first text", "the second text"))
    store.refresh()
    return note.id, copy


def texts(root: Path) -> dict[str, str]:
    found = [*root.glob("memory/*/*.md"), *root.glob("local/*/*.md")]
    return {str(path.relative_to(root)): path.read_text().split("---\n")[2] for path in found}


@pytest.mark.parametrize("by", ["command", "library"])
def test_a_note_is_deleted_with_every_file_of_its_id(store: MemoryStore, by: str) -> None:
    note_id, _ = with_two_files(store)
    before = texts(store.root)

    if by == "library":
        store.delete(note_id)
    else:
        delete(store, [note_id])

    assert texts(store.root) == {}
    store.refresh()
    assert store.list() == []
    if by == "command":
        undo.undo(store)
        assert texts(store.root) == before


@pytest.mark.parametrize("by", ["command", "library"])
def test_a_note_is_moved_with_every_file_of_its_id(store: MemoryStore, by: str) -> None:
    note_id, _ = with_two_files(store)
    before = texts(store.root)

    if by == "library":
        store.move(note_id, "machine-local")
    else:
        move(store, [note_id], "machine-local")

    assert not [path for path in texts(store.root) if path.startswith("memory/")]
    assert texts(store.root)["local/semantic/copy.md"] == before["memory/semantic/copy.md"]
    assert len(texts(store.root)) == 2
    if by == "command":
        undo.undo(store)
        assert texts(store.root) == before


@pytest.mark.parametrize("by", ["command", "library"])
def test_a_second_file_in_the_other_tree_is_moved_as_well(store: MemoryStore, by: str) -> None:
    note_id, copy = with_two_files(store)
    there = store.root / "local" / "semantic" / "copy.md"
    there.parent.mkdir(parents=True, exist_ok=True)
    copy.rename(there)
    store.refresh()

    for scope in sorted(SCOPES):  # local first
        if by == "library":
            store.move(note_id, scope)
        else:
            move(store, [note_id], scope)
        store.refresh()

    assert set(texts(store.root)) == {f"memory/semantic/{note_id}.md", "memory/semantic/copy.md"}


def test_an_edit_leaves_a_second_file_of_its_id_where_it_is(store: MemoryStore) -> None:
    note_id, copy = with_two_files(store)
    there = store.root / "local" / "semantic" / "copy.md"
    there.parent.mkdir(parents=True, exist_ok=True)
    copy.rename(there)
    store.refresh()
    read = store.require(note_id)

    edit(store, read, replace(read.note, title="new"), face="command")

    assert there.exists()


def test_a_corrected_file_is_no_longer_reported(store: MemoryStore, root: Path) -> None:
    path = write_file(root, "memory/semantic/a.md", "oops")
    assert len(store.unreadable()) == 1

    path.write_text(hand_written("a", title="findme"))
    store.refresh()

    assert store.unreadable() == []
    assert len(store.search("findme")) == 1


def test_a_file_made_by_hand_needs_neither_id_nor_type(tmp_path: Path) -> None:
    """Two machines give it the same id; another text or place is another note."""
    text = "---\ntitle: The till\n---\nIt opens with a key."
    here, there = ("semantic/till", text), ("episodic/till", text)
    found = []
    for number, (path, said) in enumerate([here, here, ("semantic/till", f"{text}."), there]):
        with MemoryStore(tmp_path / str(number)) as store:
            write_file(tmp_path / str(number), f"memory/{path}.md", said)
            [note] = store.search("till")
            assert store.unreadable() == []
            assert (note.title, note.type) == ("The till", path.partition("/")[0])
            found.append(note.id)

    assert found[0] == found[1]
    assert len(set(found)) == 3


def test_such_a_file_travels(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    desk, laptop = fleet.machine("desk"), fleet.machine("laptop")
    write_file(desk.home, "memory/semantic/till.md", "---\ntitle: The till\n---\nA key.")

    assert desk.sync().held_back == ()
    laptop.sync()

    assert laptop.files() == desk.files()
    ids = []
    for machine in (desk, laptop):
        with MemoryStore(machine.home) as store:
            ids += [note.id for note in store.list()]
    assert ids[0] == ids[1]


def test_what_is_changed_in_such_a_file_keeps_its_id(store: MemoryStore, root: Path) -> None:
    path = write_file(root, "memory/semantic/till.md", "---\ntitle: The till\n---\nA key.")
    [note] = store.search("till")

    changed = store.put(replace(note, body="A card."))

    assert store.get(note.id) == changed
    assert [each.id for each in store.list()] == [note.id]
    assert not path.exists() or f"id: {note.id}" in path.read_text()


class TestSeveralFilesWithOneId:
    def test_the_one_in_its_place_counts_and_the_other_is_reported(
        self, store: MemoryStore, root: Path
    ) -> None:
        write_file(root, "memory/semantic/copy.md", hand_written("a", title="copy"))
        write_file(root, "memory/semantic/a.md", hand_written("a", title="original"))

        (problem,) = store.unreadable()

        assert problem.path == "memory/semantic/copy.md"
        assert "memory/semantic/a.md" in problem.reason
        assert [note.title for note in store.list()] == ["original"]

    def test_the_other_takes_over_when_it_goes(self, store: MemoryStore, root: Path) -> None:
        write_file(root, "memory/semantic/copy.md", hand_written("a", title="copy"))
        write_file(root, "memory/semantic/a.md", hand_written("a", title="original"))
        store.refresh()
        (root / "memory" / "semantic" / "a.md").unlink()

        assert [note.title for note in store.list()] == ["copy"]
        assert store.unreadable() == []
        assert index_content(root) == content_of_files(root)

    def test_a_second_look_does_not_forget_the_problem(
        self, store: MemoryStore, root: Path
    ) -> None:
        write_file(root, "memory/semantic/copy.md", hand_written("a"))
        write_file(root, "memory/semantic/a.md", hand_written("a"))
        store.refresh()
        os.utime(root / "memory" / "semantic" / "copy.md", (1, 1))
        store.refresh()

        assert [found.path for found in store.unreadable()] == ["memory/semantic/copy.md"]

    def test_deleting_the_note_deletes_them_all(self, store: MemoryStore, root: Path) -> None:
        write_file(root, "memory/semantic/copy.md", hand_written("a"))
        write_file(root, "memory/semantic/a.md", hand_written("a"))
        store.refresh()

        store.delete("a")

        assert store.list() == []
        assert not list(root.rglob("*.md"))


def test_a_type_of_a_newer_version_is_indexed(store: MemoryStore, root: Path) -> None:
    write_file(root, "memory/insight/a.md", hand_written("a", type="insight", title="findme"))

    assert [note.type for note in store.search("findme")] == ["insight"]
    assert store.unreadable() == []


def test_a_mistyped_type_is_reported_but_found(store: MemoryStore, root: Path) -> None:
    write_file(root, "memory/semantic/a.md", hand_written("a", type="semantik", title="findme"))

    (problem,) = store.unreadable()

    assert "unknown type 'semantik'" in problem.reason
    assert problem.indexed
    assert len(store.search("findme")) == 1


def test_conflict_markers_in_a_body_are_reported_but_a_documented_example_is_not(
    store: MemoryStore, root: Path
) -> None:
    conflict = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs"
    write_file(root, "memory/semantic/a.md", hand_written("a", body=conflict))
    write_file(root, "memory/semantic/b.md", hand_written("b", body=f"```\n{conflict}\n```"))

    assert [found.path for found in store.unreadable()] == ["memory/semantic/a.md"]
    assert len(store.list()) == 2
