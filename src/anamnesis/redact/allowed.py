"""The values that a person declared harmless, in `<home>/redact-allow.txt`, one per line."""

from __future__ import annotations

import os
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.ground.home import Home

FILE_NAME = "redact-allow.txt"


def allow_list(home: Home) -> tuple[str, ...]:
    """The allowed values: whole values only, so that a line cannot open a door by accident.

    The file is read again only when it changed.
    """
    path = os.path.join(home, FILE_NAME)
    try:
        found = os.stat(path)
        return _read(path, (found.st_mtime_ns, found.st_size, found.st_ino))
    except OSError:
        return ()


@lru_cache(maxsize=4)
def _read(path: str, _stamp: tuple[int, int, int]) -> tuple[str, ...]:
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        lines = [line.strip() for line in file]
    return tuple(line for line in lines if line and not line.startswith("#"))


def secrets_stay_here(home: Home) -> Callable[[str, bytes], str]:
    """A check of files that are about to be committed: why one must stay here, or nothing."""

    def objection(_path: str, content: bytes) -> str:
        from anamnesis.redact import findings  # the package that this module belongs to

        found = findings(content.decode("utf-8", "replace"), allow=allow_list(home))
        if not found:
            return ""
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in found))
        return f"it seems to hold a secret ({kinds}); remove it, or allow it in {FILE_NAME}"

    return objection
