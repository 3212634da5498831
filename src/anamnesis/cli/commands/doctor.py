"""Check every part and say how to put right what is not: exit code 1 if something failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED, AnamnesisError
from anamnesis.onboard import health
from anamnesis.operations.care import doctor

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.care.doctor import Finding

EXAMPLES = """\
examples:
  anamnesis doctor
  anamnesis doctor --fix        put right what can be put right safely, then look again
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--fix", action="store_true", help="put right what is safe to change")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print what was found."""
    home = home_directory()
    found = _examined(home)
    if args.fix and _fixed(found):
        found = _examined(home)
    if args.json:
        output.say_json([_as_json(finding) for finding in found])
    else:
        _print(found)
    return EXIT_FAILED if any(finding.state == doctor.BAD for finding in found) else 0


def _examined(home: str) -> list[Finding]:
    found = list(doctor.examined(home))
    try:
        found += health.examined(home)
    except AnamnesisError as error:
        found.append(doctor.Finding("agents", doctor.BAD, error.message, error.hint))
    return found


def _fixed(found: list[Finding]) -> int:
    number = 0
    for finding in found:
        if finding.fix is not None:
            try:
                finding.fix()
            except AnamnesisError as error:
                output.complain("doctor", error)
                continue
            output.talk(f"doctor: put right: {finding.part}: {finding.said}")
            number += 1
    return number


def _print(found: list[Finding]) -> None:
    width = max(len(finding.part) for finding in found)
    for finding in found:
        output.say(f"{finding.state:<8} {finding.part:<{width}}  {finding.said}")
        if finding.remedy and finding.state != doctor.GOOD:
            output.say(f"{'':<8} {'':<{width}}  -> {finding.remedy}")
    bad = sum(finding.state == doctor.BAD for finding in found)
    warnings = sum(finding.state == doctor.WARNING for finding in found)
    output.talk(
        f"{counted(len(found), 'part')} looked at, {bad} failed, {counted(warnings, 'warning')}"
    )


def _as_json(finding: Finding) -> dict[str, object]:
    return {
        "part": finding.part,
        "state": finding.state,
        "said": finding.said,
        "remedy": finding.remedy,
        "fixable": finding.fix is not None,
    }
