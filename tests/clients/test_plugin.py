"""The Claude Code plugin: valid, installable, working, and never beside init's hooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clients import claude
from clients.desk import REPOSITORY, Desk, eventually
from clients.model import ScriptedModel

pytestmark = pytest.mark.client

FACT = "The cart rounds half to even because the bank does"


@pytest.fixture
def desk(tmp_path: Path, model: ScriptedModel) -> Desk:
    prepared = Desk(tmp_path, model)
    claude.command(prepared, "plugin", "marketplace", "add", str(REPOSITORY))
    claude.command(prepared, "plugin", "install", "anamnesis@anamnesis")
    return prepared


@pytest.mark.parametrize("part", ["plugin/.claude-plugin/plugin", ".claude-plugin/marketplace"])
def test_the_plugin_is_valid(tmp_path: Path, model: ScriptedModel, part: str) -> None:
    manifest = f"{REPOSITORY}/{part}.json"

    printed = claude.command(Desk(tmp_path, model), "plugin", "validate", "--strict", manifest)

    assert "Validation passed" in printed


def test_the_plugin_alone_injects_answers_and_captures_from_the_first_session_on(
    desk: Desk,
) -> None:
    desk.anamnesis("write", FACT, "--project", "example.org/team/shop")
    rule = {"file_path": str(desk.project / "ROUNDING.md"), "content": "Half to even."}
    desk.model.forget()

    claude.session(
        desk,
        "How does the cart round its prices, and for what reason was that decided?"
        ' [[mcp__plugin_anamnesis_anamnesis__memory_search {"query": "cart"}]]'
        f" [[Write {json.dumps(rule)}]]"  # a session that only asks us leaves no note
        " [[say The cart rounds half to even, and that is all there is to say.]]",
        *(
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "mcp__plugin_anamnesis_anamnesis__memory_search",
        ),
    )

    assert "Anamnesis memory (auto-injected)" in desk.model.said_to_it()
    assert any(FACT in text for text in desk.model.results)
    eventually(lambda: desk.notes(type="episodic"))


def test_the_server_of_the_plugin_answers_when_a_file_is_read(desk: Desk) -> None:
    desk.anamnesis("config", "set", "moment_start", "0")  # else it is known from the start
    shop = ("--project", "example.org/team/shop")
    desk.anamnesis("write", "`till.py` rounds down, by law.", "--title", "Rounding", *shop)
    (desk.project / "till.py").write_text("price = 1\n")
    read = json.dumps({"file_path": str(desk.project / "till.py")})
    desk.model.forget()

    claude.session(desk, f"Look [[Read {read}]] [[say Seen, all of it.]]", "--allowedTools", "Read")

    assert "Anamnesis: notes about till.py" in desk.model.said_to_it()


def test_hooks_of_init_and_of_the_plugin_do_not_both_run(desk: Desk) -> None:
    """The plugin came first; init notices. A plugin that comes later notices init."""
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")
    claude.session(desk, "Hello [[say Hello to you, and a good day it is.]]")
    assert len(desk.runs("inject")) == 1

    claude.command(desk, "plugin", "disable", "anamnesis@anamnesis")
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")
    claude.command(desk, "plugin", "enable", "anamnesis@anamnesis")
    claude.session(desk, "Hello [[say Hello again, it is still a good day.]]")
    assert len(desk.runs("inject")) == 2
