"""Reflection: what the sessions of a project taught, proposed, checked, applied as one unit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import clock
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.history import undo
from anamnesis.history.commit import one_commit
from anamnesis.hooks import runs
from anamnesis.index.queries import active, admitted, waiting_sessions
from anamnesis.llm.models import connect, json_object
from anamnesis.notes import tree
from anamnesis.operations.curate import review
from anamnesis.operations.curate.dedup import Duplicates, find_duplicates, folded, read_all
from anamnesis.reflect import plan, proposal, recurrence

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from anamnesis.config import Home
    from anamnesis.ground.counting import Progress
    from anamnesis.llm.models import Model
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

_DURABLE = ("semantic", "procedural")
_LEAST_SESSIONS = 5
UNDO_KIND = "reflect"


@dataclass(frozen=True, slots=True)
class Reflection:
    """What reflection proposes for one project, or why it proposes nothing."""

    project: str
    sessions: list[Memory] = field(default_factory=list)  # read for it
    added: list[Memory] = field(default_factory=list)
    marked: list[Memory] = field(
        default_factory=list
    )  # sessions whose content is now in durable notes
    superseding: list[Memory] = field(default_factory=list)  # notes that supersede another run's
    duplicates: list[Duplicates] = field(default_factory=list)
    problem: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether applying it would change nothing."""
        return not (self.added or self.marked or self.superseding or self.duplicates)


@dataclass(frozen=True, slots=True)
class ReflectionRun:
    """What one run proposed, the change if it was written, and why there is nothing."""

    reflections: list[Reflection]
    unit: undo.Unit | None
    why_nothing: list[str]


def least_sessions() -> int:
    """How many new sessions a project needs before it is reflected on."""
    try:
        return max(1, int(config.setting("reflect_min_episodics") or _LEAST_SESSIONS))
    except ValueError:
        return _LEAST_SESSIONS


def propose(
    store: MemoryStore,
    *,
    project: str | None = None,
    least: int | None = None,
    model: Model | None = None,
    progress: Progress = None,
) -> list[Reflection]:
    """What reflection would change, by project; a failure does not stop the other projects.

    Without a model, facts that sessions repeat are promoted and near-duplicates folded.
    """
    enough = least if least is not None else least_sessions()
    waiting = _waiting(store, project)
    durable = _admitted(store, lambda db: active(db, project=project, types=_DURABLE))
    projects = sorted({*waiting, *(note.project for note in durable)})
    found = []
    for done, name in enumerate(projects):
        if progress is not None:
            progress(done, len(projects))
        own = [note for note in durable if note.project == name]
        ready = waiting.get(name, [])
        ready = ready if len(ready) >= enough else []
        found.append(_reflect(store, name, ready, durable=own, model=model))
    return [each for each in found if not each.is_empty or each.problem]


def why_nothing(store: MemoryStore, *, project: str | None, least: int | None) -> list[str]:
    """Why `propose` found nothing: a line for each project with new sessions."""
    enough = least if least is not None else least_sessions()
    lines = []
    for name, sessions in sorted(_waiting(store, project).items()):
        count = counted(len(sessions), "session")
        if len(sessions) < enough:
            lines.append(f"{name}: {count} to reflect on, {enough} needed (--min)")
        else:
            lines.append(
                f"{name}: {count} read; no new statement, fixed error or check occurs in "
                f"{recurrence.ENOUGH_SESSIONS} of them"
            )
    return lines or ["every captured session has been reflected on, or none has been captured yet"]


def _admitted(
    store: MemoryStore, asked: Callable[[sqlite3.Connection], list[Memory]]
) -> list[Memory]:
    """The notes that a model may be shown."""
    notes = store.ask(asked)
    allowed = store.ask(lambda db: admitted(db, [note.id for note in notes]))
    return [note for note in notes if note.id in allowed]


def run(
    store: MemoryStore,
    *,
    project: str | None = None,
    least: int | None = None,
    use_model: bool = True,
    write: bool = False,
    progress: Progress = None,
) -> ReflectionRun:
    """Propose, and write it on request; a failure is reported by the next session."""
    with runs.Watched(store.home, "reflect"):
        review.keep_old(store, days=review.keep_after_days())
        model = configured_model(store.home) if use_model else None
        found = propose(store, project=project, least=least, model=model, progress=progress)
        unit = apply(store, found) if write else None
        note_outcome(store.home, found)
        why = [] if found else why_nothing(store, project=project, least=least)
    return ReflectionRun(found, unit, why)


def undo_last(store: MemoryStore) -> undo.Undone:
    """Undo the last run as one commit. Raises NothingToUndo and ChangedSince."""
    with one_commit(store.home):
        return undo.undo(store, kind=UNDO_KIND)


