"""What becomes of the notes when the remote is new, rewritten, emptied, locked or away."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.process import Finished
from anamnesis.operations.travel import remote as connect
from anamnesis.sync import remote
from anamnesis.sync.remote import Pushed, explain
from anamnesis.sync.repository import Repository
from support.fleet import FIVE, Fleet, Machine, git, in_step


def test_the_commit_says_who_and_when(pair: tuple[Machine, Machine], fleet: Fleet) -> None:
    words = ("log", "-1", "--no-merges", "--format=%an <%ae>%n%s", "main")
    said = git(*words, cwd=fleet.readable()).splitlines()

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
    versions = git("rev-list", "main", "--", "semantic/n.md", cwd=fleet.readable()).splitlines()
    assert len(versions) == 2


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


def test_a_remote_whose_history_was_rewritten_loses_nothing(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    laptop.write("later", "second commit")
    in_step(laptop, desk)
    first = git("rev-list", "--max-parents=0", "main", cwd=fleet.readable()).split()
    fleet.publish(first[-1], rewritten=True)
    desk.write("new", "after the rewriting")

    result = desk.sync()

    assert "different history" in result.detail
    assert set(fleet.published()) >= {"semantic/later.md", "semantic/new.md"}
    in_step(laptop, desk)


def test_a_remote_with_a_new_unrelated_history_loses_nothing(
    pair: tuple[Machine, Machine], fleet: Fleet, tmp_path: Path
) -> None:
    laptop, desk = pair
    person = tmp_path / "person"
    git("clone", "--quiet", str(fleet.readable()), str(person), cwd=tmp_path)
    git("checkout", "--quiet", "--orphan", "squashed", cwd=person)
    git("commit", "--quiet", "-m", "all in one", cwd=person)
    git("push", "--quiet", "--force", "origin", "squashed:main", cwd=person)
    fleet.publish(git("rev-parse", "squashed", cwd=person), rewritten=True)
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
    git("clone", "--quiet", str(fleet.readable()), str(person), cwd=tmp_path)
    git("rm", "-r", "--quiet", ".", cwd=person)
    git("commit", "--quiet", "-m", "oops", cwd=person)
    git("push", "--quiet", "origin", "HEAD:main", cwd=person)
    fleet.publish(git("rev-parse", "HEAD", cwd=person))

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
    named = [
        path
        for path in (laptop.memory / ".git").rglob("*")
        if path.is_file() and b"s3cret" in path.read_bytes()
    ]
    assert named
    assert all(path.stat().st_mode & 0o077 == 0 for path in named)


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


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/main"])
def test_a_lock_that_a_killed_push_left_on_the_remote_is_removed(
    pair: tuple[Machine, Machine], fleet: Fleet, name: str
) -> None:
    laptop, desk = pair
    (fleet.remote / f"{name}.lock").write_text("")
    desk.write("new", "x")

    assert desk.sync().pushed
    in_step(laptop, desk)


@pytest.mark.parametrize("age", [0, 3600])
def test_a_lock_that_a_killed_command_left_does_not_stop_the_test_of_a_remote(
    tmp_path: Path, age: int
) -> None:
    remote = Fleet(tmp_path).remote
    lock = remote / "packed-refs.lock"
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)

    connect.prove(str(remote))

    assert not lock.exists()


def test_a_remote_that_stays_locked_is_told(
    pair: tuple[Machine, Machine], fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.recovery._is_git_at_work_in", lambda _: True)
    monkeypatch.setattr("anamnesis.sync.cycle._MAX_LOCKED", 1)
    (fleet.remote / "refs" / "heads" / "main.lock").write_text("")
    desk.write("new", "x")

    result = desk.sync()

    assert "is locked by a push that did not end" in result.error
    assert f"rm {fleet.remote}/refs/heads/main.lock" in result.hint


def test_who_loses_every_race_is_told_and_loses_nothing(
    pair: tuple[Machine, Machine], fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair
    desk.write("of-desk", "x")

    def second(repository: Repository, commit: str, *, url: str, seconds: float) -> Pushed:
        with monkeypatch.context() as first:
            first.setattr(remote, "push", pushed)
            laptop.write(f"of-laptop-{len(laptop.files())}", "y")
            assert laptop.sync().pushed
        return pushed(repository, commit, url=url, seconds=seconds)

    pushed = remote.push
    with monkeypatch.context() as racing:
        racing.setattr(remote, "push", second)
        racing.setattr(remote, "_RACE_SECONDS", 0.0)
        racing.setattr(remote, "_RACE_TRIES", 3)
        result = desk.sync()

    assert result.error == f"other machines kept pushing to {fleet.remote} first"
    assert "1 commit waits for the next sync" in result.detail
    assert result.hint.endswith("anamnesis sync")
    assert desk.sync().pushed
    assert "semantic/of-desk.md" in fleet.published()


def test_who_lost_a_race_does_not_wait_until_the_others_are_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(0, 100_000, 1000))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))

    waits = list(remote.pauses())  # on a computer so busy that each try takes long

    assert len(waits) == 60
    assert max(waits) < 0.5


def test_a_young_lock_is_left_alone_even_if_no_process_is_seen(
    pair: tuple[Machine, Machine], fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, desk = pair
    monkeypatch.setattr("anamnesis.sync.recovery._YOUNG_SECONDS", 3600.0)
    monkeypatch.setattr("anamnesis.sync.cycle._MAX_LOCKED", 1)
    lock = fleet.remote / "refs" / "heads" / "main.lock"
    lock.write_text("")
    desk.write("new", "x")

    result = desk.sync()

    assert "is locked" in result.error
    assert lock.exists()


def test_for_a_remote_over_ssh_the_command_that_frees_it_is_given() -> None:
    said = "cannot lock ref 'HEAD': Unable to create '/srv/r.git/./HEAD.lock': File exists."

    trouble = explain(Finished(1, b"", said.encode()), "me@host:/srv/r.git", 1.0)

    assert "ssh me@host 'rm /srv/r.git/HEAD.lock'" in trouble.hint


def squashed(fleet: Fleet) -> None:
    """Replace the remote's history by one commit with the same files."""
    clear = fleet.readable()
    commit = git("commit-tree", "main^{tree}", "-m", "all of it", cwd=clear)
    fleet.publish(commit, rewritten=True)


