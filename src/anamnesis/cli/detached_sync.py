"""`sync --detach` before anything is loaded: every session start waits for it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def sync(arguments: Sequence[str]) -> int | None:
    """Start a sync in the background; None if there are options that this does not know."""
    handed_on = [option for option in arguments if option != "--detach"]
    if any(not _is_plain(option) for option in handed_on):
        return None
    from anamnesis.hooks import background

    background.start(["sync", *handed_on])
    sys.stderr.write("sync: started in the background; see:  anamnesis status\n")
    return 0


def _is_plain(option: str) -> bool:
    if option == "--accept-deletions":
        return True
    name, _, seconds = option.partition("=")
    try:
        return name == "--timeout" and float(seconds) > 0
    except ValueError:
        return False
