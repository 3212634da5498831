"""The commands around sync, on two machines of one person."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.operations.travel.sync import sync_memory
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of_this_machine
from support.fleet import Fleet, Machine

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def here(root: Path, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine that the commands run on."""
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(fleet.remote))
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "here")
    made = fleet.machine_at(root)
    if made.sealed:
        monkeypatch.setenv("ANAMNESIS_SEALED", "1")
    return made


@pytest.fixture
def there(fleet: Fleet) -> Machine:
    return fleet.machine("there")


def run(capsys: Capture, *arguments: str, code: int = 0) -> str:
    """What a command prints; talk is left out."""
    assert main(arguments) == code, capsys.readouterr()
    return capsys.readouterr().out


@pytest.fixture
def clash(here: Machine, there: Machine, capsys: Capture) -> str:
    """The id of a note that both machines changed."""
    note_id = run(capsys, "write", "the first text", "--title", "T").strip()
    run(capsys, "sync")
    there.sync()
    there.edit(note_id, body="text of there")
    there.sync()
    here.edit(note_id, body="text of here")
    run(capsys, "sync", code=3)
    return note_id


def test_sync_prints_the_counts(here: Machine, fleet: Fleet, capsys: Capture) -> None:
    run(capsys, "write", "some text")

    line = run(capsys, "sync")

    counts = f"pushed=True pulled={fleet.first_commits} conflicted=False"
    assert line.startswith(f"sync: {counts} head=")
    assert line.rstrip().endswith("indexed=1 (synced)")


def test_the_command_and_the_tool_count_the_same_notes_as_indexed(
    here: Machine, there: Machine, capsys: Capture
) -> None:
    for number in range(3):
        run(capsys, "write", f"text {number} of here")
    run(capsys, "write", "stays here", "--scope", "machine-local")
    run(capsys, "sync")
    there.write("N1", "the word xylophone")
    there.sync()

    said = [json.loads(run(capsys, "sync", "--json")) for _ in range(2)]
    with MemoryStore(here.home) as store:
        tool = sync_memory(store, backend_of_this_machine())

    assert [answer["pulled"] for answer in said] == [1, 0]
    assert [*(answer["indexed"] for answer in said), tool["indexed"]] == [5, 5, 5]


def test_an_edit_by_hand_is_indexed_by_the_next_sync(here: Machine, capsys: Capture) -> None:
    note_id = run(capsys, "write", "the word marimba").strip()
    run(capsys, "sync")
    path = here.path(note_id)
    path.write_text(path.read_text().replace("marimba", "glockenspiel"))

    run(capsys, "sync")

    assert note_id in run(capsys, "search", "glockenspiel")


def test_a_pulled_note_is_found_without_a_reindex(
    here: Machine, there: Machine, fleet: Fleet, capsys: Capture
) -> None:
    there.write("N1", "the word xylophone")
    there.sync()

    said = json.loads(run(capsys, "sync", "--json"))

    assert (said["pulled"], said["indexed"]) == (1 + fleet.first_commits, 1)
    assert said["changed"] == ["memory/semantic/N1.md"]
    assert "N1" in run(capsys, "search", "xylophone")
    there.delete("N1")
    there.sync()
    run(capsys, "sync")
    assert run(capsys, "search", "xylophone").strip() == ""


def test_a_sync_with_nothing_to_do_does_not_open_the_database(
    here: Machine, there: Machine, capsys: Capture
) -> None:
    there.write("N1", "x")
    there.sync()
    run(capsys, "sync")
    (here.home / "index.db").unlink()

    run(capsys, "sync")

    assert not (here.home / "index.db").exists()


def test_offline_is_a_normal_end(here: Machine, capsys: Capture,
                                 monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "ssh://nobody@host.invalid/x.git")
    run(capsys, "write", "x")

    assert "offline" in run(capsys, "sync")
    told = json.loads(run(capsys, "status", "--json"))
    assert told["sync"]["last_error"] is None
    assert told["sync"]["offline_since"]
    (finding,) = (each for each in told["findings"] if each["name"] == "sync")
    assert finding["severity"] == "warning"
    assert finding["sentence"].startswith(f"offline since {told['sync']['offline_since']}")
    assert "host.invalid" in finding["sentence"]


def test_a_wrong_remote_is_a_failure(here: Machine, capsys: Capture, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(tmp_path / "nowhere"))

    run(capsys, "write", "x")

    assert "no git repository at" in run(capsys, "sync", code=1)


def test_a_detached_sync_outlives_its_parent(here: Machine, there: Machine, tmp_path: Path) -> None:
    here.write("N1", "x")
    (tmp_path / "json.py").write_text("raise SystemExit('a file of the project was imported')")
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", "from anamnesis.cli import main; main(['sync', '--detach'])"],
        check=True, cwd=tmp_path, start_new_session=True, env={**os.environ, "PYTHONSAFEPATH": "1"},
    )  # fmt: skip
    assert time.monotonic() - began < 5
    for _ in range(100):
        there.sync()
        if there.body("N1"):
            break
        time.sleep(0.1)

    assert there.body("N1") == "x"


