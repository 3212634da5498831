"""Exports of ChatGPT and Claude: the conversations, and what the assistants were told to remember.

Both are a zip file with `conversations.json`; large ones have `conversations-000.json` and so on.
Neither format is documented by its maker. What a conversation does not have is left out, and one
that cannot be read stops nothing.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.archive.turns import AGENT, CHATGPT, CLAUDE_AI, PERSON, Header, Transcript, Turn
from anamnesis.ground.errors import InvalidInput, reason_of
from anamnesis.importers.import_draft import ImportDraft, timestamp, title_of
from anamnesis.text.clipping import both_ends

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TextIO

_CONVERSATIONS = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")
_MEMORIES = re.compile(r"(?:^|/)memories(?:\.json|/[^/]+\.json)$")
_PROJECTS = re.compile(r"(?:^|/)projects(?:\.json|/[^/]+\.json)$")
_BETWEEN = re.compile(r"[\s,\[\]]*")  # what stands between the objects of a list
_START = 1 << 20  # characters read at once, and looked at to tell the program
_LONGEST_TURN = 100_000  # characters, as of any archived turn
_MEMORY = "bio"  # the tool with which ChatGPT remembers
_SHOWN = ("text", "multimodal_text")


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, and what the person had the assistant remember in it."""

    transcript: Transcript
    remembered: list[ImportDraft] = field(default_factory=list)


def program_of(path: str) -> str:
    """The program that exported a file or folder: `chatgpt`, `claude-ai`, or empty."""
    try:
        for stream in _documents(path, _CONVERSATIONS):
            start = stream.read(_START)
            if '"mapping"' in start:
                return CHATGPT
            if '"chat_messages"' in start:
                return CLAUDE_AI
    except InvalidInput:
        return ""  # nothing that this reads
    return ""


def read(path: str, program: str) -> Iterator[Conversation]:
    """The conversations of an export in which something was said.

    Raises InvalidInput if the export cannot be read.
    """
    reader = {CHATGPT: _chatgpt, CLAUDE_AI: _claude}[program]
    for stream in _documents(path, _CONVERSATIONS):
        for entry in _objects(stream):
            if (conversation := reader(entry)) and conversation.transcript.turns:
                yield conversation


def remembered(path: str) -> Iterator[ImportDraft]:
    """What Claude kept of all conversations, and the instructions of its projects."""
    for stream in _documents(path, _MEMORIES):
        for entry in _objects(stream):
            if text := _text(entry.get("conversations_memory")):
                yield _draft(CLAUDE_AI, "memory", text, title="What Claude remembers")
            projects = entry.get("project_memories")
            for key, value in projects.items() if isinstance(projects, dict) else ():
                if text := _text(value):
                    title = "What Claude remembers of a project"
                    yield _draft(CLAUDE_AI, f"memory/{key}", text, title=title)
    for stream in _documents(path, _PROJECTS):
        for entry in _objects(stream):
            if text := _text(entry.get("prompt_template")):
                title = f"Instructions of {_text(entry.get('name')) or 'a project'}"
                yield _draft(CLAUDE_AI, f"project/{entry.get('uuid')}", text, title=title)


def _draft(program: str, key: str, text: str, *, title: str = "", at: str = "") -> ImportDraft:
    return ImportDraft(
        key=key, title=title or title_of(text), body=text, tags=["import", program], at=at
    )


def _documents(path: str, wanted: re.Pattern[str]) -> Iterator[TextIO]:
    """The wanted files of an export: of a zip file, a folder, or the one that is given."""
    try:
        if os.path.isdir(path):
            yield from _in_folder(path, wanted)
        elif zipfile.is_zipfile(path):
            yield from _in_archive(path, wanted)
        elif path.lower().endswith(".json") and wanted is _CONVERSATIONS:
            with _opened(path) as stream:
                yield stream
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {reason_of(error)}.") from error
    except zipfile.BadZipFile as error:
        raise InvalidInput(f"{path} is a damaged zip file.") from error


def _in_folder(path: str, wanted: re.Pattern[str]) -> Iterator[TextIO]:
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if wanted.search(os.path.join(folder, name).replace(os.sep, "/")):
                with _opened(os.path.join(folder, name)) as stream:
                    yield stream


