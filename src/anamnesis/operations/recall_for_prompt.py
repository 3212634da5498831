"""What a prompt brings to mind."""

from __future__ import annotations

from anamnesis import switches
from anamnesis.hooklog import receipts, runs
from anamnesis.inject import budget, formats
from anamnesis.project import resolve_project_key
from anamnesis.recall import is_worth_a_look, recall, rendered
from anamnesis.store import MemoryStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.payload import Payload
    from anamnesis.recall import Match


def recall_for_prompt(
    home: str, payload: Payload, *, project: str | None = None, format: str = "claude"
) -> str:
    """The few notes that answer the prompt as the client wants them, or nothing."""
    if not is_worth_a_look(payload.prompt):
        return ""
    cwd = payload.cwd or "."
    project = project or resolve_project_key(cwd)
    if switches.why_off(home, project=project, cwd=cwd):
        return ""
    given = receipts.already_given(home, payload.session_id)
    with MemoryStore(home) as store:
        text, shown = rendered(recall(store, payload.prompt, project=project, given=given))
    if shown:
        _leave_receipt(home, payload, project, shown, text)
    return formats.wrapped(text, format=format, event=payload.event or "UserPromptSubmit")


def _leave_receipt(
    home: str, payload: Payload, project: str, shown: list[Match], text: str
) -> None:
    given = [
        receipts.Given(each.note.id, each.why, budget.units(each.note.body), whole=True)
        for each in shown
    ]
    receipts.write(
        home,
        event="recall",
        session=payload.session_id,
        project=project,
        source="prompt",
        given=given,
        units=budget.units(text),
    )
    did = f"{len(shown)} notes for a prompt in {project}"
    runs.note_run(home, "recall-hook", did=did, session=payload.session_id)
