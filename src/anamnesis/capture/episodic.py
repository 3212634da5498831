"""One note per session, updated in place while the session goes on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from anamnesis.capture import ledger
from anamnesis.capture.triage import is_trivial_session
from anamnesis.ground import locks
from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import NoteChangedOnDisk
from anamnesis.ground.records import replace
from anamnesis.index.queries import session_note
from anamnesis.notes.fields import Memory, new_id
from anamnesis.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anamnesis.capture.ledger import LedgerEntry
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.summarize import Summarizer, SummaryResult
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

SOURCES = ("session-end", "precompact", "postcompact", "checkpoint", "sweep", "backfill")
_PASSING = ("checkpoint", "sweep", "backfill")  # moments that need no note on their own
_LOCK_SECONDS = 30.0  # the lock is held for one note; ten sessions that end at once take turns
_OLD = timedelta(hours=1)
_TRIES = 10  # saves of others in a row; then the sweep captures the session again
# Secrets are redacted before a text is clipped: half a token is no longer recognisable. Text beyond
# this length can never reach the note.
_REDACTED_LENGTH = 20_000


def write_episodic(
    store: MemoryStore,
    session: ParsedSession,
    *,
    summarizer: Summarizer,
    project: str,
    source: str,
    machine_id: str,
    allow: Iterable[str] = (),
    last: LedgerEntry | None = None,
    announce: Callable[[SummaryResult], None] | None = None,
) -> Memory | None:
    """The session's note, written or updated; None if the session is not worth one.

    `last` is what is known of the last capture: a note that says anything else was edited since,
    and keeps what you wrote. `announce` gets the summary before a note is changed. Raises
    NoteChangedOnDisk if others keep saving the note.
    """
    summary = summarised(session, summarizer=summarizer, allow=allow)
    if summary is None:
        return None
    with locks.held(_lock_path(store), name="capture", timeout=_LOCK_SECONDS):
        note_id: str | None = store.ask(lambda db: session_note(db, session.session_id))
        if note_id is None and last is not None and last.note_id:
            return None  # it was deleted a moment ago
        if announce:
            announce(summary)
        if note_id is not None:
            return _update(store, note_id, summary, source, last)
        return _create(
            store, session, summary, project=project, source=source, machine_id=machine_id
        )


def summarised(
    session: ParsedSession, *, summarizer: Summarizer, allow: Iterable[str] = ()
) -> SummaryResult | None:
    """The summary for a session's note, without secrets; None if it is not worth a note."""
    if is_trivial_session(session):
        return None
    allowed = tuple(allow)
    session = _without_secrets(
        session, allowed, conversation=getattr(summarizer, "reads_conversation", True)
    )
    summary = summarizer.summarize(session)
    if summary is None:
        return None
    # A model may have joined pieces again.
    title, body = redact(summary.title, allow=allowed), redact(summary.body, allow=allowed)
    return replace(summary, title=title, body=body, further=redact(summary.further, allow=allowed))


def _create(
    store: MemoryStore,
    session: ParsedSession,
    summary: SummaryResult,
    *,
    project: str,
    source: str,
    machine_id: str,
) -> Memory:
    at = _ended_long_ago(session.ended_at) or utcnow()
    return store.create(
        Memory(
            id=new_id(),
            type="episodic",
            title=summary.title,
            body=summary.body,
            project=project,
            machine_id=machine_id,
            scope="portable",
            tags=["session", source],
            created_at=at,
            updated_at=at,
            prov_source="session-end",
            prov_session=session.session_id,
            prov_model=summary.prov_model,
        )
    )


def _ended_long_ago(ended_at: str) -> str:
    """When an old session ended, so that it does not look like the latest one."""
    try:
        ended = datetime.fromisoformat(ended_at).astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    if datetime.now(UTC) - ended < _OLD:
        return ""
    return ended.isoformat(timespec="seconds")


def _update(
    store: MemoryStore, id: str, summary: SummaryResult, source: str, last: LedgerEntry | None
) -> Memory | None:
    """The note with a new summary; what others wrote stays, also if they did a moment ago."""
    tries = 0
    while True:
        read = store.read(id)
        if read is None:
            return None
        try:
            return _updated(store, read, summary, source, last)
        except NoteChangedOnDisk:
            tries += 1
            if tries == _TRIES:
                raise


def _updated(
    store: MemoryStore,
    read: ReadNote,
    summary: SummaryResult,
    source: str,
    last: LedgerEntry | None,
) -> Memory:
    note, changed = read.note, _changed(read.note, summary, source)
    if last and not ledger.is_untouched(last, title=note.title, body=note.body):
        return _merged(store, read, summary, source, last)
    if _content(note) == _content(changed) and (source in note.tags or source in _PASSING):
        return note
    if last is None:  # whose text that is cannot be known: it can be brought back
        from anamnesis.history import undo

        return undo.replaced(store, changed, before=read, kind="capture").note
    return store.update(changed, expected_hash=read.hash)


def _merged(
    store: MemoryStore, read: ReadNote, summary: SummaryResult, source: str, last: LedgerEntry
) -> Memory:
    """A note that you edited, with what capture has to add; yours stands where both differ.

    What capture made of the session is then kept for undo. Without its last text the two cannot be
    told apart, and the note is left alone.
    """
    if not last.text or ledger.is_untouched(last, title=summary.title, body=summary.body):
        return read.note
    from anamnesis.history import undo
    from anamnesis.sync.prose import weave

    note = read.note
    base = note.body if ledger.is_ours(last, note.body) else last.text
    woven = weave(base.strip(), note.body.strip(), summary.body.strip(), mine_first=True)
    title = summary.title if note.title == last.title else note.title
    is_whole = woven.clean and summary.title in (title, last.title)
    merged = _changed(note, replace(summary, title=title, body=woven.kept), source)
    if is_whole:
        return store.update(merged, expected_hash=read.hash)
    merged = replace(merged, updated_at=utcnow())
    whole = _changed(note, summary, source)
    return undo.kept_apart(store, merged, before=read, other=whole, kind="capture")


def _changed(note: Memory, summary: SummaryResult, source: str) -> Memory:
    changed = replace(note, title=summary.title, body=summary.body, prov_model=summary.prov_model)
    # What was distilled earlier does not cover what came since.
    is_news = _content(note) != _content(changed)
    ours = {*SOURCES, "session", *(["reflected"] if is_news else [])}
    kept = [tag for tag in note.tags if tag not in ours]
    return replace(changed, tags=["session", source, *kept])


def _content(note: Memory) -> tuple[str, str, str]:
    return note.title, note.body, note.prov_model


def _lock_path(store: MemoryStore) -> str:
    return store.home.lock("capture")


def _without_secrets(
    session: ParsedSession, allowed: tuple[str, ...], *, conversation: bool
) -> ParsedSession:
    def clean(text: str) -> str:
        return redact(text[:_REDACTED_LENGTH], allow=allowed)

    return replace(
        session,
        first_prompt=clean(session.first_prompt),
        last_outcome=clean(session.last_outcome),
        compact_summary=clean(session.compact_summary),
        files_touched=[clean(path) for path in session.files_touched],
        git_branch=clean(session.git_branch),
        raw="",
        conversation=redact(session.conversation, allow=allowed) if conversation else "",
    )
