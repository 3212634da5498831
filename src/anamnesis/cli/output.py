"""How commands speak: data to stdout, talk to stderr, JSON where it is asked for."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from anamnesis.ground.errors import AnamnesisError
_SEVERITIES = {"ok": "green", "warning": "yellow", "failed": "red"}


def say(text: str) -> None:
    """Print data."""
    sys.stdout.write(f"{text}\n")


def talk(text: str) -> None:
    """Print something that is not data."""
    sys.stderr.write(f"{text}\n")


def complain(command: str, error: AnamnesisError) -> None:
    """Tell what went wrong and what to do."""
    talk(f"{command}: {error.message}")
    if error.hint:
        talk(error.hint)


def say_json(value: object) -> None:
    """Print data for a program."""
    say(json.dumps(value, ensure_ascii=False, indent=2))


def page(lines: Iterable[str], *, heading: str = "") -> None:
    """Print data, through $PAGER where it is longer than the terminal; nothing if there is none."""
    text = "\n".join([heading, *lines] if heading else lines)
    if not text:
        return
    if not sys.stdout.isatty() or text.count("\n") < os.get_terminal_size().lines:
        say(text)
        return
    from pydoc import pager

    os.environ.setdefault("LESS", "FRX")  # as git does: colours, and no pager for one screen
    pager(text)


def say_findings(findings: Iterable[Mapping[str, object]], *, within: str = "") -> None:
    """Print a line for each finding of a check, and its remedy unless that is what runs now."""
    from anamnesis.cli import tables

    rows = [{key: str(value) for key, value in finding.items()} for finding in findings]
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        severity = tables.painted(f"{row['severity']:<8}", _SEVERITIES.get(row["severity"], ""))
        head = f"{'':<8} {row['name']:<{width}}  "
        first, *rest = tables.wrapped(row["sentence"], indent=len(head))
        say(f"{severity}{head[8:]}{first}")
        for line in rest:
            say(f"{'':<{len(head)}}{line}")
        remedy = row["remedy"]
        is_here = bool(within) and remedy.partition(" #")[0] == within
        if remedy and row["severity"] != "ok" and not is_here:
            say(f"{'':<{len(head)}}-> {remedy}")


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on a terminal that something takes longer than a moment, and for how long already."""
    if not sys.stderr or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    import threading
    import time

    ended, begun = threading.Event(), time.monotonic()

    def show() -> None:
        while not ended.wait(1.0):
            sys.stderr.write(f"\r{what} … {time.monotonic() - begun:.0f} s ")
            sys.stderr.flush()

    clock = threading.Thread(target=show, daemon=True)
    clock.start()
    try:
        yield
    finally:
        ended.set()
        clock.join()
        if time.monotonic() - begun > 1:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


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
