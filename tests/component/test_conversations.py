"""Exports of ChatGPT and Claude: archived, found when asked for, and nothing given unasked."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from anamnesis.archive import files
from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.notes.fields import Memory
from anamnesis.operations.curate import review
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.archive import SessionFilter
from anamnesis.store import MemoryStore

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "store"))
    MemoryStore(tmp_path / "store").close()
    return tmp_path / "store"


def node(key: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "create_time": 1_767_225_600.5, "content": content}
    return {key: {"id": key, "parent": parent, "message": {**message, **more}}}


def chatgpt(
    key: str = "c-1", *, last: str = "Twelve minutes, and turn them once."
) -> dict[str, Any]:
    nodes = {
        "root": {"id": "root", "parent": None, "message": None},
        **node("system", "root", "system", "You are ChatGPT."),
        **node("told", "system", "user", "Custom instructions.", metadata={
            "is_visually_hidden_from_conversation": True}),
        **node("ask", "told", "user", f"How long do cardamom buns bake? {SECRET}"),
        **node("note", "ask", "assistant", "User bakes with spelt flour.", recipient="bio"),
        **node("tool", "note", "tool", "Model set context updated."),
        **node("first", "tool", "assistant", "An answer that was regenerated."),
        **node("chosen", "tool", "assistant", last, recipient="all"),
    }  # fmt: skip
    return {
        "title": "Cardamom buns", "create_time": 1_767_225_600.5, "mapping": nodes,
        "current_node": "chosen", "conversation_id": key,
    }  # fmt: skip


def claude() -> dict[str, Any]:
    said = {"created_at": "2026-01-02T10:00:00.000000Z"}
    return {
        "uuid": "k-1", "name": "Grouting a terrace", "created_at": "2026-01-02T10:00:00.000000Z",
        "chat_messages": [
            {**said, "sender": "human", "text": "Which grout for sandstone?", "content": [],
             "attachments": [{"file_name": "terrace.pdf", "extracted_content": "page one"}]},
            {**said, "sender": "assistant", "text": "", "content": [
                {"type": "thinking", "thinking": "Lime or cement?"},
                {"type": "text", "text": "A trass-lime grout, or the stone will stain."}]},
        ],
    }  # fmt: skip


def packed(path: Path, **documents: object) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archived:
        for name, value in documents.items():
            archived.writestr(name.replace("__", "-") + ".json", json.dumps(value))
    return str(path)


def test_conversations_are_archived_as_they_were_shown(root: Path, tmp_path: Path) -> None:
    export = packed(tmp_path / "chatgpt.zip", user={}, conversations__000=[chatgpt()])

    assert main(["import", export]) == 0

    kept = archive.show_session(Home(root), "chatgpt-c-1")
    assert kept.header.title == "Cardamom buns"
    assert [(turn.who, turn.text.partition("[")[0]) for turn in kept.turns] == [
        ("person", "How long do cardamom buns bake? "),
        ("agent", "Twelve minutes, and turn them once."),
    ]
    assert kept.turns[0].at == "2026-01-01T00:00:00+00:00"
    assert SECRET not in str(kept)


def test_the_other_program_is_told_by_its_file(root: Path, tmp_path: Path) -> None:
    memories = [{"conversations_memory": "Lives in a stone house.", "project_memories": {}}]
    projects = [{"uuid": "p", "name": "Garden", "prompt_template": "Metric units only."}]
    export = packed(
        tmp_path / "data.zip", conversations=[claude()], memories=memories, projects=projects
    )

    assert main(["import", export]) == 0

    kept = archive.show_session(Home(root), "claude-ai-k-1")
    assert [turn.text for turn in kept.turns] == [
        "Which grout for sandstone?\n\n[attached: terrace.pdf]",
        "A trass-lime grout, or the stone will stain.",
    ]
    with MemoryStore(root) as store:
        assert {store.require(note.id).note.body for note in review.pending(store)} == {
            "Lives in a stone house.", "Metric units only.",
        }  # fmt: skip


def test_they_are_found_by_words_and_given_to_no_session(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["import", packed(tmp_path / "chatgpt.zip", conversations=[chatgpt()])])
    capsys.readouterr()

    [found] = archive.search_sessions(Home(root), "cardamom", SessionFilter(), limit=5)
    main(["inject", "--project", "global"])
    prompt = json.dumps({"prompt": "How long do cardamom buns bake, with spelt flour?"})
    told = subprocess.run(
        [sys.executable, "-m", "anamnesis", "recall-hook"], input=prompt, text=True,
        capture_output=True, check=False,
    )  # fmt: skip

    assert "Twelve minutes" in found.text
    assert "spelt" not in capsys.readouterr().out
    assert (told.stdout, told.returncode) == ("", 0)


def test_what_the_assistant_remembers_is_given_once_it_is_kept(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["import", packed(tmp_path / "chatgpt.zip", conversations=[chatgpt()])])
    with MemoryStore(root) as store:
        waiting: list[Memory] = review.pending(store)
        review.keep(store, [note.id for note in waiting])
    capsys.readouterr()

    main(["inject", "--project", "global"])

    assert [note.origin for note in waiting] == ["import:chatgpt"]
    assert "User bakes with spelt flour." in capsys.readouterr().out


def test_a_second_export_adds_what_is_new(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["import", packed(tmp_path / "old.zip", conversations=[chatgpt("a"), chatgpt("b")])])
    longer = chatgpt("b")
    longer["mapping"] |= node("thanks", "chosen", "user", "And rye flour?")
    longer["current_node"] = "thanks"
    capsys.readouterr()

    main(
        ["import", packed(tmp_path / "new.zip", conversations=[chatgpt("a"), longer, chatgpt("c")])]
    )

    said = capsys.readouterr().out
    assert "conversations: 1 new, 1 updated, 1 unchanged" in said
    assert len(archive.show_session(Home(root), "chatgpt-b").turns) == 3


def test_one_that_cannot_be_read_stops_nothing(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    broken = {"mapping": 3}, "text", {**chatgpt("loop"), "current_node": "gone"}, None
    file.write_text(json.dumps([*broken, chatgpt("sound")])[:-1] + ', {"mapping": ')

    assert main(["import", str(file)]) == 0

    assert {row.id for row in archive.list_sessions(Home(root), SessionFilter(), limit=9)} == {
        "chatgpt-loop", "chatgpt-sound",
    }  # fmt: skip


def test_imported_conversations_do_not_expire(root: Path, tmp_path: Path) -> None:
    main(["import", packed(tmp_path / "chatgpt.zip", conversations=[chatgpt()])])

    gone = files.expire(Home(root), days=0, megabytes=0, now=4e9)

    assert gone == 0
    assert archive.has(Home(root), "chatgpt-c-1")
