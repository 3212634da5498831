"""The commands of curation: previews by default, one line of talk, JSON for programs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks import runs
from anamnesis.store import MemoryStore
from support import model_server as play
from support.reflect import FACT, durable, files, sessions


def run(*argv: str) -> int:
    return main(list(argv))


def answer(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    capsys.readouterr()
    assert run(*argv, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_reflect_previews_applies_and_undoes(
    store: MemoryStore, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions(store, 5, body=FACT)
    before = files(root)

    assert run("reflect") == 0
    assert FACT in capsys.readouterr().out
    assert files(root) == before
    assert run("reflect", "--apply") == 0
    assert files(root) != before
    assert run("reflect", "--undo") == 0
    assert files(root) == before
    assert run("reflect", "--undo") == 1
    assert "no reflect to undo" in capsys.readouterr().err


def test_a_reflection_that_only_merges_says_so_and_has_nothing_to_review(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    durable(store, "Deploy", body="Deploy with make deploy and then watch the logs")
    durable(store, "Deploy", body="Deploy with make deploy, and then watch the logs.")

    assert run("reflect", "--apply") == 0

    printed = capsys.readouterr()
    assert "reflect: 1 duplicate merged (sessions read: 0, projects: 1)" in printed.out
    assert "anamnesis review" not in printed.err


def test_undoing_prints_json_for_programs(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    durable(store, "Deploy", body="Deploy with make deploy and then watch the logs")
    durable(store, "Deploy", body="Deploy with make deploy, and then watch the logs.")
    run("dedup", "--apply")

    undone = answer(capsys, "dedup", "--undo")

    assert undone["summary"] == "1 duplicate merged into 1 note"
    assert undone["put_back"] == 1


def test_reflect_says_why_it_proposes_nothing(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("reflect") == 0
    assert "none has been captured yet" in capsys.readouterr().out

    sessions(store, 2, project="app")
    sessions(store, 5, project="shop")
    assert run("reflect") == 0

    said = capsys.readouterr().out
    assert "reflect: nothing to distil yet" in said
    assert "app: 2 sessions to reflect on, 5 needed (--min)" in said
    assert (
        "shop: 5 sessions read; no new statement, fixed error or check occurs in 3 of them" in said
    )


def test_reflect_tells_which_project_failed(
    store: MemoryStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions(store)
    with play.serving(play.says("garbage")) as model:
        monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "small")
        code = run("reflect", "--apply")

    assert code == 1
    assert "app" in capsys.readouterr().out
    (failing,) = runs.failing(Home(store.root))
    assert failing.area == "reflect"
    assert run("reflect", "--no-model") == 0
    assert runs.failing(Home(store.root)) == []


def test_a_provider_without_a_key_is_told(
    store: MemoryStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "openai")

    assert run("reflect") == 4
    assert "no key for" in capsys.readouterr().err


def test_the_model_is_proved_by_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("config", "test") == 0
    with play.serving(play.says('{"ready": true}')) as model:
        monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "small")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY", "key-of-the-test")
        assert answer(capsys, "config", "test")["answered"] is True
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", "http://127.0.0.1:9/v1")
        assert run("config", "test") == 1

    said = capsys.readouterr()
    assert "nothing is listening" in said.out
    assert "key-of-the-test" not in said.out + said.err


def test_review_takes_one_key_each(
    store: MemoryStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = durable(store, "Keep me", tags=["pending"])
    gone = durable(store, "Reject me", body=FACT, tags=["pending"])
    left = durable(store, "Skip me", body="Another text.", tags=["pending"])
    monkeypatch.setattr("sys.stdin", io.StringIO("k\nr\nx\ns\n"))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)

    assert run("review") == 0

    assert "1 kept, 1 rejected, 1 still to review" in capsys.readouterr().out
    with MemoryStore(store.root) as seen:
        assert seen.get(gone.id) is None
        assert seen.get(kept.id).tags == []  # type: ignore[union-attr]
        assert seen.get(left.id) == left


def test_a_note_whose_edit_was_not_saved_still_waits(
    store: MemoryStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    note = durable(store, tags=["pending"])
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setattr("sys.stdin", io.StringIO("e\n"))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)

    assert run("review") == 0

    assert "0 kept, 0 rejected, 1 still to review" in capsys.readouterr().out
    with MemoryStore(store.root) as seen:
        assert seen.get(note.id) == note


@pytest.mark.usefixtures("terminal")
def test_what_is_rejected_does_not_count_as_kept(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    durable(store, "Keep me", tags=["pending"])
    gone = durable(store, "Reject me", body=FACT, tags=["pending"])

    assert run("review", "--keep-all", "--reject", gone.id) == 0

    assert "1 kept, 1 rejected" in capsys.readouterr().out


@pytest.mark.usefixtures("terminal")
def test_review_lists_and_decides_by_options(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    note = durable(store, tags=["pending"])

    (listed,) = answer(capsys, "review")
    assert listed["id"] == note.id
    assert run("review", "--keep", note.id) == 0
    assert answer(capsys, "review") == []
    assert run("review", "--undo") == 0
    assert len(answer(capsys, "review")) == 1


def test_dedup_previews_and_applies(
    store: MemoryStore, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    durable(store, "One", body=FACT)
    durable(store, "Two", body=FACT)
    before = files(root)

    (group,) = answer(capsys, "dedup")
    assert (len(group["fold"]), group["identical"]) == (1, True)
    assert files(root) == before
    assert run("dedup", "--apply") == 0
    assert answer(capsys, "dedup") == []
    assert run("dedup", "--undo") == 0
    assert files(root) == before
    assert run("dedup", "--threshold", "7") == 2


def test_merge_shows_and_writes(store: MemoryStore, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = durable(store, "One"), durable(store, "Two", body=FACT)

    assert run("merge", one.id, two.id) == 0
    assert FACT in capsys.readouterr().out
    assert len(store.list()) == 2
    assert run("merge", one.id, two.id, "--title", "Both", "--apply") == 0
    assert "Both" in {note.title for note in store.list()}
    assert run("merge", "--undo") == 0
    assert run("merge", one.id) == 2


@pytest.mark.usefixtures("terminal")
def test_pin_and_unpin(store: MemoryStore) -> None:
    note = durable(store)

    assert run("pin", note.id) == 0
    assert "pinned" in store.get(note.id).tags  # type: ignore[union-attr]
    assert run("unpin", note.id) == 0
    assert "pinned" not in store.get(note.id).tags  # type: ignore[union-attr]


def test_migrate_by_file_and_by_option(
    store: MemoryStore, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    durable(store)
    path = tmp_path / "map.json"
    path.write_text('{"app": "new"}')

    assert answer(capsys, "migrate", str(path))[0]["to"] == "new"
    assert run("migrate", "--map", "app=new", "--apply") == 0
    assert store.headers(project="new")
    assert run("migrate", "--undo") == 0
    assert run("migrate") == 2
    path.write_text("[")
    assert run("migrate", str(path)) == 2
    assert run("migrate", "--map", "a=b", "--map", "b=c") == 2


def test_backfill_provenance(store: MemoryStore, capsys: pytest.CaptureFixture[str]) -> None:
    note = store.write(type="episodic", title="s", body="b", tags=["session"])

    assert run("backfill-provenance") == 0
    assert store.get(note.id) == note
    assert run("backfill-provenance", "--apply") == 0
    assert store.get(note.id).prov_source == "session-end"  # type: ignore[union-attr]


def test_forget_asks_first(
    store: MemoryStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    note = durable(store)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    assert run("forget", note.id) == 2
    assert store.get(note.id) == note
    assert run("forget", note.id, "--yes", "--purge-history") == 0
    assert store.get(note.id) is None
    assert "0 versions are gone from the history" in capsys.readouterr().out
    assert run("forget", "--project", "nowhere", "--yes") == 0


def test_stale_shows_what_is_missing(
    store: MemoryStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note = durable(store, body="See `src/gone.py` for it.")

    found = answer(capsys, "stale", str(tmp_path), "--project", "app")

    assert [(each["id"], each["missing"]) for each in found] == [(note.id, ["src/gone.py"])]
    assert run("stale", str(tmp_path), "--project", "app") == 0


def test_import_and_export(
    store: MemoryStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mem0.json"
    path.write_text('[{"id": "1", "memory": "Prefers tabs over spaces"}]')

    assert run("import", str(path), "--dry-run") == 0
    assert store.list() == []
    assert run("import", str(path), "--project", "app") == 0
    assert answer(capsys, "import", str(path))["unchanged"] == 1
    for target in ("out.jsonl", "out.md", "out"):
        assert run("export", str(tmp_path / target)) == 0
        assert (tmp_path / target).exists()
    assert run("export", str(tmp_path / "out")) == 2
    assert run("export", "--format", "jsonl") == 0
    assert run("export", "--format", "directory") == 2
    assert run("import", str(tmp_path / "out.jsonl")) == 0
    assert run("import", "--undo") == 0
    assert store.list() == []
    assert run("import") == 0
