"""What Windows and macOS do differently, simulated: neither ever ran these tests."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
import yaml

from anamnesis.ground import atomic
from anamnesis.ground.errors import NotWritable
from anamnesis.sync.plan import by_folded_name, collides, is_syncable, why_not

ROOT = Path(__file__).parents[2]


def test_the_workflow_tests_every_system_with_every_python_that_is_promised() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    promised = [line.rpartition(" ")[2] for line in project["classifiers"] if ":: 3." in line]

    assert jobs["test"]["strategy"]["matrix"] == {
        "system": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": promised,
    }
    commands = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    assert "make check" in commands
    assert "make test PYTHON=python" in commands
    assert f"PYTHONS ?= {' '.join(promised)}" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize(
    "name", ["con.md", "NUL.md", "aux.txt.md", "com1.md", "semantic/Lpt9.md", "prn/note.md"]
)
def test_a_name_that_is_a_device_on_windows_does_not_travel(name: str) -> None:
    assert not is_syncable(name)
    assert "not valid on every system" in why_not(name)


@pytest.mark.parametrize("name", ["console.md", "semantic/com10.md", "nullable.md", "context.md"])
def test_a_name_that_only_begins_like_a_device_travels(name: str) -> None:
    assert is_syncable(name)


def test_names_that_are_one_to_a_disk_of_macos_collide() -> None:
    composed, taken_apart = "semantic/caf\u00e9.md", "semantic/cafe\u0301.md"
    present = by_folded_name([composed])

    assert collides(taken_apart, present)
    assert collides(taken_apart.upper(), present)
    assert not collides(composed, present)
    assert not collides("semantic/cafe.md", present)


class Scanner:
    """Another process that has a file open: Windows does not let it be replaced meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, tries: int) -> None:
        self.tries = tries
        self._replace = os.replace
        monkeypatch.setattr(os, "replace", self._replace_unless_open)
        monkeypatch.setattr(atomic, "_IS_WINDOWS", True)
        monkeypatch.setattr(atomic, "_PAUSES", (0.0, 0.0, 0.0))

    def _replace_unless_open(self, path: str, new: str) -> None:
        self.tries -= 1
        if self.tries >= 0:
            raise PermissionError(13, "Access is denied", new)
        self._replace(path, new)


def test_a_file_that_another_process_reads_is_replaced_when_it_lets_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.md"
    note.write_text("before")
    Scanner(monkeypatch, tries=2)

    atomic.write_text(str(note), "after")

    assert note.read_text() == "after"


def test_a_file_that_stays_open_is_left_as_it_is_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.md"
    note.write_text("before")
    Scanner(monkeypatch, tries=99)

    with pytest.raises(NotWritable, match=r"note\.md"):
        atomic.write_text(str(note), "after")

    assert note.read_text() == "before"
    assert os.listdir(tmp_path) == ["note.md"]
