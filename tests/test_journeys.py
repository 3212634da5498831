"""ARCHITECTURE.md's journeys are those that the program takes.

They are walked in a process of their own: what other tests left in caches would shorten them.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.cli import main
from anamnesis.ground.records import replace
from anamnesis.mcp.protocol import Protocol, Request
from anamnesis.mcp.workspace import Binding
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys
from support.hooks import Transcript
from support.walks import Walk, walked

PAGE = Path(__file__).parents[1] / "ARCHITECTURE.md"
JOURNEYS = (
    "A note is written",
    "A session ends",
    "A session starts",
    "An agent searches",
    "A note is edited in the dashboard",
    "Two machines meet in a conflict",
)


def machines(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A way to be on one of several machines of one person."""

    def machine(name: str) -> Path:
        root = home / name
        monkeypatch.setenv("ANAMNESIS_HOME", str(root))
        monkeypatch.setenv("ANAMNESIS_MACHINE_ID", name)
        return root

    return machine


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, payload: object = None) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(json.dumps(payload or {}).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    main(list(arguments))


def journeys(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Walk]]:
    monkeypatch.setenv("ANAMNESIS_SWEEP", "0")
    at = machines(home, monkeypatch)
    root = at("laptop")
    run(monkeypatch, "write", "Deploys need the VPN")
    write = ["write", "Set busy_timeout before WAL", "--tags", "sqlite"]
    yield "A note is written", walked(lambda: run(monkeypatch, *write))

    transcript = Transcript(home / "t.jsonl", session="s-1", cwd=str(home))
    transcript.user("Why is the database locked when two writers meet? Please fix it.")
    transcript.edit("/u/shop/store.py").result()
    transcript.assistant("The writer held the lock for a minute; busy_timeout is 5000 now.")
    ended = {"session_id": "s-1", "cwd": str(home), "transcript_path": str(transcript.path),
             "hook_event_name": "SessionEnd"}  # fmt: skip
    yield "A session ends", walked(lambda: run(monkeypatch, "capture", "--no-sync", payload=ended))

    started = {"session_id": "s-2", "cwd": str(home), "source": "startup",
               "hook_event_name": "SessionStart"}  # fmt: skip
    yield "A session starts", walked(lambda: run(monkeypatch, "inject", payload=started))

    with MemoryStore(root) as store:
        protocol = Protocol(Binding(store, machine_id="laptop"))
        asked = {"name": "memory_search", "arguments": {"query": "sqlite busy timeout"}}
        request = Request(id=1, method="tools/call", params=asked)
        yield "An agent searches", walked(lambda: protocol.answer(request))

    # A store of its own: the dashboard commits a moment later, which a sync must not meet.
    yield "A note is edited in the dashboard", _edited(at("browser"))
    yield "Two machines meet in a conflict", _met(home, at, monkeypatch)


def _edited(root: Path) -> Walk:
    with MemoryStore(root) as store:
        note = store.write(type="semantic", title="The port", body="It is 8080.")
        found = store.read(note.id)
        assert found is not None
        keys = Keys()
        app = build(store, keys=keys, hosts=frozenset({"127.0.0.1:8765"}), cookie="c")
        origin = "http://127.0.0.1:8765"
        with TestClient(app, base_url=origin, follow_redirects=False) as browser:
            browser.get("/open", params={"token": keys.mint()})
            browser.headers["origin"] = origin
            form = {"title": "The port", "body": "It is 8443.", "hash": found.hash,
                    "type": "semantic", "project": "global", "scope": "portable", "tags": "",
                    "confidence": "1.0", "supersedes": ""}  # fmt: skip
            walk = walked(lambda: browser.post(f"/notes/{note.id}", data=form))
        changed = store.get(note.id)
        assert changed is not None
        assert changed.body == "It is 8443."
    return walk


def _met(home: Path, at: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Walk:
    remote = home / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    root = at("laptop")
    with MemoryStore(root) as store:
        shared = store.write(type="semantic", title="The port", body="It is 8080.").id
    run(monkeypatch, "sync")
    desk = at("desk")
    run(monkeypatch, "sync")
    for machine, body in ((root, "It is 8443."), (desk, "It is 9000.")):
        with MemoryStore(machine) as store:
            found = store.require(shared)
            store.update(replace(found.note, body=body), expected_hash=found.hash)
    at("laptop")
    run(monkeypatch, "sync")
    at("desk")
    for _ in range(3):  # a busy machine may not answer in time; the next sync goes on
        walk = walked(lambda: run(monkeypatch, "sync"))
        if (desk / "conflicts").exists():
            return walk
    raise AssertionError("the machines did not meet in a conflict")


def described() -> dict[str, list[str]]:
    """The journeys of the page: the modules that each names, in order."""
    page = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^\*\*([^*\n]+)\.\*\* (.+?)\n\n", page, re.MULTILINE | re.DOTALL)
    return {
        name: [part.replace("/", ".") for part in re.findall(r"`([a-z_./]+)`", text)]
        for name, text in found
        if name in JOURNEYS
    }


def test_the_journeys_of_the_page_are_those_of_the_program(home: Path) -> None:
    page = described()
    assert tuple(page) == JOURNEYS

    found = home / "walks.json"
    tests = str(Path(__file__).parent)
    command = [sys.executable, __file__, str(home), str(found)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": tests})
    walks = json.loads(found.read_text("utf-8"))

    assert tuple(walks) == JOURNEYS
    for name, (order, conductors) in walks.items():
        named = page[name]
        assert set(named) <= set(order), f"{name} does not cross {set(named) - set(order)}"
        assert sorted(named, key=order.index) == named, f"{name} goes {order}"
        missing = set(conductors) - set(named)
        assert not missing, f"{name} is also conducted by {missing}"


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patch:
        taken = {
            name: (list(walk.modules), walk.conductors)
            for name, walk in journeys(Path(sys.argv[1]), patch)
        }
    Path(sys.argv[2]).write_text(json.dumps(taken), "utf-8")
