"""What the pages show and do, over a real store."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from anamnesis.ground.records import replace
from anamnesis.index import rows
from anamnesis.index.note_filter import NoteFilter
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.pages import background
from anamnesis.web.pages.notes import PAGE
from support.notes import write_file


def _put(store: MemoryStore, number: int, **fields: object) -> Memory:
    day = f"2026-01-{number % 28 + 1:02}T10:00:00+00:00"
    given = {"type": "semantic", "title": f"note {number}", "body": f"body {number}", **fields}
    return store.put(Memory(id=f"01J{number:023}", created_at=day, updated_at=day, **given))  # type: ignore[arg-type]


def _titles(html: str) -> list[str]:
    return re.findall(r'class="row-title"[^>]*>(.*?)</a>', html)


def test_an_empty_store_teaches_the_first_command(browser: TestClient) -> None:
    assert "anamnesis write" in browser.get("/notes").text
    assert "anamnesis write" in browser.get("/").text


def test_the_list_never_renders_more_than_a_page(browser: TestClient, store: MemoryStore) -> None:
    for number in range(PAGE + 5):
        _put(store, number)

    first = browser.get("/notes").text
    rest = browser.get("/notes", params={"offset": PAGE}).text

    assert len(_titles(first)) == PAGE
    assert len(_titles(rest)) == 5
    assert f"{PAGE + 5} notes" in first
    assert not {*_titles(first)} & {*_titles(rest)}


def test_facets_count_what_they_would_show(browser: TestClient, store: MemoryStore) -> None:
    _put(store, 1, project="a", tags=["x"])
    _put(store, 2, project="a", type="episodic", machine_id="desk")
    _put(store, 3, project="b", tags=["x", "y"])

    html = browser.get("/notes", params={"project": "a"}).text

    assert len(_titles(html)) == 2
    counts = dict(
        re.findall(r'<span[^>]*\stitle="(\w+)">.*?</span><span class="count">(\d+)<', html)
    )
    assert re.search(r'href="[^"]*type=episodic[^"]*"><span\s+title="episodic">', html)
    assert counts["episodic"] == "1"
    assert counts["b"] == "1"
    assert len(_titles(browser.get("/notes", params={"tag": "x"}).text)) == 2
    assert len(_titles(browser.get("/notes", params={"machine": "desk"}).text)) == 1


def test_a_replaced_note_is_hidden_until_asked_for(browser: TestClient, store: MemoryStore) -> None:
    old = _put(store, 1, title="old fact")
    _put(store, 2, title="new fact", supersedes=old.id)

    assert _titles(browser.get("/notes").text) == ["new fact"]
    assert _titles(browser.get("/notes?state=superseded").text) == ["old fact"]
    assert len(_titles(browser.get("/notes?state=all").text)) == 2
    assert "Superseded by" in browser.get(f"/notes/{old.id}").text


def test_a_search_marks_the_words_and_says_which_matched(
    browser: TestClient, store: MemoryStore
) -> None:
    _put(store, 1, title="Staging needs the VPN", body="the connection hangs")
    _put(store, 2, title="Something else", body="entirely")

    html = browser.get("/notes", params={"q": "why does the connection hang"}).text

    assert "<mark>hangs</mark>" in html
    assert "entirely" not in html


def test_a_search_for_an_id_finds_that_note(browser: TestClient, store: MemoryStore) -> None:
    note = _put(store, 7)

    assert _titles(browser.get("/notes", params={"q": note.id}).text) == ["note 7"]


def test_a_script_gets_only_the_part_that_changes(browser: TestClient, store: MemoryStore) -> None:
    _put(store, 1)

    html = browser.get("/notes?q=note", headers={"hx-request": "true", "hx-target": "results"}).text

    assert "<html" not in html
    assert 'class="row-title"' in html


@pytest.mark.parametrize("order", ["updated", "oldest", "created", "title", "nonsense"])
def test_every_order_lists_all_notes(browser: TestClient, store: MemoryStore, order: str) -> None:
    for number in range(3):
        _put(store, number)

    assert len(_titles(browser.get("/notes", params={"sort": order}).text)) == 3


def test_a_note_cannot_replace_what_is_not_there(browser: TestClient, store: MemoryStore) -> None:
    note = _put(store, 1)

    form = {"act": "supersede", "id": [note.id, "NOSUCH"], "by": note.id}
    answer = browser.post("/notes", data=form)

    assert answer.status_code == 404
    assert "There is no note NOSUCH." in answer.text
    kept = store.get(note.id)
    assert kept is not None
    assert kept.supersedes == ""


def test_deleting_can_be_undone_once(browser: TestClient, store: MemoryStore) -> None:
    notes = [_put(store, number) for number in range(3)]
    ids = [note.id for note in notes[:2]]

    answer = browser.post(
        "/notes", data={"act": "delete", "id": ids, "back": "/notes?type=semantic"}
    )

    assert answer.headers["location"].startswith("/notes?type=semantic&notice=")
    assert "2 notes deleted." in browser.get(answer.headers["location"]).text
    assert [note.id for note in store.list()] == [notes[2].id]
    key = answer.headers["location"].partition("notice=")[2]
    browser.post("/undo", data={"unit": key})
    assert sorted(note.id for note in store.list()) == sorted(note.id for note in notes)
    again = browser.post("/undo", data={"unit": key})
    assert "Nothing was put back." in browser.get(again.headers["location"]).text
    assert browser.post("/undo", data={}).status_code == 400


def test_undo_leaves_what_was_changed_since(browser: TestClient, store: MemoryStore) -> None:
    note = _put(store, 1)
    answer = browser.post("/notes", data={"act": "tag", "id": note.id, "tag": "hasty"})
    tagged = store.read(note.id)
    assert tagged is not None
    store.update(tagged.note, expected_hash=tagged.hash)
    changed = store.read(note.id)
    assert changed is not None
    store.put(replace(changed.note, body="newer"))

    browser.post("/undo", data={"unit": answer.headers["location"].partition("notice=")[2]})

    kept = store.get(note.id)
    assert kept is not None
    assert kept.body == "newer"
    assert kept.tags == ["hasty"]


def test_several_notes_are_tagged_moved_and_replaced(
    browser: TestClient, store: MemoryStore
) -> None:
    one, two = _put(store, 1), _put(store, 2)
    ids = [one.id, two.id]

    browser.post("/notes", data={"act": "tag", "id": ids, "tag": " two  words "})
    browser.post("/notes", data={"act": "machine-local", "id": one.id})
    browser.post("/notes", data={"act": "supersede", "id": ids})

    assert all(note.tags == ["two words"] for note in store.list())
    moved = store.get(one.id)
    assert moved is not None
    assert moved.scope == "machine-local"
    assert len(store.superseded_ids()) == 1


def test_an_unknown_act_changes_nothing(browser: TestClient, store: MemoryStore) -> None:
    note = _put(store, 1)

    assert browser.post("/notes", data={"act": "explode", "id": note.id}).status_code == 400
    assert browser.post("/notes", data={"act": "delete"}).status_code == 400


def test_a_save_changes_the_file_and_the_index(browser: TestClient, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="before", body="one\ntwo")
    form = _form(browser.get(f"/notes/{note.id}/edit").text)

    answer = browser.post(
        f"/notes/{note.id}",
        data={
            **form,
            "title": "after",
            "body": "one\r\nthree",
            "tags": "a, b,,a",
            "type": "procedural",
        },
    )

    assert answer.status_code == 303
    saved = store.get(note.id)
    assert saved is not None
    assert (saved.title, saved.body, saved.tags, saved.type) == (
        "after",
        "one\nthree",
        ["a", "b"],
        "procedural",
    )
    assert [found.id for found in store.search("three")] == [note.id]


def test_a_save_that_changes_nothing_keeps_every_byte_of_the_body(
    browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="t", body="a\r\nb\r\n\n  c")
    form = _form(browser.get(f"/notes/{note.id}/edit").text)

    browser.post(f"/notes/{note.id}", data={**form, "body": "a\r\nb\r\n\r\n  c", "title": "t2"})

    saved = store.get(note.id)
    assert saved is not None
    assert saved.body == "a\r\nb\r\n\n  c"


def test_a_second_writer_gets_both_versions_and_loses_nothing(
    browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="t", body="first")
    form = _form(browser.get(f"/notes/{note.id}/edit").text)
    found = store.read(note.id)
    assert found is not None
    store.update(replace(found.note, body="theirs"), expected_hash=found.hash)

    answer = browser.post(f"/notes/{note.id}", data={**form, "body": "mine", "title": "my title"})

    assert answer.status_code == 409
    assert "theirs" in answer.text
    assert "mine" in answer.text
    kept = store.get(note.id)
    assert kept is not None
    assert kept.body == "theirs"
    merged = _form(answer.text)
    saved = browser.post(
        f"/notes/{note.id}", data={**merged, "body": "theirs and mine", "title": "my title"}
    )
    assert saved.status_code == 303
    final = store.get(note.id)
    assert final is not None
    assert (final.body, final.title) == ("theirs and mine", "my title")


def _form(html: str) -> dict[str, str]:
    """What a browser would send back of a form's simple fields."""
    main = html.partition("<main")[2]
    fields = dict(re.findall(r'<input[^>]*name="(\w+)"[^>]*?value="([^"]*)"', main))
    fields |= dict(re.findall(r'<select name="(\w+)">.*?<option selected>([^<]*)<', main))
    return {name: value for name, value in fields.items() if name not in ("q", "back", "notice")}


