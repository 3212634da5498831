from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.cli import COMMANDS, main
from anamnesis.ground import locks
from anamnesis.store import MemoryStore


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def write(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code, printed, _ = run(capsys, "write", *arguments)
    assert code == 0
    return printed.strip()


def test_a_note_is_written_from_an_argument(
    capsys: pytest.CaptureFixture[str], store: MemoryStore
) -> None:
    note_id = write(
        capsys, "First line\nrest", "--type", "procedural", "--tags", "a, b,a", "--project", "p"
    )

    note = store.get(note_id)

    assert note is not None
    assert (note.title, note.body, note.type) == ("First line", "First line\nrest", "procedural")
    assert (note.tags, note.project) == (["a", "b"], "p")


def test_a_note_is_written_from_a_file(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, tmp_path: Path
) -> None:
    (tmp_path / "n.md").write_text("# Heading\ntext\n")

    note = store.get(write(capsys, "--file", str(tmp_path / "n.md"), "--scope", "machine-local"))

    assert note is not None
    assert (note.title, note.body, note.scope) == ("Heading", "# Heading\ntext", "machine-local")


def test_a_note_is_written_from_standard_input(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from \xff stdin\n")))

    note = store.get(write(capsys))

    assert note is not None
    assert note.body == "from \ufffd stdin"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["write", ""], "The note is empty"),
        (["write", "x", "--file", "y"], "not both"),
        (["write", "--file", "/nowhere"], "Cannot read /nowhere"),
        (["write", "x", "--supersedes", "nothing"], "There is no note nothing"),
        (["show", "nothing"], "There is no note nothing"),
        (["delete", "../../etc/passwd", "--yes"], "There is no note"),
        (["nonsense"], "unknown command 'nonsense'"),
        (["serch", "x"], "Did you mean `anamnesis search`?"),
    ],
)
@pytest.mark.usefixtures("store")
def test_a_mistake_is_explained_on_stderr(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code, printed, said = run(capsys, *arguments)

    assert code in (1, 2)
    assert message in said
    assert printed == ""


def test_list_and_search_speak_json(capsys: pytest.CaptureFixture[str]) -> None:
    note_id = write(capsys, "find me here", "--project", "p")

    _, listed, _ = run(capsys, "list", "--json")
    _, found, _ = run(capsys, "search", "find", "me", "--project", "p", "--json")
    _, none, _ = run(capsys, "search", "find", "--project", "q", "--json")

    assert [note["id"] for note in json.loads(listed)] == [note_id]
    assert "body" not in json.loads(listed)[0]
    assert json.loads(found)[0]["body"] == "find me here"
    assert json.loads(none) == []


def test_list_stops_at_its_limit_and_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        write(capsys, f"note {number}")

    _, printed, said = run(capsys, "list", "--limit", "3")

    assert len(printed.splitlines()) == 3
    assert "anamnesis list --limit 3 --offset 3" in said


@pytest.mark.usefixtures("store")
def test_an_empty_store_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "list")

    assert (code, printed) == (0, "")
    assert "anamnesis write" in said


