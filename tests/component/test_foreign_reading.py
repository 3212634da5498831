"""A note that an agent wrote after its session had read elsewhere says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.hooks.payload import Payload
from anamnesis.mcp.tools import write_memory
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from anamnesis.trust import policy
from support.hooks import Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

READS: dict[str, dict[str, Any]] = {
    "WebFetch": {"url": "https://example.com/page"},
    "mcp__github__get_issue": {"number": 1},
    "Bash": {"command": "cd src && curl -s https://example.com/page"},
}
AT = "2026-11-17T10:00:00.000Z"


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")


def _written(store: MemoryStore, *, at: str) -> Memory:
    """What an agent stored at a time."""
    fields = write_memory(
        store, type="semantic", title=f"Written {at}", body="The queue has three partitions.",
        project="shop", client="claude-code", machine_id="laptop",
    )  # fmt: skip
    note = store.require(str(fields["id"])).note
    return store.put(replace(note, created_at=at, updated_at=at))


def _session(root: Path, *steps: tuple[str, dict[str, Any]] | Memory) -> Path:
    path = root.parent / "s-1.jsonl"
    transcript = Transcript(path).user("Please find out how the queue is partitioned", timestamp=AT)
    for number, step in enumerate(steps):
        call = f"t{number}"
        if isinstance(step, tuple):
            use = {"type": "tool_use", "id": call, "name": step[0], "input": step[1]}
            transcript.assistant(use, timestamp=AT)
        else:
            use = {
                "type": "tool_use",
                "id": call,
                "name": "mcp__anamnesis__memory_write",
                "input": {},
            }
            transcript.assistant(use, timestamp=step.created_at)
            result = {
                "type": "tool_result",
                "tool_use_id": call,
                "content": f'{{"id": "{step.id}"}}',
            }
            transcript.user([result], timestamp=step.created_at)
    transcript.assistant("It has three partitions; I have stored that.", timestamp=AT)
    return path


def _captured(root: Path, path: Path) -> None:
    told = Payload(session_id="s-1", transcript_path=str(path), event="Stop")
    capture(Home(root), told, source="checkpoint")


@pytest.mark.parametrize("tool", READS)
def test_a_note_written_after_the_web_was_read_is_marked(
    store: MemoryStore, root: Path, tool: str
) -> None:
    note = _written(store, at="2026-11-17T10:05:00+00:00")

    _captured(root, _session(root, (tool, READS[tool]), note))

    assert store.require(note.id).note.origin == "agent:claude-code after web"
    given = inject(Home(root), Payload(session_id="s-2"), project="shop", format="text")
    assert "source: agent claude-code after web" in given


def test_a_note_of_a_session_that_read_nothing_else_is_not(store: MemoryStore, root: Path) -> None:
    note = _written(store, at="2026-11-17T10:05:00+00:00")

    _captured(root, _session(root, ("Read", {"file_path": "a.py"}), note))

    assert store.require(note.id).note.origin == "agent:claude-code"


def test_a_note_that_was_there_before_the_reading_is_not(store: MemoryStore, root: Path) -> None:
    note = _written(store, at="2026-11-17T09:00:00+00:00")

    _captured(root, _session(root, ("WebFetch", READS["WebFetch"]), note))

    assert store.require(note.id).note.origin == "agent:claude-code"


def test_a_setting_has_such_notes_wait_for_review(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_TRUST_WEB", "review")
    note = _written(store, at="2026-11-17T10:05:00+00:00")

    _captured(root, _session(root, ("WebFetch", READS["WebFetch"]), note))

    assert "pending" in store.require(note.id).note.tags
    given = inject(Home(root), Payload(session_id="s-2"), project="shop", format="text")
    assert note.title not in given


def test_a_merge_is_trusted_as_little_as_the_least_of_its_notes() -> None:
    sources = ["", "agent:codex after web", "agent:codex"]

    assert policy.lowest(sources) == "agent:codex after web"
    assert policy.lowest([*sources, "import:mem0"]) == "import:mem0"
