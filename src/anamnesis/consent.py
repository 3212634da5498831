"""What you allowed the repositories of this machine: `<home>/state/repositories.json`.

One record for each repository, by its origin or else by its path. Nothing of it is synced, and
without the file every repository asks again.
"""

from __future__ import annotations

from anamnesis.config import Home  # noqa: TC001  a hook does without typing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_FILE = "repositories.json"
_PROJECTS = "projects"  # keys that markers in the repository may name
_DECLINED = "declined"  # keys that it had before, and whose memory it is not to have
_NOTES = "notes"  # whether sessions get the notes that it carries
_SHARED = "shared"  # ids of the notes that you put there


def allowed_projects(home: Home, repository: str) -> list[str]:
    """The projects other than its own whose memory a repository may have."""
    return _keys(_record(home.state_file(_FILE).record(), repository))


def allow_project(home: Home, repository: str, key: str) -> None:
    """Let a repository have the memory of this project from now on. Raises NotWritable."""
    _change(home, repository, lambda keys: [*(each for each in keys if each != key), key])


def withdraw_project(home: Home, repository: str, key: str) -> None:
    """Take that back. Raises NotWritable."""
    _change(home, repository, lambda keys: [each for each in keys if each != key])


def declined(home: Home, repository: str) -> list[str]:
    """The keys that a repository had before, and whose memory it is not to have."""
    return _keys(_record(home.state_file(_FILE).record(), repository), _DECLINED)


def decline(home: Home, repository: str, key: str) -> None:
    """Do not ask about an earlier key of a repository again. Raises NotWritable."""
    _change(
        home, repository, lambda keys: [*(each for each in keys if each != key), key], _DECLINED
    )


def trusts(home: Home, repository: str) -> bool:
    """Whether sessions get the notes that a repository carries."""
    return _record(home.state_file(_FILE).record(), repository).get(_NOTES) is True


def trust_notes(home: Home, repository: str, *, trusted: bool = True) -> None:
    """Let sessions have the notes of a repository, or no longer. Raises NotWritable."""
    _set(home, repository, lambda _: {_NOTES: trusted})


def shared(home: Home, repository: str) -> list[str]:
    """The ids of the notes that you shared with a repository from this machine."""
    return _keys(_record(home.state_file(_FILE).record(), repository), _SHARED)


def note_shared(home: Home, repository: str, ids: Iterable[str], *, gone: bool = False) -> None:
    """Record that notes were shared, or taken back. Raises NotWritable."""
    changed = set(ids)

    def make(record: dict[str, Any]) -> dict[str, Any]:
        others = [id for id in _keys(record, _SHARED) if id not in changed]
        return {_SHARED: others if gone else sorted([*others, *changed])}

    _set(home, repository, make)


def _change(
    home: Home, repository: str, make: Callable[[list[str]], list[str]], field: str = _PROJECTS
) -> None:
    _set(home, repository, lambda record: {field: make(_keys(record, field))})


def _set(home: Home, repository: str, make: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    def changed(records: dict[str, Any]) -> dict[str, Any]:
        record = _record(records, repository)
        return {**records, repository: {**record, **make(record)}}

    home.state_file(_FILE).change(changed)


def _keys(record: dict[str, Any], field: str = _PROJECTS) -> list[str]:
    keys = record.get(field)
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def _record(records: dict[str, Any], repository: str) -> dict[str, Any]:
    record = records.get(repository)
    return record if isinstance(record, dict) else {}
