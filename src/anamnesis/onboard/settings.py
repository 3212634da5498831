"""Settings files of agents and of the store: reading and changing them safely."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, NotWritable, reason_of
from anamnesis.onboard import jsontext

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_NEW_FILE_MODE = 0o600  # such a file may hold keys one day
_EMPTY = "{}\n"


class UnusualSettings(AnamnesisError):
    """A settings file that is broken or has an unexpected shape."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        super().__init__(
            f"{path} was left unchanged: {reason}.",
            hint="Fix that, or move the file away, and run the command again.",
        )


class SettingsChanged(AnamnesisError):
    """Another program changed a settings file between reading and writing it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was just changed by another program.",
            hint="Nothing was overwritten. Run the command again.",
        )


def read_bytes(path: str) -> bytes | None:
    """The content of a file; None if there is none. Raises UnusualSettings."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # reading a pipe would block
            raise UnusualSettings(path, "it is not a file")
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnusualSettings(path, f"it cannot be read ({reason_of(error)})") from error


def json_amended(
    path: str,
    data: bytes | None,
    change: Callable[[dict[str, Any]], dict[str, Any]],
    *,
    comments: bool = False,
) -> bytes:
    """A JSON file's content with one change, and everything else as it was.

    Raises UnusualSettings.
    """
    text = _decoded(path, data)
    try:
        before = jsontext.parsed(text, comments=comments).value
        if not isinstance(before, dict):
            raise UnusualSettings(path, "it is not a JSON object")
        after = change(before)
        if data is not None and jsontext.same(after, before):
            return data
        return jsontext.amended(text, after, comments=comments).encode()
    except jsontext.NotJson as error:
        raise UnusualSettings(path, f"it is not valid JSON ({error})") from None
    except UnusualShape as error:
        raise UnusualSettings(path, str(error)) from None


class UnusualShape(ValueError):
    """A part of a document has an unexpected type."""


def section(parent: dict[str, Any], key: str) -> dict[str, Any]:
    """A copy of an object in another one, empty if it is missing. Raises UnusualShape."""
    value = parent.get(key, {})
    if not isinstance(value, dict):
        raise UnusualShape(f'"{key}" is not an object')
    return dict(value)


def entries(parent: dict[str, Any], key: str) -> list[Any]:
    """A copy of an array in an object, empty if it is missing. Raises UnusualShape."""
    value = parent.get(key, [])
    if not isinstance(value, list):
        raise UnusualShape(f'"{key}" is not an array')
    return list(value)


def put(parent: dict[str, Any], key: str, value: dict[str, Any] | list[Any]) -> dict[str, Any]:
    """The object with a section in it, or without the section if that is empty."""
    if value:
        return {**parent, key: value}
    return {name: kept for name, kept in parent.items() if name != key}


def write_settings(path: str | Path, data: dict[str, Any]) -> None:
    """Write `data` to a settings file, keeping its formatting and a backup."""
    name = os.fspath(path)
    before = read_bytes(name)
    after = json_amended(name, before, lambda _before: data)
    if after != before:
        replace_file(name, before, after)


def write_store_config(home: str | Path, *, machine_id: str, remote: str | None) -> None:
    """Save this machine's name and remote; without a remote, an old one is removed."""
    path = os.path.join(os.fspath(home), "config.json")
    data = amended_store_config(path, read_bytes(path), machine_id=machine_id, remote=remote)
    if data != read_bytes(path):
        atomic.write_bytes(path, data)


def amended_store_config(
    path: str, data: bytes | None, *, machine_id: str, remote: str | None, **others: str
) -> bytes:
    """The content of config.json with this machine's name and remote in it."""

    def change(config: dict[str, Any]) -> dict[str, Any]:
        unchanged = {key: value for key, value in config.items() if key != "remote"}
        return {
            **unchanged,
            "machine_id": machine_id,
            **others,
            **({"remote": remote} if remote else {}),
        }

    return json_amended(path, data, change)


def replace_file(path: str, before: bytes | None, after: bytes | None) -> None:
    """Replace the content that was read before, or remove the file.

    A symbolic link stays one: its target is changed. Every change leaves its own backup beside the
    file. Raises SettingsChanged or NotWritable.
    """
    target = os.path.realpath(path)
    if read_bytes(target) != before:
        raise SettingsChanged(path)
    mode = require_writable(target, before)
    if before is not None:
        atomic.write_bytes(free_backup(path), before, mode=mode)
    if after is None:
        atomic.remove(target)
        return
    atomic.write_bytes(target, after, mode=mode)
    if stat.S_IMODE(os.stat(target).st_mode) != mode:
        os.chmod(target, mode)


def free_backup(path: str) -> str:
    """Where the next backup of a file goes: `.bak`, or the first free `.bak.1`, `.bak.2`."""
    target = os.path.realpath(path)
    number = 0
    while os.path.lexists(name := f"{target}.bak.{number}" if number else f"{target}.bak"):
        number += 1
    return name


def require_writable(path: str, before: bytes | None) -> int:
    """The mode that the file has or will get.

    Raises NotWritable if it is read-only, and SettingsChanged if it is gone.
    """
    target = os.path.realpath(path)
    folder = _nearest_folder(target)
    if not _may_write(folder):
        raise NotWritable(target, reason=f"the folder {folder} is read-only")
    if before is None:
        return _NEW_FILE_MODE
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        raise SettingsChanged(path) from None
    if not _may_write(target):
        raise NotWritable(target, reason="it is read-only")
    return mode


def _may_write(path: str) -> bool:
    # Renaming over a read-only file would work, but it was made read-only on purpose.
    return bool(os.stat(path).st_mode & 0o222) and os.access(path, os.W_OK)


def _nearest_folder(path: str) -> str:
    """The nearest existing folder above a file."""
    folder = os.path.dirname(path)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder


def _decoded(path: str, data: bytes | None) -> str:
    if data is None or not data.strip():
        return _EMPTY
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UnusualSettings(path, f"it is not UTF-8 (byte {error.start})") from None
