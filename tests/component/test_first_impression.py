"""What people try at a terminal on their first day."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.notes.fields import Memory
from anamnesis.operations.curate import review
from anamnesis.store import MemoryStore
from support.hooks import Transcript
from support.pty import short_home, shown

PROGRAM = str(Path(sys.executable).with_name("anamnesis"))
FIRST, SECOND = "01M7K4PDW8YKA2DN7002WSVY5T", "01M7K4PDW8YKA2DN7002WTVY5T"


@pytest.fixture
def home() -> Iterator[Path]:
    with short_home() as directory:
        yield directory


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


def at_terminal(home: Path, *arguments: str, typed: str = "") -> tuple[str, int]:
    return shown([PROGRAM, *arguments], columns=100, env=environment(home), cwd=home, typed=typed)


def write_two_alike(home: Path) -> None:
    now = "2026-11-18T10:00:00+00:00"
    with MemoryStore(home / ".anamnesis") as store:
        for note_id, title in ((FIRST, "Release steps"), (SECOND, "Rollback steps")):
            store.put(
                Memory(id=note_id, type="procedural", title=title, body=f"{title}: ask first.",
                       project="global", machine_id="laptop", created_at=now, updated_at=now)
            )  # fmt: skip


def test_one_of_several_notes_is_picked_by_its_number(home: Path) -> None:
    write_two_alike(home)

    listed, _ = at_terminal(home, "show", "01M7K4", typed="0\n")
    picked, code = at_terminal(home, "show", "01M7K4", typed="2\n")

    at_two = next(line for line in listed.splitlines() if line.startswith("  2 "))
    title = "Release steps" if "Release steps" in at_two else "Rollback steps"
    assert code == 0
    assert f"{title}: ask first." in picked


def test_no_number_changes_nothing_and_says_what_to_do(home: Path) -> None:
    write_two_alike(home)

    printed, code = at_terminal(home, "delete", "01M7K4", typed="\n")

    assert code == 2
    assert "Give more of the id." in printed
    assert len(list((home / ".anamnesis/memory/procedural").iterdir())) == 2


def test_a_script_is_not_asked_which_note_it_means(home: Path) -> None:
    write_two_alike(home)

    done = subprocess.run(
        [PROGRAM, "show", "01M7K4"], env=environment(home), cwd=home, capture_output=True,
        text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip

    assert done.returncode == 2
    assert f"Several notes match 01M7K4: {FIRST}, {SECOND}." in done.stderr


@pytest.mark.parametrize("command", ["list", "search steps", "standup", "sessions"])
def test_every_command_knows_yesterday(home: Path, command: str) -> None:
    write_two_alike(home)

    printed, code = at_terminal(home, *command.split(), "--since", "yesterday")

    assert code == 0, printed


def test_a_search_at_a_terminal_shows_the_line_that_answers(home: Path) -> None:
    write_two_alike(home)

    printed, _ = at_terminal(home, "search", "rollback")

    assert "Rollback steps: ask first." in printed


def test_the_overview_can_be_piped_into_a_pager(home: Path) -> None:
    printed, code = shown(
        ["sh", "-c", f"'{PROGRAM}' | cat"], columns=100, env=environment(home), cwd=home,
        keyboard=True,
    )  # fmt: skip

    assert code == 0
    assert "usage: anamnesis COMMAND" in printed


def test_after_back_fill_there_are_sessions_and_nothing_to_review(home: Path) -> None:
    for day in range(1, 6):
        path = home / ".claude" / "projects" / "-u-shop" / f"s{day}.jsonl"
        talk = Transcript(path, session=f"s{day}", cwd="/u/shop")
        at = f"2026-10-0{day}T10:00:00Z"
        rule = "From now on always run make check before a commit."
        talk.user(f"Repair invoice number {day}. {rule}", timestamp=at)
        talk.assistant(
            "The invoice is repaired, and the total is rounded half to even.", timestamp=at
        )
        os.utime(path, (1_790_000_000, 1_790_000_000))

    printed, code = at_terminal(
        home, "init", "--agents", "claude", "--home", str(home / ".anamnesis"), typed="\n" * 6
    )

    assert code == 0, printed
    assert "5 sessions left a note" in printed
    assert [day for day in range(1, 6) if f"Repair invoice number {day}" in printed] == [3, 4, 5]
    with MemoryStore(home / ".anamnesis") as store:
        assert {note.type for note in store.list()} == {"episodic"}
        assert review.pending_count(store) == 0


def test_set_up_takes_n_for_no_and_says_what_it_is_about_to_do(home: Path) -> None:
    (home / ".claude").mkdir()

    printed, code = at_terminal(home, "init", "--agents", "claude", typed="\nn\nn\ndesk\nn\n")

    assert code == 1, printed
    assert "on this machine only; this machine is desk" in " ".join(printed.split())
    assert "nothing was changed" in printed
    assert not (home / ".claude/settings.json").exists()
