"""The states that a person or a crash leaves a repository in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis.ground.errors import StoreBusy
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.travel import conflicts
from anamnesis.store import MemoryStore
from anamnesis.sync import recovery
from anamnesis.sync.recovery import NotOurRepository
from support.fleet import FIVE, Fleet, Machine, git, in_step, quiet
from support.thin import every

# Something else than a note where one was


def put_in_place_of(path: Path, kind: str) -> None:
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/etc/hostname")
    else:
        path.write_bytes(b"x" * (2 << 20))


IRREGULAR = pytest.mark.parametrize("kind", ["folder", "pipe", "link", "file of 2 MiB"])


@IRREGULAR
def test_a_deletion_elsewhere_leaves_what_is_no_note_and_the_sync_goes_on(
    pair: tuple[Machine, Machine], fleet: Fleet, kind: str
) -> None:
    laptop, desk = pair
    put_in_place_of(desk.path("n"), kind)
    laptop.delete("n")
    laptop.write("later", "news")
    laptop.sync()

    results = [desk.sync(), desk.sync()]

    assert desk.body("later") == "news"
    assert os.path.lexists(desk.path("n"))
    assert not any(result.error for result in results)
    assert set(fleet.published()) == {"semantic/anchor.md", "semantic/later.md"}
    assert any("semantic/n.md" in line for line in results[-1].held_back)
    assert desk.backend.state().initialized


@IRREGULAR
def test_a_held_note_that_is_no_file_any_more_stops_nothing(
    pair: tuple[Machine, Machine], fleet: Fleet, kind: str
) -> None:
    laptop, desk = pair
    laptop.edit("n", body="of laptop")
    desk.edit("n", body="of desk")
    laptop.sync()
    desk.sync()
    put_in_place_of(desk.path("n"), kind)
    laptop.write("later", "news")
    laptop.sync()
    desk.write("own", "travels all the same")

    result = desk.sync()

    assert desk.body("later") == "news"
    assert "semantic/own.md" in fleet.published()
    assert os.path.lexists(desk.path("n"))
    assert result.conflicts == ("n",)
    with MemoryStore(desk.home) as store:
        assert [sides.conflict.id for sides in conflicts.held(store)] == ["n"]


# What a person left


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_named_like_a_note_displaces_none(
    pair: tuple[Machine, Machine], there: bool
) -> None:
    laptop, desk = pair
    if there:
        laptop.write("d", "the note")
        laptop.sync()
        desk.sync()
        laptop.delete("d")
    else:
        desk.write("d", "the note")
    laptop.path("d").mkdir()
    inside = laptop.write("inside", "in the folder").rename(laptop.path("d") / "inside.md")

    for machine in (laptop, desk, laptop, desk, laptop):
        told = machine.sync()

    assert "in the folder" in inside.read_text()
    assert desk.body("d") == "the note"
    assert (
        "semantic/d.md/inside.md: its folder d.md is named like a note; rename it" in told.held_back
    )


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
        conflicts.resolve(store, "n", "mine")
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
    transport = desk.backend.transport()
    assert transport
    assert transport.fetch().commit
    desk.git("-c", "pull.rebase=false", "merge", "--quiet", "--no-edit", "origin/main")
    laptop.edit("n", title="later")
    laptop.sync()

    in_step(laptop, desk)

    assert laptop.body("n") == "ONE\ntwo\nthree\nfour\nFIVE"


# What a crash left


@pytest.mark.parametrize(
    "name",
    ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/remotes/origin/main.lock",
     "packed-refs.lock", "packed-refs.new", "config.lock", "anamnesis/index.lock",
     "objects/pack/pack-0.keep"],
)  # fmt: skip
@pytest.mark.parametrize("age", [10 * 365 * 86_400, -86_400], ids=["old", "from the future"])
def test_a_lock_of_a_dead_process_is_removed(
    pair: tuple[Machine, Machine], name: str, age: int
) -> None:
    laptop, desk = pair
    lock = desk.memory / ".git" / name
    lock.write_text("")
    os.utime(lock, (time.time() - age,) * 2)
    desk.edit("n", body="x")
    if age < 0 and name == "index.lock":  # it does not stop a sync, which so waits for nothing
        desk.sync()
        time.sleep(2.1)

    in_step(laptop, desk)

    assert not (desk.memory / ".git" / name).exists()


@pytest.mark.parametrize("text", ["[co", "\0" * 60, "[core]\n\trepositoryformatversion = 0\n\tba"])
@pytest.mark.parametrize("name", ["config", "packed-refs"])
def test_a_file_of_git_that_a_power_cut_tore_is_made_again(
    pair: tuple[Machine, Machine], name: str, text: str
) -> None:
    laptop, desk = pair
    desk.git("pack-refs", "--all")
    (desk.memory / ".git" / name).write_text(text)
    desk.edit("n", body="x")

    in_step(laptop, desk)

    assert laptop.body("n") == "x"


@pytest.mark.parametrize("name", ["config.lock", "HEAD.lock"])
def test_a_first_sync_killed_inside_git_init_is_taken_up(fleet: Fleet, name: str) -> None:
    laptop = fleet.machine("laptop")
    laptop.write("n", "x")
    shutil.rmtree(laptop.memory / ".git", ignore_errors=True)
    for folder in ("objects", "refs"):
        (laptop.memory / ".git" / folder).mkdir(parents=True)
    (laptop.memory / ".git" / name).write_text("")

    assert laptop.sync().pushed


@pytest.mark.parametrize("where", [".gitignore", ".git/info/exclude", "semantic/.gitignore"])
def test_no_ignore_file_keeps_a_note_from_travelling(
    pair: tuple[Machine, Machine], where: str
) -> None:
    laptop, desk = pair
    path = desk.memory / where
    path.parent.mkdir(exist_ok=True)
    path.write_text("*.md\nsemantic/\n")
    desk.write("new", "travels")

    quiet(laptop, desk)

    assert laptop.body("new") == "travels"


def test_a_lock_of_a_living_git_is_respected(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.recovery._WAIT_SECONDS", 0.3)
    lock = desk.memory / ".git" / "refs" / "heads" / "main.lock"
    lock.write_text("")
    os.utime(lock, (0, 0))
    sleeper = tmp_path / "git-editor"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", sleeper)
    with subprocess.Popen([sleeper, "60"], cwd=desk.memory) as living:
        try:
            while "git" not in Path(f"/proc/{living.pid}/comm").read_text():
                time.sleep(0.01)  # Linux names a process last
            with pytest.raises(StoreBusy):
                desk.sync()
            assert lock.exists()
        finally:
            living.kill()

    assert not desk.sync().error


# A container: its own list of processes, and its own place for a folder.
CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"]
needs_container = pytest.mark.skipif(
    subprocess.run([*CONTAINER, "true"], capture_output=True, check=False).returncode != 0,
    reason="no container can be made here",
)


@needs_container
def test_a_lock_of_a_living_git_in_a_container_is_respected(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.recovery._WAIT_SECONDS", 0.3)
    lock = desk.memory / ".git" / "refs" / "heads" / "main.lock"
    lock.write_text("")
    os.utime(lock, (time.time() - 3,) * 2)
    sleeper, place = tmp_path / "git-editor", tmp_path / "elsewhere"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", sleeper)
    place.mkdir()
    inside = f"mount --bind {desk.memory} {place}; cd {place}; {sleeper} 60 & echo; wait"
    child = subprocess.Popen([*CONTAINER, "sh", "-c", inside], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"\n"
        time.sleep(0.3)  # until it runs under its own name
        with pytest.raises(StoreBusy):
            desk.sync()
        assert lock.exists()
    finally:
        child.kill()
        child.communicate()


@needs_container
@pytest.mark.parametrize(("age", "stays"), [(3, True), (-3600, True), (61, False)])
def test_in_a_container_a_lock_may_be_held_by_a_process_outside(
    tmp_path: Path, age: int, stays: bool
) -> None:
    lock = tmp_path / "HEAD.lock"
    lock.write_text("")
    os.utime(lock, (time.time() - age,) * 2)
    free = f"from anamnesis.sync import recovery; recovery.free_dead_locks({str(tmp_path)!r})"

    subprocess.run([*CONTAINER, sys.executable, "-c", free], check=True)

    assert lock.exists() == stays


def test_a_lock_that_is_dated_ahead_is_not_removed_at_once(tmp_path: Path) -> None:
    lock = tmp_path / "HEAD.lock"
    lock.write_text("")
    os.utime(lock, (time.time() + 3600,) * 2)

    recovery.free_dead_locks(str(tmp_path))
    at_once = lock.exists()
    time.sleep(2.1)
    recovery.free_dead_locks(str(tmp_path))

    assert at_once
    assert not lock.exists()


def test_an_index_that_another_git_holds_does_not_stop_a_sync(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    laptop, desk = pair
    lock = desk.memory / ".git" / "index.lock"
    lock.write_text("")
    os.utime(lock, (0, 0))
    sleeper = tmp_path / "git-commit"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", sleeper)
    desk.edit("n", body="while somebody is in an editor")
    with subprocess.Popen([sleeper, "60"], cwd=desk.memory) as living:
        try:
            while "git" not in Path(f"/proc/{living.pid}/comm").read_text():
                time.sleep(0.01)  # Linux names a process last
            assert desk.sync().pushed
            assert lock.exists()
        finally:
            living.kill()

    in_step(laptop, desk)


@pytest.mark.parametrize("content", every(2, [b"", b"garbage\n", None]))
@pytest.mark.parametrize(
    "name", ["HEAD", "refs/heads/main", "refs/remotes/origin/main", "index", "anamnesis/index",
             "anamnesis/state.json", "config", "info/attributes"],
)  # fmt: skip
def test_a_file_of_git_that_a_power_cut_spoiled_is_restored(
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


def test_a_branch_that_names_a_missing_commit_is_restored(pair: tuple[Machine, Machine]) -> None:
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
    shutil.rmtree(laptop.memory / ".git", ignore_errors=True)
    (laptop.memory / ".git").write_text("gitdir: /somewhere/else\n")

    with pytest.raises(NotOurRepository):
        laptop.sync()


@pytest.mark.parametrize(
    "name",
    [
        "n.sync-conflict-20260101-120000-ABCDEFG.md",
        "n (conflicted copy 2026-01-01 120000).md",
        "n (Anna's conflicted copy 2026-01-01).md",
    ],
)
def test_a_copy_of_another_sync_program_is_named_and_stays_here(
    pair: tuple[Machine, Machine], fleet: Fleet, name: str
) -> None:
    _, desk = pair
    copy = desk.path("n").with_name(name)
    copy.write_bytes(desk.path("n").read_bytes().replace(b"one", b"ONE"))

    result = desk.sync()

    assert any(name in line and "copy of n.md" in line for line in result.held_back)
    assert f"semantic/{name}" not in fleet.published()
    with MemoryStore(desk.home) as store:
        store.refresh()
        delete(store, ["n"])
        assert store.read("n") is None
