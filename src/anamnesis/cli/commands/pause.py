"""Stop capturing and recalling on this machine, everywhere or in one project.

Nothing is deleted, and the tools of the MCP server still work. `anamnesis resume` ends the pause.
"""

from __future__ import annotations

import shlex
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
  anamnesis resume              ends the pause everywhere
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Pause or resume."""
    home, project = home_directory(), arguments.project_of(args.project)
    change = switches.resume if args.invoked_as == "resume" else switches.pause
    change(home, project=project)
    if args.json:
        paused = {"paused": switches.paused(home), "projects": switches.paused_projects(home)}
        output.say_json(paused)
    elif args.invoked_as == "resume":
        _tell_resumed(project)
    else:
        resume = shlex.join(["anamnesis", "resume", *(["--project", project] if project else [])])
        output.say(f"paused {project or 'everywhere'}; end it with:  {resume}")
    return 0


def _tell_resumed(project: str | None) -> None:
    output.say(f"resumed {project or 'everywhere'}")
    if still_paused := switches.paused_projects(home_directory()):
        output.say(f"still paused: {', '.join(still_paused)}")
