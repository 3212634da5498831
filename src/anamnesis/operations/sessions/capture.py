"""Turning a session into a note: from a hook, a sweep, or an old transcript."""

from __future__ import annotations

import os
import time
import zlib

from anamnesis.archive.turns import AGENT, CLIENT, Transcript, Turn
from anamnesis.capture import forked_sessions, ledger, triage
from anamnesis.capture.discovery import transcript_of
from anamnesis.capture.episodic import write_episodic
from anamnesis.capture.extract.note import ExtractSummarizer
from anamnesis.capture.lines import PACKED, can_unpack
from anamnesis.capture.model_summary import resolve_summarizer
from anamnesis.capture.privacy import clean
from anamnesis.capture.readers.claude_code import summary_of
from anamnesis.capture.session import session_of
from anamnesis.capture.story import PROMPT, story_of
from anamnesis.capture.transcript import read_transcript
from anamnesis.capture.triage import is_worth_a_note
from anamnesis.config import is_on, resolve_machine_id
from anamnesis.ground import locks
from anamnesis.ground.records import record, replace
from anamnesis.hooks import receipts, runs, switches
from anamnesis.index import queries
from anamnesis.notes import tree
from anamnesis.operations.notes import anchors
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.rules import propose_rules
from anamnesis.project import resolve_project_key, waiting_marker
from anamnesis.secrets import allow_list, redact
from anamnesis.store import MemoryStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from anamnesis.capture.recorder import Recorder
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.story import Story
    from anamnesis.capture.summarize import Summarizer, SummaryResult
    from anamnesis.config import Home
    from anamnesis.hooks.payload import Payload
    from anamnesis.notes.fields import Memory

# Every other event comes in the middle of a session: a checkpoint.
_SOURCE_OF_EVENT = {
    "": "session-end",
    "SessionEnd": "session-end",
    "PreCompact": "precompact",
    "PreCompress": "precompact",
    "PostCompact": "postcompact",
}
# A model may cost money: it is asked once a session is over, not at every checkpoint.
_FINAL = ("session-end", "sweep")
# Captured as it happens: the repository is still as the session left it.
_PRESENT = ("session-end", "precompact", "postcompact", "checkpoint")
_RECENT = 20  # recent notes of the project among which a title is unique
_LOCKS = 16  # so that sessions rarely wait for each other
_LOCK_SECONDS = 120.0  # a model may take a while to summarise
_LAG_SECONDS = (0.0, 0.2, 0.4, 0.8)  # Claude Code was seen to write the lines 0.1 s late
_REFLECT_SECONDS = 3600.0  # sessions end many times a day; knowledge changes more slowly
_CHECKPOINT_SECONDS = 600.0  # a turn may end every minute; only a crash loses what came since


@record
class Captured:
    """The outcome of a capture."""

    note: Memory | None
    message: str  # one line to read
    summary: SummaryResult | None = None  # what the note was to say; it may be merged with an edit


def source_of(payload: Payload) -> str:
    """The moment of a session that a payload is about."""
    return _SOURCE_OF_EVENT.get(payload.event, "checkpoint")


def capture(
    home: Home,
    payload: Payload,
    *,
    source: str,
    transcript: str | None = None,
    project: str | None = None,
    was_on: bool = False,
) -> Captured:
    """Capture the session of a payload or a transcript; one note per session.

    `was_on`: memory was not paused when the session ended, whatever happened since.
    """
    path = transcript or payload.transcript_path or transcript_of(payload.session_id)
    if not path:
        return Captured(None, "no transcript")
    if transcript and not os.path.exists(transcript):
        return Captured(None, f"there is no transcript at {transcript}")
    if path.endswith(PACKED) and not can_unpack():
        return Captured(None, f"{path} is compressed; install zstd to read it")
    with _one_at_a_time(home, payload.session_id or os.path.basename(path)):
        if source == "checkpoint" and _is_too_soon(home, payload.session_id):
            return Captured(None, "captured a moment ago")
        return _captured(home, payload, path, source=source, project=project, was_on=was_on)


