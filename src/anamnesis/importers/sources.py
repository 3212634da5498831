"""What the texts of other programs were at the last import, so that only news is looked at again.

A lost file costs one slower import and nothing else.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.notes.derived import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anamnesis.importers.draft import Draft

_STATE = ("state", "imported-sources.json")


def digest(draft: Draft, *, under: str) -> str:
    """A hash of everything that a draft says; `under` is what else decides about its note."""
    said = (under, draft.title, draft.body, draft.type, draft.project, *draft.tags)
    return fingerprint("\0".join(said))


def mark(root: str, file: str, *, digest: str) -> str:
    """What to remember of an import: the text that came in, and the note's file as it was left."""
    try:
        found = os.lstat(os.path.join(root, file))
    except OSError:
        return ""
    return f"{digest} {found.st_mtime_ns} {found.st_size}"


def known(root: str) -> dict[str, str]:
    """The marks of what was imported, by the id of the note."""
    try:
        with open(os.path.join(root, *_STATE), encoding="utf-8") as stream:
            found = json.load(stream)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(root: str, digests: Mapping[str, str], *, files: Mapping[str, str]) -> None:
    """Keep for the next import what this one brought into which files."""
    before = known(root)
    after = {**before, **{id: mark(root, file, digest=digests[id]) for id, file in files.items()}}
    if after != before:
        atomic.write_text(os.path.join(root, *_STATE), json.dumps(after))
