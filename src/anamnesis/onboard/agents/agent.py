"""What every agent has in common."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from anamnesis.config import Home
    from anamnesis.onboard.edits import Edit

Place = tuple[tuple[str, str], ...]
# One user may have several profiles of an agent, each set up on its own.
_MOVING = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "APPDATA")
READING_TOOLS = ("memory_search", "memory_list", "memory_status")


@dataclass(frozen=True, slots=True)
class Setup:
    """What is to be set up on this machine."""

    command: tuple[str, ...]  # how an agent calls Anamnesis
    user_home: str
    home: Home  # the store that it is set up for
    name: str = "anamnesis"  # of the MCP server
    mcp: bool = True
    hooks: bool = True
    env: Mapping[str, str] = field(default_factory=dict)  # what the command needs besides
    variables: Mapping[str, str] = field(default_factory=dict)  # the environment of the user
    earlier: tuple[tuple[str, ...], ...] = ()  # commands of earlier set-ups, to be recognised
    former: tuple[str, ...] = ()  # names that the server had in earlier set-ups

    def directory(self, variable: str, usual: str) -> str:
        """A configuration directory: from a variable, else the usual place."""
        return self.variables.get(variable) or os.path.join(self.user_home, *usual.split("/"))

    @property
    def place(self) -> Place:
        """The variables that move the agents' directories, those that are set."""
        return tuple((name, self.variables[name]) for name in _MOVING if self.variables.get(name))

    def moved_to(self, place: Place) -> Setup:
        """The same set-up with the agents' directories where they were for another one."""
        others = {name: value for name, value in self.variables.items() if name not in _MOVING}
        return replace(self, variables={**others, **dict(place)})

    @property
    def server(self) -> dict[str, Any]:
        """The MCP server as most agents configure it."""
        env = {"env": dict(self.env)} if self.env else {}
        return {"command": self.command[0], "args": [*self.command[1:], "serve"], **env}

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the MCP server, then those that it had before."""
        return (self.name, *self.former)

    @property
    def bases(self) -> tuple[tuple[str, ...], ...]:
        """Every command line that starts Anamnesis."""
        return (self.command, *self.earlier)


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent: whether it is here, and the files to edit."""

    name: str
    title: str
    is_here: Callable[[Setup], bool]
    edits: Callable[[Setup], list[Edit]]
    afterwards: str = ""  # a hint shown after the set-up


def is_installed(setup: Setup, program: str, directory: str) -> bool:
    """Whether an agent's directory exists or it is on PATH."""
    path = setup.variables.get("PATH")
    return os.path.isdir(directory) or (
        path is not None and shutil.which(program, path=path) is not None
    )
