from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks import receipts, runs, switches
from anamnesis.hooks.payload import Payload
from anamnesis.inject import _MAX_EPISODIC, select_inject
from anamnesis.notes import tree
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.store import MemoryStore
from anamnesis.text import clipping
from support.notes import write_file

START = Payload(event="SessionStart", session_id="s-1", cwd="/home/u/demo", source="startup")


def put(store: MemoryStore, id: str, *, day: int = 1, **fields: object) -> Memory:
    given: dict[str, object] = {"type": "semantic", "title": f"Title {id}", "body": f"Body {id}."}
    at = f"2026-01-{day:02}T00:00:00+00:00"
    given |= {"project": "demo", "created_at": at, "updated_at": at, **fields}
    return store.put(Memory(id=id, **given))  # type: ignore[arg-type]


def chosen(store: MemoryStore, *, k: int = 8, project: str = "demo") -> list[str]:
    return [note.id for note in select_inject(store, project=project, k=k)]


def test_all_global_notes_then_the_latest_of_the_project(store: MemoryStore) -> None:
    for day in range(1, 13):
        put(store, f"P{day:02}", day=day, type="procedural" if day % 2 else "semantic")
        put(store, f"G{day:02}", day=day, project="global")
        put(store, f"X{day:02}", day=day, project="elsewhere")

    found = chosen(store, k=3)

    assert found == [*(f"G{day:02}" for day in range(12, 0, -1)), "P12", "P11", "P10"]


def test_the_last_episodes_have_a_place_inside_of_the_budget(store: MemoryStore) -> None:
    for day in range(1, 5):
        put(store, f"D{day}", day=day)
        put(store, f"E{day}", day=day, type="episodic")

    assert chosen(store, k=4) == ["D4", "D3", "E4", "E3"]
    assert chosen(store, k=1) == ["E4"]
    assert chosen(store, k=0) == []
    assert chosen(store, k=-5) == []
    assert _MAX_EPISODIC == 2


def test_notes_beyond_the_chosen_ones_are_counted(store: MemoryStore, root: Path) -> None:
    for day in range(1, 13):
        put(store, f"P{day:02}", day=day)
        put(store, f"X{day:02}", day=day, project="elsewhere")
    put(store, "E1", type="episodic", prov_session=START.session_id)
    put(store, "P13", day=13, supersedes="P12")

    told = inject(Home(root), START, k=8)

    assert told.count("## [semantic]") == 8
    assert "## Not shown in full: memory_search for the rest\n- and 4 more\n" in told
    assert "Not shown" not in inject(Home(root), START, k=12)


def test_a_session_is_not_told_what_it_did_itself(store: MemoryStore, root: Path) -> None:
    for day, session in enumerate(["a", "b", "c"], start=1):
        put(store, f"E{day}", day=day, type="episodic", title=f"Sqlite WAL work {session}",
            prov_session=session)  # fmt: skip
    resumed = Payload(session_id="c", cwd="/u/demo", prompt="sqlite WAL work again, please")

    text = inject(Home(root), resumed)

    assert "Body E3" not in text
    assert "Body E2" in text
    assert "Body E1" in text
    assert recall_for_prompt(Home(root), resumed) == ""


def test_recency_wins_and_confidence_breaks_ties(store: MemoryStore) -> None:
    put(store, "LOW", day=2, confidence=0.5)
    put(store, "HIGH", day=2, confidence=0.9, type="procedural")
    put(store, "NEW", day=3, confidence=0.1)

    assert chosen(store) == ["NEW", "HIGH", "LOW"]


def test_superseded_and_reflected_notes_are_left_out(store: MemoryStore) -> None:
    put(store, "OLD")
    put(store, "NEW", supersedes="OLD")
    put(store, "DONE", type="episodic", tags=["session", "reflected"])
    put(store, "OPEN", type="episodic", tags=["session"])
    put(store, "GONE", project="global")
    put(store, "HERE", project="global", supersedes="GONE")

    assert chosen(store) == ["HERE", "NEW", "OPEN"]


def test_the_latest_session_is_shown_after_its_reflection_while_it_has_open_points(
    store: MemoryStore,
) -> None:
    done = ["session", "reflected"]
    unfinished = "**Ask:** move the cart\n\n**Open:**\n- move the prices too"
    put(store, "BEFORE", day=1, type="episodic", tags=done, body=unfinished)
    put(store, "LAST", day=2, type="episodic", tags=done, body=unfinished)

    assert chosen(store) == ["LAST"]

    put(store, "FINISHED", day=3, type="episodic", tags=done, body="**Outcome:** it is moved")
    assert chosen(store) == []


def test_a_global_session_gets_each_note_once(store: MemoryStore) -> None:
    put(store, "A", project="global")
    put(store, "B", project="global", type="episodic")

    assert sorted(chosen(store, project="global")) == ["A", "B"]


def test_a_file_that_broke_is_left_out(store: MemoryStore, root: Path) -> None:
    put(store, "GOOD")
    put(store, "BAD")
    write_file(root, "memory/semantic/BAD.md", "no front matter any more")

    assert chosen(store) == ["GOOD"]


