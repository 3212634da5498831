"""Guessing from the words of the store, kept beside the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from anamnesis.ground.records import replace
from anamnesis.index import vocabulary
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.search import typos
from anamnesis.search.query import Term
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    import sqlite3


def titles(store: MemoryStore, query: str) -> list[str]:
    return [note.title for note in store.search(query)]


def test_a_rebuild_knows_all_words_and_a_write_adds_its_own(store: MemoryStore) -> None:
    store.write(type="semantic", title="one", body="the kubernetes cluster")
    store.reindex()
    store.write(type="semantic", title="two", body="the postgres replica")

    assert titles(store, "kuberntes") == ["one"]
    assert titles(store, "postgers") == ["two"]
    assert titles(store, "postg") == ["two"]


def test_a_word_that_is_gone_is_not_guessed(store: MemoryStore) -> None:
    gone = store.write(type="semantic", title="gone", body="kubernetis kubernetis")
    store.write(type="semantic", title="here", body="kubernetes")
    store.delete(gone.id)

    assert titles(store, "kubernetys") == ["here"]


def test_an_index_without_the_table_is_searched_and_gets_it_with_the_next_write(
    store: MemoryStore,
) -> None:
    store.write(type="semantic", title="one", body="the kubernetes cluster")
    with store._catalog._db.writing() as db:
        db.execute("DROP TABLE vocabulary")

    assert titles(store, "kuberntes") == ["one"]
    assert titles(store, "kuber") == ["one"]
    store.write(type="semantic", title="two", body="the postgres replica")
    assert store.ask(vocabulary.has_vocabulary)
    assert titles(store, "kuberntes") == ["one"]


def test_many_files_that_arrive_at_once_are_indexed_as_each_alone(store: MemoryStore) -> None:
    store.write(type="semantic", title="first", body="the kubernetes cluster")
    folder = store.memory_dir / "semantic"
    for number in range(600):
        note = Memory(id=f"N{number}", type="semantic", title=f"note {number}", body="postgres")
        (folder / f"{note.id}.md").write_text(serialize(note))
    (folder / "copy.md").write_text(serialize(replace(note, body="a copy of the last")))

    changes = store.refresh()

    assert len(changes.added) == 601
    assert store.stats()["total"] == 601
    assert [found.path for found in store.unreadable()] == ["memory/semantic/copy.md"]
    assert "note 7" in titles(store, "postgers note 7")
    assert titles(store, "kuberntes") == ["first"]
    assert titles(store, "copy") == []


def test_two_letters_stand_for_a_bounded_number_of_words(store: MemoryStore) -> None:
    for number in range(3):
        body = " ".join(f"ca{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300))
        store.write(type="semantic", title=f"note {number}", body=body)

    begun = store.ask(lambda db: typos.completed(db, Term("ca", "ca")))

    assert len(begun.forms) == 16
    assert all(form.startswith("ca") for form in begun.forms)
    assert len(titles(store, "ca")) == 3


def files_from_elsewhere(store: MemoryStore, *, count: int) -> None:
    for number in range(count):
        note = Memory(id=f"N{number}", type="semantic", title=f"note {number}", body="postgres")
        (store.memory_dir / "semantic" / f"{note.id}.md").write_text(serialize(note))


def noted(store: MemoryStore, start: str) -> dict[str, int]:
    """The words that begin so, and in how many notes each is."""
    found = store.ask(lambda db: vocabulary.words_beginning(db, start, most=5))
    return {term: notes for term, notes in found}  # noqa: C416  rows of SQLite, no pairs


def test_the_words_of_several_batches_are_listed_once(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(type="semantic", title="first", body="the kubernetes cluster")
    files_from_elsewhere(store, count=2_600)
    listed: list[int] = []
    build = vocabulary.build_vocabulary

    def counted(db: sqlite3.Connection) -> None:
        listed.append(1)
        build(db)

    monkeypatch.setattr(vocabulary, "build_vocabulary", counted)

    changes = store.refresh()

    assert len(changes.added) == 2_600
    assert listed == [1]
    assert noted(store, "postg") == {"postgr": 2_600}
    assert titles(store, "kuberntes") == ["first"]


def test_words_that_a_killed_refresh_did_not_list_are_listed_by_the_next_write(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(type="semantic", title="first", body="the kubernetes cluster")
    files_from_elsewhere(store, count=1_200)

    def killed(_: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(vocabulary, "build_vocabulary", killed)
        with pytest.raises(KeyboardInterrupt):
            store.refresh()
    store.write(type="semantic", title="second", body="the prometheus rules")

    assert noted(store, "postg") == {"postgr": 1_200}
    assert titles(store, "promethues") == ["second"]
