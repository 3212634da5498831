"""`anamnesis config`: every setting is known, checked and shown without its secrets."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.operations.machine import settings
from anamnesis.operations.machine.settings import SETTINGS

REPOSITORY = Path(__file__).parent.parent.parent
SOURCE = "".join(path.read_text() for path in (REPOSITORY / "src").rglob("*.py"))


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["config", *words])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_a_setting_is_set_shown_and_taken_out(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "set", "machine_id", "desk")[0] == 0
    assert run(capsys, "get", "machine_id") == (0, "desk\n")
    assert json.loads((root / "config.json").read_text()) == {"machine_id": "desk"}

    run(capsys, "unset", "machine_id")

    assert json.loads((root / "config.json").read_text()) == {}


def test_several_settings_are_one_json_document(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(capsys, "set", "archive", "0", "archive_days", "30", "--json")

    assert code == 0
    assert [(each["key"], each["value"]) for each in json.loads(said)] == [
        ("archive", "0"),
        ("archive_days", "30"),
    ]


def test_of_several_settings_all_are_set_or_none(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(capsys, "set", "archive_days", "30", "archive", "perhaps")

    assert code == 2
    assert "archive must be 1 or 0" in said
    assert not (root / "config.json").exists()


def test_a_setting_without_a_value_is_asked_for_its_value(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "What value?" in run(capsys, "set", "archive")[1]
    assert "Which setting?" in run(capsys, "get")[1]


def test_settings_that_are_changed_at_once_are_all_kept(root: Path) -> None:
    keys = ("semantic", "meaning", "import_native", "reflect_auto")

    def change(key: str) -> None:
        for value in ("1", "0") * 5:
            settings.change(key, value)

    with ThreadPoolExecutor() as pool:
        list(pool.map(change, keys))

    assert json.loads((root / "config.json").read_text()) == dict.fromkeys(keys, "0")


def test_the_variable_wins_and_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(capsys, "set", "machine_id", "desk")
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "other")

    _, printed = run(capsys, "list")

    assert "other  (ANAMNESIS_MACHINE_ID)" in printed


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("machine_id", "a b"),
        ("machine_id", ""),
        ("remote", "ext::sh -c x"),
        ("import_native", "perhaps"),
        ("reflection_provider", "nobody"),
        ("reflection_base_url", "file:///etc"),
        ("review_keep_days", "99999999999999999999"),
        ("review_keep_days", "-1"),
    ],
)
def test_a_value_that_cannot_be_right_is_refused(
    root: Path, capsys: pytest.CaptureFixture[str], key: str, value: str
) -> None:
    code, _ = run(capsys, "set", key, value)

    assert code == 2
    assert not (root / "config.json").exists()


def test_a_remote_by_its_number_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(capsys, "set", "remote", "ssh://git@[::1]/memory.git")

    assert code == 0
    assert "ssh://git@[::1]/memory.git" in said


def test_an_unknown_key_is_answered_with_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(capsys, "get", "machine-idd")

    assert code == 2
    assert "Did you mean machine_id?" in said


def test_secrets_are_never_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "set", "reflection_api_key", "sk-ant-0123")
    run(capsys, "set", "remote", "https://me:ghp_0123@host/m.git")

    _, listed = run(capsys, "list")
    _, as_json = run(capsys, "list", "--json")

    for text in (listed, as_json):
        assert "0123" not in text
        assert "host/m.git" in text


@pytest.mark.parametrize("key", ["remote", "reflection_base_url"])
def test_no_part_of_a_password_is_shown(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "set", key, "https://me:s3c@ret@example.org/x"]) == 0
    for command in (
        ["config"],
        ["config", "--json"],
        ["config", "get", key],
        ["doctor"],
        ["status"],
    ):
        main(command)

    shown = "".join(capsys.readouterr())
    assert "s3c" not in shown
    assert "ret@" not in shown


def test_an_ssh_login_is_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    main(["config", "set", "remote", "ssh://git@example.org/x.git"])

    main(["config", "get", "remote"])

    assert capsys.readouterr().out.endswith("\nssh://git@example.org/x.git\n")


def test_a_broken_file_is_not_overwritten(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root.mkdir()
    (root / "config.json").write_text("{broken")

    code, _ = run(capsys, "set", "machine_id", "desk")

    assert code == 1
    assert (root / "config.json").read_text() == "{broken"


def test_every_setting_that_the_program_reads_is_known() -> None:
    read = set(re.findall(r"""\b(?:setting|is_on)\(\s*"([a-z_]+)\"""", SOURCE))

    assert read - {*SETTINGS} == set()


@pytest.mark.parametrize("key", SETTINGS)
def test_every_setting_is_documented(key: str) -> None:
    documented = (REPOSITORY / "docs" / "reference" / "configuration.md").read_text()
    setting = SETTINGS[key]

    assert f"`{key}`" in documented
    assert f"`{setting.variable_name}`" in documented
