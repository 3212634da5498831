"""A long session is compacted by the client; the memory is there again afterwards.

Claude Code is in test_claude_code.py and, typed by hand, in test_claude_code_interactive.py.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from clients import others
from clients.desk import Desk, eventually
from clients.model import ScriptedModel
from clients.terminal import Terminal

pytestmark = pytest.mark.client

FACT = "The cart rounds half to even because the bank does"
_LONG = "and look at every part of the cart while you are there, " * 8


def prepared(place: Path, model: ScriptedModel, agent: str) -> Desk:
    """A desk with one agent and one note."""
    desk = Desk(place, model)
    getattr(others, f"{agent}_settings")(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", agent)
    desk.anamnesis("write", FACT, "--project", "example.org/team/shop")
    model.forget()
    return desk


def asked_for_a_summary(model: ScriptedModel, words: str) -> bool:
    return any(words in json.dumps(body) for _, body in model.requests)


def says(desk: Desk, terminal: Terminal, number: int) -> None:
    answer = f"Answer {number} is given."
    before = len(desk.runs("capture"))
    terminal.type(f"Step {number}, {_LONG} [[say {answer}]]")
    eventually(lambda: answer in desk.model.spoken and len(desk.runs("capture")) > before)


def after_compaction(desk: Desk, terminal: Terminal, command: str, *, done: str) -> str:
    """Three turns, the client's own command, and what the model is given with the next prompt."""
    for number in range(3):
        desk.model.tokens = 50_000
        says(desk, terminal, number)
    time.sleep(1)  # a command is refused while the turn is still ending
    terminal.type(command)
    terminal.see(done)
    eventually(lambda: list((desk.store / "spool").glob("again-*")))
    requests = len(desk.model.requests)
    says(desk, terminal, 9)
    terminal.kill()
    return json.dumps(desk.model.requests[requests:])


def test_codex(tmp_path: Path, model: ScriptedModel) -> None:
    desk = prepared(tmp_path, model, "codex")
    settings = desk.home / ".codex" / "config.toml"
    settings.write_text(f"model_auto_compact_token_limit = 2000\n{settings.read_text()}")
    model.tokens = 5_000

    others.codex(desk, 'Fix it [[exec_command {"cmd": "echo 1"}]] [[say The cart is fixed.]]')

    assert asked_for_a_summary(model, "CONTEXT CHECKPOINT COMPACTION")
    assert FACT in json.dumps(model.requests[-1])


def test_opencode(tmp_path: Path, model: ScriptedModel) -> None:
    desk = prepared(tmp_path, model, "opencode")
    model.tokens = 99_000

    others.opencode(desk, 'Fix it [[bash {"command": "echo 1", "description": "x"}]] [[say Done.]]')

    assert asked_for_a_summary(model, "context summarization agent")
    assert FACT in json.dumps(model.requests[-1])


def test_gemini_after_its_command(tmp_path: Path, model: ScriptedModel) -> None:
    desk = prepared(tmp_path, model, "gemini")
    terminal = others.gemini_terminal(desk)

    given = after_compaction(desk, terminal, "/compress", done="Chat history compressed")

    assert asked_for_a_summary(model, "distilling chat history")
    assert given.count("Anamnesis memory (auto-injected)") == 1
    assert FACT in given


def test_copilot(tmp_path: Path, model: ScriptedModel) -> None:
    desk = prepared(tmp_path, model, "copilot")
    terminal = others.copilot_terminal(desk)

    given = after_compaction(desk, terminal, "/compact", done="Compacting conversation history")

    assert asked_for_a_summary(model, "create a detailed summary of the conversation")
    assert given.count("Anamnesis memory (auto-injected)") == 1
    assert FACT in given
