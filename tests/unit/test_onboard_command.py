"""How agents call us, and what they are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.ground.errors import InvalidInput
from anamnesis.onboard import build_env, detect_command
from anamnesis.onboard.command import has_secret
from anamnesis.onboard.plan import FileChange
from anamnesis.sync.remote import shown


def nowhere(_name: str) -> None:
    return None


def test_a_named_command_comes_first() -> None:
    assert detect_command(override_command="py -m 'my memory'") == ["py", "-m", "my memory"]


def test_a_checkout_is_run_by_uv() -> None:
    assert detect_command(override_uv_project="/src") == [
        "uv",
        "run",
        "--project",
        "/src",
        "anamnesis",
    ]


def test_what_is_on_the_path_is_called_by_its_full_name() -> None:
    assert detect_command(which=lambda _name: "/usr/bin/anamnesis") == ["/usr/bin/anamnesis"]


def test_an_environment_that_is_not_on_the_path_is_found() -> None:
    found = detect_command(which=nowhere)

    assert Path(found[0]).is_absolute()
    assert found[0].endswith("anamnesis")


@pytest.mark.parametrize("line", ["'open", "   "])
def test_a_command_that_cannot_be_read_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput):
        detect_command(override_command=line)


def test_the_usual_home_is_not_mentioned(home: Path) -> None:
    env = build_env(machine_id="desk", remote=None, home=home / ".anamnesis")

    assert env == {"ANAMNESIS_MACHINE_ID": "desk"}


@pytest.mark.parametrize(
    "url",
    [
        "https://me:ghp_secret@host/m.git",
        "https://ghp_secret@host/m.git",
        "ssh://me:secret@host/m.git",
    ],
)
def test_a_secret_in_an_address_goes_nowhere(url: str) -> None:
    change = FileChange("config.json", "", b"", f'{{"remote": "{url}"}}'.encode())

    assert "secret" not in shown(url)
    assert "secret" not in str(build_env(machine_id="d", remote=url, home=None))
    assert "secret" not in change.diff


@pytest.mark.parametrize("url", ["me@host:m.git", "ssh://me@host/m.git", "/srv/m.git"])
def test_an_address_without_a_secret_is_shown(url: str) -> None:
    assert not has_secret(url)
    assert shown(url) == url


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ('"env": {"ANTHROPIC_API_KEY": "sk-ant-123"}', "sk-ant-123"),
        ('"args": ["--with", "ghp_0123456789abcdefghijABCDEFGHIJ012345"]', "ghp_0123"),
        ('"headers": {"X": "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"}', "eyJhbG"),
    ],
)
def test_a_key_beside_a_change_is_not_shown(line: str, secret: str) -> None:
    before = f"{{\n  {line}\n}}\n".encode()
    after = before.replace(b"\n}", b',\n  "a": 1\n}')

    diff = FileChange("s.json", "", before, after).diff

    assert secret not in diff
    assert '"a": 1' in diff
