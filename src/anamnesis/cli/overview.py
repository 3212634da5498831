"""What `anamnesis --help` says."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def text(commands: Mapping[str, str]) -> str:
    """The overview of all commands."""
    width = max(map(len, commands)) + 2
    lines = [f"  {name:<{width}}{what}" for name, what in commands.items()]
    return (
        "Anamnesis: memory for coding agents, as markdown files that travel with git.\n\n"
        "usage: anamnesis COMMAND [options]\n\n" + "\n".join(lines) + "\n\n"
        "  anamnesis COMMAND --help   options and examples of one command\n"
        "  anamnesis --version\n\n"
        "The store is ~/.anamnesis, or ANAMNESIS_HOME.\n"
    )


def unknown(name: str, commands: Mapping[str, str]) -> str:
    """What to say to a command that does not exist."""
    close = get_close_matches(name, commands, n=1)
    guess = f" Did you mean `anamnesis {close[0]}`?" if close else ""
    return f"anamnesis: there is no command {name!r}.{guess}\nSee:  anamnesis --help\n"
