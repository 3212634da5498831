"""The states that a person, a crash or the surroundings leave a repository in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis.errors import InvalidInput, StoreBusy, ToolMissing
from anamnesis.operations import settle
from anamnesis.store import MemoryStore
from anamnesis.sync.healing import NotOurRepository
from fleet import Fleet, Machine, git

FIVE = "one\ntwo\nthree\nfour\nfive"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


@pytest.fixture
def pair(fleet: Fleet) -> tuple[Machine, Machine]:
    """Two machines in step, with two notes."""
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("n", FIVE)
    laptop.write("anchor", "stays")
    laptop.sync()
    desk.sync()
    return laptop, desk


def in_step(laptop: Machine, desk: Machine) -> None:
    """Both sync without help, and then have the same files on a clean main."""
    for machine in (desk, laptop, desk):
        result = machine.sync()
        assert not result.error, result
        assert not result.conflicted, result
    assert desk.files() == laptop.files()
    for machine in (desk, laptop):
        assert machine.git("status", "--porcelain") == ""
        assert machine.git("symbolic-ref", "HEAD") == "refs/heads/main"


# The remote


def test_the_commit_says_who_and_when(pair: tuple[Machine, Machine], fleet: Fleet) -> None:
    said = git("log", "-1", "--format=%an <%ae>%n%s", "main", cwd=fleet.remote).splitlines()

    assert said[0] == "anamnesis <anamnesis@laptop>"
    assert said[1].startswith("anamnesis: sync from laptop at 20")


def test_a_local_store_that_gets_a_remote_later_brings_its_history(fleet: Fleet) -> None:
    laptop = fleet.machine("laptop")
    laptop.remote = None
    for version in ("first", "second"):
        laptop.write("n", version)
        assert "remote" in laptop.sync().detail
    laptop.remote = str(fleet.remote)

    result = laptop.sync()

    assert result.pushed
    assert git("rev-list", "--count", "main", cwd=fleet.remote) == "2"


def test_two_stores_with_their_own_notes_become_one(fleet: Fleet) -> None:
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    for machine in (laptop, desk):
        machine.remote = None
        machine.write(f"of-{machine.name}", "own")
        machine.write(
            "imported", "the same native note", updated_at=f"2026-01-0{len(machine.name)}"
        )
        machine.sync()
        machine.remote = str(fleet.remote)
    laptop.sync()

    in_step(laptop, desk)

    assert desk.body("of-laptop") == laptop.body("of-desk") == "own"
    assert desk.git("rev-list", "--merges", "--count", "main") == "0"


def test_a_remote_whose_history_was_rewritten_loses_nothing(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    laptop.write("later", "second commit")
    in_step(laptop, desk)
    first = git("rev-list", "--max-parents=0", "main", cwd=fleet.remote)
    git("update-ref", "refs/heads/main", first, cwd=fleet.remote)
    desk.write("new", "after the rewriting")

    result = desk.sync()

    assert "rewritten" in result.detail
    assert set(fleet.published()) >= {"semantic/later.md", "semantic/new.md"}
    in_step(laptop, desk)


def test_a_remote_with_a_new_unrelated_history_loses_nothing(
    pair: tuple[Machine, Machine], fleet: Fleet, tmp_path: Path
) -> None:
    laptop, desk = pair
    person = tmp_path / "person"
    git("clone", "--quiet", str(fleet.remote), str(person), cwd=tmp_path)
    git("checkout", "--quiet", "--orphan", "squashed", cwd=person)
    git("commit", "--quiet", "-m", "all in one", cwd=person)
    git("push", "--quiet", "--force", "origin", "squashed:main", cwd=person)
    desk.write("new", "text")

    in_step(laptop, desk)

    assert laptop.body("new") == "text"


def test_an_empty_remote_is_filled_again(pair: tuple[Machine, Machine], fleet: Fleet) -> None:
    laptop, desk = pair
    shutil.rmtree(fleet.remote)
    git("init", "--quiet", "--bare", str(fleet.remote), cwd=fleet.base)

    result = desk.sync()

    assert result.pushed
    assert "empty" in result.detail
    assert desk.body("n") == FIVE
    in_step(laptop, desk)


def test_a_remote_that_lost_all_notes_is_filled_again(
    pair: tuple[Machine, Machine], fleet: Fleet, tmp_path: Path
) -> None:
    laptop, desk = pair
    person = tmp_path / "person"
    git("clone", "--quiet", str(fleet.remote), str(person), cwd=tmp_path)
    git("rm", "-r", "--quiet", ".", cwd=person)
    git("commit", "--quiet", "-m", "oops", cwd=person)
    git("push", "--quiet", "origin", "HEAD:main", cwd=person)

    result = desk.sync()

    assert "put back" in result.detail
    assert desk.body("n") == FIVE
    in_step(laptop, desk)


def test_a_wrong_url_is_told_and_the_notes_are_committed(fleet: Fleet) -> None:
    laptop = fleet.machine("laptop")
    laptop.remote = str(fleet.base / "nowhere.git")
    laptop.write("n", "x")

    result = laptop.sync()

    assert "no git repository at" in result.error
    assert "anamnesis remote --create" in result.hint
    assert laptop.git("rev-list", "--count", "main") == "1"
    assert laptop.backend.state().last_error


@pytest.mark.parametrize("url", ["--upload-pack=touch evil", "ext::sh -c touch% evil", "a\nb"])
def test_a_url_that_would_run_something_is_refused(fleet: Fleet, url: str) -> None:
    laptop = fleet.machine("laptop")
    laptop.remote = url

    with pytest.raises(InvalidInput):
        laptop.sync()
    assert not (laptop.memory / "evil").exists()


def test_a_host_that_does_not_exist_is_offline(fleet: Fleet) -> None:
    laptop = fleet.machine("laptop")
    laptop.remote = "ssh://nobody@host.invalid/x.git"
    laptop.write("n", "x")

    result = laptop.sync()

    assert result.offline
    assert result.done
    assert "offline" in result.detail


def test_a_remote_that_hangs_costs_no_more_than_the_limit(fleet: Fleet, tmp_path: Path) -> None:
    laptop = fleet.machine("laptop")
    laptop.write("n", "x")
    hanging = tmp_path / "ssh"
    hanging.write_text("#!/bin/sh\nsleep 60\n")
    hanging.chmod(0o755)
    os.environ["GIT_SSH_COMMAND"] = str(hanging)
    laptop.remote, laptop.seconds = "someone@somewhere:x.git", 1.0
    began = time.monotonic()
    try:
        result = laptop.sync()
    finally:
        del os.environ["GIT_SSH_COMMAND"]

    assert result.offline
    assert "did not answer within 1 s" in result.detail
    assert time.monotonic() - began < 10


def test_a_token_in_the_url_is_not_shown(fleet: Fleet) -> None:
    laptop = fleet.machine("laptop")
    laptop.remote = "https://me:s3cret@host.invalid/x.git"
    laptop.write("n", "x")

    result = laptop.sync()

    state = laptop.backend.state()
    for text in (result.detail, result.error, state.remote, state.last_error, state.detail):
        assert "s3cret" not in str(text)
    config = laptop.memory / ".git" / "config"
    assert config.stat().st_mode & 0o077 == 0


def test_a_full_remote_is_told_and_still_gives(pair: tuple[Machine, Machine], fleet: Fleet) -> None:
    """The remote's side fails as it does when its disk is full: it can be read, not written."""
    laptop, desk = pair
    laptop.edit("n", body="news")
    laptop.sync()
    hook = fleet.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'fatal: write error: No space left on device' >&2; exit 1\n")
    hook.chmod(0o755)
    desk.write("own", "waits")

    result = desk.sync()

    assert "disk is full" in result.error
    assert desk.body("n") == "news"
    assert desk.backend.state().ahead == 1
    hook.unlink()
    in_step(laptop, desk)


