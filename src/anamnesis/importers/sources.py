"""What was imported before and into which files, so that only changed texts are looked at again.

A lost file costs one slower import and nothing else.
"""

from __future__ import annotations

import json
import os

from anamnesis.ground import atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from anamnesis.config import Home
    from anamnesis.importers.import_draft import ImportDraft

_STATE = "imported-sources.json"


def digest(draft: ImportDraft, *, under: str) -> str:
    """A hash of a draft's whole text; `under` is what else decides about its note."""
    from anamnesis.notes.derived import fingerprint

    parts = (under, draft.title, draft.body, draft.type, draft.project, *draft.tags)
    return fingerprint("\0".join(parts))


def mark(home: Home, file: str, *, digest: str) -> str:
    """What to remember of an import: the text that was imported, and the state of its note."""
    try:
        status = os.lstat(os.path.join(home, file))
    except OSError:
        return ""
    return f"{digest} {status.st_mtime_ns} {status.st_size}"


def known(home: Home) -> dict[str, str]:
    """The marks of what was imported, by the id of the note."""
    return remembered(home.state(_STATE))


def remember(home: Home, digests: Mapping[str, str], *, files: Mapping[str, str]) -> None:
    """Keep for the next import what this one wrote into which files."""
    before = known(home)
    after = {**before, **{id: mark(home, file, digest=digests[id]) for id, file in files.items()}}
    if after != before:
        atomic.write_text(home.state(_STATE), json.dumps(after))


def remembered(path: str) -> dict[str, Any]:
    """What an earlier import kept in a file; nothing if the file is missing or damaged."""
    try:
        with open(path, encoding="utf-8") as stream:
            kept = json.load(stream)
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
