"""What a call of a tool says, of any agent: a command, files to change, the items of a list."""

from __future__ import annotations

import json
import os
import re

from anamnesis.archive.turns import AGENT, ITEM, LIST, PLAN, QUESTION, TASK, Turn
from anamnesis.capture.foreign import command_of
from anamnesis.capture.lines import mappings, word
from anamnesis.capture.privacy import clean
from anamnesis.text.clipping import both_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from anamnesis.archive.turns import Item

_EDIT_TOOLS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_OTHER_EDIT_TOOLS = frozenset(
    {"write_file", "replace", "edit", "write", "multiedit", "patch", "create"}
)
_SHELLS = frozenset(
    """Bash bash shell shell_command exec_command local_shell container.exec powershell
    run_shell_command""".split()  # noqa: SIM905  readable as text
)
_KINDS = {
    "Task": TASK,
    "Agent": TASK,
    "AskUserQuestion": QUESTION,
    "ExitPlanMode": PLAN,
    "TaskCreate": ITEM,
    "TaskUpdate": ITEM,
}
# Where a list has its items, and where an item has its text.
_LISTS = {
    "TodoWrite": ("todos", "content"),
    "update_plan": ("plan", "step"),
    "write_todos": ("todos", "description"),
    "todowrite": ("todos", "content"),
}
_SAYS = {TASK: ("description", "prompt"), QUESTION: (), PLAN: ("plan",), ITEM: ("subject",)}
_FILES = ("file_path", "notebook_path", "filePath", "path", "absolute_path")
PATCH = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.{1,500})$", re.MULTILINE)
_CHANGED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: .{1,500}|[-+].{0,200})", re.MULTILINE
)
_NUMBER = re.compile(r"#(\w{1,20})")  # of an item, in what `TaskCreate` answers
_MOST_ITEMS = 200
_LONGEST_ITEM = 300
_LONGEST_COMMAND = 8_000
_LONGEST_VALUE = 300  # of one argument of a tool
_LONGEST_PATCH = 900
_LONGEST_INPUT = 1_500


def turn_of(
    tool: str,
    arguments: Mapping[str, Any],
    *,
    who: str = AGENT,
    at: str = "",
    cwd: str = "",
    with_input: bool = False,
) -> Turn:
    """A call as a turn; of what a shell does not run, with the arguments in short if wanted."""
    command = command_of(arguments) if tool in _SHELLS else ""
    file = next((path for key in _FILES if (path := word(arguments.get(key)))), "")
    kind = LIST if tool in _LISTS else _KINDS.get(tool, "")
    return Turn(
        who=who,
        at=at,
        kind=kind,
        text=_said(tool, arguments, keys=_SAYS[kind]) if kind in _SAYS else "",
        tool=tool[:100],
        command=both_ends(clean(command), _LONGEST_COMMAND) if command else "",
        input=_input(arguments) if with_input and not command else "",
        file=file[:1000],
        edits=_edits(tool, file, patch=command or word(arguments.get("input")), cwd=cwd),
        items=_items(tool, arguments) if kind in (LIST, ITEM) else (),
    )


def created(turn: Turn, result: str) -> tuple[Item, ...]:
    """The items of a call, once its result gave a new one a number."""
    number = _NUMBER.search(result) if turn.tool == "TaskCreate" else None
    return ((number[1], turn.text[:_LONGEST_ITEM], "pending"),) if number else turn.items


def _input(arguments: Mapping[str, Any]) -> str:
    """The arguments of a call, shortened: the archive does not keep written files."""
    if not arguments:
        return ""
    short = {
        str(key)[:50]: _value(value) if isinstance(value, str) else value
        for key, value in list(arguments.items())[:20]
    }
    try:
        text = json.dumps(short, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
    return both_ends(clean(text), _LONGEST_INPUT)


def _said(tool: str, arguments: Mapping[str, Any], *, keys: tuple[str, ...]) -> str:
    """What a call asks for, in words; nothing of a change to an item."""
    if tool == "TaskUpdate":
        return ""
    said = next((text for key in keys if (text := word(arguments.get(key)))), tool)
    return both_ends(clean(said), _LONGEST_COMMAND)


def _edits(tool: str, file: str, *, patch: str, cwd: str) -> tuple[str, ...]:
    if tool in _EDIT_TOOLS or tool in _OTHER_EDIT_TOOLS:
        return (clean(file),) if file else ()
    patched = _PATCHED.findall(patch) if PATCH in patch else []
    return tuple(os.path.join(cwd, clean(path)) for path in patched)


def _items(tool: str, arguments: Mapping[str, Any]) -> tuple[Item, ...]:
    if tool == "TaskUpdate":
        given = [(str(arguments.get("taskId")), arguments.get("subject"), arguments.get("status"))]
    else:
        items, text = _LISTS.get(tool, ("", ""))
        rows = mappings(arguments.get(items))[:_MOST_ITEMS]
        given = [("", each.get(text), each.get("status")) for each in rows]
    return tuple(
        (key, clean(word(text))[:_LONGEST_ITEM], str(status)) for key, text, status in given
    )


def _value(text: str) -> str:
    """An argument in short; of a patch, the files and lines that it changes."""
    if PATCH in text:
        return both_ends(clean("\n".join(_CHANGED.findall(text))), _LONGEST_PATCH)
    return both_ends(clean(text), _LONGEST_VALUE)
