"""Nobody but the person's own browser gets in, and nothing that a note says can act."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from anamnesis.ground.records import replace
from anamnesis.store import MemoryStore
from anamnesis.web.app import routes
from anamnesis.web.security import MOST_BYTES, NEXT_COOKIE, Keys
from anamnesis.web.serve import Server

from .conftest import BY_PASSWORD, HOST, ORIGIN, shown, sync_now

SCRIPT = "<script>alert(1)</script>"
PAGES = ("/", "/notes", "/settings", "/new")
WRITES = sorted(
    (method, route.path)
    for route in routes()
    if isinstance(route, Route)
    for method in (route.methods or set()) - {"GET", "HEAD"}
)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1", "x.localhost:8765", ""],
)
def test_a_name_that_is_not_ours_is_refused_even_with_the_session(
    browser: TestClient, host: str
) -> None:
    """DNS rebinding: a foreign name that leads to loopback."""
    assert browser.get("/notes", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("path", [*PAGES, "/api/notes", "/api/status", "/events", "/notes/01J"])
def test_without_a_session_nothing_is_shown(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)

    assert answer.status_code == 401
    assert "anamnesis dashboard" in answer.text


def test_a_link_works_once(stranger: TestClient, keys: Keys) -> None:
    token = keys.mint()

    assert stranger.get("/open", params={"token": token}).status_code == 200
    stranger.cookies.clear()
    assert stranger.get("/open", params={"token": token}).status_code == 401
    assert stranger.get("/open", params={"token": ""}).status_code == 401


def test_a_cookie_opens_nothing_under_a_name_that_other_ports_share(
    browser: TestClient, keys: Keys
) -> None:
    """Every server on 127.0.0.1 is sent the cookies of 127.0.0.1; it could bring them here."""
    secret = keys.admit()
    elsewhere = {"host": BY_PASSWORD, "cookie": f"anamnesis-8765={secret}"}

    refused = browser.get("/notes", headers=elsewhere)

    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Basic")
    password = base64.b64encode(f"anamnesis:{secret}".encode()).decode()
    basic = {"host": BY_PASSWORD, "authorization": f"Basic {password}"}
    assert browser.get("/notes", headers=basic).status_code == 200
    stranger = {"authorization": f"Basic {password}", "cookie": ""}  # nor the other way round
    assert browser.get("/notes", headers=stranger).status_code == 401


def test_a_script_that_asks_makes_no_browser_ask_for_a_password(stranger: TestClient) -> None:
    headers = {"host": BY_PASSWORD, "sec-fetch-mode": "cors"}

    assert "www-authenticate" not in stranger.get("/events", headers=headers).headers


def test_to_look_at_a_link_does_not_spend_it(stranger: TestClient, keys: Keys) -> None:
    token = keys.mint()

    assert "set-cookie" not in stranger.head("/open", params={"token": token}).headers
    assert stranger.get("/open", params={"token": token}).status_code == 200


def test_the_page_that_was_asked_for_is_shown_after_the_link(
    stranger: TestClient, keys: Keys
) -> None:
    stranger.get("/notes?tag=vpn&sort=title")

    opened = stranger.get("/open", params={"token": keys.mint()})

    assert 'url=/notes?tag=vpn&amp;sort=title"' in opened.text
    assert "url=/notes" not in stranger.get("/open", params={"token": keys.mint()}).text
    stranger.cookies.set(NEXT_COOKIE, "//evil.example", path="/open")
    assert "evil" not in stranger.get("/open", params={"token": keys.mint()}).text


def test_a_session_ends_with_the_server_and_leaves_nothing_on_disk(store: MemoryStore) -> None:
    with Server(store.root) as first:
        secret = first.keys.admit()
        assert first.keys.session(secret) is not None

    with Server(store.root) as again:
        assert again.keys.session(secret) is None
    assert not (Path(store.root) / "state" / "dashboard-sessions.json").exists()


@pytest.mark.parametrize(("opened", "seen"), [(8, 8), (31, 0)])
def test_a_session_ends_after_a_week_without_use_or_a_month(
    keys: Keys, opened: int, seen: int
) -> None:
    secret = keys.admit()
    [session] = keys.sessions
    day = 86_400
    past = replace(session, opened=session.opened - opened * day, seen=session.seen - seen * day)
    keys._store(past)

    assert keys.session(secret) is None


def test_a_link_confirms_one_delicate_change(browser: TestClient, keys: Keys) -> None:
    def change(model: str) -> int:
        form = {"key": "reflection_model", "value": model}
        answer = browser.post("/settings/config", data=form)
        if answer.status_code == 403:
            return 403
        seal = answer.text.partition('name="seal" value="')[2].partition('"')[0]
        return browser.post("/settings/config", data={**form, "seal": seal}).status_code

    assert change("first") == 303
    assert change("second") == 403
    browser.get("/open", params={"token": keys.mint()})
    assert change("second") == 303


def test_signing_out_ends_the_session(browser: TestClient, keys: Keys) -> None:
    [session] = keys.sessions

    browser.post("/sign-out", data={"session": session.digest})

    assert browser.get("/notes").status_code == 401


@pytest.mark.parametrize("path", ["/open?token=x", "/static/nothing.js", "/openly", "/static/"])
def test_an_error_tells_a_stranger_nothing(
    stranger: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    answer = stranger.get(path)

    assert answer.status_code in (401, 404)
    assert "/notes" not in answer.text  # neither the menu nor anything of the store


def test_the_cookie_is_for_this_site_and_no_script(stranger: TestClient, keys: Keys) -> None:
    cookie = stranger.get("/open", params={"token": keys.mint()}).headers["set-cookie"].lower()

    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example", "sec-fetch-site": "cross-site"},
        {"origin": "http://evil.example", "sec-fetch-site": ""},
        {"origin": "null", "sec-fetch-site": "same-origin"},
        {"origin": f"https://{HOST}", "sec-fetch-site": "same-origin"},
        {"origin": "http://127.0.0.1:3000", "sec-fetch-site": "same-site"},
        {"origin": ORIGIN, "sec-fetch-site": "same-site"},
        {"origin": f"{ORIGIN}.evil.example", "sec-fetch-site": "same-origin"},
    ],
)
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_another_site_cannot_write(
    browser: TestClient, store: MemoryStore, headers: dict[str, str], method: str, path: str
) -> None:
    note = store.write(type="semantic", title="kept", body="")
    form = {"act": "delete", "id": note.id, "title": "t"}

    answer = browser.request(method, path.replace("{id}", note.id), data=form, headers=headers)

    assert answer.status_code == 403
    assert [found.id for found in store.list()] == [note.id]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_write_that_does_not_say_where_it_comes_from_is_refused(
    stranger: TestClient, keys: Keys, method: str, path: str
) -> None:
    stranger.get("/open", params={"token": keys.mint()})

    assert stranger.request(method, path, data={"title": "t"}).status_code == 403


def test_every_way_to_write_is_tried() -> None:
    assert {("POST", "/sync"), ("PUT", "/api/notes/{id}"), ("DELETE", "/api/notes/{id}")} <= {
        *WRITES
    }


def test_a_script_with_the_key_may_write(stranger: TestClient, keys: Keys) -> None:
    header = {"authorization": f"Bearer {keys.script}"}

    assert stranger.post("/api/notes", json={"title": "t"}, headers=header).status_code == 201
    wrong = {"authorization": f"Bearer {keys.script}x"}
    assert stranger.post("/api/notes", json={"title": "t"}, headers=wrong).status_code == 403
    assert stranger.get("/api/notes", headers=wrong).status_code == 401


def test_a_get_changes_nothing(browser: TestClient, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="kept", body="")

    browser.get("/notes", params={"act": "delete", "id": note.id})
    browser.get("/api/notes", params={"act": "delete", "id": note.id})

    assert store.get(note.id) is not None
    assert browser.get("/undo").status_code == 405


@pytest.mark.parametrize("path", PAGES)
def test_every_page_forbids_scripts_of_others_and_frames(browser: TestClient, path: str) -> None:
    answer = browser.get(path)

    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert " style=" not in answer.text
    assert "onclick=" not in answer.text


def test_what_a_note_says_stays_text(browser: TestClient, store: MemoryStore) -> None:
    body = (
        f"{SCRIPT} <img src=x onerror=alert(1)> [a](javascript:alert(1)) "
        "![p](http://evil.example/pixel.png) <svg onload=alert(1)> [b](data:text/html,x)"
    )
    note = store.write(
        type="semantic", title=f"needle {SCRIPT}", body=body, project=f"p{SCRIPT}",
        machine_id=f'm"{SCRIPT}', tags=[f"t{SCRIPT}", '"><script>', "pending"], prov_session=SCRIPT,
        prov_model=SCRIPT, supersedes="",
    )  # fmt: skip
    paths = [
        "/", "/notes", "/notes?q=needle", f"/notes/{note.id}", f"/notes/{note.id}/source",
        f"/notes/{note.id}/edit", "/settings", f"/notes?q={SCRIPT}", f"/notes?tag={SCRIPT}",
        '/notes?project="><script>alert(1)</script>', f"/new?title={SCRIPT}", "/review",
        f"/review?project={SCRIPT}", "/notes?review=pending", "/history", "/timeline",
        f"/sessions?project={SCRIPT}&agent={SCRIPT}&day={SCRIPT}", f"/session/{SCRIPT}",
        "/fleet", "/injection",
        f"/injection?project=p{SCRIPT}", f"/notes/{note.id}/history", f"/history?from={SCRIPT}",
    ]  # fmt: skip

    for path in paths:
        html = browser.get(path).text.lower()
        assert "<script>" not in html, path
        assert "<img" not in html, path
        assert "<svg onload" not in html, path
        assert 'href="javascript:' not in html, path
        assert 'href="data:' not in html, path


def test_a_preview_is_cleaned_too(browser: TestClient) -> None:
    answer = browser.post("/preview", data={"body": f"**b** {SCRIPT} <b onclick=x>y</b>"})

    assert "<strong>b</strong>" in answer.text
    assert "<script" not in answer.text
    assert "<b " not in answer.text


@pytest.mark.parametrize(
    "note_id",
    [
        "..%2f..%2fetc%2fpasswd",
        "../../config",
        "%2e%2e%2fconfig",
        "a/b",
        "x" * 65,
        "a.b",
        "-",
        "%00",
    ],
)
def test_an_id_cannot_leave_the_store(browser: TestClient, note_id: str) -> None:
    for path in ("", "/edit", "/source"):
        assert browser.get(f"/notes/{note_id}{path}").status_code == 404
    assert browser.get(f"/api/notes/{note_id}").status_code == 404


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"]
)
def test_only_our_own_files_are_served(browser: TestClient, path: str) -> None:
    assert browser.get(path).status_code == 404


def test_a_request_that_is_too_large_is_refused(browser: TestClient) -> None:
    def endless() -> object:
        for _ in range(MOST_BYTES // 65_536 + 2):
            yield b"x" * 65_536

    assert browser.post("/new", content=b"x" * (MOST_BYTES + 1)).status_code == 413
    assert browser.post("/new", content=endless()).status_code == 413  # type: ignore[arg-type]


def test_a_redirect_stays_on_this_site(browser: TestClient, store: MemoryStore) -> None:
    for back in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:x"):
        note = store.write(type="semantic", title="t", body="")
        answer = browser.post("/notes", data={"act": "delete", "id": note.id, "back": back})
        assert answer.headers["location"].startswith("/notes?notice=")


def test_secrets_of_the_configuration_are_covered(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "https://user:hunter2@git.example/memory.git")
    monkeypatch.setenv("ANAMNESIS_API_KEY", "hunter3")

    html = browser.get("/settings").text

    assert "hunter" not in html
    assert "git.example/memory.git" in html


@pytest.mark.parametrize("path", ["/fleet", "/settings", "/settings?doctor=1", "/", "/api/status"])
def test_no_page_shows_the_password_of_the_remote(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "https://user:hunter2@127.0.0.1:1/memory.git")
    sync_now(browser)

    assert "hunter2" not in shown(browser, path)
