"""Check the notes that a repository carries in .anamnesis/memory; for CI and before a commit.

Reports unreadable notes, secrets, ids that two files have, and blocks in AGENTS.md and its like
that are out of date. Needs no store, no home directory and no network. Exits 1 if there is anything
to mend.
"""

from __future__ import annotations

from dataclasses import asdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from anamnesis.cli import output
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.operations.repository.check import check

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.repository.check import Checked, Problem

EXAMPLES = """\
examples:
  anamnesis check                      # the repository of this directory
  anamnesis check ~/code/shop --json
  anamnesis check --since origin/main  # also notes whose code this branch changes
  anamnesis check --format github      # annotations in a pull request
  anamnesis check --format gitlab > gl-code-quality-report.json
"""
_FORMATS = ("text", "json", "github", "gitlab")
_OF_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_OF_PROPERTIES = {**_OF_DATA, ":": "%3A", ",": "%2C"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("directory", nargs="?", default=".", help="default: the current one")
    parser.add_argument(
        "--since", metavar="BASE", default="",
        help="also name notes whose code changed since this branch or commit was left",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=_FORMATS, default="text",
        help="text, JSON, workflow commands for GitHub, or a code quality report for GitLab",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="print JSON"
    )


def run(args: Namespace) -> int:
    """Print what there is to mend."""
    checked = check(args.directory, since=args.since)
    if args.format == "json":
        output.say_json(asdict(checked))
    elif args.format == "gitlab":
        output.say_json([_for_gitlab(problem) for problem in checked.problems])
    else:
        say = _for_github if args.format == "github" else _as_text
        for problem in checked.problems:
            output.say(say(problem))
    if args.format in ("text", "github"):
        output.talk(_summary(checked))
    return EXIT_FAILED if checked.problems else 0


def _summary(checked: Checked) -> str:
    problems = counted(len(checked.problems), "problem") if checked.problems else "nothing to mend"
    return f"{counted(checked.notes, 'note')} checked: {problems}"


def _as_text(problem: Problem) -> str:
    return f"{problem.path}:{problem.line}: {problem.kind}: {problem.sentence}"


def _for_github(problem: Problem) -> str:
    path, title = (_escaped(text, _OF_PROPERTIES) for text in (problem.path, problem.kind))
    where = f"file={path},line={problem.line},title=Anamnesis%3A {title}"
    return f"::error {where}::{_escaped(problem.sentence, _OF_DATA)}"


def _for_gitlab(problem: Problem) -> dict[str, object]:
    of = f"{problem.path}\0{problem.kind}\0{problem.sentence}"
    return {
        "description": problem.sentence,
        "check_name": f"anamnesis {problem.kind}",
        "fingerprint": blake2b(of.encode("utf-8", "replace"), digest_size=16).hexdigest(),
        "severity": "critical" if problem.kind == "secret" else "major",
        "location": {"path": problem.path, "lines": {"begin": problem.line}},
    }


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)