def test_a_lock_that_a_killed_push_left_on_the_remote_is_removed(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    (fleet.remote / "refs" / "heads" / "main.lock").write_text("")
    desk.write("new", "x")

    assert desk.sync().pushed
    in_step(laptop, desk)


def test_a_remote_that_stays_locked_is_told(
    pair: tuple[Machine, Machine], fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.healing._somebody_works_in", lambda _: True)
    monkeypatch.setattr("anamnesis.sync.cycle._MAX_LOCKED", 1)
    (fleet.remote / "refs" / "heads" / "main.lock").write_text("")
    desk.write("new", "x")

    result = desk.sync()

    assert "is locked by a push that did not end" in result.error
    assert "main.lock" in result.hint


# What a person left


def test_an_unfinished_rebase_is_set_aside(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    desk.edit("n", body="from desk")
    desk.git("checkout", "--quiet", "-b", "mine")
    desk.git("commit", "--quiet", "-am", "by hand")
    desk.git("checkout", "--quiet", "main")
    desk.edit("n", body="also from desk")
    desk.git("commit", "--quiet", "-am", "by hand too")
    person = ["git", "-c", "user.name=p", "-c", "user.email=p@example.org"]
    subprocess.run([*person, "rebase", "mine"], cwd=desk.memory, capture_output=True, check=False)
    assert list((desk.memory / ".git").glob("rebase-*"))

    result = desk.sync()

    assert "unfinished rebase was set aside" in result.detail
    assert any("conflict markers" in line for line in result.held_back)
    desk.write("n", "what I want")
    with MemoryStore(desk.home) as store:
        settle.resolve(store, "n", "mine")
    in_step(laptop, desk)
    assert laptop.body("n") == "what I want"


def test_an_unfinished_merge_is_set_aside(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    desk.git("checkout", "--quiet", "-b", "other")
    desk.write("more", "on the branch")
    desk.git("add", "-A")
    desk.git("commit", "--quiet", "-m", "x")
    desk.git("checkout", "--quiet", "main")
    desk.git("merge", "--no-commit", "--no-ff", "other")
    assert (desk.memory / ".git" / "MERGE_HEAD").exists()

    in_step(laptop, desk)

    assert laptop.body("more") == "on the branch"


def test_an_unfinished_cherry_pick_is_set_aside(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    desk.git("checkout", "--quiet", "-b", "other")
    desk.edit("n", body="picked")
    desk.git("commit", "--quiet", "-am", "x")
    desk.git("checkout", "--quiet", "main")
    desk.edit("n", body="kept")
    desk.git("commit", "--quiet", "-am", "y")
    subprocess.run(
        ["git", "cherry-pick", "other"], cwd=desk.memory, capture_output=True, check=False
    )
    assert (desk.memory / ".git" / "CHERRY_PICK_HEAD").exists()

    desk.sync()
    desk.write("n", "chosen")
    in_step(laptop, desk)

    assert laptop.body("n") == "chosen"


def test_a_look_at_an_old_commit_does_not_bring_the_past_back(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    old = desk.git("rev-parse", "HEAD")
    laptop.edit("n", body="the present")
    in_step(laptop, desk)
    desk.git("checkout", "--quiet", old)
    assert desk.body("n") == FIVE

    in_step(laptop, desk)

    assert desk.body("n") == laptop.body("n") == "the present"


def test_a_note_written_on_a_detached_head_arrives(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    desk.git("checkout", "--quiet", "--detach")
    desk.write("new", "written there")
    desk.edit("n", body=FIVE.replace("one", "ONE"))

    in_step(laptop, desk)

    assert laptop.body("new") == "written there"
    assert laptop.body("n") == FIVE.replace("one", "ONE")


def test_commits_on_another_branch_arrive(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    desk.git("checkout", "--quiet", "-b", "experiment")
    desk.write("new", "committed there")
    desk.git("add", "-A")
    desk.git("commit", "--quiet", "-m", "by hand")
    laptop.edit("n", title="changed meanwhile")

    in_step(laptop, desk)

    assert laptop.body("new") == "committed there"
    assert desk.note("n").title == "changed meanwhile"


def test_a_repository_with_another_branch_name_gets_a_main(fleet: Fleet) -> None:
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    git("init", "--quiet", str(desk.memory), cwd=fleet.base)
    desk.git("checkout", "--quiet", "-b", "trunk")
    desk.write("n", "committed by hand")
    desk.git("add", "-A")
    desk.git("commit", "--quiet", "-m", "by hand")
    laptop.write("m", "from laptop")
    laptop.sync()

    in_step(laptop, desk)

    assert laptop.body("n") == "committed by hand"
    assert "by hand" in laptop.git("log", "--format=%s")


def test_a_merge_that_a_person_committed_becomes_part_of_the_line(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()
    desk.edit("n", body=FIVE.replace("five", "FIVE"))
    desk.git("commit", "--quiet", "-am", "by hand")
    desk.git("fetch", "--quiet", "origin")
    desk.git("-c", "pull.rebase=false", "merge", "--quiet", "--no-edit", "origin/main")
    laptop.edit("n", title="later")
    laptop.sync()

    in_step(laptop, desk)

    assert laptop.body("n") == "ONE\ntwo\nthree\nfour\nFIVE"


# What a crash left


@pytest.mark.parametrize(
    "name",
    ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/remotes/origin/main.lock",
     "packed-refs.lock", "config.lock", "anamnesis/index.lock"],
)  # fmt: skip
def test_a_lock_of_a_dead_process_is_removed(pair: tuple[Machine, Machine], name: str) -> None:
    laptop, desk = pair
    (desk.memory / ".git" / name).write_text("")
    desk.edit("n", body="x")

    in_step(laptop, desk)

    assert not (desk.memory / ".git" / name).exists()


def test_a_lock_of_a_living_git_is_respected(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.healing._WAIT_SECONDS", 0.3)
    lock = desk.memory / ".git" / "refs" / "heads" / "main.lock"
    lock.write_text("")
    sleeper = tmp_path / "git-editor"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", sleeper)
    with subprocess.Popen([sleeper, "60"], cwd=desk.memory) as living:
        try:
            with pytest.raises(StoreBusy):
                desk.sync()
            assert lock.exists()
        finally:
            living.kill()

    assert not desk.sync().error


def test_an_index_that_another_git_holds_does_not_stop_a_sync(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    laptop, desk = pair
    lock = desk.memory / ".git" / "index.lock"
    lock.write_text("")
    sleeper = tmp_path / "git-commit"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", sleeper)
    desk.edit("n", body="while somebody is in an editor")
    with subprocess.Popen([sleeper, "60"], cwd=desk.memory) as living:
        try:
            assert desk.sync().pushed
            assert lock.exists()
        finally:
            living.kill()

    in_step(laptop, desk)


@pytest.mark.parametrize("content", [b"", b"garbage\n", None])
@pytest.mark.parametrize(
    "name", ["HEAD", "refs/heads/main", "refs/remotes/origin/main", "index", "anamnesis/index",
             "anamnesis/state.json", "config", "info/attributes"],
)  # fmt: skip
def test_a_file_of_git_that_a_power_cut_spoiled_is_mended(
    pair: tuple[Machine, Machine], name: str, content: bytes | None
) -> None:
    if (name, content) == ("config", b"garbage\n"):
        content = b""
    laptop, desk = pair
    laptop.edit("n", title="from laptop")
    laptop.sync()
    path = desk.memory / ".git" / name
    if content is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(content)
    desk.edit("n", body="written after the power cut")

    in_step(laptop, desk)

    assert laptop.body("n") == "written after the power cut"
    assert laptop.note("n").title == "from laptop"


def test_a_branch_that_names_a_missing_commit_is_mended(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    packs = desk.memory / ".git" / "objects" / "pack"
    before = set(packs.iterdir())
    desk.edit("n", body="before")
    desk.remote = None
    desk.sync()
    desk.remote = laptop.remote
    for path in set(packs.iterdir()) - before:
        path.unlink()

    in_step(laptop, desk)

    assert laptop.body("n") == "before"


def test_a_removed_repository_is_made_anew(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    shutil.rmtree(desk.memory / ".git")
    desk.write("new", "x")

    in_step(laptop, desk)

    assert laptop.body("new") == "x"


def test_a_removed_tree_comes_back(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    shutil.rmtree(desk.memory)

    in_step(laptop, desk)

    assert desk.body("n") == FIVE


def test_a_tree_that_belongs_to_another_repository_is_left_alone(fleet: Fleet) -> None:
    laptop = fleet.machine("laptop")
    (laptop.memory / ".git").write_text("gitdir: /somewhere/else\n")

    with pytest.raises(NotOurRepository):
        laptop.sync()


# The surroundings


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
    assert started <= (12 if version >= [2, 39] else 15)
    assert [path for path in opened if path.endswith(".md")] == [str(desk.path("new"))]


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


def test_a_second_sync_returns_at_once(pair: tuple[Machine, Machine]) -> None:
    _, desk = pair
    holder = (
        "import sys, time; from anamnesis import locks\n"
        f"with locks.held({str(desk.home / 'locks' / 'sync.lock')!r}, name='sync', timeout=1):\n"
        "    print('held', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", holder], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        began = time.monotonic()
        result = desk.sync()
        took = time.monotonic() - began
        other.kill()

    assert "another sync is running" in result.detail
    assert str(other.pid) in result.detail
    assert took < 1
