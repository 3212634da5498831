"""What is worth tidying up: notes that say the same, that are out of date, that nobody uses."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from anamnesis.ground.errors import InvalidInput
from anamnesis.notes.fields import TYPES
from anamnesis.operations.curate import backfill_provenance, dedup, stale
from anamnesis.project import GLOBAL
from anamnesis.web.dashboard import Notice, notice_of
from anamnesis.web.pages import work
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from anamnesis.notes.fields import Memory
    from anamnesis.operations.curate.dedup import Duplicates
    from anamnesis.web.visit import Visit

VIEWS = {"duplicates": "Duplicates", "stale": "Stale", "unused": "Never used", "sources": "Sources"}
_SHOWN = 100  # lines; what is done with them makes room for the next
_UNCHANGED_DAYS = 90  # a note that no session was given may still be new


def show(visit: Visit) -> Response:
    """One view: what was found when somebody last looked, without what changed since."""
    view = visit.parameter("view") if visit.parameter("view") in VIEWS else "duplicates"
    found: Any  # groups of duplicates, stale notes or unused ones; None before anybody looked
    if view == "unused":
        limit = (datetime.now(UTC) - timedelta(days=_UNCHANGED_DAYS)).date().isoformat()
        found = stale.unused_notes(visit.store, before=limit)
    elif view == "sources":
        found = backfill_provenance.provenance_changes(visit.store, machine_id="")
    else:
        found = _current(visit, view)
    return visit.page(
        "tidy.html",
        view=view,
        views=VIEWS,
        found=None if found is None else found[:_SHOWN],
        total=len(found or ()),
        days=_UNCHANGED_DAYS,
        types=TYPES,
        project=visit.dashboard.project,
        projects=[name for name in visit.dashboard.counts.values("project") if name != GLOBAL],
        directory=os.getcwd(),
        same=sum(each.identical for each in found or ()) if view == "duplicates" else 0,
    )


def look(visit: Visit) -> Response:
    """Look for duplicates, or for what a project's folder no longer has."""
    view, found = visit.value("view"), visit.dashboard.jobs.found
    if view == "duplicates":
        return _looked(visit, view, "Looking for duplicates", _find_duplicates)
    if view != "stale":
        raise InvalidInput("There is nothing of this name to look for.")
    project = visit.value("project") or visit.dashboard.project
    directory = os.path.expanduser(visit.value("directory"))
    if not os.path.isdir(directory):
        raise InvalidInput(f"There is no folder {directory[:200]} on this machine.")
    found.pop("stale", None)

    def read(visit: Visit, progress: Callable[[int, int], None]) -> list[stale.Stale]:
        return stale.stale_notes(
            visit.store, project=project, directory=directory, progress=progress
        )

    return _looked(visit, view, f"Reading the sources of {project}", read)


def fold(visit: Visit) -> Response:
    """Let the best note of some groups replace the others: one change."""
    wanted, every = set(visit.values("group")), visit.value("which") == "identical"
    groups = [
        group
        for group in _current(visit, "duplicates") or ()
        if (every and group.identical) or group.keeper.id in wanted
    ]
    if not groups:
        raise InvalidInput("These notes changed since they were compared.", hint="Look again.")
    number = plural(sum(len(group.others) for group in groups), "duplicate")
    text = f"{number} replaced by {plural(len(groups), 'note')}."
    return work.change(
        visit,
        f"Replacing {number}",
        lambda: notice_of(dedup.fold(visit.store, groups), text),
        back="/tidy?view=duplicates",
    )


def _looked(
    visit: Visit,
    view: str,
    title: str,
    read: Callable[[Visit, Callable[[int, int], None]], list[Duplicates] | list[stale.Stale]],
) -> Response:
    def search(progress: Callable[[int, int], None]) -> Notice:
        found = read(visit, progress)
        visit.dashboard.jobs.found[view] = found
        what = "group of duplicates" if view == "duplicates" else "stale note"
        many = "groups of duplicates" if view == "duplicates" else ""
        return Notice(f"Found {plural(len(found), what, many)}.")

    return work.run(visit, title, search, back=f"/tidy?view={view}")


def _find_duplicates(visit: Visit, progress: Callable[[int, int], None]) -> list[Duplicates]:
    return dedup.find_duplicates(visit.store, progress=progress)


def _current(visit: Visit, view: str) -> list[Any] | None:
    """What was found last and is as it was; None before anybody looked."""
    found = visit.dashboard.jobs.found.get(view)
    if found is None:
        return None
    same = dedup.unchanged(visit.store, (note for each in found for note in _notes_of(each)))
    return [each for each in found if all(note.id in same for note in _notes_of(each))]


def _notes_of(found: Duplicates | stale.Stale) -> list[Memory]:
    return [found.note] if isinstance(found, stale.Stale) else [found.keeper, *found.others]
