"""What a session starts with, in six situations, word for word (see test_golden.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.inject.clip import LIMIT
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.machine import checkouts, project
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from anamnesis.text.clipping import units
from golden.test_golden import compare
from support.fleet import git

KEY = "github.com/ada/till"
FORMER = "gitlab.com/bakery/till"
SESSIONS = {
    "Print receipts while offline": """\
**Ask:** Let the till print receipts while it is offline

**Branch:** {branch}

**Decided and found:**
- Receipts are kept in a queue of at most 500 and printed in order once the printer answers.
- The printer needs 40 ms between two lines; faster, it drops the cut command.

**Commits:**
- 3f1c9ab Queue receipts while the printer is away

**Errors and fixes:**
- `make test` failed: KeyError: 'printer' → edited `till/settings.py`

**Last results:**
- `make test`: 214 passed in 9.31s

**Open:**
- show in the till how many receipts wait
- `till/drawer.py` still opens the drawer before the receipt is printed

**Outcome:** Receipts are queued and survive a restart; the drawer is next.
""",
    "Count stock at night": """\
**Ask:** Count the stock at night and not when the shop opens

**Branch:** {branch}

**Decided and found:**
- The count runs at 3:30, after the backup; both lock the same table.

**Commits:**
- 90be2d1 Count stock after the backup

**Open:**
- nothing reports a count that was skipped

**Outcome:** The count takes four minutes and is done before six.
""",
    "Move the tax table into a file": """\
**Ask:** Move the tax table out of the code

**Branch:** {branch}

**Decided and found:**
- `config/tax.toml` has a row for each rate, with the day from which it holds.

**Last results:**
- `make test`: 2 failed, 207 passed in 9.02s

**Open:**
- two tests of the day report expect the old rates

