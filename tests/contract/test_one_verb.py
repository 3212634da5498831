"""One verb, one function: the same words meet the same rules in every face."""

from __future__ import annotations

import html
import io
import json
import re
import shlex
import subprocess
import time
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from starlette.testclient import TestClient

from anamnesis.cli import main
from anamnesis.ground import locks
from anamnesis.ground.records import record, replace
from anamnesis.mcp import tools
from anamnesis.mcp.workspace import Binding
from anamnesis.notes.fields import EDITED, FIELDS
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.notes.policy import (
    POLICIES,
    REPLACED,
    NoteDraft,
    Policy,
    draft_of,
    revised,
)
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from anamnesis.notes.fields import Memory

HOST = "127.0.0.1:8765"
SECRET = "ghp_" + "a1B2" * 9
STEPS = (
    "Build the wheel with make, tag the release, push the tag, wait for the pipeline "
    "and publish the draft of the announcement when it is green."
)
MISSING = "01J9Z8YPM7Q3X2V4WT6B5N0KGD"


@record
class Outcome:
    """What a face said: why it refused, or what it stored and told its writer."""

    refusal: str = ""
    note_id: str = ""
    notice: str = ""


class Face(Protocol):
    """One way to the notes."""

    def write(self, draft: NoteDraft) -> Outcome:
        """Write a note."""

    def edit(self, note: Memory, draft: NoteDraft) -> Outcome:
        """Change a note."""

    def search(self, query: str) -> list[str]:
        """The ids that a search gives."""

    def delete(self, note_id: str) -> None:
        """Remove a note."""


