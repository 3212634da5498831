"""What a note goes through, told to a program whose table of fields has one row more: `mood`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from anamnesis.ground.records import replace
from anamnesis.importers.import_draft import ImportDraft
from anamnesis.mcp.answers import memory_dict
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.operations.curate import export, import_
from anamnesis.operations.travel.conflicts import Sides, composition
from anamnesis.store import MemoryStore
from anamnesis.sync.conflicts import Conflict
from anamnesis.sync.merge import three_way
from anamnesis.web.app import build
from anamnesis.web.security import Keys

HOST = "127.0.0.1:8765"
ROOT = Path(os.environ["TEST_ROOT"])
PLAIN = Memory(
    id="01JAAAAAAAAAAAAAAAAAAAAAAA", type="semantic", title="T", body="one\ntwo\nthree",
    created_at="2026-01-01T00:00:00+00:00", updated_at="2026-01-01T00:00:00+00:00",
)  # fmt: skip
FORM = {
    "title": "T", "body": "another text", "type": "semantic", "project": "global",
    "scope": "portable", "tags": "", "confidence": "1", "supersedes": "",
}  # fmt: skip


def with_mood(note: Memory = PLAIN, mood: str = "calm") -> Memory:
    """A note with the new field; a type checker sees the table without its row."""
    return replace(note, mood=mood)


def mood_of(note: Memory | None) -> Any:
    """What the new field says."""
    return getattr(note, "mood", None)


def data(note: Memory) -> bytes:
    """The file of a note."""
    return serialize(note).encode()


def browser(store: MemoryStore) -> TestClient:
    """The person's own browser, let in."""
    keys = Keys()
    app = build(store, keys=keys, hosts=frozenset({HOST}), cookie="anamnesis-8765")
    origin = f"http://{HOST}"
    client = TestClient(app, base_url=origin, follow_redirects=False)
    client.__enter__()
    assert client.get("/open", params={"token": keys.mint()}).status_code == 200
    client.headers.update({"origin": origin, "sec-fetch-site": "same-origin"})
    return client


def _id_in(address: str) -> str:
    return address.partition("?")[0].rpartition("/")[2]


def written_and_read() -> None:
    """Written after `tags`, and only when it is set."""
    assert "mood" not in serialize(PLAIN)
    assert "tags: []\nmood: calm\n---\n" in serialize(with_mood())
    for mood in ("calm", "yes: 'odd' \u2028", "x " * 80 + "x"):
        assert mood_of(deserialize(serialize(with_mood(mood=mood)))) == mood
    with MemoryStore(ROOT / "store") as store:
        assert mood_of(store.put(with_mood())) == "calm"
        assert mood_of(store.get(PLAIN.id)) == "calm"
        store.move(PLAIN.id, "machine-local")
        assert mood_of(store.get(PLAIN.id)) == "calm"


def listed_from_the_index() -> None:
    """Found in the rows, before and after a rebuild."""
    with MemoryStore(ROOT / "store") as store:
        store.put(with_mood())
        store.put(replace(PLAIN, id="01JBBBBBBBBBBBBBBBBBBBBBBB"))
        assert sorted(map(mood_of, store.headers())) == ["", "calm"]
        store.reindex()
        assert sorted(map(mood_of, store.headers())) == ["", "calm"]


def edited_in_the_dashboard() -> None:
    """Kept by an edit of something else, and changed by an edit of its own."""
    with MemoryStore(ROOT / "store") as store:
        store.put(with_mood())
        client, address = browser(store), f"/notes/{PLAIN.id}"
        page = client.get(f"{address}/edit").text
        assert 'Mood <input name="mood" value="calm"' in page
        for form in ({"mood": "calm"}, {"mood": "glad", "body": "again"}):
            hash = store.require(PLAIN.id).hash
            answer = client.post(address, data={**FORM, **form, "hash": hash})
            assert answer.status_code == 303, answer.text
            assert mood_of(store.get(PLAIN.id)) == form["mood"]
        stale = client.post(address, data={**FORM, "mood": "sad", "hash": hash})
        assert stale.status_code == 409
        assert 'value="glad"' in stale.text
        assert 'value="sad"' in stale.text
        made = client.post("/new", data={**FORM, "title": "New", "mood": "new"})
        assert mood_of(store.get(_id_in(made.headers["location"]))) == "new"


