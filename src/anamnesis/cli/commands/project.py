"""Show which project a directory belongs to, and allow a repository to name another one.

A file .anamnesis/project names the project of its directory. In a repository, somebody else may
have written it and named any project, to get its memory. There it counts once you have allowed it:
on this machine, for this repository, and for the project that it names now.
"""

from __future__ import annotations

from argparse import SUPPRESS
from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import arguments, output
from anamnesis.operations.machine import project
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis project                 # which project this directory belongs to, and why
  anamnesis project show ~/code/app --json
  anamnesis project allow           # let this repository have the memory that its file names
  anamnesis project allow --undo
"""
_SOURCES = {
    "marker": "its .anamnesis/project",
    "origin": "the origin of the repository",
    "repository": "the name of the repository",
    "directory": "the name of the directory",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)
    actions = parser.add_subparsers(
        dest="action", metavar="show|allow", help="what to do; default: show"
    )
    showing = actions.add_parser("show", help="show the project and where it comes from")
    allowing = actions.add_parser("allow", help="let the repository have the memory that it names")
    allowing.add_argument("--undo", action="store_true", help="no longer allow it")
    for action in (showing, allowing):
        action.add_argument("directory", nargs="?", default=".", help="default: the current one")
        # Without a default of its own, so that it does not override one given earlier.
        action.add_argument("--json", action="store_true", default=SUPPRESS, help="print JSON")
    parser.set_defaults(action="show", directory=".")


def run(args: Namespace) -> int:
    """Carry out one action."""
    if args.action == "allow":
        require_person("decide whose memory a repository gets")
        (project.withdraw if args.undo else project.allow)(config.home_directory(), args.directory)
    found = project.show(args.directory)
    if args.json:
        output.say_json(asdict(found))
    else:
        _say(found)
    return 0


def _say(found: project.ProjectOfDirectory) -> None:
    output.say(f"project     {found.key}")
    output.say(f"from        {_SOURCES[found.source]}")
    if found.repository:
        output.say(f"repository  {found.repository}")
    if found.marker:
        named = "".join(each if each.isprintable() else "?" for each in found.marker_key)
        output.say(f"marker      {found.marker}: {named}")
        output.say(f"consent     {found.consent}")
    if found.consent == project.WAITING:
        output.talk("to let this repository have that memory:  anamnesis project allow")
