"""A person's home with the files of every agent, set up and left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.config import Home
from anamnesis.onboard import planning_setup
from anamnesis.onboard.agents import AGENTS
from anamnesis.onboard.planning_setup import Wishes

if TYPE_CHECKING:
    from pathlib import Path

EVERY_AGENT = ",".join(AGENTS)
# As people have them: other hooks, other servers, unusual but valid formatting.
PERSONAL = {
    ".claude/settings.json": '{"env":{"A":"1"},"hooks":{"SessionStart":[{"hooks":[]}]}}',
    ".claude.json": '{\n\t"numStartups": 3,\n\t"mcpServers": {}\n}\n',
    ".codex/config.toml": '# mine\nmodel = "x"\n[tui]\ntheme = "dark"',
    ".codex/hooks.json": '{ "hooks" : { "Stop" : [ ] } }\r\n',
    ".gemini/settings.json": '{\n  // a comment\n  "theme": "x",\n}\n',
    ".config/opencode/opencode.json": '{"$schema":"https://opencode.ai/config.json"}',
    ".copilot/mcp-config.json": '{\n    "mcpServers": {\n        "other": {"url": "x"}\n    }\n}',
    ".cursor/mcp.json": "",
    ".config/Code/User/mcp.json": '{\n  "servers": {} // none yet\n}',
}


def move_in(home: Path) -> None:
    """Fill a home with what a person has before us."""
    for name, text in PERSONAL.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())


def files(home: Path) -> dict[str, bytes]:
    """Every file outside of the store."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and ".anamnesis" not in path.parts
    }


def folders(home: Path) -> set[str]:
    """Every directory outside of the store."""
    found = (path.relative_to(home) for path in home.rglob("*") if path.is_dir())
    return {str(path) for path in found if ".anamnesis" not in path.parts}


def set_up(root: Path, **more: object) -> None:
    """Set all agents up, as `anamnesis init` does."""
    fields = {"agents": EVERY_AGENT, "machine_id": "desk", "install_id": "0123", **more}
    wishes = Wishes(**fields)  # type: ignore[arg-type]
    planning_setup.carry_out(planning_setup.prepared(Home(root), wishes), wishes)
