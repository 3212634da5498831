"""What comes with a prompt: notes that answer it, news of other machines, dropped memory."""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.aliases import names_of
from anamnesis.ground.counting import counted
from anamnesis.ground.records import replace
from anamnesis.hooks import news, receipts, runs, switches
from anamnesis.inject import render
from anamnesis.inject.prompt import ShownMatch, is_worth_a_look, recall, rendered
from anamnesis.operations.notes.masking import masked, masked_note
from anamnesis.project import GLOBAL, resolve_project_key
from anamnesis.text import clipping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from anamnesis.archive.ask import Passage
    from anamnesis.config import Home
    from anamnesis.hooks.payload import Payload
    from anamnesis.hooks.receipts import GivenNote
    from anamnesis.inject.prompt import Match
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.search.prompt import PromptAnswer
    from anamnesis.store import MemoryStore

SETTING = "moment_prompt"
_MOST_PASSAGES = 3  # of earlier sessions
_MOST_UNITS_OF_NEWS = 3_000
_SOURCES = {"recall": "prompt", "news": "sync"}  # where what a receipt lists came from


def recall_for_prompt(
    home: Home, payload: Payload, *, project: str | None = None, format: str = "claude"
) -> str:
    """The few notes that answer the prompt, in the client's format, or nothing."""
    prompt = _as_typed(payload.prompt)
    memory = _memory_again(home, payload, project, format)
    news = _news(home, payload, project)
    text, shown = "", list[ShownMatch]()
    if is_worth_a_look(prompt) and config.is_on(SETTING, default=True):
        cwd = payload.cwd or "."
        project = project or resolve_project_key(cwd)
        if switches.why_off(home, project=project, cwd=cwd):
            switches.stand_back(home, payload.session_id)
        else:
            text, shown = rendered(_answers(home, payload, prompt, project))
    if shown:
        given = [
            receipts.GivenNote(
                each.match.note.id, each.match.answer.why, each.units, whole=each.whole
            )
            for each in shown
        ]
        _leave_receipt(home, payload, "recall", project=project or "", given=given, text=text)
    did = f"{counted(len(shown), 'note')} for a prompt"
    runs.note_run(home, "recall-hook", did=did, session=payload.session_id)
    runs.worked(home, "recall")
    text = "\n\n".join(filter(None, (memory, news, text)))
    return render.wrapped(text, format=format, event=payload.event or "UserPromptSubmit")


def _memory_again(home: Home, payload: Payload, project: str | None, format: str) -> str:
    """What the session started with, if its client has dropped it."""
    if not news.is_memory_owed(home, payload.session_id):
        return ""
    from anamnesis.operations.sessions.inject import inject

    started = replace(payload, source="compact")
    limit = render.LIMITS.get(format)
    text = inject(home, started, project=project, format="text", limit=limit)
    news.memory_given(home, payload.session_id)
    return text.strip()


def _news(home: Home, payload: Payload, project: str | None) -> str:
    """What other machines sent after the session had started, as text with a receipt."""
    if not (ids := news.since_start(home, payload.session_id)):
        return ""
    cwd = payload.cwd or "."
    project = project or resolve_project_key(cwd)
    if switches.why_off(home, project=project, cwd=cwd):
        return ""
    notes = _arrived_notes(home, payload, ids, project)
    return _news_text(home, payload, project, notes) if notes else ""


def _arrived_notes(
    home: Home, payload: Payload, ids: Sequence[NoteId], project: str
) -> list[Memory]:
    """Those of the project and of all projects that another machine wrote."""
    from anamnesis.index.queries import admitted
    from anamnesis.store import IndexBroken, MemoryStore

    known = receipts.already_given(home, payload.session_id)
    try:
        with MemoryStore(home, hurried=True) as store:
            allowed = store.ask(lambda db: admitted(db, ids)) - store.superseded_ids() - known
            notes = [
                masked_note(store, note) for id in ids if id in allowed and (note := store.get(id))
            ]
    except IndexBroken:
        return []
    here, projects = config.resolve_machine_id(), (*names_of(home, project), GLOBAL)
    return [note for note in notes if note.project in projects and note.machine_id != here]


