"""Every test has its own home directory and store; nothing of the person's is touched."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from anamnesis.store import MemoryStore
from anamnesis.trust import writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fleet import SealedFleet

# Every note and every commit is flushed to its disk, thousands of times in these tests. What a
# flush is for is tested by itself; in memory it costs nothing.
_MEMORY = "/dev/shm"
_ROOM = 4 * 1024**3
_HAS_MEMORY = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM
if _HAS_MEMORY and "TMPDIR" not in os.environ:
    os.environ["TMPDIR"] = tempfile.tempdir = _MEMORY

# Threads of numpy that wait for a core spin: on a busy machine they take five times the CPU.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile("quick", deadline=None, max_examples=60)
settings.load_profile("quick")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, which is the current one, and no setting from outside."""
    directory = tmp_path_factory.mktemp("home")
    monkeypatch.chdir(directory)  # a checkout has a project, and notes written there are its own
    for name in list(os.environ):
        if name.startswith(("ANAMNESIS_", "GIT_", "XDG_", "CLAUDE")) or name in writer.MARKS:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("ANAMNESIS_HOME", str(directory / ".anamnesis"))
    return directory


class Terminal(io.StringIO):
    """Input from a terminal, at which nobody types."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """You are at a terminal: what only you may decide can be asked for."""
    monkeypatch.setattr("sys.stdin", Terminal())


@pytest.fixture
def root(home: Path) -> Path:
    """Where the store of the test is."""
    return home / ".anamnesis"


@pytest.fixture
def store(root: Path) -> Iterator[MemoryStore]:
    """An empty store."""
    with MemoryStore(root) as opened:
        yield opened


@pytest.fixture(scope="session")
def sealed_fleet(tmp_path_factory: pytest.TempPathFactory) -> SealedFleet:
    """A sealed remote with two members that have not synced yet, to be copied."""
    from support.fleet import SealedFleet

    made = SealedFleet(tmp_path_factory.mktemp("sealed"))
    for name in ("laptop", "desk"):
        made.machine(name)
    return made
