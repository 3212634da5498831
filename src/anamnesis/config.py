"""Where the store is and who we are: environment, then `<home>/config.json`, then a default."""

from __future__ import annotations

import os

from anamnesis.ground.home import Home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

_UNKNOWN_MACHINE = "unknown"
_YES = ("1", "true", "yes", "on")
_NO = ("0", "false", "no", "off")


def home_directory() -> Home:
    """The store's root: ANAMNESIS_HOME, else `~/.anamnesis`."""
    named = os.environ.get("ANAMNESIS_HOME", "").strip()
    root = os.path.expanduser(named or os.path.join("~", ".anamnesis"))
    if root.startswith("~"):  # it would be a folder of that name, wherever we are
        from anamnesis.ground.errors import NoHome

        raise NoHome(root)
    return Home(os.path.abspath(root))


def resolve_home() -> Path:
    """The store's root as a path."""
    from pathlib import Path

    return Path(home_directory())


def config_path() -> str:
    """The per-machine configuration file, outside of the tree that is synced."""
    return os.path.join(home_directory(), "config.json")


def _store_config() -> dict[str, Any]:
    """What config.json says; a missing or broken file says nothing."""
    import json

    try:
        with open(config_path(), encoding="utf-8-sig") as stream:
            found = json.load(stream)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def setting(key: str, *, variable: str = "") -> str | None:
    """One setting as text: its ANAMNESIS_ variable, else its key in config.json, else None."""
    value = os.environ.get(variable or f"ANAMNESIS_{key.upper()}", "").strip()
    if value:
        return value
    stored = _store_config().get(key)
    if stored is None or isinstance(stored, (dict, list)):
        return None
    return str(stored).strip() or None


def is_on(key: str, *, default: bool) -> bool:
    """Whether a switch is on; a value that is neither yes nor no says nothing."""
    said = (setting(key) or "").lower()
    return said in _YES if said in (*_YES, *_NO) else default


def resolve_machine_id() -> str:
    """This machine's name: never empty, and not for a caller of a tool to choose."""
    return setting("machine_id") or _hostname() or _UNKNOWN_MACHINE


def resolve_remote() -> str | None:
    """The git remote that notes travel over, or None for a store of one machine."""
    return setting("remote", variable="ANAMNESIS_GIT_REMOTE")


def _hostname() -> str:
    import socket

    try:
        return socket.gethostname().strip()
    except OSError:
        return ""
