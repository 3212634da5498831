"""One note edited on several machines: only the words in dispute wait for a choice."""

from __future__ import annotations

import shutil

import pytest

from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.hooks.payload import Payload
from anamnesis.operations.curate import forget
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.travel import conflicts
from anamnesis.store import MemoryStore
from support.fleet import FIVE, Fleet, Machine, git, in_step, quiet

TEXT = "intro\n\nthe port is 1\n\n- a\n- b\n\nend"


def edit(machine: Machine, old: str, new: str) -> None:
    """Replace words of the note as an editor would."""
    body = machine.body("n")
    assert body is not None
    assert old in body, body
    machine.edit("n", body=body.replace(old, new))


@pytest.fixture
def clashing(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    """Two machines; laptop's port was first at the remote, desk's is held on desk."""
    laptop, desk = pair
    laptop.edit("n", body=TEXT)
    in_step(laptop, desk)
    edit(laptop, "port is 1", "port is 2")
    edit(desk, "port is 1", "port is 3")
    laptop.sync()
    assert desk.sync().conflicted
    return laptop, desk


def test_additions_stand_in_the_order_of_their_time(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    body = laptop.body("n")
    laptop.edit("n", body=f"{body}\nlater", updated_at="2026-02-02T00:00:00+00:00")
    desk.edit("n", body=f"{body}\nearlier", updated_at="2026-02-01T00:00:00+00:00")

    in_step(laptop, desk)

    assert laptop.body("n") == f"{body}\nearlier\nlater"


def test_the_remote_keeps_the_part_that_arrived_first(
    clashing: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = clashing

    quiet(laptop, desk)

    assert "port is 2" in (laptop.body("n") or "")
    assert "port is 3" in (desk.body("n") or "")
    assert b"port is 2" in fleet.published()["semantic/n.md"]


def test_edits_around_a_held_part_travel_both_ways(clashing: tuple[Machine, Machine]) -> None:
    laptop, desk = clashing
    edit(desk, "- b", "- b\n- by desk")
    edit(laptop, "intro", "intro by laptop")
    edit(laptop, "- b", "- b\n- by laptop")

    quiet(laptop, desk)

    for machine, port in ((laptop, 2), (desk, 3)):
        body = machine.body("n") or ""
        assert f"port is {port}" in body
        assert {"intro by laptop", "- by desk", "- by laptop"} <= set(body.split("\n"))
    assert desk.sync().conflicted
    assert not laptop.sync().conflicted


def test_what_was_merged_around_a_held_part_can_be_changed_and_undone(
    clashing: tuple[Machine, Machine],
) -> None:
    laptop, desk = clashing
    for old, new in (("intro", "INTRO"), ("INTRO", "intro"), ("intro", "Intro")):
        edit(laptop, old, new)
        quiet(laptop, desk)
        assert (desk.body("n") or "").startswith(new)
    edit(desk, "end", "END")
    quiet(laptop, desk)
    edit(laptop, "END", "end")
    quiet(laptop, desk)

    assert (desk.body("n") or "").endswith("\nend")
    assert list(desk.held()) == ["semantic/n.md"]


def test_a_held_title_does_not_hold_the_text(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    laptop.edit("n", title="of laptop")
    desk.edit("n", title="of desk")
    laptop.sync()
    desk.sync()
    desk.edit("n", body="new text of desk", tags=["t"])

    quiet(laptop, desk)

    assert (laptop.note("n").title, desk.note("n").title) == ("of laptop", "of desk")
    assert laptop.body("n") == "new text of desk"
    assert laptop.note("n").tags == ["t"]


def test_the_conflict_names_who_and_when(clashing: tuple[Machine, Machine]) -> None:
    _, desk = clashing

    [held] = desk.held().values()

    assert held.machine == "laptop"
    assert held.written.startswith("20")
    assert held.fields == ("body",)


def test_one_session_is_told_of_a_conflict(clashing: tuple[Machine, Machine]) -> None:
    _, desk = clashing
    payload = Payload(session_id="s", cwd=str(desk.home))

    first, second = (inject(Home(desk.home), payload, project="p") for _ in range(2))

    assert "n was edited here and on laptop" in first
    assert "conflicts show n" in first
    assert "was edited here" not in second


@pytest.mark.parametrize(("choice", "port"), [("mine", 3), ("theirs", 2)])
def test_a_choice_keeps_what_was_merged_around(
    clashing: tuple[Machine, Machine], choice: str, port: int
) -> None:
    laptop, desk = clashing
    edit(laptop, "intro", "INTRO")
    edit(desk, "end", "END")
    quiet(laptop, desk)

    with MemoryStore(desk.home) as store:
        conflicts.resolve(store, "n", choice)

    in_step(laptop, desk)
    assert laptop.body("n") == f"INTRO\n\nthe port is {port}\n\n- a\n- b\n\nEND"


def test_saying_the_same_elsewhere_ends_a_conflict_at_once(
    clashing: tuple[Machine, Machine],
) -> None:
    laptop, desk = clashing
    edit(laptop, "port is 2", "port is 3")
    laptop.sync()

    assert not desk.sync().conflicted
    in_step(laptop, desk)


def test_a_conflict_of_an_earlier_version_goes_on_as_one_part(
    clashing: tuple[Machine, Machine],
) -> None:
    """That version kept the whole note back: main has theirs, the file ours, the base is old."""
    laptop, desk = clashing
    [held] = desk.held().values()
    folder = desk.home / "conflicts" / held.id
    described = (
        (folder / "conflict.json").read_text().replace(f'"written": "{held.written}"', '"_": ""')
    )
    (folder / "conflict.json").write_text(described)
    edit(desk, "end", "END")

    quiet(laptop, desk)

    assert (laptop.body("n") or "").endswith("END")
    assert list(desk.held()) == ["semantic/n.md"]


def test_words_that_were_held_outlive_a_deletion_by_someone_who_never_saw_them(
    clashing: tuple[Machine, Machine],
) -> None:
    laptop, desk = clashing
    laptop.delete("n")
    laptop.sync()

    result = desk.sync()
    laptop.sync()

    assert result.pushed
    assert not result.conflicted
    assert desk.held() == {}
    assert "port is 3" in (laptop.body("n") or "")
    assert laptop.files() == desk.files()


def test_words_of_a_forgotten_note_that_were_held_are_not_sent(
    clashing: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = clashing
    with MemoryStore(Home(laptop.home)) as store:
        forget.forget(store, ["n"])
    laptop.sync()

    desk.sync()

    assert "semantic/n.md" not in fleet.published()


def test_a_note_restored_from_before_its_first_commit_and_edited_is_held(
    pair: tuple[Machine, Machine],
) -> None:
    """No history has it, so nothing says whether one text is an edit of the other."""
    laptop, desk = pair
    laptop.write("young", "one\ntwo\nthree")
    shutil.copytree(laptop.home, laptop.home.with_name("backup"), symlinks=True)
    quiet(laptop, desk)
    shutil.rmtree(laptop.home)
    laptop.home.with_name("backup").rename(laptop.home)
    laptop.edit("young", body="one\nTWO\nthree")

    assert laptop.sync().conflicted

    quiet(laptop, desk)
    assert laptop.body("young") == "one\nTWO\nthree"
    assert desk.body("young") == "one\ntwo\nthree"


def test_many_machines_that_append_to_one_note_all_end_with_everything(fleet: Fleet) -> None:
    machines = [fleet.machine(f"m{number}") for number in range(6)]
    machines[0].write("n", "# Log")
    machines[0].write("anchor", "stays")
    for machine in machines:
        machine.sync()
    for round_ in range(3):
        for machine in machines:
            note = machine.note("n")
            when = f"2026-02-0{round_ + 1}T00:00:00+00:00"
            line = f"- {machine.name} in round {round_}"
            machine.put(replace(note, body=f"{note.body}\n{line}", updated_at=when))
        for machine in machines[round_:] + machines[:round_]:
            assert not machine.sync().conflicted

    quiet(*machines)

    bodies = {machine.body("n") for machine in machines}
    assert len(bodies) == 1
    lines = (bodies.pop() or "").split("\n")
    assert sorted(lines[1:]) == sorted(
        f"- {machine.name} in round {round_}" for machine in machines for round_ in range(3)
    )


def retype(machine: Machine, *, body: str) -> None:
    """Make the note one of another type, which puts its file into another folder."""
    note = machine.note("n")
    machine.delete("n")
    machine.put(replace(note, type="procedural", body=body))


def files_of_n(machine: Machine) -> list[str]:
    return [path for path, data in machine.files().items() if b"\nid: n\n" in data]


@pytest.mark.parametrize("mover", ["laptop", "desk"])
def test_a_note_that_was_moved_and_clashes_has_one_file(
    pair: tuple[Machine, Machine], mover: str
) -> None:
    machines = {machine.name: machine for machine in pair}
    moving = machines.pop(mover)
    [other] = machines.values()
    retype(moving, body=FIVE.replace("two", f"TWO of {mover}").replace("five", "FIVE"))
    other.edit("n", body=FIVE.replace("two", f"TWO of {other.name}").replace("four", "FOUR"))

    for machine in (*pair, *pair, *pair):
        machine.sync()

    laptop, desk = pair
    for machine in pair:
        assert files_of_n(machine) == ["procedural/n.md"]
        told = machine.path("n", type="procedural").read_text()
        assert f"TWO of {machine.name}" in told  # the second to sync holds its own part
        assert "FIVE" in told
        assert "FOUR" in told
    assert (list(laptop.held()), list(desk.held())) == ([], ["procedural/n.md"])
    assert desk.held()["procedural/n.md"].machine == "laptop"


@pytest.mark.parametrize("renamer", ["laptop", "desk"])
def test_an_edit_goes_with_a_note_that_was_renamed_by_hand(
    pair: tuple[Machine, Machine], renamer: str
) -> None:
    machines = {machine.name: machine for machine in pair}
    renaming = machines.pop(renamer)
    [other] = machines.values()
    path = renaming.path("n")
    path.rename(path.with_name("how it works.md"))
    other.edit("n", body=FIVE.replace("two", "TWO"))

    for machine in (*pair, *pair):
        machine.sync()

    for machine in pair:
        assert files_of_n(machine) == ["semantic/how it works.md"]
        assert "TWO" in machine.path("how it works").read_text()
        assert not machine.held()


@pytest.mark.parametrize("named", ["how it works.md", "../procedural/n.md"])
def test_a_held_note_follows_where_another_machine_moves_it(
    clashing: tuple[Machine, Machine], named: str
) -> None:
    laptop, desk = clashing
    if named.startswith("../"):
        retype(laptop, body=laptop.body("n") or "")
    else:
        path = laptop.path("n")
        path.rename(path.with_name(named))
    moved = files_of_n(laptop)

    for machine in (laptop, desk, laptop, desk):
        machine.sync()

    assert (files_of_n(laptop), files_of_n(desk)) == (moved, moved)
    assert "port is 2" in (laptop.memory / moved[0]).read_text()
    assert "port is 3" in (desk.memory / moved[0]).read_text()
    assert (list(laptop.held()), list(desk.held())) == ([], moved)
    edit_file(desk, moved[0], "intro", "introduction")
    for machine in (desk, laptop):
        machine.sync()
    assert "introduction" in (laptop.memory / moved[0]).read_text()


def edit_file(machine: Machine, path: str, old: str, new: str) -> None:
    """Replace words in a file whatever its name."""
    file = machine.memory / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_third_version_of_a_part_that_is_held_is_kept(
    clashing: tuple[Machine, Machine], fleet: Fleet
) -> None:
    """Desk holds its port; laptop's, which all others have, then meets one of a remote set back."""
    laptop, desk = clashing
    first = laptop.git("rev-list", "-1", "--grep=sync", "main~1")
    shelf = fleet.machine("shelf")
    clear = fleet.readable()
    git("update-ref", "refs/heads/main", first, cwd=clear)
    fleet.publish(first, rewritten=True)
    shelf.sync()
    edit(shelf, "port is 1", "port is 4")
    shelf.sync()

    desk.sync()
    laptop.sync()

    kept = b"".join(path.read_bytes() for path in (desk.home / "conflicts").rglob("*.md"))
    kept += b"".join(machine.path("n").read_bytes() for machine in (laptop, desk))
    for port in (b"port is 2", b"port is 3", b"port is 4"):
        assert port in kept
