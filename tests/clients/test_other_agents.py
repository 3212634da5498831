"""The other agents: the server answers, memory goes in, a note comes out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from clients import others
from clients.desk import Desk, eventually
from clients.model import ScriptedModel

pytestmark = pytest.mark.client

PROJECT = "example.org/team/shop"
FACT = "The cart rounds half to even because the bank does"


@dataclass(frozen=True)
class Agent:
    name: str
    prepare: Callable[[Desk], None]
    run: Callable[[Desk, str], str]
    search: str  # how it calls our tool
    tool: str
    arguments: Callable[[Desk], dict[str, Any]]
    names_files: bool = True  # whether its transcript tells which files were edited


def _cart(desk: Desk) -> str:
    return str(desk.project / "cart.py")


AGENTS = [
    Agent(
        "codex", others.codex_settings, others.codex, "mcp__anamnesis/memory_search",
        "exec_command", lambda desk: {"cmd": "echo 1 > cart.py"}, names_files=False,
    ),
    Agent(
        "gemini", others.gemini_settings, others.gemini, "mcp_anamnesis_memory_search",
        "write_file", lambda desk: {"file_path": _cart(desk), "content": "1"},
    ),
    Agent(
        "opencode", others.opencode_settings, others.opencode, "anamnesis_memory_search",
        "write", lambda desk: {"filePath": _cart(desk), "content": "1"},
    ),
    Agent(
        "copilot", others.copilot_settings, others.copilot, "anamnesis-memory_search",
        "create", lambda desk: {"path": _cart(desk), "file_text": "1"},
    ),
]  # fmt: skip


@dataclass
class Story:
    agent: Agent
    desk: Desk
    sent: str
    results: list[str]


@pytest.fixture(scope="module", params=AGENTS, ids=lambda agent: str(agent.name))
def story(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    model: ScriptedModel,
) -> Story:
    """One session in a project of which something is known."""
    agent: Agent = request.param
    desk = Desk(tmp_path_factory.mktemp(agent.name), model)
    agent.prepare(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", agent.name)
    desk.anamnesis("write", FACT, "--project", PROJECT)
    model.forget()
    agent.run(
        desk,
        f"Fix the rounding of the cart [[{agent.search} {json.dumps({'query': 'cart'})}]]"
        f" [[{agent.tool} {json.dumps(agent.arguments(desk))}]]"
        " [[say The rounding of the cart is fixed and every test passes.]]",
    )
    sent, results = model.said_to_it(), list(model.results)
    eventually(lambda: desk.notes(type="episodic"))
    return Story(agent, desk, sent, results)


def test_the_server_answers_the_agent(story: Story) -> None:
    assert any(FACT in text for text in story.results)


def test_the_agent_is_given_what_is_known(story: Story) -> None:
    assert "Anamnesis memory (auto-injected)" in story.sent


def test_the_prompt_is_looked_up(story: Story) -> None:
    lines = (story.desk.store / "log" / "hooks.jsonl").read_text().splitlines()
    runs = [json.loads(line) for line in lines]

    assert any(run["hook"] == "recall-hook" and run["ok"] and run.get("session") for run in runs)


def test_the_session_becomes_one_note(story: Story) -> None:
    notes = story.desk.notes(type="episodic")

    assert [note["project"] for note in notes] == [PROJECT]
    assert "every test passes" in notes[0]["body"]
    assert ("cart.py" in notes[0]["body"].partition("**Files")[2]) == story.agent.names_files


def test_uninstalling_takes_us_out_of_the_configuration(story: Story) -> None:
    """The agents have edited their own files meanwhile; to the byte is tested without them."""
    story.desk.anamnesis("uninstall", "--yes")

    kinds = (".json", ".jsonc", ".toml", ".js")
    for path, data in story.desk.files().items():
        assert not (path.endswith(kinds) and b"bin/anamnesis" in data), path
