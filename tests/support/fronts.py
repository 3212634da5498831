"""Every way to change a note, each as you would use it: real processes, real requests, real saves.

`add` puts a line below a note and says whether that was acknowledged. What was not may be there or
not; what was must be.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Protocol

from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import replace
from anamnesis.store import MemoryStore
from support.hooks import ENTRY, environment
from support.mcp_client import INITIALIZE, line

PROGRAM = [sys.executable, "-c", ENTRY]
Start = Callable[..., "subprocess.Popen[bytes]"]
_PATIENCE = 180.0  # a sync that loses every race for the remote on a busy machine


class Front(Protocol):
    """A way to change notes."""

    def add(self, note_id: str, line: str) -> bool:
        """Put a line below a note; whether that was acknowledged."""


class Commands:
    """`anamnesis edit`, with an editor that adds a line."""

    def __init__(self, home: Path, *, start: Start = subprocess.Popen, **more: str) -> None:
        self._start = start
        self._environment = environment(home, **more)
        self._editor = home / "editor"
        if not self._editor.exists():
            self._editor.write_text('#!/bin/sh\nprintf "\\n%s\\n" "$LINE" >> "$1"\n')
            self._editor.chmod(0o755)

    def run(self, *words: str, data: bytes = b"", **more: str) -> tuple[int, str]:
        """Run a command to its end; its exit code, which is negative if it was killed."""
        child = self._start(
            [*PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=self._environment | more,
        )  # fmt: skip
        out, _ = child.communicate(data, timeout=_PATIENCE)
        return child.returncode, out.decode()

    def add(self, note_id: str, line: str) -> bool:
        return self.run("edit", note_id, EDITOR=str(self._editor), LINE=line)[0] == 0

    def write(self, title: str, body: str) -> str:
        """The id of a new note; nothing if it was not acknowledged."""
        code, out = self.run("write", body, "--title", title, "--json")
        return str(json.loads(out)["id"]) if code == 0 else ""


class Dashboard:
    """The dashboard in a process of its own, spoken to as its pages do; it comes back if killed."""

    def __init__(self, home: Path, *, start: Start = subprocess.Popen, **more: str) -> None:
        self._start, self._home, self._more = start, home, more
        self._child: subprocess.Popen[bytes] | None = None

    def add(self, note_id: str, line: str) -> bool:
        read = self._ask("GET", f"/api/notes/{note_id}")
        if read is None:
            return False
        changed = {"hash": read["hash"], "body": f"{read['body']}\n\n{line}"}
        return self._ask("PUT", f"/api/notes/{note_id}", changed) is not None

    def write(self, title: str, body: str) -> str:
        """The id of a new note; nothing if it was not acknowledged."""
        made = self._ask("POST", "/api/notes", {"title": title, "body": body})
        return str(made["id"]) if made else ""

    def end(self) -> None:
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
        if self._child is not None:
            self._child.communicate()

    def _ask(
        self, method: str, path: str, body: dict[str, object] | None = None
    ) -> dict[str, object] | None:
        address, key = self._running()
        request = urllib.request.Request(f"{address}{path}", method=method)
        request.add_header("Authorization", f"Bearer {key}")
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, data, timeout=_PATIENCE) as answer:
                found: dict[str, object] = json.load(answer)
                return found
        except (OSError, ValueError, HTTPException):  # refused, or killed meanwhile
            return None

    def _running(self) -> tuple[str, str]:
        record = self._home / ".anamnesis" / "dashboard.json"
        if self._child is None or self._child.poll() is not None:
            self.end()
            record.unlink(missing_ok=True)
            self._child = self._start(
                [*PROGRAM, "dashboard", "--no-open"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=environment(self._home, **self._more),
            )  # fmt: skip
        until = time.monotonic() + _PATIENCE
        while not record.exists() and self._child.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        try:
            said = json.loads(record.read_text())
        except FileNotFoundError:  # killed before it listened
            return "http://127.0.0.1:9", ""
        return str(said["address"]).rstrip("/"), str(said["key"])


class Tools:
    """The tools of an agent, each call with a server of its own."""

    def __init__(self, home: Path, *, start: Start = subprocess.Popen, **more: str) -> None:
        self._commands = Commands(home, start=start, **more)

    def write(self, title: str, body: str) -> str:
        """The id of a new note; nothing if it was not acknowledged."""
        arguments = {"type": "semantic", "title": title, "body": body}
        messages = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
             "params": {"name": "memory_write", "arguments": arguments}},
        ]  # fmt: skip
        _, out = self._commands.run("serve", data=b"".join(map(line, messages)))
        for text in out.splitlines(keepends=True):
            if not text.endswith("\n"):
                return ""  # killed meanwhile
            answer = json.loads(text)
            if answer.get("id") == 2 and not answer["result"].get("isError"):
                return str(answer["result"]["structuredContent"]["id"])
        return ""


class Library:
    """The Python interface: read, change, give the hash back."""

    def __init__(self, home: Path) -> None:
        self._root = home / ".anamnesis"

    def add(self, note_id: str, line: str) -> bool:
        try:
            with MemoryStore(self._root) as store:
                read = store.require(note_id)
                body = f"{read.note.body}\n\n{line}"
                store.update(replace(read.note, body=body), expected_hash=read.hash)
        except AnamnesisError:
            return False
        return True


class Editor:
    """An editor that knows nothing of Anamnesis and saves under a temporary name, as most do."""

    def __init__(self, home: Path) -> None:
        self._root = home / ".anamnesis"

    def add(self, note_id: str, line: str) -> bool:
        for path in self._root.glob(f"*/*/{note_id}.md"):
            text = path.read_text()
            saved = path.with_suffix(".swp")
            saved.write_text(f"{text.rstrip()}\n\n{line}\n")
            if path.read_text() != text:  # as editors do, which then ask
                saved.unlink()
                return False
            os.replace(saved, path)
            return True
        return False
