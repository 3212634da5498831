"""Asking a person on the terminal, and refusing to guess when nobody is there."""

from __future__ import annotations

import sys

from anamnesis.ground.errors import InvalidInput


def confirmed(question: str, *, yes: bool) -> bool:
    """Whether a person agrees; without a terminal only `--yes` does."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInput(
            "Cannot ask for confirmation: not a terminal.", hint="Do it without asking:  --yes"
        )
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def one_key(question: str, keys: str) -> str:
    """The key that a person pressed, one of some; `q` at the end of input."""
    while True:
        sys.stderr.write(question)
        sys.stderr.flush()
        pressed = _pressed()
        sys.stderr.write(f"{pressed}\n")
        if not pressed or pressed == "\x03":
            return "q"
        if pressed.lower() in keys:
            return pressed.lower()


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
