"""How commands print: data to stdout, messages to stderr, JSON on request."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager

from anamnesis.text.display import displayed, escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from anamnesis.ground.errors import AnamnesisError
_PATIENCE = 0.5  # seconds before a bar: a shorter one only flickers
_SEVERITIES = {"ok": "green", "warning": "yellow", "failed": "red"}


def say(text: str) -> None:
    """Print data; nothing in it reaches the terminal as a command."""
    sys.stdout.write(f"{_shown(text)}\n")


def talk(text: str) -> None:
    """Print a message."""
    sys.stderr.write(f"{_shown(text)}\n")


def _shown(text: str) -> str:
    """A text whose control characters are pictures, apart from the colours of `tables.painted`."""
    tables = sys.modules.get("anamnesis.cli.tables")
    text = displayed(text)
    return text.replace(tables.ESCAPE, "\x1b[") if tables else text


def complain(command: str, error: AnamnesisError) -> None:
    """Print what went wrong and what to do."""
    talk(f"{command}: {error.message}")
    if error.hint:
        talk(error.hint)


def say_json(value: object) -> None:
    """Print data as JSON."""
    sys.stdout.write(escaped(json.dumps(value, ensure_ascii=False, indent=2)) + "\n")


def page(lines: Iterable[str], *, heading: str = "") -> None:
    """Print data, through $PAGER if it is longer than the terminal; prints nothing for no lines."""
    text = "\n".join([heading, *lines] if heading else lines)
    if not text:
        return
    if not sys.stdout.isatty() or text.count("\n") < os.get_terminal_size().lines:
        say(text)
        return
    from pydoc import pager

    os.environ.setdefault("LESS", "FRX")  # as git does: colours, and no pager for one screen
    pager(_shown(text))


def say_findings(findings: Iterable[Mapping[str, object]], *, within: str = "") -> None:
    """Print a line for each finding, and its remedy unless that is the command running now."""
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
    """Show on a terminal that something is taking a while, with the seconds so far."""
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
    """A progress bar on a terminal for work that takes longer than a moment; nothing elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    bar = _LateBar(what)
    try:
        yield bar.update
    finally:
        bar.stop()


class _LateBar:
    """A progress bar that appears only after a while, and loads what draws it only then."""

    def __init__(self, what: str) -> None:
        from threading import Timer

        self._what = what
        self._latest: tuple[int, int | None] = (0, None)
        self._draw: Callable[[], None] | None = None
        self._end: Callable[[], None] | None = None
        self._timer = Timer(_PATIENCE, self._start)
        self._timer.daemon = True
        self._timer.start()

    def update(self, done: int, total: int) -> None:
        self._latest = (done, total)
        if self._draw is not None:
            self._draw()

    def stop(self) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._end is not None:
            self._end()

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn(self._what), BarColumn(), MofNCompleteColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        task = bar.add_task(self._what, total=None)

        def draw() -> None:
            done, total = self._latest
            bar.update(task, completed=done, total=total)

        draw()
        bar.start()
        self._draw, self._end = draw, bar.stop
