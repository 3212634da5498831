"""What a session starts with."""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.aliases import names_of
from anamnesis.carried import bridged
from anamnesis.config import resolve_machine_id
from anamnesis.git.config import current_branch
from anamnesis.ground.counting import counted
from anamnesis.ground.records import replace
from anamnesis.ground.state import StateFile
from anamnesis.hooks import news, receipts, runs, switches
from anamnesis.index import queries
from anamnesis.inject import clip, plan, render, select
from anamnesis.operations.care.checks import SESSION, Subject, examined, sessions
from anamnesis.operations.machine import checkouts
from anamnesis.operations.notes.masking import masked, masked_text
from anamnesis.project import GLOBAL, key_without_markers, resolve_project_key, waiting_marker
from anamnesis.store import IndexBroken, MemoryStore
from anamnesis.text import clipping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anamnesis.anchors.standing import Standing
    from anamnesis.config import Home
    from anamnesis.hooks.payload import Payload
    from anamnesis.notes.fields import Memory
    from anamnesis.operations.care.checks import Check, Finding

SETTING = "moment_start"
_LONGEST_NOTICE = 200  # characters of what is to be passed on


def inject(
    home: Home,
    payload: Payload,
    *,
    project: str | None = None,
    k: int | None = None,
    format: str = "claude",
    limit: int | None = None,
) -> str:
    """The working set of the project in the client's format; leaves a receipt."""
    cwd = payload.cwd or "."
    project = project or _project_of(home, cwd)
    off = "" if config.is_on(SETTING, default=True) else f"{SETTING} is off"
    if off := off or switches.why_off(home, project=project, cwd=cwd):
        runs.note_run(home, "inject", did=off, session=payload.session_id)
        return ""
    _look_again_if_moved(home, cwd, project)
    session, limit = payload.session_id, limit or render.LIMITS.get(format, clip.LIMIT)
    if config.is_ephemeral():
        from anamnesis.operations.travel import sync

        sync.arrive(home)
    _await_other_machines(home, payload, format)
    checks = sessions.at_session_start(home)
    tells_user = bool(payload.event) and format in render.TELLS_USER
    try:
        with MemoryStore(home, hurried=True) as store:
            store.look_beside(cwd)
            found = _findings(home, checks, store=store, cwd=cwd)
            start = _plan_of(
                store, project=project, k=k, cwd=cwd, session=session, limit=limit,
                notices=[] if tells_user else _in_one_line(found), client=format,
                compacted=payload.source == "compact",
            )  # fmt: skip
            if store.lags or store.unindexed or (store.beside and store.beside.lags):
                _bring_up_to_date(home)
    except IndexBroken:
        found = _findings(home, [check for check in checks if not check.needs_index], cwd=cwd)
        notices = [] if tells_user else _in_one_line(found)
        start = _unindexed(home, project=project, session=session, limit=limit, notices=notices)
    _leave_receipt(home, payload, project, start)
    message = _to_user(found) if tells_user else ""
    event = payload.event or "SessionStart"
    return render.wrapped(start.text, format=format, event=event, message=message)


def _look_again_if_moved(home: Home, cwd: str, project: str) -> None:
    """Let git be asked, in the background, whether a repository with a new key is the same one."""
    known = checkouts.known(home, cwd)
    if known.key and known.key != project and known.key != key_without_markers(cwd):
        from anamnesis.hooks import background

        background.start(["project", "show", os.path.abspath(cwd)])


def _project_of(home: Home, cwd: str) -> str:
    if waiting_marker(cwd):
        from anamnesis.operations.sessions import project_markers

        project_markers.accept_if_in_use(home, cwd)
    return resolve_project_key(cwd)


def _await_other_machines(home: Home, payload: Payload, format: str) -> None:
    """Wait a moment for the background sync; later arrivals come with a prompt."""
    if not news.may_come(payload.source):
        return
    is_due, by_hook = news.is_due(home), format in render.SYNC_AT_START
    if is_due and not by_hook:
        from anamnesis.hooks import background

        background.start(["sync"])
    if not is_due:
        running = by_hook and runs.last_exchange(home).worked
        news.promise(home, payload.session_id, is_running=running)
    elif not news.wait(home):
        news.promise(home, payload.session_id)


