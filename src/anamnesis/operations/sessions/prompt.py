"""Notes that answer a prompt."""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.ground.counting import counted
from anamnesis.ground.records import replace
from anamnesis.hooks import arrivals, receipts, runs, switches
from anamnesis.inject import clip, render
from anamnesis.inject.prompt import ShownMatch, is_worth_a_look, recall, rendered
from anamnesis.project import resolve_project_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.archive.ask import Passage
    from anamnesis.config import Home
    from anamnesis.hooks.payload import Payload
    from anamnesis.inject.prompt import Match
    from anamnesis.store import MemoryStore

SETTING = "moment_prompt"
_MOST_TOLD = 3  # passages


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
            text, shown = rendered(_found(home, payload, prompt, project))
    if shown:
        _leave_receipt(home, payload, project or "", shown, text)
    did = f"{counted(len(shown), 'note')} for a prompt"
    runs.note_run(home, "recall-hook", did=did, session=payload.session_id)
    runs.worked(home, "recall")
    text = "\n\n".join(filter(None, (memory, news, text)))
    return render.wrapped(text, format=format, event=payload.event or "UserPromptSubmit")


def _memory_again(home: Home, payload: Payload, project: str | None, format: str) -> str:
    """What the session started with, if its client has dropped it."""
    if not arrivals.is_memory_owed(home, payload.session_id):
        return ""
    from anamnesis.operations.sessions.inject import inject

    started = replace(payload, source="compact")
    limit = render.LIMITS.get(format)
    text = inject(home, started, project=project, format="text", limit=limit)
    arrivals.memory_given(home, payload.session_id)
    return text.strip()


def _news(home: Home, payload: Payload, project: str | None) -> str:
    """What other machines sent after the session had started."""
    if not (ids := arrivals.since_start(home, payload.session_id)):
        return ""
    from anamnesis.operations.sessions.news import news

    return news(home, payload, ids, project=project)


def _as_typed(prompt: str) -> str:
    if "<hook_context" not in prompt and "<system" not in prompt:
        return prompt
    # Gemini puts earlier hook output into the prompt itself.
    from anamnesis.capture.privacy import without_private_and_recalled

    return without_private_and_recalled(prompt)


def _found(home: Home, payload: Payload, prompt: str, project: str) -> list[Match]:
    from anamnesis.store import IndexBroken, MemoryStore  # most prompts do not need it

    session = payload.session_id
    given = receipts.already_given(home, session)
    try:
        with MemoryStore(home, hurried=True) as store:
            told = told_in_sessions(home, prompt, project=project, session=session)
            found = recall(store, prompt, project=project, given=given, session=session, told=told)
            return _admitted(store, found)
    except IndexBroken:
        from anamnesis.hooks import background

        background.update_index(home)
        return []


def preview(store: MemoryStore, prompt: str, *, project: str) -> tuple[str, list[ShownMatch]]:
    """What a prompt in a new session would get, and its notes; leaves no trace."""
    if not is_worth_a_look(prompt):
        return "", []
    told = told_in_sessions(store.home, prompt, project=project)
    return rendered(_admitted(store, recall(store, prompt, project=project, told=told)))


def told_in_sessions(
    home: Home, prompt: str, *, project: str, session: str = ""
) -> Callable[[], list[Passage]] | None:
    """A function that asks the archive; None if no session is kept word for word."""
    if not os.path.exists(home.sessions_db):
        return None

    def ask() -> list[Passage]:
        from anamnesis.archive import ask  # few prompts are questions about earlier work

        return ask.told(home, prompt, project=project, but_session=session, limit=_MOST_TOLD)

    return ask


def _admitted(store: MemoryStore, found: list[Match]) -> list[Match]:
    if not found:
        return found
    from anamnesis.index.queries import admitted

    allowed = store.ask(lambda db: admitted(db, [each.note.id for each in found]))
    return [each for each in found if each.note.id in allowed]


def _leave_receipt(
    home: Home, payload: Payload, project: str, shown: list[ShownMatch], text: str
) -> None:
    given = [
        receipts.GivenNote(each.match.note.id, each.match.answer.why, each.units, whole=each.whole)
        for each in shown
    ]
    receipts.write(
        home,
        event="recall",
        session=payload.session_id,
        project=project,
        source="prompt",
        given=given,
        units=clip.units(text),
    )
