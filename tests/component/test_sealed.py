"""A sealed remote: what its host can read, and what it can do to those who use it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.ground.errors import install_command
from anamnesis.operations.curate import forget
from anamnesis.store import MemoryStore
from anamnesis.sync.repository import SyncFailed
from anamnesis.sync.sealed import envelope, members
from anamnesis.sync.sealed.depot import read_ledger
from anamnesis.sync.sealed.keys import Keys, made_keys, new_keys
from support.fleet import (
    CREATED,
    PLAIN_ONLY,
    Machine,
    SealedFleet,
    git,
    git_that,
    in_step,
    quiet,
    sealed,
)
from support.thin import every

Two = tuple[SealedFleet, Machine, Machine]


@pytest.fixture
def two(tmp_path: Path) -> Two:
    """Two members with one note in common."""
    fleet = SealedFleet(tmp_path)
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("n", "one\ntwo\nthree")
    quiet(laptop, desk)
    return fleet, laptop, desk


def files_of(remote: Path) -> dict[str, bytes]:
    listed = git("ls-tree", "-r", "--name-only", "main", cwd=remote).splitlines()
    return {path: _blob(remote, f"main:{path}") for path in listed}


def _blob(remote: Path, name: str) -> bytes:
    return subprocess.run(
        ["git", "cat-file", "blob", name], cwd=remote, capture_output=True, check=True
    ).stdout


def tamper(remote: Path, files: dict[str, bytes | None], *, parent: str | None = "main") -> None:
    """Write to the remote as somebody does who has the host but no key."""
    now: dict[str, bytes | None] = {**(files_of(remote) if parent else {}), **files}
    stream = [b"feature done\ncommit refs/heads/tampered\n"]
    stream.append(b"committer host <host@host> 0 +0000\ndata 1\nx\n")
    if parent:
        stream.append(f"from {git('rev-parse', parent, cwd=remote)}\ndeleteall\n".encode())
    for path, data in now.items():
        if data is not None:
            head = f"M 100644 inline {path}\ndata {len(data)}\n".encode()
            stream.append(head + data + b"\n")
    stream.append(b"\ndone\n")
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force", "--done"],
        cwd=remote, input=b"".join(stream), check=True,
    )  # fmt: skip
    git("update-ref", "refs/heads/main", "refs/heads/tampered", cwd=remote)
    git("update-ref", "-d", "refs/heads/tampered", cwd=remote)


def everything_in(repository: Path) -> bytes:
    """Every object, decompressed, and every other file of a bare repository."""
    listed = git("cat-file", "--batch-check", "--batch-all-objects", cwd=repository)
    oids = "".join(f"{line.split()[0]}\n" for line in listed.splitlines()).encode()
    objects = subprocess.run(
        ["git", "cat-file", "--batch"], cwd=repository, input=oids, capture_output=True, check=True
    ).stdout
    found = [objects]
    for path in repository.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        try:
            found.append(zlib.decompress(data))
        except zlib.error:
            found.append(data)
    return b"\n".join([*found, *(os.fsencode(path.name) for path in repository.rglob("*"))])


def test_the_host_finds_none_of_a_thousand_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = SealedFleet(tmp_path)
    git("config", "core.logAllRefUpdates", "always", cwd=fleet.remote)
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "Quentin quillfeather")
    (tmp_path / ".gitconfig").write_text(
        "[user]\n name = Quentin quillfeather\n email = q@quillfeather\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    laptop, desk = fleet.machine("laptop-of-quillfeather"), fleet.machine("desk-of-quillfeather")
    canaries = [f"canary{number}x{os.urandom(4).hex()}" for number in range(1000)]
    for number in range(0, 1000, 5):
        name, title, word, project, tag = canaries[number : number + 5]
        laptop.write(name, f"it says {word}", title=title, project=project, tags=[tag])
    laptop.sync()
    desk.sync()
    desk.edit(canaries[0], title=canaries[1] * 2)
    quiet(desk, laptop)

    seen = everything_in(fleet.remote)

    assert desk.body(canaries[0])
    assert (fleet.remote / "logs" / "refs" / "heads" / "main").read_text()
    assert not [word for word in canaries if word.encode() in seen]
    assert b"quillfeather" not in seen
    assert b"semantic" not in seen
    assert git("log", "--format=%an %ae %ad %s", "--date=raw", "main", cwd=fleet.remote).split(
        "\n"
    ) == ["anamnesis anamnesis@sealed 0 +0000 sealed"] * int(
        git("rev-list", "--count", "main", cwd=fleet.remote)
    )


def test_what_is_left_out_for_sealed_remotes_is_a_test_and_has_a_counterpart_here() -> None:
    folder = Path(__file__).parent
    elsewhere = "".join(path.read_text() for path in folder.glob("test_sync_*.py"))
    for name, why in PLAIN_ONLY.items():
        assert f"def {name}(" in elsewhere
        assert f"def {why.rpartition('.')[2]}(" in Path(__file__).read_text()


def test_clear_commits_are_the_same_on_all_machines(two: Two) -> None:
    _, laptop, desk = two
    desk.edit("n", title="Another")
    quiet(laptop, desk)

    assert laptop.git("rev-parse", "main") == desk.git("rev-parse", "main")
    assert laptop.files() == desk.files()


def test_sizes_are_padded() -> None:
    sizes = {envelope.padded_size(size) for size in range(1, 200_000)}

    assert min(sizes) == 4096
    assert len(sizes) < 60
    assert all(envelope.padded_size(n) < max(n + 4096, n * 9 / 8) for n in range(1, 200_000, 77))


def test_keys_stay_on_their_machine(two: Two) -> None:
    fleet, laptop, desk = two
    places = [machine.home / "keys" / "machine.json" for machine in (laptop, desk)]

    assert all(place.stat().st_mode & 0o777 == 0o600 for place in places)
    assert made_keys(str(laptop.home / "keys")) != made_keys(str(desk.home / "keys"))
    seen = everything_in(fleet.remote)
    for place in places:
        assert made_keys(str(place.parent)).age.encode() not in seen
    assert not any("keys" in path for path in desk.files())


def test_a_machine_that_was_not_approved_reads_and_sends_nothing(two: Two) -> None:
    fleet, _, _ = two
    stranger = Machine(fleet.base / "stranger", str(fleet.remote), sealed=True)
    stranger.write("own", "mine")
    before = git("rev-parse", "main", cwd=fleet.remote)

    result = stranger.sync()

    assert "not a member yet" in result.error
    assert "anamnesis join" in result.hint
    assert list(stranger.files()) == ["semantic/own.md"]
    assert git("rev-parse", "main", cwd=fleet.remote) == before


def test_a_plain_machine_is_told_that_the_remote_is_sealed(two: Two) -> None:
    fleet, _, _ = two
    plain = fleet.plain_machine("plain")
    plain.write("own", "mine")

    result = plain.sync()

    assert "sealed" in result.error
    assert "anamnesis join" in result.hint
    assert list(plain.files()) == ["semantic/own.md"]


def test_machines_of_the_plain_time_join_with_the_history_they_have(tmp_path: Path) -> None:
    fleet = SealedFleet.__new__(SealedFleet)
    super(SealedFleet, fleet).__init__(tmp_path)
    laptop, desk = fleet.plain_machine("laptop"), fleet.plain_machine("desk")
    laptop.write("n", "one")
    quiet(laptop, desk)
    fleet.seal(laptop)
    desk.edit("n", title="meanwhile")
    assert "sealed" in desk.sync().error

    desk.sealed = True
    code = members.ask(sealed(desk))
    members.accept(sealed(desk), members.approve(sealed(laptop), code))
    in_step(laptop, desk)

    assert laptop.note("n").title == "meanwhile"


def test_only_the_machine_that_showed_its_code_is_let_in(two: Two) -> None:
    fleet, laptop, _ = two
    honest, host = (
        Machine(fleet.base / name, str(fleet.remote), sealed=True) for name in ("new", "evil")
    )
    code = members.ask(sealed(honest))
    members.ask(sealed(host))
    # The host puts its own keys under the name of the honest request.
    branches = git("for-each-ref", "--format=%(refname)", "refs/heads/join-*", cwd=fleet.remote)
    own = f"join-{made_keys(str(honest.home / 'keys')).member.sign[:16]}"
    evil = next(ref for ref in branches.split() if not ref.endswith(own))
    git("update-ref", f"refs/heads/{own}", evil, cwd=fleet.remote)

    with pytest.raises(members.NoSuchRequest, match="No machine has asked"):
        members.approve(sealed(laptop), code)

    assert len(members.members(str(laptop.home / "keys"))) == 4


def test_a_new_machine_takes_nothing_from_a_store_with_another_code(two: Two) -> None:
    fleet, laptop, _ = two
    (fleet.base / "other").mkdir()
    other = SealedFleet(fleet.base / "other")
    fresh = Machine(fleet.base / "fresh", str(fleet.remote), sealed=True)
    code = members.approve(sealed(laptop), members.ask(sealed(fresh)))
    shutil.rmtree(fleet.remote)
    shutil.copytree(other.remote, fleet.remote)

    with pytest.raises(members.WrongCode):
        members.accept(sealed(fresh), code)

    assert "not a member yet" in fresh.sync().error


def test_two_approvals_at_once_both_hold(two: Two) -> None:
    fleet, laptop, desk = two
    new = [Machine(fleet.base / name, str(fleet.remote), sealed=True) for name in ("x", "y")]
    codes = [members.ask(sealed(machine)) for machine in new]
    stale = sealed(desk)
    stale.fetch()

    answers = [members.approve(sealed(laptop), codes[0])]
    answers.append(members.approve(stale, codes[1]))
    for machine, answer in zip(new, answers, strict=True):
        members.accept(sealed(machine), answer)

    quiet(laptop, desk, *new)
    assert all(machine.body("n") for machine in new)
    assert len(members.members(str(new[0].home / "keys"))) == 6


def test_an_approval_while_others_push_loses_nothing(two: Two) -> None:
    fleet, laptop, desk = two
    fresh = Machine(fleet.base / "fresh", str(fleet.remote), sealed=True)
    code = members.ask(sealed(fresh))
    transport = sealed(laptop)
    transport.fetch()
    desk.write("later", "pushed in between")
    assert desk.sync().pushed

    members.accept(sealed(fresh), members.approve(transport, code))

    quiet(laptop, desk, fresh)
    assert fresh.body("later") == "pushed in between"


def test_a_revoked_machine_reads_nothing_later(two: Two) -> None:
    fleet, laptop, desk = two
    member = made_keys(str(desk.home / "keys")).member
    members.revoke(sealed(laptop), member.code)
    laptop.write("secret", "only for those who stay")
    laptop.sync()
    desk.write("own", "of the desk")

    result = desk.sync()

    assert "removed" in result.error
    assert desk.body("secret") is None
    assert desk.body("own") == "of the desk"
    keys = made_keys(str(desk.home / "keys"))
    packs = [data for path, data in files_of(fleet.remote).items() if path.startswith("packs/")]
    assert any(made_keys(str(laptop.home / "keys")).decrypt(data[120:]) for data in packs)
    assert all(keys.decrypt(data[120:]) is None for data in packs)


def test_what_a_revoked_machine_still_pushes_is_refused_and_reported(two: Two) -> None:
    fleet, laptop, desk = two
    founder = fleet.machine("founder")
    founder.sync()
    members.revoke(sealed(laptop), made_keys(str(desk.home / "keys")).member.code)
    laptop.sync()
    known = read_ledger(str(laptop.home / "keys"))
    assert known
    forged = envelope.pack(
        b"", tip="0" * 40, base=None, generation=known.generation, number=2, before=known.pack,
        signer=made_keys(str(desk.home / "keys")),
    )  # fmt: skip
    tamper(fleet.remote, {"packs/0/2": forged})

    result = laptop.sync()

    assert "not a member" in result.detail
    assert not result.error
    quiet(laptop, founder)
    laptop.write("goes-on", "x")
    quiet(laptop, founder)
    assert founder.body("goes-on") == "x"


def test_a_revoked_machine_cannot_let_itself_in_again(two: Two) -> None:
    """It may still sign after the generation that it was in; who saw the real one refuses that."""
    fleet, laptop, desk = two
    known = read_ledger(str(desk.home / "keys"))
    keys = made_keys(str(desk.home / "keys"))
    assert known
    members.revoke(sealed(laptop), keys.member.code)
    now = known.generation
    rival = envelope.generation(now.number + 1, now.hash, now.members, signer=keys)
    tamper(fleet.remote, {f"generations/{now.number + 1}": rival})
    laptop.write("own", "must not be read by who was revoked")

    result = laptop.sync()

    assert "cannot be trusted" in result.error
    assert "not those that this machine knows" in result.error
    packs = [data for path, data in files_of(fleet.remote).items() if path.startswith("packs/")]
    assert all(keys.decrypt(data[120:]) is None for data in packs)


def _next_pack(machine: Machine, signer: Keys, *, number: int = 0) -> bytes:
    known = read_ledger(str(machine.home / "keys"))
    assert known
    return envelope.pack(
        b"", tip="1" * 40, base=None, generation=known.generation,
        number=number or known.number + 1, before=known.last, signer=signer,
    )  # fmt: skip


def _forged(fleet: SealedFleet, machine: Machine) -> dict[str, bytes | None]:
    known = read_ledger(str(machine.home / "keys"))
    assert known
    return {envelope.place_of_pack(known.number + 1): _next_pack(machine, new_keys())}


def _replayed(fleet: SealedFleet, machine: Machine) -> dict[str, bytes | None]:
    known = read_ledger(str(machine.home / "keys"))
    assert known
    return {envelope.place_of_pack(known.number + 1): files_of(fleet.remote)["packs/0/1"]}


def _of_an_earlier_generation(fleet: SealedFleet, machine: Machine) -> dict[str, bytes | None]:
    earlier = files_of(fleet.remote)["packs/0/3"]
    fleet.machine("third")  # approving it begins a generation
    machine.sync()
    known = read_ledger(str(machine.home / "keys"))
    assert known
    return {envelope.place_of_pack(known.number + 1): earlier}


def _reordered(fleet: SealedFleet, machine: Machine) -> dict[str, bytes | None]:
    files = files_of(fleet.remote)
    return {"packs/0/1": files["packs/0/2"], "packs/0/2": files["packs/0/1"]}


def _truncated(fleet: SealedFleet, machine: Machine) -> dict[str, bytes | None]:
    known = read_ledger(str(machine.home / "keys"))
    assert known
    return {envelope.place_of_pack(known.number): None}


def _cut(fleet: SealedFleet, machine: Machine) -> dict[str, bytes | None]:
    known = read_ledger(str(machine.home / "keys"))
    assert known
    path = envelope.place_of_pack(known.number)
    return {path: files_of(fleet.remote)[path][:-10]}


@pytest.mark.parametrize(
    "attack", [_forged, _replayed, _of_an_earlier_generation, _reordered, _truncated, _cut]
)
def test_packs_that_were_tampered_with_are_noticed_and_put_right(
    two: Two, attack: Callable[[SealedFleet, Machine], dict[str, bytes | None]]
) -> None:
    fleet, laptop, desk = two
    desk.write("m", "another note")
    quiet(laptop, desk)
    desk.edit("n", title="and a change")
    quiet(laptop, desk)
    before = laptop.files()
    tamper(fleet.remote, attack(fleet, laptop))
    laptop.write("own", "written meanwhile")

    told = laptop.sync()

    assert "pack" in told.detail
    assert {path: data for path, data in laptop.files().items() if "own" not in path} == before
    quiet(laptop, desk)
    assert desk.body("own") == "written meanwhile"
    newcomer = fleet.machine("newcomer")
    newcomer.sync()
    assert newcomer.files() == laptop.files()


def test_a_changed_header_is_refused_until_a_member_replaces_it(two: Two) -> None:
    fleet, laptop, desk = two
    known = read_ledger(str(laptop.home / "keys"))
    assert known
    mine = new_keys()
    generation = known.generation
    added = envelope.generation(
        generation.number + 1, generation.hash, (*generation.members, mine.member), signer=mine
    )
    tamper(fleet.remote, {f"generations/{generation.number + 1}": added})
    laptop.write("own", "must not be read by the host")

    result = laptop.sync()

    assert "cannot be trusted" in result.error
    assert "--replace" in result.hint
    assert laptop.body("own")
    members.replace(sealed(laptop))
    quiet(laptop, desk)
    assert desk.body("own") == "must not be read by the host"


def test_another_store_at_the_same_address_is_not_overwritten(two: Two, tmp_path: Path) -> None:
    _, laptop, _ = two
    (tmp_path / "apart").mkdir()
    other = SealedFleet(tmp_path / "apart")
    before = git("rev-parse", "main", cwd=other.remote)
    laptop.remote = str(other.remote)
    laptop.write("own", "x")

    result = laptop.sync()

    assert "not those that this machine knows" in result.error
    assert git("rev-parse", "main", cwd=other.remote) == before


def test_a_remote_rolled_back_to_an_earlier_generation_is_noticed(two: Two) -> None:
    fleet, laptop, desk = two
    old = git("rev-parse", "main", cwd=fleet.remote)
    fleet.machine("third")
    laptop.write("later", "x")
    quiet(laptop, desk)
    git("update-ref", "refs/heads/main", old, cwd=fleet.remote)

    result = desk.sync()

    assert "had lost packs" in result.detail
    quiet(laptop, desk)
    assert laptop.body("later") == desk.body("later") == "x"


@pytest.mark.parametrize("edits", [1, 3])
def test_what_is_sent_to_an_earlier_state_is_merged_at_once(two: Two, edits: int) -> None:
    """Whoever sent it may never come back: the remote must not be put right without it."""
    fleet, laptop, desk = two
    old = git("rev-parse", "main", cwd=fleet.remote)
    for number in range(edits):
        laptop.write(f"of-laptop-{number}", "x")
        laptop.sync()
    git("update-ref", "refs/heads/main", old, cwd=fleet.remote)
    desk.write("of-desk", "sent to the restored remote")
    assert desk.sync().pushed

    told = laptop.sync()

    assert told.detail.endswith("went on without them; both were merged")
    assert laptop.body("of-desk") == "sent to the restored remote"
    assert set(fleet.published()) >= {"semantic/of-desk.md", "semantic/of-laptop-0.md"}
    in_step(laptop, desk)


def test_what_is_sent_to_an_earlier_generation_is_merged(two: Two) -> None:
    fleet, laptop, desk = two
    old = git("rev-parse", "main", cwd=fleet.remote)
    fleet.machine("third")
    laptop.write("of-laptop", "x")
    laptop.sync()
    git("update-ref", "refs/heads/main", old, cwd=fleet.remote)
    desk.edit("n", title="of desk")
    assert desk.sync().pushed

    told = laptop.sync()

    assert "both were merged" in told.detail
    assert laptop.note("n").title == "of desk"
    in_step(laptop, desk)
    assert desk.body("of-laptop") == "x"


def test_what_a_revoked_machine_sends_to_an_earlier_generation_is_not_taken(two: Two) -> None:
    fleet, laptop, desk = two
    old = git("rev-parse", "main", cwd=fleet.remote)
    members.revoke(sealed(laptop), made_keys(str(desk.home / "keys")).member.code)
    git("update-ref", "refs/heads/main", old, cwd=fleet.remote)
    desk.edit("n", title="of desk")
    assert desk.sync().pushed

    told = laptop.sync()

    assert "put back" in told.detail
    assert laptop.note("n").title != "of desk"
    assert "removed" in desk.sync().error


def test_what_was_purged_does_not_come_back_by_an_earlier_generation(two: Two) -> None:
    fleet, laptop, desk = two
    laptop.write("secret", "a word that must go")
    quiet(laptop, desk)
    old = git("rev-parse", "main", cwd=fleet.remote)
    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["secret"])
    laptop.sync()
    laptop.backend.purge({"secret"})
    git("update-ref", "refs/heads/main", old, cwd=fleet.remote)
    desk.edit("n", title="of desk")
    assert desk.sync().pushed

    quiet(laptop, desk)

    assert laptop.note("n").title == "of desk"
    newcomer = fleet.machine("newcomer")
    newcomer.sync()
    assert "semantic/secret.md" not in newcomer.git("rev-list", "--objects", "--all")
    assert newcomer.files() == laptop.files() == desk.files()


def test_a_history_that_the_host_squashed_is_read_as_before(two: Two) -> None:
    fleet, laptop, desk = two
    squashed = git("commit-tree", "main^{tree}", "-m", "all of it", cwd=fleet.remote)
    git("update-ref", "refs/heads/main", squashed, cwd=fleet.remote)
    desk.edit("n", title="of desk")
    desk.sync()

    in_step(laptop, desk)

    assert laptop.note("n").title == "of desk"


def test_an_emptied_remote_is_filled_again(two: Two) -> None:
    fleet, laptop, desk = two
    git("update-ref", "-d", "refs/heads/main", cwd=fleet.remote)
    desk.write("later", "x")

    assert "empty" in desk.sync().detail
    quiet(laptop, desk)

    assert laptop.body("later") == "x"


def test_a_newer_format_is_told_from_a_broken_one(two: Two) -> None:
    fleet, laptop, _ = two
    tamper(fleet.remote, {"header": b"anamnesis sealed 2\n"})

    result = laptop.sync()

    assert "format that this version cannot read" in result.error
    assert install_command("sealed") in result.hint


def test_the_recovery_key_lets_a_machine_in_when_all_others_are_lost(two: Two) -> None:
    fleet, laptop, desk = two
    laptop.write("kept", "of a lost machine")
    laptop.sync()
    for machine in (laptop, desk):
        shutil.rmtree(machine.home)
    fresh = Machine(fleet.base / "fresh", str(fleet.remote), sealed=True)

    members.recover(sealed(fresh), fleet.recovery.age, fleet.store_code)

    assert not fresh.sync().error
    assert fresh.body("kept") == "of a lost machine"


def test_a_wrong_recovery_key_lets_nobody_in(two: Two) -> None:
    fleet, _, _ = two
    fresh = Machine(fleet.base / "fresh", str(fleet.remote), sealed=True)

    with pytest.raises(members.SealFailed):
        members.recover(sealed(fresh), new_keys(recovery=True).age, fleet.store_code)

    assert fresh.sync().error


@pytest.mark.parametrize(("limit", "value"), [("_MANY_PACKS", 4), ("_MANY_BYTES", 1)])
def test_many_packs_become_one_and_a_machine_far_behind_catches_up(
    two: Two, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    fleet, laptop, desk = two
    monkeypatch.setattr(f"anamnesis.sync.sealed.transport.{limit}", value)
    for number in range(9):
        laptop.write(f"note-{number}", f"text {number}")
        assert laptop.sync().pushed

    packs = [path for path in files_of(fleet.remote) if path.startswith("packs/")]
    assert len(packs) <= 4
    in_step(laptop, desk)
    assert desk.body("note-0") == "text 0"


def test_a_repository_restored_from_a_backup_takes_the_packs_again(two: Two) -> None:
    _, laptop, desk = two
    shutil.copytree(laptop.memory, laptop.home / "backup", symlinks=True)
    desk.write("later", "x")
    quiet(laptop, desk)
    shutil.rmtree(laptop.memory)
    (laptop.home / "backup").rename(laptop.memory)

    in_step(laptop, desk)

    assert laptop.body("later") == "x"


def test_a_lost_depot_is_made_again(two: Two) -> None:
    _, laptop, desk = two
    shutil.rmtree(laptop.memory / ".git" / "anamnesis" / "sealed")
    laptop.edit("n", title="after that")

    in_step(laptop, desk)

    assert desk.note("n").title == "after that"


@pytest.mark.parametrize(
    "trouble",
    [
        'echo "fatal: write error: No space left on device" >&2; exit 128',
        'echo "fatal: sha1 file x.idx write error. Out of diskspace" >&2; exit 128',
        "kill -9 $$",
    ],
    ids=["full", "full while an index is written", "killed"],
)
@pytest.mark.parametrize("step", every(2, ["index-pack", "merge-base", "rev-list"]))
def test_packs_that_cannot_be_read_on_a_full_disk_stay_at_the_remote(
    two: Two, monkeypatch: pytest.MonkeyPatch, step: str, trouble: str
) -> None:
    fleet, laptop, desk = two
    desk.write("later", "sent before that")
    desk.sync()
    sent = git("rev-parse", "main", cwd=fleet.remote)
    laptop.write("own", "x")
    with monkeypatch.context() as broken:
        broken.setenv("PATH", git_that(fleet.base, trouble, at=step))
        with pytest.raises(SyncFailed):
            laptop.sync()

    assert git("rev-parse", "main", cwd=fleet.remote) == sent
    in_step(laptop, desk)
    assert laptop.body("later") == "sent before that"


@pytest.mark.parametrize("step", ["index-pack", "rev-list", "merge-base"])
def test_a_pack_that_git_could_not_look_at_once_is_not_called_invalid(
    two: Two, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whatever git says: not every message of a full disk names the reason."""
    fleet, laptop, desk = two
    desk.write("later", "sent before that")
    desk.sync()
    once = fleet.base / "once"
    with monkeypatch.context() as shaky:
        failing = f"mkdir {once} 2>&- && exit 128"
        shaky.setenv("PATH", git_that(fleet.base, failing, at=step))
        result = laptop.sync()

    assert once.exists()
    assert "ignored" not in result.detail
    assert laptop.body("later") == "sent before that"


