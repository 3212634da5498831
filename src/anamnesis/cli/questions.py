"""Asking you at the terminal: yes or no, one key, a line, or a text in your editor."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anamnesis.ground import atomic, process
from anamnesis.ground.errors import AnamnesisError, InvalidInput, ToolMissing

if TYPE_CHECKING:
    from collections.abc import Iterator


class EditKept(AnamnesisError):
    """An edit could not be used; the edited text is kept in a file."""

    def __init__(self, cause: AnamnesisError, path: str) -> None:
        super().__init__(
            cause.message,
            hint=f"{cause.hint} Your text is kept in {path}".strip(),
            exit_code=cause.exit_code,
        )


def confirmed(question: str, *, yes: bool) -> bool:
    """Whether you agree; raises InvalidInput without a terminal, unless `yes`."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInput(
            "Cannot ask for confirmation: not a terminal.", hint="To skip the question, add:  --yes"
        )
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def line(question: str, default: str) -> str:
    """Your answer; the default without a terminal, or if you just press Enter."""
    if not sys.stdin or not sys.stdin.isatty():
        return default
    sys.stderr.write(f"{question}: ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:  # end of input is not a yes
        sys.stderr.write("\n")
        raise KeyboardInterrupt
    return answer.strip() or default


def secret(question: str) -> str:
    """A line that is not shown while it is typed; without a terminal, the first line of input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    import getpass

    return getpass.getpass(f"{question}: ").strip()


def one_key(question: str, keys: str) -> str:
    """The key that you pressed, one of `keys`; `q` at the end of input."""
    while True:
        sys.stderr.write(question)
        sys.stderr.flush()
        pressed = _pressed()
        sys.stderr.write(f"{pressed}\n")
        if pressed in ("", "\x03", "\x04"):  # Ctrl-C, Ctrl-D
            return "q"
        if pressed.lower() in keys:
            return pressed.lower()


@contextmanager
def edited(text: str) -> Iterator[str]:
    """A text as edited in $VISUAL or $EDITOR; its file is removed only after it was used.

    Raises InvalidInput if the editor fails, and EditKept if the result could not be used.
    """
    descriptor, path = tempfile.mkstemp(prefix="anamnesis-", suffix=".md")
    with open(descriptor, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
    try:
        _open_editor(path)
        yield _read(path)
    except AnamnesisError as error:
        if os.path.exists(path) and _read(path) != text:
            raise EditKept(error, path) from error
        atomic.remove(path)
        raise
    atomic.remove(path)


def _pressed() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()[:1] or ""
    try:
        import termios
        import tty
    except ImportError:  # Windows: a line will do
        return sys.stdin.readline().strip()[:1]
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _open_editor(path: str) -> None:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        code = process.interact([*process.words(editor), path])
    except ToolMissing:
        raise InvalidInput(
            f"Cannot start {editor}: it is not installed or not on PATH.",
            hint="Name another editor, for example:  export EDITOR=nano",
        ) from None
    if code != 0:
        raise InvalidInput(f"{editor} ended with exit code {code}; nothing was changed.")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        raise InvalidInput("The editor removed the file; nothing was changed.") from None
