"""What earlier versions left behind that nothing reads any more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anamnesis.config import Home

# Up to 1.0.0, notes were held for their wording; these files said which ones you had allowed,
# and which texts had been looked at.
_OF_WORDING = ("vouched", "vouched.txt", os.path.join("state", "clean-texts.txt"))
_WORDING = "notes are no longer held back for their wording; those that were are given again"


def clean_up(home: Home) -> str:
    """Remove what is left of earlier versions; a sentence for you if there was something."""
    left = [path for name in _OF_WORDING if os.path.lexists(path := os.path.join(home, name))]
    for path in left:
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil  # once in the life of a store; loading it takes longer than a write

            shutil.rmtree(path, ignore_errors=True)
        else:
            _unlink(path)
    return _WORDING if left and not any(map(os.path.lexists, left)) else ""


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # the next command tries again
