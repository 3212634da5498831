"""A remote may contain anything: nothing of it runs, and nothing lands outside of memory/."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from anamnesis.history import log
from support.fleet import Fleet, Machine, git
from support.notes import hand_written

NOTE = hand_written("n1").encode()


class Attacker:
    """Writes raw git objects where no check of git's is in the way, and publishes them.

    At a sealed remote only a member can: one that is broken into, or runs another program.
    """

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.bare = fleet.readable()

    def store(self, kind: str, data: bytes) -> bytes:
        finished = subprocess.run(
            ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"],
            cwd=self.bare, input=data, capture_output=True, check=True,
        )  # fmt: skip
        return finished.stdout.strip()

    def tree(self, *entries: tuple[bytes, bytes, bytes]) -> bytes:
        rows = [
            mode + b" " + name + b"\0" + bytes.fromhex(oid.decode()) for mode, name, oid in entries
        ]
        return self.store("tree", b"".join(rows))

    def publish(self, tree: bytes) -> None:
        parent = git("rev-parse", "main", cwd=self.bare)
        commit = self.store(
            "commit",
            b"tree " + tree + b"\nparent " + parent.encode() + b"\n"
            b"author a <a@evil> 1 +0000\ncommitter a <a@evil> 1 +0000\n\nhello\n",
        )  # fmt: skip
        self.fleet.publish(commit.decode())


@pytest.fixture
def desk(fleet: Fleet) -> Machine:
    desk = fleet.machine("desk")
    desk.write("own", "mine")
    desk.sync()
    return desk


@pytest.fixture
def attacker(fleet: Fleet, desk: Machine) -> Attacker:
    return Attacker(fleet)


def everything_below(base: Path) -> set[str]:
    return {
        str(path.relative_to(base))
        for path in base.rglob("*")
        if not {".git", "remote.git", "readable.git", "locks"} & set(path.parts)
    }


UNSAFE_NAMES: Sequence[bytes] = [
    b"..", b"...md", b"../evil.md", b"a\nb.md", b"a\\..\\b.md", b"-rf.md", b".hidden.md", b"c:x.md",
    b"tab\there.md", b"\xff\xfe.md", b"end .md ", b"x.md.", b"nul\x01.md",
]  # fmt: skip


@pytest.mark.parametrize("name", UNSAFE_NAMES)
def test_a_file_name_that_leads_elsewhere_is_not_written(
    fleet: Fleet, desk: Machine, attacker: Attacker, name: bytes
) -> None:
    blob = attacker.store("blob", NOTE)
    folder = attacker.tree((b"100644", b"fine.md", blob), (b"100644", name, blob))
    before = everything_below(fleet.base)
    attacker.publish(attacker.tree((b"40000", b"semantic", folder)))

    result = desk.sync()

    assert not result.error
    assert everything_below(fleet.base) - before == {"desk/memory/semantic/fine.md"}


def test_names_that_are_not_written_are_told(desk: Machine, attacker: Attacker) -> None:
    blob = attacker.store("blob", NOTE)
    names = (b'quo"ted.md', b"tab\there.md", b"clear\x1b[2J.md", b"\xff\xfe.md")
    folder = attacker.tree(*((b"100644", name, blob) for name in names))
    attacker.publish(attacker.tree((b"40000", b"semantic", folder)))
    desk.sync()

    told = desk.sync().held_back

    reason = "it is at the remote, not here: its name is not valid on every system; rename it"
    shown = ('quo"ted.md', "tab\\there.md", "clear\\x1b[2J.md", "\ufffd\ufffd.md")
    assert sorted(told) == sorted(f"semantic/{name}: {reason}" for name in shown)
    assert desk.backend.state().held_back == told


def test_a_tree_as_an_old_program_wrote_it_is_read(desk: Machine, attacker: Attacker) -> None:
    """Git's strict checks refuse a mode with a leading zero; histories have them all the same."""
    folder = attacker.tree((b"100644", b"fine.md", attacker.store("blob", NOTE)))
    attacker.publish(attacker.tree((b"040000", b"semantic", folder)))

    result = desk.sync()

    assert result.detail == "synced"
    assert desk.path("fine").read_bytes() == NOTE


