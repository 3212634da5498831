"""The same topic files on two machines are one note each, whoever imported them first."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.importers import native
from anamnesis.notes.fields import Memory
from anamnesis.operations.curate import dedup, native_memory
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from support.reflect import files

On = Callable[..., None]
TOPICS = {"testing": "How tests are run here", "deploys": "What a deploy needs"}
SLUGS = {"laptop": "-home-ada-my-app", "desk": "-Users-ada-src-my-app"}


def topic(name: str, *, text: str = "Run it with -n 2.", session: str = "abc-123") -> str:
    return (
        f"---\nname: {name}\ndescription: {TOPICS[name]}\nmetadata:\n  type: feedback\n"
        f"  originSessionId: {session}\n  modified: 2026-03-04T05:06:07.000Z\n---\n"
        f"{text} ({name})\n"
    )


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> On:
    """Run a command on a machine of a fleet with one remote; each has its own Claude Code."""
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    project = tmp_path / "work" / "my-app"
    project.mkdir(parents=True)
    line = json.dumps({"type": "user", "cwd": str(project), "message": {"content": "hi"}})
    for machine in SLUGS:
        memory_of(tmp_path, machine).mkdir(parents=True)
        (memory_of(tmp_path, machine).parent / "s.jsonl").write_text(line + "\n")

    def run(machine: str, *argv: str) -> None:
        monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / machine))
        monkeypatch.setenv("ANAMNESIS_MACHINE_ID", machine)
        monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / f"claude-{machine}"))
        if argv:
            assert main(list(argv)) == 0

    return run


def memory_of(tmp_path: Path, machine: str) -> Path:
    return tmp_path / f"claude-{machine}" / "projects" / SLUGS[machine] / "memory"


def active(tmp_path: Path, machine: str) -> list[Memory]:
    with MemoryStore(tmp_path / machine) as store:
        superseded = store.superseded_ids()
        return [note for note in store.list() if note.id not in superseded]


def of_first_version(tmp_path: Path, machine: str, name: str) -> None:
    """The note that version 0.1.3 made of a topic file."""
    path = memory_of(tmp_path, machine) / f"{name}.md"
    (file,) = [each for each in native.files() if each.path == str(path)]
    with MemoryStore(tmp_path / machine) as store:
        store.put(
            Memory(
                id=native.first_id(file),
                type="procedural",
                title=TOPICS[name],
                body=path.read_text().partition("---\n")[2].partition("---\n")[2].rstrip("\n"),
                project="my-app",
                machine_id=machine,
                tags=["import", "kind:feedback"],
                created_at="2026-03-04T05:06:07+00:00",
                updated_at="2026-03-04T05:06:07+00:00",
            )
        )


def write_topics(tmp_path: Path, machine: str) -> None:
    for name in TOPICS:
        (memory_of(tmp_path, machine) / f"{name}.md").write_text(topic(name))


@pytest.mark.parametrize("first", ["laptop", "desk"])
def test_two_machines_with_the_same_files_have_one_note_each(
    on: On, tmp_path: Path, first: str
) -> None:
    for machine in SLUGS:
        write_topics(tmp_path, machine)
    on("laptop")
    for name in TOPICS:
        of_first_version(tmp_path, "laptop", name)
    second = "desk" if first == "laptop" else "laptop"

    for _ in range(5):
        on(first, "sync")
        on(second, "sync")

    for machine in SLUGS:
        notes = active(tmp_path, machine)
        assert sorted(note.title for note in notes) == sorted(TOPICS.values())
        waiting = [note.title for note in notes if "pending" in note.tags]
        assert len(waiting) == len(set(waiting))
    before = files(tmp_path / "laptop" / "memory"), files(tmp_path / "desk" / "memory")
    on(first, "sync")
    on(second, "sync")
    assert (files(tmp_path / "laptop" / "memory"), files(tmp_path / "desk" / "memory")) == before


def test_what_the_first_version_imported_is_updated_and_not_doubled(on: On, tmp_path: Path) -> None:
    write_topics(tmp_path, "laptop")
    on("laptop")
    of_first_version(tmp_path, "laptop", "testing")
    (memory_of(tmp_path, "laptop") / "testing.md").write_text(
        topic("testing", text="Run it with -n 4.").replace("2026-03-04", "2026-03-05")
    )

    on("laptop", "import")

    notes = active(tmp_path, "laptop")
    assert sorted(note.title for note in notes) == sorted(TOPICS.values())
    assert [note.body for note in notes if "-n 4" in note.body] == ["Run it with -n 4. (testing)"]


def test_a_file_that_the_client_brings_itself_is_the_same_note(on: On, tmp_path: Path) -> None:
    write_topics(tmp_path, "laptop")
    on("laptop", "sync")
    on("desk", "sync")
    write_topics(tmp_path, "desk")

    on("desk", "sync")
    on("laptop", "sync")

    assert len(active(tmp_path, "laptop")) == len(active(tmp_path, "desk")) == len(TOPICS)


@pytest.mark.parametrize("session", ["abc-123", ""])
def test_a_file_whose_project_is_not_there_any_more_is_the_same_note(
    on: On, tmp_path: Path, session: str
) -> None:
    """Its key follows from the repository, which a deleted checkout no longer tells."""
    checkout = tmp_path / "work" / "my-app"
    address = "ssh://git@example.org/ada/shop.git"
    subprocess.run(["git", "init", "-q", str(checkout)], check=True)
    subprocess.run(["git", "-C", str(checkout), "remote", "add", "origin", address], check=True)
    text = topic("testing", session=session)
    (memory_of(tmp_path, "laptop") / "testing.md").write_text(text)
    on("laptop", "sync")
    on("desk", "sync")
    [before] = active(tmp_path, "desk")
    shutil.rmtree(checkout)
    (memory_of(tmp_path, "laptop") / "testing.md").touch()
    (memory_of(tmp_path, "desk") / "testing.md").write_text(text)

    for machine in ("laptop", "desk", "laptop"):
        on(machine, "sync")

    for machine in SLUGS:
        [note] = active(tmp_path, machine)
        assert (note.id, note.project, note.body) == (before.id, before.project, before.body)


def test_files_of_one_name_from_different_sessions_are_different_notes(
    on: On, tmp_path: Path
) -> None:
    for machine in SLUGS:
        text = topic("testing", text=f"On the {machine}.", session=f"session-{machine}")
        (memory_of(tmp_path, machine) / "testing.md").write_text(text)

    for machine in ("laptop", "desk", "laptop", "desk"):
        on(machine, "sync")

    bodies = {note.body for note in active(tmp_path, "laptop")}
    assert bodies == {"On the laptop. (testing)", "On the desk. (testing)"}
    assert bodies == {note.body for note in active(tmp_path, "desk")}


def test_an_older_copy_does_not_undo_what_another_machine_imported(on: On, tmp_path: Path) -> None:
    newer = topic("testing", text="Newer.").replace("2026-03-04", "2026-03-09")
    (memory_of(tmp_path, "laptop") / "testing.md").write_text(newer)
    on("laptop", "sync")
    on("desk", "sync")
    write_topics(tmp_path, "desk")

    on("desk", "import")

    assert "Newer. (testing)" in {note.body for note in active(tmp_path, "desk")}


def test_pairs_that_exist_already_are_found_by_dedup(on: On, tmp_path: Path) -> None:
    on("laptop")
    with MemoryStore(tmp_path / "laptop") as store:
        for number in range(2):
            store.write(
                type="procedural",
                title=f"Title {number}",
                body="Run it with -n 2.",
                project="my-app",
                tags=["import", "claude-code"],
            )

        (found,) = dedup.find_duplicates(store)

        assert found.identical


def test_claude_code_is_not_given_what_it_loads_itself(on: On, tmp_path: Path) -> None:
    write_topics(tmp_path, "laptop")
    on("laptop", "import")
    home, asked = Home(tmp_path / "laptop"), Payload(session_id="s")

    assert TOPICS["testing"] not in inject(home, asked, project="my-app", format="claude")
    assert TOPICS["testing"] in inject(home, asked, project="my-app", format="codex")


def test_claude_code_on_another_machine_is_given_it(on: On, tmp_path: Path) -> None:
    write_topics(tmp_path, "laptop")
    on("laptop", "sync")
    on("desk", "sync")

    given = inject(Home(tmp_path / "desk"), Payload(session_id="s"), project="my-app")

    assert TOPICS["testing"] in given


def test_importing_again_under_another_project_moves_the_notes(on: On, tmp_path: Path) -> None:
    write_topics(tmp_path, "laptop")
    on("laptop", "import")

    on("laptop", "import", "--project", "elsewhere")

    assert {note.project for note in active(tmp_path, "laptop")} == {"elsewhere"}
    assert len(active(tmp_path, "laptop")) == len(TOPICS)


def test_a_folded_pair_can_be_taken_apart_again(on: On, tmp_path: Path) -> None:
    on("laptop")
    with MemoryStore(tmp_path / "laptop") as store:
        for _ in range(2):
            store.write(
                type="procedural",
                title="The same",
                body="Run it with -n 2.",
                project="my-app",
                tags=["import", "kind:feedback"],
            )

        assert native_memory.fold_pairs(store) == 1

        assert len(store.superseded_ids()) == 1
