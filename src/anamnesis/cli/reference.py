"""The reference page of all commands, made from their parsers."""

from __future__ import annotations

import os
import re
import sys

from anamnesis.cli import COMMANDS, command_parser


def page() -> str:
    """The text of docs/reference/cli.md."""
    # The width of a terminal would otherwise decide where lines break.
    before, os.environ["COLUMNS"] = os.environ.get("COLUMNS"), "80"
    try:
        sections = [_section(name, what) for name, what in COMMANDS.items()]
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return "# Commands\n\nMade from the commands' own help by `make docs`.\n" + "".join(sections)


def _section(name: str, what: str) -> str:
    help = re.sub(r"\x1b\[[0-9;]*m", "", command_parser(name).format_help())
    body = "\n".join(f"    {line}".rstrip() for line in help.strip().splitlines())
    return f"\n## {name}: {what}\n\n{body}\n"


if __name__ == "__main__":
    sys.stdout.write(page())
