"""Notes of other programs are taken in once, updated, and never put over an edit."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from anamnesis import secrets
from anamnesis.config import Home
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.hooks.payload import Payload
from anamnesis.importers import native, programs
from anamnesis.importers.import_draft import timestamp
from anamnesis.operations.curate import export, forget, import_, native_memory, review
from anamnesis.operations.curate.import_ import ImportPlan
from anamnesis.operations.sessions.inject import inject
from anamnesis.secrets import Finding, findings, names
from anamnesis.store import MemoryStore
from support.reflect import FACT, durable, files

TOPIC = """\
---
name: Testing
description: How tests are run here
metadata:
  type: feedback
  node_type: memory
  originSessionId: abc-123
  modified: 2026-03-04T05:06:07.000Z
---
Run pytest with -n 2, never with more.
"""


@pytest.fixture
def memory(home: Path) -> Path:
    """The native memory of one project, as Claude Code lays it out."""
    project = home / "work" / "my-app"
    project.mkdir(parents=True)
    slug = "".join(c if c.isalnum() else "-" for c in str(project))
    folder = home / ".claude" / "projects" / slug
    (folder / "memory").mkdir(parents=True)
    line = {"type": "user", "cwd": str(project), "message": {"content": "hi"}}
    (folder / "s.jsonl").write_text('{"type": "mode"}\nbroken\n' + json.dumps(line) + "\n")
    (folder / "memory" / "MEMORY.md").write_text("- [Testing](testing.md)\n")
    (folder / "memory" / "testing.md").write_text(TOPIC)
    return folder / "memory"


def test_native_memory_becomes_notes(store: MemoryStore, memory: Path) -> None:
    native_memory.import_native(store)

    (note,) = store.list()
    assert note.title == "How tests are run here"
    assert (note.project, note.type) == ("my-app", "procedural")
    assert note.body == "Run pytest with -n 2, never with more."
    assert (note.prov_source, note.prov_session) == ("import", "abc-123")
    assert note.updated_at == "2026-03-04T05:06:07+00:00"
    assert {"import", "claude-code", "feedback", "testing"} <= set(note.tags)
    assert "pending" not in note.tags


def test_importing_twice_changes_nothing(store: MemoryStore, root: Path, memory: Path) -> None:
    native_memory.import_native(store)
    before = files(root)

    native_memory.import_native(store)
    again = native_memory.import_native(store, again=True)

    assert files(root) == before
    assert again.unchanged == 1


def test_nothing_is_read_when_nothing_changed(
    store: MemoryStore, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native_memory.import_native(store)

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(native, "draft", never)
    assert native_memory.import_native(store) == ImportPlan()


def test_a_changed_topic_updates_its_note(store: MemoryStore, memory: Path) -> None:
    native_memory.import_native(store)
    (first,) = store.headers()
    review.keep(store, [first.id])
    (memory / "testing.md").write_text(TOPIC.replace("-n 2", "-n 4"))

    planned = native_memory.import_native(store)

    (note,) = store.list()
    assert len(planned.updated) == 1
    assert note.id == first.id
    assert "-n 4" in note.body
    assert "pending" not in note.tags
    assert note.confidence == 1.0


def test_a_changed_topic_leaves_its_note_where_it_was_moved(
    store: MemoryStore, memory: Path
) -> None:
    native_memory.import_native(store)
    (first,) = store.headers()
    store.move(first.id, "machine-local")
    (memory / "testing.md").write_text(TOPIC.replace("-n 2", "-n 4"))

    native_memory.import_native(store)

    (note,) = store.list()
    assert "-n 4" in note.body
    assert note.scope == "machine-local"


def test_an_edit_of_the_note_is_not_overwritten(store: MemoryStore, memory: Path) -> None:
    native_memory.import_native(store)
    (note,) = store.list()
    store.put(replace(note, body="my own words"))
    (memory / "testing.md").write_text(TOPIC.replace("-n 2", "-n 4"))

    planned = native_memory.import_native(store)

    assert planned.edited == [note.id]
    assert [note.body for note in store.list()] == ["my own words"]


def test_what_was_forgotten_is_not_imported_again(store: MemoryStore, memory: Path) -> None:
    native_memory.import_native(store)
    forget.forget(store, [note.id for note in store.headers()])

    planned = native_memory.import_native(store, again=True)

    assert (planned.forgotten, store.list()) == (1, [])


def test_the_same_topic_on_two_machines_is_no_conflict(
    store: MemoryStore, memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")
    native_memory.import_native(store)
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    with MemoryStore(tmp_path) as other:
        other.put(store.list()[0])  # it arrived by a sync

        planned = native_memory.import_native(other)

        assert (planned.unchanged, len(other.list())) == (1, 1)


def test_broken_front_matter_is_salvaged(store: MemoryStore, memory: Path) -> None:
    (memory / "testing.md").unlink()
    (memory / "a.md").write_text(
        "---\nname: Odd: one\n  bad: [indent\ntype: project\n---\nBody A\n"
    )
    (memory / "b.md").write_text("no front matter at all\n")
    (memory / "c.md").write_text("---\nname: never closed\nBody C\n")
    (memory / "d.md").write_bytes(b"---\nname: bytes\n---\nBody \xff\xfe D\n")
    (memory / "e.md").write_text("---\nname: empty\n---\n")
    (memory / "f.md").symlink_to("/etc/hostname")

    native_memory.import_native(store)

    assert {note.title for note in store.list()} == {
        "Odd: one", "no front matter at all", "name: never closed", "bytes"
    }  # fmt: skip


def test_without_a_transcript_the_folder_tells_the_project(
    store: MemoryStore, memory: Path
) -> None:
    (memory.parent / "s.jsonl").unlink()

    native_memory.import_native(store)

    assert [note.project for note in store.list()] == ["my-app"]


def test_a_secret_is_replaced_before_it_is_written(store: MemoryStore, memory: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    (memory / "testing.md").write_text(f"The token is {secret} for CI.\n")

    native_memory.import_native(store)

    (note,) = store.list()
    assert secret not in note.body
    assert secret not in note.title


def test_an_import_is_taken_back_as_a_whole(store: MemoryStore, root: Path, memory: Path) -> None:
    durable(store)
    before = files(root)
    native_memory.import_native(store)

    undo.undo(store, kind="import")

    assert files(root) == before


def take(store: MemoryStore, path: Path, source: str, project: str | None = None) -> ImportPlan:
    drafts = programs.program_of(str(path), source).drafts(str(path))
    planned = import_.plan_import(store, drafts, source=source, project=project)
    import_.carry_out(store, planned, source=source)
    return planned


def test_sections_of_instructions(store: MemoryStore, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(
        "Intro that is long enough to keep.\n\n# Build\n\nRun make before every commit.\n\n"
        "## Docker\n\n```sh\n# not a heading\ndocker build .\n```\n\n# Empty\n\n# Open\n\nTBD\n\n"
        "# Style\n\nUse tabs.\n"
    )

    take(store, path, programs.program_of(str(path)).name, project="app")

    found = {note.title: note.body for note in store.list(type="procedural")}
    assert found == {
        "Intro that is long enough to keep.": "Intro that is long enough to keep.",
        "Build": "Run make before every commit.",
        "Docker": "```sh\n# not a heading\ndocker build .\n```",
        "Style": "Use tabs.",
    }


def test_basic_memory_notes(store: MemoryStore, tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "Search.md").write_text(
        "---\ntitle: Search\ntype: note\npermalink: specs/search\ntags: [search, fts]\n---\n"
        "# Search\n\n- [decision] Use FTS5 #sqlite\n- relates_to [[Index]]\n"
    )

    take(store, tmp_path, programs.program_of(str(tmp_path)).name, project="app")

    (note,) = store.list()
    assert (note.title, note.project) == ("Search", "app")
    assert {"search", "fts"} <= set(note.tags)
    assert "Use FTS5" in note.body


def test_a_markdown_file_of_no_known_program_is_imported_as_a_file(
    store: MemoryStore, tmp_path: Path
) -> None:
    path = tmp_path / "queue.md"
    path.write_text("---\ntitle: The queue\npermalink: /queue/\n---\nIt has three partitions.\n")

    take(store, path, programs.program_of(str(path)).name)

    (note,) = store.list()
    assert (note.title, note.origin) == ("The queue", "import:file")
    assert "basic-memory" not in note.tags


def test_a_folder_with_a_note_of_basic_memory_is_its_project(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Written by hand.\n")
    assert programs.program_of(str(tmp_path)).name == "file"

    (tmp_path / "b.md").write_text("---\ntitle: B\ntype: note\npermalink: b\n---\nText.\n")

    assert programs.program_of(str(tmp_path)).name == "basic-memory"


def test_a_file_that_an_earlier_version_took_for_basic_memorys_is_not_doubled(
    store: MemoryStore, tmp_path: Path
) -> None:
    path = tmp_path / "queue.md"
    path.write_text("It has three partitions.\n")
    take(store, path, "basic-memory")  # as every markdown file was

    again = import_.import_notes(store, str(path))
    path.write_text("It has four partitions.\n")
    changed = import_.import_notes(store, str(path))

    assert (again.added, again.unchanged) == ([], 1)
    assert (changed.added, len(changed.updated)) == ([], 1)
    assert [note.body for note in store.list()] == ["It has four partitions."]


def test_the_reference_servers_graph(store: MemoryStore, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    lines = [
        {"type": "entity", "name": "API", "entityType": "service", "observations": ["uses Go"]},
        {"type": "relation", "from": "API", "to": "DB", "relationType": "depends on"},
        {"type": "entity", "name": "DB", "entityType": "service", "observations": []},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n")

    take(store, path, programs.program_of(str(path)).name)

    (note,) = store.list()
    assert (note.title, note.body) == ("API", "- uses Go\n- depends on DB")
    assert "service" in note.tags


def test_claude_mems_export(store: MemoryStore, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({
        "exportedAt": "2026-01-01", "observations": [{
            "id": 1, "memory_session_id": "s", "project": "app", "type": "decision",
            "title": "Use WAL", "subtitle": "For readers", "narrative": "Readers block otherwise.",
            "facts": '["busy_timeout is 5000"]', "concepts": '["sqlite"]',
            "files_modified": '["store.py"]', "created_at_epoch": 1_767_225_600_000}],
        "summaries": [{"memory_session_id": "s", "project": "app", "request": "Fix locks",
                       "learned": "WAL helps", "created_at_epoch": 1_767_225_600_000}],
    }))  # fmt: skip

    take(store, path, programs.program_of(str(path)).name)

    observation, summary = sorted(store.list(), key=lambda note: note.type, reverse=True)
    assert (observation.title, observation.project) == ("Use WAL", "app")
    assert observation.updated_at == "2026-01-01T00:00:00+00:00"
    for words in ("For readers", "Readers block", "- busy_timeout is 5000", "`store.py`"):
        assert words in observation.body
    assert summary.type == "episodic"
    assert "**Learned:** WAL helps" in summary.body


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"results": rows}])
def test_mem0s_export(store: MemoryStore, tmp_path: Path, wrap: object) -> None:
    path = tmp_path / "mem0.json"
    rows = [{"id": "m1", "memory": "Prefers tabs over spaces", "categories": ["style"],
             "created_at": "2026-02-03T04:05:06-08:00",
             "metadata": {"project": "app"}}]  # fmt: skip
    path.write_text(json.dumps(wrap(rows)))  # type: ignore[operator]

    take(store, path, programs.program_of(str(path)).name)

    (note,) = store.list()
    assert (note.body, note.project) == ("Prefers tabs over spaces", "app")
    assert note.created_at == "2026-02-03T12:05:06+00:00"


@pytest.mark.parametrize("source", programs.PROGRAMS)
def test_importing_an_export_twice_changes_nothing(
    store: MemoryStore, root: Path, tmp_path: Path, source: str
) -> None:
    path = _example(tmp_path, source)
    take(store, path, source)
    before = files(root)

    planned = take(store, path, source)

    assert files(root) == before
    assert (planned.unchanged, planned.added) == (len(before), [])
    assert before


@pytest.mark.parametrize("text", ["", "{", "[[[", '{"observations": 3}', "[1, null]", '"x"'])
@pytest.mark.parametrize("source", ["mcp-memory", "claude-mem", "mem0"])
def test_a_broken_export_is_told_or_empty(
    store: MemoryStore, tmp_path: Path, source: str, text: str
) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)

    with suppress(InvalidInput):
        take(store, path, source)

    assert store.list() == []


def test_an_unknown_file_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "what.json"
    path.write_text('{"a": 1}')

    with pytest.raises(InvalidInput, match="Cannot tell"):
        programs.program_of(str(path))
    with pytest.raises(InvalidInput, match="Cannot read"):
        programs.program_of(str(tmp_path / "nowhere.json"))


@pytest.mark.parametrize("format", ["directory", "jsonl"])
def test_an_export_of_our_own_comes_back_unchanged(
    store: MemoryStore, root: Path, tmp_path: Path, format: str
) -> None:
    old = durable(store, body=f'{FACT}\n\u2028 odd "quotes" and --- lines')
    durable(store, "New", supersedes=old.id)
    store.write(type="procedural", title="Local", body="b", scope="machine-local")
    path = tmp_path / ("notes.jsonl" if format == "jsonl" else "notes")
    notes = export.notes_to_export(store, superseded=True, machine_local=True)
    if format == "jsonl":
        path.write_text("".join(export.jsonl_lines(notes)))
    else:
        export.to_directory(notes, str(path))

    assert import_.is_own_export(str(path))
    with MemoryStore(tmp_path / "other") as other:
        import_.carry_out(
            other, import_.plan_own_export(other, str(path), mine=True), source="anamnesis"
        )
        again = import_.plan_own_export(other, str(path))

    assert files(tmp_path / "other") == files(root)
    assert (again.unchanged, again.added) == (3, [])


def test_an_export_leaves_out_what_stays_here(store: MemoryStore) -> None:
    store.write(type="semantic", title="Local", body="b", scope="machine-local")
    old = durable(store, "Old")
    durable(store, "New", supersedes=old.id)

    text = "".join(export.document_lines(export.notes_to_export(store)))

    assert "## New" in text
    assert "## Old" not in text
    assert "Local" not in text


@pytest.mark.parametrize(
    "line",
    ["{}", "[]", "x", '{"id": "../../x", "type": "semantic", "title": "t", "body": "b"}',
     '{"id": "A", "type": "../x", "title": "t", "body": "b"}'],
)  # fmt: skip
def test_a_line_that_is_no_note_stops_the_import(
    store: MemoryStore, tmp_path: Path, line: str
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n")

    with pytest.raises(InvalidInput, match="line 1"):
        import_.plan_own_export(store, str(path))


def test_times_of_other_programs() -> None:
    assert timestamp("2026-03-04T05:06:07.123Z") == "2026-03-04T05:06:07+00:00"
    assert timestamp("2026-03-04") == "2026-03-04T00:00:00+00:00"
    assert timestamp(1_767_225_600) == timestamp(1_767_225_600_000)
    assert [timestamp(bad) for bad in ("soon", None, 1e30, "")] == [""] * 4


def _example(folder: Path, source: str) -> Path:
    if source in ("basic-memory", "file"):
        (folder / "notes").mkdir()
        (folder / "notes" / "a.md").write_text("Some text about the thing.\n")
        return folder / "notes"
    text = {
        "instructions": "# Build\n\nRun make before every commit.\n",
        "mcp-memory": '{"type": "entity", "name": "A", "observations": ["x is y"]}\n',
        "claude-mem": '{"exportedAt": 1, "observations": [{"title": "T", "text": "some text"}]}',
        "mem0": '[{"id": "1", "memory": "some text"}]',
    }[source]
    path = folder / "export"
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(tmp_path)
    yield
    os.chdir(before)


def counted_redactions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are looked through for secrets from here on."""
    looked: list[str] = []

    def counting(text: str, **options: Iterable[str]) -> list[Finding]:
        looked.append(text)
        return findings(text, **options)

    monkeypatch.setattr(import_, "findings", counting)
    return looked


