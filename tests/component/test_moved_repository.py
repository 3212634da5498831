"""A repository that moved keeps its memory, after one question, on all machines."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from anamnesis.aliases import Alias, aliases, names_of, set_alias
from anamnesis.archive.turns import Header, Turn
from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks import switches
from anamnesis.hooks.payload import Payload
from anamnesis.inject import select_inject
from anamnesis.operations.machine import checkouts, project
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.store import MemoryStore
from support.archive import save
from support.fleet import Machine, git, in_step

OLD, NEW = "github.com/ada/till", "gitlab.com/shop/till"


@pytest.fixture
def moved(home: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose origin has changed, and a note from before; the new one is known."""
    directory = home / "till"
    directory.mkdir()
    git("init", "--quiet", "--initial-branch=main", cwd=directory)
    git("remote", "add", "origin", f"https://{OLD}.git", cwd=directory)
    git("commit", "--quiet", "--allow-empty", "--message=x", cwd=directory)
    checkouts.learn(Home(store.home), str(directory))
    store.write(type="semantic", title="Receipts", body="The printer is slow.", project=OLD)
    git("remote", "set-url", "origin", f"https://{NEW}.git", cwd=directory)
    monkeypatch.chdir(directory)
    return directory


def started(root: Path, directory: Path) -> str:
    return inject(Home(root), Payload(session_id="s", cwd=str(directory), source="resume"))


def test_it_is_recognised_and_asked_about_once(moved: Path, root: Path) -> None:
    home = Home(root)
    checkouts.learn(home, str(moved))

    assert checkouts.names_before(home, str(moved)) == [OLD]
    assert f"was {OLD} before" in started(root, moved)

    project.keep_apart(home, str(moved), OLD)
    assert checkouts.names_before(home, str(moved)) == []
    assert OLD not in started(root, moved)


def test_a_hook_asks_git_nothing(moved: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started_in_background: list[list[str]] = []
    monkeypatch.setattr("anamnesis.hooks.background.start", started_in_background.append)
    monkeypatch.setattr("anamnesis.git.command.git_in", None)

    started(root, moved)

    assert ["project", "show", str(moved)] in started_in_background


def test_another_repository_in_the_same_place_is_another_project(moved: Path, root: Path) -> None:
    git("checkout", "--quiet", "--orphan", "fresh", cwd=moved)
    git("commit", "--quiet", "--allow-empty", "--message=another beginning", cwd=moved)

    checkouts.learn(Home(root), str(moved))

    assert checkouts.names_before(Home(root), str(moved)) == []


def test_with_an_alias_both_names_give_the_notes_of_both(
    moved: Path, root: Path, store: MemoryStore
) -> None:
    store.write(type="semantic", title="Paper", body="It is 80 mm wide.", project=NEW)
    before = {path: path.read_bytes() for path in (root / "memory").rglob("*.md")}

    project.add_name(Home(root), str(moved), OLD)

    told = started(root, moved)
    asked = Payload(cwd=str(moved), prompt="why is the printer of receipts so slow?")
    assert "printer is slow" in told
    assert "80 mm" in told
    assert "printer is slow" in recall_for_prompt(Home(root), asked)
    for name in (OLD, NEW):
        assert {note.title for note in select_inject(store, project=name)} == {"Receipts", "Paper"}
        assert store.search("printer receipts", project=name)
    assert {path: path.read_bytes() for path in (root / "memory").rglob("*.md")} == before


def test_a_pause_holds_under_every_name(moved: Path, root: Path) -> None:
    project.add_name(Home(root), str(moved), OLD)

    switches.pause(Home(root), project=OLD)

    assert started(root, moved) == ""


@pytest.mark.usefixtures("terminal")
def test_the_command_joins_and_parts_two_names(
    moved: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["project", "alias", OLD]) == 0
    assert json.loads(_printed(capsys, "project", "show", "--json"))["also"] == [OLD]

    assert main(["project", "alias", OLD, "--undo"]) == 0
    assert json.loads(_printed(capsys, "project", "show", "--json"))["also"] == []
    assert str(moved)


class Yes(io.StringIO):
    """A person who agrees."""

    def isatty(self) -> bool:
        """They sit at a terminal."""
        return True


def test_status_names_it_and_one_answer_is_enough(
    moved: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"was {OLD} before; 1 note is kept under that name" in _printed(capsys, "status")

    monkeypatch.setattr("sys.stdin", Yes("y\n"))
    assert main(["project", "alias"]) == 0

    assert names_of(Home(root), NEW) == (NEW, OLD)
    assert "under that name" not in _printed(capsys, "status")
    assert str(moved)


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    main(arguments)
    return capsys.readouterr().out


def test_names_form_a_chain(root: Path) -> None:
    home = Home(root)
    for pair in (Alias("b", "a"), Alias("c", "b")):
        set_alias(home, pair)

    assert [set(names_of(home, each)) for each in "abc"] == [{"a", "b", "c"}] * 3
    assert names_of(home, "d") == ("d",)


def test_aliases_of_two_machines_meet(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    for machine, names in ((laptop, ("n", "a")), (desk, ("n", "b")), (desk, ("n", "a"))):
        set_alias(Home(machine.home), Alias(*names))

    in_step(laptop, desk)

    for machine in pair:
        assert set(names_of(Home(machine.home), "n")) == {"n", "a", "b"}
    set_alias(Home(desk.home), Alias("n", "a", active=False))
    in_step(laptop, desk)
    assert names_of(Home(laptop.home), "n") == ("n", "b")


def test_an_alias_that_an_earlier_version_did_not_write_is_not_deleted(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    set_alias(Home(laptop.home), Alias("n", "a"))
    in_step(laptop, desk)
    for path in (desk.memory / ".aliases").iterdir():
        path.unlink()

    in_step(desk, laptop)

    assert aliases(Home(desk.home)) == aliases(Home(laptop.home)) == [Alias("n", "a")]


def test_sessions_of_both_names_are_found_in_the_archive(moved: Path, root: Path) -> None:
    for number, key in enumerate((OLD, NEW)):
        at = f"2026-11-0{number + 1}T08:00:00+00:00"
        header = Header(session=f"s-{number}", project=key, cwd=str(moved), started=at, ended=at)
        save(Home(root), header, [Turn("agent", at=at, text=f"The lamp of part {number} is on.")])
    project.add_name(Home(root), str(moved), OLD)

    listed = archive.list_sessions(Home(root), archive.SessionFilter(project=NEW), limit=9)

    assert {each.project for each in listed} == {OLD, NEW}
