"""The part of `make demo` with two machines: writing, clashing, resolving, converging."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

COMMAND = Path(sys.executable).with_name("anamnesis")
Say = Callable[[str], None]


class Terminal:
    """A machine of its own, and the command typed there."""

    def __init__(self, name: str, home: Path) -> None:
        self.name = name
        self.home = home

    def run(self, *arguments: str, expect: int = 0) -> str:
        """Run one command, show it and what it printed, and give its output."""
        shown = " ".join(f'"{word}"' if " " in word else word for word in arguments)
        print(f"\n{self.name}$ anamnesis {shown}")
        environment = {key: os.environ[key] for key in os.environ if key[:10] != "ANAMNESIS_"}
        finished = subprocess.run(
            [str(COMMAND), *arguments], capture_output=True, text=True, check=False,
            env={
                **environment, "ANAMNESIS_HOME": str(self.home), "ANAMNESIS_MACHINE_ID": self.name
            },
        )  # fmt: skip
        for line in (finished.stdout + finished.stderr).splitlines():
            print(f"  {line}")
        if finished.returncode != expect:
            sys.exit(f"demo: exit code {finished.returncode} instead of {expect}")
        return finished.stdout.strip()

    def edit(self, note_id: str, old: str, new: str) -> None:
        """Change a note's file as an editor would."""
        path = self.home / "memory" / "semantic" / f"{note_id}.md"
        path.write_text(path.read_text().replace(old, new))
        print(f"\n{self.name}$ $EDITOR {note_id}.md        # {old!r} becomes {new!r}")

    def files(self) -> dict[str, bytes]:
        """Every travelling note."""
        return {path.name: path.read_bytes() for path in (self.home / "memory").glob("*/*.md")}


def show(say: Say) -> None:
    """Show it on two throw-away machines; ends the program if something is not as it should."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-demo-") as directory:
        base = Path(directory)
        laptop, desk = Terminal("laptop", base / "laptop"), Terminal("desk", base / "desk")
        _begin(say, laptop, desk, str(base / "shared.git"))
        note_id = _merge(say, laptop, desk)
        _clash(say, laptop, desk, note_id)
        if laptop.files() != desk.files():
            sys.exit("demo: the machines differ")
        say(f"Both machines have the same {len(desk.files())} files, byte for byte.")


def _begin(say: Say, laptop: Terminal, desk: Terminal, shared: str) -> None:
    say("Two machines share a bare git repository: a path here, usually user@host:path.git.")
    laptop.run("remote", "--create", shared)
    desk.run("remote", "set", shared)


def _merge(say: Say, laptop: Terminal, desk: Terminal) -> str:
    say("What is written on one is on the other after a sync, and searchable there.")
    note_id = laptop.run(
        "write", "Deploys run on Fridays.\nAsk ops for the token.\nStaging first.",
        "--title", "How we deploy",
    )  # fmt: skip
    laptop.run("sync")
    desk.run("sync")
    desk.run("search", "when do we deploy?")

    say("Edits of different lines of one note are merged.")
    laptop.edit(note_id, "Fridays", "Mondays")
    desk.edit(note_id, "Staging first.", "Staging first, then production.")
    laptop.run("sync")
    desk.run("sync")
    desk.run("show", note_id)
    laptop.run("sync")
    return note_id


def _clash(say: Say, laptop: Terminal, desk: Terminal, note_id: str) -> None:
    say("Edits of the same line are held for you; everything else goes on.")
    laptop.edit(note_id, "Mondays", "Tuesdays")
    desk.edit(note_id, "Mondays", "Thursdays")
    laptop.run("sync")
    desk.run("write", "Another note, not concerned.")
    desk.run("sync", expect=3)
    desk.run("conflicts", "diff", note_id)

    say("Choose; here both texts are kept.")
    desk.run("conflicts", "resolve", note_id, "--both")
    desk.run("sync")
    laptop.run("sync")
    laptop.run("log", "--limit", "2")


if __name__ == "__main__":
    show(lambda text: print(f"\n# {text}"))