class Command:
    """The command line."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(arguments)
        return code, out.getvalue(), err.getvalue()

    def write(self, draft: NoteDraft) -> Outcome:
        text = self._folder / "text"
        text.write_text(f"{draft.body}\n")
        replaced = [word for id in draft.supersedes for word in ("--supersedes", id)]
        return self._outcome(
            "write", "--file", str(text), "--title", draft.title, "--type", draft.type,
            "--project", draft.project, "--scope", draft.scope, "--tags", ",".join(draft.tags),
            *replaced,
        )  # fmt: skip

    def edit(self, note: Memory, draft: NoteDraft) -> Outcome:
        edited = self._folder / "edited"
        edited.write_text(serialize(revised(note, draft)))
        self._monkeypatch.setenv("EDITOR", f"cp {shlex.quote(str(edited))}")
        return self._outcome("edit", note.id)

    def search(self, query: str) -> list[str]:
        _, printed, _ = self.run("search", query, "--json")
        return [note["id"] for note in json.loads(printed)]

    def delete(self, note_id: str) -> None:
        assert self.run("delete", "--yes", note_id)[0] == 0

    def _outcome(self, *arguments: str) -> Outcome:
        code, printed, said = self.run(*arguments)
        return Outcome(said) if code else Outcome("", printed.strip(), said)


class Tool:
    """The tools of the server."""

    def __init__(self, store: MemoryStore) -> None:
        self._binding = Binding(store, machine_id="m")

    def write(self, draft: NoteDraft) -> Outcome:
        given = {
            "type": draft.type, "title": draft.title, "body": draft.body, "scope": draft.scope,
            "project": draft.project, "tags": list(draft.tags),
            "supersedes": " ".join(draft.supersedes),
        }  # fmt: skip
        answer = tools.call(self._binding, "memory_write", given)
        if answer.is_error:
            return Outcome(answer.text)
        return Outcome("", answer.structured["id"], answer.structured.get("notice", ""))

    def edit(self, note: Memory, draft: NoteDraft) -> Outcome:
        raise AssertionError("No tool edits a note.")

    def search(self, query: str) -> list[str]:
        answer = tools.call(self._binding, "memory_search", {"query": query})
        return [note["id"] for note in answer.structured["result"]]

    def delete(self, note_id: str) -> None:
        raise AssertionError("No tool deletes a note.")


class Dashboard:
    """The forms in a browser."""

    def __init__(self, browser: TestClient, store: MemoryStore) -> None:
        self._browser = browser
        self._store = store

    def write(self, draft: NoteDraft) -> Outcome:
        return self._outcome("/new", _form(draft))

    def edit(self, note: Memory, draft: NoteDraft) -> Outcome:
        found = self._store.read(note.id)
        assert found is not None
        return self._outcome(f"/notes/{note.id}", {**_form(draft), "hash": found.hash})

    def search(self, query: str) -> list[str]:
        page = self._browser.get("/notes", params={"q": query}).text
        return re.findall(r'class="row-title"[^>]*href="/notes/([^"]+)"', page)

    def delete(self, note_id: str) -> None:
        answer = self._browser.post("/notes", data={"act": "delete", "id": note_id})
        assert answer.status_code == 303

    def _outcome(self, address: str, form: dict[str, str]) -> Outcome:
        answer = self._browser.post(address, data=form)
        if answer.status_code != 303:
            found = re.search(r'role="alert">(.*?)</p>', answer.text)
            assert found is not None
            return Outcome(html.unescape(found[1]))
        location = answer.headers["location"]
        toast = re.search(r"data-toast>(.*?)</div>", self._browser.get(location).text, re.DOTALL)
        assert toast is not None
        note_id = location.removeprefix("/notes/").partition("?")[0]
        return Outcome("", note_id, html.unescape(toast[1]))


class Api:
    """The JSON interface."""

    def __init__(self, browser: TestClient, store: MemoryStore) -> None:
        self._browser = browser
        self._store = store

    def write(self, draft: NoteDraft) -> Outcome:
        return self._outcome("POST", "/api/notes", _fields(draft))

    def edit(self, note: Memory, draft: NoteDraft) -> Outcome:
        found = self._store.read(note.id)
        assert found is not None
        fields = {**_fields(draft), "hash": found.hash}
        return self._outcome("PUT", f"/api/notes/{note.id}", fields)

    def search(self, query: str) -> list[str]:
        found = self._browser.get("/api/notes", params={"q": query}).json()["notes"]
        return [note["id"] for note in found]

    def delete(self, note_id: str) -> None:
        assert self._browser.delete(f"/api/notes/{note_id}").status_code == 200

    def _outcome(self, method: str, address: str, fields: dict[str, Any]) -> Outcome:
        answer = self._browser.request(method, address, json=fields)
        found = answer.json()
        if answer.status_code >= 400:
            return Outcome(found["error"])
        return Outcome("", found["id"], found.get("notice", ""))


def _fields(draft: NoteDraft) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value := getattr(draft, name), tuple) else value
        for name in ("body", *EDITED)
    }


def _form(draft: NoteDraft) -> dict[str, str]:
    fields = {**_fields(draft), "tags": ", ".join(draft.tags)}
    return {**fields, "supersedes": " ".join(draft.supersedes)}


@pytest.fixture
def browser(store: MemoryStore) -> Iterator[TestClient]:
    """A browser that was let in."""
    keys = Keys()
    app = build(store, keys=keys, hosts=frozenset({HOST}), cookie="anamnesis-8765")
    with TestClient(app, base_url=f"http://{HOST}", follow_redirects=False) as client:
        assert client.get("/open", params={"token": keys.mint()}).status_code == 200
        client.headers.update({"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"})
        yield client


@pytest.fixture
def faces(
    store: MemoryStore, browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Face]:
    """Every way to one and the same store."""
    return {
        "command": Command(tmp_path, monkeypatch),
        "tool": Tool(store),
        "dashboard": Dashboard(browser, store),
        "api": Api(browser, store),
    }


def _named(row: Policy) -> str:
    return f"{row.face}-{row.verb}"


every_row = pytest.mark.parametrize("row", POLICIES, ids=_named)
every_writer = pytest.mark.parametrize("face", ["command", "tool", "dashboard", "api"])
every_editor = pytest.mark.parametrize("face", ["command", "dashboard", "api"])

PLAIN = NoteDraft("Deploys", "They need the VPN.")


def _carried_out(face: Face, store: MemoryStore, row: Policy, draft: NoteDraft) -> Outcome:
    """A draft as a new note, or as an edit of a plain one."""
    if row.verb == "write":
        return face.write(draft)
    note = store.write(type=PLAIN.type, title=PLAIN.title, body=PLAIN.body)
    return face.edit(note, draft)


def _texts(store: MemoryStore) -> list[tuple[str, str]]:
    return [(note.title, note.body) for note in store.list()]


@pytest.mark.parametrize(
    ("wrong", "refusal"),
    [
        ({"title": "t" * 900}, "The title has 900 characters; 300 are allowed."),
        ({"title": " "}, "The title is empty."),
        ({"body": "word " * 120_000}, "The body has 585 KB; 256 KB are allowed."),
        ({"supersedes": (MISSING,)}, f"There is no note {MISSING}."),
        ({"project": "p" * 1001}, "is longer than 1000 characters."),
        ({"tags": ("t" * 1001,)}, "is longer than 1000 characters."),
    ],
)
@every_row
def test_what_no_note_may_say_is_refused_in_the_same_words(
    faces: dict[str, Face], store: MemoryStore, row: Policy, wrong: dict[str, Any], refusal: str
) -> None:
    outcome = _carried_out(faces[row.face], store, row, replace(PLAIN, **wrong))

    assert refusal in outcome.refusal
    assert _texts(store) == ([] if row.verb == "write" else [(PLAIN.title, PLAIN.body)])


@every_row
def test_the_row_says_how_long_a_title_and_a_body_may_be(
    faces: dict[str, Face], store: MemoryStore, row: Policy
) -> None:
    longest = replace(PLAIN, title="t" * row.longest_title)
    largest = replace(PLAIN, body="b" * row.largest_body)
    too_long = replace(PLAIN, title="t" * (row.longest_title + 1))
    too_large = replace(PLAIN, body="b" * (row.largest_body + 1))

    def refused(draft: NoteDraft) -> bool:
        return bool(_carried_out(faces[row.face], store, row, draft).refusal)

    drafts = (longest, largest, too_long, too_large)
    assert [refused(draft) for draft in drafts] == [False, False, True, True]


@every_row
def test_the_row_says_whether_a_note_may_be_there_twice(
    faces: dict[str, Face], store: MemoryStore, row: Policy
) -> None:
    draft = NoteDraft("Release", STEPS)
    first = faces["api"].write(draft)

    again = _carried_out(faces[row.face], store, row, draft)

    assert again.refusal == ""
    assert (again.note_id == first.note_id) == row.refuses_identical
    assert ("nothing was written" in again.notice) == row.refuses_identical
    assert _texts(store).count((draft.title, draft.body)) == (1 if row.refuses_identical else 2)


@every_row
def test_the_row_says_whether_similar_notes_are_named(
    faces: dict[str, Face], store: MemoryStore, row: Policy
) -> None:
    first = faces["api"].write(NoteDraft("Release", STEPS))

    other = _carried_out(faces[row.face], store, row, NoteDraft("How to", f"{STEPS} Then rest."))

    named = f"A similar note is stored as {first.note_id}" in other.notice
    assert named == row.checks_near_duplicates


@every_row
def test_the_row_says_whether_what_is_superseded_must_exist(
    faces: dict[str, Face], store: MemoryStore, row: Policy
) -> None:
    outcome = _carried_out(faces[row.face], store, row, replace(PLAIN, supersedes=(MISSING,)))

    assert bool(outcome.refusal) == row.requires_superseded


@every_row
def test_the_row_says_what_becomes_of_secrets(
    faces: dict[str, Face], store: MemoryStore, row: Policy
) -> None:
    draft = NoteDraft(f"CI {SECRET}", f"uses {SECRET}", tags=("ci", SECRET))

    outcome = _carried_out(faces[row.face], store, row, draft)

    note = store.get(outcome.note_id)
    assert note is not None
    stored = " ".join((note.title, note.body, *note.tags))
    assert (SECRET not in stored) == (row.secrets == REPLACED)
    told = "Secrets were replaced before storing: github token." in outcome.notice
    assert told == (row.secrets == REPLACED)


@every_writer
def test_similar_notes_are_looked_for_once(
    faces: dict[str, Face], store: MemoryStore, face: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    recall = MemoryStore.recall

    def counted(self: MemoryStore, query: str, **options: Any) -> Any:
        asked.append(query)
        return recall(self, query, **options)

    monkeypatch.setattr(MemoryStore, "recall", counted)

    assert faces[face].write(PLAIN).note_id
    assert len(asked) == 1


@every_editor
def test_a_note_that_is_too_long_can_be_improved_but_not_made_longer(
    faces: dict[str, Face], store: MemoryStore, face: str
) -> None:
    long = store.write(type="semantic", title="t" * 900, body="word " * 120_000)

    def edited(**changes: str) -> Outcome:
        note = store.get(long.id)
        assert note is not None
        return faces[face].edit(note, replace(draft_of(note), **changes))

    assert edited(body="word " * 119_999 + "fact ").refusal == ""
    assert edited(title="t" * 899).refusal == ""
    assert "300 are allowed" in edited(title="t" * 901).refusal
    assert "256 KB are allowed" in edited(body="word " * 120_001).refusal
    assert edited(body="short").refusal == ""
    assert "256 KB are allowed" in edited(body="word " * 120_000).refusal


@every_editor
def test_a_note_may_go_on_replacing_what_was_deleted(
    faces: dict[str, Face], store: MemoryStore, face: str
) -> None:
    note = store.write(type="semantic", title="Port", body="8443", supersedes=MISSING)

    outcome = faces[face].edit(note, replace(draft_of(note), body="9443"))

    assert outcome.refusal == ""
    saved = store.get(note.id)
    assert saved is not None
    assert (saved.body, saved.supersedes) == ("9443", MISSING)


@pytest.mark.parametrize("spelling", ["{}", " {} ", "memory://note/{}"])
@every_writer
def test_an_id_as_the_query_finds_its_note(
    faces: dict[str, Face], store: MemoryStore, face: str, spelling: str
) -> None:
    note = store.write(type="semantic", title="Port", body="8080")
    store.write(type="semantic", title="Port", body="8443", supersedes=note.id)

    assert faces[face].search(spelling.format(note.id)) == [note.id]
    assert faces[face].search(spelling.format(note.id.lower())) == [note.id]


@every_writer
def test_every_face_ranks_alike(faces: dict[str, Face], store: MemoryStore, face: str) -> None:
    for number in range(12):
        store.write(type="semantic", title=f"VPN {number}", body="hangs " * (1 + number % 4))
    best = [hit.note.id for hit in store.recall("the vpn hangs", k=8)]

    assert faces[face].search("the vpn hangs")[:8] == best


@every_editor
def test_the_history_keeps_what_is_deleted(
    faces: dict[str, Face], store: MemoryStore, face: str
) -> None:
    note = store.write(type="semantic", title="Port", body="nobody recorded this yet")

    faces[face].delete(note.id)

    assert store.get(note.id) is None
    kept = subprocess.run(
        ["git", "-C", store.memory_dir, "log", "--patch", "--all"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "nobody recorded this yet" in kept.stdout


@pytest.mark.parametrize(("method", "address"), [("POST", "/notes"), ("DELETE", "/api/notes/{}")])
def test_nothing_is_deleted_that_a_running_sync_keeps_from_the_history(
    browser: TestClient, store: MemoryStore, method: str, address: str
) -> None:
    note = store.write(type="semantic", title="Port", body="nobody recorded this yet")

    with locks.held(str(store.root / "locks" / "sync.lock"), name="sync", timeout=1):
        form = {"act": "delete", "id": note.id}
        answer = browser.request(method, address.format(note.id), data=form)
        message = answer.text if answer.status_code == 503 else _outcome(browser, answer.headers)

    assert "nothing was changed" in message
    assert store.get(note.id) is not None


def _outcome(browser: TestClient, headers: Mapping[str, str]) -> str:
    """The page that says what came of a change that takes a while."""
    for _ in range(600):
        answer = browser.get(headers["location"])
        if answer.status_code == 303:
            return browser.get(answer.headers["location"]).text
        time.sleep(0.1)
    raise AssertionError("the change did not end")


def test_a_note_is_the_same_to_every_program(
    faces: dict[str, Face], store: MemoryStore, browser: TestClient
) -> None:
    old = store.write(type="semantic", title="Port", body="8080")
    note = store.write(type="semantic", title="Port", body="8443", tags=["net"], supersedes=old.id)
    command = faces["command"]
    assert isinstance(command, Command)

    shown = json.loads(command.run("show", note.id, "--json")[1])
    answered = browser.get(f"/api/notes/{note.id}").json()
    (listed, _) = json.loads(command.run("list", "--json")[1])
    told = tools.call(Binding(store), "memory_search", {"query": note.id}).structured["result"][0]

    assert shown == {name: value for name, value in answered.items() if name != "hash"}
    assert shown["supersedes"] == [old.id]
    assert listed == {name: value for name, value in shown.items() if name != "body"}
    promised = [name for name, row in FIELDS.items() if row.shown]
    assert told == {name: shown[name] for name in (*promised, "body")}
