"""Other names of a project: `<home>/memory/.aliases/<id>.json`, one small file for each pair.

A repository that moved has notes under two keys. An alias lets both be read as one project on all
machines, and no note is rewritten. A file is never removed, since earlier versions do not write
these files and would seem to have deleted them: an alias that ended says so.
"""

from __future__ import annotations

import os

from anamnesis.config import Home  # noqa: TC001  a hook does without typing
from anamnesis.ground import atomic, quickjson
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = ".aliases"  # in the synced tree
_MOST_BYTES = 10_000


@record
class Alias:
    """Two names of one project."""

    name: str  # what it is called now
    earlier: str
    active: bool = True

    def others(self, name: str) -> list[str]:
        """What a project of this name is called besides; nothing if the alias is not about it."""
        pair = [self.name, self.earlier]
        return [each for each in pair if each != name] if name in pair else []


def aliases(home: Home) -> list[Alias]:
    """The aliases that hold, in no particular order."""
    return [alias for alias in _stored(home) if alias.active]


def names_of(home: Home, project: str) -> tuple[str, ...]:
    """All names of a project, the given one first."""
    names, pairs = [project], aliases(home)
    for name in names:  # which grows
        others = (other for pair in pairs for other in pair.others(name))
        names += [other for other in dict.fromkeys(others) if other not in names]
    return tuple(names)


def set_alias(home: Home, alias: Alias) -> None:
    """Let an alias hold on all machines, or end it. Raises NotWritable."""
    folder = os.path.join(home.memory, FOLDER)
    value = {"active": alias.active, "earlier": alias.earlier, "name": alias.name}
    atomic.write_text(os.path.join(folder, f"{_id(alias)}.json"), f"{quickjson.dumps(value)}\n")


def _id(alias: Alias) -> str:
    from hashlib import blake2b

    pair = f"{alias.name}\n{alias.earlier}".encode("utf-8", "replace")
    return blake2b(pair, digest_size=12).hexdigest()


def _stored(home: Home) -> Iterator[Alias]:
    folder = os.path.join(home.memory, FOLDER)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for each in sorted(names):
        try:
            with open(os.path.join(folder, each), "rb") as stream:
                value = quickjson.loads(stream.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            continue
        fields = value if isinstance(value, dict) else {}
        name, earlier = fields.get("name"), fields.get("earlier")
        if isinstance(name, str) and isinstance(earlier, str) and name and earlier:
            yield Alias(name, earlier, active=fields.get("active") is True)
