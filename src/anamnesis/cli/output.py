"""How commands speak: data to stdout, talk to stderr, JSON where it is asked for."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anamnesis.ground.errors import AnamnesisError
    from anamnesis.notes.note import Memory


def say(text: str) -> None:
    """Print data."""
    sys.stdout.write(f"{text}\n")


def talk(text: str) -> None:
    """Tell the person something that is not data."""
    sys.stderr.write(f"{text}\n")


def complain(command: str, error: AnamnesisError) -> None:
    """Tell what went wrong and what to do."""
    talk(f"{command}: {error.message}")
    if error.hint:
        talk(error.hint)


def say_json(value: object) -> None:
    """Print data for a program."""
    say(json.dumps(value, ensure_ascii=False, indent=2))


def note_line(note: Memory) -> str:
    """One note on one line."""
    title = " ".join(note.title.split())
    return f"{note.id}  {note.type:<10}  {note.updated_at[:10]}  {note.project}  {title}"


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