def test_status_tells_how_sync_stands(here: Machine, there: Machine, capsys: Capture) -> None:
    run(capsys, "write", "x")
    before = json.loads(run(capsys, "status", "--json"))["sync"]
    run(capsys, "sync")

    after = json.loads(run(capsys, "status", "--json"))["sync"]

    # To ask for admission to a sealed remote takes a repository.
    assert (before["initialized"], before["last_success"]) == (here.sealed, None)
    assert (after["initialized"], after["dirty"], after["ahead"], after["held"]) == (
        True,
        False,
        0,
        [],
    )
    assert after["last_success"]
    assert "last sync" in run(capsys, "status")


# conflicts


def test_a_conflict_is_listed_and_shown(here: Machine, clash: str, capsys: Capture) -> None:
    assert clash in run(capsys, "conflicts", "list", code=3)
    assert clash in run(capsys, "conflicts", code=3)
    shown = run(capsys, "conflicts", "show", clash[-6:])
    assert "text of here" in shown
    assert "text of there" in shown
    assert "the first text" in shown
    assert "-text of here\n+text of there" in run(capsys, "conflicts", "diff", clash)
    listed = json.loads(run(capsys, "conflicts", "list", "--json", code=3))
    assert (listed[0]["id"], listed[0]["machine"], listed[0]["fields"]) == (
        clash,
        "there",
        ["body"],
    )


@pytest.mark.parametrize(
    ("choice", "text"), [("mine", "text of here"), ("theirs", "text of there")]
)
def test_a_chosen_version_reaches_everybody(
    here: Machine, there: Machine, clash: str, capsys: Capture, choice: str, text: str
) -> None:
    run(capsys, "conflicts", "resolve", clash, f"--{choice}")
    run(capsys, "sync")
    there.sync()

    assert here.body(clash) == there.body(clash) == text
    assert run(capsys, "conflicts", "list") == ""
    assert text in run(capsys, "show", clash)
    kept = b"".join(p.read_bytes() for p in (here.home / "conflicts" / "resolved").rglob("*.md"))
    assert b"text of here" in kept
    assert b"text of there" in kept


def test_both_keeps_the_other_text_as_a_second_note(
    here: Machine, there: Machine, clash: str, capsys: Capture
) -> None:
    second = run(capsys, "conflicts", "resolve", clash, "--both").strip()
    run(capsys, "sync")
    there.sync()

    assert there.body(clash) == "text of here"
    other = there.note(second)
    assert other.body == "text of there"
    assert clash in other.title
    assert other.extra == f"variant_of: {clash}\n"


