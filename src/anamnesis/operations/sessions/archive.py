"""Sessions word for word: keeping them, and searching what was said."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.archive import ask, database, files
from anamnesis.archive.ask import Passage, SessionFilter, SessionPage, SessionRow
from anamnesis.archive.turns import AGENT, CLIENT, PERSON, SUBAGENT, Transcript, Turn
from anamnesis.capture.archive_format1 import upgraded
from anamnesis.capture.session import session_of as parsed_session
from anamnesis.capture.transcript import read_transcript
from anamnesis.ground.errors import AnamnesisError, InvalidInput
from anamnesis.ground.records import replace
from anamnesis.hooks import runs, switches
from anamnesis.notes import tree
from anamnesis.project import resolve_project_key
from anamnesis.search.passages import Source, decisive
from anamnesis.secrets import allow_list
from anamnesis.store import MemoryStore
from anamnesis.text.clipping import clipped
from anamnesis.text.sentences import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory

__all__ = ["Passage", "SessionFilter", "SessionPage", "SessionRow", "Transcript", "Turn"]
SPEAKERS = {PERSON: "You", AGENT: "Agent", SUBAGENT: "Subagent", CLIENT: "Summary"}
DAYS, MEGABYTES = 400, 500
_LOOKED_AT = 60  # turns whose pieces compete for the room
_ROOM, _PIECE = 400, 350  # characters of a passage on average, and of a piece of one
_SAID = 1.2
_SPOKEN = (database.PROMPT, database.ANSWER, database.SUMMARY)
_READ_AT_ONCE = 20  # changed sessions read before a search; the rest is read in the background
_LONGEST_TITLE = 80
_LEFT_OUT = "left out: .anamnesis/ignore names this file"


class NoSuchSession(InvalidInput):
    """No session with this id is in the archive."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"There is no archived session {session!r}.", hint="See:  anamnesis sessions"
        )


def is_on() -> bool:
    """Whether sessions are kept word for word."""
    return config.is_on("archive", default=True)


def kept_session(home: Home, session: str) -> Transcript | None:
    """What the archive has of a session, as it is today; None if it is off or has nothing."""
    known = files.load(files.path_of(home, session)) if session and is_on() else None
    return upgraded(known) if known else None


def whole_session(home: Home, fresh: Transcript, *, known: Transcript | None) -> Transcript:
    """A session as it was just read and as it was kept: no secrets, no ignored files."""
    fresh = replace(fresh, turns=without_ignored_files(fresh.turns, fresh.header.cwd))
    return files.joined(known, fresh, allow=allow_list(home))


def keep(
    home: Home,
    whole: Transcript,
    *,
    known: Transcript | None,
    project: str,
    note: Memory | None,
) -> None:
    """Archive a session; a failure is reported, not raised."""
    try:
        files.save(home, filed(whole, project=project, note=note), known=known)
        files.expire(home, days=_days(), megabytes=_megabytes(), now=time.time())
        database.refresh(home, most=_READ_AT_ONCE)
    except AnamnesisError as error:
        runs.failed(home, "archive", error.message)
    else:
        runs.worked(home, "archive")


def filed(whole: Transcript, *, project: str, note: Memory | None) -> Transcript:
    """A session under its project, with the title of its note or else its own."""
    header = replace(
        whole.header,
        project=project,
        machine=config.resolve_machine_id(),
        title=note.title if note else _title(whole),
        note=note.id if note else "",
    )
    return replace(whole, header=header)


def has(home: Home, session: str) -> bool:
    """Whether a session is kept word for word."""
    return bool(session) and os.path.exists(files.path_of(home, session))


def keep_transcript(home: Home, path: str, *, session: str, since: str, note_id: str) -> None:
    """Archive a session that was captured earlier, unless it may not be read or was forgotten."""
    fresh = read_transcript(path, since=since).transcript()
    header = replace(fresh.header, session=fresh.header.session or session)
    with MemoryStore(home) as store:
        note = store.get(note_id) if note_id else None
    project = note.project if note else resolve_project_key(header.cwd or ".")
    is_off = (
        any(switches.stood_back(home, each) for each in {session, header.session})
        or switches.why_off(home, project=project, cwd=header.cwd)
        or tree.is_forgotten_session(home, header.session)
    )
    if fresh.turns and not is_off:
        whole = whole_session(home, replace(fresh, header=header), known=None)
        keep(home, whole, known=None, project=project, note=note)


