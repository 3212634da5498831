"""Settings files: changed where we must, kept everywhere else, never half written."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from anamnesis.ground.errors import NotWritable
from anamnesis.onboard import write_settings, write_store_config
from anamnesis.onboard.jsontext import amended, parsed
from anamnesis.onboard.settings import SettingsChanged, UnusualSettings, replace_file
from anamnesis.onboard.tomltext import with_table, without_table

NAME = ("mcp_servers", "anamnesis")
SERVER = {"command": "/opt/a b/anamnesis", "args": ["serve"]}


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "settings.json"
    path.write_text('{"b": [1,2],\n\t"a" : 1.0}')
    return path


def test_formatting_and_order_are_kept(settings: Path) -> None:
    write_settings(settings, {"b": [1, 2], "a": 1.0, "c": {"d": 1}})

    assert settings.read_text() == '{"b": [1,2],\n\t"a" : 1.0,\n\t"c" : {\n\t\t"d" : 1\n\t}}'


def test_the_first_backup_is_never_overwritten(settings: Path) -> None:
    before = settings.read_bytes()
    write_settings(settings, {"a": 2})
    write_settings(settings, {"a": 3})

    assert (settings.parent / "settings.json.bak").read_bytes() == before
    assert json.loads((settings.parent / "settings.json.bak.1").read_text()) == {"a": 2}


def test_nothing_is_written_when_nothing_changes(settings: Path) -> None:
    write_settings(settings, json.loads(settings.read_text()))

    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_a_symbolic_link_stays_one(settings: Path, tmp_path: Path) -> None:
    link = tmp_path / "home" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(settings)

    write_settings(link, {"a": 2})

    assert link.is_symlink()
    assert json.loads(settings.read_text()) == {"a": 2}
    assert [path.name for path in link.parent.iterdir()] == ["settings.json"]


def test_the_mode_of_a_file_is_kept(settings: Path) -> None:
    settings.chmod(0o640)

    write_settings(settings, {"a": 2})

    assert stat.S_IMODE(settings.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1,}',
        "{'a': 1}",
        '{"a": 1} x',
        '{"a": 1, "a": 2}',
        "[1]",
        '{"a": NaN}',
        '// no\n{"a": 1}',
        '{"a": "\n"}',
        '{"a": 1',
        "[" * 5000,
    ],
)
def test_a_broken_file_is_never_written(settings: Path, text: str) -> None:
    settings.write_text(text)

    with pytest.raises(UnusualSettings):
        write_settings(settings, {"a": 2})

    assert settings.read_text() == text
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_a_file_that_is_not_text_is_never_written(settings: Path) -> None:
    settings.write_bytes(b'{"a": "\xff"}')

    with pytest.raises(UnusualSettings, match="not UTF-8"):
        write_settings(settings, {"a": 2})


def test_a_read_only_file_is_left_alone(settings: Path) -> None:
    settings.chmod(0o444)
    before = settings.read_bytes()

    with pytest.raises(NotWritable, match="read-only"):
        write_settings(settings, {"a": 2})

    assert settings.read_bytes() == before


def test_a_file_that_another_program_changed_is_not_overwritten(settings: Path) -> None:
    with pytest.raises(SettingsChanged):
        replace_file(str(settings), b"what it was", b"what it should be")


def test_comments_are_kept_where_they_are_allowed() -> None:
    text = '{\n  // mine\n  "a": 1, /* b */\n  "c": [1, 2,],\n}\n'

    changed = amended(text, {"a": 1, "c": [1, 2, 3], "d": 4}, comments=True)

    assert "// mine" in changed
    assert "/* b */" in changed
    assert amended(changed, {"a": 1, "c": [1, 2]}, comments=True) == text


def test_the_store_is_told_who_and_where(root: Path) -> None:
    write_store_config(root, machine_id="desk", remote="me@host:m.git")
    write_store_config(root, machine_id="desk", remote=None)

    config = root / "config.json"
    assert json.loads(config.read_text()) == {"machine_id": "desk"}
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(os.stat(root).st_mode) == 0o700


@pytest.mark.parametrize(
    "text",
    [
        "",
        'model = "x"\n',
        'model = "x"  # no line end',
        '[mcp_servers.other]\ncommand = "o"\n\n[tui]\ntheme = "dark"\n',
        "# only a comment\n",
    ],
)
def test_a_toml_table_goes_in_and_out_again(text: str) -> None:
    with_us = with_table("c.toml", text.encode(), NAME, SERVER)

    assert with_table("c.toml", with_us, NAME, SERVER) == with_us
    removed = without_table("c.toml", with_us, NAME)
    assert removed is not None
    assert removed.decode().rstrip("\n") == text.rstrip("\n")


def test_an_older_toml_table_is_replaced() -> None:
    ours = b'[mcp_servers.anamnesis]\ncommand = "old"\n\n[mcp_servers.anamnesis.env]\nA = "1"\n'
    text = ours + b"\n[z]\na = 1\n"

    changed = with_table("c.toml", text, NAME, SERVER)

    assert b"old" not in changed
    assert changed.startswith(b"[z]") or b"\n[z]" in changed


def test_broken_toml_is_never_written() -> None:
    with pytest.raises(UnusualSettings):
        with_table("c.toml", b"a = [", NAME, SERVER)


@pytest.mark.parametrize(
    ("with_us", "without_us"),
    [
        ('{\n  "us": 1,\n  // mine\n  "b": 2\n}', '{\n  // mine\n  "b": 2\n}'),
        ('{\n  "a": 1, // mine, too\n  "us": 1\n}', '{\n  "a": 1 // mine, too\n}'),
        ('{\n  "a": 1, /* , */\n  "us": 1,\n}', '{\n  "a": 1 /* , */,\n}'),
        ('{\n  "a": 1,\n  "us": 1\n}', '{\n  "a": 1\n}'),
    ],
)
def test_a_comment_beside_our_part_stays(with_us: str, without_us: str) -> None:
    wanted = parsed(without_us, comments=True).value

    assert amended(with_us, wanted, comments=True) == without_us


def test_a_comment_in_an_empty_part_stays() -> None:
    text = '{\n  "servers": { // none yet\n  }\n}'

    assert "{ // none yet\n    " in amended(text, {"servers": {"us": 1}}, comments=True)
