"""The functions behind the tools, on a real store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from anamnesis.ground.errors import InvalidInput, NoSuchNote
from anamnesis.ground.home import Home
from anamnesis.hooks import runs
from anamnesis.mcp import digest, tools
from anamnesis.server import (
    list_memories,
    search_memories,
    status_report,
    sync_memory,
    write_memory,
)
from anamnesis.sync import GitSyncBackend, SyncResult, SyncState

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore

SECRET = "ghp_" + "a1B2" * 9


class Elsewhere:
    """A backend whose other side wrote a note."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        note = self._store.memory_dir / "semantic" / "FROMELSEWHERE.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text("---\nid: FROMELSEWHERE\ntype: semantic\ntitle: Pulled\n---\nbody\n")
        path = "memory/semantic/FROMELSEWHERE.md"
        return SyncResult(pushed=True, pulled=2, head="3237e8f", detail="synced", changed=(path,))

    def state(self) -> SyncState:
        return SyncState(initialized=True, head="3237e8f", detail="ok")


def test_search_gives_bodies_and_list_does_not(store: MemoryStore) -> None:
    written = write_memory(
        store, type="procedural", title="WAL mode", body="set busy_timeout", tags=["sqlite"]
    )

    [hit] = search_memories(store, query="wal mode")
    [listed] = list_memories(store)

    assert hit == written
    assert listed == {key: value for key, value in written.items() if key != "body"}


def test_an_id_as_the_query_gives_that_note_whole(store: MemoryStore) -> None:
    long = store.write(type="semantic", title="Long", body="word " * 3_000)

    [hit] = search_memories(store, query=f" {long.id}\n")

    assert hit["body"] == long.body


def test_bodies_share_the_room_of_one_answer(store: MemoryStore) -> None:
    for number in range(40):
        store.write(type="semantic", title=f"Log {number}", body="log line\n" * 1_000)

    hits = search_memories(store, query="log line", k=40)

    assert len(hits) == 40
    assert sum(len(str(hit["body"])) for hit in hits) < digest.ANSWER_LIMIT + 40 * 200
    assert "resource memory://note/" in str(hits[0]["body"])


@pytest.mark.parametrize(("k", "expected"), [(-1, 0), (0, 0), (1, 1), (10_000, 3)])
def test_k_is_never_everything(store: MemoryStore, k: int, expected: int) -> None:
    for number in range(3):
        store.write(type="semantic", title=f"Note {number}", body="same words")

    assert len(search_memories(store, query="same words", k=k)) == expected


def test_a_list_ends_at_its_cap_and_goes_on_with_offset(store: MemoryStore) -> None:
    for number in range(tools.LIST_LIMIT + 5):
        store.write(type="semantic", title=f"Note {number}", body="x")

    first = tools.page(store)
    rest = tools.page(store, offset=first.next_offset or 0)

    assert (len(first.rows), first.next_offset) == (tools.LIST_LIMIT, tools.LIST_LIMIT)
    assert (len(rest.rows), rest.next_offset) == (5, None)
    assert len(list_memories(store)) == tools.LIST_LIMIT
    assert len({row.note.id for row in (*first.rows, *rest.rows)}) == tools.LIST_LIMIT + 5


def test_a_repeated_write_gives_the_note_that_is_there(store: MemoryStore) -> None:
    first = write_memory(store, type="semantic", title="Tabs", body="not spaces\n")

    again = write_memory(store, type="procedural", title=" Tabs ", body="not spaces")

    assert again["id"] == first["id"]
    assert "nothing was written" in str(again["notice"])
    assert store.stats()["total"] == 1


@pytest.mark.parametrize("difference", [{"project": "demo"}, {"scope": "machine-local"}])
def test_the_same_words_elsewhere_are_another_note(
    store: MemoryStore, difference: dict[str, Any]
) -> None:
    first = write_memory(store, type="semantic", title="Tabs", body="not spaces")

    other = write_memory(store, type="semantic", title="Tabs", body="not spaces", **difference)

    assert other["id"] != first["id"]


def test_a_correction_hides_the_note_it_replaces(store: MemoryStore) -> None:
    old = write_memory(store, type="semantic", title="Port", body="the port is 8080")
    new = write_memory(
        store, type="semantic", title="Port", body="the port is 8443", supersedes=str(old["id"])
    )

    assert [hit["id"] for hit in search_memories(store, query="port")] == [new["id"]]


