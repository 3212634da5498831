"""The dashboard where things are missing, broken, full, or gone: it says so and loses nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web import differences
from anamnesis.web.security import MOST_BYTES
from support.notes import write_file

PAGES = (
    "/", "/notes", "/notes?q=words", "/review", "/new", "/history", "/history?deleted=1",
    "/conflicts", "/fleet", "/injection", "/timeline", "/sessions", "/repository",
    "/settings", "/api/status", "/api/notes", "/api/review", "/api/palette?q=words",
)  # fmt: skip
VIEWS = ("", "/source", "/edit", "/history")


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    return store.write(type="semantic", title="some title", body="some words")


def _failing(browser: TestClient, *more: str) -> dict[str, int]:
    answers = {path: browser.get(path).status_code for path in (*PAGES, *more)}
    return {path: status for path, status in answers.items() if status != 200}


def _views(note: Memory) -> list[str]:
    return [f"/notes/{note.id}{view}" for view in VIEWS]


def _file(store: MemoryStore, note: Memory) -> Path:
    return next(store.memory_dir.rglob(f"{note.id}.md"))


RECEIPT = {"at": "2026-01-01", "event": "inject", "session": "s", "project": "p", "units": 1}


@pytest.mark.parametrize(
    "line",
    [
        "garbage", "[]", "{}", '{"at": 5}', json.dumps(RECEIPT),
        json.dumps({**RECEIPT, "notes": "x"}), json.dumps({**RECEIPT, "notes": [{"id": None}]}),
        json.dumps({**RECEIPT, "notes": [{"id": "NOTE"}]}),
        json.dumps({**RECEIPT, "notes": [], "units": "many", "session": None}),
    ],
)  # fmt: skip
def test_a_damaged_journal_of_receipts_is_read_as_far_as_it_goes(
    browser: TestClient, store: MemoryStore, note: Memory, line: str
) -> None:
    write_file(store.root, "log/receipts.jsonl", line.replace("NOTE", note.id) + "\n")

    assert _failing(browser, *_views(note)) == {}


@pytest.mark.parametrize("text", ["{broken", "[]", '{"remote": 5}', "\x00"])
def test_broken_settings_do_not_keep_anybody_from_reading(
    browser: TestClient, store: MemoryStore, note: Memory, text: str
) -> None:
    write_file(store.root, "config.json", text)

    assert _failing(browser, *_views(note)) == {}


def test_a_store_that_was_taken_away_comes_back_with_the_next_note(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    shutil.rmtree(store.root)

    assert _failing(browser) == {}
    assert browser.post("/new", data={"title": "again", "body": "words"}).status_code == 303
    assert "again" in browser.get("/notes").text


def test_every_page_of_an_empty_store_is_there(browser: TestClient) -> None:
    assert _failing(browser) == {}


@pytest.mark.parametrize("harm", ["overwritten", "removed", "cut"])
def test_an_index_that_breaks_while_the_server_runs_is_built_again(
    browser: TestClient, store: MemoryStore, note: Memory, harm: str
) -> None:
    assert _failing(browser) == {}
    if harm == "removed":
        store.db_path.unlink()
    elif harm == "cut":
        with store.db_path.open("r+b") as stream:
            stream.truncate(5000)
    else:
        with store.db_path.open("r+b") as stream:
            stream.write(b"garbage " * 2000)

    assert _failing(browser, *_views(note)) == {}
    assert "some title" in browser.get("/notes").text


def test_without_git_everything_but_the_history_works(
    browser: TestClient, store: MemoryStore, note: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    assert _failing(browser, *_views(note)) == {}
    found = store.read(note.id)
    assert found is not None
    form = {"hash": found.hash, "title": "another title", "body": "b"}
    assert browser.post(f"/notes/{note.id}", data=form).status_code == 303
    browser.get("/history")

    assert "git is not installed" in browser.get("/").text
    saved = store.get(note.id)
    assert saved is not None
    assert saved.title == "another title"


def test_words_are_kept_when_the_note_was_deleted_meanwhile(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    found = store.read(note.id)
    assert found is not None
    _file(store, note).unlink()

    form = {"hash": found.hash, "title": "my title", "body": "precious words", "tags": "a, b"}
    answer = browser.post(f"/notes/{note.id}", data=form)

    assert answer.status_code == 409
    assert "deleted while you were editing it" in answer.text
    assert "precious words" in answer.text
    assert 'action="/new"' in answer.text


@pytest.mark.parametrize("confidence", ["high", "2", "nan", "-1"])
def test_words_are_kept_when_a_field_is_refused(
    browser: TestClient, note: Memory, confidence: str
) -> None:
    form = {"title": "my title", "body": "precious words", "confidence": confidence}

    for address in ("/new", f"/notes/{note.id}"):
        answer = browser.post(address, data=form)
        assert answer.status_code == 400
        assert "precious words" in answer.text


READ_ONLY = """
import json, os, sys
from starlette.testclient import TestClient
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys

