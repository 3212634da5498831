"""What importing an export of ChatGPT or Claude costs, and whether its conversations are found.

    python -m benchmarks.conversations [CONVERSATIONS]

The export is generated in the shape of real ones: a tree of messages with regenerated answers,
hidden messages and calls of tools, or a list with attachments. Each has one sentence that is
asked for afterwards by its words and by a question.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from anamnesis.archive import files
from anamnesis.archive.ask import SessionFilter
from anamnesis.config import Home
from anamnesis.operations.sessions import archive
from benchmarks.archive import pool

_TURNS = 24  # of one conversation
_PROMPT, _ANSWER = 60, 280  # words
_ASKED = 100
_FACT = "The {0} of the {1} belongs to the {2}."
_QUESTION = "what does the {0} of the {1} belong to?"


def words(chance: random.Random, count: int) -> str:
    """So many words in a row of a realistic text."""
    start = chance.randrange(len(pool()) - count)
    return " ".join(pool()[start : start + count])


def fact(number: int) -> tuple[str, str, str]:
    """Three rare words by which a conversation is known."""
    chance = random.Random(number)
    return tuple("".join(chance.choices("bcdfglmnprstv", k=7)) for _ in range(3))  # type: ignore[return-value]


def texts(number: int) -> list[str]:
    """What the two sides say, in turn."""
    chance = random.Random(number)
    said = [words(chance, (_PROMPT, _ANSWER)[turn % 2]) for turn in range(_TURNS)]
    said[_TURNS // 2 - 1] += " " + _FACT.format(*fact(number))
    return said


def chatgpt(number: int) -> dict[str, Any]:
    """One conversation as ChatGPT exports it."""
    at = 1_700_000_000 + number * 10_000
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    parent = "root"

    def add(key: str, role: str, text: str, **more: object) -> None:
        message = {
            "id": key, "author": {"role": role, "name": None, "metadata": {}}, "create_time": at,
            "content": {"content_type": "text", "parts": [text]}, "status": "finished_successfully",
            "recipient": "all", "metadata": {}, **more,
        }  # fmt: skip
        nodes[key] = {"id": key, "message": message, "parent": parent, "children": []}

    add("system", "system", "", metadata={"is_visually_hidden_from_conversation": True})
    parent = "system"
    for turn, text in enumerate(texts(number)):
        if turn % 8 == 7:
            add(f"{turn}-other", "assistant", words(random.Random(turn), _ANSWER))
            add(f"{turn}-call", "assistant", "search()", recipient="web")
            parent = f"{turn}-call"
        add(str(turn), "assistant" if turn % 2 else "user", text)
        parent = str(turn)
    title = f"{fact(number)[0]} and more"
    return {
        "title": title, "create_time": at, "update_time": at, "mapping": nodes,
        "current_node": parent, "conversation_id": f"0000-{number}",
    }  # fmt: skip


def claude(number: int) -> dict[str, Any]:
    """One conversation as Claude exports it."""
    at = f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00.000000Z"
    messages = [
        {
            "uuid": str(turn), "sender": "assistant" if turn % 2 else "human", "text": text,
            "content": [{"type": "text", "text": text, "citations": []}], "created_at": at,
            "updated_at": at, "attachments": [], "files": [],
        }
        for turn, text in enumerate(texts(number))
    ]  # fmt: skip
    name = f"{fact(number)[0]} and more"
    return {
        "uuid": f"0000-{number}", "name": name, "created_at": at, "updated_at": at,
        "account": {"uuid": "0"}, "chat_messages": messages,
    }  # fmt: skip


def export(path: Path, count: int, *, program: str) -> int:
    """Write a zip file with so many conversations; returns the size of what is in it."""
    make = {"chatgpt": chatgpt, "claude-ai": claude}[program]
    text = json.dumps([make(number) for number in range(count)])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archived:
        archived.writestr("conversations.json", text)
    return len(text)


def run(home: Path, *arguments: str) -> tuple[str, float]:
    """What a command prints, and the CPU that it and what it starts use."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "anamnesis", *arguments], capture_output=True, text=True, check=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "ANAMNESIS_HOME": str(home / "store")},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if sys.argv[1:] else 500
    for program in ("chatgpt", "claude-ai"):
        with tempfile.TemporaryDirectory() as folder:
            home, file = Path(folder), Path(folder) / "export.zip"
            size = export(file, count, program=program)
            first = run(home, "import", str(file))[1]
            again = run(home, "import", str(file))[1]
            store = Home(home / "store")
            kept = files.report(store)
            by_words = by_question = 0
            asked = range(0, count, max(1, count // _ASKED))
            for number in asked:
                name = f"{program}-0000-{number}"
                for text in (" ".join(fact(number)[:2]), _QUESTION.format(*fact(number))):
                    found = archive.search_sessions(store, text, SessionFilter(), limit=5)
                    hit = any(each.session.id == name for each in found)
                    by_words += hit and not text.endswith("?")
                    by_question += hit and text.endswith("?")
            injected = run(home, "inject", "--project", "global")[0]
        print(f"{program}: {count} conversations, {size / 1e6:.0f} MB")
        print(f"  import {first:.1f} s of CPU, again {again:.1f} s")
        print(f"  kept {kept['sessions']} in {kept['bytes'] / 1e6:.1f} MB")
        print(
            f"  found among five by words {by_words}, by a question {by_question} of {len(asked)}"
        )
        print(f"  characters that a session starts with: {len(injected)}")


if __name__ == "__main__":
    main()
