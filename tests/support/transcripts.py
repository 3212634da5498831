"""Sessions at a terminal as tests: commands and what they print, in one readable file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.fleet import git
from support.pty import short_home, shown

FOLDER = Path(__file__).parents[1] / "transcripts"
REPOSITORY = FOLDER.parents[1]
# Pages whose indented commands are run as they stand.
PAGES = tuple(
    REPOSITORY / page
    for page in ("README.md", "docs/guides/first-hour.md", "docs/guides/scripting.md")
)
TRANSCRIPTS = (*sorted(FOLDER.glob("*.txt")), *PAGES)
_COLUMNS = 100
_INDENT = "    "
_END = "=== end of a command:"
_VALUES = {
    "id": r"[0-9A-HJKMNP-TV-Z]{26}",
    "short": r"\b[0-9A-HJKMNP-TV-Z]{5,8}\b",
    "date": r"\d{4}-\d\d-\d\d",
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00",
    "commit": r"\b[0-9a-f]{7}\b",
    "n": r"\d+",
    "path": r"\S+",
    "ago": r"(?:just now|\d+[mhd] ago)",
    "any": r".*",
}
# What a transcript may show as it was printed once: ids, times, and the room between columns.
_SAMPLE = re.compile(
    "|".join(f"(?P<{name}>{_VALUES[name]})" for name in ("id", "short", "time", "date", "ago"))
    + "| {2,}"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One command and what it must print."""

    line: int
    command: str
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command printed, with its exit code as a last line unless it succeeded."""

    step: Step
    printed: tuple[str, ...]

    @property
    def matches(self) -> bool:
        """Whether that is what the transcript says."""
        return matches(self.step.expected, self.printed)

    def __str__(self) -> str:
        wanted, got = ("\n".join(lines) for lines in (self.step.expected, self.printed))
        return f"line {self.step.line}: $ {self.step.command}\n-- expected\n{wanted}\n-- got\n{got}"


def steps(text: str) -> Iterator[Step]:
    """The commands of a transcript."""
    command, start, expected = "", 0, list[str]()
    blank = 0  # lines that belong to what was printed if more of it follows
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith(_INDENT):
            blank += 1
            if line.strip() and command:
                yield Step(start, command, tuple(expected))
                command = ""
            continue
        body = line.removeprefix(_INDENT)
        if body.startswith("$ "):
            if command:
                yield Step(start, command, tuple(expected))
            command, start, expected = body[2:], number, []
        elif (body == ">" or body.startswith("> ")) and not expected:
            command += f"\n{body[2:]}"
        else:
            expected += [*[""] * blank, body]
        blank = 0
    if command:
        yield Step(start, command, tuple(expected))


def run(path: Path, *, home: Path) -> list[Outcome]:
    """Run a transcript in one shell; the directory and variables of one command reach the next."""
    found = list(steps(path.read_text(encoding="utf-8")))
    if path in PAGES:
        git("init", "--quiet", "shop", cwd=home)
        git("remote", "add", "origin", "git@github.com:ada/shop.git", cwd=home / "shop")
    script = "".join(f"{{ {step.command}\n}} 2>&1\nprintf '\\n{_END}%s\\n' $?\n" for step in found)
    text, _ = shown(["bash", "-c", script], columns=_COLUMNS, env=_environment(home), cwd=home)
    parts = re.split(rf"\n?{_END}(\d+)\n", text.replace(str(home), "~"))
    printed, codes = parts[0::2], parts[1::2]
    return [
        Outcome(step, (*_lines(text), *(() if code == "0" else (f"[exit {code}]",))))
        for step, text, code in zip(found, printed, codes, strict=False)
    ]


def matches(expected: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether some lines are what a transcript expects, values and left-out lines considered."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else _pattern(line) for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _pattern(line: str) -> str:
    parts = re.split(rf"<({'|'.join(_VALUES)})>", line.rstrip())
    found = [_VALUES[part] if index % 2 else _literally(part) for index, part in enumerate(parts)]
    return "".join(found) + r"[ ]*\n"


def _literally(text: str) -> str:
    """A pattern for a text; ids, times and the like stand for any other of their kind."""
    pattern, end = "", 0
    for match in _SAMPLE.finditer(text):
        pattern += re.escape(text[end : match.start()])
        pattern += " {2,}" if match.lastgroup is None else _VALUES[match.lastgroup]
        end = match.end()
    return pattern + re.escape(text[end:])


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n") if text.strip("\n") else []


def _environment(home: Path) -> dict[str, str]:
    here = Path(sys.executable).parent
    return {
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "ANAMNESIS_MACHINE_ID": "laptop",
        "ANAMNESIS_SWEEP": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def rewritten(text: str, outcomes: Sequence[Outcome]) -> str:
    """The transcript with what was printed in place of what does not match."""
    lines = text.splitlines()
    for outcome in reversed(outcomes):
        if outcome.matches:
            continue
        first = outcome.step.line + outcome.step.command.count("\n")
        last = first + len(outcome.step.expected)
        lines[first:last] = [f"{_INDENT}{line}".rstrip() for line in outcome.printed]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write what the program prints now into every transcript."""
    for path in TRANSCRIPTS:
        with short_home() as home:
            outcomes = run(path, home=home)
        path.write_text(rewritten(path.read_text(encoding="utf-8"), outcomes), encoding="utf-8")


if __name__ == "__main__":
    main()
