"""The planned start of a session: who gets the room, in which form."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.inject import clip, plan
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.sessions.inject import explain_start, inject, preview
from anamnesis.store import MemoryStore
from anamnesis.text import clipping

SESSION = """\
**Ask:** Move the {0} behind the gateway, step by step, and keep the old address alive.

**Branch:** {1}

**Decided and found:**
{2}

**Errors and fixes:**
- `make test` failed: KeyError: 'region' → edited `settings.py`

**Open:**
- switch the {0} traffic over
- remove the old {0} address

**Outcome:** The {0} answers behind the gateway; {3}
"""


def session(about: str, *, branch: str = "main", words: int = 300) -> str:
    found = "\n".join(f"- fact {number} about the {about}" for number in range(words // 6))
    return SESSION.format(about, branch, found, "it was a long way. " * (words // 8))


def note(id: str, *, day: int = 1, **fields: object) -> Memory:
    at = f"2026-01-{day:02}T00:00:00+00:00"
    given: dict[str, object] = {"type": "semantic", "title": f"Title {id}", "body": f"Body {id}."}
    given |= {"project": "demo", "created_at": at, "updated_at": at, "machine_id": "here"}
    return Memory(id=id, **(given | fields))  # type: ignore[arg-type]


def put(store: MemoryStore, id: str, *, day: int = 1, **fields: object) -> None:
    store.put(note(id, day=day, **fields))


def fill(store: MemoryStore, notes: Iterable[Memory]) -> None:
    """Put many notes at once, as a pull does."""
    for each in notes:
        path = Path(store.root, "memory", each.type, f"{each.id}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(serialize(each), encoding="utf-8")
    store.reindex()


def many() -> Iterator[Memory]:
    """More notes than there is room for, even by their titles."""
    for at in range(60):
        title = f"A fact of the project that was known for long, number {at}"
        yield note(f"N{at:02}", title=title, body="Known for long. " * 60)


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "here")


def test_a_large_store_gives_every_project_its_latest_session_and_uses_the_room(
    store: MemoryStore, root: Path
) -> None:
    rules = [note(f"G{at:02}", project="global", body="A rule. " * 60, day=9) for at in range(40)]
    fill(store, [*rules, *(one_of_many(number) for number in range(1_960))])
    latest = {one_of_many(number).project: one_of_many(number).id for number in _LATEST}

    for project, id in latest.items():
        text = inject(Home(root), Payload(cwd=f"/home/u/{project}"))

        assert f"- switch the service {id} traffic over\n- remove the old service {id}" in text
        assert clip.LIMIT * 0.9 <= clipping.units(text) <= clip.LIMIT


_LATEST = [number for number in range(1_960) if number // 12 == 80]  # on the 28th


def one_of_many(number: int) -> Memory:
    """One of twelve projects' notes; every third is a session."""
    at, id = number // 12, f"N{number:04}"
    kind = ("semantic", "procedural", "episodic")[at % 3]
    body = session(f"service {id}") if kind == "episodic" else "Known. " * 60
    day = 28 if at == 80 else 1 + at % 27
    return note(id, project=f"project-{number % 12}", type=kind, body=body, day=day)


def test_sixty_notes_of_a_project_fill_the_room(store: MemoryStore, root: Path) -> None:
    fill(store, [note(f"N{at:02}", body="Known since the first day. " * 9) for at in range(60)])

    text = inject(Home(root), Payload(cwd="/home/u/demo"))

    assert clipping.units(text) >= clip.LIMIT * 0.9
    assert text.count("\n## [semantic]") > 11


def test_the_last_session_is_continued_and_the_one_before_takes_two_lines(
    store: MemoryStore, root: Path
) -> None:
    put(store, "FIRST", day=1, type="episodic", title="Cart moved", body=session("cart"))
    put(store, "LAST", day=2, type="episodic", title="Search moved", body=session("search"))
    fill(store, many())

    text = inject(Home(root), Payload(cwd="/home/u/demo"))

    last = text.partition("## [episodic] Search moved")[2].partition("\n## ")[0]
    assert "where the last session stopped" in last
    assert "- switch the search traffic over" in last
    assert "failed: KeyError: 'region' → edited `settings.py`" in last
    assert clipping.units(last) >= 1_200
    before = text.partition("## The session before\n")[2].splitlines()
    assert before[0] == "- 2026-01-01 on here: [episodic] Cart moved (FIRST)"
    assert before[1] == "  Open: switch the cart traffic over; remove the old cart address"


