"""Notes with a part that was edited on two machines: held, with everything that a choice needs.

Your version is the file itself. The other one and the text that both started from are kept in
`<home>/conflicts/<id>/` until somebody chooses; then the folder moves to `conflicts/settled/`,
so that the version that was not chosen is still there. The three differ only in what is held:
whatever else either side edits is merged with each sync.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.ground.clock import utcnow
from anamnesis.notes.frontmatter import note_in
from anamnesis.notes.ids import is_valid_id

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from anamnesis.ground.home import Home

FOLDER = "conflicts"
_SETTLED = "settled"
_TOLD = "told"
_STAMP = -len("-2026-01-31T120000-ab12")  # what `settle` adds to an id


@dataclass(frozen=True, slots=True)
class Conflict:
    """One held note. `path` is relative to the tree of portable notes."""

    id: str
    path: str
    fields: tuple[str, ...]  # what both sides changed
    machine: str  # where the other version comes from
    since: str
    base: bytes | None
    theirs: bytes
    written: str = ""  # when the other version was committed there; unknown to earlier versions


def hold(
    home: Home,
    path: str,
    *,
    base: bytes | None,
    theirs: bytes,
    machine: str,
    written: str = "",
    fields: tuple[str, ...],
    known: Mapping[str, Conflict] | None = None,
) -> Conflict:
    """Keep both sides of a note until a person chooses; on disk when this returns.

    `known` is what `held` gave, for whoever holds many: reading all for each would take minutes.
    """
    before = (held(home) if known is None else known).get(path)
    if before is not None:
        renewed = replace(before, theirs=theirs, machine=machine, written=written)
        return renew(home, before, renewed)
    conflict = Conflict(
        _id_for(home, path, theirs), path, fields, machine, utcnow(), base, theirs, written
    )
    folder = _folder(home, conflict.id)
    making = f"{folder}{atomic.TEMP_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
    if base is not None:
        atomic.write_bytes(os.path.join(making, "base.md"), base)
    atomic.write_bytes(os.path.join(making, "theirs.md"), theirs)
    atomic.write_text(os.path.join(making, "conflict.json"), _described(conflict))
    atomic.rename(making, folder)
    return conflict


def renew(home: Home, known: Conflict, now: Conflict) -> Conflict:
    """Keep what became of a held note since; on disk when this returns.

    Only the base counts for later merges, and it is one file: a kill in between costs nothing.
    """
    folder = _folder(home, known.id)
    if now.base is not None and now.base != known.base:
        atomic.write_bytes(os.path.join(folder, "base.md"), now.base)
    if now.theirs != known.theirs:
        atomic.write_bytes(os.path.join(folder, "theirs.md"), now.theirs)
    if _described(now) != _described(known):
        atomic.write_text(os.path.join(folder, "conflict.json"), _described(now))
    return now


def held(home: Home) -> dict[str, Conflict]:
    """The held notes by path."""
    return {conflict.path: conflict for conflict in _all(home)}


def unannounced(home: Home) -> list[Conflict]:
    """The held notes that no session was told of yet; they count as told from now on."""
    found = []
    for conflict in _all(home):
        marker = os.path.join(_folder(home, conflict.id), _TOLD)
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL, 0o600))
        except OSError:
            continue  # told already, or a store that cannot be written, which is told elsewhere
        found.append(conflict)
    return found


def settle(home: Home, conflict: Conflict, *, mine: bytes | None) -> None:
    """End a conflict. Both versions move to the archive of settled ones."""
    folder = _folder(home, conflict.id)
    if mine is not None:
        atomic.write_bytes(os.path.join(folder, "mine.md"), mine)
    archive = os.path.join(home, FOLDER, _SETTLED)
    atomic.make_directory(archive)
    stamp = utcnow().replace(":", "").partition("+")[0]
    atomic.rename(folder, os.path.join(archive, f"{conflict.id}-{stamp}-{os.urandom(2).hex()}"))


def erase(home: Home, ids: Container[str]) -> None:
    """Keep no version of some notes, neither held nor settled."""
    import shutil

    archive = os.path.join(FOLDER, _SETTLED)
    kept = [(FOLDER, name, name) for name in _names(home)]
    kept += [(archive, name, name[:_STAMP]) for name in _names(home, archive)]
    for folder, name, note_id in kept:
        if note_id in ids:
            shutil.rmtree(os.path.join(home, folder, name))


def _all(home: Home) -> Iterator[Conflict]:
    for name in _names(home):
        conflict = _load(os.path.join(home, FOLDER, name), name) if is_valid_id(name) else None
        if conflict is not None:
            yield conflict


def _names(home: Home, folder: str = FOLDER) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(home, folder)))
    except OSError:
        return []


def _load(folder: str, name: str) -> Conflict | None:
    described, theirs = _read(folder, "conflict.json"), _read(folder, "theirs.md")
    if described is None or theirs is None:
        return None
    try:
        facts = json.loads(described)
        return Conflict(
            id=name,
            path=str(facts["path"]),
            fields=tuple(map(str, facts["fields"])),
            machine=str(facts["machine"]),
            since=str(facts["since"]),
            base=_read(folder, "base.md"),
            theirs=theirs,
            written=str(facts.get("written", "")),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _described(conflict: Conflict) -> str:
    names = ("path", "fields", "machine", "since", "written")
    facts = {name: getattr(conflict, name) for name in names}
    return json.dumps(facts, ensure_ascii=False, indent=1)


def _read(folder: str, name: str) -> bytes | None:
    try:
        with open(os.path.join(folder, name), "rb") as stream:
            return stream.read()
    except OSError:
        return None


def _folder(home: Home, conflict_id: str) -> str:
    return os.path.join(home, FOLDER, conflict_id)


def _id_for(home: Home, path: str, theirs: bytes) -> str:
    """The note's id, or one made from the path where that does not name it alone."""
    note = note_in(theirs)
    note_id = note.id if note else path.rpartition("/")[2].removesuffix(".md")
    if is_valid_id(note_id) and note_id != _SETTLED and not _is_taken(home, note_id):
        return note_id
    from hashlib import blake2b

    name = f"path-{blake2b(path.encode(), digest_size=8).hexdigest()}"
    return f"{name}-{os.urandom(4).hex()}" if _is_taken(home, name) else name


def _is_taken(home: Home, conflict_id: str) -> bool:
    return os.path.lexists(_folder(home, conflict_id))
