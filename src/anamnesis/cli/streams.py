"""Standard streams that never fail on a character, whatever the locale, and may be closed."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO


def prepare() -> None:
    """Let standard output and error take every text; one that is closed takes it nowhere."""
    sys.stdout = _able(sys.stdout)
    sys.stderr = _able(sys.stderr)


def decoded(arguments: Sequence[str]) -> list[str]:
    """Arguments as UTF-8, also where the locale is too poor to say so."""
    return [_decoded(argument) for argument in arguments]


def _decoded(argument: str) -> str:
    try:
        argument.encode()
    except UnicodeEncodeError:  # bytes that the locale has no characters for
        return os.fsencode(argument).decode("utf-8", "replace")
    return argument


def _able(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # until the end
    known = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
    if known != "utf8" and hasattr(stream, "reconfigure"):
        if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8")  # a file or a program: our data is UTF-8
    return stream
