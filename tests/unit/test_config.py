from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from anamnesis import config


def write_config(home: Path, text: str) -> None:
    (home / ".anamnesis").mkdir(exist_ok=True)
    (home / ".anamnesis" / "config.json").write_text(text)


def test_the_home_is_in_the_home_directory_unless_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", "~/elsewhere")
    assert config.resolve_home() == home / "elsewhere"

    monkeypatch.delenv("ANAMNESIS_HOME")
    assert config.resolve_home() == home / ".anamnesis"


def test_the_environment_wins_over_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_config(home, json.dumps({"machine_id": "thinkpad", "remote": "git@h:x.git"}))
    assert config.resolve_machine_id() == "thinkpad"
    assert config.resolve_remote() == "git@h:x.git"

    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "git@h:y.git")
    assert config.resolve_machine_id() == "desk"
    assert config.resolve_remote() == "git@h:y.git"


def test_without_settings_the_host_gives_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.resolve_machine_id() == socket.gethostname()
    assert config.resolve_remote() is None

    monkeypatch.setattr("anamnesis.ground.startup.gethostname", lambda: "")
    assert config.resolve_machine_id() == "unknown"


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "null", '"x"', '{"machine_id": ["x"]}', "\x00", '{"machine_id": ""}']
)
def test_a_broken_file_never_crashes(home: Path, text: str) -> None:
    write_config(home, text)

    assert config.resolve_machine_id() == socket.gethostname()
    assert isinstance(config._store_config(), dict)


def test_a_directory_in_place_of_the_file_never_crashes(home: Path) -> None:
    (home / ".anamnesis" / "config.json").mkdir(parents=True)

    assert config._store_config() == {}