def _captured(
    home: Home, payload: Payload, path: str, *, source: str, project: str | None, was_on: bool
) -> Captured:
    stamp = ledger.stamp(path)  # taken first: lines added while reading count as new the next time
    recorder, since = _caught_up(home, payload, path)
    read = recorder.transcript()
    id, cwd = read.header.session or payload.session_id, read.header.cwd or payload.cwd or "."
    read = replace(read, header=replace(read.header, session=id, cwd=cwd))
    if not project and waiting_marker(cwd):
        from anamnesis.operations.sessions import project_markers

        project_markers.accept_if_in_use(home, cwd)
    project = project or resolve_project_key(cwd)
    known = ledger.read(home, id)
    names = {id, payload.session_id} - {""}
    if off := _why_off(home, names, project=project, cwd=cwd, was_on=was_on):
        for name in names:
            switches.stand_back(home, name)
        captured = Captured(None, off)
    else:
        kept = archive.kept_session(home, id)
        whole = archive.whole_session(home, read, known=kept)
        # What was kept before a file was to be ignored is not told any more.
        mine = replace(whole, turns=archive.without_ignored_files(whole.turns, cwd))
        told = _with_message(home, mine, payload, recorder)
        captured = _noted(home, told, known, names=names, project=project, source=source)
        if archive.is_on() and whole.turns and id and not _forgotten(home, id):
            note = captured.note or _note_of(home, known)
            archive.keep(
                home, whole, known=kept, project=note.project if note else project, note=note
            )
        if recorder.foreign.notes:
            from anamnesis.operations.sessions import foreign_reading

            foreign_reading.mark_notes(home, recorder.foreign)
    entry = replace(_entry(path, stamp, captured, known), since=since)
    # A sweep knows a session by its file name, which need not be its id.
    for name in names:
        ledger.write(home, name, entry)
    return captured


def _with_message(
    home: Home, whole: Transcript, payload: Payload, recorder: Recorder
) -> Transcript:
    """The session with what the client reports and has not written to its file yet."""
    turn = None
    if payload.compact_summary:
        turn = Turn(who=CLIENT, at=recorder.at, text=clean(summary_of(payload.compact_summary)))
    elif payload.last_message and recorder.has_begun and not session_of(whole).last_outcome:
        turn = Turn(who=AGENT, at=recorder.at, text=clean(payload.last_message))
    if turn is None:
        return whole
    text = redact(recorder.foreign.without(turn.text), allow=allow_list(home))
    return replace(whole, turns=[*whole.turns, replace(turn, text=text)])


def _noted(
    home: Home,
    told: Transcript,
    known: ledger.LedgerEntry | None,
    *,
    names: set[str],
    project: str,
    source: str,
) -> Captured:
    """Write the note of a session, unless it is to have none."""
    session, story = session_of(told), story_of(told)
    treatment = triage.treatment(story)
    if treatment == triage.NONE:
        return Captured(None, f"skipped non-interactive session ({project})")
    if treatment == triage.FOLDED and session.session_id:
        return _fold(home, session, story, known, names=names, project=project, source=source)
    return _write(home, session, story, known, names=names, project=project, source=source)


def _note_of(home: Home, known: ledger.LedgerEntry | None) -> Memory | None:
    """The note of an earlier capture of the session."""
    if known is None or not known.note_id:
        return None
    with MemoryStore(home) as store:
        return store.get(known.note_id)


def _why_off(home: Home, sessions: set[str], *, project: str, cwd: str, was_on: bool) -> str:
    if any(switches.stood_back(home, session) for session in sessions):
        return "memory was switched off during this session"
    off = switches.why_off(home, project=project, cwd=cwd)
    return "" if was_on and off.startswith(switches.PAUSED) else off


def _one_at_a_time(home: Home, session: str) -> AbstractContextManager[None]:
    """A lock from reading the ledger to writing it: several hooks may report a session at once.

    Between the two, a captured note is not in the ledger yet and would look like a manual edit.
    """
    number = zlib.crc32(session.encode("utf-8", "replace")) % _LOCKS
    path = home.lock(f"session-{number}")
    return locks.held(path, name="capture", timeout=_LOCK_SECONDS)


def _fold(
    home: Home,
    session: ParsedSession,
    story: Story,
    known: ledger.LedgerEntry | None,
    *,
    names: Iterable[str],
    project: str,
    source: str,
) -> Captured:
    """Add a run to the note that all runs of its prompt share."""
    name = triage.ledger_name(session, project=project)
    # Scripts start several runs at once, and none would find the others' note.
    with locks.held(home.lock("runs"), name="capture", timeout=_LOCK_SECONDS):
        shared = ledger.read(home, name)
        own = known.note_id if known else ""
        goes_on = len(story.of(PROMPT)) > 1  # it became a conversation; no run may replace it
        if (own and (shared is None or shared.note_id != own)) or (goes_on and not own):
            return _write(home, session, story, known, names=names, project=project, source=source)
        captured = _write(
            home, session, story, shared, names=[name], project=project, source=source
        )
        if captured.note is not None and goes_on:
            ledger.forget(home, name)
        elif captured.note is not None:
            ledger.write(home, name, _said(ledger.LedgerEntry("", 0, 0), captured))
    return captured