def test_an_edited_version_resolves_it(
    here: Machine, there: Machine, clash: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i -e '/^<<<</d' -e '/^====/d' -e '/^>>>>/d'")
    run(capsys, "conflicts", "resolve", clash, "--edit")
    run(capsys, "sync")
    there.sync()

    assert there.body(clash) == "text of here\ntext of there"


def test_an_edit_that_leaves_markers_resolves_nothing(
    here: Machine, clash: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")

    run(capsys, "conflicts", "resolve", clash, "--edit", code=3)

    assert clash in run(capsys, "conflicts", "list", code=3)
    assert here.body(clash) == "text of here"


def test_a_conflict_that_does_not_exist_is_told(here: Machine, capsys: Capture) -> None:
    run(capsys, "conflicts", "show", "nothing", code=1)


# remote


def test_a_remote_is_created_proved_and_used(root: Path, capsys: Capture, tmp_path: Path) -> None:
    bare = tmp_path / "new" / "notes.git"
    assert run(capsys, "remote", code=4) == ""

    assert run(capsys, "remote", "--create", str(bare)).strip() == str(bare)

    run(capsys, "write", "x")
    assert "pushed=True" in run(capsys, "sync")
    assert json.loads(run(capsys, "remote", "show", "--json"))["remote"] == str(bare)
    assert (root / "config.json").stat().st_mode & 0o077 == 0
    assert json.loads(run(capsys, "remote", "remove", "--json"))["remote"] is None
    run(capsys, "remote", "remove")
    assert run(capsys, "remote", code=4) == ""


def test_a_created_remote_packs_itself_long_before_git_would(
    root: Path, capsys: Capture, tmp_path: Path
) -> None:
    bare = tmp_path / "notes.git"
    run(capsys, "remote", "--create", str(bare))

    asked = ["git", "-C", str(bare), "config", "--type=int", "gc.auto"]
    loose = int(subprocess.run(asked, check=True, capture_output=True).stdout)

    assert 0 < loose <= 200  # git's own default is 6700: gigabytes of trees at 50,000 notes


def test_a_broken_config_is_not_taken_for_a_machine_without_a_remote(
    root: Path, capsys: Capture
) -> None:
    run(capsys, "write", "a fact")
    (root / "config.json").write_text('{"remote": "/mnt/notes.git",}')

    assert main(["sync"]) == 1

    assert "config.json is not a JSON object" in capsys.readouterr().err
    assert not (root / "memory" / ".git").exists()


def test_naming_a_remote_keeps_the_other_settings(root: Path, capsys: Capture) -> None:
    root.mkdir()
    (root / "config.json").write_text('{"machine_id": "m", "other": [1]}')

    shown = run(capsys, "remote", "set", "https://me:s3cret@example.org/x.git")

    assert "s3cret" not in shown
    stored = json.loads((root / "config.json").read_text())
    assert (stored["machine_id"], stored["other"]) == ("m", [1])
    assert stored["remote"] == "https://me:s3cret@example.org/x.git"


def test_naming_a_remote_does_not_overwrite_broken_settings(root: Path, capsys: Capture) -> None:
    root.mkdir()
    (root / "config.json").write_text('{"machine_id": "m",}')

    run(capsys, "remote", "set", "/mnt/share/notes.git", code=1)

    assert (root / "config.json").read_text() == '{"machine_id": "m",}'


@pytest.mark.parametrize("url", ["-oProxyCommand=x", "ext::sh -c x"])
def test_a_dangerous_remote_is_refused(root: Path, capsys: Capture, url: str) -> None:
    with pytest.MonkeyPatch.context():
        assert main(["remote", "set", "--", url]) == 2
    assert not (root / "config.json").exists()


# history


@pytest.fixture
def versions(here: Machine, capsys: Capture) -> tuple[str, list[str]]:
    """A note with three recorded versions, newest first."""
    note_id = run(capsys, "write", "version 1", "--title", "T").strip()
    run(capsys, "sync")
    for number in (2, 3):
        here.edit(note_id, body=f"version {number}")
        run(capsys, "sync")
    listed = json.loads(run(capsys, "history", note_id, "--json"))
    return note_id, [entry["commit"] for entry in listed]


def test_history_lists_the_versions(
    versions: tuple[str, list[str]], fleet: Fleet, capsys: Capture
) -> None:
    note_id, commits = versions

    assert len(commits) == 3
    assert run(capsys, "history", note_id[-6:]).splitlines()[0].endswith("here")
    assert len(json.loads(run(capsys, "log", "--json"))) == 3 + fleet.first_commits
    assert f"added    {note_id}  T\n" in run(capsys, "log")


def test_diff_compares_with_a_version_or_two(
    here: Machine, versions: tuple[str, list[str]], capsys: Capture
) -> None:
    note_id, commits = versions
    assert run(capsys, "diff", note_id) == ""
    here.edit(note_id, body="not synced yet")

    assert "-version 3\n+not synced yet" in run(capsys, "diff", note_id)
    assert "-version 1\n+not synced yet" in run(capsys, "diff", note_id, commits[2])
    assert "-version 1\n+version 2" in run(capsys, "diff", note_id, commits[2], commits[1])


def test_restore_writes_an_old_version_as_a_new_one(
    here: Machine, there: Machine, versions: tuple[str, list[str]], capsys: Capture
) -> None:
    note_id, commits = versions

    run(capsys, "restore", note_id, commits[2][:8])
    run(capsys, "sync")
    there.sync()

    assert there.body(note_id) == "version 1"
    assert len(json.loads(run(capsys, "history", note_id, "--json"))) == 4


def test_restore_brings_a_deleted_note_back(
    here: Machine, versions: tuple[str, list[str]], capsys: Capture
) -> None:
    note_id, commits = versions
    run(capsys, "write", "another")
    run(capsys, "delete", note_id, "--yes")
    run(capsys, "sync")
    assert json.loads(run(capsys, "history", note_id, "--json"))[0]["deleted"]

    run(capsys, "restore", note_id, commits[0])

    with MemoryStore(here.home) as store:
        note = store.get(note_id)
    assert note is not None
    assert note.body == "version 3"


@pytest.mark.parametrize("revision", ["--output=evil", "-O", "HEAD..main", "x y", "", "nothing"])
def test_a_revision_is_never_an_option(
    here: Machine, versions: tuple[str, list[str]], capsys: Capture, revision: str
) -> None:
    note_id, _ = versions

    assert main(["restore", note_id, "--", revision]) == 2
    assert not list(here.home.rglob("evil*"))


def test_without_a_history_it_says_so(root: Path, capsys: Capture) -> None:
    note_id = run(capsys, "write", "x").strip()

    run(capsys, "history", note_id, code=1)
    run(capsys, "log", code=1)
