"""The store's own settings of this machine: `<home>/config.json`, outside of what is synced."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from anamnesis.ground import atomic
from anamnesis.onboard.settings import json_amended, read_bytes

if TYPE_CHECKING:
    from pathlib import Path


def write_store_config(home: str | Path, *, machine_id: str, remote: str | None) -> None:
    """Remember who this machine is and where notes travel to; no remote forgets an old one."""
    path = os.path.join(os.fspath(home), "config.json")
    data = amended_store_config(path, read_bytes(path), machine_id=machine_id, remote=remote)
    if data != read_bytes(path):
        atomic.write_bytes(path, data)


def amended_store_config(
    path: str, data: bytes | None, *, machine_id: str, remote: str | None, **others: str
) -> bytes:
    """The content of config.json with this machine's name and remote in it."""

    def change(said: dict[str, Any]) -> dict[str, Any]:
        kept = {key: value for key, value in said.items() if key != "remote"}
        return {
            **kept,
            "machine_id": machine_id,
            **others,
            **({"remote": remote} if remote else {}),
        }

    return json_amended(path, data, change)
