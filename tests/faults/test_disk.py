"""A disk that is full, read-only or damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from support.notes import content_of_files, index_content

LIMITED = """
import resource, signal, sys
from anamnesis.ground.errors import AnamnesisError
from anamnesis.store import MemoryStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = MemoryStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    store.write(type="semantic", title="big", body="x" * 100_000)
except AnamnesisError as error:
    print("refused:", error)
note = store.write(type="semantic", title="small findme", body="fits")
print("wrote:", note.id)
print("found:", len(store.list()))
"""

NOT_A_BYTE = """
import json, resource, signal, sys
from anamnesis.ground.errors import AnamnesisError
from anamnesis.store import MemoryStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
store = MemoryStore(sys.argv[1])
answer = {"found": [n.title for n in store.search("findme")]}
try:
    store.write(type="semantic", title="new", body="x")
except AnamnesisError as error:
    answer["error"] = str(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.write(type="semantic", title="later findme", body="x")
answer["later"] = sorted(n.title for n in store.search("findme"))
print(json.dumps(answer))
"""

READ_ONLY = """
import json, os, sys, tempfile, urllib.parse
import anamnesis.index.rebuild, anamnesis.notes.yamlfront
from anamnesis.ground.errors import AnamnesisError
from anamnesis.store import MemoryStore
# The other user may not be allowed to read Python's own files: a rehearsal loads them.
with tempfile.TemporaryDirectory() as rehearsal:
    for title in ("findme", "findme as well"):
        with MemoryStore(rehearsal) as store:
            store.write(type="semantic", title=title, body="b")
            store.search("findme")
        os.unlink(rehearsal + "/index.db")
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
store = MemoryStore(sys.argv[1])
answer = {"found": [n.title for n in store.search("findme")], "degraded": store.degraded}
try:
    store.write(type="semantic", title="new", body="x")
except AnamnesisError as error:
    answer["error"] = str(error)
print(json.dumps(answer))
"""


def run(code: str, root: Path) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", code, str(root)], capture_output=True, text=True, timeout=60
    )
    assert finished.stderr == ""
    return finished.stdout


def test_a_full_disk_refuses_the_note_and_keeps_the_rest(root: Path) -> None:
    with MemoryStore(root) as store:
        store.write(type="semantic", title="before findme", body="b" * 200)

    printed = run(LIMITED, root)

    assert "refused: Cannot write" in printed
    assert "wrote: " in printed
    with MemoryStore(root) as store:
        assert sorted(note.title for note in store.list()) == ["before findme", "small findme"]
        store.refresh()
    assert index_content(root)["memories"] == content_of_files(root)["memories"]
    assert not [path for path in root.rglob("*") if path.name.startswith(".tmp-")]


@pytest.mark.parametrize("index", ["there", "missing"])
def test_a_disk_without_a_byte_left_still_gives_the_notes(root: Path, index: str) -> None:
    with MemoryStore(root) as store:
        store.write(type="semantic", title="before findme", body="b" * 200)
    if index == "missing":
        (root / "index.db").unlink()

    answer = json.loads(run(NOT_A_BYTE, root))

    assert answer["found"] == ["before findme"]
    assert answer["error"].startswith("Cannot write")
    assert answer["later"] == ["before findme", "later findme"]
    with MemoryStore(root) as store:
        assert len(store.list()) == 2
    assert index_content(root)["memories"] == content_of_files(root)["memories"]


@pytest.fixture
def readable_home(tmp_path: Path) -> Path:
    """A store below a directory that another user may enter."""
    directory = tmp_path
    while directory != directory.parent and directory.owner() == tmp_path.owner():
        if directory.stat().st_uid == os.getuid() and directory != Path("/"):
            directory.chmod(directory.stat().st_mode | 0o755)
        directory = directory.parent
        if directory == Path("/tmp"):
            break
    return tmp_path / "store"


def close_to_others(root: Path) -> None:
    for path in [root, *root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


@pytest.mark.parametrize("index", ["kept", "removed"])
def test_a_read_only_store_is_searched_and_refuses_a_write(readable_home: Path, index: str) -> None:
    with MemoryStore(readable_home) as store:
        store.write(type="semantic", title="findme", body="b")
    if index == "removed":
        (readable_home / "index.db").unlink()
    close_to_others(readable_home)

    answer = json.loads(run(READ_ONLY, readable_home))

    assert answer["found"] == ["findme"]
    assert "permission denied" in answer["error"]
    assert bool(answer["degraded"]) == (index == "removed")


def test_a_folder_without_permission_hides_only_itself(readable_home: Path) -> None:
    with MemoryStore(readable_home) as store:
        store.write(type="semantic", title="findme open", body="b")
        store.write(type="episodic", title="findme closed", body="b")
    (readable_home / "index.db").unlink()
    close_to_others(readable_home)
    (readable_home / "memory" / "episodic").chmod(0o700)

    answer = json.loads(run(READ_ONLY, readable_home))

    assert answer["found"] == ["findme open"]
    (readable_home / "memory" / "episodic").chmod(0o755)


@pytest.mark.parametrize("damage", ["garbage", "zeros in the middle", "cut", "empty", "directory"])
def test_a_damaged_index_is_rebuilt_by_itself(root: Path, damage: str) -> None:
    with MemoryStore(root) as store:
        for number in range(100):
            store.write(type="semantic", title=f"findme {number}", body="word " * 200)
    path = root / "index.db"
    data = path.read_bytes()
    half = len(data) // 2
    if damage == "directory":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(
            {
                "garbage": b"not a database " * 1000,
                "zeros in the middle": data[:8192] + bytes(len(data) - 8192),
                "cut": data[:half],
                "empty": b"",
            }[damage]
        )

    with MemoryStore(root) as store:
        assert len(store.search("findme", k=200)) == 100
        assert len(store.list()) == 100
        store.write(type="semantic", title="after", body="b")
        assert len(store.list()) == 101


@pytest.mark.parametrize(
    ("command", "module", "code", "said"),
    [
        ("list", "commands/list", 1, "list: A compiled file of this program was cut off"),
        ("list", "store/__init__", 1, "list: A compiled file of this program was cut off"),
        ("inject", "commands/inject", 0, "inject: A compiled file of this program was cut off"),
        ("inject", "inject/select", 0, ""),
    ],
)
def test_a_compiled_module_that_a_full_disk_cut_off_fails_once(
    root: Path, tmp_path: Path, command: str, module: str, code: int, said: str
) -> None:
    with MemoryStore(root) as store:
        store.write(type="semantic", title="findme", body="x")
    compiled = tmp_path / "compiled"
    settings = {
        "ANAMNESIS_HOME": str(root),
        "PYTHONPYCACHEPREFIX": str(compiled),
        "PYTHONDONTWRITEBYTECODE": "",
    }

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "anamnesis", command], env={**os.environ, **settings},
            input="{}", capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    assert "findme" in run().stdout
    (cut,) = compiled.rglob(f"anamnesis/**/{module}.*.pyc")
    cut.write_bytes(cut.read_bytes()[:-100])

    first, second = run(), run()

    assert (first.returncode, first.stderr.startswith(said)) == (code, True)
    assert "Traceback" not in first.stderr
    assert "findme" in second.stdout