def configured_model(home: Home) -> Model | None:
    """The model that is set up for reflection; None for the heuristic."""
    return connect(home=home)


def apply(store: MemoryStore, found: Sequence[Reflection]) -> undo.Unit | None:
    """Write what was proposed as one unit, which can be undone byte for byte."""
    pairs: list[tuple[object, Memory]] = []
    for each in found:
        pairs += [(None, note) for note in each.added]
        pairs += [(store.read(note.id), plan.with_reflected_tag(note)) for note in each.marked]
        pairs += [(store.read(note.id), note) for note in each.superseding]
        pairs += [folded(store, group) for group in each.duplicates]
    changes = undo.changes_of(store, pairs)  # type: ignore[arg-type]
    added = sum(len(each.added) for each in found)
    read = sum(len(each.sessions) for each in found)
    merged = sum(len(group.others) for each in found for group in each.duplicates)
    done = [counted(added, "new note")] if added or not merged else []
    done += [f"{counted(merged, 'duplicate')} merged"] if merged else []
    summary = f"{', '.join(done)} (sessions read: {read}, projects: {len(found)})"
    with one_commit(store.home):
        return undo.apply(store, changes, kind=UNDO_KIND, summary=summary)


def note_outcome(home: Home, found: Sequence[Reflection]) -> None:
    """Record whether the model worked, for the next session."""
    problem = next((f"{each.project}: {each.problem}" for each in found if each.problem), "")
    if problem:
        runs.failed(home, "reflect", problem)
    else:
        runs.worked(home, "reflect")


def _waiting(store: MemoryStore, project: str | None) -> dict[str, list[Memory]]:
    """The sessions that have not been reflected on yet, by project."""
    found: dict[str, list[Memory]] = {}
    for session in _admitted(store, lambda db: waiting_sessions(db, project=project)):
        found.setdefault(session.project, []).append(session)
    return found


def _reflect(
    store: MemoryStore,
    project: str,
    waiting: list[Memory],
    *,
    durable: list[Memory],
    model: Model | None,
) -> Reflection:
    known = read_all(store, durable)
    superseding = plan.superseding(known)
    stepping_back = {id for note in superseding for id in note.supersedes_ids}
    known = [note for note in known if note.id not in stepping_back]
    found = Reflection(project, superseding=superseding)
    if waiting:
        sessions = read_all(store, waiting)
        if model is None:
            found = replace(found, sessions=sessions, added=_promoted(store, project, sessions))
        else:
            found = _distilled(store, found, sessions, known, model)
    if model is None:
        touched = {note.id for note in superseding} | stepping_back
        groups = [
            group
            for group in find_duplicates(store, project=project)
            if group.keeper.type in _DURABLE
            and not touched & {group.keeper.id, *(other.id for other in group.others)}
        ]
        found = replace(found, duplicates=groups)
    return found


def _promoted(store: MemoryStore, project: str, sessions: list[Memory]) -> list[Memory]:
    root = store.home
    machine_id = config.resolve_machine_id()
    notes = recurrence.promoted(
        [
            *recurrence.repeated_facts(sessions),
            *recurrence.repeated_fixes(sessions),
            *recurrence.repeated_checks(sessions),
        ],
        project=project,
        machine_id=machine_id,
    )
    return [
        note
        for note in notes
        if store.get(note.id) is None and not tree.is_forgotten(root, note.id)
    ]


def _distilled(
    store: MemoryStore,
    found: Reflection,
    sessions: list[Memory],
    durable: list[Memory],
    model: Model,
) -> Reflection:
    latest_first = sorted(durable, key=lambda note: (note.updated_at, note.id), reverse=True)
    batch = proposal.batch(found.project, sessions, latest_first)
    try:
        answer = model.ask(instructions=proposal.INSTRUCTIONS, question=proposal.question(batch))
        operations = proposal.validated(
            json_object(model.label, answer.text),
            sessions={note.id for note in batch.sessions},
            editable=batch.editable,
        )
    except AnamnesisError as error:
        return replace(found, sessions=list(batch.sessions), problem=error.message)
    added = plan.planned_notes(
        operations,
        project=found.project,
        known={note.id: note for note in durable},
        sessions=batch.sessions,
        model=answer.model,
        machine_id=config.resolve_machine_id(),
        now=clock.utcnow(),
    )
    root = store.home
    return replace(
        found,
        sessions=list(batch.sessions),
        added=[note for note in added if not tree.is_forgotten(root, note.id)],
        marked=list(batch.sessions),
    )