def _in_archive(path: str, wanted: re.Pattern[str]) -> Iterator[TextIO]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if wanted.search(name) and not name.startswith("__MACOSX"):
                with archive.open(name) as member:
                    yield io.TextIOWrapper(member, encoding="utf-8-sig", errors="replace")


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    with open(path, encoding="utf-8-sig", errors="replace") as stream:
        yield stream


def _objects(stream: TextIO) -> Iterator[dict[str, Any]]:
    """The objects of a JSON list, one at a time: exports of some hundred megabytes exist."""
    decoder, text = json.JSONDecoder(), ""
    while chunk := stream.read(max(_START, len(text))):
        text += chunk
        at = _BETWEEN.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
        while at < len(text):
            try:
                value, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                break  # the rest of it is still to be read
            if isinstance(value, dict):
                yield value
            at = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
        text = text[at:]


def _chatgpt(entry: dict[str, Any]) -> Conversation | None:
    key = _text(entry.get("conversation_id") or entry.get("id"))
    nodes = entry.get("mapping")
    if not key or not isinstance(nodes, dict):
        return None
    turns: list[Turn] = []
    drafts: list[ImportDraft] = []
    for message in _branch(nodes, entry.get("current_node")):
        author, content = _object(message.get("author")), _object(message.get("content"))
        at = timestamp(message.get("create_time") or entry.get("create_time"))
        text = _parts(content)
        who = {"user": PERSON, "assistant": AGENT}.get(str(author.get("role")))
        if who == AGENT and message.get("recipient") == _MEMORY and text:
            number = len(drafts)
            drafts.append(_draft(CHATGPT, f"{key}/{number}", text, at=at))
        elif who and text and _is_shown(message, content):
            turns.append(Turn(who, at=at, text=both_ends(text, _LONGEST_TURN)))
    return Conversation(_transcript(CHATGPT, key, entry.get("title"), turns), drafts)


def _branch(nodes: dict[str, Any], leaf: object) -> list[dict[str, Any]]:
    """The messages up to a leaf, the first one first; of regenerated answers the chosen ones."""
    messages = []
    at, seen = leaf if leaf in nodes else next(reversed(nodes), None), set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        node = _object(nodes[at])
        messages.append(_object(node.get("message")))
        at = node.get("parent")
    return messages[::-1]


def _is_shown(message: dict[str, Any], content: dict[str, Any]) -> bool:
    """Whether the person saw it as a message: no call of a tool, no custom instructions."""
    hidden = _object(message.get("metadata")).get("is_visually_hidden_from_conversation")
    return (
        not hidden
        and message.get("recipient") in (None, "all")
        and content.get("content_type", "text") in _SHOWN
    )


def _parts(content: dict[str, Any]) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return _text(content.get("text"))
    # A part that is no text is a picture, or what was said aloud with its transcription.
    texts = (each if isinstance(each, str) else _object(each).get("text") for each in parts)
    return "\n".join(filter(None, map(_text, texts)))


def _claude(entry: dict[str, Any]) -> Conversation | None:
    key, messages = _text(entry.get("uuid")), entry.get("chat_messages")
    if not key or not isinstance(messages, list):
        return None
    turns = []
    for message in map(_object, messages):
        who = {"human": PERSON, "assistant": AGENT}.get(str(message.get("sender")))
        if who and (text := _said(message)):
            at = timestamp(message.get("created_at") or entry.get("created_at"))
            turns.append(Turn(who, at=at, text=both_ends(text, _LONGEST_TURN)))
    return Conversation(_transcript(CLAUDE_AI, key, entry.get("name"), turns))


def _said(message: dict[str, Any]) -> str:
    """The text of a message and the names of the files that came with it."""
    content = message.get("content")
    blocks = [_object(each) for each in content] if isinstance(content, list) else []
    said = [_text(each.get("text")) for each in blocks if each.get("type") == "text"]
    attached = [
        name
        for kind in ("attachments", "files")
        for each in message.get(kind) or []
        if (name := _text(_object(each).get("file_name")))
    ]
    files = f"[attached: {', '.join(dict.fromkeys(attached))}]" if attached else ""
    return "\n\n".join(filter(None, [*(said or [_text(message.get("text"))]), files]))


def _transcript(program: str, key: str, title: object, turns: list[Turn]) -> Transcript:
    header = Header(f"{program}-{key}", agent=program, client_title=" ".join(_text(title).split()))
    return Transcript(header, turns)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
