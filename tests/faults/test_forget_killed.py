"""kill -9 at every step of forgetting: a note is there, or nothing of it is."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.notes import tree
from anamnesis.operations.curate import forget, pin
from anamnesis.store import MemoryStore
from anamnesis.sync.conflicts import Conflicts
from support.fleet import Victims
from support.reflect import durable

if TYPE_CHECKING:
    from pathlib import Path

SECRETS = ("what nobody shall know", "what nobody may guess")


@pytest.fixture
def ids(store: MemoryStore, root: Path) -> list[str]:
    """Two notes with a past: an undo record, a record that was never finished, two conflicts."""
    found = [durable(store, f"Plan {at}", body=body).id for at, body in enumerate(SECRETS)]
    pin.pin(store, found)
    (root / "undo/.tmp-1-killed").write_text("\n".join(SECRETS))
    conflicts = Conflicts(Home(root))
    for _ in range(2):
        held = conflicts.hold(
            f"semantic/{found[0]}.md", base=None,
            theirs=f"---\nid: {found[0]}\n---\n{SECRETS[0]}\n".encode(), machine="m", fields=(),
        )  # fmt: skip
        if not list((root / "conflicts").glob("resolved/*")):
            conflicts.resolve(held, mine=SECRETS[0].encode())
    return found


def remembered(root: Path) -> str:
    """All that files say, but for git's own and the index."""
    files = (
        path
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts and not path.name.startswith("index.db")
    )
    return "\n".join(path.read_text() for path in files)


def check_half_way(home: Path, ids: list[str]) -> None:
    text = remembered(home)
    for note_id, secret in zip(ids, SECRETS, strict=True):
        if not (home / f"memory/semantic/{note_id}.md").exists():
            assert secret not in text
            assert tree.is_forgotten(str(home), note_id)


def check_done(home: Path, ids: list[str]) -> None:
    text = remembered(home)
    assert not any(secret in text for secret in SECRETS)
    assert tree.forgotten(str(home)) == set(ids)
    with MemoryStore(home) as store:
        assert store.headers() == []


@pytest.mark.parametrize("finished_by", ["the person", "a sync"])
def test_a_killed_forget_leaves_the_note_or_nothing(
    victims: Victims, root: Path, ids: list[str], tmp_path: Path, finished_by: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    number, through = 0, False
    while not through:
        number += 1
        home = tmp_path / str(number)
        shutil.copytree(root, home)

        through = victims.forget(number, home)

        check_half_way(home, ids)
        if finished_by == "the person":
            with MemoryStore(home) as store:
                forget.forget(store, [note.id for note in store.headers()])
        elif tree.forgotten(str(home)) == set(ids):
            monkeypatch.setenv("ANAMNESIS_HOME", str(home))
            assert main(["sync", "--accept-deletions"]) == 0
        else:
            continue
        check_done(home, ids)
    assert number > 15
