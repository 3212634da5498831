"""Check everything and say how to fix what is wrong: exit code 1 if a check failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, findings, output
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED, AnamnesisError
from anamnesis.onboard import health
from anamnesis.operations.care.checks import FAILED, WARNING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from anamnesis.operations.care.checks import Finding

EXAMPLES = """\
examples:
  anamnesis doctor
  anamnesis doctor --fix        fix what can be fixed safely, then check again
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--fix", action="store_true", help="fix what is safe to change")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print what was found."""
    home = home_directory()
    found = health.doctor(home)
    if args.fix and _fixed(found):
        found = health.doctor(home)
    if args.json:
        output.say_json([_as_json(finding) for finding in found])
    else:
        _print(found)
    return EXIT_FAILED if any(finding.severity == FAILED for finding in found) else 0


def _fixed(found: Sequence[Finding]) -> int:
    number = 0
    for finding in found:
        if finding.fix is not None:
            try:
                finding.fix()
            except AnamnesisError as error:
                output.complain("doctor", error)
                continue
            output.talk(f"doctor: fixed: {finding.name}: {finding.sentence}")
            number += 1
    return number


def _print(found: Sequence[Finding]) -> None:
    findings.show(finding.as_dict() for finding in found)
    failed = sum(finding.severity == FAILED for finding in found)
    warnings = sum(finding.severity == WARNING for finding in found)
    output.talk(
        f"{counted(len(found), 'finding')}: {failed} failed, {counted(warnings, 'warning')}"
    )


def _as_json(finding: Finding) -> dict[str, object]:
    return {**finding.as_dict(), "fixable": finding.fix is not None}
