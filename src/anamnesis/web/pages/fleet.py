"""The machines that share this memory, and exchanging notes with them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError
from anamnesis.history import log
from anamnesis.history.log import NoHistory
from anamnesis.operations.travel import fleet as signs
from anamnesis.operations.travel.sync import exchange
from anamnesis.sync.machine import backend_of_this_machine
from anamnesis.web.dashboard import Notice

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.visit import Visit

_LOG = 500  # versions that are looked through for who wrote when


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine, as far as this one knows."""

    name: str
    notes: int
    latest_note: str
    last_seen: str  # its latest version in the history; empty: none was seen
    versions: int
    here: bool
    program: str  # the version that runs there; empty: it never said
    error: str  # what it last failed at


def show(visit: Visit) -> Response:
    """The page."""
    state = backend_of_this_machine().state()
    return visit.page("fleet.html", machines=machines(visit), state=state)


def sync(visit: Visit) -> Response:
    """Exchange notes now."""
    visit.dashboard.recorder.now()
    try:
        done = exchange(backend_of_this_machine(), store=visit.store).result
    except AnamnesisError as error:
        trouble = Notice(f"{error.message} {error.hint}", tone="trouble")
        return visit.go(visit.back("/fleet"), trouble)
    text = f"{done.detail[:1].upper()}{done.detail[1:]}."
    if done.pulled:
        text += f" {done.pulled} from other machines."
    tone = "done" if done.done and not done.offline else "trouble"
    return visit.go(visit.back("/fleet"), Notice(f"{text} {done.hint}".strip(), tone))


def machines(visit: Visit) -> list[Machine]:
    """All machines that wrote a note or a version, the latest seen first."""
    seen: dict[str, list[str]] = {}
    for version in _log(visit):
        seen.setdefault(version.machine, []).append(version.at)
    alive = {each.machine: each for each in signs.machines(visit.dashboard.home)}
    known = {name: (number, last) for name, number, _, last in visit.dashboard.counts.machines()}
    names = dict.fromkeys([visit.dashboard.machine, *known, *seen, *alive])
    found = [
        Machine(
            name,
            *known.get(name, (0, "")),
            max(seen.get(name, [""])[0], alive[name].seen if name in alive else ""),
            len(seen.get(name, ())),
            here=name == visit.dashboard.machine,
            program=alive[name].version if name in alive else "",
            error=alive[name].last_error if name in alive else "",
        )
        for name in names
    ]
    return sorted(found, key=lambda each: (each.last_seen, each.latest_note), reverse=True)


def _log(visit: Visit) -> list[log.Version]:
    try:
        return log.commits(os.fspath(visit.store.memory_dir), limit=_LOG)
    except NoHistory:
        return []
