"""A set-up that version 0.1.3 made is taken over: store, settings, hooks, imported notes.

tests/data/setup-0.1.3.tar.gz is what that program left after `init --home`, `config set`, `import`
and `sync`.
"""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from anamnesis import config
from anamnesis.cli import command_parser, main
from anamnesis.llm import providers
from anamnesis.llm.models import fitting
from anamnesis.store import MemoryStore

SETUP = Path(__file__).parents[1] / "data" / "setup-0.1.3.tar.gz"
IMPORTED = "4CJQ2PZZEJ9WH0EBGABPN9S835.md"  # it learns where it came from
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def earlier(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home as version 0.1.3 left it; the folder of its notes."""
    monkeypatch.delenv("ANAMNESIS_HOME")
    with tarfile.open(SETUP) as archive:
        archive.extractall(home, filter="data")
    for path in (home / ".claude").glob("settings.json*"):
        path.write_text(path.read_text().replace("@HOME@", str(home)))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return home / "notes"


def test_everything_of_it_is_kept(earlier: Path, home: Path, capsys: Capture) -> None:
    before = {path.name: path.read_bytes() for path in (earlier / "memory").rglob("*.md")}

    assert main(["init", "--yes", "--agents", "claude"]) == 0
    said = capsys.readouterr().err
    assert main(["sync"]) == 0

    assert f"Found the hooks of version 0.1.x; its store is {earlier}." in said
    assert "settings are kept, reflection by deepseek deepseek-chat too; its hooks are" in said
    assert config.home_directory() == str(earlier)
    assert not (home / ".anamnesis").exists()
    after = {path.name: path.read_bytes() for path in (earlier / "memory").rglob("*.md")}
    assert after.keys() == before.keys()  # Claude Code's own memory is not there twice
    assert [name for name in before if before[name] != after[name]] == [IMPORTED]
    hooks = (home / ".claude" / "settings.json").read_text()
    assert "ANAMNESIS_MACHINE_ID=" not in hooks
    assert f"{home}/bin/anamnesis" not in hooks
    assert "Bash(ls:*)" in hooks
    with MemoryStore(earlier) as store:
        assert len(store.list()) == 3


def test_its_settings_mean_what_they_meant(
    earlier: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(earlier))

    found = providers.resolve()

    assert (found.provider, found.model, found.api_key) == (
        "deepseek", "deepseek-chat", "sk-test-not-a-key",
    )  # fmt: skip
    assert (found.most, found.max_tokens) == (60_000 * 4, 4096)
    assert config.is_on("reflect_auto", default=False)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MAX_TOKENS", "5000")
    assert providers.resolve().most == 5000 * 4
    assert main(["config", "get", "reflection.model"]) == 0
    assert capsys.readouterr().out == "deepseek-chat\n"


def test_its_settings_can_be_changed_in_its_words(
    earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(earlier))

    assert main(["config", "set", "reflection.model", "other", "reflection.auto", "false"]) == 0
    assert main(["config", "unset", "reflection.provider"]) == 0

    assert config.setting("reflection_model") == "other"
    assert not config.is_on("reflect_auto", default=True)
    assert config.setting("reflection_provider") is None
    assert config.setting("reflection_max_tokens") == "60000"


def test_its_command_forms_work(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(earlier))
    (earlier / "map.json").write_text(json.dumps({"shop": "github.com/acme/shop"}))

    assert main(["migrate", "--map", str(earlier / "map.json"), "--apply", "--no-sync"]) == 0
    assert main(["import", "--claude-home", str(earlier.parent / ".claude"), "--no-sync"]) == 0
    assert main(["dedup", "--no-sync"]) == 0
    assert main(["config", "list", "--json"]) == 0
    assert main(["inject", "--project", "shop", "--k", "8"]) == 0
    assert command_parser("merge").parse_args(["--apply", "--no-sync"]).apply
    assert command_parser("dashboard").parse_args(["--store", "notes"]).home == "notes"
    assert main(["backfill-provenance", "--no-sync"]) == 0
    assert main(["reflect", "--no-sync", "--no-model"]) == 0

    with MemoryStore(earlier) as store:
        assert len(store.list(project="github.com/acme/shop")) == 3


def test_a_long_question_keeps_its_beginning_and_its_end() -> None:
    text = "".join(map(str, range(1000)))

    assert fitting(text, len(text)) == text
    assert fitting(text, 100) == f"{text[:60]}\n[…]\n{text[-40:]}"


def test_leaving_does_not_bring_its_hooks_back(earlier: Path, home: Path) -> None:
    assert main(["init", "--yes", "--agents", "claude", "--no-sync"]) == 0
    assert main(["uninstall"]) == 0

    assert "anamnesis" not in (home / ".claude" / "settings.json").read_text()
