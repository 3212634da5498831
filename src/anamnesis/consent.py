"""What you allowed the repositories of this machine: `<home>/state/repositories.json`.

One record for each repository, by its origin or else by its path. Nothing of it is synced, and
without the file every repository asks again.
"""

from __future__ import annotations

from anamnesis.config import Home  # noqa: TC001  a hook does without typing
from anamnesis.ground import atomic, quickjson

_FILE = "repositories.json"
_PROJECTS = "projects"  # keys that markers in the repository may name


def allowed_projects(home: Home, repository: str) -> list[str]:
    """The projects other than its own whose memory a repository may have."""
    keys = _record(_read(home), repository).get(_PROJECTS)
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def allow_project(home: Home, repository: str, key: str) -> None:
    """Let a repository have the memory of this project from now on. Raises NotWritable."""
    _write_projects(home, repository, [*allowed_projects(home, repository), key])


def withdraw_project(home: Home, repository: str, key: str) -> None:
    """Take that back. Raises NotWritable."""
    kept = [each for each in allowed_projects(home, repository) if each != key]
    _write_projects(home, repository, kept)


def _write_projects(home: Home, repository: str, keys: list[str]) -> None:
    records = _read(home)
    record = {**_record(records, repository), _PROJECTS: list(dict.fromkeys(keys))}
    text = quickjson.dumps({**records, repository: record})
    atomic.write_text(home.state(_FILE), f"{text}\n")


def _record(records: dict[str, object], repository: str) -> dict[str, object]:
    record = records.get(repository)
    return record if isinstance(record, dict) else {}


def _read(home: Home) -> dict[str, object]:
    try:
        with open(home.state(_FILE), "rb") as stream:
            records = quickjson.loads(stream.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return records if isinstance(records, dict) else {}