def preview(
    store: MemoryStore,
    *,
    project: str,
    k: int | None = None,
    limit: int = clip.LIMIT,
    cwd: str = "",
) -> plan.Plan:
    """What a new session of the project would get now, and why; leaves no trace."""
    return _plan_of(store, project=project, k=k, cwd=cwd, session="", limit=limit)


def explain_start(
    home: Home,
    payload: Payload,
    *,
    project: str | None = None,
    k: int | None = None,
    limit: int | None = None,
) -> str:
    """The plan of a session that would start now, as text; leaves no trace."""
    from anamnesis.inject.plan import explained

    cwd = payload.cwd or "."
    with MemoryStore(home, hurried=True) as store:
        key = project or _project_of(home, cwd)
        store.look_beside(cwd)
        return explained(preview(store, project=key, k=k, limit=limit or clip.LIMIT, cwd=cwd))


def _plan_of(
    store: MemoryStore,
    *,
    project: str,
    k: int | None,
    cwd: str,
    session: str,
    limit: int,
    notices: Sequence[str] = (),
    client: str = "",
    compacted: bool = False,
) -> plan.Plan:
    branch = current_branch(cwd) if cwd else ""
    unmerged = {*checkouts.known(store.home, cwd).unmerged} - {branch} if cwd else set()
    projects = {*names_of(store.home, project), GLOBAL}
    known = sum(
        store.ask_each(lambda db: queries.count_shown(db, projects=projects, session=session))
    )
    code, not_here = _moved_on(store.home, cwd)
    remarks = {id: about.remark for id, about in code.items()}
    notes: dict[str, Memory | None] = {}
    carried = _carried(store, notes, most=select.USUAL if client else select.MANY, client=client)

    def read(id: str) -> Memory | None:
        if id not in notes:
            notes[id] = store.look_up(id)
        return notes[id]

    def start_of(most: int, *, fits: bool = True) -> plan.Plan:
        chosen = select.candidates(
            store, project=project, k=k, session=session, machine=resolve_machine_id(),
            branch=branch, most=most, compacted=compacted, not_here=not_here or (),
        )  # fmt: skip
        if client == "claude":
            chosen = _not_with_client(store.home, chosen)
        if carried:
            chosen = select.with_carried(chosen, carried)
        chosen = _with_code(chosen, code)
        # A reflected session that still has open points is given, but not counted.
        shown = sum(
            "reflected" not in each.note.tags and each.slot != select.SELF for each in chosen
        )
        beyond = max(0, known - shown)
        start = plan.make_plan(
            chosen,
            read=read,
            limit=limit,
            notices=notices,
            beyond=beyond,
            project=project,
            unmerged=unmerged,
            fits=fits,
            remarks=remarks,
            further=lambda note: _further(store.home, note),
            not_here=not_here,
        )
        return replace(start, text=_masked(store, start))

    if not client:
        return start_of(select.MANY)
    start = start_of(select.USUAL)
    if not start.has_room_for_more(select.USUAL):
        return start
    # Short notes leave room for more of them. Where some did not fit whole, all do not either.
    return start_of(select.MANY, fits=len(start.shown(plan.WHOLE)) == len(start.entries))


def _masked(store: MemoryStore, start: plan.Plan) -> str:
    if store.unindexed is not None:  # no index says which of the repository's notes has a secret
        return masked_text(store.home, start.text)
    return masked(store, start.text, of=[each.note.id for each in start.entries])


def _carried(
    store: MemoryStore, notes: dict[str, Memory | None], *, most: int, client: str
) -> list[Memory]:
    """The notes of the repository for a start, without those that the client reads anyway.

    `notes` gets those that had to be read for it.
    """
    if store.unindexed is not None:
        from anamnesis.inject import without_index

        read = without_index.of_checkout(store.unindexed)
        notes.update(read)
        read_anyway = bridged(store.unindexed, client)
        return [n for n in read.values() if n.type != "episodic" and n.id not in read_anyway]
    if store.beside is None:
        return []
    key = store.beside.checkout.project
    found = store.beside.ask(lambda db: select.durable(db, key, most))
    others = store.doubles(note.id for note in found).others | bridged(store.beside.home, client)
    return [note for note in found if note.id not in others]


