"""Sync beside the person's own git: its configuration, its versions, its processes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis.ground import locks
from anamnesis.ground.errors import ToolMissing
from support.fleet import FIVE, Fleet, Machine, git, in_step


def test_the_persons_git_configuration_does_not_matter(
    pair: tuple[Machine, Machine], home: Path, tmp_path: Path
) -> None:
    laptop, desk = pair
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "pre-push", "post-commit", "reference-transaction"):
        (hooks / name).write_text(f'#!/bin/sh\necho "$0 $* $PWD" >> {tmp_path}/ran\nexit 1\n')
        (hooks / name).chmod(0o755)
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\nsleep 60\n")
    signer.chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[commit]\n gpgsign = true\n[gpg]\n program = {signer}\n"
        f"[core]\n hooksPath = {hooks}\n autocrlf = true\n excludesFile = {tmp_path}/all\n"
        f" fsmonitor = {signer}\n[pull]\n rebase = true\n[push]\n gpgSign = true\n"
        "[rebase]\n autostash = true\n[merge]\n ff = only\n[tag]\n gpgsign = true\n"
        f"[init]\n templateDir = {tmp_path}\n[log]\n showSignature = true\n"
        '[url "/nowhere/"]\n insteadOf = never:\n'
    )
    (tmp_path / "all").write_text("*\n")
    desk.write("crlf", "a\r\nb\r\n")
    laptop.edit("n", body="x")
    began = time.monotonic()

    for machine in (laptop, desk, laptop):
        assert not machine.sync().error

    assert time.monotonic() - began < 30
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    assert laptop.files() == desk.files()
    assert b"a\r\nb\r\n" in laptop.files()["semantic/crlf.md"]


def test_edits_travel_although_git_was_told_to_trust_the_files(
    pair: tuple[Machine, Machine], home: Path
) -> None:
    laptop, desk = pair
    (home / ".gitconfig").write_text("[core]\n ignoreStat = true\n")

    for body in ("first", "second"):
        desk.edit("n", body=body)
        in_step(laptop, desk)
        assert laptop.body("n") == body
    desk.delete("n")
    in_step(laptop, desk)
    assert laptop.body("n") is None


def test_variables_of_a_git_hook_do_not_lead_elsewhere(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair
    project = tmp_path / "project"
    git("init", "--quiet", str(project), cwd=tmp_path)
    (project / "code.py").write_text("x")
    git("add", "-A", cwd=project)
    git("commit", "--quiet", "-m", "code", cwd=project)
    before = git("for-each-ref", cwd=project) + (project / ".git" / "config").read_text()
    monkeypatch.setenv("GIT_DIR", str(project / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(project / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(project))
    desk.edit("n", body="x")
    result = desk.sync()
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name)

    assert result.pushed
    assert git("for-each-ref", cwd=project) + (project / ".git" / "config").read_text() == before
    in_step(laptop, desk)


def test_an_old_git_will_do(pair: tuple[Machine, Machine], tmp_path: Path,
                            monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Before 2.38 there is no merge-tree --write-tree; we need neither it nor any newer command."""
    laptop, desk = pair
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "git").write_text(
        '#!/bin/sh\nfor word in "$@"; do case $word in\n'
        "merge-tree|maintenance|--end-of-options|--no-write-fetch-head|--initial-branch*|backfill"
        "|replay|sparse-checkout|switch|restore)\n"
        f" echo \"git: '$word' is not a git command\" >&2; exit 129;; esac; done\n"
        f'exec {shutil.which("git")} "$@"\n'
    )
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    desk.edit("n", body=FIVE.replace("five", "FIVE"))
    laptop.sync()

    in_step(laptop, desk)


def test_without_git_it_says_so(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = fleet.machine("laptop")
    laptop.write("n", "x")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ToolMissing, match="git is not installed"):
        laptop.sync()
    assert laptop.body("n") == "x"


