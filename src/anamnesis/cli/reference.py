"""The overview, the reference page and the man page, generated from the commands' parsers."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

from anamnesis import __version__
from anamnesis.cli import COMMANDS, GROUPS, command_parser
from anamnesis.config import home_directory
from anamnesis.ground.errors import AnamnesisError

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOUT = "memory for coding agents, as markdown files synced with git"
EXIT_CODES = {
    "0": "done; being offline is not a failure, the next sync catches up",
    "1": "failed; the reason is on standard error",
    "2": "usage error",
    "3": "conflict to resolve",
    "4": "not set up",
    "5": "store busy; another process is using it, try again",
    "130": "interrupted",
}
_PLACES = {
    "~/.anamnesis": "the store; set ANAMNESIS_HOME to use another",
    "~/.anamnesis/memory": "the notes, one markdown file each, a git repository",
    "~/.anamnesis/config.json": "the settings of this machine",
}


def overview() -> str:
    """What `anamnesis --help` prints."""
    width = max(map(len, COMMANDS)) + 2
    parts = [f"Anamnesis: {ABOUT}.\n\nusage: anamnesis COMMAND [options]\n"]
    for heading, commands in GROUPS.items():
        lines = "".join(f"  {name:<{width}}{what}\n" for name, what in commands.items())
        parts.append(f"{heading}\n{lines}")
    named = ", ".join(f"{code} {what.partition(';')[0]}" for code, what in EXIT_CODES.items())
    codes = textwrap.fill(f"Exit codes: {named}.", 78, subsequent_indent="  ")
    parts.append(
        "  anamnesis COMMAND --help   options and examples of one command\n"
        "  anamnesis -V               version\n"
    )
    parts.append(f"{codes}\n\nThe store is ~/.anamnesis, or ANAMNESIS_HOME.\n")
    if not is_set_up():
        parts.append("Anamnesis is not set up here yet. Start with:  anamnesis init\n")
    return "\n".join(parts)


def is_set_up() -> bool:
    """Whether this machine has a store."""
    try:
        return os.path.isdir(home_directory())
    except AnamnesisError:  # no HOME
        return False


def unknown(name: str) -> str:
    """The message for a command that does not exist."""
    close = get_close_matches(name, COMMANDS, n=1)
    guess = f"Did you mean `anamnesis {close[0]}`?" if close else "See:  anamnesis --help"
    return f"anamnesis: unknown command {name!r}. {guess}\n"


def page() -> str:
    """The text of docs/reference/cli.md."""
    parts = ["# Commands\n\nGenerated from the commands' own help by `make docs`.\n"]
    with _eighty_columns():
        for heading, commands in GROUPS.items():
            parts.append(f"\n## {heading}\n")
            parts += [_section(name, what) for name, what in commands.items()]
    codes = "".join(f"| {code} | {what} |\n" for code, what in EXIT_CODES.items())
    parts.append(f"\n## Exit codes\n\n| code | meaning |\n|---|---|\n{codes}")
    return "".join(parts)


def man_page() -> str:
    """The manual page, in the language of man(7)."""
    parts = [
        f'.TH ANAMNESIS 1 "" "Anamnesis {__version__}" "Anamnesis"\n',
        f".SH NAME\nanamnesis \\- {ABOUT}\n",
        ".SH SYNOPSIS\n.B anamnesis\n.I COMMAND\n[options]\n",
    ]
    with _eighty_columns():
        for heading, commands in GROUPS.items():
            parts.append(f".SH {heading.upper()}\n")
            for name, what in commands.items():
                parts.append(f".SS anamnesis {_man(name)}\n{_man(what)}\n.PP\n.nf\n")
                parts.append(f"{_man(_help(name))}\n.fi\n")
    parts.append(".SH EXIT STATUS\n")
    parts += [f".TP\n{code}\n{_man(what)}\n" for code, what in EXIT_CODES.items()]
    parts.append(".SH FILES\n")
    parts += [f".TP\n.I {_man(path)}\n{_man(what)}\n" for path, what in _PLACES.items()]
    return "".join(parts)


def _man(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", escaped, flags=re.MULTILINE)


def _section(name: str, what: str) -> str:
    body = "\n".join(f"    {line}".rstrip() for line in _help(name).splitlines())
    return f"\n### {name}: {what}\n\n{body}\n"


def _help(name: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", command_parser(name).format_help()).strip()


@contextmanager
def _eighty_columns() -> Iterator[None]:
    # Otherwise the width of the terminal would decide where lines break.
    before, os.environ["COLUMNS"] = os.environ.get("COLUMNS"), "80"
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


if __name__ == "__main__":
    sys.stdout.write(man_page() if "--man" in sys.argv else page())