def test_what_was_deleted_stays_deleted_when_the_remote_was_squashed(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    for name in ("deleted-here", "deleted-there", "other"):
        laptop.write(name, "b")
    laptop.sync()
    desk.sync()
    laptop.delete("deleted-there")
    laptop.sync()
    squashed(fleet)
    desk.delete("deleted-here")
    desk.edit("n", body=FIVE.replace("one", "ONE of desk"))

    in_step(laptop, desk)

    assert set(desk.files()) == {"semantic/anchor.md", "semantic/n.md", "semantic/other.md"}
    assert laptop.body("n") == FIVE.replace("one", "ONE of desk")


def rolled_back(fleet: Fleet, to: str, *, squash: bool = False) -> None:
    """Replace the remote by an older copy of it, as a restored backup of its disk does."""
    if squash:
        to = git("commit-tree", f"{to}^{{tree}}", "-m", "all of it", cwd=fleet.remote)
    git("update-ref", "refs/heads/main", to, cwd=fleet.remote)


@pytest.mark.parametrize("squash", [False, True])
def test_a_remote_that_was_restored_from_a_backup_takes_no_edit_away(
    pair: tuple[Machine, Machine], fleet: Fleet, squash: bool
) -> None:
    laptop, desk = pair
    laptop.write("deleted", "b")
    laptop.sync()
    desk.sync()
    backup = git("rev-parse", "main", cwd=fleet.remote)
    laptop.edit("n", body=FIVE.replace("one", "ONE of laptop"))
    laptop.write("new", "written after the backup")
    laptop.delete("deleted")
    laptop.sync()
    rolled_back(fleet, backup, squash=squash)
    desk.edit("n", body=FIVE.replace("five", "FIVE of desk"))
    desk.sync()

    in_step(laptop, desk)

    assert desk.body("n") == FIVE.replace("one", "ONE of laptop").replace("five", "FIVE of desk")
    assert set(desk.files()) == {"semantic/anchor.md", "semantic/n.md", "semantic/new.md"}


def test_a_squashed_remote_that_is_put_back_takes_no_edit_away(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    laptop.sync()
    desk.sync()
    backup = git("rev-parse", "main", cwd=fleet.remote)
    laptop.edit("n", body=FIVE.replace("one", "ONE of laptop"))
    laptop.sync()
    squashed(fleet)
    laptop.edit("n", body=FIVE.replace("one", "ONE of laptop").replace("two", "TWO of laptop"))
    laptop.sync()
    rolled_back(fleet, backup)
    desk.edit("n", body=FIVE.replace("five", "FIVE of desk"))
    desk.sync()

    in_step(laptop, desk)

    assert desk.body("n") == "ONE of laptop\nTWO of laptop\nthree\nfour\nFIVE of desk"


def test_a_restored_machine_that_joins_a_squashed_remote_first_leaves_nothing_held(
    pair: tuple[Machine, Machine], fleet: Fleet, tmp_path: Path
) -> None:
    laptop, desk = pair
    laptop.edit("anchor", body="read by both")
    in_step(laptop, desk)
    shutil.copytree(desk.home, tmp_path / "backup", symlinks=True)
    for word in ("ONE", "EINS"):
        laptop.edit("n", body=FIVE.replace("one", word))
        laptop.sync()
        desk.sync()
    squashed(fleet)
    shutil.rmtree(desk.home)
    (tmp_path / "backup").rename(desk.home)
    desk.edit("anchor", title="edited on the restored disk")
    desk.sync()
    laptop.edit("n", body=FIVE.replace("one", "UN").replace("five", "FIVE"))

    in_step(laptop, desk)

    assert desk.body("n") == FIVE.replace("one", "UN").replace("five", "FIVE")


@pytest.mark.parametrize("note", ["n", "new"])
def test_edits_on_a_squash_that_is_taken_back_clash_with_none_on_what_it_was_made_of(
    pair: tuple[Machine, Machine], fleet: Fleet, note: str
) -> None:
    laptop, desk = pair
    laptop.edit("anchor", title="read by both")
    in_step(laptop, desk)
    laptop.write("new", FIVE)
    laptop.edit("n", title="Another title")
    laptop.sync()
    copy = git("rev-parse", "main", cwd=fleet.readable())
    squashed(fleet)
    desk.sync()
    desk.edit(note, body=FIVE.replace("one", "ONE of desk"))
    desk.sync()
    fleet.readable()
    fleet.publish(copy, rewritten=True)
    laptop.edit(note, body=FIVE.replace("five", "FIVE of laptop"))
    laptop.sync()

    in_step(laptop, desk)

    assert laptop.body(note) == "ONE of desk\ntwo\nthree\nfour\nFIVE of laptop"


def test_an_emptied_remote_that_another_machine_filled_takes_no_edit_away(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE of laptop"))
    laptop.sync()
    git("update-ref", "-d", "refs/heads/main", cwd=fleet.remote)
    desk.edit("n", body=FIVE.replace("five", "FIVE of desk"))
    desk.sync()

    in_step(laptop, desk)

    assert desk.body("n") == FIVE.replace("one", "ONE of laptop").replace("five", "FIVE of desk")


def test_what_was_replaced_after_it_was_read_is_no_clash_in_an_emptied_remote(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    shelf = fleet.machine("shelf")
    shelf.sync()
    laptop.edit("n", body=FIVE.replace("two", "TWO of laptop"))
    laptop.sync()
    desk.sync()  # has read it
    git("update-ref", "-d", "refs/heads/main", cwd=fleet.remote)
    shelf.edit("n", body=FIVE.replace("five", "FIVE of shelf"))
    shelf.sync()
    laptop.sync()  # its edit is there again, but in no version that desk knows
    laptop.edit("n", body="one\nZWEI\nthree\nfour\nFIVE of shelf")
    laptop.sync()
    desk.edit("n", body="one\nTWO of laptop\nthree\nFOUR of desk\nfive")

    in_step(laptop, desk)

    assert desk.body("n") == "one\nZWEI\nthree\nFOUR of desk\nFIVE of shelf"


def test_what_a_third_machine_read_and_replaced_is_no_clash_in_an_emptied_remote(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    tower, shelf = fleet.machine("tower"), fleet.machine("shelf")
    shelf.sync()
    laptop.edit("n", body="ONE of laptop\ntwo\nthree\nfour\nfive")
    laptop.sync()
    desk.sync()
    desk.edit("n", body="ONE of laptop\ntwo\nthree\nFOUR of desk\nfive")
    desk.sync()
    tower.sync()
    tower.edit("n", body="ONE of laptop\ntwo\nthree\nVIER of tower\nfive")  # has read it
    git("update-ref", "-d", "refs/heads/main", cwd=fleet.remote)
    shelf.edit("n", body="one\ntwo\nTHREE of shelf\nfour\nfive")
    for machine in (shelf, laptop, tower):
        machine.sync()

    in_step(tower, desk)

    assert desk.body("n") == "ONE of laptop\ntwo\nTHREE of shelf\nVIER of tower\nfive"


def test_another_store_as_the_remote_takes_no_note_away(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    laptop, _ = pair
    (tmp_path / "elsewhere").mkdir()
    others = Fleet(tmp_path / "elsewhere")
    stranger = others.machine("stranger")
    stranger.write("foreign", "of another store")
    stranger.sync()

    laptop.remote = str(others.remote)
    laptop.sync()

    assert set(laptop.files()) == {
        "semantic/anchor.md", "semantic/foreign.md", "semantic/n.md",
    }  # fmt: skip


def many_notes(machine: Machine, number: int) -> None:
    for count in range(number):
        machine.write(f"note-{count:02}", f"body {count}")
    machine.sync()


def test_most_of_many_notes_gone_at_once_are_put_back(fleet: Fleet) -> None:
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    many_notes(laptop, 40)
    for count in range(25):
        laptop.delete(f"note-{count:02}")

    result = laptop.sync()

    assert "25 of 40 notes were gone from this machine and were put back" in result.detail
    assert len(laptop.files()) == 40
    for count in range(25):
        laptop.delete(f"note-{count:02}")
    laptop.sync(accept_deletions=True)
    desk.sync()
    assert len(desk.files()) == 15


def test_half_of_a_few_notes_gone_at_once_are_put_back(fleet: Fleet) -> None:
    laptop = fleet.machine("laptop")
    many_notes(laptop, 12)
    for count in range(6):
        laptop.delete(f"note-{count:02}")

    assert "6 of 12 notes were gone" in laptop.sync().detail

    assert len(laptop.files()) == 12


def test_a_tenth_of_many_notes_gone_at_once_is_put_back(fleet: Fleet) -> None:
    """What a restored backup lacks is what was written since, seldom most of it."""
    laptop = fleet.machine("laptop")
    many_notes(laptop, 100)
    for count in range(20):
        laptop.delete(f"note-{count:02}")

    assert "20 of 100 notes were gone" in laptop.sync().detail
    assert len(laptop.files()) == 100


def test_fewer_notes_gone_or_moved_elsewhere_are_no_accident(fleet: Fleet) -> None:
    laptop = fleet.machine("laptop")
    many_notes(laptop, 40)
    for count in range(19):
        laptop.delete(f"note-{count:02}")
    (laptop.home / "local/semantic").mkdir(parents=True)
    for count in range(19, 30):
        path = laptop.path(f"note-{count}")
        path.rename(laptop.home / "local/semantic" / path.name)

    assert "put back" not in laptop.sync().detail
    assert len(laptop.files()) == 10


@pytest.mark.parametrize(
    ("says", "shown"),
    [
        ("echo 'no pushes on a Friday' >&2", "no pushes on a Friday"),
        ("", "a hook there declined it without saying why"),
    ],
)
def test_the_reason_of_a_hook_that_refuses_is_shown(
    pair: tuple[Machine, Machine], fleet: Fleet, says: str, shown: str
) -> None:
    laptop, _ = pair
    hook = fleet.remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{says}\nexit 1\n")
    hook.chmod(0o755)
    laptop.write("new", "b")

    result = laptop.sync()

    assert shown in result.error
    assert laptop.body("new") == "b"


def test_a_tag_that_is_called_as_the_branch_is_no_obstacle(
    fleet: Fleet, pair: tuple[Machine, Machine]
) -> None:
    laptop, desk = pair
    git("tag", "main", "main", cwd=fleet.remote)
    laptop.write("after", "sent past the tag")

    assert not laptop.sync().error
    assert not desk.sync().error
    assert desk.body("after") == "sent past the tag"
