"""Show the project of a directory, decide what its repository may do, join two names.

A file .anamnesis/project names the project of its directory. In a repository, somebody else may
have written it and named any project, to get its memory. There it counts once you have allowed it:
on this machine, for this repository, and for the project that it names now.

A repository that moved to another address has another key, and its notes stay under the former one.
An alias lets both be read as one project, on all your machines; no note is changed.

A repository may also carry notes, in .anamnesis/memory. They are the words of whoever writes to it;
sessions get them once you have trusted it, and a fork or another remote is asked about again.
"""

from __future__ import annotations

from argparse import SUPPRESS
from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import arguments, output, questions
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.machine import project
from anamnesis.operations.repository.trust import distrust, trust
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis project                 # which project this directory belongs to, and why
  anamnesis project show ~/code/app --json
  anamnesis project allow           # let this repository have the memory that its file names
  anamnesis project allow --undo
  anamnesis project alias           # it moved: let its memory go on here
  anamnesis project alias github.com/me/old-name
  anamnesis project alias github.com/me/old-name --undo
  anamnesis project trust           # let sessions here have the notes that the repository carries
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
        dest="action", metavar="show|allow|trust|alias", help="what to do; default: show"
    )
    showing = actions.add_parser("show", help="show the project and where it comes from")
    allowing = actions.add_parser("allow", help="let the repository have the memory that it names")
    allowing.add_argument("--undo", action="store_true", help="no longer allow it")
    naming = actions.add_parser("alias", help="let the memory of an earlier name go on here")
    naming.add_argument("earlier", nargs="?", help="that name; default: what it was called before")
    naming.add_argument("--undo", action="store_true", help="they are two projects again")
    trusting = actions.add_parser("trust", help="let sessions have the notes that it carries")
    trusting.add_argument("--undo", action="store_true", help="no longer let them")
    for action in (showing, allowing, trusting):
        action.add_argument("directory", nargs="?", default=".", help="default: the current one")
    for action in (showing, allowing, trusting, naming):
        # Without a default of its own, so that it does not override one given earlier.
        action.add_argument("--json", action="store_true", default=SUPPRESS, help="print JSON")
    parser.set_defaults(action="show", directory=".")


def run(args: Namespace) -> int:
    """Carry out one action."""
    if args.action == "allow":
        require_person("decide whose memory a repository gets")
        (project.withdraw if args.undo else project.allow)(config.home_directory(), args.directory)
    if args.action == "alias":
        require_person("join the memory of two projects")
        _name(args)
    if args.action == "trust":
        require_person("decide whose notes sessions get")
        _trust(args)
    found = project.show(config.home_directory(), args.directory)
    if args.json:
        output.say_json(asdict(found))
    else:
        _say(found)
    return 0


def _name(args: Namespace) -> None:
    """Join or part two names, after one question if neither was typed."""
    home = config.home_directory()
    if args.earlier:
        earlier = arguments.project_of(args.earlier) or ""
        (project.remove_name if args.undo else project.add_name)(home, args.directory, earlier)
        return
    waiting = project.show(home, args.directory).before
    if args.undo or not waiting:
        raise InvalidInput(
            "No earlier name of this repository is known.",
            hint="Name it:  anamnesis project alias KEY",
        )
    for earlier in waiting:
        if questions.confirmed(
            f"Let the memory of {earlier} go on here, on all machines?", yes=False
        ):
            project.add_name(home, args.directory, earlier)
        else:
            project.keep_apart(home, args.directory, earlier)


def _trust(args: Namespace) -> None:
    home = config.home_directory()
    if args.undo:
        distrust(home, args.directory)
        return
    notes = trust(home, args.directory)
    output.talk(f"sessions here get {counted(notes, 'note')} of this repository from now on")


def _say(found: project.ProjectOfDirectory) -> None:
    output.say(f"project     {found.key}")
    output.say(f"from        {_SOURCES[found.source]}")
    if found.also:
        output.say(f"also        {', '.join(found.also)}")
    if found.repository:
        output.say(f"repository  {found.repository}")
    if found.marker:
        named = "".join(each if each.isprintable() else "?" for each in found.marker_key)
        output.say(f"marker      {found.marker}: {named}")
        output.say(f"consent     {found.consent}")
    for earlier in found.before:
        output.talk(
            f"it was {earlier} before; to let that memory go on here:  anamnesis project alias"
        )
    if found.notes != project.NONE:
        output.say(f"notes       {found.notes}: .anamnesis/memory")
    if found.notes == project.NOT_TRUSTED:
        output.talk("to let sessions have the notes of this repository:  anamnesis project trust")
    if found.consent == project.WAITING:
        output.talk("to let this repository have that memory:  anamnesis project allow")