def test_the_session_of_this_branch_is_continued_first(
    store: MemoryStore, root: Path, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", "-b", "feature/x", str(tmp_path / "demo")], check=True)
    put(store, "OLD", day=1, type="episodic", body=session("cart", branch="feature/x"))
    put(store, "SIMILAR", day=2, type="episodic", body=session("tax", branch="feature/xy"))
    put(store, "NEW", day=3, type="episodic", body=session("search", branch="main"))

    told = explain_start(Home(root), Payload(cwd=str(tmp_path / "demo")))

    assert "the latest session on branch feature/x: Title OLD (OLD)" in told
    assert "the session before: Title NEW (NEW)" in told


def test_what_other_machines_did_since_takes_a_line_each(store: MemoryStore, root: Path) -> None:
    put(store, "MINE", day=2, type="episodic", body=session("cart"))
    put(store, "KNOWN", day=1, machine_id="desk", title="Known before")
    put(store, "FACT", day=3, machine_id="desk", title="Gateway needs TLS", body="Because. " * 90)
    put(store, "DONE", day=4, machine_id="desk", type="episodic", body=session("tax"))
    put(store, "LATEST", day=5, machine_id="desk", type="episodic", body=session("search"))
    fill(store, many())

    text = inject(Home(root), Payload(cwd="/home/u/demo"))

    news = text.partition("on other machines\n")[2].partition("\n\n")[0].splitlines()
    assert news == ["- 2026-01-03 on desk: [semantic] Gateway needs TLS (FACT)"]
    assert "## [episodic] Title LATEST" in text
    assert "2026-01-04 on desk: [episodic] Title DONE" in text


def test_a_machine_that_was_never_here_is_told_no_news(store: MemoryStore, root: Path) -> None:
    put(store, "A", machine_id="desk")
    put(store, "B", machine_id="desk", type="episodic", body=session("tax"))

    assert "new from" not in explain_start(Home(root), Payload(cwd="/home/u/demo"))


def test_a_long_note_ends_at_a_paragraph_and_says_how_to_read_on(
    store: MemoryStore, root: Path
) -> None:
    paragraphs = [f"Paragraph {number}. " * 20 for number in range(60)]
    put(store, "LONG", body="\n\n".join(paragraphs))

    text = inject(Home(root), Payload(cwd="/home/u/demo"))

    part = text.partition("## [semantic] Title LONG\n")[2].partition("\n\n_End of")[0]
    assert "id: LONG | part of the note, memory_search for the whole_" in part
    *shown, last = part.partition("\n\n")[2].split("\n\n")
    assert shown == paragraphs[: len(shown)]
    assert last.strip().endswith("…")


def test_a_note_of_one_line_is_printed_once(store: MemoryStore, root: Path) -> None:
    put(store, "A", title="Deploy with make ship", body="Deploy with make ship\n")
    put(store, "B", title="Ports begin at", body="Ports begin at 7000, never at 8000.")

    text = inject(Home(root), Payload(cwd="/home/u/demo"))

    assert text.count("Deploy with make ship") == 1
    assert text.count("Ports begin at") == 1
    assert "## [semantic] Ports begin at 7000, never at 8000.\n" in text


def test_an_explicit_k_limits_the_notes_of_the_project(store: MemoryStore, root: Path) -> None:
    for number in range(6):
        put(store, f"N{number}", day=1 + number)

    text = inject(Home(root), Payload(cwd="/home/u/demo"), k=2)

    assert text.count("## [semantic]") == 2
    assert "- and 4 more" in text


def test_titles_of_the_project_come_before_global_ones(store: MemoryStore, root: Path) -> None:
    rules = (note(f"G{at:02}", project="global", body="Do it. " * 60) for at in range(80))
    fill(store, [*rules, *many()])

    text = inject(Home(root), Payload(cwd="/home/u/demo"))

    titles = text.partition("Not shown in full")[2].splitlines()[1:]
    assert titles[0].startswith("- [semantic] A fact of the project")


def test_a_foreign_session_is_not_continued(store: MemoryStore, root: Path) -> None:
    tags = ["session", "reflected", "pending"]
    put(store, "BAD", day=2, type="episodic", tags=tags, body=session("cart"),
        prov_source="import", origin="import:elsewhere")  # fmt: skip

    assert "cart" not in inject(Home(root), Payload(cwd="/home/u/demo"))


def test_the_explanation_names_every_note_and_its_form(store: MemoryStore, root: Path) -> None:
    put(store, "RULE", project="global")
    put(store, "PIN", tags=["pinned"])
    put(store, "LAST", type="episodic", body=session("cart", words=1_500))
    fill(store, many())

    told = explain_start(Home(root), Payload(cwd="/home/u/demo"))
    start = preview(store, project="demo")

    assert told.splitlines()[0] == f"{clipping.units(start.text):,} of 9,500 units"
    assert len(told.splitlines()) == 1 + len(start.entries) == 64
    assert "pinned: Title PIN (PIN)" in told
    assert "global: Title RULE (RULE)" in told
    assert {entry.form for entry in start.entries} >= {plan.WHOLE, plan.CLIPPED, plan.TITLE}
