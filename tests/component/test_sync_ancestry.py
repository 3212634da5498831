"""Who had read what: parents of commits say it, however often the same words came and went."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from anamnesis.ground.records import replace
from anamnesis.history import lineage, log
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from support.fleet import FIVE, Fleet, Machine, git, in_step, quiet

TEXT = "# Plan\n\nstatus: open\n\n- one\n- two\n- three\n\nThe last paragraph."
# What one machine does and undoes, and what another does once.
SHAPES = {
    "a word": ("body", TEXT.replace("open", "done")),
    "a line added": ("body", TEXT.replace("- two\n", "- two\n- two and a half\n")),
    "a line removed": ("body", TEXT.replace("- two\n", "")),
    "a paragraph added": ("body", f"{TEXT}\n\nOne more paragraph."),
    "the title": ("title", "Another title"),
    "a tag": ("tags", ["urgent"]),
}


def by_hand(machine: Machine, **fields: object) -> None:
    machine.edit("n", **fields)


def by_program(machine: Machine, **fields: object) -> None:
    with MemoryStore(machine.home) as store:
        store.refresh()
        read = store.require("n")
        store.update(replace(read.note, **fields), expected_hash=read.hash)


@pytest.mark.parametrize("change", [by_hand, by_program])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_edit_that_another_machine_made_and_undid_is_still_made(
    fleet: Fleet, shape: str, change: object
) -> None:
    assert callable(change)
    here, there = fleet.machine("here"), fleet.machine("there")
    here.write("n", TEXT)
    here.write("anchor", "stays")
    in_step(here, there)
    name, value = SHAPES[shape]
    before = getattr(here.note("n"), name)
    change(here, **{name: value})
    here.sync()
    change(here, **{name: before})
    here.sync()
    last = here.note("n").body.replace("The last", "The very last")
    change(here, body=last)
    here.sync()
    change(there, **{name: value})

    assert there.sync().done
    quiet(here, there)

    for machine in (here, there):
        note = machine.note("n")
        assert "The very last" in note.body
        if name == "body":
            assert note.body == str(value).replace("The last", "The very last")
        else:
            assert getattr(note, name) == value


def test_commits_of_this_machine_keep_their_ids(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    desk.edit("n", body=FIVE.replace("five", "FIVE"))
    desk.backend.commit()
    own = desk.git("rev-parse", "main")
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()

    desk.sync()

    first, second = desk.git("rev-list", "--parents", "-1", "main").split()[1:]
    assert second == own
    assert first == laptop.git("rev-parse", "main")


def test_two_copies_of_one_disk_agree_without_a_question(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    """Both join the same commit with the same state of the remote: two bases, one text."""
    laptop, desk = pair
    desk.edit("n", body=FIVE.replace("five", "FIVE of desk"))
    desk.backend.commit()
    laptop.edit("n", body=FIVE.replace("one", "ONE of laptop"))
    laptop.sync()
    shutil.copytree(desk.home, fleet.base / "copy", symlinks=True)
    if (fleet.base / "copy" / "keys").exists():
        pytest.skip("a copied disk has copied keys")
    copy = fleet.machine("copy")
    hook = fleet.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    copy.sync()  # joins both, but cannot send it
    hook.unlink()
    desk.sync()
    copy.edit("n", body=(copy.body("n") or "").replace("three", "THREE of copy"))
    assert len(copy.git("rev-list", "--merges", "main").split()) == 1

    assert copy.sync().done
    in_step(laptop, copy)

    assert laptop.body("n") == "ONE of laptop\ntwo\nTHREE of copy\nfour\nFIVE of desk"


def test_history_has_every_version_of_both_lines_and_the_merged_text_once(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()
    laptop.edit("n", body=FIVE.replace("one", "EINS"))
    laptop.sync()
    for number in ("four", "FOUR", "VIER"):
        desk.edit("n", body=FIVE.replace("four", number).replace("five", "FIVE"))
        desk.backend.commit()

    in_step(laptop, desk)

    memory = str(desk.memory)
    texts = lineage.texts_in(memory, lineage.versions(memory, "n"))
    bodies = [text.partition("\n---\n")[2].strip() for text in texts]
    assert bodies[0] == "EINS\ntwo\nthree\nVIER\nFIVE"
    assert len(bodies) == len(set(bodies)) == 7
    listed = log.with_files(memory, log.log(memory, limit=50))
    blobs = [blob for each in listed for file, blob in zip(each.files, each.blobs, strict=True)
             if file.endswith("semantic/n.md")]  # fmt: skip
    assert len(blobs) == len(set(blobs)) == 7


def test_pages_of_the_log_leave_nothing_out(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    for number in range(6):
        desk.write(f"of-desk-{number}", "x")
        desk.backend.commit()
        laptop.write(f"of-laptop-{number}", "x")
        laptop.sync()
    in_step(laptop, desk)
    memory = str(desk.memory)

    seen, start = [], ""
    while True:
        page = log.log(memory, limit=4, start=start)
        seen += [version.commit for version in page[:3]]
        if len(page) < 4:
            break
        start = page[3].commit

    assert len(seen) == len(set(seen))
    assert set(seen) == set(desk.git("rev-list", "--no-merges", "main").split())


def test_a_removed_note_of_either_line_is_listed(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    laptop.write("of-laptop", "x")
    laptop.sync()
    desk.write("of-desk", "x")
    desk.sync()
    desk.delete("of-desk")
    desk.backend.commit()
    laptop.sync()
    laptop.delete("of-laptop")
    in_step(laptop, desk)

    found, rest = log.removals(str(desk.memory), among=3)
    while rest:
        more, rest = log.removals(str(desk.memory), start=rest, among=3)
        found += more

    assert {file for version in found for file in version.files} >= {
        "D semantic/of-laptop.md", "D semantic/of-desk.md",
    }  # fmt: skip


def test_a_note_deleted_here_and_changed_there_is_kept_and_named(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()
    desk.delete("n")

    result = desk.sync()

    assert "deleted on one machine, changed on another and kept: semantic/n.md" in result.detail
    assert result.conflicts == ("n",)
    quiet(laptop, desk)
    assert desk.body("n") == laptop.body("n") == FIVE.replace("one", "ONE")


def test_a_forgotten_note_stays_forgotten_whoever_changed_it(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    stone = laptop.memory / ".tombstones" / "n.json"
    stone.parent.mkdir()
    stone.write_text("{}")
    laptop.delete("n")
    laptop.sync()
    desk.edit("n", body=FIVE.replace("one", "ONE"))

    desk.sync()

    assert desk.body("n") is None
    assert "semantic/n.md" not in laptop.files()


def test_a_note_that_two_machines_renamed_has_one_file(
    pair: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = pair
    for machine, name, old in ((laptop, "by laptop", "one"), (desk, "by desk", "five")):
        machine.edit("n", body=FIVE.replace(old, old.upper()))
        machine.path("n").rename(machine.path(name))
    laptop.sync()

    assert desk.sync().done
    in_step(laptop, desk)

    assert set(desk.files()) == {"semantic/anchor.md", "semantic/by desk.md"}
    assert desk.body("by desk") == FIVE.replace("one", "ONE").replace("five", "FIVE")


def test_a_race_that_was_lost_leaves_one_merge(
    pair: tuple[Machine, Machine], fleet: Fleet, tmp_path: Path
) -> None:
    """What was joined for a push that came too late is joined again, not kept."""
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()
    desk.edit("n", body=FIVE.replace("five", "FIVE"))
    news = iter(range(3))
    before = len(desk.git("rev-list", "--merges", "main").split())

    from anamnesis.sync import remote

    pushed = remote.push

    def late(*args: object, **named: object) -> remote.Pushed:
        if (number := next(news, None)) is not None:
            with pytest.MonkeyPatch.context() as first:
                first.setattr(remote, "push", pushed)
                laptop.write(f"meanwhile-{number}", "x")
                assert laptop.sync().pushed
        return pushed(*args, **named)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as racing:
        racing.setattr(remote, "push", late)
        assert desk.sync().pushed

    assert len(desk.git("rev-list", "--merges", "main").split()) == before + 1
    assert desk.body("n") == FIVE.replace("one", "ONE").replace("five", "FIVE")
    assert git("rev-parse", "main", cwd=fleet.readable()) == desk.git("rev-parse", "main")


def test_a_machine_without_history_fetches_no_past_of_a_line_that_was_joined(
    tmp_path: Path,
) -> None:
    fleet = Fleet(tmp_path)
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("n", FIVE)
    for number in range(20):
        laptop.write("often", f"version {number}")
        laptop.sync()
    desk.sync()
    desk.write("of-desk", "offline since")
    desk.backend.commit()
    for number in range(20, 30):
        laptop.write("often", f"version {number}")
        laptop.sync()
    box = Machine(tmp_path / "box", str(fleet.remote))

    def sync() -> None:
        backend = GitSyncBackend(box.memory, remote=box.remote, machine_id="box", ephemeral=True)
        assert backend.sync().done

    sync()
    desk.sync()
    box.write("of-box", "x")
    sync()

    assert int(box.git("rev-list", "--count", "main")) < 20
    in_step(laptop, desk)
    assert laptop.body("of-box") == "x"
    assert box.body("of-desk") == "offline since"