def set_through_the_api() -> None:
    """Given and taken as JSON."""
    with MemoryStore(ROOT / "store") as store:
        store.put(with_mood())
        client, address = browser(store), f"/api/notes/{PLAIN.id}"
        read = client.get(address).json()
        assert read["mood"] == "calm"
        kept = client.put(address, json={"hash": read["hash"], "body": "another text"}).json()
        assert kept["mood"] == "calm"
        changed = client.put(address, json={"hash": kept["hash"], "mood": "glad"}).json()
        assert changed["mood"] == "glad" == mood_of(store.get(PLAIN.id))
        made = client.post("/api/notes", json={"title": "a", "body": "b", "mood": "new"}).json()
        assert made["mood"] == "new"
        wrong = client.put(address, json={"hash": changed["hash"], "mood": 3})
        assert wrong.status_code == 400


def shown_by_the_tools() -> None:
    """Part of the answer, as its row says."""
    assert memory_dict(with_mood(), include_body=False)["mood"] == "calm"


def set_by_the_other_side() -> None:
    """Not lost in a merge with an edit that does not know of it."""
    mine = data(replace(PLAIN, body="ONE\ntwo\nthree"))
    merged = three_way(data(PLAIN), mine, data(with_mood())).data
    note = deserialize((merged or b"").decode())
    assert (mood_of(note), note.body) == ("calm", "ONE\ntwo\nthree")


def dropped_by_an_earlier_version() -> None:
    """Kept if one side was rewritten by a program that drops unknown keys."""
    rewritten = data(replace(PLAIN, tags=["reflected"]))
    edited = data(with_mood(replace(PLAIN, body="ONE\ntwo\nthree")))
    for mine, theirs in ((rewritten, edited), (edited, rewritten)):
        merged = three_way(data(with_mood()), mine, theirs).data
        note = deserialize((merged or b"").decode())
        assert (mood_of(note), note.tags) == ("calm", ["reflected"])


def changed_by_both_sides() -> None:
    """A choice, as its rule says."""
    sides = data(with_mood(mood="glad")), data(with_mood(mood="sad"))
    assert three_way(data(with_mood()), *sides).clashes == ("mood",)


def composed_from_a_conflict() -> None:
    """Offered beside the other fields; from the side that set it unless said otherwise."""
    mine, theirs = replace(PLAIN, body="mine"), with_mood(replace(PLAIN, body="theirs"))
    conflict = Conflict("c", "semantic/n.md", (), "desk", "", data(PLAIN), data(theirs))
    sides = Sides(conflict, data(mine), data(theirs), "memory/semantic/n.md", data(mine))
    found = composition(sides, {})
    assert found is not None
    assert mood_of(found.note()) == "calm"
    other = composition(sides, {"field-mood": "mine"})
    assert other is not None
    assert mood_of(other.note()) == ""


def exported_and_imported() -> None:
    """The same in another store, through files and through JSON lines."""
    with MemoryStore(ROOT / "store") as store:
        store.put(with_mood())
        export.to_directory(export.notes_to_export(store), str(ROOT / "files"))
        lines = "".join(export.jsonl_lines(export.notes_to_export(store)))
        (ROOT / "notes.jsonl").write_text(lines)
    for name in ("files", "notes.jsonl"):
        with MemoryStore(ROOT / f"other-{name}") as other:
            planned = import_.plan_own_export(other, str(ROOT / name))
            import_.carry_out(other, planned, source="anamnesis")
            assert mood_of(other.get(PLAIN.id)) == "calm"


def changed_at_its_source() -> None:
    """What a person said of an imported note stays when the source changes."""
    with MemoryStore(ROOT / "store") as store:

        def take(body: str) -> None:
            draft = ImportDraft(key="k", title="From elsewhere", body=body)
            import_.carry_out(store, import_.plan_import(store, [draft], source="x"), source="x")

        take("first")
        (note,) = store.list()
        store.put(with_mood(note))
        take("second")
        (note,) = store.list()
        assert (note.body, mood_of(note)) == ("second", "calm")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
