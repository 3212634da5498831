"""The hooks of Claude Code, and merging them with those of others."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from anamnesis.onboard.command import hook_line, is_program, shell_line, unguarded
from anamnesis.onboard.jsontext import same
from anamnesis.onboard.settings import UnusualShape, entries, put, section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HooksMap = dict[str, list[dict[str, Any]]]

# After compaction the model has lost what it was given, and a fork starts with nothing.
INJECT_SOURCES = "startup|resume|clear|compact|fork"
SYNC_SOURCES = "startup|resume"
COMMANDS = frozenset({"inject", "sync", "capture", "recall-hook", "failure-hook"})
MOMENT_TOOL = "memory_moment"  # of our server; tools/list does not name it
_SHELL_OPERATORS = frozenset(";|&<>()")

# event, matcher, our arguments, keys of the hook. Timeouts are seconds.
_HOOKS: tuple[tuple[str, str | None, tuple[str, ...], dict[str, Any]], ...] = (
    ("SessionStart", INJECT_SOURCES, ("inject",), {"timeout": 15}),
    ("SessionStart", SYNC_SOURCES, ("sync", "--detach"), {"timeout": 15}),
    ("UserPromptSubmit", None, ("recall-hook",), {"timeout": 10}),
    # A process only when a command fails; successful ones cost nothing.
    ("PostToolUseFailure", "Bash", ("failure-hook",), {"timeout": 10}),
    # None is async: `claude -p` stops async hooks when it ends, and skips SessionEnd
    # while one is still running. These end in a moment anyway.
    ("Stop", None, ("capture", "--detach", "--no-sync"), {"timeout": 30}),
    ("PreCompact", None, ("capture", "--source", "precompact", "--no-sync"), {"timeout": 60}),
    ("PostCompact", None, ("capture", "--detach", "--no-sync"), {"timeout": 30}),
    ("SessionEnd", None, ("capture", "--detach"), {"timeout": 60}),
)


# At a file: what was read is known only after the call, and a process per call is too much.
_FILE_HOOK: dict[str, Any] = {
    "type": "mcp_tool",
    "tool": MOMENT_TOOL,
    "input": {
        "session_id": "${session_id}",
        "cwd": "${cwd}",
        "file_path": "${tool_input.file_path}",
    },
    "timeout": 2,
}


def build_hooks(
    base: list[str], env: dict[str, str], *, server: str = "", guarded: bool = False
) -> HooksMap:
    """The hooks of one machine; as shell lines if they need an environment, else without a shell.

    `server` is the name of our MCP server where the client can call it from a hook. `guarded`
    hooks are shell lines that do nothing once the command is gone.
    """
    built: HooksMap = {}
    for event, matcher, arguments, keys in _HOOKS:
        hook = {"type": "command", **_called(base, env, arguments, guarded=guarded), **keys}
        group: dict[str, Any] = {} if matcher is None else {"matcher": matcher}
        built.setdefault(event, []).append({**group, "hooks": [hook]})
    if server:
        built["PostToolUse"] = [{"matcher": "Read", "hooks": [{**_FILE_HOOK, "server": server}]}]
    return built


def _called(
    base: list[str], env: Mapping[str, str], arguments: tuple[str, ...], *, guarded: bool
) -> dict[str, Any]:
    if guarded and os.name != "nt":
        return {"command": hook_line(base, env, *arguments)}
    if env:
        return {"command": shell_line(base, env, *arguments)}
    return {"command": base[0], "args": [*base[1:], *arguments]}


def merge_hooks(
    settings: dict[str, Any], new_hooks: HooksMap, *, bases: Sequence[Sequence[str]] = ()
) -> dict[str, Any]:
    """The settings with these hooks as the only ones of Anamnesis; others are not touched.

    Groups that are already there stay where they are, so that merging twice changes nothing.
    `bases` are other commands that run Anamnesis.
    """
    hooks = section(settings, "hooks")
    for event in [*hooks, *(event for event in new_hooks if event not in hooks)]:
        missing = list(new_hooks.get(event, ()))
        groups = []
        for group in entries(hooks, event):
            present = next((new for new in missing if same(new, group)), None)
            if present is not None:
                missing.remove(present)
                groups.append(group)
            elif (rest := _without_ours(group, bases)) is not None:
                groups.append(rest)
        if not same(groups + missing, hooks.get(event)):
            hooks = put(hooks, event, groups + missing)
    return put(settings, "hooks", hooks) if hooks else dict(settings)


def without_hooks(
    settings: dict[str, Any], *, bases: Sequence[Sequence[str]] = ()
) -> dict[str, Any]:
    """The settings without any hook of Anamnesis."""
    if "hooks" not in settings:
        return dict(settings)
    hooks = section(settings, "hooks")
    for event in list(hooks):
        before = entries(hooks, event)
        after = [rest for group in before if (rest := _without_ours(group, bases)) is not None]
        if not same(before, after):
            hooks = put(hooks, event, after)
    return put(settings, "hooks", hooks) if settings["hooks"] else dict(settings)


def ours_in(settings: dict[str, Any], *, bases: Sequence[Sequence[str]] = ()) -> HooksMap:
    """The groups of the settings that hold a hook of Anamnesis."""
    try:
        hooks = section(settings, "hooks")
        own = {
            event: [group for group in entries(hooks, event) if _ours_of(group, bases)]
            for event in hooks
        }
    except UnusualShape:
        return {}
    return {event: groups for event, groups in own.items() if groups}


def is_ours(hook: object, bases: Sequence[Sequence[str]] = ()) -> bool:
    """Whether a hook runs an Anamnesis command and nothing else.

    Mentioning the name is not enough, and neither is running it as part of a longer command line:
    that is the user's own work.
    """
    if isinstance(hook, dict) and hook.get("type") == "mcp_tool":
        return hook.get("tool") == MOMENT_TOOL
    argv = _argv(hook)
    after_base = [argv[len(base)] for base in bases if _begins_with(argv, base)]
    after_name = [
        argv[index + 1]
        for index, word in enumerate(argv[:-1])
        if is_program(word) and _runs_next(argv[:index])
    ]
    return any(word in COMMANDS for word in [*after_base, *after_name])


def _begins_with(argv: list[str], base: Sequence[str]) -> bool:
    return len(argv) > len(base) > 0 and argv[: len(base)] == list(base)


def _runs_next(words: list[str]) -> bool:
    """Whether the words before a program merely run it: nothing, `uv run …` or `uvx …`."""
    if not words:
        return True
    runner = os.path.basename(words[0])
    return runner == "uvx" or (runner == "uv" and words[1:2] == ["run"])


def _argv(hook: object) -> list[str]:
    """The words of a hook's command without guard and assignments; none if it needs a shell."""
    if not isinstance(hook, dict) or not isinstance(hook.get("command"), str):
        return []
    arguments = hook.get("args")
    if isinstance(arguments, list):
        return [hook["command"], *map(str, arguments)]
    lexer = shlex.shlex(hook["command"], posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = unguarded(list(lexer))
    except ValueError:
        return []
    if any(word and set(word) <= _SHELL_OPERATORS for word in words):
        return []
    while words and words[0].partition("=")[0].startswith("ANAMNESIS_"):
        words.pop(0)
    return words[1:] if words[:1] == ["exec"] else words


def _ours_of(group: object, bases: Sequence[Sequence[str]]) -> list[object]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return [hook for hook in hooks if is_ours(hook, bases)] if isinstance(hooks, list) else []


def _without_ours(group: Any, bases: Sequence[Sequence[str]]) -> Any | None:
    """A group without Anamnesis hooks; None if it had no others."""
    ours = _ours_of(group, bases)
    if not ours:
        return group
    rest = [hook for hook in group["hooks"] if hook not in ours]
    return {**group, "hooks": rest} if rest else None
