"""Secrets through every face and a sync: what the remote has of them in all its objects."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.mcp.protocol import Protocol, Request
from anamnesis.mcp.workspace import Binding
from anamnesis.operations.sessions.capture import capture
from anamnesis.secrets import redact
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys
from corpus import formats
from support.hooks import Transcript
from support.notes import hand_written, write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from corpus.secrets import Planted

SEED = 11
_IN_NAME = re.compile(r"[\w-]{8,60}", re.ASCII)
_ORIGIN = "http://127.0.0.1:8765"
_LONG, _PIECE = 24, 12  # characters; of a long value a piece says enough


def by_command(root: Path, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    for number, text in enumerate(texts):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main(["write", "--title", f"command{number}", "-"]) == 0


def by_tool(root: Path, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    with MemoryStore(root) as store:
        protocol = Protocol(Binding(store, machine_id="laptop"))
        for number, text in enumerate(texts):
            note = {"type": "semantic", "title": f"tool{number}", "body": text}
            call = {"name": "memory_write", "arguments": note}
            protocol.answer(Request(id=number, method="tools/call", params=call))


def by_import(root: Path, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    export = root.parent / "CLAUDE.md"
    sections = (f"# import{number}\n\n{text}\n" for number, text in enumerate(texts))
    export.write_text("\n".join(sections), encoding="utf-8")
    assert main(["import", str(export), "--from", "instructions"]) == 0


def by_capture(root: Path, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    for number, text in enumerate(texts):
        session = f"s-{number}"
        transcript = Transcript(root.parent / f"{session}.jsonl", session=session)
        transcript.user(f"Please configure capture{number} with this:\n{text}")
        transcript.edit(f"/u/shop/part{number}.py").result()
        transcript.assistant(f"The capture{number} is configured now. {text}")
        told = Payload(session_id=session, transcript_path=str(transcript.path), event="SessionEnd")
        capture(Home(root), told, source="session-end")


def by_editor(root: Path, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    added = root.parent / "added.txt"
    patch.setenv("EDITOR", f"""sh -c 'cat "{added}" >> "$1"' -""")
    patch.delenv("VISUAL", raising=False)
    for number, text in enumerate(texts):
        with MemoryStore(root) as store:
            note = store.write(type="semantic", title=f"editor{number}", body="Before.")
        added.write_text(f"\n{text}\n", encoding="utf-8")
        assert main(["edit", note.id]) == 0


def by_dashboard(root: Path, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    keys = Keys()
    with MemoryStore(root) as store:
        app = build(store, keys=keys, hosts=frozenset({"127.0.0.1:8765"}), cookie="c")
        with TestClient(app, base_url=_ORIGIN, follow_redirects=False) as browser:
            browser.get("/open", params={"token": keys.mint()})
            browser.headers["origin"] = _ORIGIN
            for number, text in enumerate(texts):
                note = store.write(type="semantic", title=f"dashboard{number}", body="Before.")
                form = {"title": note.title, "body": text, "hash": store.require(note.id).hash}
                assert browser.post(f"/notes/{note.id}", data=form).status_code == 303


def by_file_name(root: Path, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    for number, name in enumerate(texts):
        write_file(root, f"memory/semantic/{name}.md", hand_written(f"file{number}", body="Words."))


WAYS: dict[str, Callable[[Path, list[str], pytest.MonkeyPatch], None]] = {
    "command": by_command,
    "tool": by_tool,
    "import": by_import,
    "capture": by_capture,
    "editor": by_editor,
    "dashboard": by_dashboard,
    "file": by_file_name,
}


def sample() -> dict[str, list[Planted]]:
    """For every way, two texts of each kind."""
    kinds = (
        formats.vendor_tokens(seed=SEED), formats.named_secrets(seed=SEED),
        formats.passwords(seed=SEED), formats.written_lines(seed=SEED),
    )  # fmt: skip
    chance = random.Random(SEED)
    chosen = {
        way: [each for every in kinds for each in chance.sample(every, 2)]
        for way in WAYS
        if way != "file"
    }
    tokens = [each for each in kinds[0] if _IN_NAME.fullmatch(each.secret)]
    named = chance.sample(tokens, 2 * len(kinds))
    chosen["file"] = [each._replace(text=f"deploy {each.secret}") for each in named]
    return chosen


def left(secrets: Iterable[str], text: str) -> set[str]:
    """The values that a text has, or pieces of the long ones."""
    return {
        secret
        for secret in secrets
        if secret in text
        or (len(secret) >= _LONG and (secret[:_PIECE] in text or secret[-_PIECE:] in text))
    }


def test_no_secret_reaches_the_remote_that_redaction_does_not_leave(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    monkeypatch.setenv("ANAMNESIS_SWEEP", "0")
    chosen = sample()
    for way, every in chosen.items():
        WAYS[way](root, [placed.text for placed in every], monkeypatch)

    main(["sync"])

    listed = ["git", "-C", str(remote), "cat-file", "--batch-all-objects", "--batch"]
    found = subprocess.run(listed, capture_output=True, check=True).stdout
    pushed = found.decode("utf-8", "replace")
    for way, every in chosen.items():
        secrets = {placed.secret for placed in every}
        floor = {each for placed in every for each in left([placed.secret], redact(placed.text))}
        assert left(secrets, pushed) <= floor, way
        if way != "file":
            assert len(set(re.findall(rf"\b{way}\d+", pushed))) == len(every), way
