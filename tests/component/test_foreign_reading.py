"""A note that an agent wrote after its session had read elsewhere says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.hooks.payload import Payload
from anamnesis.mcp.tools import write_memory
from anamnesis.operations.curate.review import keep
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from anamnesis.trust import policy
from support.hooks import Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

READS: list[tuple[str, dict[str, Any]]] = [
    ("WebFetch", {"url": "https://example.com/page"}),
    ("mcp__github__get_issue", {"number": 1}),
    ("Bash", {"command": "cd src && curl -s https://example.com/page"}),
    ("Bash", {"command": "gh issue view 12 --comments"}),
    ("Bash", {"command": "git clone https://example.com/a/b"}),
]
OWN_WORK: list[tuple[str, dict[str, Any]]] = [
    ("Read", {"file_path": "a.py"}),
    ("Bash", {"command": "curl -s http://localhost:8080/health"}),
    ("Bash", {"command": "git pull && gh pr create --fill"}),
]
WEB = READS[0]
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


def _given(root: Path) -> str:
    return inject(Home(root), Payload(session_id="s-2"), project="shop", format="text")


@pytest.mark.parametrize("read", READS)
def test_a_note_written_after_the_web_was_read_waits_for_review(
    store: MemoryStore, root: Path, read: tuple[str, dict[str, Any]]
) -> None:
    note = _written(store, at="2026-11-17T10:05:00+00:00")

    _captured(root, _session(root, read, note))

    assert store.require(note.id).note.origin == "agent:claude-code after web"
    assert note.title not in _given(root)


def test_a_kept_note_is_given_with_its_origin(store: MemoryStore, root: Path) -> None:
    note = _written(store, at="2026-11-17T10:05:00+00:00")
    _captured(root, _session(root, WEB, note))

    keep(store, [note.id])

    assert "source: agent claude-code after web" in _given(root)


def test_what_a_subagent_read_counts_as_well(store: MemoryStore, root: Path) -> None:
    note = _written(store, at="2026-11-17T10:05:00+00:00")
    path = _session(root, ("Task", {"prompt": "find out"}), note)
    sent = path.with_suffix("") / "subagents" / "agent-1.jsonl"
    sent.parent.mkdir(parents=True)
    use = {"type": "tool_use", "id": "s1", "name": WEB[0], "input": WEB[1]}
    Transcript(sent).assistant(use, timestamp=AT)

    _captured(root, path)

    assert note.title not in _given(root)


@pytest.mark.parametrize("step", OWN_WORK)
def test_a_note_of_a_session_that_read_nothing_else_is_given(
    store: MemoryStore, root: Path, step: tuple[str, dict[str, Any]]
) -> None:
    note = _written(store, at="2026-11-17T10:05:00+00:00")

    _captured(root, _session(root, step, note))

    assert store.require(note.id).note.origin == "agent:claude-code"
    assert note.title in _given(root)


def test_a_note_that_was_there_before_the_reading_is_not(store: MemoryStore, root: Path) -> None:
    note = _written(store, at="2026-11-17T09:00:00+00:00")

    _captured(root, _session(root, WEB, note))

    assert store.require(note.id).note.origin == "agent:claude-code"


def test_a_setting_gives_such_notes_unasked(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_TRUST_WEB", "inject")
    note = _written(store, at="2026-11-17T10:05:00+00:00")

    _captured(root, _session(root, WEB, note))

    assert "pending" not in store.require(note.id).note.tags
    assert note.title in _given(root)


def test_a_merge_is_trusted_as_little_as_the_least_of_its_notes() -> None:
    sources = ["", "agent:codex after web", "agent:codex"]

    assert policy.lowest(sources) == "agent:codex after web"
    assert policy.lowest([*sources, "import:mem0"]) == "import:mem0"
