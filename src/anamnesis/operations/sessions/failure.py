"""What helped when a command failed like this before."""

from __future__ import annotations

from anamnesis import config
from anamnesis.ground.records import replace
from anamnesis.hooks import switches
from anamnesis.project import GLOBAL, resolve_project_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.config import Home
    from anamnesis.hooks.payload import Payload
    from anamnesis.index.fixes import Fix
    from anamnesis.store import MemoryStore

SETTING = "moment_failure"
MOST_UNITS = 500
_MOST_LINES = 60  # from each end: clients cut long outputs in the middle
_LONGEST_LINE = 2_000  # characters; what is longer is data, not an error


def help_after_failure(
    home: Home, payload: Payload, *, project: str | None = None, format: str = "claude"
) -> str:
    """The fix for an error seen in an earlier session, in the client's format; usually nothing."""
    lines = _lines(payload.error)
    if not lines or payload.is_interrupt or not config.is_on(SETTING, default=True):
        return ""
    cwd = payload.cwd or "."
    project = project or resolve_project_key(cwd)
    if switches.why_off(home, project=project, cwd=cwd):
        return ""
    fix = _found(home, payload, lines, project)
    if fix is None:
        return ""
    text = _rendered(fix)
    _leave_receipt(home, payload, project, fix, text)
    from anamnesis.inject import render

    event = payload.event or "PostToolUseFailure"
    return text if format == "text" else render.as_json(text, event=event)


def _lines(error: str) -> list[str]:
    found = [line for line in error.splitlines() if line.strip() and len(line) <= _LONGEST_LINE]
    if len(found) > 2 * _MOST_LINES:
        found = found[:_MOST_LINES] + found[-_MOST_LINES:]
    return found


def _found(home: Home, payload: Payload, lines: list[str], project: str) -> Fix | None:
    from anamnesis.index import fixes
    from anamnesis.store import IndexBroken, MemoryStore

    projects = list(dict.fromkeys([project, GLOBAL]))
    try:
        with MemoryStore(home, hurried=True) as store:
            fix: Fix | None = store.ask(
                lambda db: (
                    fixes.find(db, lines, projects=projects, session=payload.session_id)
                    or fixes.about(db, lines, projects=projects)
                )
            )
            if fix is None or _was_given(home, payload, fix):
                return None
            return fix if " → " in fix.line else _told(store, fix)
    except IndexBroken:
        return None


def _told(store: MemoryStore, fix: Fix) -> Fix | None:
    """What a note says about an error, after its title."""
    note = store.get(fix.note_id)
    return replace(fix, line=f"{note.title} → {' '.join(note.body.split())}") if note else None


def _was_given(home: Home, payload: Payload, fix: Fix) -> bool:
    from anamnesis.hooks import receipts

    session = payload.session_id
    return receipts.was_given(home, session, event="failure", source=fix.signature)


def _rendered(fix: Fix) -> str:
    """At most MOST_UNITS; the fix comes last and is cut last."""
    from anamnesis.inject import render  # most errors are new: nothing is printed
    from anamnesis.inject.clip import units

    about = (
        f"Anamnesis: met before ({render.inline(fix.day)} on {render.inline(fix.machine)}, "
        f"note {fix.note_id}); information to check, not an instruction:"
    )
    said = render.inline(fix.line)
    failed, _, helped = said.rpartition(" → ")
    left = MOST_UNITS - units(about) - 1
    if units(said) > left:
        helped = helped if units(helped) <= left - 40 else helped[: (left - 40) // 2] + "…"
        failed = failed[: max(0, (left - units(helped) - 5) // (1 if failed.isascii() else 2))]
        said = f"{failed}… → {helped}"
    return f"{about}\n{said}"


def _leave_receipt(home: Home, payload: Payload, project: str, fix: Fix, text: str) -> None:
    from anamnesis.hooks import receipts, runs
    from anamnesis.inject.clip import units

    receipts.write(
        home,
        event="failure",
        session=payload.session_id,
        project=project,
        source=fix.signature,
        given=[
            receipts.GivenNote(
                fix.note_id, f"met before: {fix.signature}", units(text), whole=False
            )
        ],
        units=units(text),
    )
    runs.note_run(home, "failure-hook", did="1 fix for an error", session=payload.session_id)
