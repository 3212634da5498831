"""Session notes made again from the archive: all that capture wrote, nothing that a person did."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamnesis.archive import files, turns
from anamnesis.capture import ledger
from anamnesis.capture.archive_format1 import upgraded
from anamnesis.capture.extract.note import ExtractSummarizer
from anamnesis.capture.session import session_of
from anamnesis.capture.story import PROMPT, RECAP, RUN, Todo, story_of
from anamnesis.capture.transcript import read_transcript
from anamnesis.config import Home
from anamnesis.ground.errors import NoteChangedOnDisk
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.hooks.payload import Payload
from anamnesis.notes.fields import Memory
from anamnesis.operations.curate.forget import forget
from anamnesis.operations.sessions import recapture
from anamnesis.operations.sessions.capture import Captured, capture
from anamnesis.store import MemoryStore
from support.archive import as_format_1
from support.hooks import SAMPLES, Transcript, hook

Again = Callable[[Transcript], turns.Transcript]
OLD = "**Ask:** what an older version made of it"


def transcript(root: Path, session: str = "s-1", *, project: str = "shop") -> Transcript:
    """A session in which one file was edited."""
    said = Transcript(
        root.parent / f"{session}.jsonl", session=session, cwd=str(root.parent / project)
    )
    said.user(
        f"Move the port of {session} into the settings file", timestamp="2026-11-10T09:00:00Z"
    )
    said.edit(str(root.parent / project / "settings.toml")).result()
    return said.assistant(f"The port of {session} is read from settings.toml, 4041 by default.")


def end(root: Path, session: str = "s-1") -> Captured:
    told = Payload(session_id=session, transcript_path=str(root.parent / f"{session}.jsonl"))
    return capture(Home(root), told, source="session-end")


def captured(store: MemoryStore, root: Path, session: str = "s-1", **more: Any) -> Memory:
    """The note of a session as capture writes it today."""
    transcript(root, session, **more)
    note = end(root, session).note
    assert note is not None
    return store.require(note.id).note


def written_by_an_older_version(store: MemoryStore, note: Memory, session: str = "s-1") -> None:
    """Let a note and the ledger look as if capture had once made less of the session."""
    store.put(replace(note, body=OLD))
    entry = ledger.read(store.home, session)
    assert entry is not None
    ledger.write(store.home, session, replace(entry, body=ledger.body_hash(OLD)))


def body(store: MemoryStore, note: Memory) -> str:
    return store.require(note.id).note.body.strip()


def make_again(store: MemoryStore, **more: Any) -> undo.Unit | None:
    return recapture.write_again(store, recapture.plan_again(store, **more))


def test_a_preview_names_the_notes_and_changes_nothing(store: MemoryStore, root: Path) -> None:
    note = captured(store, root)
    captured(store, root, "s-2")
    written_by_an_older_version(store, note)

    plan = recapture.plan_again(store)

    assert [each.before.note.id for each in plan.remade] == [note.id]
    assert (plan.same, plan.left) == (1, {})
    assert body(store, note) == OLD


def test_a_note_is_made_again_when_the_client_has_deleted_the_transcript(
    store: MemoryStore, root: Path
) -> None:
    note = captured(store, root)
    written_by_an_older_version(store, note)
    (root.parent / "s-1.jsonl").unlink()

    make_again(store)

    assert store.require(note.id).note == note
    assert recapture.plan_again(store).remade == []


def test_one_undo_takes_all_of_it_back(store: MemoryStore, root: Path) -> None:
    notes = [captured(store, root, session) for session in ("s-1", "s-2")]
    for number, note in enumerate(notes, start=1):
        written_by_an_older_version(store, note, f"s-{number}")
    make_again(store)

    undone = undo.undo(store, kind="capture")

    assert (undone.notes, undone.left) == (2, ())
    assert [body(store, note) for note in notes] == [OLD, OLD]


@pytest.mark.parametrize("is_undone", [False, True])
def test_the_session_can_go_on_afterwards(
    store: MemoryStore, root: Path, *, is_undone: bool
) -> None:
    note = captured(store, root)
    written_by_an_older_version(store, note)
    make_again(store)
    if is_undone:
        undo.undo(store, kind="capture")
    said = Transcript(root.parent / "s-1.jsonl", cwd=str(root.parent / "shop"))
    said.user("Name the port in the README as well, please")
    said.assistant("The README names the port and the settings file.")

    end(root)

    assert "README" in body(store, note)


def test_a_text_that_a_person_edited_is_left(store: MemoryStore, root: Path) -> None:
    note = captured(store, root)
    store.put(replace(note, body="My own words"))

    plan = recapture.plan_again(store)

    assert (plan.remade, plan.left) == ([], {recapture.EDITED: 1})


def test_a_title_that_a_person_gave_stays(store: MemoryStore, root: Path) -> None:
    note = captured(store, root)
    written_by_an_older_version(store, replace(note, title="Where the port is set"))

    make_again(store)

    assert store.require(note.id).note == replace(note, title="Where the port is set")


def test_a_note_that_was_deleted_or_forgotten_does_not_come_back(
    store: MemoryStore, root: Path
) -> None:
    deleted, forgotten = captured(store, root), captured(store, root, "s-2")
    archive = Path(files.path_of(store.home, "s-2"))
    kept = archive.read_bytes()
    store.delete(deleted.id)
    forget(store, [forgotten.id])
    archive.write_bytes(kept)  # as if a copy of the archive had been put back

    plan = recapture.plan_again(store)

    assert (plan.remade, plan.left) == ([], {recapture.GONE: 2})


def test_notes_of_runs_that_share_a_prompt_are_left(store: MemoryStore, root: Path) -> None:
    for session in ("s-1", "s-2"):
        said = Transcript(
            root.parent / f"{session}.jsonl", session=session, cwd=str(root.parent / "shop")
        )
        said.user("Raise the dependencies and say which ones", entrypoint="sdk-cli")
        said.edit("/home/u/shop/package.json").result()
        said.assistant(f"Raised three packages in {session}.")
        end(root, session)
        # The first is no shared note yet, but the next run will look for it.
        assert recapture.plan_again(store).remade == []
        assert recapture.RUNS in recapture.plan_again(store).left


def test_what_a_model_wrote_is_left(store: MemoryStore, root: Path) -> None:
    note = captured(store, root)
    written_by_an_older_version(store, replace(note, prov_model="anthropic/some-model"))

    assert recapture.plan_again(store).left == {recapture.MODEL: 1}


def test_a_note_of_which_nothing_is_known_is_left(store: MemoryStore, root: Path) -> None:
    captured(store, root)
    ledger.forget(store.home, "s-1")

    assert recapture.plan_again(store).left == {recapture.UNKNOWN: 1}


def test_half_of_an_archive_makes_no_note(store: MemoryStore, root: Path) -> None:
    note = captured(store, root)
    written_by_an_older_version(store, note)
    path = Path(files.path_of(store.home, "s-1"))
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(lines[:-1])))

    assert recapture.plan_again(store).left == {recapture.DAMAGED: 1}


def test_a_project_that_is_switched_off_is_left(store: MemoryStore, root: Path) -> None:
    note = captured(store, root)
    written_by_an_older_version(store, note)
    place = root.parent / "shop" / ".anamnesis"
    place.mkdir(parents=True)
    (place / "ignore").write_text("*\n")

    assert recapture.plan_again(store).left == {recapture.OFF: 1}


def test_a_file_that_was_ignored_since_is_no_longer_named(store: MemoryStore, root: Path) -> None:
    note = captured(store, root)
    assert "**Files touched" in note.body
    place = root.parent / "shop" / ".anamnesis"
    place.mkdir(parents=True)
    (place / "ignore").write_text("settings.toml\n")

    make_again(store)

    assert "**Files touched" not in body(store, note)


def test_only_the_project_that_is_named(store: MemoryStore, root: Path) -> None:
    shop = captured(store, root)
    bank = captured(store, root, "s-2", project="bank")
    written_by_an_older_version(store, shop)
    written_by_an_older_version(store, bank, "s-2")

    make_again(store, project=bank.project)

    assert (body(store, shop), body(store, bank)) == (OLD, bank.body.strip())


def test_a_note_that_is_edited_after_the_preview_is_not_overwritten(
    store: MemoryStore, root: Path
) -> None:
    notes = [captured(store, root, session) for session in ("s-1", "s-2")]
    for number, note in enumerate(notes, start=1):
        written_by_an_older_version(store, note, f"s-{number}")
    plan = recapture.plan_again(store)
    store.put(replace(notes[1], body="My own words"))

    with pytest.raises(NoteChangedOnDisk):
        recapture.write_again(store, plan)
    assert [body(store, note) for note in notes] == [OLD, "My own words"]


CLIENTS = [
    each
    for pattern in (
        "claude-code/transcripts/*.jsonl", "codex/*.jsonl", "gemini/*.jsonl",
        "copilot/*.jsonl", "opencode/export.json",
    )
    for each in sorted(SAMPLES.glob(pattern))
]  # fmt: skip


@pytest.mark.parametrize("path", CLIENTS, ids=lambda path: path.name)
def test_the_archive_gives_the_same_note_as_the_transcript(path: Path, root: Path) -> None:
    read = read_transcript(str(path)).transcript()
    kept = through_archive(read, root)

    assert story_of(kept) == story_of(read)
    assert replace(session_of(kept), ended_at="") == replace(session_of(read), ended_at="")
    for each in (kept, upgraded(as_format_1(kept))):
        from_archive = ExtractSummarizer(story_of(each)).summarize(session_of(each))
        assert from_archive == ExtractSummarizer(story_of(read)).summarize(session_of(read))
        assert session_of(each).files_touched == session_of(read).files_touched


@pytest.mark.parametrize("path", CLIENTS, ids=lambda path: path.name)
def test_a_note_made_again_is_the_same_byte_for_byte(
    path: Path, store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_CAPTURE_NONINTERACTIVE", "all")
    note = capture(Home(root), Payload(transcript_path=str(path)), source="session-end").note

    plan = recapture.plan_again(store)

    assert (len(plan.remade), plan.same, dict(plan.left)) == (0, int(note is not None), {})


def test_a_secret_is_gone_before_the_note_is_made_so_that_it_is_made_again_alike(
    store: MemoryStore, root: Path
) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = transcript(root).user(f"Use {key} for the export, and never print it")
    said.assistant(f"The export uses {key} from now on; it is read from the environment.")
    note = end(root).note
    assert note is not None

    assert key not in note.title + note.body
    assert recapture.plan_again(store).same == 1


def through_archive(read: turns.Transcript, root: Path) -> turns.Transcript:
    files.save(Home(root), files.joined(None, read))
    kept = files.load(files.path_of(Home(root), read.header.session))
    assert kept is not None
    return kept


@pytest.fixture(params=[1, turns.FORMAT])
def told_again(request: pytest.FixtureRequest, root: Path) -> Again:
    """A session as the archive has it, in either format."""

    def told(said: Transcript) -> turns.Transcript:
        kept = through_archive(read_transcript(str(said.path)).transcript(), root)
        return upgraded(as_format_1(kept)) if request.param == 1 else kept

    return told


def test_what_a_person_chose_is_told_once_and_with_its_question(
    tmp_path: Path, told_again: Again
) -> None:
    said = Transcript(tmp_path / "s-1.jsonl").user("Choose a database for the shop")
    asked = {"type": "tool_use", "id": "q", "name": "AskUserQuestion", "input": {"questions": []}}
    chosen = 'User has answered: "Which one?"="SQLite", "Which port?"="4041"'
    said.assistant(asked)
    said.user([{"type": "tool_result", "tool_use_id": "q", "content": chosen}])

    prompts = story_of(told_again(said)).of(PROMPT)

    assert [(each.text, each.answer) for each in prompts[1:]] == [
        ("SQLite", "Which one?"), ("4041", "Which port?")
    ]  # fmt: skip


def test_an_edit_that_failed_or_was_refused_is_no_edit(tmp_path: Path, told_again: Again) -> None:
    said = Transcript(tmp_path / "s-1.jsonl").user("Tidy the settings up")
    said.edit("/shop/a.toml", call="a").result(call="a", failed=True)
    refusal = "The tool use was rejected. The user said: not this file, it is generated"
    said.edit("/shop/b.toml", call="b")
    said.user([{"type": "tool_result", "tool_use_id": "b", "content": refusal, "is_error": True}])
    said.edit("/shop/c.toml", call="c").result(call="c")

    assert session_of(told_again(said)).files_touched == ["/shop/c.toml"]


def test_the_clients_recap_and_a_hook_that_objected_are_told_again(
    tmp_path: Path, told_again: Again
) -> None:
    said = Transcript(tmp_path / "s-1.jsonl").user("Split the settings")
    said.user("Stop hook feedback:\n[check.sh]: There are unstaged changes", isMeta=True)
    said.line(type="system", subtype="away_summary", content="The settings are half split.")

    moments = story_of(told_again(said)).moments[1:]

    assert [(each.kind, each.text, each.answer, each.failed) for each in moments] == [
        (RUN, "Stop hook", "There are unstaged changes", True),
        (RECAP, "The settings are half split.", "", False),
    ]


def test_a_long_list_of_open_items_is_still_whole(tmp_path: Path, root: Path) -> None:
    todos = [
        {"content": f"Move setting {n} into its own file", "status": "pending"} for n in range(60)
    ]
    said = Transcript(tmp_path / "s-1.jsonl").user("Split the settings")
    said.assistant({"type": "tool_use", "id": "t", "name": "TodoWrite", "input": {"todos": todos}})

    found = story_of(through_archive(read_transcript(said.path).transcript(), root)).todos

    assert found == [Todo(each["content"], is_done=False) for each in todos]


def test_the_command_shows_then_writes_then_can_be_taken_back(tmp_path: Path) -> None:
    root = tmp_path / ".anamnesis"
    said = transcript(root)
    hook(tmp_path, "capture", "--no-sync", f"--transcript={said.path}")
    with MemoryStore(root) as store:
        (note,) = (store.require(each.id).note for each in store.list(type="episodic"))
        written_by_an_older_version(store, note)

    shown = hook(tmp_path, "capture", "--again")
    assert note.id.encode() in shown.stdout
    assert b"1 note would change; to write them:  anamnesis capture --again --apply" in shown.stderr
    assert OLD.encode() in hook(tmp_path, "show", note.id).stdout

    done = hook(tmp_path, "capture", "--again", "--apply", "--no-sync")
    assert b"capture: 1 session note rebuilt" in done.stdout
    assert b"settings.toml" in hook(tmp_path, "show", note.id).stdout
    assert b"no note would change" in hook(tmp_path, "capture", "--again").stdout

    hook(tmp_path, "undo")
    assert OLD.encode() in hook(tmp_path, "show", note.id).stdout