def _title(whole: Transcript) -> str:
    """What a session without a note is called."""
    title = whole.header.client_title or parsed_session(whole).first_prompt
    return clipped(folded(title), _LONGEST_TITLE)


def list_sessions(home: Home, session_filter: SessionFilter, *, limit: int) -> list[SessionRow]:
    """The archived sessions, the latest first."""
    bring_up_to_date(home)
    return ask.sessions(home, session_filter, limit=limit)


def browse_sessions(
    home: Home, session_filter: SessionFilter, *, limit: int, offset: int
) -> SessionPage:
    """Some of the archived sessions, latest first, and the values to filter them by."""
    if not files.listed(home):
        return SessionPage()  # an empty archive gets no index
    bring_up_to_date(home)
    return ask.page(home, session_filter, limit=limit, offset=offset)


def search_sessions(
    home: Home, text: str, session_filter: SessionFilter, *, limit: int
) -> list[Passage]:
    """The passages of archived sessions that decide, in 400 characters each on average."""
    turns = turns_about(home, text, session_filter, limit=_LOOKED_AT)
    turns.sort(key=lambda each: -_worth(each))
    best = max(map(_worth, turns), default=0.0) or 1.0
    sources = [Source(each.text, rank=_worth(each) / best, heading=0) for each in turns]
    chosen = decisive(text, sources, room=limit * _ROOM, piece=_PIECE, most=limit)
    pairs = zip(turns, chosen, strict=True)
    return [replace(turn, text=part.text) for turn, part in pairs if part]


def turns_about(
    home: Home, text: str, session_filter: SessionFilter, *, limit: int
) -> list[Passage]:
    """The turns of archived sessions that may answer, the best first; long ones in part."""
    bring_up_to_date(home)
    return ask.passages(home, text, session_filter, limit=limit)


def _worth(turn: Passage) -> float:
    """What a turn counts: what was said tells more than what a tool was given and printed."""
    return turn.score * (_SAID if turn.kind in _SPOKEN else 1.0)


def find_session(home: Home, session: str) -> Transcript | None:
    """A session word for word, by its id or enough of its start; None if there is none."""
    return ask.archived(home, session)


def show_session(home: Home, session: str) -> Transcript:
    """A session word for word, by its id or enough of its start. Raises NoSuchSession."""
    found = ask.archived(home, session)
    if found is None:
        raise NoSuchSession(session)
    return found


def session_of(home: Home, note: Memory) -> Transcript:
    """The session that a note was made from, word for word. Raises InvalidInput."""
    bring_up_to_date(home)
    session = ask.session_of_note(home, note.id) or note.prov_session or ""
    found = ask.archived(home, session) if session else None
    if found is None:
        raise InvalidInput(
            f"No session of note {note.id} is kept on this machine.",
            hint="Sessions stay on the machine where they ran:  anamnesis sessions",
        )
    return found


def rebuild(
    home: Home, *, from_scratch: bool = True, progress: Callable[[int, int], None] | None = None
) -> int:
    """Rebuild the archive's index, or read only what changed; returns the number of sessions."""
    if from_scratch:
        database.clear(home)
    database.refresh(home, progress=progress)
    return len(files.listed(home))


def bring_up_to_date(home: Home) -> None:
    """Read a few changed sessions now; many are read in the background."""
    if database.refresh(home, most=_READ_AT_ONCE):
        from anamnesis.hooks.background import start

        start(["reindex", "--sessions", "--if-needed"])


def without_ignored_files(turns: Sequence[Turn], cwd: str) -> list[Turn]:
    """The turns without what concerns files that `.anamnesis/ignore` names.

    That some file was edited stays: work was done.
    """
    patterns = switches.ignore_patterns(cwd) if cwd else None
    if patterns is None:
        return list(turns)
    return [
        Turn(
            who=turn.who,
            at=turn.at,
            tool=turn.tool,
            edits=("",) * len(turn.edits),
            result=_LEFT_OUT,
            failed=turn.failed,
            refused=turn.refused,
        )
        if turn.file and patterns.covers(turn.file)
        else replace(
            turn, edits=tuple(it if it and not patterns.covers(it) else "" for it in turn.edits)
        )
        for turn in turns
    ]


def _days() -> int:
    return _number("archive_days", DAYS)


def _megabytes() -> int:
    return _number("archive_mb", MEGABYTES)


def _number(key: str, default: int) -> int:
    text = config.setting(key) or ""
    return int(text) if text.isdecimal() else default
