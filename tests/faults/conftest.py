"""Children that work on a store until they are stopped."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.fleet import Victims
from support.injector import Injector

WORKER = Path(__file__).with_name("worker.py")
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start_worker(root: Path) -> Start:
    """Start a child that does one kind of work on the store of the test."""

    def start(work: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(WORKER), work, str(root), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    """Work that is killed on the way."""
    started = Victims()
    yield started
    started.close()


@pytest.fixture
def injector(tmp_path: Path) -> Injector:
    """Runs commands with faults, or records what they do to the disk."""
    return Injector(tmp_path)
