"""Remember and recall again, after `anamnesis pause`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.hooks import switches

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)


def run(args: Namespace) -> int:
    """Switch on."""
    home = home_directory()
    project = arguments.project_of(args.project)
    switches.resume(home, project=project)
    output.say(f"resumed {project or 'everywhere'}")
    still = switches.paused_projects(home)
    if still:
        output.say(f"still paused: {', '.join(still)}")
    return 0
