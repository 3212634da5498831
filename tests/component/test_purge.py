"""A forgotten note leaves the history of every machine, and nothing else does."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from anamnesis.cli import main
from anamnesis.notes import tree
from anamnesis.operations.curate import forget
from anamnesis.store import MemoryStore
from anamnesis.sync import purge, remote
from anamnesis.sync.repository import DiskFull, SyncFailed
from support.fleet import CREATED, Fleet, Machine, git, git_that, quiet
from support.notes import hand_written, write_file

SECRET = "what nobody shall know"


@pytest.fixture(scope="module")
def prepared() -> dict[str, Fleet]:
    """Fleets with what `machines` has, by their kind, to be copied."""
    return {}


@pytest.fixture
def fleet(
    fleet: Fleet,
    prepared: dict[str, Fleet],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> Fleet:
    git("config", "receive.denyNonFastForwards", "true", cwd=fleet.remote)
    if "machines" not in request.fixturenames:
        return fleet
    kind = type(fleet).__name__
    if kind not in prepared:
        prepared[kind] = fleet.copy(tmp_path_factory.mktemp("prepared") / "fleet")
        _prepare(*_three(prepared[kind]))
    return prepared[kind].copy(tmp_path / "prepared")


@pytest.fixture
def machines(fleet: Fleet) -> list[Machine]:
    """Three machines with ten notes; one of them holds a secret in two of its versions."""
    return _three(fleet)


def _three(fleet: Fleet) -> list[Machine]:
    return [fleet.machine(name) for name in ("laptop", "desk", "server")]


def _prepare(laptop: Machine, *others: Machine) -> None:
    for number in range(9):
        laptop.write(f"note-{number}", f"body {number}")
    laptop.sync()
    laptop.write("plan", SECRET)
    laptop.sync()
    laptop.write("plan", f"{SECRET} at all")
    laptop.write("note-0", "edited on the laptop")
    laptop.sync()
    quiet(laptop, *others)


def purged(machine: Machine, *ids: str) -> purge.Purged:
    with MemoryStore(machine.home) as store:
        forget.forget(store, ids)
    machine.sync()
    an_hour_later(machine)
    return machine.backend.purge(set(ids))


def an_hour_later(machine: Machine) -> None:
    """Let nobody be sending anything to the remote any more.

    git 2.41 and newer write down beside a pack when its objects were last needed.
    """
    for times in Path(machine.remote or "").glob("objects/pack/*.mtimes"):
        times.unlink()
    for path in Path(machine.remote or "").rglob("objects/**/*"):
        os.utime(path, (time.time() - 3600,) * 2)


def objects(directory: Path) -> bytes:
    """Every object that a repository has, reachable or not."""
    argv = ["git", "cat-file", "--batch", "--batch-all-objects", "--unordered"]
    return subprocess.run(argv, cwd=directory, capture_output=True, check=True).stdout


def _notes(published: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in published.items() if path.endswith(".md")}


def check_gone(fleet: Fleet, machines: list[Machine], *texts: str) -> None:
    """Nothing has the texts; the remote, where others may be sending, after its own packing."""
    an_hour_later(machines[0])
    git("gc", "--quiet", "--prune=10.minutes.ago", cwd=fleet.remote)
    for place in (fleet.remote, fleet.readable(), *(machine.memory for machine in machines)):
        found = objects(place)
        for text in texts or (SECRET,):
            assert text.encode() not in found, place


def test_a_purge_reaches_every_machine(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, desk, server = machines

    done = purged(laptop, "plan")
    for machine in (desk, server):
        assert not machine.sync().error

    assert (done.texts, done.remote_cleared, done.other_refs) == (2, True, ())
    check_gone(fleet, machines)
    assert laptop.files() == desk.files() == server.files() == _notes(fleet.published())
    assert len(laptop.files()) == 9
    assert laptop.git("rev-parse", "main") == server.git("rev-parse", "main")
    assert "edited on the laptop" in laptop.git("log", "-p", "--", "semantic/note-0.md")


def test_what_a_squash_was_made_of_is_purged_with_it(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, _desk, _server = machines
    clear = fleet.readable()
    squash = git("commit-tree", "main^{tree}", "-m", "all of it", cwd=clear)
    fleet.publish(squash, rewritten=True)
    quiet(*machines)
    assert "grafts" in laptop.git("for-each-ref")

    done = purged(laptop, "plan")
    quiet(*machines)

    assert done.cleared
    assert "grafts" not in laptop.git("for-each-ref")
    check_gone(fleet, machines)


def test_a_machine_that_never_synced_since_the_first_note_follows_a_purge(
    fleet: Fleet, machines: list[Machine]
) -> None:
    laptop, _desk, _server = machines
    late = fleet.machine("late")
    late.sync()
    laptop.write("note-1", "edited by laptop after that")
    laptop.sync()
    late.write("note-2", "edited by the late machine")
    purged(laptop, "plan")

    quiet(late, *machines)

    assert not late.held()
    assert laptop.body("note-2") == "edited by the late machine"
    assert late.body("note-1") == "edited by laptop after that"


def test_unsynced_work_elsewhere_is_kept(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, desk, server = machines
    desk.remote = None
    desk.write("from-desk", "committed while offline")
    desk.sync()
    desk.remote = str(fleet.remote)
    desk.write("note-1", "edited on the desk, not committed")
    desk.write("plan", f"{SECRET}, edited on the desk")
    server.write("note-0", "edited on the server")
    server.delete("note-2")

    purged(laptop, "plan")
    laptop.write("note-3", "edited on the laptop after it")
    quiet(*machines)
    quiet(*machines)

    for machine in machines:
        assert machine.body("from-desk") == "committed while offline"
        assert machine.body("note-1") == "edited on the desk, not committed"
        assert machine.body("note-0") == "edited on the server"
        assert machine.body("note-2") is None
        assert machine.body("note-3") == "edited on the laptop after it"
        assert machine.body("plan") is None
    check_gone(fleet, machines)


def test_a_machine_that_was_away_for_long_follows(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, desk, server = machines
    for number in range(3):
        laptop.write("note-4", f"version {number} that the server missed")
        laptop.sync()
    server.write("from-server", "written meanwhile")

    purged(laptop, "plan")
    for number in range(3):
        desk.write("note-5", f"version {number} after the purge")
        quiet(desk, laptop)
    quiet(server, laptop, desk)

    assert server.body("note-5") == "version 2 after the purge"
    assert laptop.body("from-server") == "written meanwhile"
    check_gone(fleet, machines)


def test_two_purges_in_a_row(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, desk, server = machines
    server.write("second", "another secret")
    quiet(server, laptop, desk)

    purged(laptop, "plan")
    desk.sync()
    purged(desk, "second")
    quiet(server, laptop)

    check_gone(fleet, machines, SECRET, "another secret")
    assert laptop.files() == desk.files() == server.files()


def test_a_machine_that_lost_track_of_the_remote_brings_no_past(
    fleet: Fleet, machines: list[Machine]
) -> None:
    laptop, desk, _ = machines
    purged(laptop, "plan")
    desk.git("update-ref", "-d", "refs/remotes/origin/main")
    (desk.memory / ".git/logs/refs/remotes/origin/main").unlink(missing_ok=True)
    desk.write("from-desk", "new on the desk")

    quiet(desk, laptop)

    assert laptop.body("from-desk") == "new on the desk"
    assert SECRET.encode() not in objects(fleet.readable())
    assert laptop.files() == desk.files()


def test_a_conflict_with_a_purged_history_is_held_as_ever(
    fleet: Fleet, machines: list[Machine]
) -> None:
    laptop, desk, _ = machines
    desk.write("note-6", "text of the desk")
    purged(laptop, "plan")
    laptop.write("note-6", "text of the laptop")
    laptop.sync()

    result = desk.sync()

    assert result.conflicts == ("note-6",)
    assert desk.body("note-6") == "text of the desk"
    assert fleet.remote.exists()


def test_a_file_with_a_name_of_its_own_is_purged_too(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, *_ = machines
    write_file(laptop.home, "memory/semantic/my plans.md", hand_written("plans", body=SECRET))
    quiet(*machines)
    (laptop.home / "memory/semantic/my plans.md").rename(laptop.home / "memory/semantic/old.md")
    quiet(*machines)

    assert purged(laptop, "plans", "plan").texts == 3
    quiet(*machines)

    check_gone(fleet, machines)


def test_the_order_of_a_follower_s_commits_stays(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, desk, _ = machines
    desk.remote = None
    for number in range(3):
        desk.write("note-7", f"step {number}")
        desk.sync()
    desk.remote = str(fleet.remote)

    purged(laptop, "plan")
    desk.sync()

    log = desk.git("log", "--format=", "-p", "--reverse", "--", "semantic/note-7.md")
    assert log.index("step 0") < log.index("step 1") < log.index("step 2")


def test_nothing_is_rewritten_unless_all_is_synced(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, desk, _ = machines
    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["plan"])
    laptop.sync()
    desk.write("note-8", "faster than the purge")
    desk.sync()
    before = git("rev-parse", "main", cwd=fleet.remote)

    with pytest.raises(purge.PurgeRefused):
        laptop.backend.purge({"plan"})

    assert git("rev-parse", "main", cwd=fleet.remote) == before
    quiet(laptop, desk)
    assert laptop.body("note-8") == "faster than the purge"


def test_a_note_that_is_still_there_is_not_purged(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, *_ = machines
    before = git("rev-parse", "main", cwd=fleet.remote)

    with pytest.raises(SyncFailed, match="would not be the same"):
        laptop.backend.purge({"plan"})

    assert git("rev-parse", "main", cwd=fleet.remote) == before
    assert laptop.body("plan") == f"{SECRET} at all"


def test_a_purge_on_a_full_disk_says_so_and_leaves_no_report(
    fleet: Fleet, machines: list[Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, *_ = machines
    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["plan"])
    laptop.sync()
    before = git("rev-parse", "main", cwd=fleet.remote)
    report = '"$PWD/.git/fast_import_crash_1"'
    full = (
        f"echo 'fatal: sha1 file: write error. Out of diskspace' >&2; touch {report}; "
        f"echo fast-import: dumping crash report to {report} >&2; exit 128"
    )
    with monkeypatch.context() as trouble:
        trouble.setenv("PATH", git_that(tmp_path, full, at="fast-import"))

        with pytest.raises(DiskFull, match="The disk is full"):
            laptop.backend.purge({"plan"})

    assert not list((laptop.memory / ".git").glob("fast_import_crash_*"))
    assert git("rev-parse", "main", cwd=fleet.remote) == before
    assert laptop.backend.purge({"plan"}).texts


def test_a_purge_without_a_remote(tmp_path: Path) -> None:
    alone = Machine(tmp_path / "alone", None)
    alone.write("plan", SECRET)
    alone.write("other", "stays")
    alone.sync()

    assert purged(alone, "plan").texts == 1

    assert SECRET.encode() not in objects(alone.memory)
    assert alone.body("other") == "stays"


def test_a_purge_whose_own_refs_cannot_be_removed_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk was read-only by then: the text is still named until the same is run again."""
    alone = Machine(tmp_path / "alone", None)
    alone.write("plan", SECRET)
    alone.write("other", "stays")
    alone.sync()
    with MemoryStore(alone.home) as store:
        forget.forget(store, ["plan"])
    alone.sync()
    alone.git("update-ref", "refs/anamnesis/outgoing", "main")
    refuses = tmp_path / "refuses"
    refuses.mkdir()
    (refuses / "git").write_text(
        '#!/bin/sh\ncase "$*" in *"update-ref -d refs/anamnesis/outgoing"*) exit 1 ;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    (refuses / "git").chmod(0o755)

    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{refuses}:{os.environ['PATH']}")
        with pytest.raises(SyncFailed, match="outgoing"):
            alone.backend.purge({"plan"})

    assert alone.backend.purge({"plan"}).cleared
    assert SECRET.encode() not in objects(alone.memory)
    assert alone.body("other") == "stays"


def test_a_packing_that_is_under_way_keeps_nothing(tmp_path: Path) -> None:
    alone = Machine(tmp_path / "alone", None)
    alone.write("plan", SECRET)
    alone.write("other", "stays")
    alone.sync()
    (alone.memory / ".git" / "gc.pid").write_text(f"{os.getpid()} {socket.gethostname()}")

    assert purged(alone, "plan").cleared

    assert SECRET.encode() not in objects(alone.memory)


@pytest.mark.parametrize("name", ["gc.pid.lock", "objects/info/commit-graph.lock"])
def test_the_lock_of_a_killed_packing_keeps_nothing(tmp_path: Path, name: str) -> None:
    alone = Machine(tmp_path / "alone", None)
    alone.write("plan", SECRET)
    alone.write("other", "stays")
    alone.sync()
    lock = alone.memory / ".git" / name
    lock.touch()
    os.utime(lock, (0, 0))

    assert purged(alone, "plan").cleared

    assert SECRET.encode() not in objects(alone.memory)


def test_what_a_ref_of_a_person_keeps_is_told(tmp_path: Path) -> None:
    alone = Machine(tmp_path / "alone", None)
    alone.write("plan", SECRET)
    alone.write("other", "stays")
    alone.sync()
    alone.git("tag", "mine")

    done = purged(alone, "plan")

    assert (done.cleared, done.other_refs) == (False, ("refs/tags/mine",))


def on(machine: Machine, monkeypatch: pytest.MonkeyPatch, *argv: str) -> int:
    monkeypatch.setenv("ANAMNESIS_HOME", str(machine.home))
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", machine.name)
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(machine.remote))
    monkeypatch.setenv("ANAMNESIS_SEALED", str(int(machine.sealed)))
    return main(argv)


