"""Check everything and suggest fixes. Exits with 1 if a check failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.onboard import health
from anamnesis.operations.care.checks import FAILED, WARNING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from anamnesis.operations.care.checks import Finding

EXAMPLES = """\
examples:
  anamnesis doctor
  anamnesis doctor --fix        # fix what can be fixed safely, then check again
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--fix", action="store_true", help="fix what is safe to change")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the findings."""
    home = home_directory()
    findings = health.doctor(home)
    if args.fix and _fixed(findings):
        findings = health.doctor(home)
    if args.json:
        output.say_json([_as_json(finding) for finding in findings])
    else:
        _print(findings)
    return EXIT_FAILED if any(finding.severity == FAILED for finding in findings) else 0


def _fixed(findings: Sequence[Finding]) -> int:
    number = 0
    for finding, error in health.repaired(findings):
        if error is not None:
            output.complain("doctor", error)
            continue
        output.talk(f"doctor: fixed: {finding.name}: {finding.sentence}")
        number += 1
    return number


def _print(findings: Sequence[Finding]) -> None:
    output.say_findings(finding.as_dict() for finding in findings)
    failed = sum(finding.severity == FAILED for finding in findings)
    warnings = sum(finding.severity == WARNING for finding in findings)
    output.talk(
        f"{counted(len(findings), 'check')}: {failed} failed, {counted(warnings, 'warning')}"
    )


def _as_json(finding: Finding) -> dict[str, object]:
    return {**finding.as_dict(), "fixable": finding.fix is not None}
