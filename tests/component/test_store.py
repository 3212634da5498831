from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from anamnesis.ground.errors import FileInTheWay, InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.ground.records import replace
from anamnesis.index import catalog, database
from anamnesis.index.database import Database
from anamnesis.notes import tree
from anamnesis.store import Memory, MemoryStore
from support.notes import content_of_files, hand_written, index_content, write_file


def write(store: MemoryStore, title: str = "A title", body: str = "A body", **keys: Any) -> Memory:
    return store.write(**{"type": "semantic", "title": title, "body": body, **keys})


def test_a_note_is_a_file_where_its_type_and_scope_say(store: MemoryStore, root: Path) -> None:
    note = store.write(
        type="procedural", title="T", body="B", project="p", machine_id="m", tags=["x"]
    )
    local = write(store, scope="machine-local")

    assert (root / "memory" / "procedural" / f"{note.id}.md").is_file()
    assert (root / "local" / "semantic" / f"{local.id}.md").is_file()
    assert store.get(note.id) == note
    assert note.created_at == note.updated_at != ""


def test_nobody_else_can_read_any_of_it(store: MemoryStore, root: Path) -> None:
    write(store)
    store.reindex()
    store.search("title")

    for path in [root, *root.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"type": "musing"}, "procedural, semantic, episodic"),
        ({"scope": "everywhere"}, "portable, machine-local"),
        ({"prov_source": "oracle"}, "human"),
        ({"type": "../../../evil"}, "procedural"),
    ],
)
def test_an_unknown_value_is_refused_and_nothing_is_written(
    store: MemoryStore, root: Path, keys: dict[str, str], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        write(store, **keys)

    assert not list(root.rglob("*.md"))
    assert not list(root.parent.glob("evil*"))


def test_a_question_finds_a_note_that_shares_some_of_its_words(store: MemoryStore) -> None:
    note = write(
        store,
        "Use WAL mode for SQLite",
        "Set busy_timeout on every connection to avoid lock errors.",
    )
    write(store, "Lunch", "The canteen opens at noon.")

    found = store.search(
        "how to configure a SQLite connection to avoid lock errors on concurrent writes"
    )

    assert found[0] == note


def test_search_and_list_are_narrowed_by_project_type_and_scope(store: MemoryStore) -> None:
    one = write(store, "findme", project="p", type="procedural")
    two = write(store, "findme", project="p", scope="machine-local")
    three = write(store, "findme", project="q")

    assert {note.id for note in store.search("findme")} == {one.id, two.id, three.id}
    assert {note.id for note in store.search("findme", project="p")} == {one.id, two.id}
    assert [note.id for note in store.search("findme", scope="machine-local")] == [two.id]
    assert [note.id for note in store.list(project="p", type="procedural")] == [one.id]
    assert [note.id for note in store.search("findme", project="q", type="episodic")] == []


def test_search_gives_at_most_k_and_never_everything(store: MemoryStore) -> None:
    for number in range(12):
        write(store, f"findme {number}")

    assert len(store.search("findme")) == 8
    assert len(store.search("findme", k=3)) == 3
    assert store.search("findme", k=0) == []
    assert store.search("findme", k=-1) == []


@pytest.mark.parametrize("query", ["", "-", '"', "*", "AND", "a AND", "NEAR(", "title:x", "16:9"])
def test_operators_in_a_query_are_harmless(store: MemoryStore, query: str) -> None:
    write(store)

    store.search(query)


def test_notes_are_listed_newest_first(store: MemoryStore) -> None:
    old = store.put(Memory(id="old", type="semantic", title="o", body="", updated_at="2026-01-01"))
    new = store.put(Memory(id="new", type="semantic", title="n", body="", updated_at="2026-02-01"))

    assert store.list() == [new, old]
    assert [note.title for note in store.headers(limit=1, offset=1)] == ["o"]


def test_put_replaces_a_note_in_place(store: MemoryStore, root: Path) -> None:
    note = write(store)

    store.put(replace(note, body="new", tags=["x", "x", " y  z ", ""]))

    assert [found.body for found in store.list()] == ["new"]
    assert store.list()[0].tags == ["x", "y z"]
    assert len(list(root.rglob("*.md"))) == 1


def test_a_note_whose_type_changes_leaves_no_second_file(store: MemoryStore, root: Path) -> None:
    note = write(store)

    store.put(replace(note, type="procedural"))

    files = [str(path.relative_to(root)) for path in root.rglob("*.md")]
    assert files == [f"memory/procedural/{note.id}.md"]
    store.reindex()
    assert [found.type for found in store.list()] == ["procedural"]


def test_a_second_text_with_the_same_id_survives_an_edit_of_the_first(
    store: MemoryStore, root: Path
) -> None:
    note = write(store, body="the text that counts")
    second = write_file(
        root, "memory/semantic/copy.md", hand_written(note.id, body="words that are nowhere else")
    )
    store.refresh()

    found = store.require(note.id)
    store.update(replace(note, body="edited"), expected_hash=found.hash)

    assert "words that are nowhere else" in second.read_text()


def test_a_note_is_created_only_where_its_id_is_free(store: MemoryStore) -> None:
    note = write(store)

    with pytest.raises(FileInTheWay):
        store.create(replace(note, type="procedural", body="another text"))

    assert store.get(note.id) == note


def test_a_small_change_of_a_note_loses_no_save_that_comes_in_between(
    store: MemoryStore, root: Path
) -> None:
    note = write(store, body="as it was")
    file = root / store.files_of(note)[0]
    seen = []

    def tagged(found: Memory) -> Memory:
        seen.append(found.body)
        if len(seen) == 1:
            saved = root / "saved"
            saved.write_text(file.read_text().replace("as it was", "as you saved it"))
            saved.replace(file)
        return replace(found, tags=["marked"])

    changed = store.revise(note.id, tagged)

    assert seen == ["as it was", "as you saved it"]
    assert changed == store.get(note.id)
    assert changed == replace(note, body="as you saved it", tags=["marked"])


def test_a_note_that_is_saved_without_end_is_left_to_whoever_saves_it(
    store: MemoryStore, root: Path
) -> None:
    note = write(store)
    file = root / store.files_of(note)[0]

    def changed(found: Memory) -> Memory:
        file.write_text(f"{file.read_text()}.")
        return replace(found, title="never")

    with pytest.raises(NoteChangedOnDisk):
        store.revise(note.id, changed)

    assert store.require(note.id).note.title == note.title
    assert store.revise("MISSING", changed) is None


def test_a_copy_of_a_note_goes_with_it(store: MemoryStore, root: Path) -> None:
    note = write(store)
    original = root / "memory" / "semantic" / f"{note.id}.md"
    shutil.copy(original, root / "memory" / "semantic" / "copy.md")
    store.refresh()

    store.delete(note.id)

    assert list(root.rglob("*.md")) == []


def test_a_file_that_cannot_be_read_is_not_written_over(store: MemoryStore, root: Path) -> None:
    note = write(store)
    path = root / "memory" / "semantic" / f"{note.id}.md"
    broken = path.read_text().replace("title: ", "title: [").replace("A body", "my own words")
    path.write_text(broken)
    store.refresh()

    with pytest.raises(FileInTheWay):
        store.put(note)

    assert path.read_text() == broken


def test_an_update_is_refused_if_the_note_changed_meanwhile(store: MemoryStore, root: Path) -> None:
    note = write(store)
    first, second = store.read(note.id), store.read(note.id)
    assert first is not None
    assert second is not None
    store.update(replace(first.note, body="from one"), expected_hash=first.hash)

    with pytest.raises(NoteChangedOnDisk):
        store.update(replace(second.note, body="from two"), expected_hash=second.hash)

    assert store.list()[0].body == "from one"


def test_of_many_updates_at_once_one_wins_and_no_edit_is_lost_silently(store: MemoryStore) -> None:
    note = write(store)
    read = store.read(note.id)
    assert read is not None
    outcomes: list[str] = []

    def edit(number: int) -> None:
        try:
            store.update(replace(note, body=f"edit {number}"), expected_hash=read.hash)
            outcomes.append(f"edit {number}")
        except NoteChangedOnDisk:
            outcomes.append("refused")

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outcomes.count("refused") == 7
    assert store.list()[0].body in outcomes


def test_a_deleted_note_is_gone_from_disk_and_index(store: MemoryStore, root: Path) -> None:
    note = write(store, "findme")

    assert store.delete(note.id) == note

    assert store.get(note.id) is None
    assert store.search("findme") == []
    assert not list(root.rglob("*.md"))
    with pytest.raises(NoSuchNote):
        store.delete(note.id)


def test_a_moved_note_changes_its_tree(store: MemoryStore, root: Path) -> None:
    note = write(store)

    moved = store.move(note.id, "machine-local")

    assert moved.scope == "machine-local"
    assert [str(p.relative_to(root)) for p in root.rglob("*.md")] == [
        f"local/semantic/{note.id}.md"
    ]
    assert store.move(note.id, "machine-local") == moved
    assert store.move(note.id, "portable").scope == "portable"


def test_the_tree_decides_the_scope(store: MemoryStore, root: Path) -> None:
    note = write(store)
    (root / "local" / "semantic").mkdir(parents=True)
    os.rename(
        root / "memory" / "semantic" / f"{note.id}.md",
        root / "local" / "semantic" / f"{note.id}.md",
    )

    assert [found.scope for found in store.list()] == ["machine-local"]


@pytest.mark.parametrize("note_id", ["../x", "a/b", "", ".", "x" * 99])
def test_an_id_that_is_none_reads_nothing(store: MemoryStore, note_id: str) -> None:
    assert store.get(note_id) is None
    with pytest.raises((NoSuchNote, InvalidInput)):
        store.delete(note_id)
    with pytest.raises(InvalidInput):
        store.put(Memory(id=note_id, type="semantic", title="", body=""))


def test_a_note_too_long_to_be_read_again_is_refused(store: MemoryStore, root: Path) -> None:
    with pytest.raises(InvalidInput, match="1 MiB"):
        write(store, body="x" * tree.MAX_NOTE_BYTES)

    assert not list(root.rglob("*.md"))


def test_half_a_surrogate_pair_does_not_lose_the_note(store: MemoryStore) -> None:
    note = write(store, "t\ud83d", "b\ude00 \ud83d\ude00")

    assert store.get(note.id) == note
    assert (note.title, note.body) == ("t\ufffd", "b\ufffd \U0001f600")


def test_counts_are_given_by_type_project_and_scope(store: MemoryStore) -> None:
    write(store, project="p")
    write(store, scope="machine-local", type="episodic")

    assert store.stats() == {
        "total": 2,
        "by_type": {"episodic": 1, "semantic": 1},
        "by_project": {"global": 1, "p": 1},
        "by_scope": {"machine-local": 1, "portable": 1},
    }


def test_an_id_that_a_person_made_up_is_found_by_a_part_of_it(
    store: MemoryStore, root: Path
) -> None:
    write_file(root, "memory/semantic/x.md", hand_written("my-First-note"))

    assert store.headers()[0].id == "my-First-note"
    assert store.resolve_id("my-first") == "my-First-note"
    assert store.resolve_id("NOTE") == "my-First-note"


def test_a_commit_that_fails_leaves_no_transaction_open() -> None:
    connection = database.connect(":memory:")
    connection.executescript(
        "PRAGMA foreign_keys=ON; CREATE TABLE a (id INTEGER PRIMARY KEY); "
        "CREATE TABLE b (a REFERENCES a DEFERRABLE INITIALLY DEFERRED);"
    )
    opened = Database("", connection=connection)

    with pytest.raises(sqlite3.IntegrityError), opened.writing() as db:
        db.execute("INSERT INTO b VALUES (1)")

    with opened.writing() as db:
        db.execute("INSERT INTO a VALUES (1)")
    assert [tuple(row) for row in opened.rows("SELECT count(*) FROM b")] == [(0,)]
    opened.close()


def test_the_start_or_the_end_of_an_id_is_enough(store: MemoryStore) -> None:
    note = write(store)
    other = write(store)

    assert store.resolve_id(note.id[-8:].lower()) == note.id
    assert store.resolve_id(note.id) == note.id
    with pytest.raises(InvalidInput, match=other.id):
        store.resolve_id(note.id[:5])
    with pytest.raises(NoSuchNote):
        store.resolve_id("*")


def test_a_store_can_be_used_from_another_thread(store: MemoryStore) -> None:
    found: list[Memory] = []

    def work() -> None:
        write(store, "findme")
        found.extend(store.search("findme"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert len(found) == 1


class TestSupersession:
    def test_a_replaced_note_is_hidden_from_search_but_listed(self, store: MemoryStore) -> None:
        old = write(store, "findme old")
        new = write(store, "findme new", supersedes=old.id)

        assert [note.id for note in store.search("findme")] == [new.id]
        assert {note.id for note in store.list()} == {old.id, new.id}
        assert store.superseded_ids() == {old.id}

    def test_it_comes_back_when_the_replacing_note_goes(self, store: MemoryStore) -> None:
        old = write(store, "findme old")
        new = write(store, "findme new", supersedes=old.id)

        store.delete(new.id)

        assert [note.id for note in store.search("findme")] == [old.id]
        assert store.superseded_ids() == set()

    def test_of_two_that_replace_each_other_the_later_stays(self, store: MemoryStore) -> None:
        for name, other, day in (("a", "b", "01"), ("b", "a", "02")):
            store.put(
                Memory(
                    id=name, type="semantic", title="findme", body="", supersedes=other,
                    updated_at=f"2026-01-{day}T00:00:00+00:00",
                )
            )  # fmt: skip

        assert [note.id for note in store.search("findme")] == ["b"]
        assert store.superseded_ids() == {"a"}

    def test_a_note_that_arrives_after_its_replacement_is_hidden(self, store: MemoryStore) -> None:
        write(store, "findme", supersedes="later")

        store.put(Memory(id="later", type="semantic", title="findme", body=""))

        assert "later" not in {note.id for note in store.search("findme")}

    def test_a_dangling_id_is_harmless(self, store: MemoryStore) -> None:
        note = write(store, "findme", supersedes="nowhere")

        assert [found.id for found in store.search("findme")] == [note.id]

    def test_a_list_hides_all_of_them(self, store: MemoryStore) -> None:
        old = [write(store, "findme").id for _ in range(2)]
        new = write(store, "findme", supersedes=" ".join(old))

        assert [note.id for note in store.search("findme")] == [new.id]


class TestChangesFromOutside:
    def test_a_new_file_is_noticed_by_itself(self, store: MemoryStore, root: Path) -> None:
        write_file(root, "memory/semantic/by-hand.md", hand_written("hand", title="findme"))

        assert [note.id for note in store.search("findme")] == ["hand"]
        assert store.get("hand") is not None

    def test_what_changed_in_a_folder_and_below_it_is_looked_through_once(
        self, store: MemoryStore, root: Path
    ) -> None:
        write(store)
        for folder in ("memory", "memory/semantic"):
            os.utime(root / folder, (1, 1))

        assert store.ask(lambda db: catalog._changed_folders(db, str(root))) == ["memory"]

    def test_a_removed_file_is_skipped(self, store: MemoryStore, root: Path) -> None:
        note = write(store, "findme")
        (root / "memory" / "semantic" / f"{note.id}.md").unlink()

        assert store.search("findme") == []
        assert store.list() == []
        assert store.get(note.id) is None

    def test_an_edit_in_place_is_read_at_once_and_indexed_by_refresh(
        self, store: MemoryStore, root: Path
    ) -> None:
        note = write(store, body="before")
        path = root / "memory" / "semantic" / f"{note.id}.md"
        path.write_text(path.read_text().replace("before", "afters"))

        assert store.list()[0].body == "afters"
        changes = store.refresh()

        assert changes.changed == (f"memory/semantic/{note.id}.md",)
        assert [found.id for found in store.search("afters")] == [note.id]

    @pytest.mark.parametrize("ahead", [0, 3600])
    def test_an_edit_is_noticed_although_the_file_looks_the_same(
        self, store: MemoryStore, root: Path, ahead: int
    ) -> None:
        """Stamps of two whole seconds, as FAT has them; or a clock that was set back."""
        note = write(store, body="before")
        path = root / "memory" / "semantic" / f"{note.id}.md"
        stamp = (int(time.time()) // 2 * 2 + ahead) * 1_000_000_000
        os.utime(path, ns=(stamp, stamp))
        store.refresh()
        looks = path.stat()
        path.write_text(path.read_text().replace("before", "afters"))
        os.utime(path, ns=(stamp, stamp))
        now = path.stat()
        assert (now.st_size, now.st_mtime_ns, now.st_ino) == (
            looks.st_size, looks.st_mtime_ns, looks.st_ino,
        )  # fmt: skip

        assert store.refresh().changed == (f"memory/semantic/{note.id}.md",)
        assert [found.id for found in store.search("afters")] == [note.id]

    def test_an_edit_by_a_clock_that_was_set_back_is_noticed(
        self, store: MemoryStore, root: Path
    ) -> None:
        note = write(store, body="before")
        path = root / "memory" / "semantic" / f"{note.id}.md"
        path.write_text(path.read_text().replace("before", "afters"))
        os.utime(path, ns=(10**18 + 1, 10**18 + 1))

        assert store.refresh().changed == (f"memory/semantic/{note.id}.md",)

    def test_a_file_that_appears_while_we_write_another_is_noticed_later(
        self, store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(store)
        record = catalog.Catalog.record

        def late(self: catalog.Catalog, paths: list[str], **more: list[str]) -> None:
            write_file(root, "memory/semantic/dropped.md", hand_written("drop", title="findme"))
            record(self, paths, **more)

        monkeypatch.setattr(catalog.Catalog, "record", late)
        write(store, "mine")
        monkeypatch.undo()

        assert store.refresh().added == ("memory/semantic/dropped.md",)
        assert [note.id for note in store.search("findme")] == ["drop"]

    def test_a_hand_named_file_keeps_its_name(self, store: MemoryStore, root: Path) -> None:
        write_file(root, "memory/semantic/by-hand.md", hand_written("hand"))
        note = store.list()[0]

        store.put(replace(note, body="new"))

        assert [path.name for path in root.rglob("*.md")] == ["by-hand.md"]

    def test_a_folder_of_ones_own_is_read(self, store: MemoryStore, root: Path) -> None:
        write_file(root, "memory/semantic/recipes/soup.md", hand_written("soup", title="findme"))

        assert [note.id for note in store.search("findme")] == ["soup"]
        shutil.rmtree(root / "memory" / "semantic" / "recipes")
        assert store.list() == []

    def test_only_what_changed_is_read(
        self, store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(30):
            note = write(store, f"note {number}")
            os.utime(root / "memory" / "semantic" / f"{note.id}.md", (1, 1))
        store.reindex()
        read: list[str] = []
        real = tree.read_note

        def noted(root: str, path: str) -> tree.ReadNote:
            read.append(path)
            return real(root, path)

        monkeypatch.setattr(tree, "read_note", noted)
        write_file(root, "memory/semantic/by-hand.md", hand_written("hand"))

        store.refresh()
        store.refresh()

        assert set(read) <= {"memory/semantic/by-hand.md"}

    def test_listing_headers_and_opening_read_no_file(
        self, store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(30):
            write(store, f"note {number}")
        monkeypatch.setattr(tree, "read_note", lambda *_: pytest.fail("a file was read"))

        with MemoryStore(root) as again:
            assert len(again.headers()) == 30

    def test_many_new_files_are_taken_in(
        self, store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(catalog, "_REBUILD_FROM", 5)
        for number in range(20):
            write_file(root, f"memory/semantic/{number}.md", hand_written(f"n{number}"))

        assert len(store.list()) == 20
        assert index_content(root) == content_of_files(root)


class TestTheIndexIsDisposable:
    def test_a_deleted_index_comes_back_by_itself(self, store: MemoryStore, root: Path) -> None:
        note = write(store, "findme")
        store.close()
        for path in root.glob("index.db*"):
            path.unlink()

        with MemoryStore(root) as again:
            assert again.search("findme") == [note]

    def test_an_index_deleted_under_an_open_store_comes_back(
        self, store: MemoryStore, root: Path
    ) -> None:
        note = write(store, "findme")
        for path in root.glob("index.db*"):
            path.unlink()

        assert store.search("findme") == [note]

    @pytest.mark.parametrize("version", [0, 99])
    def test_an_index_of_another_version_is_rebuilt(
        self, store: MemoryStore, root: Path, version: int
    ) -> None:
        note = write(store, "findme")
        store.close()
        with sqlite3.connect(root / "index.db") as db:
            db.execute(f"PRAGMA user_version={version}")
            db.execute("DROP TABLE memories")
        db.close()

        with MemoryStore(root) as again:
            assert again.search("findme") == [note]

    def test_an_index_of_another_program_is_rebuilt(self, root: Path) -> None:
        root.mkdir()
        write_file(root, "memory/semantic/a.md", hand_written("a", title="findme"))
        with sqlite3.connect(root / "index.db") as db:
            db.execute("CREATE TABLE memories (id TEXT)")
            db.execute("PRAGMA user_version=1")
        db.close()

        with MemoryStore(root) as opened:
            assert [note.id for note in opened.search("findme")] == ["a"]

    def test_an_open_store_sees_what_another_rebuilt(self, store: MemoryStore, root: Path) -> None:
        write(store, "findme")
        with MemoryStore(root) as other:
            write_file(root, "memory/semantic/a.md", hand_written("a", title="findme"))
            other.reindex()

        assert len(store.search("findme")) == 2
        write(store, "findme")
        assert index_content(root) == content_of_files(root)

    def test_opening_does_not_wait_for_a_writer(self, store: MemoryStore, root: Path) -> None:
        write(store, "findme")
        with sqlite3.connect(root / "index.db", isolation_level=None) as db:
            db.execute("BEGIN IMMEDIATE")
            with MemoryStore(root) as other:
                assert len(other.search("findme")) == 1
            db.execute("ROLLBACK")
        db.close()

    def test_reindex_says_how_many(self, store: MemoryStore) -> None:
        write(store)
        seen: list[tuple[int, int]] = []

        assert store.reindex(lambda done, total: seen.append((done, total))) == 1
        assert seen == [(1, 1)]


class TestIndexFailure:
    def test_a_locked_index_does_not_lose_the_note(
        self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def locked(*_: object, **__: object) -> None:
            raise sqlite3.OperationalError("database is locked")

        with monkeypatch.context() as broken:
            broken.setattr(MemoryStore, "_index", locked)
            note = write(store, "findme")

        assert store.get(note.id) == note
        assert store.search("findme") == [note]

    def test_a_new_file_that_cannot_be_indexed_at_all_is_taken_back(
        self, store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise RuntimeError("no")

        monkeypatch.setattr(MemoryStore, "_index", refuse)
        with pytest.raises(RuntimeError):
            write(store)

        assert not list(root.rglob("*.md"))

    def test_an_existing_file_is_never_touched_by_it(
        self, store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note = write(store)

        def refuse(*_: object, **__: object) -> None:
            raise RuntimeError("no")

        monkeypatch.setattr(MemoryStore, "_index", refuse)
        with pytest.raises(RuntimeError):
            store.put(replace(note, body="new"))

        assert (root / "memory" / "semantic" / f"{note.id}.md").is_file()
