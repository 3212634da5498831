"""Where the store is, every path in it, and this machine's settings.

A setting comes from the environment, else from `<home>/config.json`, else it has its default.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any

    from anamnesis.ground.state import StateFile

EPHEMERAL_MACHINE = "codespace"
UNKNOWN_MACHINE = "unknown"
_YES = ("1", "true", "yes", "on")
_NO = ("0", "false", "no", "off")
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


class Home(str):
    """The path of a store's folder, which knows the paths of what is in it (ARCHITECTURE.md)."""

    __slots__ = ()

    @property
    def memory(self) -> str:
        """The tree of synced notes, a git repository of its own."""
        return os.path.join(self, "memory")

    @property
    def local(self) -> str:
        """The tree of notes that are local only."""
        return os.path.join(self, "local")

    @property
    def index_db(self) -> str:
        """The derived index."""
        return os.path.join(self, "index.db")

    @property
    def vectors_db(self) -> str:
        """What the encoder derived from the notes."""
        return os.path.join(self, "vectors.db")

    @property
    def sessions_db(self) -> str:
        """The full text of the archived sessions, derived from their files."""
        return os.path.join(self, "sessions.db")

    @property
    def conflicts(self) -> str:
        """The other versions of notes that were edited on two machines."""
        return os.path.join(self, "conflicts")

    @property
    def undo(self) -> str:
        """What changes replaced, for undo."""
        return os.path.join(self, "undo")

    @property
    def keys(self) -> str:
        """This machine's keys for a sealed remote, and whom it trusts there; never synced."""
        return os.path.join(self, "keys")

    @property
    def settings(self) -> str:
        """This machine's settings, never synced."""
        return os.path.join(self, "config.json")

    @property
    def sessions(self) -> str:
        """Sessions word for word, one compressed file each; never synced."""
        return os.path.join(self, "sessions")

    @property
    def paused(self) -> str:
        """A file that exists while capture and recall are paused on this machine."""
        return os.path.join(self, "paused")

    @property
    def paused_projects(self) -> str:
        """The projects that are paused on this machine, one per line."""
        return os.path.join(self, "paused-projects")

    @property
    def receipts(self) -> str:
        """Which notes sessions were given."""
        return self.log("receipts.jsonl")

    @property
    def eval_cases(self) -> str:
        """Questions with known answers, which earlier versions kept."""
        return os.path.join(self, "eval.jsonl")

    @property
    def dashboard(self) -> str:
        """Where a dashboard runs; readable by its owner only."""
        return os.path.join(self, "dashboard.json")

    def log(self, name: str) -> str:
        """A log of what hooks did or which notes they gave."""
        return os.path.join(self, "log", name)

    def state(self, *names: str) -> str:
        """A record of what was captured or set up on this machine."""
        return os.path.join(self, "state", *names)

    def state_file(self, name: str) -> StateFile:
        """Such a record that is one JSON value."""
        from anamnesis.ground.state import StateFile

        return StateFile(self.state(name), lock=self.lock("state"))

    def spool(self, name: str) -> str:
        """A payload on its way to the background."""
        return os.path.join(self, "spool", name)

    def owed(self, kind: str, session: str) -> str:
        """A mark that a session is owed something at its next prompt."""
        return self.spool(f"{kind}-{_as_name(session)[:100]}")

    def captured(self, session: str) -> str:
        """What is known of the capture of a session."""
        return self.state("sessions", f"{_as_name(session)[:128] or 'unnamed'}.json")

    def lock(self, name: str) -> str:
        """A lock that keeps two processes from doing the same thing at once."""
        return os.path.join(self, "locks", f"{name}.lock")


POINTER = os.path.join("~", ".config", "anamnesis", "home")


def _as_name(text: str) -> str:
    return "".join(each if each in _NAME_CHARACTERS else "-" for each in text)


