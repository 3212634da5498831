from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anamnesis.capture import HeuristicSummarizer, ParsedSession, ledger, write_episodic
from anamnesis.capture.summarize import SummaryResult
from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.hooks import runs
from anamnesis.hooks.payload import Payload
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.capture import capture
from anamnesis.store import MemoryStore
from support.hooks import ENTRY, Transcript, environment

SESSION = ParsedSession(
    first_prompt="Fix the login",
    last_outcome="It works again.",
    session_id="s-1",
    git_branch="main",
)


def written(store: MemoryStore, session: ParsedSession, source: str = "session-end") -> Memory:
    note = write_episodic(
        store, session, summarizer=HeuristicSummarizer(), project="shop", source=source,
        machine_id="laptop",
    )  # fmt: skip
    assert note is not None
    return note


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    transcript = Transcript(tmp_path / "s-1.jsonl", cwd=str(tmp_path / "shop"))
    return transcript.user("Fix the login").assistant("It works again, as the tests show.")


def captured(root: Path, transcript: Transcript, **fields: str) -> str:
    told = Payload(session_id="s-1", transcript_path=str(transcript.path))
    source = fields.pop("source", "session-end")
    return capture(Home(root), replace(told, **fields), source=source).message


def test_a_session_becomes_a_note_with_its_provenance(store: MemoryStore) -> None:
    note = written(store, SESSION)

    kept = store.get(note.id)
    assert kept == note
    assert (note.type, note.project, note.machine_id) == ("episodic", "shop", "laptop")
    assert note.tags == ["session", "session-end"]
    assert (note.prov_source, note.prov_session, note.prov_model) == ("session-end", "s-1", "")


def test_a_trivial_session_becomes_nothing(store: MemoryStore) -> None:
    note = write_episodic(
        store, ParsedSession(first_prompt="/clear"), summarizer=HeuristicSummarizer(),
        project="shop", source="session-end", machine_id="laptop",
    )  # fmt: skip

    assert note is None
    assert store.list() == []


def test_a_summariser_may_skip_a_session(store: MemoryStore) -> None:
    class Silent:
        def summarize(self, _session: ParsedSession) -> None:
            return None

    note = write_episodic(
        store, SESSION, summarizer=Silent(), project="shop", source="session-end", machine_id="m"
    )

    assert note is None


def test_the_same_session_is_one_note_brought_up_to_date(store: MemoryStore) -> None:
    first = written(store, SESSION, "precompact")
    second = written(store, replace(SESSION, last_outcome="And it is tested."), "session-end")

    assert second.id == first.id
    assert second.created_at == first.created_at
    assert second.tags == ["session", "session-end"]
    assert [note.body for note in store.list()] == [second.body]
    assert "And it is tested." in second.body


def test_tags_of_a_person_stay_and_a_new_state_is_not_reflected_yet(store: MemoryStore) -> None:
    first = written(store, SESSION)
    store.put(replace(first, tags=[*first.tags, "keep", "reflected"]))

    same = written(store, SESSION)
    changed = written(store, replace(SESSION, last_outcome="More."))

    assert same.tags == ["session", "session-end", "keep", "reflected"]
    assert changed.tags == ["session", "session-end", "keep"]


def test_the_end_of_a_session_is_told_by_its_tag(store: MemoryStore) -> None:
    written(store, SESSION, "checkpoint")
    ended = written(store, SESSION, "session-end")
    passing = written(store, SESSION, "sweep")

    assert ended.tags == passing.tags == ["session", "session-end"]


def test_sessions_without_an_id_are_not_mixed_up(store: MemoryStore) -> None:
    nameless = replace(SESSION, session_id="")

    assert written(store, nameless).id != written(store, nameless).id


def test_an_old_session_does_not_pass_for_the_latest_one(store: MemoryStore) -> None:
    note = written(store, replace(SESSION, ended_at="2024-03-01T10:20:30.123Z"))

    assert note.created_at == note.updated_at == "2024-03-01T10:20:30+00:00"
    assert store.get(note.id) == note


def test_a_secret_never_reaches_the_note_not_even_cut_in_half(store: MemoryStore) -> None:
    token = "ghp_" + "a1B2" * 9
    prompt = "x" * 60 + f" {token} " + "y" * 520 + f" {token}"

    note = written(store, replace(SESSION, first_prompt=prompt, files_touched=[f"/tmp/{token}"]))

    assert "ghp_" not in note.title + note.body
    assert "[redacted: github token]" in note.body


def test_capturing_twice_changes_nothing(root: Path, transcript: Transcript) -> None:
    first = captured(root, transcript)
    second = captured(root, transcript)

    assert first == second
    with MemoryStore(root) as store:
        assert len(store.list()) == 1


def edit(root: Path, **fields: str) -> Memory:
    """Change the only note by hand."""
    with MemoryStore(root) as store:
        (note,) = store.list()
        read = store.require(note.id)
        return store.update(replace(read.note, **fields), expected_hash=read.hash)