def test_a_sealed_pack_that_the_disk_lost_is_fetched_again(two: Two) -> None:
    fleet, laptop, desk = two
    desk.write("later", "sent before that")
    desk.sync()
    sent = git("rev-parse", "main", cwd=fleet.remote)
    depot = sealed(laptop).depot
    depot.fetch()
    for pack in Path(depot.git_dir).glob("objects/**/*"):
        if pack.is_file():
            pack.unlink()

    laptop.sync()

    assert laptop.body("later") == "sent before that"
    assert git("merge-base", "--is-ancestor", sent, "main", cwd=fleet.remote) == ""


def test_a_purged_text_is_in_no_pack_of_the_new_generation(two: Two) -> None:
    fleet, laptop, desk = two
    laptop.write("secret", "a word that must go")
    quiet(laptop, desk)
    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["secret"])
    quiet(laptop, desk)

    purged = laptop.backend.purge({"secret"})

    assert purged.texts == 1
    quiet(laptop, desk)
    newcomer = fleet.machine("newcomer")
    newcomer.sync()
    found = newcomer.git("rev-list", "--objects", "--all")
    assert "semantic/secret.md" not in found
    assert newcomer.files() == laptop.files()


def test_a_purged_text_is_in_no_pack_that_a_machine_keeps(two: Two) -> None:
    fleet, laptop, desk = two
    laptop.write("secret", "a word that must go")
    quiet(laptop, desk)
    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["secret"])
    quiet(laptop, desk)

    laptop.backend.purge({"secret"})
    quiet(laptop, desk)

    at_the_remote = set(files_of(fleet.remote).values())
    for machine in (laptop, desk):
        depot = Path(sealed(machine).depot.directory)
        listed = git("cat-file", "--batch-check", "--batch-all-objects", cwd=depot)
        rows = [line.split() for line in listed.splitlines()]
        kept = {_blob(depot, oid) for oid, kind, _ in rows if kind == "blob"}
        assert {data for data in kept if b"age-encryption" in data} <= at_the_remote