def test_show_prints_the_file(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    note_id = write(capsys, "text")

    _, printed, _ = run(capsys, "show", note_id[-6:].lower())

    assert printed == (root / "memory" / "semantic" / f"{note_id}.md").read_text()


def test_a_list_says_how_to_go_on_with_the_same_list(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("one", "two"):
        write(capsys, text)

    _, _, said = run(capsys, "list", "--type", "semantic", "--limit", "1")

    assert "anamnesis list --type semantic --limit 1 --offset 1" in said


def test_edit_saves_what_the_editor_left(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = write(capsys, "before")
    monkeypatch.setenv("EDITOR", "sed -i s/before/after/")

    code, _, _ = run(capsys, "edit", note_id)

    note = store.get(note_id)
    assert code == 0
    assert note is not None
    assert (note.title, note.body) == ("after", "after")


def test_an_edit_without_a_change_writes_nothing(
    capsys: pytest.CaptureFixture[str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = write(capsys, "before")
    path = root / "memory" / "semantic" / f"{note_id}.md"
    inode = path.stat().st_ino
    monkeypatch.setenv("EDITOR", "true")

    _, _, said = run(capsys, "edit", note_id)

    assert "nothing was changed" in said
    assert path.stat().st_ino == inode


@pytest.mark.parametrize("breakage", ["s/^id:.*/id: other/", "s/^---//", "s/^type:.*/type: ..x/"])
def test_an_edit_that_cannot_be_saved_is_kept(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch,
    breakage: str,
) -> None:  # fmt: skip
    note_id = write(capsys, "before")
    before = store.get(note_id)
    monkeypatch.setenv("EDITOR", f"sed -i -e '{breakage}' -e s/before/my-words/")

    code, _, said = run(capsys, "edit", note_id)

    kept = Path(said.rpartition("kept in ")[2].strip())
    assert code in (1, 2)
    assert "my-words" in kept.read_text()
    assert store.get(note_id) == before
    kept.unlink()


@pytest.mark.parametrize("editor", ["vi 'unclosed", "/no/such/editor", "false", "rm"])
def test_an_editor_that_does_not_run_is_told_and_leaves_nothing_behind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, editor: str
) -> None:
    note_id = write(capsys, "before")
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    code, _, said = run(capsys, "edit", note_id)

    assert code in (1, 2)
    assert editor.partition(" ")[0] in said or "removed the file" in said
    assert list(tmp_path.iterdir()) == []


def test_an_edit_does_not_overwrite_a_newer_version(
    capsys: pytest.CaptureFixture[str], root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note_id = write(capsys, "before")
    path = root / "memory" / "semantic" / f"{note_id}.md"
    editor = tmp_path / "editor"
    editor.write_text(
        f'#!/bin/sh\nsed -i s/before/elsewhere/ "{path}"\nsed -i s/before/mine/ "$1"\n'
    )
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))

    code, _, said = run(capsys, "edit", note_id)

    assert code == 1
    assert "changed on disk since you opened it" in said
    assert "elsewhere" in path.read_text()
    Path(said.rpartition("kept in ")[2].strip()).unlink()


def test_delete_asks_unless_told_not_to(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = write(capsys, "x")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    refused, _, said = run(capsys, "delete", note_id)
    assert refused == 2
    assert "--yes" in said
    assert store.get(note_id) is not None

    done, printed, _ = run(capsys, "delete", note_id, "--yes")
    assert (done, printed.strip()) == (0, note_id)
    assert store.get(note_id) is None


def test_a_note_that_was_never_synced_can_be_brought_back(
    capsys: pytest.CaptureFixture[str], store: MemoryStore
) -> None:
    note_id = write(capsys, "the only copy")

    run(capsys, "delete", note_id, "--yes")
    run(capsys, "restore", note_id, "HEAD")

    assert store.require(note_id).note.body == "the only copy"


def test_a_note_that_cannot_be_recorded_yet_is_not_deleted_yet(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = write(capsys, "the only copy")
    monkeypatch.setattr("anamnesis.sync.git._COMMIT_SECONDS", 0.1)

    with locks.held(str(store.root / "locks" / "sync.lock"), name="sync", timeout=1):
        code, _, said = run(capsys, "delete", note_id, "--yes")

    assert code == 5
    assert "nothing was changed" in said
    assert store.require(note_id).note.body == "the only copy"


def test_without_git_a_note_is_deleted_and_can_still_be_brought_back(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = write(capsys, "the only copy")
    monkeypatch.setenv("PATH", "")

    code, _, said = run(capsys, "delete", note_id, "--yes")

    assert code == 0
    assert "not recorded in the history" in said
    assert store.get(note_id) is None
    assert run(capsys, "undo")[0] == 0
    assert store.require(note_id).note.body == "the only copy"


def test_move_keeps_a_note_on_this_machine(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    note_id = write(capsys, "x")

    run(capsys, "move", note_id, "--scope", "machine-local")

    assert (root / "local" / "semantic" / f"{note_id}.md").exists()


def test_status_names_the_files_that_need_a_person(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, root: Path
) -> None:
    store.write(type="semantic", title="t", body="b")
    (root / "memory" / "semantic" / "bad.md").write_text("nothing")

    _, printed, _ = run(capsys, "status")
    _, as_json, _ = run(capsys, "status", "--json")

    assert "memory/semantic/bad.md: memory file missing YAML front-matter" in printed
    assert json.loads(as_json)["total"] == 1
    assert json.loads(as_json)["unreadable"][0]["path"] == "memory/semantic/bad.md"


def test_reindex_says_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    write(capsys, "x")

    assert run(capsys, "reindex")[1] == "reindex: 1 note\n"


def test_a_store_that_cannot_be_made_is_an_error_in_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "file" / "store"))

    code, _, said = run(capsys, "write", "a fact")

    assert code == 1
    assert said.startswith("write: Cannot write ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches(capsys: pytest.CaptureFixture[str], name: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: anamnesis")


def test_the_installed_command_runs_and_survives_a_closed_pipe(home: Path) -> None:
    command = Path(sys.executable).with_name("anamnesis")
    environment = {**os.environ, "HOME": str(home)}
    for number in range(30):
        with MemoryStore(home / ".anamnesis") as store:
            store.write(type="semantic", title=f"a rather long title {number}" * 20, body="b")

    finished = subprocess.run(
        ["bash", "-c", f"'{command}' list --limit 0 | head -1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, env=environment, timeout=60,
    )  # fmt: skip
    version = subprocess.run([str(command), "--version"], capture_output=True, text=True)

    assert finished.stderr == ""
    assert len(finished.stdout.splitlines()) == 1
    assert version.stdout.startswith("anamnesis ")
