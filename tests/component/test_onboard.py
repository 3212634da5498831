"""Setting a machine up, twice, for every agent, and leaving it as it was."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.ground import locks
from anamnesis.ground.errors import NotWritable
from anamnesis.onboard import planning_setup, receipt, uninstall
from anamnesis.onboard.agents import chosen
from anamnesis.onboard.planning_setup import Wishes
from support.onboard import EVERY_AGENT, files, folders, move_in, set_up


@pytest.fixture
def personal(home: Path) -> Path:
    move_in(home)
    return home


def test_leaving_gives_every_file_back_to_the_byte(personal: Path, root: Path) -> None:
    before = files(personal)
    directories = folders(personal)

    set_up(root)
    assert files(personal) != before
    uninstall.leave(Home(root))

    assert files(personal) == before
    assert folders(personal) == directories


def test_an_empty_home_is_empty_again(home: Path, root: Path) -> None:
    set_up(root)
    uninstall.leave(Home(root))

    assert [path.name for path in home.iterdir()] == [".anamnesis"]


def test_setting_up_twice_changes_nothing(personal: Path, root: Path) -> None:
    set_up(root)
    once = files(personal)

    set_up(root)

    assert files(personal) == once


def test_what_a_person_added_later_stays(personal: Path, root: Path) -> None:
    set_up(root)
    settings = personal / ".claude" / "settings.json"
    said = json.loads(settings.read_text())
    said["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": "echo me"}]})
    said["theme"] = "dark"
    settings.write_text(json.dumps(said, indent=4))

    uninstall.leave(Home(root))

    left = json.loads(settings.read_text())
    assert left["theme"] == "dark"
    assert left["hooks"]["SessionStart"][-1]["hooks"][0]["command"] == "echo me"
    assert "anamnesis" not in settings.read_text()


def test_what_a_person_put_into_a_file_of_ours_is_not_lost(personal: Path, root: Path) -> None:
    set_up(root)
    hooks = personal / ".copilot" / "hooks" / "anamnesis.json"
    hooks.write_text(hooks.read_text().replace('"version": 1', '"version": 1, "mine": true'))

    uninstall.leave(Home(root))

    assert not hooks.exists()
    assert '"mine": true' in hooks.with_name("anamnesis.json.bak").read_text()


def test_another_name_replaces_the_old_one(personal: Path, root: Path) -> None:
    set_up(root, name="notes")
    set_up(root, name="memory")

    said = b"".join(files(personal)[name] for name in files(personal) if ".bak" not in name)
    assert b"memory" in said
    assert b"mcp__notes" not in said
    assert b'"notes"' not in said
    assert b"mcp_servers.notes" not in said


def test_a_server_that_was_renamed_goes_under_all_its_names(personal: Path, root: Path) -> None:
    set_up(root, name="notes")
    servers = personal / ".claude.json"
    kept = servers.read_text()
    set_up(root, name="memory")
    servers.write_text(kept.replace('"numStartups": 3', '"numStartups": 4'))

    uninstall.leave(Home(root))

    assert "notes" not in servers.read_text()


def test_a_name_that_agents_would_not_take_is_refused(root: Path) -> None:
    assert main(["init", "--yes", "--local-only", "--name", "my memory"]) == 2
    assert not root.exists()


def test_every_profile_is_left(personal: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(personal)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(personal / ".claude-work"))
    set_up(root, agents="claude")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    set_up(root)
    assert (personal / ".claude-work" / "settings.json").exists()

    uninstall.leave(Home(root))

    assert files(personal) == before


def test_a_file_that_cannot_be_written_stops_all_of_the_set_up(personal: Path, root: Path) -> None:
    before = files(personal)
    (personal / ".config" / "Code" / "User" / "mcp.json").chmod(0o444)

    with pytest.raises(NotWritable) as raised:
        set_up(root)

    assert files(personal) == before
    assert "To set up the other agents now, add:  --agents claude," in raised.value.hint
    assert "vscode" not in raised.value.hint


def test_each_agent_can_be_left_after_being_edited(personal: Path, root: Path) -> None:
    """Without the receipt everything has to be found in the files themselves."""
    before = files(personal)
    set_up(root)
    receipt.forget(Home(root))

    uninstall.leave(Home(root))

    ours = {path for path in files(personal) if ".bak" not in path} - before.keys()
    for path in before:
        text = (personal / path).read_text()
        assert "anamnesis" not in text, path
    assert all(files(personal)[path].strip() in (b"{}", b"") for path in ours)


def test_another_command_replaces_the_old_one(personal: Path, root: Path) -> None:
    set_up(root, command="/opt/first/wrapper")
    set_up(root, command="/opt/second/wrapper")

    for path, data in files(personal).items():
        assert b"/opt/first" not in data or ".bak" in path, path
    uninstall.leave(Home(root))
    assert all(b"/opt/" not in data for path, data in files(personal).items() if ".bak" not in path)


def test_a_store_elsewhere_is_named_to_every_agent(personal: Path, root: Path) -> None:
    set_up(root.parent / "other store")

    for path, data in files(personal).items():
        if b'"serve"' in data and ".bak" not in path:
            assert b"other store" in data, path


def test_the_plugin_takes_over(personal: Path, root: Path) -> None:
    settings = personal / ".claude" / "settings.json"
    set_up(root, agents="claude")
    said = json.loads(settings.read_text())
    settings.write_text(json.dumps({**said, "enabledPlugins": {"anamnesis@anamnesis": True}}))

    set_up(root, agents="claude")

    said = json.loads(settings.read_text())
    assert "args" not in json.dumps(said.get("hooks", {}))
    assert "mcp__plugin_anamnesis_anamnesis__memory_search" in said["permissions"]["allow"]
    assert not os.path.exists(receipt.hooks_marker(Home(root)))
    assert "serve" not in (personal / ".claude.json").read_text()


def test_set_ups_at_the_same_time_do_not_mix(personal: Path, root: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _number: set_up(root), range(4)))

    said = json.loads((personal / ".claude" / "settings.json").read_text())
    assert len(said["hooks"]["SessionStart"]) == 3
    assert len(list((personal / ".claude").glob("*.bak*"))) == 1


def test_only_agents_that_are_here_are_set_up(home: Path, root: Path) -> None:
    (home / ".gemini").mkdir()
    setup = planning_setup.this_setup(Home(root), wishes=Wishes(machine_id="x"))
    here = [agent.name for agent in chosen("auto", setup)]

    assert {"claude", "gemini"} <= set(here)
    assert "vscode" not in here


def test_printing_the_plan_writes_nothing(
    personal: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(personal)
    remote = "https://me:ghp_0123456789@host/m.git"

    assert main(["init", "--print", "--remote", remote, "--agents", EVERY_AGENT]) == 0

    printed = capsys.readouterr().out
    assert "+++ " in printed
    assert "ghp_0123456789" not in printed
    assert files(personal) == before
    assert not root.exists()


def test_rules_go_into_a_project_and_out_again(tmp_path: Path, root: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Shop\n\nUse tabs.")

    set_up(root, agents="cursor", rules=(str(tmp_path),))
    assert "memory_search" in (tmp_path / "AGENTS.md").read_text()
    uninstall.leave(Home(root))

    assert (tmp_path / "AGENTS.md").read_text() == "# Shop\n\nUse tabs."


def test_the_whole_command_proves_itself(
    home: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--yes", "--local-only", "--agents", "claude"]) == 0

    told = capsys.readouterr().err
    assert "self-test: write, search, inject, delete, MCP server: all work" in told
    assert json.loads((root / "config.json").read_text())["machine_id"]


def test_a_self_test_puts_no_note_into_your_store(home: Path, root: Path, tmp_path: Path) -> None:
    """So that wherever it is killed, none of it stays behind."""
    (root / "state" / "self-test" / "local").mkdir(parents=True)  # as a killed one leaves it
    log = tmp_path / "log"
    command = tmp_path / "anamnesis"
    program = Path(sys.executable).with_name("anamnesis")
    command.write_text(
        f'#!/bin/sh\n"{program}" "$@"\ncode=$?\n'
        f'echo "$1" $(find "{root}/local" "{root}/undo" -type f) >> "{log}"\nexit $code\n'
    )
    command.chmod(0o755)
    assert main(["write", "a note of yours", "--scope", "machine-local"]) == 0
    yours = {str(path) for name in ("local", "undo") for path in (root / name).rglob("*")}

    options = ["--yes", "--local-only", "--agents", "claude", "--no-mcp"]
    assert main(["init", *options, "--command", str(command)]) == 0

    steps = [line.split() for line in log.read_text().splitlines()]
    assert [step[0] for step in steps] == ["write", "search", "inject", "delete"]
    assert all(set(step[1:]) <= yours for step in steps)
    assert not (root / "state" / "self-test").exists()


def test_a_self_test_leaves_nothing_to_undo(
    home: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["write", "a note of yours"]) == 0
    note = capsys.readouterr().out.strip()
    assert main(["delete", note, "--yes"]) == 0

    assert main(["init", "--yes", "--local-only", "--agents", "claude", "--no-mcp"]) == 0
    assert main(["undo"]) == 0

    [kept] = (root / "memory").rglob("*.md")
    assert "a note of yours" in kept.read_text()


class Keyboard(io.StringIO):
    """A person who types these lines."""

    def isatty(self) -> bool:
        return True


def test_a_person_is_asked_and_may_say_no(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard("\nnone\nmy desk!\nn\n"))

    assert main(["init", "--agents", "claude"]) == 1

    told = capsys.readouterr().err
    assert "Where to keep notes" in told
    assert "Change 3 files?" in told
    assert "nothing was changed" in told
    assert not root.exists()


def test_answers_are_taken(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard("\nnone\nmy desk!\ny\n"))

    assert main(["init", "--agents", "claude"]) == 0

    assert json.loads((root / "config.json").read_text())["machine_id"] == "my-desk"


def test_earlier_sessions_are_offered(
    home: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    (folder / "0c2e6a4e-0000-4000-8000-000000000000.jsonl").write_text("{}\n")

    main(["init", "--yes", "--local-only", "--agents", "claude"])

    assert "anamnesis capture --backfill" in capsys.readouterr().err


def test_local_only_forgets_an_old_remote(root: Path) -> None:
    set_up(root, agents="claude", remote="/srv/m.git")
    set_up(root, agents="claude", remote=None)

    assert "remote" not in json.loads((root / "config.json").read_text())


def test_purging_leaves_nothing_of_what_the_commands_keep(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init", "--yes", "--local-only", "--agents", "claude"])
    main(["write", "The staging database needs the VPN"])
    note = capsys.readouterr().out.split()[-1]
    for command in (  # embed last: until it is on, nothing of it runs in the background
        "pause", "migrate --map global=acme --apply", "sync", "config set semantic 1", "embed",
    ):  # fmt: skip
        assert main(command.split()) == 0, command
    (root / "keys").mkdir()
    (root / "keys" / "machine.json").write_text("{}")  # of a sealed remote
    (root / "vouched").mkdir()
    (root / "vouched" / f"{note}.0123").touch()  # of an earlier version
    (root / "vouched.txt").write_text(note)
    for name in ("eval.jsonl", "eval-history.jsonl"):
        (root / name).write_text(json.dumps({"query": "staging", "relevant": [note]}))
    kept = {"eval.jsonl", "eval-history.jsonl", "vectors.db", "paused", "undo", "keys"}
    assert kept <= {path.name for path in root.iterdir()}

    assert main(["uninstall", "--purge", "--yes"]) == 0

    assert not root.exists()


def test_purging_a_store_elsewhere_leaves_no_pointer_to_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANAMNESIS_HOME")
    store = tmp_path / "memory"
    assert main(["init", "--yes", "--local-only", "--agents", "claude", "--home", str(store)]) == 0
    assert (home / ".config" / "anamnesis" / "home").exists()

    assert main(["uninstall", "--purge", "--yes"]) == 0

    assert not store.exists()
    assert not (home / ".config" / "anamnesis").exists()


def test_purging_keeps_what_is_not_ours(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(root, agents="claude", remote="/srv/m.git")
    (root / "my-own.txt").write_text("mine")

    assert main(["uninstall", "--purge", "--yes"]) == 0

    assert [path.name for path in root.iterdir()] == ["my-own.txt"]
    assert "still hold every synced note" in capsys.readouterr().err


def test_a_second_machine_joins_with_one_command(tmp_path: Path, home: Path) -> None:
    remote = tmp_path / "memory.git"
    desk, laptop = tmp_path / "desk", tmp_path / "laptop"
    _run(desk, "init", "--yes", "--agents", "claude", "--remote", str(remote))
    _run(desk, "write", "The build needs Java 21")
    _run(desk, "sync")

    told = _run(laptop, "join", str(remote), "--yes", "--agents", "claude").stderr

    assert "1 note on this machine" in told
    assert "Java 21" in _run(laptop, "search", "build").stdout
    machines = json.loads(_run(laptop, "status", "--fleet", "--json").stdout)
    assert len({machine["machine"] for machine in machines}) == 2
    assert len({machine["name"] for machine in machines}) == 1


def test_a_machine_can_host_the_others(tmp_path: Path) -> None:
    desk = tmp_path / "desk"

    printed = _run(desk, "host", "--address", "box.example.ts.net").stdout

    assert printed.startswith("anamnesis join ")
    assert "@box.example.ts.net:anamnesis-memory.git" in printed
    assert (desk / "anamnesis-memory.git" / "HEAD").exists()


def _run(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    home.mkdir(exist_ok=True)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **more}
    command = Path(sys.executable).parent / "anamnesis"
    return subprocess.run(
        [command, *words], env=environment, capture_output=True, text=True, check=True, timeout=120
    )


def test_purging_waits_for_what_runs_in_the_background_and_says_whom_it_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(root, agents="claude")
    monkeypatch.setattr("anamnesis.onboard.uninstall._REST_SECONDS", 0.1)

    with locks.held(str(root / "locks" / "embed.lock"), name="embedding", timeout=1):
        assert main(["uninstall", "--purge", "--yes"]) == 5

    assert "The embed lock is held by" in capsys.readouterr().err
    assert root.exists()
    assert main(["uninstall", "--purge", "--yes"]) == 0
    assert not root.exists()


@pytest.mark.parametrize("outer", ["session-1", "sync", "undo"])
def test_purging_waits_without_a_lock_that_others_need_to_end(
    root: Path, monkeypatch: pytest.MonkeyPatch, outer: str
) -> None:
    set_up(root, agents="claude")
    monkeypatch.setattr("anamnesis.onboard.uninstall._REST_SECONDS", 0.1)
    inner = [root / "locks" / f"{name}.lock" for name in ("capture", "store")]
    for path in inner:
        path.touch()

    with locks.held(str(root / "locks" / f"{outer}.lock"), name=outer, timeout=1):
        assert main(["uninstall", "--purge", "--yes"]) == 5

    assert [locks.holder_of(str(path)) for path in inner] == ["", ""]


@pytest.mark.parametrize(
    ("version", "asked_for", "is_installed"),
    [
        ("2.1.197", "1", True),
        ("2.1.117", "1", False),
        ("nonsense", "1", False),
        ("2.1.197", "0", False),
    ],
)
def test_a_hook_calls_the_server_only_where_the_client_can(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch,
    version: str, asked_for: str, is_installed: bool,
) -> None:  # fmt: skip
    program = home / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("ANAMNESIS_MOMENT_FILE", asked_for)

    set_up(root, agents="claude")
    settings = json.loads((home / ".claude" / "settings.json").read_text())

    assert ("PostToolUse" in settings["hooks"]) == is_installed
    set_up(root, agents="claude", mcp=False)
    assert "mcp_tool" not in (home / ".claude" / "settings.json").read_text(), (
        "it would show errors"
    )