@pytest.mark.parametrize("folder", [b"..", b".git", b".GIT", b"GIT~1", b".hidden", b"a\nb"])
def test_a_folder_that_leads_elsewhere_is_not_written(
    fleet: Fleet, desk: Machine, attacker: Attacker, folder: bytes
) -> None:
    blob = attacker.store("blob", NOTE)
    inner = attacker.tree((b"100755", b"config", blob), (b"100755", b"x.md", blob))
    config = (desk.memory / ".git" / "config").read_bytes()
    attacker.publish(attacker.tree((b"40000", folder, inner)))

    desk.sync()
    desk.sync()

    assert (desk.memory / ".git" / "config").read_bytes() == config
    written = {name for name in everything_below(fleet.base) if "x.md" in name}
    assert written <= {"desk/memory/GIT~1/x.md"}  # an ordinary name on this system


def test_links_and_submodules_are_not_made(
    fleet: Fleet, desk: Machine, attacker: Attacker, tmp_path: Path
) -> None:
    target = attacker.store("blob", str(tmp_path / "outside").encode())
    blob = attacker.store("blob", NOTE)
    modules = attacker.store(
        "blob", b'[submodule "x"]\n path = x\n url = ext::sh -c "touch evil"\n'
    )
    head = git("rev-parse", "main", cwd=attacker.bare).encode()
    folder = attacker.tree((b"120000", b"link.md", target), (b"160000", b"module.md", head))
    attacker.publish(
        attacker.tree(
            (b"100644", b".gitmodules", modules),
            (b"120000", b"procedural", target),
            (b"40000", b"semantic", folder),
            (b"100644", b"plain.md", blob),
        )
    )

    result = desk.sync()
    desk.write("after", "still works")
    again = desk.sync()

    assert not result.error
    assert again.pushed
    assert not (tmp_path / "outside").exists()
    assert not any(path.is_symlink() for path in desk.memory.rglob("*"))
    assert (desk.memory / "plain.md").exists()
    assert not (desk.memory / ".gitmodules").exists()


def test_what_we_do_not_write_is_not_deleted_either(
    fleet: Fleet, desk: Machine, attacker: Attacker
) -> None:
    blob = attacker.store("blob", NOTE)
    folder = attacker.tree((b"100644", b"README.txt", blob), (b"120000", b"link.md", blob))
    attacker.publish(attacker.tree((b"100644", b"Makefile", blob), (b"40000", b"semantic", folder)))
    desk.sync()
    desk.write("new", "x")

    result = desk.sync()

    assert result.held_back == ("semantic/link.md: at the remote it is not a regular file",)
    assert "semantic/link.md" in " ".join(desk.backend.state().held_back)
    names = git("ls-tree", "-r", "--name-only", "main", cwd=fleet.readable()).splitlines()
    assert {"Makefile", "semantic/README.txt", "semantic/link.md", "semantic/new.md"} <= set(names)


def test_attributes_and_filters_do_not_run(
    fleet: Fleet, desk: Machine, attacker: Attacker, home: Path, tmp_path: Path
) -> None:
    (home / ".gitconfig").write_text(
        f'[filter "lfs"]\n clean = touch {tmp_path}/ran; cat\n smudge = touch {tmp_path}/ran; cat\n'
        f" process = touch {tmp_path}/ran\n required = true\n"
        f'[diff "lfs"]\n textconv = touch {tmp_path}/ran\n command = touch {tmp_path}/ran\n'
        f'[merge "lfs"]\n driver = touch {tmp_path}/ran\n'
    )  # fmt: skip
    attributes = attacker.store("blob", b"* filter=lfs diff=lfs merge=lfs text eol=crlf ident\n")
    blob = attacker.store("blob", NOTE + b"$Id$\n")
    folder = attacker.tree((b"100644", b"n1.md", blob))
    attacker.publish(
        attacker.tree((b"100644", b".gitattributes", attributes), (b"40000", b"semantic", folder))
    )
    desk.sync()
    desk.edit("n1", body="edited here")
    desk.write("n2", "new\n$Id$")

    result = desk.sync()

    assert result.pushed
    assert not (tmp_path / "ran").exists()
    assert b"edited here" in fleet.published()["semantic/n1.md"]
    assert b"\r" not in fleet.published()["semantic/n2.md"]


def test_hooks_in_the_working_tree_do_not_run(desk: Machine, tmp_path: Path) -> None:
    hooks = desk.memory / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-checkout", "post-merge", "pre-push", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (hooks / name).chmod(0o755)
    desk.write("n", "x")

    assert desk.sync().pushed
    assert not (tmp_path / "ran").exists()