def test_an_injection_leaves_a_receipt(store: MemoryStore, root: Path) -> None:
    put(store, "A", project="global")
    put(store, "B")

    text = inject(Home(root), START, project="demo")

    (receipt,) = receipts.latest(Home(root))
    assert receipt["session"] == "s-1"
    assert receipt["units"] == clipping.units(text)
    given = [(note["id"], note["why"]) for note in receipt["notes"]]
    assert given == [("B", "recent semantic note of the project"), ("A", "global")]
    (run,) = runs.latest_runs(Home(root))
    assert (run["hook"], run["ok"]) == ("inject", True)


def test_the_project_comes_from_the_directory(store: MemoryStore, root: Path) -> None:
    put(store, "B")

    assert "Body B." in inject(Home(root), START)
    assert inject(Home(root), Payload(cwd="/home/u/elsewhere")) == ""


def test_only_the_notes_that_are_printed_are_read(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        put(store, f"G{number:02}", project="global", body="word " * 150)
    reads = []
    read_note = tree.read_note

    def counted(root: str, path: str) -> tree.ReadNote:
        reads.append(path)
        return read_note(root, path)

    monkeypatch.setattr(tree, "read_note", counted)

    text = inject(Home(root), START)

    assert text.count("\n## [semantic]") >= 8
    assert len(reads) <= text.count("\n## [semantic]") + 10
    assert "- [semantic] Title G" in text


def test_a_failure_is_told_at_the_next_start(store: MemoryStore, root: Path) -> None:
    runs.failed(Home(root), "capture", "disk full")

    text = inject(Home(root), START)

    assert "capture has been failing since" in text
    assert "Run: anamnesis capture --backfill" in text


def test_nothing_is_injected_or_recalled_while_paused(store: MemoryStore, root: Path) -> None:
    put(store, "A", project="global", title="SQLite locking")
    switches.pause(Home(root))

    assert inject(Home(root), START) == ""
    assert recall_for_prompt(Home(root), Payload(prompt="sqlite locking", cwd="/demo")) == ""


def test_a_prompt_brings_a_note_to_mind_once(store: MemoryStore, root: Path) -> None:
    put(store, "A", title="SQLite in WAL mode", body="Set busy_timeout.")
    put(store, "OTHER", title="SQLite in WAL mode", body="Set it.", project="elsewhere")
    asked = Payload(prompt="why is sqlite in WAL mode so slow?", session_id="s-9", cwd="/u/demo")

    first = recall_for_prompt(Home(root), asked)
    second = recall_for_prompt(Home(root), asked)

    assert "Set busy_timeout." in first
    assert "Set it." not in first
    assert second == ""
    (receipt,) = receipts.latest(Home(root))
    assert [note["id"] for note in receipt["notes"]] == ["A"]
    why = receipt["notes"][0]["why"]
    assert "sqlite (in 2 notes)" in why
    assert "coverage" in why


def test_a_prompt_does_not_repeat_what_the_session_started_with(
    store: MemoryStore, root: Path
) -> None:
    put(store, "A", title="SQLite in WAL mode", body="Set busy_timeout.")
    inject(Home(root), START)

    asked = Payload(prompt="why is sqlite in WAL mode slow?", session_id="s-1", cwd="/u/demo")

    assert recall_for_prompt(Home(root), asked) == ""


@pytest.mark.parametrize("prompt", ["continue", "/clear", "what is the time in Berlin now?"])
def test_most_prompts_bring_nothing_to_mind(store: MemoryStore, root: Path, prompt: str) -> None:
    put(store, "A", title="SQLite in WAL mode", body="Set busy_timeout now.")

    assert recall_for_prompt(Home(root), Payload(prompt=prompt, cwd="/u/demo")) == ""


def test_what_a_hook_said_before_is_not_part_of_the_prompt(store: MemoryStore, root: Path) -> None:
    put(store, "A", title="SQLite in WAL mode", body="Set busy_timeout.")
    prompt = "<hook_context>sqlite in WAL mode</hook_context>\n\nrename the login button please"

    assert recall_for_prompt(Home(root), Payload(prompt=prompt, cwd="/u/demo")) == ""


def test_every_run_leaves_a_line(store: MemoryStore, root: Path) -> None:
    inject(Home(root), START)
    recall_for_prompt(Home(root), Payload(prompt="/clear", session_id="s-1"))

    did = [(run["hook"], run["did"]) for run in runs.latest_runs(Home(root))]

    assert did == [
        ("recall-hook", "0 notes for a prompt"),
        ("inject", "0 notes and 0 titles for demo, 0 units"),
    ]


def test_crumbs_are_not_given_beside_the_answer(store: MemoryStore, root: Path) -> None:
    put(store, "BEST", title="Deploying the billing service to staging", body="With a tag.")
    put(store, "CRUMB", title="Staging service", body="It exists.")
    asked = Payload(prompt="deploy the billing service to staging", cwd="/u/demo")

    text = recall_for_prompt(Home(root), asked)

    assert "With a tag." in text
    assert "It exists." not in text
