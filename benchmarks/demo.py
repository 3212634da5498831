"""`make demo`: the main job on a throw-away store, with the real command."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = Path(sys.executable).with_name("anamnesis")


class Machine:
    """A store and the command that works on it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str, stdin: str = "", **environment: str) -> str:
        """Run one command, show it and what it printed, and give its output."""
        print(f"\n$ anamnesis {' '.join(_quoted(word) for word in arguments)}")
        finished = subprocess.run(
            [str(COMMAND), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "ANAMNESIS_HOME": str(self.root), **environment},
        )
        for line in (finished.stdout + finished.stderr).splitlines():
            print(f"  {line}")
        if finished.returncode != 0:
            sys.exit(f"demo: the command failed with exit code {finished.returncode}")
        return finished.stdout.strip()


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word


def say(text: str) -> None:
    print(f"\n# {text}")


def notes_and_index(machine: Machine) -> None:
    """Write, edit, search, break and rebuild."""
    say("A note is one markdown file.")
    first = machine.run(
        "write", "The staging database needs the VPN; without it the connection hangs.",
        "--title", "Staging database needs the VPN", "--tags", "staging,vpn",
    )  # fmt: skip
    machine.run(
        "write", "Run make release, then tag. CI publishes the wheel from the tag.",
        "--type", "procedural", "--title", "How to release", "--project", "github.com/team/app",
    )  # fmt: skip
    machine.run("show", first)

    say("Questions in plain words find it.")
    machine.run("search", "why does my connection to the staging database hang?")

    say("Edit it with any editor; a corrected fact can replace an old one.")
    machine.run("edit", first, EDITOR="sed -i s/hangs/times.out/")
    machine.run("write", "Staging is reachable without the VPN since May.", "--supersedes", first)
    machine.run("search", "staging VPN")

    say("The index is derived: destroy it, put rubbish beside the notes, and go on.")
    (machine.root / "index.db").write_bytes(b"rubbish " * 500)
    (machine.root / "memory" / "semantic" / "broken.md").write_text("no front matter here")
    machine.run("search", "how do I release?")
    machine.run("status")
    machine.run("reindex")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="anamnesis-demo-") as directory:
        notes_and_index(Machine(Path(directory) / "laptop"))
    say("Done. The throw-away store is gone again.")


if __name__ == "__main__":
    main()