def test_a_huge_file_is_not_written_and_not_deleted(
    fleet: Fleet, desk: Machine, attacker: Attacker
) -> None:
    huge = attacker.store("blob", NOTE + b"x" * 3_000_000)
    folder = attacker.tree((b"100644", b"huge.md", huge))
    attacker.publish(attacker.tree((b"40000", b"semantic", folder)))

    result = desk.sync()
    desk.write("n", "x")
    desk.sync()

    assert any("huge.md: it is larger than 1 MiB" in line for line in result.held_back)
    assert not (desk.memory / "semantic" / "huge.md").exists()
    assert "semantic/huge.md" in fleet.published()


def test_a_folder_that_is_a_link_here_is_not_written_through(
    fleet: Fleet, desk: Machine, tmp_path: Path
) -> None:
    laptop = fleet.machine("laptop")
    laptop.write("p", "x", type="procedural")
    laptop.sync()
    outside = tmp_path / "outside"
    outside.mkdir()
    (desk.memory / "procedural").symlink_to(outside)

    result = desk.sync()

    assert list(outside.iterdir()) == []
    assert any("symbolic link" in line for line in result.held_back)
    assert "procedural/p.md" in fleet.published()


@pytest.mark.parametrize("name", ["desk", "a machine without notes yet"])
def test_names_that_differ_only_in_case_do_not_overwrite_each_other(
    fleet: Fleet, attacker: Attacker, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """As on a file system that ignores case; this one does not, so it is told to."""
    monkeypatch.setattr("anamnesis.sync.worktree.WorkTree._ignores_case", lambda _: True)
    upper, lower = attacker.store("blob", NOTE), attacker.store("blob", NOTE + b"other\n")
    folder = attacker.tree((b"100644", b"Same.md", upper), (b"100644", b"same.md", lower))
    own = git("rev-parse", "main:semantic/own.md", cwd=attacker.bare).encode()
    attacker.publish(
        attacker.tree(
            (b"40000", b"procedural", folder),
            (b"40000", b"semantic", attacker.tree((b"100644", b"own.md", own))),
        )
    )

    machine = fleet.machine(name)
    result = machine.sync()
    machine.sync()

    assert any("upper and lower case" in line for line in result.held_back)
    assert len(list((machine.memory / "procedural").iterdir())) == 1
    assert {"procedural/Same.md", "procedural/same.md"} <= set(fleet.published())


def test_a_bad_file_of_ours_reaches_nobody(fleet: Fleet, desk: Machine) -> None:
    folder = desk.memory / "semantic"
    bad = {
        "nofront.md": b"just text\n",
        "yaml.md": b"---\nid: [\n---\nx\n",
        "binary.md": b"---\nid: a\ntype: semantic\n---\n\xff\xfe\n",
        "empty.md": b"",
        "markers.md": NOTE + b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n",
        "escape.md": hand_written("x", type="../../evil").encode(),
        "huge.md": NOTE + b"x" * 1_100_000,
    }
    for name, data in bad.items():
        (folder / name).write_bytes(data)
    (folder / ".tmp-1-abc").write_bytes(NOTE)
    (folder / "notes.txt").write_bytes(NOTE)
    os.symlink("/etc/passwd", folder / "link.md")
    desk.write("good", "x")

    result = desk.sync()

    assert set(fleet.published()) == {"semantic/own.md", "semantic/good.md"}
    told = "\n".join(result.held_back)
    assert all(name in told for name in [*bad, "link.md"])


def test_a_note_that_broke_keeps_its_last_good_version_elsewhere(
    fleet: Fleet, desk: Machine
) -> None:
    desk.path("own").write_bytes(b"half a fi")

    result = desk.sync()

    assert len(result.held_back) == 1
    assert b"mine" in fleet.published()["semantic/own.md"]


def test_a_commit_may_say_anything(fleet: Fleet, desk: Machine) -> None:
    laptop = fleet.machine("laptop")
    laptop.sync()
    desk.edit("own", body="by hand")
    desk.git("commit", "-qam", "odd \x01 \x02 \x03 \x1e subject")
    laptop.write("other", "so that the odd commit is replayed")
    laptop.sync()

    result = desk.sync()
    laptop.sync()

    assert not result.error
    assert laptop.body("own") == "by hand"
    assert any("subject" in version.message for version in log.log(str(desk.memory)))


def test_a_check_can_keep_a_file_here(fleet: Fleet) -> None:
    from anamnesis.sync import GitSyncBackend

    desk = fleet.machine("desk")
    desk.write("secret", "the key is sk-12345")
    desk.write("plain", "nothing")
    backend = GitSyncBackend(
        desk.memory, remote=desk.remote, machine_id="desk", sealed=desk.sealed,
        check=lambda _, data: "it holds a secret" if b"sk-" in data else "",
    )  # fmt: skip

    result = backend.sync()

    assert result.held_back == ("semantic/secret.md: it holds a secret",)
    assert set(fleet.published()) == {"semantic/plain.md"}


def test_what_stays_here_never_leaves(fleet: Fleet, desk: Machine) -> None:
    """Proved on every object that was sent, before, while and after a note is local."""
    laptop = fleet.machine("laptop")
    (desk.home / "index.db").write_bytes(b"SQLite format 3\0 index-text")
    (desk.home / "config.json").write_text('{"remote": "config-text"}')
    desk.write("own", "local-from-the-start", id="l1", scope="machine-local")
    desk.sync()
    local = desk.path("own", tree="local")
    local.parent.mkdir(parents=True, exist_ok=True)
    os.replace(desk.path("own"), local)
    desk.sync()
    local.write_text(local.read_text().replace("mine", "text-while-local"))
    desk.sync()
    laptop.sync()
    assert not laptop.path("own").exists()
    assert local.exists()

    local.write_text(local.read_text().replace("text-while-local", "portable-again"))
    os.replace(local, desk.path("own"))
    desk.sync()
    laptop.sync()

    assert laptop.body("own") == "portable-again"
    objects = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"],
        cwd=fleet.readable(), capture_output=True, check=True,
    ).stdout  # fmt: skip
    assert b"portable-again" in objects
    for text in (b"text-while-local", b"local-from-the-start", b"SQLite", b"config-text"):
        assert text not in objects