def only_note(root: Path) -> Memory:
    with MemoryStore(root) as store:
        (note,) = store.list()
        return note


def test_where_a_person_rewrote_what_capture_rewrites_the_person_s_stands(
    root: Path, transcript: Transcript
) -> None:
    captured(root, transcript)
    edit(root, body="In my own words.")
    transcript.assistant("More happened after that, quite a lot of it.")

    said = captured(root, transcript)

    assert "edited by hand" in said
    assert only_note(root).body == "In my own words."
    with MemoryStore(root) as store:
        (unit,) = undo.undoable(store.home)
        undo.undo(store, id=unit.id)
    assert "More happened after that" in only_note(root).body


def test_the_text_that_did_not_get_in_is_kept_once_and_is_not_the_next_thing_to_undo(
    root: Path, transcript: Transcript
) -> None:
    captured(root, transcript)
    edit(root, body="In my own words.")
    for number in range(3):
        transcript.assistant(f"More happened after that, {number} times at least.")
        captured(root, transcript)
    captured(root, transcript)

    with MemoryStore(root) as store:
        (unit,) = undo.undoable(store.home)
        assert b"2 times at least" in (unit.files[0].before or b"")
        with pytest.raises(undo.NothingToUndo):
            undo.undo(store)


def test_what_a_person_added_and_what_happened_since_are_both_there(
    root: Path, transcript: Transcript
) -> None:
    captured(root, transcript)
    first = only_note(root)
    edit(root, body=f"{first.body}\n\nMy remark: the cookie was too old.")
    transcript.assistant("The login works with old cookies too, as a new test shows.")

    captured(root, transcript)
    transcript.assistant("The cookies of the shop are renewed at every login from now on.")
    captured(root, transcript)

    body = only_note(root).body
    assert "My remark: the cookie was too old." in body
    assert "renewed at every login" in body
    assert list(undo.undoable(Home(root))) == []


def test_a_title_that_a_person_gave_stays(root: Path, transcript: Transcript) -> None:
    captured(root, transcript)
    edit(root, title="The login and its cookie")
    transcript.assistant("The login works with old cookies too, as a new test shows.")

    captured(root, transcript)

    note = only_note(root)
    assert note.title == "The login and its cookie"
    assert "old cookies too" in note.body


def test_an_edited_note_of_which_an_earlier_version_kept_no_text_is_left_alone(
    root: Path, transcript: Transcript
) -> None:
    captured(root, transcript)
    entry = root / "state" / "sessions" / "s-1.json"
    known = json.loads(entry.read_text())
    entry.write_text(json.dumps(known | {"title": "", "text": "", "whole": ""}))
    edit(root, body="In my own words.")
    transcript.assistant("More happened after that, quite a lot of it.")

    said = captured(root, transcript)

    assert "left alone" in said
    assert only_note(root).body == "In my own words."


def test_an_edit_of_a_note_whose_first_capture_was_killed_stays(
    root: Path, transcript: Transcript
) -> None:
    """Killed after the note was written, before the ledger said so."""
    captured(root, transcript)
    entry = root / "state" / "sessions" / "s-1.json"
    known = json.loads(entry.read_text())
    entry.unlink()
    ledger.announce(Home(root), ["s-1"], SummaryResult(known["title"], known["text"]))
    edit(root, body=f"{only_note(root).body}\n\nMy remark.")
    transcript.assistant("More happened after that, quite a lot of it.")

    captured(root, transcript)

    note = only_note(root)
    assert "My remark." in note.body
    assert "More happened" in note.body


def test_a_note_of_which_nothing_is_known_can_be_brought_back(
    root: Path, transcript: Transcript
) -> None:
    captured(root, transcript)
    (root / "state" / "sessions" / "s-1.json").unlink()
    edit(root, body="In my own words.")

    captured(root, transcript)

    with MemoryStore(root) as store:
        undo.undo(store, kind="capture")
    assert only_note(root).body == "In my own words."


def test_a_note_that_a_person_deleted_does_not_come_back(
    root: Path, transcript: Transcript
) -> None:
    captured(root, transcript)
    with MemoryStore(root) as store:
        store.delete(store.list()[0].id)

    said = captured(root, transcript)

    assert "was deleted" in said
    with MemoryStore(root) as store:
        assert store.list() == []


def test_hooks_that_tell_of_a_session_at_once_do_not_take_each_other_for_a_person(
    root: Path, transcript: Transcript
) -> None:
    def goes_on(number: int) -> str:
        transcript.assistant(f"Step {number} is done, and the tests show it.")
        return captured(root, transcript)

    with ThreadPoolExecutor(6) as hooks:
        said = list(hooks.map(goes_on, range(24)))

    assert not [line for line in said if "by hand" in line]


