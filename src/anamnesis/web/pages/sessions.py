"""Sessions word for word: which there were, and each as a conversation."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import quote

from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.archive import Wanted

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.visit import Visit

LISTED = 60
TURNS = 200  # of one page
_DEEPEST = 1_000_000


def show(visit: Visit) -> Response:
    """The sessions by day, narrowed to a project, an agent or a day if the address says so."""
    project, agent, day = (visit.parameter(name) for name in ("project", "agent", "day"))
    offset = visit.number("offset", 0, most=_DEEPEST)
    # A session may last several days; T24 comes after every time of the day.
    wanted = Wanted(project=project, agent=agent, since=day, until=f"{day}T24" if day else "")
    page = archive.browse_sessions(visit.dashboard.home, wanted, limit=LISTED, offset=offset)
    by_day = groupby(page.rows, lambda row: row.ended[:10])
    return visit.page(
        "sessions.html",
        page=page,
        days=[(ended, list(rows)) for ended, rows in by_day],
        shown=wanted,
        day=day,
        offset=offset,
        page_size=LISTED,
        is_on=archive.is_on(),
    )


def one(visit: Visit) -> Response:
    """One session as a conversation, in pages; `around` leads to the place of a turn."""
    archived = archive.show_session(visit.dashboard.home, visit.path_part("id"))
    head, last = archived.header, max(len(archived.turns) - 1, 0)
    if visit.parameter("around"):
        turn = visit.number("around", 0, most=last)
        return visit.go(f"/session/{quote(head.session)}?offset={_page_of(turn)}#turn-{turn}")
    offset = _page_of(visit.number("offset", 0, most=last))
    note = visit.read(head.note)
    return visit.page(
        "session.html",
        head=head,
        turns=list(enumerate(archived.turns))[offset : offset + TURNS],
        total=len(archived.turns),
        failed=sum(turn.failed for turn in archived.turns),
        offset=offset,
        page_size=TURNS,
        note=note.note if note else None,
        speakers=archive.SPEAKERS,
    )


def _page_of(turn: int) -> int:
    """The first turn of the page that a turn is on."""
    return turn - turn % TURNS