**Outcome:** The table is read at the start; the report is not adapted yet.
""",
}
# Together 135 different notes.
_PARTS = (
    "printer", "drawer", "scanner", "tax table", "price list", "day report", "login",
    "card reader", "backup", "display", "queue", "stock count", "discount", "export", "clock",
)  # fmt: skip
_FACTS = {
    "is configured in `config/{0}.toml`": "The file wins over the environment.",
    "fails after a daylight saving change": "It compares local times. Compare UTC.",
    "needs the shop's network": "From outside, `ssh -L 7000:till:7000 shop` is enough.",
    "is tested with `make test-{0}`": "The tests start the real service on a free port.",
    "must not block the sale": "Each call may take 300 ms; then the sale goes on without it.",
    "was moved out of `till/main.py`": "Its module is `till/{0}.py`; the old import warns.",
    "logs to `/var/log/till/{0}.log`": "One line for each event, kept for a month.",
    "keeps its state in SQLite": "WAL mode: the report reads while the till writes.",
    "has its own release step": "Tag `{0}-v*`, wait for the build, then `make roll-{0}`.",
}
_HABITS = (
    "Write British English", "Ask before a new dependency", "Small commits, one subject each",
    "No force push on main", "Explain a failing test first", "Measure before tuning",
    "Use uv and never pip", "Dates as 2026-11-18", "Keep functions short", "Say what was not run",
)  # fmt: skip


_PLACES = ("Python", "TypeScript", "SQL", "documents")


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")
    monkeypatch.setattr("anamnesis.ground.clock.utcnow", lambda: "2026-11-18T08:00:00+00:00")


@pytest.fixture
def till(home: Path) -> Path:
    """A checkout of the till."""
    directory = home / "till"
    directory.mkdir()
    git("init", "--quiet", "--initial-branch=main", cwd=directory)
    git("remote", "add", "origin", f"https://{KEY}.git", cwd=directory)
    git("commit", "--quiet", "--allow-empty", "--message=Begin", cwd=directory)
    return directory


def note(number: int, day: str, title: str, body: str, **fields: object) -> Memory:
    at = f"2026-{day}T08:00:00+00:00"
    given: dict[str, object] = {"type": "semantic", "project": KEY, "machine_id": "laptop"}
    given |= {"id": f"01JC000000000000000000{number:04}", "title": title, "body": body}
    return Memory(**(given | {"created_at": at, "updated_at": at} | fields))  # type: ignore[arg-type]


def session(number: int, day: str, title: str, *, branch: str = "main", **fields: object) -> Memory:
    given = {"type": "episodic", "prov_source": "session-end", "origin": "session:x"}
    body = SESSIONS[title].format(branch=branch)
    return note(number, day, title, body, **(given | fields))


def fill(root: Path, *notes: Memory) -> None:
    """Put notes as a pull does: many at once."""
    for each in notes:
        path = root / "memory" / each.type / f"{each.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(serialize(each), encoding="utf-8")
    with MemoryStore(root) as store:
        store.reindex()


def rule(number: int, title: str, body: str, **fields: object) -> Memory:
    given = {"type": "procedural", "tags": ["pinned"], "project": "global"}
    return note(number, "10-02", title, body, **(given | fields))


def facts(count: int, *, first: int, project: str = KEY) -> list[Memory]:
    """So many notes of a project, from several months."""
    found = []
    for at in range(count):
        part, (said, why) = (
            _PARTS[at % len(_PARTS)],
            list(_FACTS.items())[at // len(_PARTS) % len(_FACTS)],
        )
        name, day = part.replace(" ", "_"), f"{1 + at * 37 % 280 // 28:02}-{1 + at * 37 % 28:02}"
        title = f"The {part} {said.format(name)}"
        found.append(note(first + at, day, title, why.format(name), project=project))
    return found


def start(root: Path, directory: Path, *, source: str = "startup") -> str:
    cwd = str(directory)
    told = Payload(event="SessionStart", session_id="s-9", source=source, cwd=cwd)
    return inject(Home(root), told)


def test_a_new_project(root: Path, till: Path) -> None:
    fill(
        root,
        rule(1, "Write British English", "In code, commits and answers."),
        note(2, "09-30", "Use uv and never pip", "It is on every machine.", project="global"),
        note(3, "09-12", "How I name branches", "feature/ or fix/.", project="global"),
    )  # fmt: skip

    compare("start-new-project", start(root, till))


def test_a_busy_project(root: Path, till: Path) -> None:
    habits = [f"{habit}, in {where}" for where in _PLACES for habit in _HABITS]
    fill(
        root,
        rule(1, "Never deploy on a Friday", "The baker sells most on Saturday.", project=KEY),
        rule(2, "Write British English", "In code, commits and answers."),
        note(3, "11-02", "Prices in cents, as integers", "Never as floats.", project=KEY,
             type="procedural", tags=["rule", "reflection"], prov_source="reflection"),
        session(4, "11-17", "Print receipts while offline"),
        session(5, "11-16", "Count stock at night"),
        *(note(100 + at, "08-01", each, "Agreed on in August. " * (1 + 40 * (at % 2)),
               project="global") for at, each in enumerate(habits)),
        *facts(135, first=1000),
        *facts(1_820, first=2000, project="github.com/ada/oven"),
    )  # fmt: skip

    text = start(root, till)

    compare("start-busy-project", text)
    assert units(text) >= 0.9 * LIMIT


def test_another_branch(root: Path, till: Path) -> None:
    git("checkout", "--quiet", "-b", "offline-receipts", cwd=till)
    git("commit", "--quiet", "--allow-empty", "--message=Queue receipts", cwd=till)
    git("checkout", "--quiet", "main", cwd=till)
    checkouts.learn(Home(root), str(till))
    fill(
        root,
        session(1, "11-17", "Print receipts while offline", branch="offline-receipts"),
        session(2, "11-12", "Count stock at night"),
        *facts(6, first=1000),
    )

    compare("start-another-branch", start(root, till))


def test_after_another_machine_worked(root: Path, till: Path) -> None:
    fill(
        root,
        session(1, "11-12", "Count stock at night"),
        session(2, "11-17", "Print receipts while offline", machine_id="desk"),
        session(3, "11-16", "Move the tax table into a file", machine_id="desk"),
        note(4, "11-16", "Tax rates change in January", "Both are known from December on.",
             machine_id="desk"),
        *facts(6, first=1000),
    )  # fmt: skip

    compare("start-after-another-machine", start(root, till))


def test_after_a_compaction(root: Path, till: Path) -> None:
    fill(
        root,
        rule(1, "Never deploy on a Friday", "The baker sells most on Saturday.", project=KEY),
        session(2, "11-18", "Print receipts while offline", prov_session="s-9"),
        session(3, "11-16", "Count stock at night", prov_session="s-8"),
        *facts(6, first=1000),
    )

    compare("start-after-compaction", start(root, till, source="compact"))


def test_a_moved_repository(root: Path, till: Path) -> None:
    for origin in (FORMER, KEY):
        git("remote", "set-url", "origin", f"https://{origin}.git", cwd=till)
        checkouts.learn(Home(root), str(till))
    former = session(1, "11-17", "Print receipts while offline", project=FORMER)
    fill(root, former, *facts(6, first=1000, project=FORMER))

    asked = start(root, till)
    project.add_name(Home(root), str(till), FORMER)

    assert FORMER in json.loads(asked)["systemMessage"]
    compare("start-moved-repository", f"{asked}\n---\n\n{start(root, till)}")
