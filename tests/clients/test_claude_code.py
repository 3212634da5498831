"""Claude Code from nothing to a second machine and back to nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clients import claude
from clients.desk import Desk, eventually
from clients.model import ScriptedModel

pytestmark = pytest.mark.client

PROJECT = "example.org/team/shop"
FACT = "The cart rounds half to even because the bank does"
SETTINGS = '{\n    "cleanupPeriodDays": 90,\n    "permissions": {"allow": ["Bash(ls:*)"]}\n}'


@dataclass
class Story:
    desk: Desk
    first: dict[str, Any]
    second: dict[str, Any]
    given_to_second: str
    found_by_second: list[str]
    after_compaction: str


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> Story:
    """A day with Claude Code: a session with an edit and a note, another, a fork, a compaction."""
    place = tmp_path_factory.mktemp("claude")
    desk = Desk(place, model)
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    remote = place / "shared.git"
    desk.anamnesis("init", "--yes", "--agents", "claude", "--remote", str(remote))

    write = {"file_path": str(desk.project / "cart.py"), "content": "x = 1"}
    note = {"type": "semantic", "title": FACT, "body": f"{FACT}.", "project": PROJECT}
    first = claude.session(
        desk,
        f"Fix the rounding of the cart [[Write {json.dumps(write)}]]"
        f" [[mcp__anamnesis__memory_write {json.dumps(note)}]]"
        " [[say The rounding of the cart is fixed and every test passes.]]",
        *("--permission-mode", "acceptEdits", "--allowedTools", "mcp__anamnesis__memory_write"),
    )
    eventually(lambda: desk.notes(type="episodic"))

    model.forget()
    rule = {"file_path": str(desk.project / "ROUNDING.md"), "content": "Half to even."}
    second = claude.session(
        desk,
        'What did we decide? [[mcp__anamnesis__memory_search {"query": "cart rounding"}]]'
        f" [[Write {json.dumps(rule)}]]"  # a session that only asks us leaves no note
        " [[say We decided that the cart rounds half to even, as the bank does.]]",
        *("--permission-mode", "acceptEdits"),
    )
    given_to_second, found_by_second = model.said_to_it(), list(model.results)
    eventually(lambda: len(desk.notes(type="episodic")) == 2)

    session = second["session_id"]
    claude.session(desk, "Go on [[say Going on with the cart as before.]]", "--resume", session)
    claude.session(
        desk, "Try [[say Trying it another way.]]", "--resume", session, "--fork-session"
    )
    claude.session(desk, "/compact keep the cart", "--resume", session)
    model.forget()
    claude.session(desk, "And now? [[say Now it is all done.]]", "--resume", session)
    return Story(desk, first, second, given_to_second, found_by_second, model.said_to_it())


def test_the_server_answers(story: Story) -> None:
    listed = claude.command(story.desk, "mcp", "list")

    assert "anamnesis" in listed
    assert "Connected" in listed


def test_a_session_becomes_one_note_with_project_branch_and_files(story: Story) -> None:
    notes = story.desk.notes(prov_session=story.first["session_id"])

    assert [(note["type"], note["project"]) for note in notes] == [("episodic", PROJECT)]
    assert "**Branch:** feature" in notes[0]["body"]
    assert "cart.py" in notes[0]["body"]
    assert "every test passes" in notes[0]["body"]


def test_the_model_wrote_a_note(story: Story) -> None:
    assert [note["project"] for note in story.desk.notes(title=FACT)] == [PROJECT]


def test_the_next_session_is_given_what_was_learned(story: Story) -> None:
    assert "Anamnesis memory (auto-injected)" in story.given_to_second
    assert f"{FACT}." in story.given_to_second


def test_searching_needs_no_permission(story: Story) -> None:
    assert story.second["permission_denials"] == []
    assert any(FACT in text for text in story.found_by_second)


def test_memory_is_still_there_after_compaction(story: Story) -> None:
    receipts = (story.desk.store / "log" / "receipts.jsonl").read_text().splitlines()

    assert "compact" in {json.loads(line)["source"] for line in receipts}
    assert f"{FACT}." in story.after_compaction


def test_resuming_and_forking_leave_one_note_for_each_session(story: Story) -> None:
    notes = story.desk.notes(type="episodic")
    sessions = [note["prov_session"] for note in notes]

    assert len(sessions) == len(set(sessions))
    assert sessions.count(story.second["session_id"]) == 1


def test_a_prompt_brings_a_note_to_mind(tmp_path: Path, model: ScriptedModel) -> None:
    """The note is too old to be given at the start, where later ones take the room."""
    desk = Desk(tmp_path, model)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")
    desk.anamnesis("write", "Rule 42 of the bank says so.", "--title", FACT, "--project", PROJECT)
    for number in range(9):
        shelf = f"Shelf {number} is blue.\n\n" * 150
        desk.anamnesis("write", shelf, "--title", f"Shelf {number}", "--project", PROJECT)
    model.forget()

    claude.session(desk, "Why does the cart round half to even? [[say Because the bank does.]]")

    assert "Rule 42 of the bank says so." in model.said_to_it()
    assert [run["did"] for run in desk.runs("recall-hook")] == ["1 note for a prompt"]


def test_a_slow_hook_of_somebody_else_loses_no_session(
    tmp_path: Path, model: ScriptedModel
) -> None:
    """The client leaves SessionEnd out while an async hook is running; Stop came before."""
    desk = Desk(tmp_path, model)
    slow = {"type": "command", "command": "sleep", "args": ["5"], "async": True}
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [slow]}]}}))
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")

    claude.session(desk, "Fix the cart [[say The rounding of the cart is fixed, all is well.]]")

    eventually(lambda: desk.notes(type="episodic"))


def test_a_second_machine_gets_the_notes(story: Story, tmp_path: Path) -> None:
    story.desk.anamnesis("sync")
    remote = story.desk.home.parent / "shared.git"
    laptop = Desk(tmp_path, story.desk.model, name="laptop")

    laptop.anamnesis("join", str(remote), "--yes", "--agents", "claude", "--machine-id", "laptop")
    story.desk.model.forget()
    claude.session(laptop, "Hello [[say Hello to you on the laptop, long enough.]]")

    assert f"{FACT}." in story.desk.model.said_to_it()
    assert len(laptop.anamnesis("status", "--fleet").splitlines()) == 2


def test_the_settings_are_again_what_they_were(tmp_path: Path, model: ScriptedModel) -> None:
    desk = Desk(tmp_path, model)
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    claude.session(desk, "Hello [[say Hello, before there is any memory.]]")
    servers = json.loads((desk.home / ".claude.json").read_text())

    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")
    claude.session(desk, "Hello [[say Hello, with the memory in place.]]")
    desk.anamnesis("uninstall", "--yes")

    assert settings.read_text() == SETTINGS
    assert sorted(path.name for path in settings.parent.glob("settings*")) == ["settings.json"]
    after = json.loads((desk.home / ".claude.json").read_text())
    assert after.get("mcpServers") == servers.get("mcpServers")
