"""Every way a person writes a note: secrets stay out, and nothing is stored twice unseen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from anamnesis.cli import main
from anamnesis.operations.curate import export, import_
from anamnesis.operations.notes.policy import NoteDraft
from anamnesis.operations.notes.write import write
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path


SECRET = "ghp_" + "a1B2" * 9
STEPS = (
    "Build the wheel with make, tag the release, push the tag, wait for the pipeline "
    "and publish the draft of the announcement when it is green."
)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def written(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    code, printed, _ = run(capsys, "write", *arguments, "--json")
    assert code == 0
    fields = json.loads(printed)
    assert isinstance(fields, dict)
    return fields


def test_a_secret_is_replaced_and_the_writer_told(
    capsys: pytest.CaptureFixture[str], store: MemoryStore
) -> None:
    code, printed, said = run(capsys, "write", f"CI uses the token {SECRET}")

    note = store.get(printed.strip())
    assert code == 0
    assert note is not None
    assert SECRET not in note.title + note.body
    assert said.startswith(
        "write: Secrets were replaced before storing: github token. "
        "If that is wrong, put ghp_a1B2… back:  anamnesis undo "
    )


@pytest.mark.usefixtures("terminal")
def test_what_was_replaced_can_be_put_back_and_is_allowed_then(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, root: Path
) -> None:
    text = f"CI uses the token {SECRET}"
    _, printed, said = run(capsys, "write", text)
    command = said.rpartition("anamnesis undo ")[2].strip()

    code, done, _ = run(capsys, "undo", command)

    note = store.get(printed.strip())
    assert code == 0
    assert done == "Undone: secrets replaced in 1 note\n"
    assert note is not None
    assert (note.title, note.body) == (text, text)
    assert (root / "redact-allow.txt").read_text() == f"{SECRET}\n"
    assert SECRET in str(written(capsys, f"Deploys use {SECRET} too")["body"])


def test_the_original_is_kept_for_you_alone_until_the_note_is_forgotten(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, root: Path
) -> None:
    _, printed, _ = run(capsys, "write", f"CI uses the token {SECRET}")
    (kept,) = [path for path in (root / "undo").iterdir() if SECRET in path.read_text()]
    mode = kept.stat().st_mode & 0o777
    _, listed, _ = run(capsys, "undo", "--list")

    run(capsys, "forget", printed.strip(), "--yes")

    assert mode == 0o600
    assert SECRET not in listed
    assert not [
        path for path in root.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()
    ]


def test_the_latest_change_is_undone_without_bringing_a_secret_back(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = str(written(capsys, "CI uses a token")["id"])
    monkeypatch.setenv("EDITOR", f"sed -i s/token/{SECRET}/")
    run(capsys, "edit", note_id)

    run(capsys, "undo")

    note = store.get(note_id)
    assert note is not None
    assert note.body == "CI uses a token"


def test_nothing_is_kept_of_what_an_agent_wrote(store: MemoryStore, root: Path) -> None:
    saved = write(store, NoteDraft("CI", f"uses {SECRET}"), face="tool")

    assert saved.notice == "Secrets were replaced before storing: github token."
    assert not (root / "undo").exists() or not list((root / "undo").iterdir())


def test_the_values_that_the_store_in_use_allows_stay(store: MemoryStore, tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "other") as other:
        (tmp_path / "other" / "redact-allow.txt").write_text(f"{SECRET}\n")

        here = write(store, NoteDraft("CI", f"uses {SECRET}"), face="command").note
        there = write(other, NoteDraft("CI", f"uses {SECRET}"), face="command").note

    assert here.body == "uses [redacted: github token]"
    assert there.body == f"uses {SECRET}"


def test_a_secret_can_be_kept_on_purpose(
    capsys: pytest.CaptureFixture[str], store: MemoryStore
) -> None:
    fields = written(capsys, f"CI uses the token {SECRET}", "--allow-secret")

    note = store.get(str(fields["id"]))
    assert note is not None
    assert SECRET in note.body
    assert "sync keeps it on this machine" in str(fields["notice"])


def test_tags_are_kept_with_the_secret(store: MemoryStore) -> None:
    draft = NoteDraft("CI", "b", tags=("ci", SECRET))

    kept = write(store, draft, face="command", keep_secrets=True).note

    assert kept.tags == ["ci", SECRET]


def test_a_value_on_the_allow_list_is_no_secret(
    capsys: pytest.CaptureFixture[str], root: Path
) -> None:
    root.mkdir(exist_ok=True)
    (root / "redact-allow.txt").write_text(f"{SECRET}\n")

    fields = written(capsys, f"CI uses the token {SECRET}")

    assert SECRET in str(fields["body"])
    assert "notice" not in fields


def test_the_same_note_twice_is_stored_once(
    capsys: pytest.CaptureFixture[str], store: MemoryStore
) -> None:
    first = written(capsys, STEPS)

    code, printed, said = run(capsys, "write", STEPS)

    assert (code, printed.strip()) == (0, first["id"])
    assert "already stored; nothing was written" in said
    assert "--anyway" in said
    assert store.stats()["total"] == 1


def test_the_same_note_twice_on_purpose(
    capsys: pytest.CaptureFixture[str], store: MemoryStore
) -> None:
    first = written(capsys, STEPS)

    second = written(capsys, STEPS, "--anyway")

    assert (first["written"], second["written"]) == (True, True)
    assert "notice" not in second
    assert store.stats()["total"] == 2


def test_a_note_that_says_nearly_the_same_is_named(
    capsys: pytest.CaptureFixture[str], store: MemoryStore
) -> None:
    first = written(capsys, STEPS, "--title", "Release")

    code, printed, said = run(capsys, "write", STEPS + " Then rest.", "--title", "How to release")

    assert code == 0
    assert f"A similar note is stored as {first['id']}" in said
    assert f"anamnesis merge {printed.strip()} {first['id']}" in said
    assert store.stats()["total"] == 2


def test_another_number_is_another_fact(store: MemoryStore) -> None:
    one = "The staging service listens on port 8080 behind the proxy of the office network"
    write(store, NoteDraft("Port", one), face="command")

    other = write(store, NoteDraft("Port", one.replace("8080", "8443")), face="command")

    assert (other.similar, other.notice) == ((), "")


def test_what_a_note_replaces_is_no_duplicate_of_it(store: MemoryStore) -> None:
    old = write(store, NoteDraft("Release", STEPS), face="tool").note

    draft = NoteDraft("Release", STEPS + " Then rest.", supersedes=(old.id,))
    new = write(store, draft, face="tool")

    assert (new.similar, new.notice) == ((), "")


def test_an_agent_hears_of_a_similar_note_too(store: MemoryStore) -> None:
    old = write(store, NoteDraft("Release", STEPS), face="tool").note

    new = write(store, NoteDraft("Release", STEPS + " Then rest."), face="tool")

    assert [note.id for note in new.similar] == [old.id]
    assert old.id in new.notice


def test_an_edit_brings_no_secret_in(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = str(written(capsys, "CI uses a token")["id"])
    monkeypatch.setenv("EDITOR", f"sed -i s/token/{SECRET}/")

    code, _, said = run(capsys, "edit", note_id)

    note = store.get(note_id)
    assert code == 0
    assert note is not None
    assert note.body == "CI uses a [redacted: github token]"
    assert said.startswith("edit: Secrets were replaced before storing: github token. If that ")


def test_an_edit_leaves_a_secret_that_was_let_in_before(
    capsys: pytest.CaptureFixture[str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = str(written(capsys, f"CI uses {SECRET}", "--allow-secret")["id"])
    monkeypatch.setenv("EDITOR", "sed -i s/CI/Jenkins/")

    _, _, said = run(capsys, "edit", note_id)

    note = store.get(note_id)
    assert note is not None
    assert note.body == f"Jenkins uses {SECRET}"
    assert said == ""


def test_an_export_brings_no_secret_back_in(store: MemoryStore, tmp_path: Path) -> None:
    write(store, NoteDraft("CI", f"token {SECRET}"), face="command", keep_secrets=True)
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(export.jsonl_lines(export.notes_to_export(store))))

    with MemoryStore(tmp_path / "other") as other:
        import_.carry_out(other, import_.plan_own_export(other, str(path)), source="anamnesis")
        again = import_.plan_own_export(other, str(path))

        assert [note.body for note in other.list()] == ["token [redacted: github token]"]
        assert (again.unchanged, again.added) == (1, [])
