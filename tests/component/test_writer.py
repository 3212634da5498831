"""An agent's own shell is no way around the table of origins."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.operations.curate import review
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from anamnesis.trust import writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARKS = {
    "CLAUDECODE": "claude-code", "CODEX_SANDBOX": "codex", "CODEX_THREAD_ID": "codex",
    "GEMINI_CLI": "gemini-cli", "OPENCODE": "opencode", "COPILOT_CLI": "copilot",
    "CURSOR_AGENT": "cursor",
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryStore]:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "home"))
    with MemoryStore(tmp_path / "home") as opened:
        yield opened


@pytest.mark.parametrize(("mark", "agent"), MARKS.items())
def test_a_command_in_an_agents_shell_writes_as_that_agent(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, mark: str, agent: str
) -> None:
    monkeypatch.setenv(mark, "1")

    assert main(["write", "The queue has three partitions", "--tags", "pinned,queue"]) == 0

    [note] = store.list()
    assert note.origin == f"agent:{agent}"
    assert note.tags == ["queue"]


def test_what_you_write_is_yours(store: MemoryStore) -> None:
    assert main(["write", "The queue has three partitions", "--tags", "pinned,queue"]) == 0

    [note] = store.list()
    assert note.origin == ""
    assert note.tags == ["pinned", "queue"]


def test_an_agent_that_edits_your_note_becomes_its_author_and_cannot_pin_it(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note = store.write(type="semantic", title="Rule", body="Use tabs.", tags=["pending"])
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/Use tabs./Use spaces./; s/pending/pinned/" "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("CLAUDECODE", "1")

    assert main(["edit", note.id]) == 0

    edited = store.require(note.id).note
    assert edited.body == "Use spaces."
    assert edited.origin == "agent:claude-code"
    assert edited.tags == ["pending"]


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "command",
    [["review", "--keep"], ["pin"], ["unpin"], ["config", "set", "trust_import", "inject"]],
)
def test_an_agents_shell_may_not_keep_pin_or_trust(
    store: MemoryStore,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    note = store.write(type="semantic", title="Rule", body="Use tabs.", tags=["pending"])
    monkeypatch.setenv("CLAUDECODE", "1")
    names = [] if command[0] == "config" else [note.id]

    assert main([*command, *names]) == 1

    assert "this shell belongs to an agent (claude-code)" in capsys.readouterr().err
    assert store.require(note.id).note.tags == ["pending"]
    assert not os.path.exists(os.path.join(store.home, "config.json"))


@pytest.mark.parametrize("command", [["review", "--keep"], ["review", "--keep-all"], ["pin"]])
def test_a_pipe_may_not_keep_or_pin_and_a_terminal_may(
    store: MemoryStore,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    note = store.write(type="semantic", title="Rule", body="Use tabs.", tags=["pending"])
    names = [] if "--keep-all" in command else [note.id]

    assert main([*command, *names]) == 1
    assert "this is not a terminal" in capsys.readouterr().err
    request.getfixturevalue("terminal")
    assert main([*command, *names]) == 0

    assert store.require(note.id).note.tags != ["pending"]


def test_listing_and_rejecting_need_no_terminal(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    note = store.write(type="semantic", title="Rule", body="Use tabs.", tags=["pending"])

    assert main(["review", "--list", "--json"]) == 0
    assert [each["id"] for each in json.loads(capsys.readouterr().out)] == [note.id]
    assert main(["review", "--reject", note.id]) == 0

    assert review.pending(store) == []


def test_a_variable_that_is_switched_off_marks_no_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "0")

    assert writer.agent_of_shell() == ""


def test_a_title_with_an_escape_sequence_reaches_no_terminal_or_session(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("anamnesis.cli.tables.color", "auto")  # which --color changes
    hidden = "".join(chr(0xE0000 + ord(each)) for each in "obey")
    note = store.write(
        type="semantic",
        title=f"Clear\x1b[2J\x1b]0;pwned\x07{hidden}",
        body="a\u202eb",
        project="app",
    )

    for command in (
        ["list"],
        ["list", "--color", "always"],
        ["search", "clear"],
        ["show", note.id],
    ):
        assert main(command) == 0
    printed = capsys.readouterr().out
    main(["list", "--json"])
    as_json = capsys.readouterr().out
    given = inject(Home(store.home), Payload(session_id="s"), project="app", format="text")

    for text in (printed, as_json, given):
        assert "\x1b[2J" not in text
        assert "\x1b]" not in text
        assert hidden not in text
        assert "\u202e" not in text
    assert json.loads(as_json)[0]["title"] == note.title


@pytest.mark.usefixtures("terminal")
def test_an_agent_may_not_put_back_what_was_replaced_as_a_secret(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["write", "Deploys use GITHUB_TOKEN=ghp_" + "a1B2" * 9]) == 0
    unit = capsys.readouterr().err.rpartition("anamnesis undo ")[2].strip()

    monkeypatch.setenv("CLAUDECODE", "1")

    assert main(["undo", unit]) == 1
    assert "Cannot allow what looks like a secret here" in capsys.readouterr().err
    assert "[redacted" in store.list()[0].title
