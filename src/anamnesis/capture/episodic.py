"""One note per session, updated in place while the session goes on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from anamnesis.capture.triage import is_trivial_session
from anamnesis.ground import locks
from anamnesis.ground.errors import NoteChangedOnDisk
from anamnesis.ground.records import replace
from anamnesis.index.queries import session_note
from anamnesis.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.summarize import Summarizer, SummaryResult
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

SOURCES = ("session-end", "precompact", "postcompact", "checkpoint", "sweep", "backfill")
_PASSING = ("checkpoint", "sweep", "backfill")  # moments that need no note on their own
_LOCK_SECONDS = 30.0  # the lock is held for one note; ten sessions that end at once take turns
_OLD = timedelta(hours=1)
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
    announce: Callable[[str], None] | None = None,
) -> Memory | None:
    """The session's note, written or updated; None if the session is not worth one.

    `announce` gets the text before a note is changed.
    """
    summary = summarised(session, summarizer=summarizer, allow=allow)
    if summary is None:
        return None
    with locks.held(_lock_path(store), name="capture", timeout=_LOCK_SECONDS):
        note_id: str | None = store.ask(lambda db: session_note(db, session.session_id))
        if note_id is not None:
            if announce:
                announce(summary.body)
            return _update(store, note_id, summary, source)
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
    return replace(summary, title=title, body=body)


def _create(
    store: MemoryStore,
    session: ParsedSession,
    summary: SummaryResult,
    *,
    project: str,
    source: str,
    machine_id: str,
) -> Memory:
    note = store.write(
        type="episodic",
        title=summary.title,
        body=summary.body,
        project=project,
        machine_id=machine_id,
        tags=["session", source],
        prov_source="session-end",
        prov_session=session.session_id,
        prov_model=summary.prov_model,
    )
    ended = _ended_long_ago(session.ended_at)
    return store.put(replace(note, created_at=ended, updated_at=ended)) if ended else note


def _ended_long_ago(ended_at: str) -> str:
    """When an old session ended, so that it does not look like the latest one."""
    try:
        ended = datetime.fromisoformat(ended_at).astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    if datetime.now(UTC) - ended < _OLD:
        return ""
    return ended.isoformat(timespec="seconds")


def _update(store: MemoryStore, id: str, summary: SummaryResult, source: str) -> Memory | None:
    for _ in range(3):
        file = store.read(id)
        if file is None:
            return None
        note = file.note
        content = {"title": summary.title, "body": summary.body, "prov_model": summary.prov_model}
        is_news = any(getattr(note, name) != value for name, value in content.items())
        if not is_news and (source in note.tags or source in _PASSING):
            return note
        # What was distilled earlier does not cover what came since.
        ours = {*SOURCES, "session", *(["reflected"] if is_news else [])}
        kept = [tag for tag in note.tags if tag not in ours]
        changed = replace(note, **content, tags=["session", source, *kept])
        try:
            return store.update(changed, expected_hash=file.hash)
        except NoteChangedOnDisk:
            continue
    return store.get(id)


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
