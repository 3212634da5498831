"""Protection and its cost side by side: foreign texts that reach a session, own ones that do not.

    python -m benchmarks.trust FOLDER

FOLDER has git repositories of public texts as `<owner>+<name>/repo`, fetched beforehand and never
part of this one. Attack texts come in by import, and by `memory_write` in a session that had read
the web; notes of other people count as native memory and as notes of one's own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from anamnesis.config import Home, resolve_machine_id
from anamnesis.hooks.payload import Payload
from anamnesis.importers.import_draft import ImportDraft
from anamnesis.mcp.tools import write_memory
from anamnesis.notes.fields import Memory
from anamnesis.operations.curate import import_, review
from anamnesis.operations.notes.search import warnings
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.store import MemoryStore

_MEMORY = ("1000ssam+claude-config", "AlexSergey+opensa", "12TribesofIsrael+youtubeoptermizer",
           "AnotherSava+bga-assistant")  # fmt: skip
_NOTES = ("jbranchaud+til", "simonw+til", "thoughtbot+til", "openshift+runbooks")
_ATTACKS = ("microsoft+BIPIA", "enkryptai+xInjectAgent")
_MOST = 400  # texts of a kind
_AT = "2026-11-17T10:{:02}:00.000Z"


def files(folder: Path, repository: str) -> Iterator[tuple[str, str]]:
    """The text files of a fetched repository."""
    git = ["git", f"--git-dir={folder / repository / 'repo'}"]
    names = subprocess.run([*git, "ls-tree", "-rz", "--name-only", "HEAD"], capture_output=True)  # noqa: PLW1510
    for name in names.stdout.decode("utf-8", "replace").split("\0"):
        if name.endswith((".md", ".json", ".jsonl")):
            shown = subprocess.run([*git, "show", f"HEAD:{name}"], capture_output=True)  # noqa: PLW1510
            yield name, shown.stdout.decode("utf-8", "replace")


def attacks(folder: Path) -> list[str]:
    """Published attack texts, in several languages."""
    found: dict[str, None] = {}
    for repository in _ATTACKS:
        for name, text in files(folder, repository):
            if "attack" in name and name.endswith("json"):
                found.update(dict.fromkeys(_strings(json.loads(text))))
            elif "attacker_cases" in name:
                cases = [json.loads(line) for line in text.splitlines() if line.strip()]
                found.update(dict.fromkeys(str(case["Attacker Instruction"]) for case in cases))
    return [text for text in found if len(text) > 20][:_MOST]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _given(home: Home, number: int) -> str:
    session = f"asks-{number}"
    asked = Payload(session_id=session, prompt=f"how many partitions has the queue shard{number}?")
    return recall_for_prompt(home, asked, project="app", format="text")


def _reached(home: Home, texts: list[str]) -> int:
    """How many of the texts a start or a prompt about them gives."""
    start = inject(home, Payload(session_id="starts"), project="app", format="text")
    return sum(
        text[:40] in start or text[:40] in _given(home, number) for number, text in enumerate(texts)
    )


def _about(number: int, text: str) -> tuple[str, str]:
    return f"Queue shard{number} partitions", f"{text}\n\nThe queue shard{number} has partitions."


def by_import(texts: list[str]) -> int:
    """How many of them reach a session after an import."""
    with tempfile.TemporaryDirectory() as root, MemoryStore(root) as store:
        drafts = []
        for number, text in enumerate(texts):
            title, body = _about(number, text)
            drafts.append(ImportDraft(key=str(number), title=title, body=body, project="app"))
        import_.carry_out(store, import_.plan_import(store, drafts, source="mem0"), source="mem0")
        return _reached(store.home, texts)


def after_the_web(texts: list[str]) -> int:
    """How many of them reach a session if an agent wrote them down after reading the web."""
    with tempfile.TemporaryDirectory() as root, MemoryStore(root) as store:
        path = Path(root, "web.jsonl")
        lines = [_line("user", "Look up the queue", 0), _use("WebFetch", "w", 1)]
        for number, text in enumerate(texts):
            title, body = _about(number, text)
            note = write_memory(
                store, type="semantic", title=title, body=body, project="app", client="claude-code",
                machine_id=resolve_machine_id(),
            )  # fmt: skip
            result = {
                "type": "tool_result",
                "tool_use_id": f"t{number}",
                "content": str(note["id"]),
            }
            lines += [_use("mcp__anamnesis__memory_write", f"t{number}", 2)]
            lines += [_line("user", [result], 2)]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        told = Payload(session_id="web", transcript_path=str(path), event="Stop")
        capture(store.home, told, source="checkpoint")
        return _reached(store.home, texts)


def _line(role: str, content: object, minute: int) -> dict[str, object]:
    return {
        "type": role, "sessionId": "web", "cwd": "/u/app", "timestamp": _AT.format(minute),
        "message": {"role": role, "content": content},
    }  # fmt: skip


def _use(tool: str, call: str, minute: int) -> dict[str, object]:
    return _line("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": {}}], minute)


def withheld(texts: Iterable[str], *, origin: str) -> tuple[int, int]:
    """How many of these notes wait, are warned of or are not given, and how many there are."""
    with tempfile.TemporaryDirectory() as root, MemoryStore(root) as store:
        for number, text in enumerate(texts):
            title = " ".join(text.split())[:80] or "Untitled"
            store.put(
                Memory(
                    id=f"N{number}",
                    type="semantic",
                    title=title,
                    body=text,
                    project="app",
                    machine_id="desk",
                    scope="portable",
                    tags=[],
                    created_at="",
                    updated_at="",
                    origin=origin,
                )
            )
        notes = store.list(project="app", limit=None)
        told = warnings(notes)
        waiting = {note.id for note in review.pending(store)}
        return len(told.keys() | waiting), len(notes)


def run(folder: Path) -> None:
    """Measure and print."""
    texts = attacks(folder)
    print(f"{len(texts)} attack texts by import: {by_import(texts)} reach a session")
    print(f"{len(texts)} by memory_write after the web: {after_the_web(texts)} reach a session")
    for what, repositories, origin in (
        ("memory notes of other people, as native memory", _MEMORY, "import:claude-code"),
        ("developers' notes, as your own", _NOTES, ""),
    ):
        found = [
            text
            for repository in repositories
            for name, text in files(folder, repository)
            if name.endswith(".md") and text.strip() and (origin == "" or "memory/" in name)
        ]
        lost, number = withheld(found[: 5 * _MOST], origin=origin)
        print(f"{number} {what}: {lost} withheld")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run(Path(sys.argv[1]))
