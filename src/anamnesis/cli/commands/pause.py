"""Stop remembering and recalling: everywhere, or in one project on this machine.

Nothing is deleted. The tools of the MCP server still answer what they are asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.hooks import switches

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis pause               everywhere, until `anamnesis resume`
  anamnesis pause --project .   only in the project of this directory
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)


def run(args: Namespace) -> int:
    """Switch off."""
    project = arguments.project_of(args.project)
    switches.pause(home_directory(), project=project)
    resume = f"anamnesis resume --project {project}" if project else "anamnesis resume"
    output.say(f"paused {project or 'everywhere'}; go on with:  {resume}")
    return 0
