"""Sessions that scripts run: repeated ones of one prompt share a note."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anamnesis.capture.transcript import read_transcript
from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.hooks.payload import Payload
from anamnesis.notes.derived import key
from anamnesis.notes.fields import Memory
from anamnesis.operations.machine import settings
from anamnesis.operations.sessions.capture import Captured, capture
from anamnesis.store import MemoryStore
from support.hooks import Transcript

PROMPT = "Check the dependencies for updates and write down what you changed"


def run(root: Path, session: str, *, prompt: str = PROMPT, entrypoint: str = "sdk-cli") -> Captured:
    """Capture a session that a script (or a person, by its entry point) ran to its end."""
    path = root.parent / f"{session}.jsonl"
    if not path.exists():
        transcript = Transcript(path, session=session, cwd=str(root.parent / "shop"))
        transcript.user(prompt, entrypoint=entrypoint)
        transcript.edit("/home/u/shop/package.json").result()
        transcript.assistant(f"Raised three packages and ran the tests in {session}.")
    told = Payload(session_id=session, transcript_path=str(path))
    return capture(Home(root), told, source="session-end")


def sessions(store: MemoryStore) -> list[Memory]:
    return [store.require(each.id).note for each in store.list(type="episodic")]


def test_runs_of_one_prompt_share_a_note_that_names_them_all(
    store: MemoryStore, root: Path
) -> None:
    for session in ("s-1", "s-2", "s-3"):
        run(root, session)

    (note,) = sessions(store)
    assert key(note, "sessions") == "s-1 s-2 s-3"
    assert "**Runs:** 3 of this prompt" in note.body
    assert "ran the tests in s-3" in note.body


def lines(*entries: Mapping[str, object]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in entries)


def gemini(session: str, *, asked_at: str = "2026-11-15T20:54:46.882Z", then: str = "") -> str:
    """A chat of Gemini CLI, as `gemini -p` writes it."""
    prompts = [PROMPT, *filter(None, [then])]
    return lines(
        {"sessionId": session, "projectHash": "p", "startTime": "2026-11-15T20:54:46.743Z"},
        *({"type": "user", "timestamp": asked_at, "content": text} for text in prompts),
        {"type": "gemini", "content": f"Raised three packages in {session}; the tests pass."},
    )


def copilot(session: str, *, reason: str = "complete") -> str:
    """The events of Copilot CLI, as `copilot -p` writes them."""
    start = {"sessionId": session, "startTime": "2026-11-15T21:01:13.810Z", "context": {}}
    end = {"hookType": "sessionEnd", "input": {"reason": reason}}
    return lines(
        {"type": "session.start", "data": start},
        {"type": "user.message", "data": {"content": PROMPT}, "timestamp": "2026-11-15T21:01:14Z"},
        {"type": "assistant.message", "data": {"content": f"Raised three packages in {session}."}},
        {"type": "hook.start", "data": end},
    )


def opencode(session: str, *, action: str = "deny") -> str:
    """The export of a session of `opencode run`."""
    rule = {"permission": "question", "pattern": "*", "action": action}
    spoken = (("user", PROMPT), ("assistant", f"Raised three packages in {session}; tests pass."))
    messages = [
        {"info": {"role": role}, "parts": [{"type": "text", "text": text}]} for role, text in spoken
    ]
    return json.dumps({"info": {"id": session, "permission": [rule]}, "messages": messages})


@pytest.mark.parametrize("written", [gemini, copilot, opencode])
def test_runs_of_the_other_agents_share_a_note_too(
    store: MemoryStore, root: Path, written: Callable[[str], str]
) -> None:
    for session in ("s-1", "s-2"):
        (root.parent / f"{session}.jsonl").write_text(written(session), "utf-8")
        run(root, session)

    (note,) = sessions(store)
    assert key(note, "sessions") == "s-1 s-2"


@pytest.mark.parametrize(
    "text",
    [
        gemini("s-2", asked_at="2026-11-15T20:54:59Z"),
        gemini("s-2", then="And now raise the database driver as well"),
        copilot("s-2", reason="user_exit"),
        opencode("s-2", action="ask"),
    ],
)
def test_a_session_that_somebody_sat_at_is_known(root: Path, text: str) -> None:
    path = root.parent / "s-2.jsonl"
    path.write_text(text, "utf-8")

    assert read_transcript(path).is_interactive


def test_a_single_run_has_a_plain_note(store: MemoryStore, root: Path) -> None:
    run(root, "s-1")

    (note,) = sessions(store)
    assert (note.prov_session, note.extra) == ("s-1", "")
    assert "**Runs:**" not in note.body


def test_a_run_that_is_captured_twice_counts_once(store: MemoryStore, root: Path) -> None:
    for session in ("s-1", "s-2", "s-1", "s-2"):
        assert run(root, session).note is not None

    (note,) = sessions(store)
    assert key(note, "sessions") == "s-1 s-2"


def test_another_prompt_has_another_note(store: MemoryStore, root: Path) -> None:
    run(root, "s-1")
    run(root, "s-2", prompt="Write the release notes from the commits since the last tag")

    assert len(sessions(store)) == 2


def test_sessions_of_a_person_are_never_folded(store: MemoryStore, root: Path) -> None:
    run(root, "s-1", entrypoint="cli")
    run(root, "s-2", entrypoint="cli")
    run(root, "s-3")

    assert sorted(note.prov_session for note in sessions(store)) == ["s-1", "s-2", "s-3"]


def test_runs_that_end_at_once_share_a_note(store: MemoryStore, root: Path) -> None:
    names = [f"s-{number}" for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: run(root, name), names))

    (note,) = sessions(store)
    assert sorted(key(note, "sessions").split()) == names


def test_a_run_that_became_a_conversation_is_not_replaced(store: MemoryStore, root: Path) -> None:
    run(root, "s-1")
    transcript = Transcript(root.parent / "s-1.jsonl", session="s-1")
    transcript.user("Now raise the database driver as well").assistant("Raised it to version 5.")
    run(root, "s-1")

    run(root, "s-2")

    first, second = sorted(sessions(store), key=lambda note: note.prov_session)
    assert "Now raise the database driver as well" in first.body
    assert second.prov_session == "s-2"


def test_all_gives_each_run_a_note(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_CAPTURE_NONINTERACTIVE", "all")
    run(root, "s-1")
    run(root, "s-2")

    assert len(sessions(store)) == 2


def test_none_gives_no_run_a_note(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_CAPTURE_NONINTERACTIVE", "none")

    assert "non-interactive" in run(root, "s-1").message
    assert run(root, "s-2", entrypoint="cli").note is not None
    assert len(sessions(store)) == 1


def test_a_run_with_a_note_of_its_own_keeps_it(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_CAPTURE_NONINTERACTIVE", "all")
    own = run(root, "s-1").note
    monkeypatch.setenv("ANAMNESIS_CAPTURE_NONINTERACTIVE", "folded")
    run(root, "s-2")

    again = run(root, "s-1").note

    assert own is not None
    assert again is not None
    assert again.id == own.id
    assert len(sessions(store)) == 2


def test_a_shared_note_that_was_edited_or_deleted_stays_so(store: MemoryStore, root: Path) -> None:
    first = run(root, "s-1").note
    assert first is not None
    found = store.require(first.id)
    store.update(replace(found.note, body="My own words."), expected_hash=found.hash)
    assert "edited by hand" in run(root, "s-2").message
    assert store.require(first.id).note.body == "My own words."

    store.delete(first.id)
    assert "deleted" in run(root, "s-3").message
    assert sessions(store) == []


def test_the_setting_takes_only_what_it_knows() -> None:
    accepts = settings.setting_named("capture_noninteractive").accepts

    assert all(map(accepts, ("all", "folded", "none", "Folded")))
    assert not accepts("sometimes")


def test_runs_of_codex_exec_are_folded_too(store: MemoryStore, root: Path) -> None:
    for session in ("c-1", "c-2"):
        path = root.parent / f"{session}.jsonl"
        said = [
            ("user", "input_text", PROMPT),
            ("assistant", "output_text", f"{PROMPT}: done. " * 5),
        ]
        meta = {"id": session, "cwd": str(root.parent / "shop"), "source": "exec"}
        lines: list[object] = [{"type": "session_meta", "payload": meta}]
        for role, kind, text in said:
            message = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
            lines.append({"type": "response_item", "payload": message})
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        run(root, session)

    (note,) = sessions(store)
    assert key(note, "sessions") == "c-1 c-2"
