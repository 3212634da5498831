"""Archived sessions: the list, and each as a conversation."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import quote

from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.archive import SessionFilter

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.request import Visit

LISTED = 60
TURNS = 200  # on one page
_DEEPEST = 1_000_000


def show(visit: Visit) -> Response:
    """The sessions by day, optionally of one project, agent or day."""
    project, agent, day = (visit.parameter(name) for name in ("project", "agent", "day"))
    offset = visit.number("offset", 0, most=_DEEPEST)
    # A session may last several days; T24 sorts after every time of the day.
    session_filter = SessionFilter(
        project=project, agent=agent, since=day, until=f"{day}T24" if day else ""
    )
    home = visit.dashboard.home
    page = archive.browse_sessions(home, session_filter, limit=LISTED, offset=offset)
    by_day = groupby(page.rows, lambda row: row.ended[:10])
    return visit.page(
        "sessions.html",
        page=page,
        days=[(ended, list(rows)) for ended, rows in by_day],
        session_filter=session_filter,
        day=day,
        offset=offset,
        page_size=LISTED,
        is_on=archive.is_on(),
    )


def show_one(visit: Visit) -> Response:
    """One session as a conversation, in pages; `around` redirects to the page of a turn."""
    session = archive.show_session(visit.dashboard.home, visit.path_part("id"))
    header, last = session.header, max(len(session.turns) - 1, 0)
    if visit.parameter("around"):
        turn = visit.number("around", 0, most=last)
        return visit.redirect(
            f"/session/{quote(header.session)}?offset={_page_start(turn)}#turn-{turn}"
        )
    offset = _page_start(visit.number("offset", 0, most=last))
    note = visit.read(header.note) if header.note else None
    return visit.page(
        "session.html",
        header=header,
        turns=list(enumerate(session.turns))[offset : offset + TURNS],
        total=len(session.turns),
        failed=sum(turn.failed for turn in session.turns),
        offset=offset,
        page_size=TURNS,
        note=note.note if note else None,
        speakers=archive.SPEAKERS,
    )


def _page_start(turn: int) -> int:
    """The first turn of the page that a turn is on."""
    return turn - turn % TURNS
