"""What hooks and the server load is written down, and only there start-up idioms are allowed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from support.hooks import Transcript, environment

SOURCE = Path(__file__).parents[1] / "src"
LIST = Path(__file__).parent / "hot_path.txt"
IDIOMS = ("TYPE_CHECKING = False", "@record\n")
# What a hook loads only where there is no index, a note to print or an earlier session to ask, or
# the repository carries notes,
# and `sync --detach`; what the server loads when a file was read.
SELDOM = {
    "anamnesis.archive.ask",
    "anamnesis.archive.database",
    "anamnesis.consent",
    "anamnesis.cli.detached_sync",
    "anamnesis.git.renames",
    "anamnesis.hooks.background",
    "anamnesis.search.excerpts",
    "anamnesis.index.file_mentions",
    "anamnesis.inject.without_index",
    "anamnesis.store.repository",
}
REPORT = "import json, os, sys\nos.write(2, json.dumps(sorted(sys.modules)).encode())"
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}},
}  # fmt: skip
SEARCH = {
    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
    "params": {"name": "memory_search", "arguments": {"query": "sqlite busy timeout"}},
}  # fmt: skip


def loaded(home: Path, *arguments: str, given: str) -> set[str]:
    """Our modules that a command has loaded at its end."""
    code = f"from anamnesis.cli import main\nmain({list(arguments)!r})\n{REPORT}"
    done = subprocess.run(
        [sys.executable, "-c", code], input=given.encode(), capture_output=True, check=True,
        timeout=60, env=environment(home),
    )  # fmt: skip
    found = json.loads(done.stderr[done.stderr.rindex(b"[") :])
    return {name for name in found if name.split(".")[0] == "anamnesis"}


def hot(home: Path) -> set[str]:
    with MemoryStore(home / ".anamnesis") as store:
        store.write(type="semantic", title="SQLite in WAL mode", body="Set busy_timeout.")
    transcript = Transcript(home / "t.jsonl", session="s", cwd=str(home))
    transcript.user("Why is the database locked when two writers meet?")
    transcript.assistant("The writer held the lock for a minute; set busy_timeout to 5000.")
    payload = {"cwd": "/u/demo", "session_id": "s", "prompt": "why is sqlite in WAL mode slow?",
               "error": "ZorbelError: flange 12 is not seated",
               "transcript_path": str(transcript.path)}  # fmt: skip
    hook = json.dumps(payload)
    lines = "".join(f"{json.dumps(each)}\n" for each in (INITIALIZE, SEARCH))
    return (
        loaded(home, "inject", given=hook)
        | loaded(home, "recall-hook", "--project", "demo", given=hook)
        | loaded(home, "failure-hook", given=hook)
        | loaded(home, "capture", "--no-sync", given=hook)
        | loaded(home, "serve", given=lines)
        | synced(home)
        | SELDOM
    )


def synced(home: Path) -> set[str]:
    """Our modules that a sync with nothing to do loads: one runs behind every session start."""
    loaded(home, "sync", given="")
    return loaded(home, "sync", given="")


def test_the_list_is_what_hooks_and_the_server_load(home: Path) -> None:
    found = sorted(hot(home))

    assert found == LIST.read_text().split(), "make hot-path writes the list"


@pytest.mark.parametrize("idiom", IDIOMS)
def test_start_up_idioms_stand_on_the_hot_path_only(idiom: str) -> None:
    listed = set(LIST.read_text().split())
    using = {_name(path) for path in SOURCE.rglob("*.py") if idiom in path.read_text()}
    using.discard("anamnesis.ground.records")

    assert using - listed == set()


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def test_the_list_can_be_written_again(home: Path) -> None:
    """`make hot-path` runs this with the variable set."""
    if os.environ.get("HOT_PATH") == "write":
        LIST.write_text("".join(f"{name}\n" for name in sorted(hot(home))))
