"""The notes that a repository carries: of the directory in which the dashboard was started."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.operations.machine import project
from anamnesis.operations.repository.reading import read_carried
from anamnesis.operations.repository.trust import distrust, trust
from anamnesis.web import markdown
from anamnesis.web.dashboard import Notice
from anamnesis.web.formatting import plural

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.request import Visit

_LISTED = 500


def show(visit: Visit) -> Response:
    """The notes by title, and one of them in full; read from their files, trusted or not."""
    directory = _directory()
    state = project.notes_of(visit.dashboard.home, directory) if directory else project.NONE
    if state == project.NONE:
        return visit.page("repository.html", state=state, name="")
    found = read_carried(directory)
    chosen = next((each for each in found.notes if each.path == visit.parameter("note")), None)
    return visit.page(
        "repository.html",
        state=state,
        name=os.path.basename(found.top),
        notes=found.notes[:_LISTED],
        total=len(found.notes),
        unreadable=found.unreadable,
        chosen=chosen,
        html=markdown.render(chosen.note.body) if chosen else "",
    )


def decide(visit: Visit) -> Response:
    """Let sessions have these notes, or no longer."""
    visit.require_fresh("whose notes sessions get")
    home, directory = visit.dashboard.home, _directory()
    if visit.value("trust") != "yes":
        distrust(home, directory)
        visit.confirm()
        return visit.redirect("/repository", Notice("Sessions get none of these notes any more."))
    notes = trust(home, directory)
    visit.confirm()
    text = f"Sessions here get {plural(notes, 'note')} of this repository from now on."
    return visit.redirect("/repository", Notice(text))


def _directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""
