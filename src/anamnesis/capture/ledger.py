"""What was captured from each transcript, so that nothing is captured twice or missed.

One small file per session under `<home>/state/sessions/`: the transcript's size and time when it
was read, and the note that came of it with the text that capture last had for it.
"""

from __future__ import annotations

import json
import os

from anamnesis.ground import atomic
from anamnesis.ground.errors import NotWritable
from anamnesis.ground.records import record, replace
from anamnesis.ground.state import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anamnesis.capture.summarize import SummaryResult
    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory

_MOST_ENTRIES = 5_000
_MOST_HASHES = 3  # one for each capture in a row that was killed


@record
class LedgerEntry:
    """The state of a transcript when it was last captured."""

    transcript: str
    size: int
    mtime_ns: int
    note_id: str = ""  # empty: the session was trivial
    since: str = ""  # when a fork began
    # Hashes of the body that capture wrote or was about to write; any other was edited by hand.
    body: str = ""
    # What capture last made of the session, and hashes of title and body as in `body`; empty in
    # entries of earlier versions.
    title: str = ""
    text: str = ""
    whole: str = ""
    further: str = ""  # what the next start may tell besides the note, where it has room

    def is_current(self) -> bool:
        """Whether the transcript has not changed since."""
        return stamp(self.transcript) == (self.size, self.mtime_ns)


def stamp(transcript: str) -> tuple[int, int]:
    """Size and time of a transcript; zeros if it is not there."""
    try:
        status = os.stat(transcript)
    except (OSError, ValueError):
        return 0, 0
    return status.st_size, status.st_mtime_ns


def body_hash(body: str) -> str:
    """What `LedgerEntry.body` holds for a note's body."""
    from hashlib import blake2b

    return blake2b(body.strip().encode("utf-8", "replace"), digest_size=12).hexdigest()


def read(home: Home, session: str) -> LedgerEntry | None:
    """What is known of a session, or None."""
    stored = StateFile(path_of(home, session)).record()
    try:
        known = {name: stored[name] for name in LedgerEntry.__slots__ if name in stored}  # type: ignore[attr-defined]
        return LedgerEntry(**known)
    except (ValueError, TypeError):
        return None


def write(home: Home, session: str, entry: LedgerEntry) -> None:
    """Record the state of a session; if that fails, its transcript is just read again later."""
    try:
        atomic.write_text(path_of(home, session), encoded(entry))
    except (NotWritable, UnicodeError):
        return


def announce(home: Home, sessions: Iterable[str], summary: SummaryResult) -> SummaryResult:
    """Record what is about to be written, so that after a kill it does not look like an edit.

    Of a session's first note, that is all there is until it is written.
    """
    title, body = summary.title, summary.body
    for session in sessions:
        entry = read(home, session) or LedgerEntry("", -1, 0)
        bodies = [*entry.body.split()[-_MOST_HASHES:], body_hash(body)]
        wholes = [*entry.whole.split()[-_MOST_HASHES:], _whole_hash(title, body)]
        entry = replace(entry, body=" ".join(bodies), whole=" ".join(wholes))
        if not entry.note_id:
            entry = replace(entry, title=title, text=body)
        write(home, session, entry)
    return summary


def is_ours(entry: LedgerEntry, body: str) -> bool:
    """Whether the body of a note is what was captured."""
    return not entry.body or body_hash(body) in entry.body.split()


def is_untouched(entry: LedgerEntry, *, title: str, body: str) -> bool:
    """Whether a note is as capture left it, its title included where that is known."""
    if not entry.text:
        return is_ours(entry, body)
    return _whole_hash(title, body) in entry.whole.split()


def said(entry: LedgerEntry, made: SummaryResult | Memory) -> LedgerEntry:
    """The entry once capture has made this of the session."""
    title, body = made.title, made.body
    whole, further = _whole_hash(title, body), getattr(made, "further", entry.further)
    return replace(
        entry, body=body_hash(body), title=title, text=body, whole=whole, further=further
    )


def _whole_hash(title: str, body: str) -> str:
    return body_hash(f"{title.strip()}\n\n{body}")


def encoded(entry: LedgerEntry) -> str:
    """An entry as its file has it."""
    return json.dumps({name: getattr(entry, name) for name in entry.__slots__})  # type: ignore[attr-defined]


def forget(home: Home, session: str) -> None:
    """Drop the entry of a session."""
    atomic.remove(path_of(home, session))


def drop_texts(home: Home, is_unwanted: Callable[[str, LedgerEntry], bool]) -> None:
    """Drop the texts of sessions by name and entry; how far they were captured stays known."""
    for path in _files(home):
        session = os.path.splitext(os.path.basename(path))[0]
        entry = read(home, session)
        if entry is not None and entry.text and is_unwanted(session, entry):
            atomic.write_text(
                path, encoded(replace(entry, title="", text="", whole="", further=""))
            )


def seconds_since(home: Home, session: str, *, now: float) -> float | None:
    """How long ago a session was last captured, or None."""
    try:
        return now - os.stat(path_of(home, session)).st_mtime
    except OSError:
        return None


def prune(home: Home) -> None:
    """Forget the sessions that were captured longest ago, once there are very many."""
    files = sorted(_files(home).items(), key=lambda each: each[1])
    for path, _ in files[: max(0, len(files) - _MOST_ENTRIES)]:
        atomic.remove(path)


def _files(home: Home) -> dict[str, float]:
    """The files of all entries, each with its time."""
    try:
        with os.scandir(home.state("sessions")) as entries:
            return {each.path: each.stat().st_mtime for each in entries}
    except OSError:
        return {}


def path_of(home: Home, session: str) -> str:
    """The file of a session's entry."""
    return home.captured(session)
