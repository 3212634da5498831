"""Versions, conflicts and the fleet, over real git."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.config import Home
from anamnesis.ground import locks
from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.store import MemoryStore
from anamnesis.sync.conflicts import Conflicts
from support.fleet import Machine

from .conftest import sync_now

NOTE = "01JAAAAAAAAAAAAAAAAAAAAAAA"


@pytest.fixture
def remote(tmp_path: Path, root: Path) -> Path:
    """A shared repository that this machine is configured for."""
    import subprocess

    path = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    root.mkdir(exist_ok=True)
    (root / "config.json").write_text(json.dumps({"remote": str(path), "machine_id": "laptop"}))
    return path


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Machine:
    """Another machine."""
    return Machine(tmp_path / "desk", str(remote))


def _saved(browser: TestClient, store: MemoryStore, note_id: str, body: str) -> None:
    found = store.read(note_id)
    assert found is not None
    fields = {"hash": found.hash, "body": body}
    assert browser.put(f"/api/notes/{note_id}", json=fields).status_code == 200


def _versions(browser: TestClient, note_id: str) -> list[str]:
    html = browser.get(f"/notes/{note_id}/history").text
    return re.findall(rf"/notes/{note_id}/history\?at=([0-9a-f]+)\"", html)


def test_a_save_is_recorded_without_a_remote(browser: TestClient, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="t", body="one two three\nsame")
    _saved(browser, store, note.id, "one two four\nsame")
    assert "1 recorded version" in browser.get(f"/notes/{note.id}/history").text
    _saved(browser, store, note.id, "one two five\nsame")

    versions = _versions(browser, note.id)
    html = browser.get(f"/notes/{note.id}/history").text

    assert len(versions) == 2
    assert '<span class="piece">four</span>' in html
    assert '<span class="piece">five</span>' in html


def test_recording_does_not_pretend_to_have_synced(
    browser: TestClient, store: MemoryStore, remote: Path
) -> None:
    note = store.write(type="semantic", title="t", body="one")
    _saved(browser, store, note.id, "two")
    browser.get("/history")

    assert "<dt>Last sync</dt><dd>never" in browser.get("/fleet").text
    assert "this machine has not synced yet" in browser.get("/").text


def test_an_earlier_version_comes_back_as_a_new_one(
    browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="t", body="first")
    _saved(browser, store, note.id, "second")
    browser.get("/history")
    _saved(browser, store, note.id, "third")
    newest, oldest = _versions(browser, note.id)

    answer = browser.post(f"/notes/{note.id}/restore", data={"revision": oldest})

    assert answer.status_code == 303
    kept = store.get(note.id)
    assert kept is not None
    assert kept.body == "second"
    assert _versions(browser, note.id)[1:] == [newest, oldest]


def test_a_deleted_note_is_listed_and_comes_back(browser: TestClient, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="gone", body="still here")
    _saved(browser, store, note.id, "still here.")
    browser.get("/history")
    other = store.write(type="semantic", title="other", body="")
    browser.post("/notes", data={"act": "delete", "id": note.id})

    assert note.id in browser.get("/history?deleted=1").text
    assert other.id not in browser.get("/history?deleted=1").text
    revision = _versions(browser, note.id)[-1]
    browser.post(f"/notes/{note.id}/restore", data={"revision": revision})

    kept = store.get(note.id)
    assert kept is not None
    assert kept.body == "still here."


@pytest.mark.parametrize(
    "revision", ["--output=/tmp/x", "-p", "HEAD..HEAD", "main:memory", "", "x" * 300, "HEAD\n--all"]
)
def test_a_revision_is_never_an_option(
    browser: TestClient, store: MemoryStore, revision: str, tmp_path: Path
) -> None:
    note = store.write(type="semantic", title="t", body="one")
    _saved(browser, store, note.id, "two")
    browser.get("/history")

    shown = browser.get(f"/notes/{note.id}/history", params={"at": revision or "nonsense"})
    restored = browser.post(f"/notes/{note.id}/restore", data={"revision": revision})

    assert shown.status_code == 400
    assert restored.status_code == 400
    kept = store.get(note.id)
    assert kept is not None
    assert kept.body == "two"


def test_ids_of_the_history_cannot_leave_the_store(browser: TestClient) -> None:
    for note_id in ("..%2f..%2fx", "a.b", "--all", "x" * 70):
        assert browser.get(f"/notes/{note_id}/history").status_code == 404
        assert browser.get(f"/conflicts/{note_id}").status_code == 404
        answer = browser.post(f"/notes/{note_id}/restore", data={"revision": "HEAD"})
        assert answer.status_code in (400, 404)


def test_sync_takes_over_what_others_wrote(
    browser: TestClient, store: MemoryStore, desk: Machine
) -> None:
    desk.write(NOTE, "from the desk")
    desk.sync()

    answer = sync_now(browser)

    assert "Synced: 0 sent, 1 received." in browser.get(answer.headers["location"]).text
    assert [note.body for note in store.list()] == ["from the desk"]
    store.write(type="semantic", title="t", body="nobody said where", machine_id="unknown")
    html = browser.get("/fleet").text
    assert "desk" in html
    assert "2 machines share" in html  # `unknown` is none


def _machine_row(browser: TestClient, name: str) -> dict[str, str]:
    """One line of the table of machines: what each column says."""
    html = browser.get("/fleet").text.partition('class="roomy machines"')[2]
    head = re.findall(r"<th scope=\"col\"[^>]*>([^<]+)</th>", html)
    lines = re.findall(r"<tr>\s*<td>.*?</tr>", html, re.DOTALL)
    [line] = [each for each in lines if f">{name}<" in each]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", line, re.DOTALL)
    plain = (" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in cells)
    return dict(zip(head, plain, strict=True))


def test_the_fleet_says_what_each_machine_lacks_and_what_is_not_known(
    browser: TestClient, store: MemoryStore, desk: Machine, remote: Path, tmp_path: Path
) -> None:
    tower = Machine(tmp_path / "tower", str(remote))
    tower.write("01JTTTTTTTTTTTTTTTTTTTTTTT", "of the tower")
    tower.sync()
    desk.write(NOTE, "from the desk")
    desk.sync()
    sync_now(browser)
    for number in range(2):
        store.write(type="semantic", title=f"t{number}", body="of the laptop")
        sync_now(browser)
    desk.memory.joinpath(".machines").mkdir()
    desk.memory.joinpath(".machines", "desk.json").write_text("{}")  # no news about notes
    tower.sync()
    store.write(type="semantic", title="not sent", body="of the laptop")
    record_locally(store, machine_id="laptop")
    browser.app.state.dashboard.sync_state.measured()  # type: ignore[attr-defined]

    # Nothing was recorded by the tower since its first note: one of the desk, three of the laptop.
    assert _machine_row(browser, "tower")["Behind"] == "4"
    assert _machine_row(browser, "desk")["Behind"] == "3"
    here = browser.app.state.dashboard.machine  # type: ignore[attr-defined]
    assert _machine_row(browser, here)["Ahead"] == "1"

    desk.sync()
    desk.write(NOTE, "once more from the desk")
    desk.sync()
    laptop = Machine(Path(store.root), str(remote))
    laptop.git("fetch", "-q", str(remote), "+main:refs/remotes/origin/main")
    browser.app.state.dashboard.sync_state.measured()  # type: ignore[attr-defined]

    assert _machine_row(browser, "desk")["Ahead"] == "1"
    assert _machine_row(browser, "tower")["Ahead"] == "0"
    assert "Only the machine itself knows what it has not sent yet" in browser.get("/fleet").text


def test_a_failed_sync_never_looks_like_a_good_one(
    browser: TestClient, store: MemoryStore, root: Path
) -> None:
    root.mkdir(exist_ok=True)
    (root / "config.json").write_text(json.dumps({"remote": "/nowhere/at/all.git"}))
    store.write(type="semantic", title="t", body="")

    answer = sync_now(browser)
    html = browser.get(answer.headers["location"]).text

    assert 'class="toast trouble"' in html
    assert "<dt>Last sync</dt><dd>never" in html
    assert "check trouble" in browser.get("/").text


def test_what_is_not_synced_is_told(browser: TestClient, root: Path, remote: Path) -> None:
    (root / "memory" / "semantic").mkdir(parents=True)
    folder = root / "memory" / "semantic"
    (folder / "What?.md").write_text("---\nid: q1\ntype: semantic\n---\nx")
    (folder / "broken.md").write_text("<<<<<<< mine\n=======\n>>>>>>> x\n")
    sync_now(browser)

    html = browser.get("/").text
    assert "1 file is not synced, for example semantic/What?.md" in html
    assert "1 file cannot be read: memory/semantic/broken.md" in html


@pytest.fixture
def conflict(browser: TestClient, store: MemoryStore, desk: Machine) -> str:
    """One note, edited here and on the desk."""
    desk.write(NOTE, "line one\nline two", title="shared")
    desk.sync()
    sync_now(browser)
    desk.edit(NOTE, body="line one\nline of the desk", tags=["desk"])
    desk.sync()
    found = store.read(NOTE)
    assert found is not None
    store.update(replace(found.note, body="line one\nline of the laptop"), expected_hash=found.hash)
    sync_now(browser)
    assert [held.id for held in Conflicts(Home(store.root)).held().values()] == [NOTE]
    return NOTE


def test_a_conflict_is_shown_with_all_versions(browser: TestClient, conflict: str) -> None:
    assert "shared" in browser.get("/conflicts").text
    assert "1 note was edited on two machines" in browser.get("/").text

    html = re.sub("</?(span|em)[^>]*>", "", browser.get(f"/conflicts/{conflict}").text)

    assert "line of the desk" in html
    assert "line of the laptop" in html
    assert "line two" in html


@pytest.mark.parametrize(
    ("choice", "bodies"),
    [
        ("mine", {"line one\nline of the laptop"}),
        ("theirs", {"line one\nline of the desk"}),
        ("both", {"line one\nline of the laptop", "line one\nline of the desk"}),
    ],
)
def test_a_choice_resolves_a_conflict(
    browser: TestClient, store: MemoryStore, conflict: str, choice: str, bodies: set[str]
) -> None:
    answer = browser.post(f"/conflicts/{conflict}", data={"choice": choice})

    assert answer.status_code == 303
    assert {note.body for note in store.list()} == bodies
    assert "No conflicts" in browser.get("/conflicts").text


def _seal(browser: TestClient, note_id: str) -> str:
    html = browser.get(f"/conflicts/{note_id}").text
    return html.partition('name="seal" value="')[2].partition('"')[0]


def test_parts_of_both_versions_resolve_a_conflict(
    browser: TestClient, store: MemoryStore, desk: Machine, conflict: str
) -> None:
    picks = {"seal": _seal(browser, conflict), "part-1": "both", "field-tags": "theirs"}

    shown = browser.post(f"/conflicts/{conflict}", data={**picks, "choice": "preview"})
    held_while_looking = set(Conflicts(Home(store.root)).held())
    answer = browser.post(f"/conflicts/{conflict}", data={**picks, "choice": "picked"})
    sync_now(browser)
    desk.sync()

    assert shown.status_code == 200
    assert "line of the laptop\nline of the desk" in shown.text.partition('id="outcome"')[2]
    assert len(held_while_looking) == 1
    assert answer.status_code == 303
    kept = store.get(conflict)
    assert kept is not None
    assert kept.body == "line one\nline of the laptop\nline of the desk"
    assert kept.tags == ["desk"]
    assert desk.body(conflict) == kept.body


def test_a_pick_for_versions_that_changed_meanwhile_resolves_nothing(
    browser: TestClient, store: MemoryStore, conflict: str
) -> None:
    picks = {"seal": _seal(browser, conflict), "part-1": "theirs", "choice": "picked"}
    found = store.read(conflict)
    assert found is not None
    store.update(replace(found.note, body="edited again"), expected_hash=found.hash)

    assert browser.post(f"/conflicts/{conflict}", data=picks).status_code == 409
    kept = store.get(conflict)
    assert kept is not None
    assert kept.body == "edited again"
    assert len(Conflicts(Home(store.root)).held()) == 1


def test_the_result_of_the_picks_can_be_edited_by_hand(browser: TestClient, conflict: str) -> None:
    picks = {"seal": _seal(browser, conflict), "part-1": "both", "choice": "edit"}

    html = browser.post(f"/conflicts/{conflict}", data=picks).text

    right = html.partition('name="body"')[2].partition("</textarea>")[0]
    assert "line of the laptop\nline of the desk" in right


@pytest.mark.parametrize("trouble", ["changed", "markers", "field"])
def test_a_text_made_of_both_is_kept_when_it_cannot_be_resolved(
    browser: TestClient, store: MemoryStore, conflict: str, trouble: str
) -> None:
    form = {
        "choice": "edited", "seal": _seal(browser, conflict), "title": "shared",
        "body": "precious words", "type": "semantic", "project": "global", "scope": "portable",
        "confidence": "1",
    }  # fmt: skip
    if trouble == "changed":
        found = store.read(conflict)
        assert found is not None
        store.update(replace(found.note, body="edited again"), expected_hash=found.hash)
    elif trouble == "markers":
        form["body"] += "\n<<<<<<< mine"
    else:
        form["title"] = " "

    answer = browser.post(f"/conflicts/{conflict}", data=form)

    assert answer.status_code == 409
    assert "nothing was resolved" in answer.text
    assert "precious words" in answer.text
    assert len(Conflicts(Home(store.root)).held()) == 1


def test_a_version_that_is_no_note_is_chosen_as_a_whole(
    browser: TestClient, store: MemoryStore, conflict: str
) -> None:
    next((store.root / "memory").rglob(f"{conflict}.md")).write_text("no front matter")

    html = browser.get(f"/conflicts/{conflict}").text
    picked = browser.post(f"/conflicts/{conflict}", data={"choice": "picked"})

    assert "Take the one from desk" in html
    assert "Save this selection" not in html
    assert picked.status_code in (400, 409)


def test_a_text_made_of_both_resolves_a_conflict(
    browser: TestClient, store: MemoryStore, desk: Machine, conflict: str
) -> None:
    form = {
        "choice": "edited", "seal": _seal(browser, conflict), "title": "shared", "tags": "desk",
        "body": "line one\r\nboth lines",
        "type": "semantic", "project": "global", "scope": "portable", "confidence": "1",
    }  # fmt: skip

    assert browser.post(f"/conflicts/{conflict}", data=form).status_code == 303
    sync_now(browser)
    desk.sync()

    kept = store.get(conflict)
    assert kept is not None
    assert (kept.body, kept.tags) == ("line one\nboth lines", ["desk"])
    assert desk.body(conflict) == "line one\nboth lines"


def test_an_unknown_choice_changes_nothing(browser: TestClient, conflict: str) -> None:
    assert browser.post(f"/conflicts/{conflict}", data={"choice": "none"}).status_code == 400
    assert "shared" in browser.get("/conflicts").text


def test_a_save_during_a_sync_is_recorded_when_the_sync_is_done(
    browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="t", body="one")
    lock = str(store.root / "locks" / "sync.lock")

    with locks.held(lock, name="sync", timeout=0):
        _saved(browser, store, note.id, "two")
        assert "No versions yet" in browser.get(f"/notes/{note.id}/history").text
    assert "1 recorded version" in browser.get(f"/notes/{note.id}/history").text

    assert "every note file can be read" in browser.get("/").text
