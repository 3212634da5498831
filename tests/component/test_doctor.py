"""The doctor finds what is wrong, says what to do, and fixes what is safe."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis import __version__
from anamnesis.cli import COMMANDS, command_parser, main
from anamnesis.config import Home
from anamnesis.hooks import runs
from anamnesis.hooks.payload import Payload
from anamnesis.onboard import health, planning_setup
from anamnesis.onboard.planning_setup import Wishes
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.travel import fleet
from anamnesis.operations.travel.sync import sync_memory
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of_this_machine


@pytest.fixture
def ready(root: Path) -> Path:
    wishes = Wishes(machine_id="desk", install_id="0123456789", agents="claude")
    planning_setup.carry_out(planning_setup.prepared(Home(root), wishes), wishes)
    return root


def examined(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, list[str]]]:
    code = main(["doctor", "--json", *options])
    found: dict[str, list[str]] = {}
    for finding in json.loads(capsys.readouterr().out):
        words = f"{finding['severity']}: {finding['sentence']}"
        found.setdefault(finding["name"], []).append(words)
    return code, found


def heartbeat(root: Path, machine: str, **fields: object) -> None:
    folder = root / "memory" / ".machines"
    folder.mkdir(parents=True, exist_ok=True)
    said = {
        "machine": machine, "name": machine, "version": __version__, "install": "other",
        "seen": "2026-01-01T00:00:00+00:00", "last_capture": "", "last_sync": "", "pending": 0,
        "last_error": "", **fields,
    }  # fmt: skip
    (folder / f"{machine}.json").write_text(json.dumps(said))


def stamp(days_ago: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(time.time() - days_ago * 86_400, UTC).isoformat(
        timespec="seconds"
    )


def test_a_machine_that_was_set_up_is_well(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = examined(capsys)

    assert code == 0
    assert found["Claude Code"] == ["ok: set up and current"]
    assert found["MCP server"][0].startswith("ok")
    assert found["self-test: inject"] == ["ok: works"]


def test_a_machine_that_was_not_says_so(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["doctor"])

    assert code == 1
    assert "-> anamnesis init" in capsys.readouterr().out


def test_what_is_safe_is_put_right(
    ready: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"hooks": {}}')
    ready.chmod(0o755)
    before, _ = examined(capsys)

    after, found = examined(capsys, "--fix")

    assert (before, after) == (1, 0)
    assert found["Claude Code"] == ["ok: set up and current"]
    assert stat.S_IMODE(os.stat(ready).st_mode) == 0o700


def test_looking_at_a_machine_without_a_store_makes_none(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = examined(capsys)
    again, _ = examined(capsys, "--fix")

    assert (code, again) == (1, 1)
    assert "there is no" in found["store"][0]
    assert "index" not in found
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "#!/bin/sh\necho garbage; exit 3\n",
        "#!/bin/sh\nhead -c 100000 /dev/zero\n",
        "#!/bin/sh\necho -- --yes\n",
        "no program at all",
        "",
    ],
)
def test_a_command_that_does_not_do_what_it_should_is_told(
    command: str, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program"
    program.write_text(command)
    program.chmod(0o700 if command else 0o600)
    wishes = Wishes(machine_id="desk", install_id="0", agents="claude", command=str(program))
    planning_setup.carry_out(planning_setup.prepared(Home(root), wishes), wishes)

    code, found = examined(capsys)

    assert code == 1
    assert found["MCP server"][0].startswith("failed")
    assert any(part.startswith("self-test") for part in found)


def test_what_cannot_be_put_right_is_told_and_the_rest_is_done(
    ready: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text("{}")
    settings.chmod(0o400)
    ready.chmod(0o755)

    code, found = examined(capsys, "--fix")

    assert code == 1
    assert found["store"][0].startswith("ok")
    assert "not current" in found["Claude Code"][0]


def test_settings_that_cannot_be_read_are_told(
    ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = ready / "config.json"
    good = config.read_text()
    config.write_text(good + "}")
    code, found = examined(capsys)
    assert code == 1
    assert "is not a JSON object" in found["config"][0]

    config.write_text(good.replace("{", '{"remote": "--upload-pack=x", "meaning": null,', 1))
    code, found = examined(capsys)
    assert code == 1
    assert "remote in config.json must be a path" in found["config"][0]
    assert main(["config", "unset", "remote"]) == 0
    capsys.readouterr()

    assert "config" not in examined(capsys)[1]


def test_a_remedy_is_safe_to_paste(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heartbeat(
        ready, "x; touch owned", seen=stamp(9), version="0.1", name="x\ntouch owned\x1b[2J"
    )  # fmt: skip

    main(["doctor"])

    told = capsys.readouterr().out
    assert "--forget 'x; touch owned'" in told
    assert "\ntouch" not in told
    assert "\x1b" not in told


def test_what_a_person_left_out_is_not_missed(
    root: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wishes = Wishes(machine_id="desk", install_id="01", agents="claude", hooks=False)
    planning_setup.carry_out(planning_setup.prepared(Home(root), wishes), wishes)

    code, found = examined(capsys, "--fix")

    assert code == 0
    assert found["Claude Code"] == ["ok: set up and current"]
    assert "SessionStart" not in (home / ".claude" / "settings.json").read_text()


def test_broken_settings_are_named_and_left_alone(
    ready: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"hooks": ')

    code, found = examined(capsys, "--fix")

    assert code == 1
    assert "not valid JSON (line 1" in found["Claude Code"][0]
    assert settings.read_text() == '{"hooks": '


def test_hooks_that_fail_are_told(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs.failed(Home(ready), "capture", "the disk is full")

    code, found = examined(capsys)

    assert code == 1
    assert "the disk is full" in found["capture"][0]


def test_what_does_not_travel_is_told_with_a_line_that_can_be_pasted(
    ready: Path, tmp_path: Path
) -> None:
    main(["remote", "--create", str(tmp_path / "shared.git")])
    (ready / "memory" / "semantic").mkdir(parents=True, exist_ok=True)
    (ready / "memory" / "semantic" / "What?.md").write_text("---\nid: q1\ntype: semantic\n---\nx")
    main(["sync"])

    (found,) = (each for each in health.doctor(Home(ready)) if each.name == "not synced")

    assert "semantic/What?.md" in found.sentence
    assert shlex.split(found.remedy, comments=True) == ["anamnesis", "status"]


@pytest.mark.parametrize("area", runs.AREAS)
def test_what_fails_has_a_remedy_that_can_be_pasted(
    root: Path, area: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECT_AUTO", "1")
    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "1")
    runs.failed(Home(root), area, "some reason")

    found = [finding for finding in health.doctor(Home(root)) if finding.name == area]

    remedy = next(each for each in found if "some reason" in each.sentence).remedy
    name, *words = shlex.split(remedy.rpartition("anamnesis ")[2])
    assert name in COMMANDS
    command_parser(name).parse_args(words)


def test_the_remedy_of_recall_tries_the_hook_and_ends_the_finding(root: Path) -> None:
    main(["write", "Deploys need the VPN"])
    runs.failed(Home(root), "recall", "some reason")
    (finding,) = (each for each in health.doctor(Home(root)) if each.name == "recall")

    program = f'anamnesis() {{ "{sys.executable}" -m anamnesis "$@"; }}\n'
    subprocess.run(["/bin/sh", "-c", program + finding.remedy], check=True, timeout=60)

    assert runs.failing(Home(root)) == []


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ("git version 2.39.5 (Apple Git-154)", "ok"),
        ("git version 2.45.1.windows.1", "ok"),
        ("git version 2.9.1", "warning"),
        ("something else", "warning"),
    ],
)
def test_the_version_of_git_is_understood(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, severity: str
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\necho '{said}'\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    (found,) = (each for each in health.doctor(Home(root)) if each.name == "git")

    assert found.severity == severity


def test_files_that_are_no_notes_are_named(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ready / "memory" / "semantic").mkdir(parents=True)
    (ready / "memory" / "semantic" / "broken.md").write_text("no front matter")

    _, found = examined(capsys)

    assert "broken.md" in found["files"][0]


def test_another_machine_of_the_same_name_is_noticed_and_we_take_another(
    ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heartbeat(ready, "desk")
    code, found = examined(capsys)
    assert code == 1
    assert "also called desk" in found["fleet"][0]

    examined(capsys, "--fix")

    config = json.loads((ready / "config.json").read_text())
    assert (config["machine_id"], config["display_name"]) == ("desk-0123", "desk")


def test_versions_and_clocks_of_other_machines_are_compared(
    ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heartbeat(ready, "laptop", version="0.1", seen=stamp(-1))

    _, found = examined(capsys)

    assert "laptop runs 0.1" in found["versions"][0]
    assert "clock that is ahead" in found["clock"][0]


def test_a_silent_machine_is_told_once_a_day(ready: Path) -> None:
    heartbeat(ready, "laptop", seen=stamp(20))
    heartbeat(ready, "retired", seen=stamp(300))

    first, second = (inject(Home(ready), Payload(cwd="/"), format="text") for _ in range(2))

    assert first.count("has not synced for") == 1
    assert "laptop has not synced for 20 days" in first
    assert "has not synced" not in second


def test_a_session_starts_with_the_word_about_a_silent_machine(ready: Path) -> None:
    heartbeat(ready, "laptop", seen=stamp(20))

    given = inject(Home(ready), Payload(event="SessionStart", session_id="s", cwd="/"))

    assert "laptop has not synced for 20 days" in given


def test_the_plugin_counts_as_a_set_up(
    root: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"anamnesis@x": true}}')

    _, found = examined(capsys)

    assert found["agents"] == ["ok: the Claude Code plugin is enabled"]


def test_a_sign_of_life_is_written_only_when_it_is_news(ready: Path) -> None:
    assert fleet.beat(Home(ready))
    assert not fleet.beat(Home(ready))

    runs.failed(Home(ready), "capture", "the disk is full")

    assert fleet.beat(Home(ready))
    assert fleet.machines(Home(ready))[0].last_error == "the disk is full"


def test_a_sync_by_the_tool_leaves_a_sign_of_life_too(ready: Path) -> None:
    with MemoryStore(ready) as store:
        sync_memory(store, backend_of_this_machine())
        assert store.unreadable() == []

    assert [machine.machine for machine in fleet.machines(Home(ready))] == ["desk"]


def test_a_sign_of_life_is_no_note(ready: Path) -> None:
    fleet.beat(Home(ready))

    with MemoryStore(ready) as store:
        store.refresh()
        assert store.stats()["total"] == 0
        assert store.unreadable() == []


def test_a_machine_is_forgotten(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heartbeat(ready, "old.box")
    (ready / "memory" / ".machines" / "old.box.json").rename(
        ready / "memory" / ".machines" / f"{fleet.file_name('old.box')}.json"
    )

    assert main(["status", "--forget", "old.box"]) == 0
    assert "old.box" not in main_output(capsys)


def main_output(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_damaged_signs_of_life_are_passed_over(ready: Path) -> None:
    folder = ready / "memory" / ".machines"
    folder.mkdir(parents=True)
    for name, text in {"a": "", "b": "[]", "c": '{"machine": 1}', "d": "{" * 9}.items():
        (folder / f"{name}.json").write_text(text)

    assert fleet.machines(Home(ready)) == []


def test_a_folder_that_gemini_was_told_not_to_trust_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wishes = Wishes(machine_id="desk", install_id="0123456789", agents="gemini")
    planning_setup.carry_out(planning_setup.prepared(Home(root), wishes), wishes)
    for folder in ("refused/part", "refused/but-this", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    trust = {
        str(tmp_path): "TRUST_FOLDER",
        str(tmp_path / "refused"): "DO_NOT_TRUST",
        str(tmp_path / "refused" / "but-this" / "one"): "TRUST_PARENT",
    }
    (Path.home() / ".gemini" / "trustedFolders.json").write_text(f"// mine\n{json.dumps(trust)}")

    named = {}
    for folder in ("refused/part", "refused/but-this", "elsewhere"):
        monkeypatch.chdir(tmp_path / folder)
        named[folder] = "folder" in examined(capsys)[1]

    assert named == {"refused/part": True, "refused/but-this": False, "elsewhere": False}