HOST = "127.0.0.1:1"

def visit(root, pages, form):
    keys = Keys()
    with MemoryStore(root) as store:
        app = build(store, keys=keys, hosts=frozenset({HOST}), cookie="c")
        client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
        client.get("/open", params={"token": keys.mint()})
        client.headers.update({"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"})
        failing = [page for page in pages if client.get(page).status_code != 200]
        answer = client.post("/new", data=form)
    return {"failing": failing, "status": answer.status_code, "text": answer.text}

practice, root, pages = sys.argv[1], sys.argv[2], sys.argv[3:]
form = {"title": "t", "body": "precious words"}
visit(practice, pages, form)  # while Python's own files can still be read
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
print(json.dumps(visit(root, pages, form)))
"""


def test_a_store_that_cannot_be_written_is_read_and_keeps_what_was_typed(tmp_path: Path) -> None:
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o755)
    root = tmp_path / "store"
    with MemoryStore(root) as store:
        store.write(type="semantic", title="some title", body="some words")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)

    argv = [sys.executable, "-c", READ_ONLY, str(tmp_path / "practice"), str(root), *PAGES]
    printed = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert printed.stdout, (printed.returncode, printed.stderr)
    answer = json.loads(printed.stdout)

    assert answer["failing"] == []
    assert answer["status"] == 503
    assert "Cannot write" in answer["text"]
    assert "precious words" in answer["text"]


@pytest.mark.parametrize(
    "body", ["x" * 1_000_000, "漢字" * 170_000, "line\n" * 200_000, "* " * 500_000, "[" * 90_000]
)
def test_a_note_as_large_as_can_be_is_saved_and_shown(
    browser: TestClient, store: MemoryStore, body: str
) -> None:
    note = store.write(type="semantic", title="large", body=body)
    found = store.read(note.id)
    assert found is not None

    form = {"hash": found.hash, "title": "still large", "body": f"{body[:-1]}."}
    assert browser.post(f"/notes/{note.id}", data=form).status_code == 303

    saved = store.get(note.id)
    assert saved is not None
    assert (saved.title, saved.body) == ("still large", form["body"])
    for view in VIEWS:
        page = browser.get(f"/notes/{note.id}{view}")
        assert page.status_code == 200
        assert len(page.content) < 1_500_000  # never more than the note itself and a frame


def test_a_note_that_is_too_large_stays_in_the_form(browser: TestClient) -> None:
    answer = browser.post("/new", data={"title": "large", "body": "x" * 1_100_000})

    assert answer.status_code == 400
    assert "256 KB are allowed" in answer.text
    assert "x" * 1_100_000 in answer.text
    assert MOST_BYTES > 3 * 1024 * 1024  # a form writes three bytes for each that is not ASCII


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a b " * 200_000, "a c " * 200_000),
        ("same\n" * 3000, "other\n" * 3000),
        ("x\n" * 100_000, ""),
        ("", "y" * 1_000_000),
    ],
)
def test_a_comparison_is_never_longer_than_somebody_reads(before: str, after: str) -> None:
    found = differences.lines(before, after)

    assert len(found) <= 1501
    assert (found[-1].kind == "rest") == (len(found) == 1501)


def test_long_names_do_not_break_a_page(browser: TestClient) -> None:
    tags = ",".join(f"{'g' * 900}{number}" for number in range(30))
    form = {"title": "T" * 300, "body": "b", "tags": tags, "project": "p" * 999}

    assert browser.post("/new", data=form).status_code == 303
    assert _failing(browser) == {}


def test_any_script_is_written_in_its_own_direction(
    browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="كيفية النشر", body="شغل الأمر ثم انتظر")
    other = store.write(type="semantic", title="リリースの手順", body="タグを付けて待つ")

    assert (
        '<h1 dir="auto" title="كيفية النشر">كيفية النشر</h1>'
        in browser.get(f"/notes/{note.id}").text
    )
    assert 'class="prose" dir="auto"' in browser.get(f"/notes/{note.id}").text
    assert other.id in browser.get("/notes?q=手順").text
    assert note.id in browser.get("/notes?q=النشر").text


@pytest.mark.parametrize("path", ["/notes", "/api/notes"])
def test_what_nobody_thought_of_is_told_on_a_page_like_any_other(
    browser: TestClient,
    note: Memory,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    path: str,
) -> None:
    monkeypatch.setattr(type(browser.app.state.dashboard.store), "headers", None)  # type: ignore[attr-defined]

    answer = browser.get(path)

    assert answer.status_code == 500
    assert "The dashboard could not do this" in answer.text
    assert "Traceback" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "TypeError" in capfd.readouterr().err