def _news_text(home: Home, payload: Payload, project: str, notes: list[Memory]) -> str:
    from anamnesis.inject import plan
    from anamnesis.inject.select import ELSEWHERE, LAST, Candidate

    sessions = [note for note in notes if note.type == "episodic"]
    latest = max(sessions, key=lambda note: note.updated_at, default=None)  # which is continued
    machines = dict.fromkeys(note.machine_id for note in notes)
    start = plan.make_plan(
        [
            Candidate(note, f"new from {note.machine_id}", LAST if note is latest else ELSEWHERE)
            for note in notes
        ],
        read={note.id: note for note in notes}.get,
        limit=_MOST_UNITS_OF_NEWS,
        notices=[f"new from {machine}" for machine in machines],
    )
    given = [
        receipts.GivenNote(
            each.note.id, each.candidate.why, each.units, whole=each.form == plan.WHOLE
        )
        for each in start.entries
        if each.form != plan.OUT
    ]
    _leave_receipt(home, payload, "news", project=project, given=given, text=start.text)
    return start.text.strip()


def _as_typed(prompt: str) -> str:
    if "<hook_context" not in prompt and "<system" not in prompt:
        return prompt
    # Gemini puts earlier hook output into the prompt itself.
    from anamnesis.capture.privacy import without_private_and_recalled

    return without_private_and_recalled(prompt)


def _answers(home: Home, payload: Payload, prompt: str, project: str) -> list[Match]:
    from anamnesis.store import IndexBroken, MemoryStore  # most prompts do not need it

    session = payload.session_id
    given = receipts.already_given(home, session)
    try:
        with MemoryStore(home, hurried=True) as store:
            store.look_beside(payload.cwd or ".")
            ask_archive = archive_search(home, prompt, project=project, session=session)
            found = recall(
                store,
                prompt,
                project=project,
                given=given,
                session=session,
                ask_archive=ask_archive,
            )
            return _given(store, found, cwd=payload.cwd or ".")
    except IndexBroken:
        from anamnesis.hooks import background

        background.update_index(home)
        return []


def preview(store: MemoryStore, prompt: str, *, project: str) -> tuple[str, list[ShownMatch]]:
    """What a prompt in a new session would get, and its notes; leaves no trace."""
    if not is_worth_a_look(prompt):
        return "", []
    ask_archive = archive_search(store.home, prompt, project=project)
    return rendered(_given(store, recall(store, prompt, project=project, ask_archive=ask_archive)))


def archive_search(
    home: Home, prompt: str, *, project: str, session: str = ""
) -> Callable[[], list[Passage]] | None:
    """A function that asks the archive; None if no session is kept word for word."""
    if not os.path.exists(home.sessions_db):
        return None

    def ask() -> list[Passage]:
        from anamnesis.archive import ask  # few prompts are questions about earlier work

        return ask.passages_about(
            home, prompt, project=project, but_session=session, limit=_MOST_PASSAGES
        )

    return ask


def _given(store: MemoryStore, found: list[Match], *, cwd: str = "") -> list[Match]:
    """What may be given unasked of what was found."""
    if not found:
        return found
    from anamnesis.anchors.standing import standings

    befores = [each.answer.before.id for each in found if each.answer.before]
    allowed = store.admitted([*(each.answer.id for each in found), *befores])
    code = standings(store.home, cwd) if cwd else {}
    gone = {id for id, about in code.items() if about.is_gone}
    remarks = {id: about.remark for id, about in code.items()}
    return [
        replace(
            each,
            note=masked_note(store, each.note),
            answer=_answer(store, each, allowed),
            remark=remarks.get(each.note.id, ""),
        )
        for each in found
        if each.answer.id in allowed and (each.note.id not in gone or each.note.type == "episodic")
    ]


def _answer(store: MemoryStore, match: Match, allowed: AbstractSet[str]) -> PromptAnswer:
    """The answer with the word before, where that may be given unasked too."""
    before = match.answer.before
    if before is None or before.id not in allowed:
        return replace(match.answer, before=None) if before else match.answer
    says = masked(store, before.says, of=[before.own_id])
    return replace(match.answer, before=replace(before, says=says))


def _leave_receipt(
    home: Home, payload: Payload, event: str, *, project: str, given: list[GivenNote], text: str
) -> None:
    receipts.write(
        home,
        event=event,
        session=payload.session_id,
        project=project,
        source=_SOURCES[event],
        given=given,
        units=clipping.units(text),
    )