def test_a_session_that_was_trivial_so_far_is_looked_at_again(root: Path, tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "s-1.jsonl")
    assert "trivial" in captured(root, transcript, source="checkpoint")

    transcript.user("Fix the login").assistant("It works again, as the tests show.")

    assert "wrote" in captured(root, transcript, source="checkpoint")


def test_a_transcript_that_lags_behind_is_waited_for(root: Path, tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "s-1.jsonl")

    def goes_on() -> None:
        time.sleep(0.3)
        transcript.user("Fix the login")

    with ThreadPoolExecutor(1) as client:
        client.submit(goes_on)
        said = captured(root, transcript, source="checkpoint", last_message="It works again.")

    assert "wrote" in said


def test_a_fork_that_does_not_say_so_does_not_tell_its_parents_story(
    root: Path, tmp_path: Path
) -> None:
    """As in a terminal: a copy of the lines, with their times and ids, under another name."""
    lines = [
        ("user", "Fix the login", "2026-11-15T10:00:00.000Z"),
        ("assistant", "It works again, as the tests show.", "2026-11-15T10:00:01.000Z"),
        ("user", "Now the logout", "2026-11-15T11:00:00.000Z"),
        ("assistant", "That works as well, and is tested.", "2026-11-15T11:00:01.000Z"),
    ]
    sessions = {"parent": (0, 1), "fork": (3, 0, 1, 2)}  # the client was seen to mix them up
    for session, told in sessions.items():
        transcript = Transcript(tmp_path / f"{session}.jsonl", session=session)
        for number in told:
            who, text, at = lines[number]
            identity = f"{number:08d}-0000-4000-8000-000000000000"
            getattr(transcript, who)(text, uuid=identity, timestamp=at)
        for _ in range(2):  # the second time the ledger knows
            captured(root, transcript, session_id=session)

    with MemoryStore(root) as store:
        assert {note.title for note in store.list()} == {"Fix the login", "Now the logout"}
        parent = next(note for note in store.list() if note.prov_session == "parent")
        assert "logout" not in parent.body


def test_checkpoints_come_now_and_then_only(root: Path, transcript: Transcript) -> None:
    assert "wrote" in captured(root, transcript, source="checkpoint")
    assert captured(root, transcript, source="checkpoint") == "captured a moment ago"
    assert "wrote" in captured(root, transcript, source="session-end")


def test_the_summary_of_a_compaction_does_not_replace_the_outcome(
    root: Path, transcript: Transcript
) -> None:
    summary = "<analysis>a</analysis>\n<summary>\n1. Login fixed, see auth.py\n</summary>"

    captured(root, transcript, source="postcompact", compact_summary=summary)

    with MemoryStore(root) as store:
        (note,) = store.list()
    assert "Login fixed, see auth.py" in note.body
    assert note.body.endswith("**Outcome:** It works again, as the tests show.")
    assert note.tags == ["session", "postcompact"]


def test_ignored_paths_are_not_listed(root: Path, tmp_path: Path, transcript: Transcript) -> None:
    shop = tmp_path / "shop"
    (shop / ".anamnesis").mkdir(parents=True)
    (shop / ".anamnesis" / "ignore").write_text("secret/\n")
    transcript.edit(f"{shop}/secret/plan.md", call="1").edit(f"{shop}/src/a.py", call="2")

    captured(root, transcript)

    with MemoryStore(root) as store:
        body = store.list()[0].body
    assert "a.py" in body
    assert "plan.md" not in body


def test_nothing_is_captured_where_it_is_switched_off(
    root: Path, tmp_path: Path, transcript: Transcript
) -> None:
    (tmp_path / "shop" / ".anamnesis").mkdir(parents=True)
    (tmp_path / "shop" / ".anamnesis" / "ignore").write_text("")

    assert captured(root, transcript) == "ignored by .anamnesis/ignore"
    assert not list(root.glob("memory/**/*.md"))


def test_ten_sessions_that_start_and_end_at_once_leave_one_note_each(
    home: Path, tmp_path: Path
) -> None:
    commands = []
    for number in range(10):
        transcript = Transcript(tmp_path / f"s-{number}.jsonl", session=f"s-{number}")
        transcript.user(f"Task number {number}").assistant("Done, and all of the tests are green.")
        capture_it = ["capture", "--no-sync", "--transcript", str(transcript.path)]
        # The client, another tool that runs the same hooks, and the next session that starts.
        commands += [capture_it, capture_it, ["inject", "--project", "shop"]]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", ENTRY, *command],
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for command in commands
    ]

    outcomes = [(*child.communicate(timeout=60), child.returncode) for child in children]

    assert {code for *_, code in outcomes} == {0}
    assert {err for _, err, _ in outcomes} == {b""}
    root = home / ".anamnesis"
    with MemoryStore(root) as store:
        assert sorted(note.prov_session for note in store.list()) == [f"s-{n}" for n in range(10)]
    assert [run for run in runs.latest_runs(Home(root)) if not run["ok"]] == []
