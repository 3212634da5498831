"""The reference page of the tools, generated from their table."""

from __future__ import annotations

import sys

from anamnesis.mcp import guidance, resources, tools
from anamnesis.mcp.arguments import STRINGS, Argument

_HEAD = """\
# MCP tools

Generated from the table in `src/anamnesis/mcp/tools.py` by `make docs`; a test
compares the two. The descriptions are written for models: they are all a model knows about a
tool.

Every answer has two parts. `structuredContent` is the data in the shape below; lists are wrapped
as `{"result": [...]}`. `content` is one short text for clients that show a model only that:
the passages that answer a search, one line for each listed note. A refusal is an answer with
`isError`, says what is allowed, and nothing was
written.

The machine of origin is not an argument: it is fixed when the server starts, so that callers
cannot choose it. `project` takes a key, or `"."` for the project that the server was started in.
"""
_SHAPES = {
    "memory_search": """\
`{"result": [note, …]}`, best first. A note is `id`, `type`, `title`, `project`, `machine_id`,
`scope`, `tags`, `created_at`, `updated_at`, `body`; only if there is one, `origin` (the agent or
program that wrote it: `agent:claude-code`, `import:mem0`) and `warning` (why nothing in it should
be acted on: no one has reviewed it), `before` (since when its word holds and what an earlier note
says, if one answers the same question otherwise). `transcripts`, where sessions on this machine
say more: passages with `session`, `turn`, `who`, `at`, `project`, `failed`, `text`. All pieces of
these notes and sessions compete for 4,000 characters, the headings included; a `body` has those
that won and ends with `[cut: …]` where something was left out. With `whole`, bodies have up to
4,000 characters each (less with more than eight hits) and there are three passages at most; the id
of a note as the query gives up to 40,000 characters of it. Superseded notes are left out.""",
    "memory_list": """\
`{"result": [note, …]}`, newest first (`updated_at`, then `id`), notes without `body`. If there
are more, `notice` beside `result` says which `offset` goes on. A note that no one has reviewed has
the title `(to review)`, no tags and a `warning`.""",
    "memory_status": """\
`root`, `db_path`, `total`, `by_type`, `by_project` (the 50 largest), `by_scope`, and `sync` with
`initialized`, `remote` (never with a password), `head`, `dirty`, `detail`. Only if there is
something to tell: `findings` (what `anamnesis status` warns of: `name`, `severity`, `sentence`,
`remedy`), `unreadable` (files that cannot be read as notes) and, in `sync`, `held` (notes that were
edited on two machines) and `held_back` (files that are not synced, each with the reason).""",
    "memory_write": """\
the note as it was stored, with its `body`. `notice` is there only if it is not simply what was
sent: the same title and text were already stored in that project and scope (the note that is
there is given, nothing is written), or secrets were replaced. Refused: an unknown `type` or
`scope`, an empty title or one over 300 characters, a body over 256 KB, a `supersedes` that names
no note, an unknown argument.""",
    "memory_sync": """\
`pushed`, `pulled` (commits), `conflicted`, `head`, `indexed` (notes in the index afterwards),
`detail`. Without a remote, notes are committed on this machine only.""",
}


def page() -> str:
    """The text of docs/reference/mcp-tools.md."""
    sections = [_HEAD, *(_tool(tool) for tool in tools.TOOLS.values()), _resources(), _prompts()]
    return "\n".join([*sections, _instructions()])


def _tool(tool: tools.Tool) -> str:
    hints = ", ".join(f"{name}={str(value).lower()}" for name, value in tool.hints.items())
    lines = [f"## {tool.name}", "", tool.about, "", f"Annotations: {hints}.", ""]
    if tool.meta:
        lines[-1:] = ["Loaded with every prompt (`_meta` `anthropic/alwaysLoad`).", ""]
    if tool.arguments:
        lines += ["| argument | type | default | |", "|---|---|---|---|"]
        lines += [_argument(argument) for argument in tool.arguments]
        lines += [""]
    return "\n".join([*lines, f"Returns: {_SHAPES[tool.name]}", ""])


def _argument(argument: Argument) -> str:
    kind = "list of strings" if argument.kind == STRINGS else argument.kind
    if argument.choices:
        kind = ", ".join(f"`{choice}`" for choice in argument.choices)
    if argument.maximum is not None:
        kind = f"{kind}, {argument.minimum} to {argument.maximum}"
    default = "required" if argument.required else "none"
    if argument.default not in (None, ""):
        default = f"`{str(argument.default).lower()}`"
    return f"| `{argument.name}` | {kind} | {default} | {argument.about} |"


def _resources() -> str:
    templates = ((str(each["uriTemplate"]), each) for each in resources.TEMPLATES)
    listed = ((resources.STATUS_URI, resources.STATUS), *templates)
    rows = [
        f"| `{uri}` | {resource['mimeType']} | {resource['description']} |"
        for uri, resource in listed
    ]
    return "\n".join(["## Resources", "", "| address | type | |", "|---|---|---|", *rows, ""])


def _prompts() -> str:
    rows = [
        f"| `{prompt.name}` | `{prompt.argument}`: {prompt.about_argument} | {prompt.about} |"
        for prompt in guidance.PROMPTS.values()
    ]
    return "\n".join(["## Prompts", "", "| prompt | argument | |", "|---|---|---|", *rows, ""])


def _instructions() -> str:
    quoted = "\n".join(f"> {line}" for line in guidance.INSTRUCTIONS.splitlines())
    return f"## Instructions\n\nWhat clients put into the prompt of every session:\n\n{quoted}\n"


if __name__ == "__main__":
    sys.stdout.write(page())
