"""What a set-up changed outside the store, so that it can be undone exactly."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anamnesis.ground import atomic

if TYPE_CHECKING:
    from anamnesis.config import Home

_FILE = "setup.json"


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that a set-up changed."""

    before: str  # the hash of what our last change found; empty: no file
    after: str  # the hash of what it left there
    existed: bool  # whether there was a file before the first set-up
    original: str | None = None  # a backup of the file as it was before
    origin: str = ""  # its hash: the user may have deleted or changed the backup
    backups: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()  # that were made for it, outermost first


@dataclass(frozen=True, slots=True)
class Receipt:
    """Everything that a set-up changed outside the store."""

    command: tuple[str, ...] = ()
    earlier: tuple[tuple[str, ...], ...] = ()  # commands of set-ups before
    name: str = "anamnesis"
    names: tuple[str, ...] = ()  # that the server had before
    mcp: bool = True
    hooks: bool = True
    agents: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()  # projects with a block in AGENTS.md
    places: tuple[tuple[tuple[str, str], ...], ...] = ()  # variables that moved agents' folders
    files: dict[str, TouchedFile] = field(default_factory=dict)


def hashed(data: bytes | None) -> str:
    """The name of a file's content; empty if there is no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def path_of(home: Home) -> str:
    """Where the receipt is kept."""
    return home.state(_FILE)


def hooks_marker(home: Home) -> str:
    """A file that exists while the hooks are in Claude Code's settings."""
    return home.state("hooks-by-init")


def load(home: Home) -> Receipt:
    """The receipt of earlier set-ups; an empty one if it is missing or damaged."""
    try:
        return _receipt(home.state_file(_FILE).record())
    except (ValueError, TypeError, KeyError, AttributeError):
        return Receipt()


def save(home: Home, receipt: Receipt) -> None:
    """Keep a receipt."""
    files = {
        path: {
            "before": touched.before,
            "after": touched.after,
            "existed": touched.existed,
            "original": touched.original,
            "origin": touched.origin,
            "backups": list(touched.backups),
            "directories": list(touched.directories),
        }
        for path, touched in receipt.files.items()
    }
    fields = {
        "command": list(receipt.command),
        "earlier": [list(command) for command in receipt.earlier],
        "name": receipt.name,
        "names": list(receipt.names),
        "mcp": receipt.mcp,
        "hooks": receipt.hooks,
        "agents": list(receipt.agents),
        "rules": list(receipt.rules),
        "places": [dict(place) for place in receipt.places],
        "files": files,
    }
    home.state_file(_FILE).write(fields)


def forget(home: Home) -> None:
    """Delete the receipt."""
    for path in (path_of(home), hooks_marker(home)):
        if os.path.exists(path):
            atomic.remove(path)


def _receipt(fields: dict[str, Any]) -> Receipt:
    return Receipt(
        command=tuple(fields["command"]),
        earlier=tuple(tuple(command) for command in fields["earlier"]),
        name=fields["name"],
        names=tuple(fields.get("names", ())),
        mcp=fields["mcp"],
        hooks=fields["hooks"],
        agents=tuple(fields["agents"]),
        rules=tuple(fields["rules"]),
        places=tuple(tuple(place.items()) for place in fields.get("places", ())),
        files={path: _touched(file) for path, file in fields["files"].items()},
    )


def _touched(fields: dict[str, Any]) -> TouchedFile:
    return TouchedFile(
        before=fields.get("before", fields["after"]),
        after=fields["after"],
        existed=fields["existed"],
        original=fields["original"],
        origin=fields.get("origin", ""),
        backups=tuple(fields["backups"]),
        directories=tuple(fields["directories"]),
    )
