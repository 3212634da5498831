"""A repository that holds something else is not a memory: nothing is sent to somebody's project."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.operations.travel import remote
from support.fleet import Fleet, Machine, git

PROJECT = {"README.md": "# Shop", "src/cart.py": "x = 1", "package.json": "{}"}
FRESHLY_MADE = {"README.md": "# notes", "LICENSE": "MIT", ".gitignore": "*.pyc"}
MEMORY = {"semantic/n1.md": "x", "deploy/run.sh": "true"}


def published(place: Path, files: dict[str, str], *, branch: str = "main") -> Path:
    """A bare repository whose only branch holds these files."""
    work, bare = place / "work", place / "bare.git"
    for name, text in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    git("init", "--quiet", f"--initial-branch={branch}", ".", cwd=work)
    git("add", "--all", cwd=work)
    git("commit", "--quiet", "--message=start", cwd=work)
    git("clone", "--quiet", "--bare", str(work), str(bare), cwd=place)
    return bare


REFUSED = {
    False: "holds something other than notes (package.json, src/cart.py)",
    True: "cannot be trusted: it holds something that no machine of this store wrote",
}


@pytest.fixture
def desk(fleet: Fleet) -> Machine:
    return fleet.machine("desk")


def test_nothing_is_sent_to_a_project(desk: Machine, tmp_path: Path) -> None:
    bare = published(tmp_path, PROJECT)
    before = git("rev-parse", "main", cwd=bare)
    desk.remote = str(bare)
    desk.write("n", "my own business")

    first, again = desk.sync(), desk.sync()

    assert REFUSED[desk.sealed] in first.error
    assert again.error == first.error
    assert git("for-each-ref", "--format=%(objectname) %(refname)", cwd=bare) == (
        f"{before} refs/heads/main"
    )
    assert list(desk.files()) == ["semantic/n.md"]


def test_a_machine_goes_on_once_it_is_given_another_remote(desk: Machine, tmp_path: Path) -> None:
    desk.remote = str(published(tmp_path, PROJECT))
    desk.write("n", "my own business")
    desk.sync()
    empty = tmp_path / "empty.git"
    git("init", "--quiet", "--bare", str(empty), cwd=tmp_path)

    desk.remote = str(empty)

    assert desk.sync().pushed


def test_a_machine_that_synced_before_does_not_take_a_project_for_its_memory(
    desk: Machine, tmp_path: Path
) -> None:
    desk.write("n", "my own business")
    desk.sync()

    desk.remote = str(published(tmp_path, PROJECT))

    assert REFUSED[desk.sealed] in desk.sync().error


@pytest.mark.parametrize("files", [FRESHLY_MADE, MEMORY], ids=["freshly made", "with a script"])
def test_a_memory_is_one_whatever_lies_beside_the_notes(
    tmp_path: Path, files: dict[str, str]
) -> None:
    desk = Machine(tmp_path / "desk", str(published(tmp_path, files)))
    desk.write("n", "my own business")

    assert desk.sync().pushed


@pytest.mark.parametrize("branch", ["main", "master"])
def test_joining_a_project_is_refused_before_a_commit_goes_there(
    tmp_path: Path, branch: str
) -> None:
    bare = published(tmp_path, PROJECT, branch=branch)

    with pytest.raises(remote.RemoteNotUsable, match="something other than notes"):
        remote.prove(str(bare))
