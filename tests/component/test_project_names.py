"""A project is what people call it, wherever its key is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.mcp.tools import call
from anamnesis.mcp.workspace import Binding
from anamnesis.operations.machine.project_names import AmbiguousProject, key_named
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from support.fleet import git

SHOP = "github.com/ada/shop"


@pytest.fixture
def checkout(home: Path) -> Path:
    """A clone of a project whose origin is on a server."""
    directory = home / "code" / "shop"
    directory.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main", cwd=directory)
    git("remote", "add", "origin", "git@github.com:ada/shop.git", cwd=directory)
    return directory


@pytest.fixture
def outside(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current directory belongs to no project."""
    monkeypatch.chdir(home)


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.usefixtures("outside")
def test_the_end_of_one_key_names_its_project(store: MemoryStore) -> None:
    store.write(type="semantic", title="a", body="a", project=SHOP)
    store.write(type="semantic", title="b", body="b", project="workshop")

    named = [key_named(store, each) for each in ("shop", "ada/shop", "Shop", SHOP, "new")]

    assert named == [SHOP, SHOP, SHOP, SHOP, "new"]


@pytest.mark.usefixtures("outside")
def test_a_name_of_several_projects_lists_them(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    for key in (SHOP, "gitlab.com/eve/shop"):
        store.write(type="semantic", title=key, body=key, project=key)

    code, _, told = typed(capsys, "list", "--project", "shop")

    assert code != 0
    assert f"{SHOP}, gitlab.com/eve/shop" in told
    with pytest.raises(AmbiguousProject):
        key_named(store, "shop")


@pytest.mark.usefixtures("outside")
def test_an_exact_key_is_no_short_name(store: MemoryStore) -> None:
    for key in (SHOP, "shop"):
        store.write(type="semantic", title=key, body=key, project=key)

    assert key_named(store, "shop") == "shop"


@pytest.mark.usefixtures("outside")
def test_commands_and_tools_take_the_short_name(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write(type="semantic", title="Deploys need the VPN", body="The office one.", project=SHOP)
    store.write(type="semantic", title="Deploys elsewhere", body="No VPN.", project="other")

    listed = json.loads(typed(capsys, "list", "--project", "shop", "--json")[1])
    found = call(Binding(store), "memory_search", {"query": "deploys", "project": "shop"})
    started = typed(capsys, "inject", "--project", "shop")[1]

    assert [note["project"] for note in listed] == [SHOP]
    assert "Deploys need" in found.text
    assert "Deploys elsewhere" not in found.text
    assert "The office one." in started


def test_a_note_written_in_a_checkout_arrives_in_its_next_session(
    checkout: Path, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)

    code, _, told = typed(capsys, "write", "The staging database needs the VPN")
    assert code == 0

    assert f"filed under {SHOP}" in told
    assert "needs the VPN" in inject(Home(root), Payload(cwd=str(checkout)))
    assert inject(Home(root), Payload(cwd=str(checkout.parent))) == ""


def test_the_name_of_the_checkout_is_known_before_its_first_note(
    checkout: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)

    assert key_named(store, "shop") == SHOP


def test_a_note_for_all_projects_can_be_written_in_a_checkout(
    checkout: Path,
    store: MemoryStore,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(checkout)

    code, _, told = typed(capsys, "write", "I write British English", "--project", "global")

    assert code == 0
    assert told == ""
    assert [note.project for note in store.headers()] == ["global"]


@pytest.mark.usefixtures("outside")
def test_a_note_written_outside_of_a_repository_is_for_all_projects(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(capsys, "write", "I write British English")[0] == 0

    assert [note.project for note in store.headers()] == ["global"]