def test_what_was_replaced_can_be_said_again(store: MemoryStore) -> None:
    old = write_memory(store, type="semantic", title="Port", body="8080")
    new = write_memory(store, type="semantic", title="Port", body="8443", supersedes=str(old["id"]))

    back = write_memory(
        store, type="semantic", title="Port", body="8080", supersedes=str(new["id"])
    )

    assert back["id"] not in (old["id"], new["id"])
    assert [hit["body"] for hit in search_memories(store, query="port")] == ["8080"]


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ({"type": "fact"}, "procedural, semantic, episodic"),
        ({"scope": "everywhere"}, "portable, machine-local"),
        ({"title": " \n "}, "title is empty"),
        ({"title": "t" * 301}, "300 are allowed"),
        ({"body": "é" * 131_073}, "256 KB are allowed"),
    ],
)
def test_a_wrong_value_is_refused_and_nothing_is_written(
    store: MemoryStore, wrong: dict[str, Any], names: str
) -> None:
    right: dict[str, Any] = {"type": "semantic", "title": "t", "body": "b"}

    with pytest.raises(InvalidInput, match=names):
        write_memory(store, **{**right, **wrong})

    assert store.stats()["total"] == 0


def test_only_a_note_that_is_there_can_be_superseded(store: MemoryStore) -> None:
    with pytest.raises(NoSuchNote):
        write_memory(store, type="semantic", title="t", body="b", supersedes="01J9Z8YPM7")

    assert store.stats()["total"] == 0


def test_the_writer_is_told_about_secrets(store: MemoryStore) -> None:
    written = write_memory(store, type="semantic", title="Token", body=f"it is {SECRET}")

    assert written["body"] == "it is [redacted: github token]"
    assert written["notice"] == "Secrets were replaced before storing: github token."


def test_no_text_of_a_note_brings_a_secret_in(store: MemoryStore) -> None:
    written = write_memory(
        store, type="semantic", title=SECRET, body="b", project=f"of {SECRET}", tags=["ci", SECRET]
    )

    hidden = "[redacted: github token]"
    assert (written["title"], written["project"]) == (hidden, f"of {hidden}")
    assert written["tags"] == ["ci", hidden]


def test_status_has_counts_and_sync_and_no_password(store: MemoryStore) -> None:
    write_memory(store, type="semantic", title="t", body="b", project="demo")

    report = status_report(
        store,
        GitSyncBackend(store.memory_dir, remote="https://me:hunter2@host/x.git", machine_id="m"),
    )

    assert report["total"] == 1
    assert report["by_project"] == {"demo": 1}
    assert report["sync"] == {
        "initialized": False,
        "remote": "https://…@host/x.git",
        "head": None,
        "dirty": False,
        "detail": "not set up yet; run:  anamnesis sync",
    }
    assert "unreadable" not in report


def test_status_names_files_that_need_a_person(store: MemoryStore) -> None:
    for number in range(12):
        path = store.memory_dir / "semantic" / f"broken{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("no front matter")

    problems = status_report(store, Elsewhere(store))["unreadable"]

    assert isinstance(problems, list)
    assert len(problems) == 11
    assert problems[-1] == "and 2 more"


def test_status_names_the_largest_projects_only(store: MemoryStore) -> None:
    for number in range(60):
        store.write(type="semantic", title="t", body="b", project=f"project-{number}")

    counts = status_report(store, Elsewhere(store))["by_project"]

    assert isinstance(counts, dict)
    assert len(counts) == 51
    assert counts["(10 other projects)"] == 10


def test_a_sync_that_breaks_is_remembered_whatever_broke(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the background nobody sees a traceback."""
    backend = Elsewhere(store)
    monkeypatch.setattr(backend, "sync", lambda **_: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        sync_memory(store, backend)

    (failing,) = runs.failing(Home(store.root))
    assert (failing.area, "ZeroDivisionError" in failing.reason) == ("sync", True)


def test_what_a_sync_brought_can_be_found_at_once(store: MemoryStore) -> None:
    result = sync_memory(store, Elsewhere(store))

    assert result == {
        "pushed": True,
        "pulled": 2,
        "conflicted": False,
        "head": "3237e8f",
        "indexed": 1,
        "detail": "synced",
    }
    assert [hit["title"] for hit in search_memories(store, query="pulled")] == ["Pulled"]