def _write(
    home: Home,
    session: ParsedSession,
    story: Story,
    known: ledger.LedgerEntry | None,
    *,
    names: Iterable[str],
    project: str,
    source: str,
) -> Captured:
    """Write the note that the ledger knows under `names`."""
    if not is_worth_a_note(session, story):
        return Captured(None, f"skipped trivial session ({project})")
    with MemoryStore(home) as store:
        if left := _forgotten(home, session.session_id) or _left_alone(store, known):
            return Captured(None, left)
        earlier = store.get(known.note_id) if known and known.note_id else None
        ids = triage.runs_of(earlier, session.session_id)
        session = replace(session, session_id=ids[0])
        patterns = switches.ignore_patterns(session.cwd)
        extract = ExtractSummarizer(
            story,
            taken=recent_titles(store, project, session),
            earlier=earlier.body if earlier and len(ids) == 1 else "",
            is_ignored=patterns.covers if patterns else None,
        )
        summarizer = resolve_summarizer(extract, story=story) if source in _FINAL else extract
        said: list[SummaryResult] = []
        note = write_episodic(
            store,
            session,
            summarizer=triage.Counting(summarizer, runs=len(ids)),
            project=project,
            source=source,
            machine_id=resolve_machine_id(),
            allow=allow_list(home),
            last=known,
            announce=lambda summary: said.append(ledger.announce(home, names, summary)),
        )
        if note is not None and len(ids) > 1:
            note = store.revise(note.id, lambda note: triage.naming(note, ids))
        if note is not None and source in _PRESENT:
            note = anchors.place(store, note, cwd=session.cwd, branch=session.git_branch)
        if note is not None and source != "backfill":
            propose_rules(store, story, note)
    if source in _FINAL:
        _note_trouble(home, summarizer)
    if note is None or not said:
        return Captured(None, "the summariser skipped this session")
    edited = "" if note.body.strip() == said[0].body.strip() else ", which was edited by hand"
    return Captured(note, f"wrote episodic note {note.id}{edited}", said[0])


def _note_trouble(home: Home, summarizer: Summarizer) -> None:
    """Record that the model did not answer: the note written without it looks fine."""
    if trouble := getattr(summarizer, "trouble", ""):
        runs.failed(home, "summarising", trouble)
    else:
        runs.worked(home, "summarising")


def _is_too_soon(home: Home, session: str) -> bool:
    known = ledger.read(home, session)
    if known is None or not known.note_id:
        return False  # no note yet
    ago = ledger.seconds_since(home, session, now=time.time())
    return ago is not None and ago < _CHECKPOINT_SECONDS


def recent_titles(store: MemoryStore, project: str, session: ParsedSession) -> list[str]:
    """The titles of a project's latest session notes, except this session's."""
    latest = store.ask(
        lambda db: queries.latest(db, project=project, types=["episodic"], limit=_RECENT)
    )
    return [note.title for note in latest if note.prov_session != session.session_id]


def _began_at(home: Home, payload: Payload, path: str) -> str:
    """When a fork began; empty for every other session."""
    if not payload.session_id:
        return ""
    if forked_at := receipts.forked_at(home, payload.session_id):
        return forked_at
    known = ledger.read(home, payload.session_id)
    return known.since if known and known.note_id else forked_sessions.began_at(home, path)


def _caught_up(home: Home, payload: Payload, path: str) -> tuple[Recorder, str]:
    """The transcript, once it holds the last answer that the client has reported.

    And the time from which it belongs to this session alone.
    """
    for seconds in _LAG_SECONDS:
        time.sleep(seconds)
        since = _began_at(home, payload, path)
        recorder = read_transcript(path, since=since, whole=archive.is_on())
        if recorder.has_begun or not payload.last_message:
            break
    return recorder, since


def _forgotten(home: Home, session: str) -> str:
    return "this session was forgotten" if tree.is_forgotten_session(home, session) else ""


def _left_alone(store: MemoryStore, before: ledger.LedgerEntry | None) -> str:
    """Why a note is left alone: it was deleted, or rewritten by hand and nobody knows from what."""
    if before is None or not before.note_id:
        return ""
    note = store.get(before.note_id)
    if note is None:
        return f"note {before.note_id} was deleted; not written again"
    if not before.text and not ledger.is_ours(before, note.body):
        return f"note {before.note_id} was edited by hand; left alone"
    return ""


def _entry(
    path: str, stamp: tuple[int, int], captured: Captured, known: ledger.LedgerEntry | None
) -> ledger.LedgerEntry:
    """The ledger entry: how far the transcript was read, and its note."""
    entry, path = known or ledger.LedgerEntry("", 0, 0), os.path.abspath(path)
    return _said(replace(entry, transcript=path, size=stamp[0], mtime_ns=stamp[1]), captured)


def _said(entry: ledger.LedgerEntry, captured: Captured) -> ledger.LedgerEntry:
    if captured.note is None or captured.summary is None:
        return entry
    # Without the archive, only the note tells what was said.
    told = captured.summary if archive.is_on() else replace(captured.summary, further="")
    return ledger.said(replace(entry, note_id=captured.note.id), told)


def reflect_in_background(home: Home) -> bool:
    """Start a reflection in the background if that is on; at most once an hour."""
    if not is_on("reflect_auto", default=False):
        return False
    from anamnesis.hooks import background

    background.start_now_and_then(home, ["reflect", "--apply"], every=_REFLECT_SECONDS)
    return True