def test_the_sealed_commits_of_a_machine_are_packed_in_the_background(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, laptop, _ = two
    monkeypatch.setattr("anamnesis.sync.git._MANY_LOOSE", 1)
    monkeypatch.setattr("anamnesis.sync.git._PACKING", {"gc.auto": "1"})
    packs = Path(sealed(laptop).depot.git_dir) / "objects" / "pack"
    for number in range(100):
        laptop.write(f"note-{number}", "x")
        laptop.sync()
        if list(packs.glob("*.pack")):
            break
        time.sleep(0.1)

    assert list(packs.glob("*.pack"))


class Person:
    """Somebody at the terminals of several machines."""

    def __init__(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._base, self._patch = base, monkeypatch

    def at(self, machine: str, *words: str) -> int:
        home = self._base / machine
        home.mkdir(exist_ok=True)
        self._patch.setenv("HOME", str(home))
        self._patch.setenv("ANAMNESIS_HOME", str(home / ".anamnesis"))
        self._patch.setenv("ANAMNESIS_MACHINE_ID", machine)
        return main(words)


JOIN = ("--yes", "--no-mcp", "--no-hooks", "--agents", "claude")


def test_a_person_seals_joins_approves_and_revokes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person, url = Person(tmp_path, monkeypatch), str(tmp_path / "remote.git")
    person.at("laptop", "remote", "--create", url)
    person.at("laptop", "write", "--title", "First", "hello")
    capsys.readouterr()

    assert person.at("laptop", "remote", "seal", "--yes") == 0
    printed = dict(line.split(":", 1) for line in capsys.readouterr().out.splitlines())
    assert person.at("desk", "join", url, *JOIN) == 4
    asked = capsys.readouterr().out.split()
    assert person.at("laptop", *asked[1:]) == 0
    answer = capsys.readouterr().out.split()
    assert person.at("desk", "join", url, "--code", "AAAA-AAAA-AAAA-AAAA", *JOIN) == 4
    assert person.at("desk", "join", url, *answer[3:], *JOIN) == 0
    capsys.readouterr()
    person.at("desk", "list")
    assert "First" in capsys.readouterr().out

    assert person.at("laptop", "sync") == 0
    assert person.at("laptop", "machines", "revoke", asked[-1][:9], "--yes") == 0
    assert person.at("desk", "sync") == 1
    assert "To come back" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", StringIO(printed["recovery key"]))
    recovery = ("--recovery", "--code", printed["store code"].strip())
    assert person.at("third", "join", url, *recovery, *JOIN) == 0
    capsys.readouterr()
    assert person.at("third", "machines", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["sealed"]
    assert len(listed["members"]) == 3


def test_a_store_without_notes_can_be_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person, url = Person(tmp_path, monkeypatch), str(tmp_path / "remote.git")
    person.at("laptop", "remote", "--create", url)

    assert person.at("laptop", "remote", "seal", "--yes") == 0

    capsys.readouterr()
    person.at("desk", "join", url, *JOIN)
    assert person.at("laptop", *capsys.readouterr().out.split()[1:]) == 0
    answer = capsys.readouterr().out.split()
    assert person.at("desk", "join", url, *answer[3:], *JOIN) == 0
    person.at("laptop", "write", "--title", "First", "hello")
    assert person.at("laptop", "sync") == 0
    assert person.at("desk", "sync") == 0
    capsys.readouterr()
    person.at("desk", "list")
    assert "First" in capsys.readouterr().out


def test_sealing_names_the_missing_extra_before_it_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person, url = Person(tmp_path, monkeypatch), str(tmp_path / "remote.git")
    person.at("laptop", "remote", "--create", url)
    monkeypatch.setitem(sys.modules, "pyrage", None)
    capsys.readouterr()

    assert person.at("laptop", "remote", "seal") == 1

    told = capsys.readouterr().err
    assert told.startswith("remote: A sealed remote needs the extra [sealed]")
    assert install_command("sealed") in told


def test_a_machine_without_the_extra_is_told_and_keeps_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person, url = Person(tmp_path, monkeypatch), str(tmp_path / "remote.git")
    person.at("laptop", "remote", "--create", url)
    person.at("laptop", "write", "--title", "First", "hello")
    person.at("laptop", "remote", "seal", "--yes")
    monkeypatch.setitem(sys.modules, "pyrage", None)
    capsys.readouterr()

    assert person.at("laptop", "sync") != 0
    assert install_command("sealed") in capsys.readouterr().err
    assert person.at("laptop", "write", "--title", "Second", "still works") == 0
    assert person.at("laptop", "search", "hello") == 0
    assert person.at("laptop", "status") == 0
    assert "needs the extra [sealed]" in capsys.readouterr().out
    beat = {"machine": "desk", "name": "desk", "version": "1", "install": "x", "seen": CREATED,
            "last_capture": "", "last_sync": "", "pending": 0, "last_error": ""}  # fmt: skip
    folder = tmp_path / "laptop" / ".anamnesis" / "memory" / ".machines"
    folder.mkdir(exist_ok=True)
    (folder / "desk.json").write_text(json.dumps(beat))
    assert person.at("laptop", "machines") == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("desk")
    assert install_command("sealed") in printed.err


def test_doctor_and_status_know_a_sealed_remote_and_what_is_wrong_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person, url = Person(tmp_path, monkeypatch), str(tmp_path / "remote.git")
    person.at("laptop", "remote", "--create", url)
    person.at("laptop", "write", "--title", "First", "hello")
    person.at("laptop", "remote", "seal", "--yes")
    capsys.readouterr()

    def found() -> str:
        person.at("laptop", "doctor", "--json")
        [row] = [each for each in json.loads(capsys.readouterr().out) if each["name"] == "sealed"]
        return f"{row['severity']}: {row['sentence']}"

    person.at("laptop", "status")
    assert f"{url} (sealed)" in capsys.readouterr().out
    assert found() == "ok: 2 keys read the remote; its host sees only ciphertext"
    keys = tmp_path / "laptop" / ".anamnesis" / "keys"
    (keys / "store.json").rename(keys / "aside")
    assert found() == "failed: the remote is sealed, and this machine is not a member"
    (keys / "store.json").write_text("{")
    assert "is damaged" in found()


def test_a_sealed_machine_sends_nothing_in_clear_to_a_plain_remote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person, url = Person(tmp_path, monkeypatch), str(tmp_path / "remote.git")
    person.at("laptop", "remote", "--create", url)
    person.at("laptop", "write", "--title", "First", "hello")
    person.at("laptop", "remote", "seal", "--yes")
    plain = tmp_path / "plain.git"
    git("init", "--quiet", "--bare", str(plain), cwd=tmp_path)

    assert person.at("laptop", "join", str(plain), *JOIN) == 2
    assert "sealed" in capsys.readouterr().err
    person.at("laptop", "remote", "set", str(plain), "--yes")
    person.at("laptop", "sync")

    assert b"hello" not in everything_in(plain)
