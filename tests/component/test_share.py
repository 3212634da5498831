"""`anamnesis share`: a copy of a note for everybody who works on the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.ground.records import replace
from anamnesis.notes.frontmatter import deserialize
from anamnesis.operations.repository.share import carry_out, plan_share, plan_unshare
from anamnesis.store import MemoryStore
from anamnesis.trust.policy import PENDING
from support.fleet import git
from support.team import FOLDER, Clone, Team

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def anna(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    clone = Team(tmp_path).clone("annas", "anna")
    monkeypatch.setenv("ANAMNESIS_HOME", str(clone.home))
    monkeypatch.chdir(clone.top)
    return clone


def share(clone: Clone, *ids: str) -> None:
    with MemoryStore(clone.home) as store:
        notes = [store.require(id).note for id in ids]
        carry_out(clone.home, plan_share(store, notes, str(clone.top)))


@pytest.mark.usefixtures("terminal")
def test_it_is_shown_and_asked_before_anything_is_written(
    anna: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    id = anna.write("Deploys need the tunnel.")
    before = git("status", "--porcelain", "--untracked-files", cwd=anna.top)

    assert main(["share", id]) == 0  # nobody answers

    printed = capsys.readouterr()
    assert "Deploys need the tunnel." in printed.out
    assert f".anamnesis/memory/semantic/{id}.md" in printed.out
    assert "nothing was changed" in printed.err
    assert git("status", "--porcelain", "--untracked-files", cwd=anna.top) == before


@pytest.mark.usefixtures("terminal")
def test_the_copy_says_nothing_about_you_and_is_not_committed(anna: Clone) -> None:
    with MemoryStore(anna.home) as store:
        id = store.write(
            type="semantic", title="Tunnel", body="Deploys need the tunnel.",
            tags=["pinned", "ops"], machine_id="annas-laptop",
            prov_session="s-1", prov_source="session-end",
        ).id  # fmt: skip

    assert main(["share", id, "--yes"]) == 0

    path = anna.top / FOLDER / "semantic" / f"{id}.md"
    text = path.read_text()
    assert deserialize(text).tags == ["ops"]
    for word in ("annas-laptop", "s-1", str(anna.home), "session-end"):
        assert word not in text
    assert path.stat().st_mode & 0o077
    assert git("log", "--format=%s", cwd=anna.top).strip() == "begin"
    assert "Deploys need the tunnel." in anna.start()
    assert anna.found("deploys tunnel") == ["Deploys need the tunnel."]


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "body", [f"The token is {TOKEN}.", "See /home/anna/notes.txt", r"In C:\Users\Anna\shop"]
)
def test_secrets_and_home_directories_stay(
    anna: Clone, body: str, capsys: pytest.CaptureFixture[str]
) -> None:
    id = anna.write(body, title="Kept")

    assert main(["share", id, "--yes"]) == 1

    assert TOKEN not in capsys.readouterr().err
    assert not (anna.top / ".anamnesis").exists()


@pytest.mark.usefixtures("terminal")
def test_an_address_with_home_in_it_is_no_home_directory(anna: Clone) -> None:
    assert main(["share", anna.write("See https://example.com/home/page.html"), "--yes"]) == 0


@pytest.mark.usefixtures("terminal")
def test_local_only_and_unreviewed_notes_stay(anna: Clone) -> None:
    with MemoryStore(anna.home) as store:
        local = store.write(type="semantic", title="a", body="b", scope="machine-local")
        foreign = store.write(type="semantic", title="c", body="d", tags=[PENDING])
        store.revise(foreign.id, lambda note: replace(note, origin="import:x"))

    assert main(["share", local.id, "--yes"]) == 1
    assert main(["share", foreign.id, "--yes"]) == 1


def test_an_agent_cannot_share(anna: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    id = anna.write("Deploys need the tunnel.")
    monkeypatch.setenv("CLAUDECODE", "1")

    assert main(["share", id, "--yes"]) == 1
    assert not (anna.top / ".anamnesis").exists()


def test_a_file_of_others_with_its_id_is_not_replaced(anna: Clone) -> None:
    id = anna.write("Deploys need the tunnel.")
    theirs = anna.note(id, "Something else.")
    anna.trust()
    before = theirs.read_bytes()

    with pytest.raises(Exception, match="different note"):
        share(anna, id)

    assert theirs.read_bytes() == before


@pytest.mark.usefixtures("terminal")
def test_shared_again_it_is_brought_up_to_date_and_unshared_it_is_gone(anna: Clone) -> None:
    id = anna.write("Deploys need the tunnel.", title="Tunnel")
    share(anna, id)
    path = anna.top / FOLDER / "semantic" / f"{id}.md"
    with MemoryStore(anna.home) as store:
        read = store.require(id)
        changed = replace(read.note, body="Deploys need no tunnel.")
        store.update(changed, expected_hash=read.hash)

    share(anna, id)
    assert "need no tunnel" in path.read_text()
    assert main(["unshare", id[-6:], "--yes"]) == 0

    assert not path.exists()
    assert anna.found("tunnel") == ["Deploys need no tunnel."]
    with MemoryStore(anna.home) as store, pytest.raises(Exception, match="not shared"):
        plan_unshare(store, [id], str(anna.top))


def test_a_note_is_tied_to_the_code_when_it_is_shared(anna: Clone) -> None:
    (anna.top / "pay.py").write_text("def charge(amount):\n    return amount\n")
    git("add", "pay.py", cwd=anna.top)
    id = anna.write("`charge()` in `pay.py` takes cents.")

    share(anna, id)

    text = (anna.top / FOLDER / "semantic" / f"{id}.md").read_text()
    assert "- pay.py#charge " in text


@pytest.mark.usefixtures("terminal")
def test_json_shows_the_files_and_writes_them_only_on_request(
    anna: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    id = anna.write("Deploys need the tunnel.")
    path = anna.top / FOLDER / "semantic" / f"{id}.md"

    assert main(["share", id, "--json"]) == 0
    asked = json.loads(capsys.readouterr().out)
    was_written = path.exists()
    assert main(["share", id, "--json", "--yes"]) == 0

    assert asked["files"] == [{"id": id, "path": f"{FOLDER}/semantic/{id}.md", "removed": False}]
    assert (asked["done"], was_written, path.exists()) == (False, False, True)
