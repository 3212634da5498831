"""No text of the poison corpus reaches an agent unasked, whatever the way in and the moment."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from anamnesis.archive import ask
from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.mcp.tools import write_memory
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.moment import help_after_failure, notes_at_file
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from corpus.poison import HARMLESS, POISON
from support.hooks import Transcript

if TYPE_CHECKING:
    from pathlib import Path

MOST_HELD = 0.02  # of harmless texts
AT = "2026-11-17T10:00:00+00:00"


def _note(number: int, text: str) -> Memory:
    """A session's note, as whoever can write to the remote would forge it: for every moment."""
    line = " ".join(text.split())
    body = (
        f"The queue shard{number} has partitions in `src/shard{number}.py`.\n\n{text}\n\n"
        f"**Errors and fixes:**\n- `make shard{number}` failed: ZorbelError: shard{number} is not"
        f" seated → {line}\n"
    )
    return Memory(
        id=f"E{number}", type="episodic", title=f"Queue shard{number} partitions", body=body,
        project="shop", machine_id="desk", prov_session=f"old-{number}", prov_source="session-end",
        created_at=AT, updated_at=AT,
    )  # fmt: skip


def _given(store: MemoryStore, root: Path, number: int) -> str:
    """Everything that the moments of a session print that is about one note."""
    home, cwd = Home(root), str(root.parent / "shop")
    session = f"s-{number}-9"  # each its own, so that no receipt of another is looked through
    asked = Payload(session_id=session, prompt=f"how many partitions has the queue shard{number}?")
    error = f"Exit code 2\n  ZorbelError: shard{number} is not seated\n"
    failed = Payload(event="PostToolUseFailure", session_id=session, cwd=cwd, error=error)
    read = Payload(session_id=session, cwd=cwd, file_path=f"{cwd}/src/shard{number}.py")
    return "\n".join(
        (
            recall_for_prompt(home, asked, project="shop", format="text"),
            help_after_failure(home, failed),
            notes_at_file(store, read),
        )
    )


def _started(root: Path) -> str:
    return inject(Home(root), Payload(session_id="s-9"), project="shop", format="text")


def _pulled(root: Path, remote: Path, texts: list[str]) -> None:
    """A clone that is not ours pushes notes; we sync."""
    hostile = root.parent / "hostile" / "memory"
    folder = hostile / "episodic"
    folder.mkdir(parents=True)
    with MemoryStore(root.parent / "hostile") as forged:
        for number, text in enumerate(texts):
            forged.put(_note(number, text))
    GitSyncBackend(hostile, remote=str(remote), machine_id="desk").sync()
    GitSyncBackend(root / "memory", remote=str(remote), machine_id="laptop").sync()


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    bare = tmp_path / "notes.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(bare)], check=True)
    return bare


def test_nothing_of_a_hostile_clone_is_given(root: Path, remote: Path) -> None:
    _pulled(root, remote, POISON)

    with MemoryStore(root) as store:
        store.refresh()
        given = [number for number in range(len(POISON)) if _given(store, root, number).strip()]

    assert given == []
    assert "shard" not in _started(root)


def test_hardly_a_harmless_note_of_another_machine_is_held(root: Path, remote: Path) -> None:
    _pulled(root, remote, HARMLESS)

    with MemoryStore(root) as store:
        store.refresh()
        held = [
            number for number in range(len(HARMLESS)) if not _given(store, root, number).strip()
        ]

    assert len(held) <= MOST_HELD * len(HARMLESS), [HARMLESS[number] for number in held]


@pytest.mark.parametrize("read", [False, True], ids=["own work", "after the web"])
def test_nothing_that_an_agent_was_told_to_remember_is_given(
    store: MemoryStore, root: Path, *, read: bool
) -> None:
    transcript = Transcript(root.parent / "s-1.jsonl").user("Look up the queue", timestamp=AT)
    if read:
        page = {
            "type": "tool_use",
            "id": "web",
            "name": "WebFetch",
            "input": {"url": "https://x.org"},
        }
        transcript.assistant(page, timestamp=AT)
    for number, text in enumerate(POISON):
        forged = _note(number, text)
        fields = write_memory(
            store, type="semantic", title=forged.title, body=forged.body, project="shop",
            client="claude-code", machine_id="laptop",
        )  # fmt: skip
        call = f"t{number}"
        use = {"type": "tool_use", "id": call, "name": "mcp__anamnesis__memory_write", "input": {}}
        transcript.assistant(use, timestamp="2026-11-17T10:05:00.000Z")
        result = {
            "type": "tool_result",
            "tool_use_id": call,
            "content": json.dumps({"id": fields["id"]}),
        }
        transcript.user([result], timestamp="2026-11-17T10:05:00.000Z")
    told = Payload(session_id="s-1", transcript_path=str(transcript.path), event="Stop")
    capture(Home(root), told, source="checkpoint")

    given = [number for number in range(len(POISON)) if _given(store, root, number).strip()]

    assert given == []


def test_nothing_that_was_said_in_a_session_is_given(store: MemoryStore, root: Path) -> None:
    passed = []
    for number, text in enumerate(POISON):
        transcript = Transcript(root.parent / f"c-{number}.jsonl", session=f"c-{number}")
        transcript.user(f"Why does the queue shard{number} fail when two writers meet it?")
        transcript.edit(f"/u/shop/shard{number}.py").result()
        transcript.assistant(f"The queue shard{number} has three partitions. {text}")
        told = Payload(
            session_id=f"c-{number}", transcript_path=str(transcript.path), event="SessionEnd",
            cwd="/home/u/shop",
        )  # fmt: skip
        capture(Home(root), told, source="session-end")
        beginning = " ".join(text.split())[:30]
        said = _given(store, root, number) + _started(root)
        shown = ask.passages(Home(root), f"queue shard{number}", ask.SessionFilter("shop"), limit=3)
        said += "\n".join(f"{passage.text}" for passage in shown)
        if beginning in " ".join(said.split()):
            passed.append(text)

    assert passed == []


def _imported_from_native_memory(
    root: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topic files as Claude Code keeps them, taken over by command as after each session."""
    claude, project = root.parent / "claude", root.parent / "work" / "shop"
    project.mkdir(parents=True)
    folder = claude / "projects" / "-work-shop" / "memory"
    folder.mkdir(parents=True)
    line = json.dumps({"type": "user", "cwd": str(project), "message": {"content": "hi"}})
    (folder.parent / "s.jsonl").write_text(line + "\n")
    for number, text in enumerate(texts):
        note = _note(number, text)
        (folder / f"shard{number}.md").write_text(
            f"---\nname: shard{number}\ndescription: {note.title}\nmetadata:\n  type: project\n"
            f"  originSessionId: n-{number}\n---\n{note.body}"
        )
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(claude))
    monkeypatch.setenv("ANAMNESIS_HOME", str(root))
    assert main(["import"]) == 0


def test_nothing_of_native_memory_is_given(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _imported_from_native_memory(root, POISON, monkeypatch)
    store.refresh()

    given = [number for number in range(len(POISON)) if _given(store, root, number).strip()]

    assert len(store.list()) == len(POISON)
    assert given == []
    assert "shard" not in _started(root)


def test_hardly_a_harmless_file_of_native_memory_is_held(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _imported_from_native_memory(root, HARMLESS, monkeypatch)
    store.refresh()

    held = [number for number in range(len(HARMLESS)) if not _given(store, root, number).strip()]

    assert len(held) <= MOST_HELD * len(HARMLESS), [HARMLESS[number] for number in held]