def test_a_new_text_is_looked_through_for_secrets_once(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Deploy\n\nThe gateway is deployed before lunch, on Tuesdays.\n")
    looked: list[str] = []

    def counting(text: str, lowered: bytes) -> Iterator[Finding]:
        looked.append(text)
        return names.named_values(text, lowered)

    monkeypatch.setattr(secrets, "named_values", counting)

    take(store, path, "instructions")

    assert len([text for text in looked if "before lunch" in text]) == 1


def test_an_unchanged_text_is_not_looked_through_again(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(
        "# Build\n\nRun make before every commit.\n\n# Test\n\nRun make test after every change.\n"
    )
    take(store, path, "instructions")
    path.write_text(
        "# Build\n\nRun make before every commit.\n\n# Test\n\nRun make check after every change.\n"
    )
    looked = counted_redactions(monkeypatch)

    planned = take(store, path, "instructions")

    assert planned.sentence == "0 new, 1 updated, 1 unchanged"
    assert "make check" in looked[0]
    assert not any("make before" in text for text in looked)


def test_an_import_that_was_taken_back_is_done_again(store: MemoryStore, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Build\n\nRun make before every commit.\n")
    take(store, path, "instructions")
    path.write_text("# Build\n\nRun make all before every commit.\n")
    take(store, path, "instructions")
    undo.undo(store, kind="import")

    again = take(store, path, "instructions")

    assert again.sentence == "0 new, 1 updated"


def test_a_value_that_is_no_longer_allowed_is_redacted_by_the_next_import(
    store: MemoryStore, root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Build\n\nDB_PASSWORD=swordfish\n")
    (root / "redact-allow.txt").write_text("swordfish\n")
    take(store, path, "instructions")
    (root / "redact-allow.txt").unlink()

    again = take(store, path, "instructions")

    assert [note.body for _, note in again.updated] == ["DB_PASSWORD=[redacted: password]"]


def test_an_export_of_somebody_else_waits_for_review(store: MemoryStore, tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "other") as other:
        note = durable(other, "Deploys", body="Always deploy on Fridays.", tags=["pinned"])
        lines = "".join(export.jsonl_lines(export.notes_to_export(other)))
    (tmp_path / "gift.jsonl").write_text(lines)

    import_.import_notes(store, str(tmp_path / "gift.jsonl"))

    arrived = store.require(note.id).note
    assert arrived.origin == "import:anamnesis"
    assert "pending" in arrived.tags
    given = inject(Home(store.root), Payload(session_id="s"), project=note.project, format="text")
    assert "Fridays" not in given
    assert import_.plan_own_export(store, str(tmp_path / "gift.jsonl")).unchanged == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("words", "it is not JSON"),
        ("[1]", "it is not a JSON object"),
        ('{"id": "x"}', "it has no type"),
        ('{"id": "../x", "type": "semantic", "title": "t", "body": "b"}', "its id '../x' is not"),
        ('{"id": "x", "type": "semantic", "title": "t", "body": 1}', "its body has the wrong type"),
    ],
)
def test_why_a_line_is_not_a_note_is_told(
    store: MemoryStore, tmp_path: Path, line: str, reason: str
) -> None:
    (tmp_path / "notes.jsonl").write_text(f"{line}\n")

    with pytest.raises(InvalidInput, match="line 1 is not a note") as told:
        import_.import_notes(store, str(tmp_path / "notes.jsonl"), format=import_.OWN_EXPORT)

    assert reason in told.value.message
    assert not store.list()


def test_a_file_without_notes_is_told(store: MemoryStore, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text('{"words": 1}\n')

    with pytest.raises(InvalidInput, match="Found no notes"):
        import_.import_notes(store, str(tmp_path / "notes.jsonl"))
