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

    from anamnesis.config import Home

OPPOSITE = """
Start capturing and recalling again on this machine, everywhere or in one project.

Without --project it ends a pause everywhere; projects that were paused one by one stay paused.
"""
EXAMPLES = """\
examples:
  anamnesis pause               # everywhere, until `anamnesis resume`
  anamnesis pause --project .   # only in the project of this directory
  anamnesis resume              # end the pause everywhere
  anamnesis resume --project .  # end the pause of this project
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Pause or resume."""
    home, project = home_directory(), arguments.project_of(args.project)
    was_paused = switches.is_paused(home, project=project)
    change = switches.resume if args.invoked_as == "resume" else switches.pause
    change(home, project=project)
    if args.json:
        paused = {"paused": switches.paused(home), "projects": switches.paused_projects(home)}
        output.say_json(paused)
    elif args.invoked_as == "resume":
        _tell_resumed(home, project, was_paused=was_paused)
    else:
        resume = shlex.join(["anamnesis", "resume", *(["--project", project] if project else [])])
        output.say(f"paused {project or 'everywhere'}; end it with:  {resume}")
    return 0


def _tell_resumed(home: Home, project: str | None, *, was_paused: bool) -> None:
    if was_paused:
        output.say(f"resumed {project or 'everywhere'}")
    else:
        output.say(f"{project} was not paused" if project else "Anamnesis was not paused")
    if still_paused := switches.paused(home):
        output.say(f"still paused: {still_paused}")