def test_an_edit_elsewhere_does_not_overwrite_a_note_kept_here(fleet: Fleet, desk: Machine) -> None:
    laptop = fleet.machine("laptop")
    laptop.sync()
    local = desk.path("own", tree="local")
    local.parent.mkdir(parents=True, exist_ok=True)
    os.replace(desk.path("own"), local)
    laptop.edit("own", body="edited on laptop")
    laptop.sync()

    result = desk.sync()

    assert any("keeps its own version" in line for line in result.held_back)
    assert not desk.path("own").exists()
    assert laptop.sync().changed == ()
    assert laptop.body("own") == "edited on laptop"


@pytest.mark.parametrize("place", ["semantic/my own name.md", "mine/deeper/own.md", "own.md"])
def test_a_note_kept_here_under_a_name_of_yours_gets_no_second_file(
    fleet: Fleet, desk: Machine, place: str
) -> None:
    laptop = fleet.machine("laptop")
    laptop.sync()
    local = desk.home / "local" / place
    local.parent.mkdir(parents=True, exist_ok=True)
    os.replace(desk.path("own"), local)
    laptop.edit("own", body="edited on laptop")
    laptop.sync()

    result = desk.sync()

    assert any("keeps its own version" in line for line in result.held_back)
    assert not desk.path("own").exists()
    assert "edited on laptop" not in local.read_text()
    assert laptop.body("own") == "edited on laptop"


def test_a_note_that_is_synced_again_is_merged_with_what_was_edited_meanwhile(
    fleet: Fleet, desk: Machine
) -> None:
    desk.edit("own", body="one\n\ntwo\n\nthree")
    desk.sync()
    laptop = fleet.machine("laptop")
    laptop.sync()
    local = desk.path("own", tree="local")
    local.parent.mkdir(parents=True, exist_ok=True)
    os.replace(desk.path("own"), local)
    desk.sync()
    laptop.edit("own", body="one\n\ntwo\n\nthree of laptop")
    laptop.sync()
    desk.sync()
    os.replace(local, desk.path("own"))
    desk.edit("own", body="one of desk\n\ntwo\n\nthree")

    result = desk.sync()

    assert not result.conflicted
    laptop.sync()
    assert desk.body("own") == laptop.body("own") == "one of desk\n\ntwo\n\nthree of laptop"
