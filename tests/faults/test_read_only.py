"""A store on a disk that is mounted read-only: everything but writing works, and says so."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks import news
from anamnesis.store import MemoryStore
from support.fronts import PROGRAM
from support.hooks import Transcript, environment
from support.mcp_client import INITIALIZE, line
from support.notes import hand_written, write_file

_MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
_ROOT = ["--map-root-user"] * (os.geteuid() != 0)
MOUNTED = ["unshare", *_ROOT, "--mount", "sh", "-c", _MOUNTED, "sh"]
FACT = "the cart rounds half to even"


@pytest.fixture(autouse=True)
def _needs_a_mount(tmp_path: Path) -> None:
    tried = subprocess.run([*MOUNTED, tmp_path, "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("no disk can be mounted read-only here")


def run(home: Path, *words: str, payload: object = "", **more: str) -> tuple[int, str]:
    """Run a command on the read-only store; its exit code, and all that it said."""
    data = payload if isinstance(payload, str) else json.dumps(payload)
    finished = subprocess.run(
        [*MOUNTED, home / ".anamnesis", *PROGRAM, *words], input=data, text=True, timeout=60,
        env=environment(home, **more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False,
    )  # fmt: skip
    return finished.returncode, finished.stdout


def behind(root: Path) -> None:
    """A note came in since the index was written."""
    write_file(root, "memory/semantic/new.md", hand_written("NEW", body="about the tunnel"))


def without_index(root: Path) -> None:
    for path in root.glob("index.db*"):
        path.unlink()


def killed(root: Path) -> None:
    """A process was killed: what it wrote last is beside the index."""
    with MemoryStore(root) as store:
        store.write(type="semantic", title="last", body="about the tunnel")
        shutil.copy(root / "index.db", root / "copy.db")
        shutil.copy(root / "index.db-wal", root / "copy.db-wal")
    os.replace(root / "copy.db", root / "index.db")
    os.replace(root / "copy.db-wal", root / "index.db-wal")


def owing(root: Path) -> None:
    """A session was promised what arrives later, before the disk became read-only."""
    news.promise(Home(root), "s-1")


STATES = {
    "up to date": lambda _: None,
    "index behind": behind,
    "no index": without_index,
    "killed": killed,
    "news owed": owing,
}


@pytest.fixture(params=STATES)
def any_home(request: pytest.FixtureRequest, home: Path, root: Path, tmp_path: Path) -> Path:
    """A store with a remote, whose index is in one of these states."""
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / "remote.git"], check=True)
    with MemoryStore(root) as store:
        store.write(type="semantic", title="Rounding", body=FACT)
    (root / "config.json").write_text(json.dumps({"remote": str(tmp_path / "remote.git")}))
    assert main(["sync"]) == 0
    STATES[request.param](root)
    return home


@pytest.mark.parametrize("source", ["startup", "compact"])
@pytest.mark.parametrize("session", ["s-1", ""])
def test_a_session_gets_its_memory(any_home: Path, session: str, source: str) -> None:
    payload = {"session_id": session, "cwd": "/", "source": source}

    code, said = run(any_home, "inject", payload=payload, ANAMNESIS_START_WAIT="0")

    assert code == 0
    assert FACT in said


def test_a_prompt_gets_its_answer(any_home: Path, root: Path) -> None:
    payload = {"session_id": "s-1", "cwd": "/", "prompt": "How does the cart do its rounding?"}

    code, said = run(any_home, "recall-hook", payload=payload)

    assert code == 0
    assert (FACT in said) == (root / "index.db").exists()  # a hook builds no index


@pytest.mark.parametrize("words", [("search", "rounds half"), ("list",), ("status",)])
def test_reading_works(any_home: Path, words: tuple[str, ...]) -> None:
    code, said = run(any_home, *words)

    assert code == 0
    assert "Rounding" in said or "nothing can be saved" in said
    assert "Traceback" not in said


def test_the_tools_search_and_say_that_nothing_is_saved(any_home: Path) -> None:
    def called(number: int, name: str, **arguments: str) -> dict[str, object]:
        params = {"name": name, "arguments": arguments}
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}

    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        called(2, "memory_search", query="rounds half"),
        called(3, "memory_list"),
        called(4, "memory_status"),
        called(5, "memory_write", type="semantic", title="t", body="a new fact"),
    ]
    _, said = run(any_home, "serve", payload=b"".join(map(line, messages)).decode())

    answers = {each["id"]: each["result"] for each in map(json.loads, said.splitlines())}
    texts = {number: str(result.get("content")) for number, result in answers.items()}
    assert FACT in texts[2]
    assert "Rounding" in texts[3]
    assert "mounted read-only" in texts[4]
    assert answers[5]["isError"]
    assert "Not saved." in texts[5]
    assert "read-only" in texts[5]


@pytest.mark.parametrize("words", [("write", "a new fact"), ("sync",), ("delete", "NOTE", "--yes")])
def test_what_writes_says_that_nothing_was_saved_and_why(
    any_home: Path, root: Path, words: tuple[str, ...]
) -> None:
    with MemoryStore(root) as store:
        (note, *_) = store.headers()

    code, said = run(any_home, *(note.id if word == "NOTE" else word for word in words))

    assert code == 1
    assert "read-only file system" in said
    assert "Not saved." in said
    assert "lost" not in said


def test_a_capture_ends_quietly(any_home: Path, tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "s-1.jsonl").user("Fix the login of the shop, please")
    transcript.edit("/u/login.py").result().assistant("It works again, as the tests show.")
    payload = {"session_id": "s-1", "transcript_path": str(transcript.path)}

    assert run(any_home, "capture", payload=payload)[0] == 0


def test_the_doctor_knows_it_and_advises_nothing_that_cannot_help(any_home: Path) -> None:
    code, said = run(any_home, "doctor", "--json")

    assert code == 1
    found = [each for each in json.loads(said) if each["severity"] != "ok"]
    (store,) = (each for each in found if each["name"] == "store")
    assert "mounted read-only" in store["sentence"]
    assert store["remedy"].startswith("Mount it for writing")
    advice = " ".join(each["remedy"] for each in found)
    for useless in ("chmod", "Start a session", "reindex", "--backfill"):
        assert useless not in advice
    assert not [each for each in found if each["name"].startswith("self-test")]
