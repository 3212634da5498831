"""The five tools: what a model reads about them, what they take, what they do."""

from __future__ import annotations

from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import fresh, record
from anamnesis.mcp import answers, arguments
from anamnesis.mcp.answers import ToolAnswer
from anamnesis.mcp.arguments import BOOLEAN, INTEGER, STRINGS, Argument
from anamnesis.notes.fields import SCOPES, TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from anamnesis.mcp.workspace import Binding
    from anamnesis.notes.fields import Memory, MemoryType, Scope
    from anamnesis.operations.notes.list import NotePage
    from anamnesis.operations.notes.search import Filters, SearchAnswer
    from anamnesis.store import MemoryStore

MOST_HITS = 50
LIST_LIMIT = 100  # notes of one page of a list, about 30 KB


@record
class Tool:
    """One tool: its name and words for the model, its arguments, and the operation behind it."""

    name: str
    title: str
    about: str
    answer: Callable[..., ToolAnswer]
    arguments: tuple[Argument, ...] = ()
    hints: dict[str, bool] = fresh(default_factory=dict)
    meta: dict[str, Any] = fresh(default_factory=dict)
    output: dict[str, Any] = fresh(default_factory=dict)

    def listed(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        listing = {
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": arguments.schema(self.arguments),
            "outputSchema": self.output,
            "annotations": self.hints,
        }
        return {**listing, "_meta": self.meta} if self.meta else listing


def call(binding: Binding, name: str, values: Mapping[str, object]) -> ToolAnswer:
    """The answer of a tool; an error is an answer too."""
    tool = TOOLS.get(name) or HOOK_TOOLS.get(name)
    if tool is None:
        return ToolAnswer(f"Unknown tool: {name!r}", is_error=True)
    try:
        answer = tool.answer(binding, **arguments.checked(name, tool.arguments, values))
        return answers.inert(answer)
    except AnamnesisError as error:
        return answers.refusal(error)
    except Exception as error:  # noqa: BLE001  the caller waits: every call is answered
        _report(error)
        return ToolAnswer(f"{name} failed: {type(error).__name__}: {error}", is_error=True)


def _report(error: Exception) -> None:
    import sys
    import traceback

    traceback.print_exception(error, file=sys.stderr)


def search_memories(
    store: MemoryStore,
    *,
    query: str,
    project: str | None = None,
    type: MemoryType | None = None,
    scope: Scope | None = None,
    k: int = 8,
) -> list[dict[str, object]]:
    """The best notes for a free text, with their bodies; an id as the query gives that note."""
    from anamnesis.operations.notes.search import search

    limit = max(0, min(k, MOST_HITS))
    filters = _filters(project, type, scope)
    return _whole_notes(search(store, query, filters=filters, limit=limit, for_agent=True))


def _filters(project: str | None, type: MemoryType | None, scope: Scope | None) -> Filters:
    from anamnesis.operations.notes.search import Filters

    return Filters((project,) if project else (), type=type or "", scope=scope or "")


def _whole_notes(found: SearchAnswer) -> list[dict[str, object]]:
    """Notes with their bodies; together they fit in one answer."""
    share = min(answers.BODY_LIMIT, answers.ANSWER_LIMIT // max(len(found.hits), 1))
    limit = answers.WHOLE_LIMIT if found.by_id else share
    return [
        answers.with_body_up_to(limit, hit.note) | _origin(found, hit.note) for hit in found.hits
    ]


def _origin(found: SearchAnswer, note: Memory) -> dict[str, object]:
    return answers.only_set(origin=note.origin, warning=found.warnings.get(note.id, ""))


def list_memories(
    store: MemoryStore,
    *,
    project: str | None = None,
    type: MemoryType | None = None,
    scope: Scope | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[dict[str, object]]:
    """Notes without bodies, newest first: the first LIST_LIMIT, or the page that is asked for."""
    return _listed(page(store, project=project, type=type, scope=scope, limit=limit, offset=offset))


def page(
    store: MemoryStore,
    *,
    project: str | None = None,
    type: MemoryType | None = None,
    scope: Scope | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> NotePage:
    """One page of the list of notes, of LIST_LIMIT at most."""
    from anamnesis.operations.notes.list import NoteFilter, list_notes
    from anamnesis.operations.notes.search import Filters

    wanted = NoteFilter(type or "", scope=scope or "", state="all")
    filters = Filters((project,) if project else (), include_superseded=True)
    size = LIST_LIMIT if limit is None else max(0, min(limit, LIST_LIMIT))
    return list_notes(
        store, wanted, limit=size, offset=max(0, offset), filters=filters, for_agent=True
    )


def write_memory(
    store: MemoryStore,
    *,
    type: MemoryType,
    title: str,
    body: str,
    project: str = "global",
    tags: Iterable[str] | None = None,
    machine_id: str = "unknown",
    scope: Scope = "portable",
    supersedes: str = "",
    client: str = "",
) -> dict[str, object]:
    """Create a note and return it; `notice` is set only if something differs from the request.

    Raises InvalidInput, or NoSuchNote for an id in `supersedes`; then nothing was written.
    """
    from anamnesis.operations.notes.policy import NoteDraft
    from anamnesis.operations.notes.write import write

    draft = NoteDraft(
        title, body, type, project, scope, tuple(tags or ()), supersedes=tuple(supersedes.split())
    )
    origin = f"agent:{client or 'unknown'}"
    saved = write(store, draft, face="tool", machine_id=machine_id, origin=origin)
    fields = answers.with_body_up_to(answers.BODY_LIMIT, saved.note)
    return {**fields, "notice": saved.notice} if saved.notice else fields


def _search(binding: Binding, *, query: str, k: int, whole: bool, **values: Any) -> ToolAnswer:
    from anamnesis.operations.sessions.question import ask

    filters = _filters(**_with_project(binding, values))
    room = None if whole else answers.SEARCH_LIMIT
    answer = ask(binding.store, query, filters=filters, limit=k, room=room)
    notes = (
        _whole_notes(answer.found)
        if answer.whole
        else [
            answers.with_part(hit.note, answer.parts.get(hit.note.id))
            | _origin(answer.found, hit.note)
            | answers.only_set(before=hit.before.told(hit.note.updated_at) if hit.before else "")
            for hit in answer.found.hits
        ]
    )
    structured: dict[str, Any] = {"result": notes}
    if answer.passages:
        structured["transcripts"] = [answers.passage_dict(each) for each in answer.passages]
    return ToolAnswer(answers.search_results(notes, answer), structured)


def _list(binding: Binding, **values: Any) -> ToolAnswer:
    shown = page(binding.store, **_with_project(binding, values))
    notes = _listed(shown)
    structured: dict[str, Any] = {"result": notes}
    notice = ""
    if shown.next_offset is not None:
        notice = f"There are more, older notes: call again with offset={shown.next_offset}."
        structured["notice"] = notice
    return ToolAnswer(answers.note_list(notes, notice), structured)


def _listed(shown: NotePage) -> list[dict[str, object]]:
    return [answers.listed(row.note, shown.warnings.get(row.note.id, "")) for row in shown.rows]


def _status(binding: Binding) -> ToolAnswer:
    from anamnesis.operations.care.status import status_report

    report = status_report(binding.store, binding.backend)
    return ToolAnswer(answers.status(report), report)


def _write(binding: Binding, **values: Any) -> ToolAnswer:
    machine = binding.machine_id
    values = {**_with_project(binding, values), "client": binding.client}
    note = write_memory(binding.store, machine_id=machine, **values)
    binding.hand_over()
    return ToolAnswer(answers.written_note(note), note)


def _sync(binding: Binding, *, force: bool) -> ToolAnswer:  # noqa: ARG001  reserved, see its description
    from anamnesis.operations.travel.sync import sync_memory

    result = sync_memory(binding.store, binding.backend)
    return ToolAnswer(answers.sync_outcome(result), result)


def _moment(binding: Binding, **values: Any) -> ToolAnswer:
    """The answer to a client's hook: usually nothing, and never an error."""
    from anamnesis.hooks.payload import Payload
    from anamnesis.operations.sessions.moment import notes_at_file

    try:
        return ToolAnswer(notes_at_file(binding.store, Payload(**values)))
    except Exception as error:  # noqa: BLE001  clients show an error at every call of a hook
        _report(error)
        return ToolAnswer("")


def _with_project(binding: Binding, values: dict[str, Any]) -> dict[str, Any]:
    project = values["project"]
    return values if project is None else {**values, "project": binding.project_key(project)}


READ_ONLY = {"readOnlyHint": True, "openWorldHint": False}
# FastMCP's own mark for lists, so that its client gives the list itself.
_NOTES = {
    "type": "object",
    "properties": {
        "result": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
        "notice": {"type": "string"},
    },
    "required": ["result"],
    "x-fastmcp-wrap-result": True,
}
_RECORD = {"type": "object", "additionalProperties": True}

_FILTERS = (
    Argument("project", 'Only this project key; "." is the project you are in. Default: all.'),
    Argument("type", "Only notes of this type.", choices=TYPES),
    Argument("scope", "Only notes that sync, or only those of this machine.", choices=SCOPES),
)

_TABLE = (
    Tool(
        name="memory_search",
        title="Search memory",
        about=(
            "Search the user's long-term memory: decisions, fixes, how-tos, conventions, "
            "preferences and earlier sessions. Call it before you start on a task, when an error "
            "or a name looks familiar, and before asking the user what they may have told "
            "already. Whole questions, error messages and identifiers are fine as a query; a "
            "note's id as the query gives that note in full. Returns the passages that answer, of "
            "notes and earlier sessions, in some 4,000 characters."
        ),
        arguments=(
            Argument("query", "What to look for, in plain words; or a note id.", required=True),
            *_FILTERS,
            Argument("k", "How many at most.", INTEGER, default=8, minimum=1, maximum=MOST_HITS),
            Argument("whole", "Whole notes instead of the passages.", BOOLEAN, default=False),
        ),
        hints=READ_ONLY,
        # Other tools are loaded on demand; this one is worth its space in every prompt.
        meta={"anthropic/alwaysLoad": True},
        output=_NOTES,
        answer=_search,
    ),
    Tool(
        name="memory_list",
        title="List memory",
        about=(
            "List notes of the user's memory, newest first: titles and metadata without bodies. "
            f"Gives {LIST_LIMIT} at a time; go on with offset. To find something, use "
            "memory_search instead."
        ),
        arguments=(
            *_FILTERS,
            Argument(
                "limit", "How many notes at most.", INTEGER,
                default=LIST_LIMIT, minimum=1, maximum=LIST_LIMIT,
            ),
            Argument("offset", "How many notes to skip.", INTEGER, default=0, minimum=0),
        ),
        hints=READ_ONLY,
        output=_NOTES,
        answer=_list,
    ),
    Tool(
        name="memory_status",
        title="Memory status",
        about=(
            "How the memory stands: number of notes by type, project and scope, where they are, "
            "and whether they are synced with the user's other machines."
        ),
        hints=READ_ONLY,
        output=_RECORD,
        answer=_status,
    ),
    Tool(
        name="memory_write",
        title="Write memory",
        about=(
            "Store one durable note in the user's long-term memory, as soon as you learn "
            "something that a later session would want: a verified fix or how-to, a decision and "
            "its reason, a convention, a preference, a fact about the setup. One fact per note, "
            "understandable on its own; no secrets, nothing that the repository already says. "
            "To correct or update a note, write the new one with supersedes."
        ),
        arguments=(
            Argument(
                "type",
                "procedural: verified how-tos, decisions, fixes; semantic: facts, preferences, "
                "conventions; episodic: what happened.",
                required=True,
                choices=TYPES,
            ),
            Argument("title", "One line, in words one would search for.", required=True),
            Argument("body", "Markdown: what, why, and how to apply it.", required=True),
            Argument(
                "project",
                'Project key; "." is the project you are in; "global" is for every project.',
                default="global",
            ),
            Argument("tags", "A few lower-case words.", STRINGS),
            Argument(
                "scope",
                "portable: syncs to the user's other machines; machine-local: stays here.",
                choices=SCOPES,
                default="portable",
            ),
            Argument("supersedes", "The id of the note that this one replaces.", default=""),
        ),
        hints={"readOnlyHint": False, "destructiveHint": False},
        output=_RECORD,
        answer=_write,
    ),
    Tool(
        name="memory_sync",
        title="Sync memory",
        about=(
            "Exchange notes with the user's other machines over git: commit, fetch, merge, push. "
            "Runs automatically at the start and end of sessions; call it when notes are needed on "
            "another machine now. A conflict is reported, and both versions are kept."
        ),
        arguments=(Argument("force", "Reserved; changes nothing.", BOOLEAN, default=False),),
        hints={"readOnlyHint": False, "openWorldHint": True},
        output=_RECORD,
        answer=_sync,
    ),
)  # fmt: skip
TOOLS = {tool.name: tool for tool in _TABLE}

# Called by the client's hooks through the running server; models do not see it.
_MOMENT = Tool(
    name="memory_moment",
    title="At a file",
    about="The notes that name a file which was just read.",
    arguments=(
        Argument("session_id", "The session.", default=""),
        Argument("cwd", "Where it works.", default=""),
        Argument("file_path", "The file.", default=""),
    ),
    answer=_moment,
)
HOOK_TOOLS = {_MOMENT.name: _MOMENT}
