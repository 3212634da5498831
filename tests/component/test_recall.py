"""Recall through the store: what is found, within which filters, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.ground.records import replace
from anamnesis.index import database
from anamnesis.index.vocabulary import facet
from anamnesis.notes.fields import Memory
from anamnesis.search import engine, meaning
from anamnesis.search.query import Filters
from anamnesis.store import MemoryStore


def write(store: MemoryStore, title: str, body: str = "", **fields: object) -> str:
    return store.write(type="semantic", title=title, body=body, **fields).id  # type: ignore[arg-type]


def found(store: MemoryStore, query: str, **filters: object) -> list[str]:
    hits = store.recall(query, filters=Filters(**filters), k=50)  # type: ignore[arg-type]
    return [hit.note.title for hit in hits]


class TestWords:
    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("call getUserById first", "get user"),
            ("get the user by id", "getUserById"),
            ("set MAX_RETRIES to 4", "maxRetries"),
            ("set MAX_RETRIES to 4", "max retries"),
            ("set maxRetries to 4", "MAX_RETRIES"),
            ("set MAX_RETRIES to 4", "maxretries"),
            ("see src/app/main.py", "main.py"),
            ("see src/app/main.py", "app main"),
            ("kubectl-apply fails", "kubectl"),
            ("kubectl-apply fails", "kubectlapply"),
            ("the apikey is wrong", "api-key"),
            ("fixed in v1.2.3", "1.2.3"),
            ("fixed in 1.2.3", "v1.2.3"),
            ("needs python3", "python"),
            ("数据库连接池的超时", "连接池"),
            ("数据库连接池的超时", "池"),
            ("デプロイは火曜日のみ", "火曜日"),
            ("데이터베이스를 재시작", "데이터베이스"),
            ("การตั้งค่าเซิร์ฟเวอร์", "เซิร์ฟเวอร์"),
            ("Über die Straße", "uber strasse straße"),
            ("a connection was lost", "connections"),
        ],
    )
    def test_a_note_is_found_however_the_word_is_written(
        self, store: MemoryStore, text: str, query: str
    ) -> None:
        write(store, "other", "nothing of the kind")
        write(store, "hit", text)

        assert found(store, query)[:1] == ["hit"]

    def test_the_word_being_typed_is_completed(self, store: MemoryStore) -> None:
        write(store, "hit", "the kubernetes cluster")

        assert found(store, "kuber") == ["hit"]
        assert found(store, "the cluster of kuber") == ["hit"]

    def test_a_typing_error_is_forgiven_when_nothing_matches(self, store: MemoryStore) -> None:
        write(store, "hit", "the kubernetes cluster")

        assert found(store, "kuberntes") == ["hit"]
        assert found(store, "kubrenetes clutser") == ["hit"]
        assert found(store, "banana") == []

    @pytest.mark.parametrize(
        "typed", ["relese", "releese", "deplyo", "depploy", "databse", "polcy"]
    )
    def test_a_typing_error_in_a_word_that_the_index_knows_by_its_stem_is_forgiven(
        self, store: MemoryStore, typed: str
    ) -> None:
        write(store, "hit", "release policy: deploy the database")

        assert found(store, typed) == ["hit"]

    def test_common_words_alone_are_answered(self, store: MemoryStore) -> None:
        write(store, "hit", "to be or not to be")

        assert found(store, "to be") == ["hit"]

    def test_a_common_word_does_not_hide_a_rare_one(self, store: MemoryStore) -> None:
        for number in range(50):
            write(store, f"common {number}", "the file was changed in the file system")
        write(store, "hit", "kestrel")

        assert found(store, "what is the file of the kestrel in the system")[0] == "hit"

    def test_a_nearer_meaning_decides_between_equal_words(self, store: MemoryStore) -> None:
        write(store, "garden", "replace the plant with flowers and vegetables")
        write(store, "database", "replace the column with rows and tables")

        assert found(store, "replace sql schema")[0] == "database"


class TestFilters:
    def test_each_filter_narrows(self, store: MemoryStore) -> None:
        write(store, "a", "findme", project="p", tags=["x", "y"], machine_id="m1")
        write(store, "b", "findme in src/app.py", project="q", tags=["x"], prov_source="import")
        write(store, "c", "findme", scope="machine-local")

        assert sorted(found(store, "findme", projects=("p", "q"))) == ["a", "b"]
        assert found(store, "findme", tags=("x", "y")) == ["a"]
        assert found(store, "findme", machine="m1") == ["a"]
        assert found(store, "findme", source="import") == ["b"]
        assert found(store, "findme", scope="machine-local") == ["c"]
        assert found(store, "findme", file="app.py") == ["b"]
        assert found(store, "findme", file="SRC/app.py") == ["b"]
        assert found(store, "findme", file="pp.py") == []
        assert found(store, "findme", type="episodic") == []

    def test_dates_are_inclusive(self, store: MemoryStore) -> None:
        for day in ("2026-01-31", "2026-02-01", "2026-02-28"):
            time = f"{day}T23:00:00+00:00"
            store.put(
                Memory(
                    id=day, type="semantic", title=day, body="findme",
                    created_at=time, updated_at=time,
                )
            )  # fmt: skip

        assert sorted(found(store, "findme", since="2026-02")) == ["2026-02-01", "2026-02-28"]
        assert sorted(found(store, "findme", until="2026-02-01")) == ["2026-01-31", "2026-02-01"]

    def test_replaced_notes_are_shown_only_on_request(self, store: MemoryStore) -> None:
        old = write(store, "old", "findme")
        write(store, "new", "findme", supersedes=old)

        assert found(store, "findme") == ["new"]
        assert sorted(found(store, "findme", include_superseded=True)) == ["new", "old"]

    def test_projects_whose_words_collide_are_kept_apart(self, store: MemoryStore) -> None:
        # Both have the CRC-32 4ddb0c25.
        assert facet("plumless") == facet("buckeroo")
        write(store, "one", "findme", project="plumless")
        write(store, "two", "findme", project="buckeroo")

        assert found(store, "findme", projects=("buckeroo",)) == ["two"]

    def test_a_rare_project_in_a_large_store_is_searched_by_every_word(
        self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engine, "_BUDGET", 5)
        for number in range(40):
            write(store, f"common {number}", "file error", project="big", tags=["loud"])
        write(store, "rare word", "kestrel", project="big")
        write(store, "hit", "file", project="small", tags=["quiet"])

        assert found(store, "kestrel file error", projects=("small",)) == ["hit"]
        assert found(store, "kestrel file error", tags=("quiet",)) == ["hit"]


class TestPages:
    def test_a_longer_list_begins_with_the_shorter_one(self, store: MemoryStore) -> None:
        for number in range(75):
            write(store, f"note {number}", "findme " * (number % 7 + 1) + "word " * (number % 11))

        whole = [hit.note.id for hit in store.recall("findme word", k=75)]

        assert len(set(whole)) == 75
        for offset, k in ((0, 8), (8, 8), (25, 20), (60, 30)):
            page = [hit.note.id for hit in store.recall("findme word", k=k, offset=offset)]
            assert page == whole[offset : offset + k]

    @pytest.mark.parametrize(("k", "offset"), [(0, 0), (-1, 0), (8, -1), (8, 5)])
    def test_nothing_comes_from_beyond_the_list(
        self, store: MemoryStore, k: int, offset: int
    ) -> None:
        write(store, "hit", "findme")

        assert store.recall("findme", k=k, offset=offset) == []

    def test_equal_notes_have_one_order_however_they_were_indexed(self) -> None:
        notes = [
            Memory(id=f"n{number:03}", type="semantic", title="same", body="findme twin")
            for number in range(120)
        ]
        orders = []
        for sequence in (notes, notes[::-1], notes[40:] + notes[:40]):
            db = database.connect(":memory:")
            database.create(db)
            rows_of(db, sequence)
            hits = engine.search(db, engine.Question("findme", Filters(), limit=60))
            orders.append([hit.id for hit in hits])
            db.close()

        assert orders[0] == orders[1] == orders[2]


def rows_of(db: object, notes: list[Memory]) -> None:
    from anamnesis.index import rows

    for note in notes:
        rows.upsert(db, note, f"semantic/{note.id}.md")  # type: ignore[arg-type]


def known(store: MemoryStore) -> dict[str, bytes]:
    rows = store._catalog.rows("SELECT title, vector FROM memories m JOIN meanings USING (rowid)")
    return {row[0]: row[1] for row in rows}


class TestWhatNotesMean:
    def test_it_is_worked_out_by_the_first_search_and_read_by_the_next(
        self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(store, "Locks", "sqlite waits for a lock")
        assert known(store) == {}

        (first,) = store.recall("sqlite lock")
        monkeypatch.delattr(meaning.Meaning, "vector")
        (second,) = store.recall("sqlite lock")

        assert len(known(store)["Locks"]) == 256
        assert first.why.meaning == second.why.meaning > 0

    def test_an_edit_is_read_anew(self, store: MemoryStore) -> None:
        write(store, "Locks", "sqlite waits for a lock")
        (hit,) = store.recall("sqlite lock")
        store.put(replace(hit.note, body="sqlite soup with vegetables"))

        assert known(store) == {}
        (edited,) = store.recall("sqlite lock")
        assert edited.why.meaning < hit.why.meaning
        store.delete(hit.note.id)
        assert known(store) == {}

    def test_a_rebuild_keeps_it_for_files_that_say_the_same(self, store: MemoryStore) -> None:
        same, other = write(store, "same", "sqlite lock"), write(store, "other", "sqlite lock")
        assert store.understand() == 2
        before = known(store)
        path = store.memory_dir / "semantic" / f"{other}.md"
        path.write_text(path.read_text().replace("sqlite lock", "vegetable soup"))

        store.reindex()

        assert known(store) == {"same": before["same"]}
        assert store.understand() == 1
        assert known(store)["other"] != before["other"]
        assert same

    def test_a_search_answers_while_somebody_writes(self, store: MemoryStore) -> None:
        write(store, "Locks", "sqlite waits for a lock")
        other = database.connect(str(store.db_path))
        other.execute("BEGIN IMMEDIATE")

        assert [hit.note.title for hit in store.recall("sqlite lock")] == ["Locks"]

        other.execute("ROLLBACK")
        other.close()
        assert known(store) == {}
        assert store.recall("sqlite lock")
        assert list(known(store)) == ["Locks"]

    def test_a_rebuild_by_command_leaves_nothing_to_the_first_search(
        self, store: MemoryStore
    ) -> None:
        write(store, "Locks", "sqlite waits for a lock")

        assert main(["reindex"]) == 0

        assert list(known(store)) == ["Locks"]


class TestWithoutTheTable:
    def test_recall_goes_on_by_words(
        self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(meaning, "_FILE", str(tmp_path / "none"))
        meaning._table.cache_clear()
        write(store, "hit", "findme")

        try:
            (hit,) = store.recall("findme")
        finally:
            meaning._table.cache_clear()

        assert hit.note.title == "hit"
        assert hit.why.meaning == 0


class TestCommand:
    def test_a_search_explains_itself(
        self, store: MemoryStore, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write(store, "Locks", "sqlite lock timeout")

        assert main(["search", "why", "the", "sqlite", "lock", "--explain"]) == 0

        shown = capsys.readouterr().out
        assert "Locks" in shown
        assert "sqlite: 1 here, in 1 note" in shown
        assert "words that stand together" in shown
        assert "prior; has" in shown

    def test_json_carries_the_reasons(
        self, store: MemoryStore, capsys: pytest.CaptureFixture[str]
    ) -> None:
        import json

        write(store, "Locks", "sqlite lock timeout", tags=["db"])

        main(["search", "sqlite", "--explain", "--json", "--tag", "db", "--since", "2026"])

        (hit,) = json.loads(capsys.readouterr().out)
        assert hit["title"] == "Locks"
        assert hit["why"]["shares"][0]["word"] == "sqlite"
        assert hit["score"] > 1

    @pytest.mark.parametrize("date", ["last week", "2026-13", "2026-11-31", "26-11", "2026-11-15T"])
    def test_a_date_that_is_none_is_refused(
        self, date: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit, match="2"):
            main(["search", "x", "--since", date])

        assert "is not a date" in capsys.readouterr().err

    @pytest.mark.parametrize("date", ["2026", "2026-11", "2026-11-15", "2026-11-15T08:30:00+00:00"])
    @pytest.mark.usefixtures("store")
    def test_a_date_may_be_given_as_far_as_it_matters(self, date: str) -> None:
        assert main(["search", "x", "--until", date]) == 0

    @pytest.mark.parametrize("command", [["search", "x"], ["list"]])
    def test_an_offset_below_zero_is_refused(
        self, command: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit, match="2"):
            main([*command, "--offset", "-1"])

        assert "'-1' is not a whole number of 0 or more" in capsys.readouterr().err


def test_mistyped_words_are_not_guessed_at_when_that_is_not_wanted(store: MemoryStore) -> None:
    store.write(type="semantic", title="Kubernetes", body="words")

    assert store.recall("kuberntes")
    assert not store.recall("kuberntes", forgiving=False)