def test_an_edit_that_is_not_valid_is_shown_again_with_its_text(
    browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="t", body="b")
    form = _form(browser.get(f"/notes/{note.id}/edit").text)

    answer = browser.post(f"/notes/{note.id}", data={**form, "title": " ", "body": "long work"})

    assert answer.status_code == 400
    assert "The title is empty." in answer.text
    assert "long work" in answer.text


def test_a_type_of_a_newer_version_survives_an_edit(
    browser: TestClient, store: MemoryStore
) -> None:
    text = "---\nid: NEWER\ntype: prospective\ntitle: t\nfuture_key: kept\n---\nbody\n"
    write_file(store.root, "memory/prospective/NEWER.md", text)
    store.refresh()
    form = _form(browser.get("/notes/NEWER/edit").text)

    browser.post(
        "/notes/NEWER", data={**form, "type": "prospective", "title": "t2", "body": "body\r\n"}
    )

    saved = (store.root / "memory/prospective/NEWER.md").read_text()
    assert "type: prospective" in saved
    assert "future_key: kept" in saved
    assert "title: t2" in saved


def test_a_new_note_carries_this_machine(browser: TestClient, store: MemoryStore) -> None:
    answer = browser.post("/new", data={"title": "made here", "body": "x", "type": "procedural"})

    assert answer.status_code == 303
    (note,) = store.list()
    assert note.title == "made here"
    assert note.machine_id != "unknown"
    assert browser.post("/new", data={"title": ""}).status_code == 400


