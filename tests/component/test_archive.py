"""Sessions word for word: kept on this machine, redacted, searchable, and gone when asked."""

from __future__ import annotations

import gzip
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from anamnesis.archive import ask, database, files
from anamnesis.archive.turns import Header, Turn
from anamnesis.capture import ledger
from anamnesis.capture.summarize import SummaryResult
from anamnesis.capture.transcript import read_transcript
from anamnesis.config import Home
from anamnesis.ground import locks
from anamnesis.ground.errors import InvalidInput, NotWritable
from anamnesis.ground.records import replace
from anamnesis.hooks import switches
from anamnesis.hooks.payload import Payload
from anamnesis.mcp import resources, tools
from anamnesis.mcp.answers import ToolAnswer
from anamnesis.mcp.workspace import Binding
from anamnesis.operations.curate.forget import forget
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.archive import SessionFilter
from anamnesis.operations.sessions.capture import Captured, capture
from anamnesis.operations.sessions.how import how
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.operations.sessions.standup import markdown, standup
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of
from corpus.secrets import planted
from support.archive import save
from support.hooks import SAMPLES, Transcript, hook
from support.notes import write_file

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def ran(transcript: Transcript, command: str, printed: str, *, call: str, failed: bool) -> None:
    """Add a command of the agent's and what it printed."""
    transcript.assistant(
        {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    )
    block = {"type": "tool_result", "tool_use_id": call, "content": printed, "is_error": failed}
    transcript.user([block])


def shop(root: Path, session: str = "s-1", **more: Any) -> Transcript:
    """A session in which a port was taken and then freed."""
    transcript = Transcript(root.parent / f"{session}.jsonl", session=session, **more)
    at = "2026-11-10T09:00:0"
    transcript.user("Start the shop on port 4040 and fix what stops it", timestamp=f"{at}0Z")
    ran(transcript, "npm start", "Error: listen EADDRINUSE 4040", call="a", failed=True)
    ran(transcript, "npm start -- --port 4041", "listening on 4041", call="b", failed=False)
    transcript.edit("/home/u/shop/server.js", call="c").result(call="c")
    transcript.assistant("The shop listens on 4041 now; 4040 was taken by the old watcher.")
    return transcript


def end(root: Path, transcript: Transcript, session: str = "s-1") -> Captured:
    told = Payload(session_id=session, transcript_path=str(transcript.path))
    return capture(Home(root), told, source="session-end")


def turns(root: Path, session: str = "s-1") -> list[Turn]:
    return archive.show_session(Home(root), session).turns


def test_a_captured_session_is_kept_turn_by_turn(store: MemoryStore, root: Path) -> None:
    captured = end(root, shop(root))

    kept = archive.show_session(Home(root), "s-1")
    assert [(t.who, t.tool) for t in kept.turns] == [
        ("person", ""), ("agent", "Bash"), ("agent", "Bash"), ("agent", "Edit"), ("agent", "")
    ]  # fmt: skip
    assert kept.turns[1] == Turn(
        "agent", at="2026-11-10T09:00:00Z", tool="Bash", command="npm start",
        result="Error: listen EADDRINUSE 4040", failed=True,
    )  # fmt: skip
    assert captured.note is not None
    assert (kept.header.note, kept.header.title) == (captured.note.id, captured.note.title)


def test_the_archive_is_for_its_owner_only_and_outside_of_what_travels(
    store: MemoryStore, root: Path
) -> None:
    end(root, shop(root))

    path = Path(files.path_of(Home(root), "s-1"))
    assert path.parent == root / "sessions"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(os.stat(Home(root).sessions_db).st_mode) == 0o600


def test_a_session_that_goes_on_is_extended(store: MemoryStore, root: Path) -> None:
    transcript = shop(root)
    end(root, transcript)
    before = turns(root)
    transcript.user("And now write the port into the README")
    transcript.assistant("The README names 4041.")
    end(root, transcript)

    assert turns(root)[: len(before)] == before
    assert turns(root)[-1].text == "The README names 4041."


def test_a_note_that_was_edited_by_hand_does_not_end_the_archive(
    store: MemoryStore, root: Path
) -> None:
    transcript = shop(root)
    note = end(root, transcript).note
    assert note is not None
    store.put(replace(note, body="I rewrote this myself."))
    transcript.user("Write down which port it is").assistant("The README names port 4041 now.")

    assert end(root, transcript).note is not None

    assert turns(root)[-1].text == "The README names port 4041 now."
    assert store.require(note.id).note.body == "I rewrote this myself."


def test_a_capture_that_was_killed_after_it_wrote_the_note_knows_its_text(
    store: MemoryStore, root: Path
) -> None:
    transcript = shop(root)
    note = end(root, transcript).note
    assert note is not None
    summary = SummaryResult(title=note.title, body="**Ask:** as it was about to be")
    ledger.announce(Home(root), ["s-1"], summary)
    store.put(replace(note, body="**Ask:** as it was about to be"))

    again = end(root, transcript).note

    assert again is not None
    assert "4040 was taken by the old watcher" in again.body


def test_turns_that_the_transcript_lost_stay_in_the_archive(store: MemoryStore, root: Path) -> None:
    transcript = shop(root)
    end(root, transcript)
    lines = transcript.path.read_text().splitlines(keepends=True)
    transcript.path.write_text("".join(lines[-3:]))
    transcript.user("Go on with the tests of the shop")
    transcript.assistant("All 12 tests of the shop pass.")
    end(root, transcript)

    said = [turn.text or turn.command for turn in turns(root)]
    assert said[0] == "Start the shop on port 4040 and fix what stops it"
    assert said[-1] == "All 12 tests of the shop pass."
    assert said.count("npm start") == 1


def test_secrets_and_private_parts_are_neither_kept_nor_indexed(
    store: MemoryStore, root: Path
) -> None:
    transcript = shop(root)
    transcript.user("The rest is <private>my salary is 4711</private> for the changelog only")
    ran(transcript, f"curl -H 'Authorization: token {TOKEN}' x", TOKEN, call="d", failed=False)
    transcript.assistant("Noted in the changelog.")
    end(root, transcript)

    kept = gzip.decompress(Path(files.path_of(Home(root), "s-1")).read_bytes()).decode()
    database_bytes = Path(Home(root).sessions_db).read_bytes()
    wal = Path(Home(root).sessions_db + "-wal")
    database_bytes += wal.read_bytes() if wal.exists() else b""
    for secret in (TOKEN, "4711", "salary"):
        assert secret not in kept
        assert secret.encode() not in database_bytes
    assert "for the changelog only" in kept


def test_no_secret_of_the_corpus_is_in_the_archive_or_its_index(
    store: MemoryStore, root: Path
) -> None:
    transcript = shop(root)
    for number, each in enumerate(planted()):
        transcript.assistant(f"Sample {number} is:\n{each.text}")
        ran(transcript, each.text, f"printed\n{each.text}", call=f"p{number}", failed=True)
    transcript.assistant("I looked at all of it.")
    end(root, transcript)

    kept = gzip.decompress(Path(files.path_of(Home(root), "s-1")).read_bytes())
    with database.opened(Home(root)) as db:
        indexed = "\n".join(row[0] for row in db.execute("SELECT text FROM turns_fts"))
    for each in planted():
        assert json.dumps(each.secret)[1:-1].encode() not in kept, each.name
        assert each.secret not in indexed, each.name


def test_a_file_that_the_project_ignores_leaves_no_trace(store: MemoryStore, root: Path) -> None:
    project = root.parent / "shop"
    (project / ".anamnesis").mkdir(parents=True)
    (project / ".anamnesis" / "ignore").write_text("secret/\n")
    transcript = shop(root, cwd=str(project))
    transcript.assistant(
        {"type": "tool_use", "id": "e", "name": "Read",
         "input": {"file_path": str(project / "secret" / "plan.txt")}}
    )  # fmt: skip
    block = {"type": "tool_result", "tool_use_id": "e", "content": "take over the bakery"}
    transcript.user([block])
    transcript.assistant("Read it.")
    end(root, transcript)

    assert "bakery" not in json.dumps([turn.as_json() for turn in turns(root)])


def test_switched_off_nothing_is_kept(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_ARCHIVE", "0")

    assert end(root, shop(root)).note is not None
    assert files.listed(Home(root)) == []


def test_a_session_that_is_worth_no_note_is_kept_all_the_same(
    store: MemoryStore, root: Path
) -> None:
    transcript = Transcript(root.parent / "s-1.jsonl").user("hi there")
    transcript.assistant("Hello. The boiler of the shop hums, by the way.")

    assert end(root, transcript).note is None

    (row,) = archive.list_sessions(Home(root), SessionFilter(), limit=9)
    assert (row.title, row.note, row.project) == ("hi there", "", "shop")
    found = archive.search_sessions(Home(root), "boiler", SessionFilter(), limit=1)
    assert "hums" in found[0].text


def test_a_run_that_is_to_leave_no_note_is_kept_all_the_same(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_CAPTURE_NONINTERACTIVE", "none")
    transcript = shop(root).user("Go on", entrypoint="sdk-cli")

    assert end(root, transcript).note is None
    assert turns(root)


def test_a_session_whose_note_was_deleted_is_kept_and_one_that_was_forgotten_is_not(
    store: MemoryStore, root: Path
) -> None:
    deleted, forgotten = end(root, shop(root)), end(root, shop(root, "s-2"), "s-2")
    assert deleted.note is not None
    assert forgotten.note is not None
    store.delete(deleted.note.id)
    forget(store, [forgotten.note.id])

    end(root, shop(root).user("Go on"))
    end(root, shop(root, "s-2").user("Go on"), "s-2")

    assert [os.path.basename(each.path) for each in files.listed(Home(root))] == ["s-1.jsonl.gz"]


def test_a_session_that_ran_while_memory_was_off_is_not_kept(
    store: MemoryStore, root: Path
) -> None:
    switches.stand_back(Home(root), "s-1")

    end(root, shop(root))

    assert files.listed(Home(root)) == []


def test_what_was_said_and_run_is_found_with_who_and_where(store: MemoryStore, root: Path) -> None:
    end(root, shop(root))

    first, *_ = archive.search_sessions(Home(root), "EADDRINUSE", SessionFilter(), limit=3)
    assert (first.session.id, first.number, first.kind, first.failed) == ("s-1", 1, "command", True)
    assert "listen EADDRINUSE 4040" in first.text


@pytest.mark.parametrize(
    ("words", "wanted", "expected"),
    [
        ("npm start", SessionFilter(failed=True), [1]),
        ("watcher", SessionFilter(kinds=("command",)), []),
        ("watcher", SessionFilter(project="another"), []),
        ("watcher", SessionFilter(agent="claude-code"), [4]),
        ("watcher", SessionFilter(since="2026-11-11"), []),
        ("watcher", SessionFilter(until="2026-11-01"), []),
        ("watcher", SessionFilter(until="2026-11-10"), [4]),
        ("", SessionFilter(), []),
    ],
)
def test_a_search_can_be_narrowed(
    store: MemoryStore, root: Path, words: str, wanted: SessionFilter, expected: list[int]
) -> None:
    end(root, shop(root))

    found = archive.search_sessions(Home(root), words, wanted, limit=9)
    assert [passage.number for passage in found] == expected


def test_identifiers_and_scripts_without_spaces_are_found_by_their_parts(
    store: MemoryStore, root: Path
) -> None:
    transcript = shop(root)
    transcript.user("Rename getUserById in the shop, please. 数据库连接超时怎么办")
    transcript.assistant("Renamed everywhere.")
    end(root, transcript)

    for words in ("user", "连接超时"):
        assert archive.search_sessions(Home(root), words, SessionFilter(), limit=1)[0].number == 5


def asked(store: MemoryStore, query: str) -> ToolAnswer:
    backend = backend_of(store.home, machine_id="testbox")
    binding = Binding(store, machine_id="testbox", backend=backend)
    return tools.call(binding, "memory_search", {"query": query})


def test_memory_search_adds_passages_where_the_notes_say_little(
    store: MemoryStore, root: Path
) -> None:
    transcript = shop(root)
    ran(transcript, "psql -c 'select 1'", "FATAL: role grommet is missing", call="d", failed=True)
    for number in range(9):
        transcript.user(f"Now look at page {number} of the shop and tell me what it sells")
        transcript.assistant(f"Page {number} sells lamps and tables; nothing to fix there.")
    end(root, transcript)

    answer = asked(store, "what happened with the missing role grommet in postgres?")
    assert "From transcripts of sessions on this machine" in answer.text
    passages = answer.structured["transcripts"]
    assert len(passages) <= 3
    assert passages[0]["text"].endswith("FATAL: role grommet is missing")
    assert all("body" in note for note in answer.structured["result"])


def test_memory_search_gives_notes_alone_where_one_has_every_word(
    store: MemoryStore, root: Path
) -> None:
    end(root, shop(root))
    store.write(type="semantic", title="Lamps sell best", body="Lamps sell best in May.")

    assert "transcripts" not in asked(store, "lamps sell best").structured


def test_memory_search_answers_where_the_archive_cannot_be_used(
    store: MemoryStore, root: Path
) -> None:
    end(root, shop(root))
    for path in root.glob("sessions.db*"):
        path.unlink()
    (root / "sessions.db").mkdir()

    answer = asked(store, "which grommet was taken by the watcher?")
    assert not answer.is_error
    assert answer.structured["result"]
    assert "transcripts" not in answer.structured


def test_a_question_does_not_wait_for_another_process_that_reads_sessions(
    store: MemoryStore, root: Path
) -> None:
    home = Home(root)
    end(root, shop(root))
    save(home, Header("s-2"), [Turn("person", text="grommets")])

    with locks.held(home.lock("archive"), name="a test", timeout=1):
        assert database.refresh(home, most=3) == 0
        assert ask.passages(home, "grommets", SessionFilter(), limit=1) == []
    assert database.refresh(home, most=3) == 0
    assert ask.passages(home, "grommets", SessionFilter(), limit=1)


def test_a_session_can_be_read_on_by_its_address(store: MemoryStore, root: Path) -> None:
    end(root, shop(root))
    backend = backend_of(store.home, machine_id="testbox")
    binding = Binding(store, machine_id="testbox", backend=backend)

    content = resources.read(binding, "memory://session/s-1/3")
    assert content is not None
    head, *lines = map(json.loads, content.text.splitlines())
    assert (head["turns"], [line["number"] for line in lines]) == (5, [3, 4])
    assert resources.read(binding, "memory://session/s-1/x") is None
    assert resources.read(binding, "memory://session/../index.db/0") is None


def test_forgetting_a_note_deletes_its_session(store: MemoryStore, root: Path) -> None:
    captured = end(root, shop(root))
    assert captured.note is not None
    forget(store, [captured.note.id])

    assert files.listed(Home(root)) == []
    assert ask.passages(Home(root), "EADDRINUSE", SessionFilter(), limit=3) == []


def test_the_oldest_sessions_go_first(store: MemoryStore, root: Path) -> None:
    home, now = Home(root), 1_800_000_000.0
    for age, session in ((1, "new"), (2, "older"), (500, "oldest")):
        save(home, Header(session), [Turn("person", text=os.urandom(3000).hex())])
        os.utime(files.path_of(home, session), (now - age * 86400,) * 2)

    assert files.expire(home, days=400, megabytes=500, now=now) == 1
    assert files.expire(home, days=400, megabytes=0, now=now) == 2


@pytest.mark.parametrize("keep", [0, 10, 60, 150])
def test_a_damaged_archive_gives_what_it_has_and_the_next_capture_repairs_it(
    store: MemoryStore, root: Path, keep: int
) -> None:
    transcript = shop(root)
    end(root, transcript)
    path = Path(files.path_of(Home(root), "s-1"))
    whole = turns(root)
    path.write_bytes(path.read_bytes()[:keep])

    damaged = files.load(str(path))
    assert damaged is None or damaged.turns == whole[: len(damaged.turns)]
    archive.search_sessions(
        Home(root), "EADDRINUSE", SessionFilter(), limit=1
    )  # says nothing, raises nothing
    end(root, transcript)
    assert turns(root) == whole


@pytest.mark.parametrize("damage", [b"", b"not a database", None])
def test_a_lost_or_damaged_index_is_built_again(
    store: MemoryStore, root: Path, damage: bytes | None
) -> None:
    end(root, shop(root))
    path = Path(Home(root).sessions_db)
    for each in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        each.unlink(missing_ok=True)
    if damage is not None:
        path.write_bytes(damage)

    assert archive.search_sessions(Home(root), "EADDRINUSE", SessionFilter(), limit=1)


def test_a_question_reads_only_so_many_changed_sessions(store: MemoryStore, root: Path) -> None:
    home = Home(root)
    for number in range(7):
        save(home, Header(f"s-{number}"), [Turn("person", text=f"word{number}")])

    assert database.refresh(home, most=3) == 4
    assert database.refresh(home, most=3) == 1
    assert database.refresh(home) == 0


def test_an_archive_that_cannot_be_written_does_not_cost_the_note(
    store: MemoryStore, root: Path
) -> None:
    (root / "sessions").write_text("in the way")

    assert end(root, shop(root)).note is not None
    with pytest.raises(NotWritable):
        save(Home(root), Header("s-9"), [Turn("person", text="x")])


def test_how_gives_the_command_that_worked_and_what_it_fixed(
    store: MemoryStore, root: Path
) -> None:
    end(root, shop(root))
    end(root, shop(root, "s-2"), "s-2")

    best = how(Home(root), "start the shop with npm", SessionFilter(), limit=3)[0]
    assert (best.command, best.times) == ("npm start -- --port 4041", 2)
    assert best.fixed == "Error: listen EADDRINUSE 4040"


def test_a_command_says_how_before_one_that_printed_the_word(
    store: MemoryStore, root: Path
) -> None:
    transcript = shop(root)
    for n in range(4):
        ran(transcript, f"ls out/{n}", "build of the shop " * 20, call=f"l{n}", failed=False)
        ran(transcript, f"pytest -k {n}", "build of the shop " * 20, call=f"p{n}", failed=False)
    ran(transcript, "npm run build", "compiled", call="built", failed=False)
    end(root, transcript)

    found = [each.command for each in how(Home(root), "build it", SessionFilter(), limit=3)]

    assert found == ["npm run build"]


def test_what_was_run_most_often_says_how(store: MemoryStore, root: Path) -> None:
    transcript = shop(root)
    ran(transcript, "pytest tests/test_cart.py", "ok", call="one", failed=False)
    for n in range(9):
        ran(
            transcript, "cd shop && PYTHONPATH=. pytest -q | tail", "ok", call=f"t{n}", failed=False
        )
        ran(transcript, "npm run dev", "running the tests", call=f"d{n}", failed=False)
        ran(transcript, f"git pull --rebase {n}", "ok", call=f"g{n}", failed=False)
    ran(transcript, "gh pr create --fill", "example.org/shop/pull/9", call="pr", failed=False)
    ran(transcript, "gh pr list", "9", call="list", failed=False)
    end(root, transcript)

    def first(words: str) -> str:
        return how(Home(root), words, SessionFilter(), limit=1)[0].command

    assert first("run the tests") == "PYTHONPATH=. pytest -q"
    assert first("open a pull request") == "gh pr create --fill"
    assert first("how do I pull") != "gh pr create --fill"


def test_the_passages_of_a_search_fit_on_a_screen(store: MemoryStore, root: Path) -> None:
    transcript = shop(root)
    for n in range(9):
        filler = f"Something else about the oven number {n}. " * 40
        transcript.assistant(f"{filler}The oven of the shop has valve {n}. {filler}")
    end(root, transcript)

    found = archive.search_sessions(Home(root), "valve of the oven", SessionFilter(), limit=5)

    assert 1 < len(found) <= 5
    assert sum(len(each.text) for each in found) <= 2_000
    assert all("valve" in each.text for each in found)


def test_a_standup_tells_decisions_and_results_not_first_lines(
    store: MemoryStore, root: Path
) -> None:
    early = [
        f"- Let us look at how the basket of the oven number {n} works today" for n in range(8)
    ]
    body = "\n".join(
        ["**Ask:** round prices", "", "**Asked and answered later:**", "- Which mode? → half up",
         "- and add a test", "", "**Decided and found:**", *early, "- | a | 1 | 2 |",
         "- Prices are rounded half up when the invoice is made, not in the basket",
         "- 1ab2c3d Round prices of an invoice half up", "", "**Commits:**",
         "- 1ab2c3d Round prices of an invoice half up", "", "**Last results:**",
         "- `pytest -q`: passed: 12 passed", "", "**Outcome:** Prices are rounded:",
         "- half up, once"]
    )  # fmt: skip
    write_file(
        root,
        "memory/episodic/E1.md",
        "---\nid: E1\ntype: episodic\ntitle: Round prices\nproject: shop\nmachine_id: desk\n"
        'created_at: "2026-11-15T20:00:00+00:00"\nupdated_at: "2026-11-15T20:00:00+00:00"\n'
        f"---\n{body}\n",
    )
    store.refresh()

    ((project,),) = [standup(store, since="2026-11-01")]
    (session,) = project.sessions

    assert session.decided[0] == "Which mode? → half up"
    assert (
        "Prices are rounded half up when the invoice is made, not in the basket" in session.decided
    )
    assert not any(line.startswith(("|", "1ab2c3d")) for line in session.decided)
    assert session.results == ("`pytest -q`: passed: 12 passed",)
    assert session.outcome == "Prices are rounded: half up, once"
    assert "done: Prices are rounded: half up, once" in markdown([project])


def test_a_standup_tells_what_was_done_and_what_is_open(store: MemoryStore, root: Path) -> None:
    transcript = shop(root)
    transcript.assistant(
        {"type": "tool_use", "id": "t", "name": "TodoWrite",
         "input": {"todos": [{"content": "Stop the old watcher", "status": "pending"}]}}
    )  # fmt: skip
    transcript.assistant("The shop runs; the old watcher is still to be stopped.")
    end(root, transcript)

    text = markdown(standup(store, since="2026-11-01"))
    assert "Stop the old watcher" in text
    assert "7 turns" in text
    assert standup(store, since="2026-11-01", machine="elsewhere") == []
    assert standup(store, since="today") == []
    with pytest.raises(InvalidInput):
        standup(store, since="whenever")

    store.write(type="episodic", title="Written by hand", body="without labels")
    assert "Written by hand" in markdown(standup(store, since="today"))


def test_the_commands_answer_after_the_client_deleted_its_transcripts(tmp_path: Path) -> None:
    root = tmp_path / ".anamnesis"
    transcript = shop(root)
    hook(
        tmp_path,
        "capture",
        "--no-sync",
        f"--transcript={transcript.path}",
        payload={"session_id": "s-1"},
    )
    transcript.path.unlink()

    assert b"s-1" in hook(tmp_path, "sessions").stdout
    assert b"EADDRINUSE" in hook(tmp_path, "sessions", "search", "port", "taken", "4040").stdout
    shown = hook(tmp_path, "sessions", "show", "s-1", "--around", "1").stdout.decode()
    assert "$ npm start\n  | Error: listen EADDRINUSE 4040" in shown
    assert (
        json.loads(hook(tmp_path, "sessions", "show", "s-1", "--json").stdout)["session"] == "s-1"
    )
    assert b"npm start -- --port 4041" in hook(tmp_path, "how", "npm", "start").stdout
    note = json.loads(hook(tmp_path, "list", "--json").stdout)[0]["id"]
    assert b"EADDRINUSE" in hook(tmp_path, "show", note, "--session").stdout
    missing = hook(tmp_path, "sessions", "show", "nobody")
    assert missing.returncode == 2
    assert b"There is no archived session 'nobody'." in missing.stderr


def test_backfill_keeps_sessions_that_were_captured_before_there_was_an_archive(
    tmp_path: Path,
) -> None:
    root = tmp_path / ".anamnesis"
    place = tmp_path / ".claude" / "projects" / "shop"
    place.mkdir(parents=True)
    transcript = shop(root)
    transcript.path.rename(place / "s-1.jsonl")
    hook(tmp_path, "capture", "--backfill", "--no-sync", ANAMNESIS_ARCHIVE="0")
    assert files.listed(Home(root)) == []

    hook(tmp_path, "capture", "--backfill", "--no-sync")
    assert b"EADDRINUSE" in hook(tmp_path, "sessions", "search", "EADDRINUSE").stdout


def test_a_sweep_keeps_once_what_an_earlier_version_captured_and_did_not_keep(
    tmp_path: Path,
) -> None:
    root = tmp_path / ".anamnesis"
    place = tmp_path / ".claude" / "projects" / "shop"
    place.mkdir(parents=True)
    for session in ("s-1", "s-2", "s-3"):
        shop(root, session).path.rename(place / f"{session}.jsonl")
    hook(tmp_path, "capture", "--backfill", "--no-sync", ANAMNESIS_ARCHIVE="0")
    switches.stand_back(Home(root), "s-3")

    hook(tmp_path, "capture", "--sweep", "--no-sync", ANAMNESIS_SWEEP="1")
    kept = sorted(os.path.basename(each.path) for each in files.listed(Home(root)))
    Path(files.path_of(Home(root), "s-2")).unlink()
    hook(tmp_path, "capture", "--sweep", "--no-sync", ANAMNESIS_SWEEP="1")

    assert kept == ["s-1.jsonl.gz", "s-2.jsonl.gz"]
    assert [os.path.basename(each.path) for each in files.listed(Home(root))] == ["s-1.jsonl.gz"]


def test_uninstall_with_purge_deletes_the_archive(tmp_path: Path) -> None:
    root = tmp_path / ".anamnesis"
    hook(tmp_path, "capture", "--no-sync", f"--transcript={shop(root).path}")
    hook(tmp_path, "sessions")
    hook(tmp_path, "uninstall", "--purge", "--yes")

    assert not root.exists()


def asks(root: Path, text: str, session: str = "later", project: str = "shop") -> str:
    """What the hook gives a session that asks this."""
    return recall_for_prompt(Home(root), Payload(prompt=text, session_id=session), project=project)


def long_talk(root: Path) -> Captured:
    """A session of which the note is too short to keep everything that was said."""
    transcript = Transcript(root.parent / "s-1.jsonl", session="s-1", cwd="/home/u/shop")
    transcript.user("Rework the checkout of the shop so that vouchers can be redeemed")
    for number in range(40):
        transcript.user(f"Look at step {number} of the checkout and tell me how it works today")
        filler = "It validates the basket and hands over to the next handler. " * 6
        transcript.assistant(f"Step {number} is the handler of part {number}. {filler}")
    transcript.user("Which marmot burrow does the voucher printer live in, by the way?")
    transcript.assistant("The voucher printer lives in burrow Zeta, beside the boiler.")
    for number in range(150):
        transcript.user(f"And part {number}, is there a reason to touch it for the redeeming?")
        name = "".join(chr(97 + number * step % 26) for step in (3, 5, 7, 11, 17))
        transcript.assistant(
            f"The voucher {name} of the checkout lives in locker {name.upper()} {number * 37}, "
            f"beside the {name[::-1]} boiler; vouchers can be redeemed without the {name} printer."
        )
    transcript.edit("/home/u/shop/checkout.py", call="z").result(call="z")
    transcript.assistant("Vouchers can be redeemed in the checkout now; all of its tests pass.")
    return end(root, transcript)


def test_a_question_brings_what_was_said_in_a_session_beside_its_note(
    store: MemoryStore, root: Path
) -> None:
    note = long_talk(root).note
    assert note is not None
    assert "Zeta" not in note.body, "else this would show nothing"

    given = asks(root, "where does the voucher printer of the checkout live, which burrow?")

    assert "burrow Zeta" in given
    assert "memory://session/s-1/TURN" in given
    assert note.id in given


def test_an_order_in_the_same_words_brings_nothing_of_what_was_said(
    store: MemoryStore, root: Path
) -> None:
    long_talk(root)

    assert "Zeta" not in asks(root, "move the voucher printer of the checkout to a live burrow")


def test_a_session_is_not_told_what_was_said_in_it(store: MemoryStore, root: Path) -> None:
    long_talk(root)

    question = "where does the voucher printer of the checkout live, which burrow?"
    assert asks(root, question, session="s-1") == ""


def test_a_prompt_is_answered_where_the_archive_cannot_be_used(
    store: MemoryStore, root: Path
) -> None:
    long_talk(root)
    Path(Home(root).sessions_db).write_bytes(b"not a database" * 1000)

    asks(root, "where does the voucher printer of the checkout live, which burrow?")

    assert Path(Home(root).sessions_db).read_bytes() == b"not a database" * 1000, (
        "a hook only reads"
    )


def test_a_client_that_dates_its_turns_anew_leaves_each_once(
    store: MemoryStore, root: Path
) -> None:
    export = json.loads((SAMPLES / "opencode" / "export.json").read_text())
    for updated in (1, 2):
        export["info"]["time"]["updated"] += 60_000 * updated
        path = root.parent / "export.json"
        path.write_text(json.dumps(export))
        payload = Payload(session_id=export["info"]["id"], transcript_path=str(path))
        capture(Home(root), payload, source="checkpoint" if updated == 1 else "session-end")

    kept = archive.show_session(Home(root), export["info"]["id"])

    assert len(kept.turns) == len(read_transcript(path).turns) > 2
