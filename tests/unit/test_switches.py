from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks import switches


def test_pausing_and_resuming(tmp_path: Path) -> None:
    home, project = Home(tmp_path / "home"), tmp_path / "p"

    def why() -> str:
        return switches.why_off(home, project="demo", cwd=str(project))

    assert why() == ""
    switches.pause(home)
    assert why() == "paused"
    switches.resume(home)
    switches.pause(home, project="demo")
    switches.pause(home, project="other")
    assert why() == "paused for demo"
    switches.resume(home, project="demo")
    assert why() == ""
    assert switches.paused_projects(home) == ["other"]


@pytest.mark.parametrize(
    ("patterns", "path", "covered"),
    [
        ("", ".", True),
        ("", "src/a.py", True),
        ("# only a comment\n", "src", True),
        ("secret/\n", "secret", True),
        ("secret/\n", "secret/deep/a.py", True),
        ("secret/\n", "src", False),
        ("*.env\n", "config/prod.env", True),
        ("docs/*.md\n", "docs/a.md", True),
        ("docs/*.md\n", "a.md", False),
        ("x\n", "../elsewhere/x", False),
    ],
)
def test_a_project_can_be_ignored_or_a_part_of_it(
    tmp_path: Path, patterns: str, path: str, covered: bool
) -> None:
    (tmp_path / ".anamnesis").mkdir()
    (tmp_path / ".anamnesis" / "ignore").write_text(patterns)
    (tmp_path / "src").mkdir()

    found = switches.ignore_patterns(str(tmp_path / "src"))

    assert found is not None
    assert found.covers(str(tmp_path / path)) is covered


def test_the_store_is_no_project(home: Path) -> None:
    (home / ".anamnesis").mkdir()
    (home / ".anamnesis" / "ignore").write_text("")

    assert switches.ignore_patterns(str(home)) is None