def home_directory() -> Home:
    """The store's root: ANAMNESIS_HOME, else where `init --home` put it, else `~/.anamnesis`.

    Raises NoHome, and StoreMissing if `init --home` put it there and it is not there now.
    """
    named = os.environ.get("ANAMNESIS_HOME", "").strip() or pointed_to()
    root = os.path.expanduser(named or os.path.join("~", ".anamnesis"))
    if root.startswith("~"):  # it would be a folder called ~ in the current directory
        from anamnesis.ground.errors import NoHome

        raise NoHome(root)
    home = Home(os.path.abspath(root))
    if not os.path.isdir(home) and pointed_to() == home:
        from anamnesis.ground.errors import StoreMissing

        raise StoreMissing(home)
    return home


def pointed_to() -> str:
    """The store that `init --home` left a pointer to; empty if there is none or it is broken."""
    try:
        with open(os.path.expanduser(POINTER), encoding="utf-8") as stream:
            named = stream.read().strip()
    except (OSError, ValueError):
        return ""
    return named if os.path.isabs(named) else ""


def resolve_home() -> Path:
    """The store's root as a path."""
    from pathlib import Path

    return Path(home_directory())


def config_path() -> str:
    """This machine's configuration file, outside the synced tree."""
    return home_directory().settings


def _store_config() -> dict[str, Any]:
    """The settings in config.json; none if it is missing or broken."""
    stored = _read_config() or {}
    earlier = stored.get("reflection")  # version 0.1.x kept these keys in an object of their own
    if isinstance(earlier, dict):
        for key, value in earlier.items():
            stored.setdefault("reflect_auto" if key == "auto" else f"reflection_{key}", value)
    return stored


def _read_config() -> dict[str, Any] | None:
    """The content of config.json; None if it cannot be read."""
    from anamnesis.ground import quickjson

    try:
        with open(config_path(), "rb") as stream:
            stored = quickjson.loads(stream.read())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        return None
    return stored if isinstance(stored, dict) else None


def require_readable() -> None:
    """Raise BrokenConfig if config.json cannot be read: its settings would be ignored."""
    if _read_config() is None:
        from anamnesis.ground.errors import BrokenConfig

        raise BrokenConfig(config_path())


def setting(key: str, *, variable: str = "") -> str | None:
    """One setting as text: its ANAMNESIS_ variable, else its key in config.json, else None."""
    value = os.environ.get(variable or f"ANAMNESIS_{key.upper()}", "").strip()
    return value or _stored(_store_config(), key)


def settings(keys: Iterable[str]) -> dict[str, str]:
    """Those of some settings that are set; config.json is read once."""
    config = _store_config()
    values = {
        key: os.environ.get(f"ANAMNESIS_{key.upper()}", "").strip() or _stored(config, key)
        for key in keys
    }
    return {key: value for key, value in values.items() if value}


def _stored(config: dict[str, Any], key: str) -> str | None:
    value = config.get(key)
    return None if value is None or isinstance(value, (dict, list)) else str(value).strip() or None


def is_on(key: str, *, default: bool) -> bool:
    """Whether a switch is on; a value that is neither yes nor no counts as not set."""
    value = (setting(key) or "").lower()
    return value in _YES if value in (*_YES, *_NO) else default


def encoder_is_on() -> bool:
    """Whether notes are also found by meaning, with the extra `[semantic]`."""
    return is_on("semantic", default=False)


def is_ephemeral() -> bool:
    """Whether this machine is thrown away after use, like a container (`anamnesis attach`)."""
    return is_on("ephemeral", default=False)


def resolve_machine_id() -> str:
    """This machine's name: never empty, and never chosen by a caller of a tool.

    All ephemeral machines have one name, so that the fleet does not grow with each container.
    """
    if named := setting("machine_id"):
        return named
    return EPHEMERAL_MACHINE if is_ephemeral() else _hostname() or UNKNOWN_MACHINE


def resolve_remote() -> str | None:
    """The git remote that notes are synced with, or None."""
    return setting("remote", variable="ANAMNESIS_GIT_REMOTE")


def _hostname() -> str:
    from anamnesis.ground.startup import gethostname

    try:
        return gethostname().strip()
    except OSError:
        return ""