def test_one_new_note_costs_few_processes_and_no_look_at_the_others(
    pair: tuple[Machine, Machine], home: Path, tmp_path: Path
) -> None:
    _, desk = pair
    for number in range(40):
        desk.write(f"old{number}", "x")
    desk.sync()
    time.sleep(0.05)
    desk.sync()
    traces = tmp_path / "traces"
    traces.mkdir()
    (home / ".gitconfig").write_text(f"[trace2]\n eventTarget = {traces}\n")
    desk.write("new", "x")
    opened: list[str] = []
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)

    assert desk.sync().pushed

    started = len(list(traces.iterdir()))  # git's own children and the remote's included
    version = [int(part) for part in re.findall(r"\d+", git("--version", cwd=desk.home))]
    extra = 5 if desk.sealed else 0  # to seal, and in the repository of the sealed commits
    assert started <= (12 if version >= [2, 39] else 15) + extra
    assert [path for path in opened if path.endswith(".md")] == [str(desk.path("new"))]


def test_many_held_notes_are_each_looked_at_a_few_times_only(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    names = [f"held{number}" for number in range(30)]
    for machine, text in ((laptop, "first"), (laptop, "of laptop"), (desk, "of desk")):
        for name in names:
            machine.write(name, text)
        if text == "first":
            laptop.sync()
            desk.sync()
    laptop.sync()
    opened: list[str] = []
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)

    results = [desk.sync(), desk.sync()]

    assert [len(result.conflicts) for result in results] == [30, 30]
    looks = [path for path in opened if "/conflicts/" in path and path.endswith("theirs.md")]
    assert len(looks) < 20 * len(names)


def test_many_small_packs_are_packed_in_the_background(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.git._MANY_PACKS", 3)
    monkeypatch.setattr("anamnesis.sync.git._PACKING", {"gc.auto": "1", "gc.autoPackLimit": "3"})
    packs = desk.memory / ".git" / "objects" / "pack"
    for number in range(6):
        desk.write(f"n{number}", str(number))
        desk.sync()
    for _ in range(100):
        if len(list(packs.glob("*.pack"))) <= 3:
            break
        time.sleep(0.1)

    assert len(list(packs.glob("*.pack"))) <= 3
    assert not desk.sync().error


@pytest.mark.parametrize("name", ["gc.pid", "gc.pid.lock", "objects/info/commit-graph.lock"])
def test_what_a_killed_packing_left_is_removed(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.git.needs_packing", lambda _: True)
    left = [desk.memory / ".git" / name, Path(desk.remote or "") / name]
    for path in left:
        path.write_text(f"{os.getpid()} {os.uname().nodename}")  # a process that is alive
        os.utime(path, (0, 0))

    assert not desk.sync().error

    assert not any(path.exists() and path.stat().st_mtime == 0 for path in left)


def test_a_second_sync_returns_at_once(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    holder = (
        "import sys, time; from anamnesis.ground import locks\n"
        f"with locks.held({str(desk.home / 'locks' / 'sync.lock')!r}, name='sync', timeout=1):\n"
        "    print('held', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", holder], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with monkeypatch.context() as patched:
            patched.setattr(time, "sleep", lambda _: pytest.fail("it waits"))
            result = desk.sync()
        other.kill()

    assert "another sync is running" in result.detail
    assert str(other.pid) in result.detail


def test_notes_that_a_hand_removed_are_named(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    for number in range(4):
        desk.write(f"keep-{number}", "x")
    in_step(laptop, desk)
    desk.delete("n")
    desk.path("anchor").rename(desk.path("anchor").with_name("renamed.md"))

    result = desk.sync()

    assert "1 note was removed from this disk by hand" in result.detail
    assert "semantic/n.md" in result.detail


def test_a_sync_that_another_one_keeps_from_starting_does_not_say_synced(
    pair: tuple[Machine, Machine],
) -> None:
    _, desk = pair
    with locks.held(str(desk.home / "locks" / "sync.lock"), name="sync", timeout=1):
        assert desk.sync().busy
    assert not desk.sync().busy


def test_an_address_that_git_rewrites_is_named_with_where_it_leads(
    home: Path, tmp_path: Path
) -> None:
    (home / ".gitconfig").write_text(f'[url "{tmp_path}/nowhere/"]\n insteadOf = work:\n')
    laptop = Machine(tmp_path / "laptop", "work:notes.git")
    laptop.write("n", "kept")

    error = laptop.sync().error

    assert f"{tmp_path}/nowhere/notes.git, which git's insteadOf makes of work:notes.git" in error
    assert laptop.body("n") == "kept"
