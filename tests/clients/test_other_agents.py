"""The other agents: the server answers, memory goes in, a note comes out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clients import others
from clients.desk import Desk, eventually
from clients.model import ScriptedModel

pytestmark = pytest.mark.client

PROJECT = "example.org/team/shop"
FACT = "The cart rounds half to even because the bank does"
WHY = "Rule 42 of the bank's handbook says so."
# As long as a report of work is: a one-line answer without an edit is not worth a note, and Codex
# edits by its shell.
REPORT = (
    "The rounding of the cart is fixed and every test passes. Totals were rounded half up, so the"
    " sum of a cart with many positions could be off by a cent against the statement of the bank;"
    " they are rounded half to even now, in one place."
)
_NOTES_AT_START = 8


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


_CAREFUL: dict[str, Callable[[Desk, str], str]] = {  # nothing is allowed beforehand
    "codex": lambda desk, prompt: others.codex(
        desk, prompt, options=("-c", 'sandbox_mode="workspace-write"')
    ),
    "gemini": lambda desk, prompt: others.gemini(desk, prompt, options=()),
    "opencode": others.opencode,
    "copilot": lambda desk, prompt: others.copilot(desk, prompt, options=()),
}


@dataclass
class Story:
    agent: Agent
    desk: Desk
    sent: str
    first_request: str
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
    desk.anamnesis("write", WHY, "--title", FACT, "--project", PROJECT)
    for number in range(_NOTES_AT_START + 1):
        shelf = f"Shelf {number} is blue.\n\n" * 150
        desk.anamnesis("write", shelf, "--title", f"Shelf {number}", "--project", PROJECT)
    model.forget()
    agent.run(
        desk,
        f"Why does the cart round half to even? [[{agent.search} {json.dumps({'query': 'cart'})}]]"
        f" [[{agent.tool} {json.dumps(agent.arguments(desk))}]]"
        f" [[say {REPORT}]]",
    )
    sent, results = model.said_to_it(), list(model.results)
    first_request = json.dumps(model.requests[0])
    eventually(lambda: desk.notes(type="episodic"))
    return Story(agent, desk, sent, first_request, results)


def test_the_server_answers_the_agent(story: Story) -> None:
    assert any(FACT in text for text in story.results)


def test_the_agent_is_given_what_is_known(story: Story) -> None:
    assert "Anamnesis memory (auto-injected)" in story.sent


def test_the_prompt_brings_a_note_to_mind(story: Story) -> None:
    """The note is too old to be given at the start; before the search only its title was known."""
    assert WHY in story.first_request
    assert any(run["did"] == "1 note for a prompt" for run in story.desk.runs("recall-hook"))


def test_the_session_becomes_one_note(story: Story) -> None:
    notes = story.desk.notes(type="episodic")

    assert [note["project"] for note in notes] == [PROJECT]
    assert "every test passes" in notes[0]["body"]
    assert ("cart.py" in notes[0]["body"].partition("**Files")[2]) == story.agent.names_files


def asked_carefully(
    agent: Agent, place: Path, model: ScriptedModel, tool: str, **given: str
) -> Desk:
    """An agent that may do nothing by itself calls one of our tools."""
    desk = Desk(place, model)
    agent.prepare(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", agent.name)
    desk.anamnesis("write", FACT, "--project", PROJECT)
    model.forget()
    call = agent.search.replace("memory_search", tool)
    _CAREFUL[agent.name](desk, f"Look [[{call} {json.dumps(given)}]] [[say That is it.]]")
    return desk


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: str(agent.name))
def test_searching_needs_no_permission(agent: Agent, tmp_path: Path, model: ScriptedModel) -> None:
    asked_carefully(agent, tmp_path, model, "memory_search", query="cart")

    assert any(FACT in text for text in model.results)


# opencode asks for nothing unless it is told to.
@pytest.mark.parametrize(
    "agent",
    [agent for agent in AGENTS if agent.name != "opencode"],
    ids=lambda agent: str(agent.name),
)
def test_writing_does(agent: Agent, tmp_path: Path, model: ScriptedModel) -> None:
    given = {"type": "semantic", "title": "Written without a question", "body": "It was."}

    desk = asked_carefully(agent, tmp_path, model, "memory_write", **given)

    assert desk.notes(title=given["title"]) == []


_TRANSCRIPTS = {
    "codex": ".codex/sessions/*/*/*/rollout-*.jsonl",
    "gemini": ".gemini/tmp/*/chats/*.json*",
    "copilot": ".copilot/session-state/*/events.jsonl",
}
_HOOKS = {
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".copilot/hooks/anamnesis.json",
}
_WITH_TRANSCRIPTS = pytest.mark.parametrize(
    "agent",
    [agent for agent in AGENTS if agent.name in _TRANSCRIPTS],
    ids=lambda agent: str(agent.name),
)


def swept(agent: Agent, desk: Desk) -> list[dict[str, str]]:
    """The session notes after a session, an hour, and a sweep."""
    desk.anamnesis("capture", "--sweep")
    agent.run(desk, "Fix the cart [[say The rounding of the cart is fixed, and all is well.]]")
    desk.comes_to_rest()  # else its start is still looking for sessions when the hour has passed
    desk.an_hour_passes(*desk.home.glob(_TRANSCRIPTS[agent.name]))
    assert desk.notes(type="episodic") == []
    desk.anamnesis("capture", "--sweep")
    return desk.notes(type="episodic")


@_WITH_TRANSCRIPTS
def test_a_session_whose_end_no_hook_told_of_is_found(
    agent: Agent, tmp_path: Path, model: ScriptedModel
) -> None:
    """The hooks that capture are gone, as if every session were killed; its start is known."""
    desk = Desk(tmp_path, model)
    agent.prepare(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", agent.name)
    settings = desk.home / _HOOKS[agent.name]
    said = json.loads(settings.read_text())
    told = said["hooks"].items()
    said["hooks"] = {event: each for event, each in told if " capture" not in json.dumps(each)}
    settings.write_text(json.dumps(said))

    notes = swept(agent, desk)

    assert [note["project"] for note in notes] == [PROJECT]
    assert "all is well" in notes[0]["body"]


@_WITH_TRANSCRIPTS
def test_a_session_without_any_hook_is_counted_and_left_to_the_person(
    agent: Agent, tmp_path: Path, model: ScriptedModel
) -> None:
    desk = Desk(tmp_path, model)
    agent.prepare(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--no-hooks", "--agents", agent.name)

    assert swept(agent, desk) == []
    assert "anamnesis capture --backfill" in desk.anamnesis("status")

    desk.anamnesis("capture", "--backfill")
    assert [note["project"] for note in desk.notes(type="episodic")] == [PROJECT]


def test_uninstalling_takes_us_out_of_the_configuration(story: Story) -> None:
    """The agents have edited their own files meanwhile; to the byte is tested without them."""
    story.desk.anamnesis("uninstall", "--yes")

    kinds = (".json", ".jsonc", ".toml", ".js")
    for path, data in story.desk.files().items():
        assert not (path.endswith(kinds) and b"bin/anamnesis" in data), path


def test_codex_typed_by_hand(tmp_path: Path, model: ScriptedModel) -> None:
    desk = Desk(tmp_path, model)
    others.codex_settings(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "codex")
    desk.anamnesis("write", FACT, "--project", PROJECT)
    model.forget()
    terminal = others.codex_terminal(desk)

    terminal.type("Round the totals of the cart [[say The totals of the cart are rounded.]]")
    terminal.see("The totals of the cart are rounded.")
    eventually(lambda: desk.notes(type="episodic"))
    terminal.kill()

    [note] = desk.notes(type="episodic")
    assert note["project"] == PROJECT
    assert "The totals of the cart are rounded." in note["body"]
    assert FACT in json.dumps(model.requests)


def test_opencode_typed_by_hand(tmp_path: Path, model: ScriptedModel) -> None:
    desk = Desk(tmp_path, model)
    others.opencode_settings(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "opencode")
    desk.anamnesis("write", FACT, "--project", PROJECT)
    model.forget()

    with others.opencode_screen(desk) as screen:
        screen.type("Round the totals of the cart [[say The totals of the cart are rounded.]]")
        eventually(lambda: "The totals of the cart are rounded." in model.spoken, seconds=300)
        eventually(lambda: desk.notes(type="episodic"))

    [note] = desk.notes(type="episodic")
    assert note["project"] == PROJECT
    assert "The totals of the cart are rounded." in note["body"]
    assert FACT in json.dumps(model.requests)
