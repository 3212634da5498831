"""At a file: what notes say about it, once, through the server that runs anyway."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.config import Home
from anamnesis.git import renames
from anamnesis.git.config import find_repository
from anamnesis.hooks import receipts, switches
from anamnesis.hooks.payload import Payload
from anamnesis.mcp import tools
from anamnesis.mcp.workspace import Binding
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.moment import notes_at_file
from anamnesis.store import MemoryStore
from support.fleet import git


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of the project `shop` with one committed file."""
    top = tmp_path / "shop"
    (top / "src").mkdir(parents=True)
    (top / "src" / "till.py").write_text("price = 1\n" * 20)
    git("init", "-q", cwd=top)
    commit(top)
    return top


def commit(top: Path) -> None:
    git("add", "-A", cwd=top)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    git(*who, "commit", "-qm", "step", cwd=top)


def write(store: MemoryStore, title: str, body: str, **fields: Any) -> str:
    fields = {"type": "semantic", "project": "shop", **fields}
    return store.write(title=title, body=body, **fields).id


def read(store: MemoryStore, top: Path, path: str = "src/till.py", session: str = "s") -> str:
    """What the client is told after an agent read a file."""
    told = Payload(session_id=session, cwd=str(top), file_path=str(top / path))
    said = notes_at_file(store, told)
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""


def test_a_file_brings_the_notes_that_name_it_once(store: MemoryStore, checkout: Path) -> None:
    note = write(store, "Rounding", "Prices in `src/till.py` are rounded down, by law.")

    first = read(store, checkout)

    assert f"[semantic] Rounding ({note}): Prices in `src/till.py` are rounded down" in first
    assert read(store, checkout) == ""
    assert read(store, checkout, session="other") == first
    given = next(receipts.latest(store.home))
    assert (given["event"], given["source"]) == ("file", "src/till.py")


@pytest.mark.parametrize(
    ("named", "is_it"),
    [
        ("src/till.py", True),
        ("`till.py`", True),
        ("shop/src/till.py:12", True),
        ("/home/ada/work/shop/src/till.py", True),
        ("./src/till.py", True),
        ("lib/till.py", False),
        ("src/till.pyc", False),
        ("src/mytill.py", False),
        ("src/till.py.bak", False),
        ("till", False),
    ],
)
def test_a_path_is_compared_from_its_end(
    store: MemoryStore, checkout: Path, named: str, is_it: bool
) -> None:
    write(store, "Prices", f"Look at {named} first.")

    assert bool(read(store, checkout)) == is_it


def test_a_renamed_file_brings_what_named_it_before(store: MemoryStore, checkout: Path) -> None:
    write(store, "Rounding", "Prices in `src/till.py` are rounded down.")
    git("mv", "src/till.py", "src/counter.py", cwd=checkout)
    commit(checkout)
    (checkout / "lib").mkdir()
    git("mv", "src/counter.py", "lib/desk.py", cwd=checkout)
    commit(checkout)

    read(store, checkout, "lib/desk.py")  # git is asked beside it, and what it says is kept
    repository = find_repository(str(checkout))
    assert repository is not None
    renames.wait(repository, 60)

    assert "Rounding" in read(store, checkout, "lib/desk.py")


def test_at_most_three_notes_the_most_exact_first(store: MemoryStore, checkout: Path) -> None:
    for number in range(3):
        write(store, f"Bare {number}", "See `till.py`.")
    write(store, "Exact", "See `src/till.py`.")

    lines = read(store, checkout).splitlines()

    assert len(lines) == 4
    assert "Exact" in lines[1]


def test_a_name_that_many_notes_have_means_no_file(store: MemoryStore, checkout: Path) -> None:
    (checkout / "src" / "__init__.py").touch()
    for number in range(4):
        write(store, f"Note {number}", f"`__init__.py` of part {number} is empty.")

    assert read(store, checkout, "src/__init__.py") == ""


def test_a_session_that_only_touched_the_file_is_not_named(
    store: MemoryStore, checkout: Path
) -> None:
    body = "**Ask:** Tidy up\n\n**Files touched (1):**\n- src/till.py\n\n**Outcome:** Tidy."
    write(store, "Tidied", body, type="episodic")
    told = "**Decided and found:**\n- src/till.py must not import the printer\n"
    write(store, "Decided", told, type="episodic")

    given = read(store, checkout)

    assert "must not import the printer" in given
    assert "Tidied" not in given


def test_what_an_agent_may_not_be_given_stays_out(store: MemoryStore, checkout: Path) -> None:
    write(store, "Elsewhere", "`src/till.py` of another shop", project="other")
    text = "`src/till.py` from a file"
    store.put(Memory(id="IMPORTED", type="semantic", title="Imported", body=text, project="shop",
                     origin="import:somebody", tags=["pending"]))  # fmt: skip
    old = write(store, "Old", "`src/till.py` rounds up")
    write(store, "Own", "`src/till.py` is mine", prov_session="s")
    write(store, "New", "It rounds down now.", supersedes=old)

    assert read(store, checkout) == ""


def test_the_moment_can_be_switched_off(
    store: MemoryStore, checkout: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, "Rounding", "Prices in `src/till.py` are rounded down.")
    monkeypatch.setenv("ANAMNESIS_MOMENT_FILE", "0")
    assert read(store, checkout) == ""
    monkeypatch.delenv("ANAMNESIS_MOMENT_FILE")
    switches.pause(Home(root))
    assert read(store, checkout) == ""
    switches.resume(Home(root))
    assert read(store, checkout) != ""


def test_the_tool_of_hooks_is_called_but_not_listed(store: MemoryStore, checkout: Path) -> None:
    write(store, "Rounding", "Prices in `src/till.py` are rounded down.")
    binding = Binding(store)
    asked = {"session_id": "s", "cwd": str(checkout), "file_path": str(checkout / "src/till.py")}

    assert "memory_moment" not in tools.TOOLS
    assert "Rounding" in tools.call(binding, "memory_moment", asked).text
    assert tools.call(binding, "memory_moment", asked).text == ""


def test_a_hook_is_never_answered_with_an_error(store: MemoryStore, root: Path) -> None:
    binding = Binding(store)
    (root / "index.db").write_bytes(b"not a database" * 1000)

    for asked in (
        {},
        {"session_id": "s", "file_path": "\0"},
        {"session_id": "s", "file_path": "x"},
    ):
        answer = tools.call(binding, "memory_moment", asked)
        assert (answer.text, answer.is_error) == ("", False)
