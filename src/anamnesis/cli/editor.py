"""A text in the person's own editor; what they wrote is never lost on the way back."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anamnesis.ground import atomic, process
from anamnesis.ground.errors import AnamnesisError, InvalidInput

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


@contextmanager
def edited(text: str) -> Iterator[str]:
    """What $VISUAL or $EDITOR makes of a text; it stays in its file until it was used."""
    descriptor, path = tempfile.mkstemp(prefix="anamnesis-", suffix=".md")
    with open(descriptor, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
    try:
        _open(path)
        yield _read(path)
    except AnamnesisError as error:
        if os.path.exists(path) and _read(path) != text:
            raise EditKept(error, path) from error
        atomic.remove(path)
        raise
    atomic.remove(path)


def _open(path: str) -> None:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    code = process.interact([*process.words(editor), path])
    if code != 0:
        raise InvalidInput(f"{editor} ended with exit code {code}; nothing was changed.")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        raise InvalidInput("The editor left no file; nothing was changed.") from None