def test_a_note_page_has_its_origin_and_its_kin(browser: TestClient, store: MemoryStore) -> None:
    note = _put(
        store, 1, tags=["vpn"], prov_source="session-end", prov_session="abc", confidence=0.7
    )
    _put(store, 2, title="kin", tags=["vpn"])

    html = browser.get(f"/notes/{note.id}").text

    assert "captured from a session" in html
    assert "kin" in html
    assert "session=abc" in html


def test_broken_files_are_listed_with_the_reason(browser: TestClient, store: MemoryStore) -> None:
    write_file(store.root, "memory/semantic/broken.md", "no front matter")

    assert "1 file cannot be read: memory/semantic/broken.md" in browser.get("/").text
    assert "memory/semantic/broken.md" in browser.get("/settings").text


def test_a_file_written_by_another_program_is_seen_at_once(
    browser: TestClient, store: MemoryStore
) -> None:
    write_file(
        store.root,
        "memory/semantic/HAND.md",
        "---\nid: HAND\ntype: semantic\ntitle: by hand\n---\nx\n",
    )

    assert _titles(browser.get("/notes").text) == ["by hand"]


@pytest.mark.parametrize("separator", ["\x1e", "\x1f", "|", ","])
def test_strange_characters_in_a_value_do_not_upset_the_counts(
    browser: TestClient, store: MemoryStore, separator: str
) -> None:
    store.write(type="semantic", title="one", body="", project="plain", tags=["usual"])
    strange = store.write(type="semantic", title="two", body="", project="plain", tags=["usual"])
    note = replace(strange, project=f"a{separator}b", tags=[f"x{separator}y"])
    store.ask(lambda db: rows.upsert(db, note, f"semantic/{strange.id}.md"))

    counts = browser.app.state.dashboard.counts  # type: ignore[attr-defined]
    facets = counts.facets(NoteFilter())

    assert sorted(facets["project"]) == [(f"a{separator}b", 1), ("plain", 1)]
    assert facets["tag"] == [("usual", 1), (f"x{separator}y", 1)]


def test_search_ranks_as_recall_does_everywhere(browser: TestClient, store: MemoryStore) -> None:
    texts = ["the car hit a wall", "an automobile for the road", "car car car", "roads and walls"]
    for text in texts:
        store.write(type="semantic", title=text, body=f"{text} on the road with a car")

    shown = browser.get("/api/notes", params={"q": "automobile on the road"}).json()["notes"]
    recalled = store.recall("automobile on the road", k=20)

    assert [note["id"] for note in shown] == [hit.note.id for hit in recalled]


def test_the_timeline_leads_to_every_note(browser: TestClient, store: MemoryStore) -> None:
    notes = [_put(store, number) for number in range(70)]

    first = browser.get("/timeline")
    second = browser.get("/timeline", params={"offset": "60"})

    assert "1 to 60 of 70" in first.text
    assert "offset=60" in first.text
    shown = {note.id for note in notes if f"/notes/{note.id}" in first.text + second.text}
    assert shown == {note.id for note in notes}


def test_what_a_search_shows_of_a_note_is_text_and_not_markdown(
    browser: TestClient, store: MemoryStore
) -> None:
    store.write(type="semantic", title="t", body="# Head\n\nuse `psql service=staging` **now**")

    html = browser.get("/notes", params={"q": "staging"}).text

    assert "Head use psql service=<mark>staging</mark> now" in html


def test_two_changes_of_equally_many_notes_are_both_made(
    browser: TestClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second is asked for while the first is at work."""
    notes = [store.write(type="semantic", title=f"n{n}", body="words") for n in range(4)]
    monkeypatch.setattr(background, "AT_ONCE", 0.0)

    def delete(*some: Memory) -> None:
        browser.post("/notes", data={"act": "delete", "id": [note.id for note in some]})

    delete(*notes[:2])
    delete(*notes[2:])
    for job in browser.app.state.dashboard.jobs._jobs.values():  # type: ignore[attr-defined]
        assert job.finished.wait(30)

    assert store.list() == []