def test_the_command_forgets_syncs_and_purges(
    fleet: Fleet, machines: list[Machine], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    laptop, desk, server = machines
    desk.write("plan", f"{SECRET}, edited on the desk")
    desk.sync()

    an_hour_later(laptop)
    assert on(laptop, monkeypatch, "forget", "plan", "--purge-history", "--yes") == 0
    assert "3 versions are gone from the history" in capsys.readouterr().out
    assert on(desk, monkeypatch, "sync") == 0
    assert on(server, monkeypatch, "sync") == 0

    check_gone(fleet, machines)
    assert tree.is_forgotten(str(server.home), "plan")


def test_what_was_forgotten_before_can_be_purged_later(
    fleet: Fleet, machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, *_ = machines
    assert on(laptop, monkeypatch, "forget", "plan", "--yes") == 0
    quiet(*machines)
    an_hour_later(laptop)

    assert on(laptop, monkeypatch, "forget", "--purge-history", "--yes") == 0
    quiet(*machines)

    check_gone(fleet, machines)


def test_a_machine_with_an_older_version_stops_a_purge(
    fleet: Fleet, machines: list[Machine], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    laptop, *_ = machines
    sign = {
        "machine": "old-box", "name": "old-box", "version": "0.9.3", "install": "x",
        "last_capture": "", "last_sync": "", "pending": 0, "last_error": "",
    }  # fmt: skip
    write_file(laptop.home, "memory/.machines/old-box.json", json.dumps({**sign, "seen": CREATED}))

    assert on(laptop, monkeypatch, "forget", "plan", "--purge-history", "--yes") == 1

    assert "old-box has the older version 0.9.3" in capsys.readouterr().err
    assert SECRET.encode() in objects(fleet.readable())


def test_a_machine_that_commits_without_a_heartbeat_stops_a_purge(
    fleet: Fleet, machines: list[Machine], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Versions before 1.0 leave none; one that once did may have got another name since."""
    laptop, desk, _ = machines
    desk.write("from-desk", "sent by an old version")
    desk.sync()
    for name in ("laptop", "server", "founder"):
        write_file(laptop.home, f"memory/.machines/{name}.json", "{}")
    laptop.sync()
    (laptop.memory / ".machines" / "server.json").unlink()

    assert on(laptop, monkeypatch, "forget", "plan", "--purge-history", "--yes") == 1

    assert "desk has committed without ever reporting" in capsys.readouterr().err
    assert SECRET.encode() in objects(fleet.readable())
    write_file(desk.home, "memory/.machines/desk.json", "{}")
    desk.sync()
    assert on(laptop, monkeypatch, "forget", "plan", "--purge-history", "--yes") == 0


def test_a_purge_that_loses_a_race_tries_again(
    fleet: Fleet, machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk, _ = machines
    real = remote.replace_history
    tries = []

    def somebody_is_faster(*args: Any, **more: Any) -> remote.Pushed:
        tries.append(1)
        if len(tries) == 1:
            desk.write("meanwhile", "sent while the history was rewritten")
            desk.sync()
        return real(*args, **more)

    monkeypatch.setattr(remote, "replace_history", somebody_is_faster)

    assert on(laptop, monkeypatch, "forget", "plan", "--yes", "--purge-history") == 0

    assert len(tries) == 2
    quiet(*machines)
    assert laptop.body("meanwhile") == "sent while the history was rewritten"
    assert "plan" not in "".join(_notes(fleet.published()))


def test_what_another_machine_may_be_sending_stays_at_the_remote(
    fleet: Fleet, machines: list[Machine]
) -> None:
    laptop = machines[0]
    under_way = git("hash-object", "-w", "--stdin", cwd=fleet.remote)

    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["plan"])
    laptop.sync()

    done = laptop.backend.purge({"plan"})

    assert git("cat-file", "-t", under_way, cwd=fleet.remote) == "blob"
    assert not done.remote_cleared  # the note was sent a moment ago, too


def test_a_purged_text_that_comes_back_is_noticed(fleet: Fleet, machines: list[Machine]) -> None:
    laptop, desk, _ = machines
    old = desk.git("rev-parse", "main")
    purged(laptop, "plan")
    clear = fleet.readable()
    git("fetch", "--quiet", str(desk.memory), f"{old}:refs/heads/old", cwd=clear)
    merged = git(
        "commit-tree", "main^{tree}", "-p", "main", "-p", "old", "-m", "of an older version",
        cwd=clear,
    )  # fmt: skip
    fleet.publish(merged)

    assert "a text that was purged is in the history again" in laptop.sync().detail


def test_a_remote_put_back_to_before_it_was_squashed_and_purged_takes_no_edit_away(
    fleet: Fleet, machines: list[Machine]
) -> None:
    laptop, desk, server = machines
    quiet(*machines)
    backup = fleet.base / "backup"
    shutil.copytree(fleet.remote, backup)
    squashed = git("commit-tree", "main^{tree}", "-m", "all of it", cwd=fleet.readable())
    fleet.publish(squashed, rewritten=True)
    quiet(*machines)
    purged(laptop, "plan")
    desk.edit("note-1", body="edited since")
    desk.write("new", "written since")
    desk.delete("note-2")
    quiet(*machines)
    shutil.rmtree(fleet.remote)
    backup.rename(fleet.remote)
    server.edit("note-3", body="edited after that")

    quiet(server, laptop, desk)

    for machine in machines:
        assert machine.body("note-1") == "edited since"
        assert machine.body("new") == "written since"
        assert machine.body("note-2") is None
        assert machine.body("note-3") == "edited after that"
        assert machine.held() == {}


def test_a_purge_after_the_remote_was_put_back_takes_no_edit_away(
    fleet: Fleet, machines: list[Machine]
) -> None:
    laptop, desk, _ = machines
    quiet(*machines)
    backup = git("rev-parse", "main", cwd=fleet.remote)
    desk.write("later", "sent after the backup")
    desk.sync()
    git("update-ref", "refs/heads/main", backup, cwd=fleet.remote)
    purged(laptop, "plan")

    quiet(*machines)

    assert laptop.body("later") == "sent after the backup"
    assert laptop.body("plan") is None