def _moved_on(home: Home, cwd: str) -> tuple[Mapping[str, Standing], set[str] | None]:
    """What became of the code of notes, and which sessions ended on commits not contained here."""
    if not cwd or not os.path.isdir(home.state("anchors")):
        return {}, None
    from anamnesis.anchors.standing import last_look

    return last_look(home, cwd)


def _with_code(
    chosen: list[select.Candidate], code: Mapping[str, Standing]
) -> list[select.Candidate]:
    """The candidates without durable notes on code that is gone; a session tells what was."""
    gone = {id for id, about in code.items() if about.is_gone}
    return [each for each in chosen if each.note.id not in gone or each.note.type == "episodic"]


def _further(home: Home, note: Memory) -> str:
    """What a session of this machine told that its note has no room for."""
    known = StateFile(home.captured(note.prov_session)).record() if note.prov_session else {}
    further = known.get("further") if known.get("note_id") == note.id else ""
    return further if isinstance(further, str) else ""


def _not_with_client(home: Home, chosen: list[select.Candidate]) -> list[select.Candidate]:
    """The candidates without notes that the client loads itself."""
    if not any("import" in each.note.tags for each in chosen):
        return chosen
    from anamnesis.hooks import native_notes

    loaded = native_notes.with_client(home)
    return [each for each in chosen if each.note.id not in loaded]


def _unindexed(
    home: Home, *, project: str, session: str, limit: int, notices: list[str]
) -> plan.Plan:
    """What can be given while the index is being built."""
    from anamnesis.inject import without_index

    _bring_up_to_date(home)
    notes = without_index.newest_notes(home, project=project, session=session)
    chosen = without_index.candidates(notes)
    notices = [*notices, without_index.NOTICE] if notes else notices
    start = plan.make_plan(chosen, read=notes.get, limit=limit, notices=notices, project=project)
    return replace(start, text=masked_text(home, start.text))


def _bring_up_to_date(home: Home) -> None:
    from anamnesis.hooks import background

    background.update_index(home)


def _findings(
    home: Home, checks: Sequence[Check], *, cwd: str, store: MemoryStore | None = None
) -> list[Finding]:
    return list(examined(Subject(home, store=store, cwd=cwd), checks, face=SESSION))


def _to_user(found: Sequence[Finding]) -> str:
    """What needs you, for a client that shows it to you."""
    return "\n".join(f"Anamnesis: {each.sentence}. Run: {each.remedy}" for each in found)


def _in_one_line(found: Sequence[Finding]) -> list[str]:
    """The same for an agent that may pass it on: at most a line, whatever there is."""
    if not found:
        return []
    named = f"{found[0].sentence} ({found[0].remedy.partition(' #')[0]})"
    more = f", and {len(found) - 1} more (anamnesis status)" if found[1:] else ""
    return [f"Anamnesis, for the user: {clipping.clipped(named, _LONGEST_NOTICE)}{more}."]


def _leave_receipt(home: Home, payload: Payload, project: str, start: plan.Plan) -> None:
    given = [
        receipts.GivenNote(
            entry.note.id, entry.candidate.why, entry.units, whole=entry.form == plan.WHOLE
        )
        for entry in start.entries
        if entry.form != plan.OUT
    ]
    size = clipping.units(start.text)
    receipts.write(
        home,
        event="inject",
        session=payload.session_id,
        project=project,
        source=payload.source,
        given=given,
        units=size,
    )
    notes = counted(len(start.shown(plan.WHOLE, plan.CLIPPED)), "note")
    titles = counted(len(start.shown(plan.LINE, plan.TITLE)), "title")
    did = f"{notes} and {titles} for {project}, {size} units"
    runs.note_run(home, "inject", did=did, session=payload.session_id)
    runs.worked(home, "inject")
