"""A machine of its own, and the commands typed there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("anamnesis")


def say(text: str) -> None:
    """Tell what comes next."""
    print(f"\n# {text}", flush=True)


class Terminal:
    """One machine: its name, its store, its home directory."""

    def __init__(self, name: str, base: Path) -> None:
        self.name = name
        self.user = base / name
        self.home = self.user / ".anamnesis"
        self.user.mkdir(parents=True)

    def environment(self) -> dict[str, str]:
        """Nothing of the person who runs the demo, but for the path."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("ANAMNESIS_")}
        own = {"HOME": self.user, "ANAMNESIS_HOME": self.home, "ANAMNESIS_MACHINE_ID": self.name}
        return {**kept, **{key: str(value) for key, value in own.items()}}

    def run(
        self, *arguments: str, expect: int = 0, says: str = "", stdin: str = "", **environment: str
    ) -> str:
        """Run one command, show it and what it printed, and give its output.

        A demo that shows something else than it tells ends: `says` is what must be printed.
        """
        shown = " ".join(f'"{word}"' if " " in word else word for word in arguments)
        print(f"\n{self.name}$ anamnesis {shown}{' < payload.json' if stdin else ''}", flush=True)
        finished = subprocess.run(
            [str(COMMAND), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env={**self.environment(), **environment},
        )
        for line in (finished.stdout + finished.stderr).splitlines():
            print(f"  {line}", flush=True)
        if finished.returncode != expect:
            sys.exit(f"demo: exit code {finished.returncode} instead of {expect}")
        if says not in finished.stdout:
            sys.exit(f"demo: {says!r} was not printed")
        return finished.stdout.strip()

    def edit(self, note_id: str, old: str, new: str) -> None:
        """Change a note's file as an editor would."""
        path = self.home / "memory" / "semantic" / f"{note_id}.md"
        path.write_text(path.read_text().replace(old, new))
        print(f"\n{self.name}$ $EDITOR {note_id}.md        # {old!r} becomes {new!r}")

    def files(self) -> dict[str, bytes]:
        """Every travelling note."""
        return {path.name: path.read_bytes() for path in (self.home / "memory").glob("*/*.md")}
