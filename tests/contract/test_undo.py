"""What any face deleted, edited or changed together, `anamnesis undo` takes back elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from anamnesis.config import Home
from anamnesis.history import undo
from anamnesis.notes.fields import Memory, Scope, new_id
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.curate import forget
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys

if TYPE_CHECKING:
    from collections.abc import Sequence

HOST = "127.0.0.1:8765"
MAIN = "from anamnesis.cli import main; raise SystemExit(main())"


def notes_in(root: Path) -> dict[str, bytes]:
    """What every note file says."""
    found = (path for tree in ("memory", "local") for path in (root / tree).rglob("*.md"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def anamnesis(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments], capture_output=True, text=True, check=False,
        env={**os.environ, **environment}, timeout=120,
    )  # fmt: skip


def dashboard(store: MemoryStore) -> TestClient:
    """A server that was just started, and a browser that was let in."""
    keys = Keys()
    app = build(store, keys=keys, hosts=frozenset({HOST}), cookie="c")
    client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
    client.get("/open", params={"token": keys.mint()})
    client.headers.update({"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"})
    return client


def delete_by_command(store: MemoryStore, ids: Sequence[str]) -> None:
    assert anamnesis("delete", *ids, "--yes").returncode == 0


def delete_in_dashboard(store: MemoryStore, ids: Sequence[str]) -> None:
    answer = dashboard(store).post("/notes", data={"act": "delete", "id": list(ids)})
    assert answer.status_code == 303


def delete_by_api(store: MemoryStore, ids: Sequence[str]) -> None:
    for note_id in ids:
        assert dashboard(store).delete(f"/api/notes/{note_id}").status_code == 200


FACES = [delete_by_command, delete_in_dashboard, delete_by_api]


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    return store.write(type="semantic", title="VPN", body="needed", tags=["a"])


@pytest.mark.parametrize("scope", ["portable", "machine-local"])
@pytest.mark.parametrize("delete", FACES)
def test_a_deleted_note_is_brought_back_by_another_process(
    store: MemoryStore, root: Path, delete: Callable[..., None], scope: Scope
) -> None:
    kept = store.write(type="semantic", title="kept", body="words", scope=scope)
    before = notes_in(root)
    delete(store, [kept.id])
    assert store.get(kept.id) is None

    done = anamnesis("undo")

    assert done.returncode == 0
    assert "Undone: 1 note deleted" in done.stdout
    assert notes_in(root) == before
    assert [note.id for note in store.search("words")] == [kept.id]


def edit_by_command(store: MemoryStore, note: Memory) -> None:
    assert anamnesis("edit", note.id, EDITOR="sed -i s/needed/later/").returncode == 0


def edit_in_dashboard(store: MemoryStore, note: Memory) -> None:
    form = {"title": note.title, "body": "later", "hash": store.require(note.id).hash}
    assert dashboard(store).post(f"/notes/{note.id}", data=form).status_code == 303


def edit_by_api(store: MemoryStore, note: Memory) -> None:
    change = {"body": "later", "hash": store.require(note.id).hash}
    assert dashboard(store).put(f"/api/notes/{note.id}", json=change).status_code == 200


@pytest.mark.parametrize("edit", [edit_by_command, edit_in_dashboard, edit_by_api])
def test_an_edit_keeps_what_it_replaced(
    store: MemoryStore, root: Path, note: Memory, edit: Callable[..., None]
) -> None:
    before = notes_in(root)
    edit(store, note)
    assert store.require(note.id).note.body.strip() == "later"

    assert anamnesis("undo").returncode == 0

    assert notes_in(root) == before


@pytest.mark.parametrize(
    "form",
    [
        {"act": "tag", "tag": "x"},
        {"act": "untag", "tag": "a"},
        {"act": "machine-local"},
        {"act": "supersede"},
        {"act": "delete"},
    ],
    ids=lambda form: form["act"],
)
def test_a_change_of_several_notes_is_undone_after_a_restart_of_the_server(
    store: MemoryStore, root: Path, note: Memory, form: dict[str, Any]
) -> None:
    other = store.write(type="semantic", title="other", body="b", tags=["a"])
    before = notes_in(root)
    changed = dashboard(store).post("/notes", data={**form, "id": [note.id, other.id]})
    assert notes_in(root) != before
    restarted = dashboard(store)

    page = restarted.get(changed.headers["location"]).text
    unit = page.partition('name="unit" value="')[2].partition('"')[0]
    restarted.post("/undo", data={"unit": unit})

    assert notes_in(root) == before


def test_what_can_be_undone_is_listed(store: MemoryStore, note: Memory) -> None:
    delete_by_command(store, [note.id])

    [listed] = json.loads(anamnesis("undo", "--list", "--json").stdout)
    text = anamnesis("undo", "--list").stdout

    assert (listed["kind"], listed["notes"], listed["ids"]) == ("delete", 1, [note.id])
    assert listed["id"] in text
    assert 'delete: 1 note deleted: "VPN"' in text


def test_a_change_is_named_by_a_part_of_its_id(store: MemoryStore, note: Memory) -> None:
    other = store.write(type="semantic", title="other", body="b")
    delete_by_command(store, [note.id])
    delete_by_command(store, [other.id])
    _, first = undo.undoable(Home(store.root))

    assert anamnesis("undo", first.id[-6:].lower()).returncode == 0

    assert store.get(note.id) is not None
    assert store.get(other.id) is None


def test_an_undo_is_taken_back_too(store: MemoryStore, root: Path, note: Memory) -> None:
    edit_by_command(store, note)
    edited = notes_in(root)
    redo = json.loads(anamnesis("undo", "--json").stdout)["redo"]
    assert notes_in(root) != edited

    assert anamnesis("undo", redo).returncode == 0
    assert notes_in(root) == edited

    assert anamnesis("undo").returncode == 0
    assert store.require(note.id).note.body == "needed"


def test_what_an_undo_took_back_is_listed_as_something_to_redo(
    store: MemoryStore, note: Memory
) -> None:
    delete_by_command(store, [note.id])
    redo = json.loads(anamnesis("undo", "--json").stdout)["redo"]

    assert anamnesis("undo", "--list").stdout.rstrip().endswith("  redo: 1 note deleted")

    redone = anamnesis("undo", redo)
    assert redone.stdout == "Redone: 1 note deleted\n"
    assert redone.stderr.startswith("undo it:  anamnesis undo ")


@pytest.mark.parametrize("command", ["show", "history"])
@pytest.mark.parametrize("part", [slice(None), slice(-6, None)], ids=["id", "its end"])
def test_the_error_for_a_deleted_note_names_the_change_that_removed_it(
    store: MemoryStore, command: str, part: slice
) -> None:
    note = store.write(type="semantic", title="VPN", body="needed", scope="machine-local")
    delete_by_command(store, [note.id])
    [deleted] = undo.undoable(Home(store.root))
    store.write(type="semantic", title="other", body="b")

    told = anamnesis(command, note.id[part])

    assert told.returncode == 1
    assert f"bring it back with:  anamnesis undo {deleted.id}" in told.stderr
    assert anamnesis("undo", deleted.id).returncode == 0
    assert anamnesis("show", note.id[part]).returncode == 0


def test_no_undo_is_named_for_a_note_that_no_change_removed(
    store: MemoryStore, root: Path, note: Memory
) -> None:
    moved = anamnesis("move", note.id, "--scope", "machine-local")
    assert moved.returncode == 0
    next((root / "local").rglob("*.md")).unlink()

    for given in (note.id, "7" * 26, "nothing-like-it"):
        told = anamnesis("show", given)

        assert told.returncode == 1
        assert "To list the ids:  anamnesis list" in told.stderr


def test_two_undos_take_back_two_changes(store: MemoryStore, root: Path, note: Memory) -> None:
    before = notes_in(root)
    edit_by_command(store, note)
    delete_by_command(store, [note.id])

    assert anamnesis("undo").returncode == 0
    assert anamnesis("undo").returncode == 0

    assert notes_in(root) == before
    nothing = anamnesis("undo")
    assert nothing.returncode == 1
    assert "There is no change to undo." in nothing.stderr


def test_a_note_that_was_changed_since_is_left_and_named(store: MemoryStore, note: Memory) -> None:
    other = store.write(type="semantic", title="other", body="b")
    page = dashboard(store)
    page.post("/notes", data={"act": "machine-local", "id": [note.id, other.id]})
    moved = store.root / "local" / "semantic" / f"{note.id}.md"
    moved.write_text(moved.read_text().replace("needed", "edited by hand"))

    done = anamnesis("undo")

    assert done.returncode == 0
    assert f"local/semantic/{note.id}.md has changed since; left alone" in done.stderr
    assert not (store.root / "memory" / "semantic" / f"{note.id}.md").exists()
    assert store.require(note.id).note.body == "edited by hand"
    assert store.require(other.id).note.scope == "portable"


def test_a_note_that_came_back_in_another_file_is_not_doubled(
    store: MemoryStore, root: Path, note: Memory
) -> None:
    file = root / "memory" / "semantic" / f"{note.id}.md"
    text = file.read_text()
    delete_by_command(store, [note.id])
    (file.parent / "by-hand.md").write_text(text)
    store.refresh()

    done = anamnesis("undo")

    assert done.returncode == 1
    assert not file.exists()
    assert store.get(note.id) is not None


def test_nothing_of_a_forgotten_note_waits_in_an_undo(
    store: MemoryStore, root: Path, note: Memory
) -> None:
    other = store.write(type="semantic", title="other", body="b")
    edit_by_command(store, note)
    dashboard(store).post("/notes", data={"act": "tag", "tag": "x", "id": [note.id, other.id]})
    anamnesis("undo")

    forget.forget(store, [note.id])

    texts = [path.read_text() for path in (root / "undo").iterdir()]
    assert texts
    assert not any(word in text for text in texts for word in ("VPN", "needed", "later"))
    for unit in list(undo.undoable(Home(root))):
        undo.undo(store, id=unit.id)
    assert store.get(note.id) is None


def test_a_secret_that_was_replaced_waits_in_no_undo(store: MemoryStore, root: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    note = store.write(type="semantic", title="CI", body=f"needed: {secret}")
    edit_by_command(store, note)

    form = {"hash": store.require(note.id).hash}
    assert dashboard(store).post(f"/notes/{note.id}/redact", data=form).status_code == 303

    assert not any(secret in path.read_text() for path in (root / "undo").iterdir())
    assert secret not in store.require(note.id).note.body


def test_units_of_earlier_versions_are_taken_back(
    store: MemoryStore, root: Path, note: Memory
) -> None:
    data = serialize(note).encode()
    store.delete(note.id)
    path = f"memory/semantic/{note.id}.md"
    record = {
        "kind": "review", "summary": "1 note rejected", "at": "2026-11-01T00:00:00+00:00",
        "files": [[path, data.decode(), ""]],
    }  # fmt: skip
    (root / "undo").mkdir()
    done, undone = new_id(), new_id()
    (root / "undo" / f"{done}.done.json").write_text(json.dumps(record))
    (root / "undo" / f"{undone}.undone.json").write_text(json.dumps(record))

    assert [unit.id for unit in undo.undoable(Home(root))] == [done]
    assert anamnesis("review", "--undo").returncode == 0

    assert store.require(note.id).data == data
