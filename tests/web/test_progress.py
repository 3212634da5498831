"""Changes of many notes say how far they are, whichever change it is."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from anamnesis.operations.curate import export
from anamnesis.store import MemoryStore
from anamnesis.web.dashboard import Job
from anamnesis.web.pages import background

COUNT = 12


class HalfWay:
    """Lets work go on to a half and no further, until it is told to."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def advance(self, done: int, total: int) -> None:
        self.steps.append((done, total))
        if 2 * done >= total:
            self.reached.set()
            assert self.go_on.wait(30)


@pytest.fixture
def half_way(monkeypatch: pytest.MonkeyPatch) -> Iterator[HalfWay]:
    """Only the speed is made up: work waits half-way, and no page waits for it."""
    waiting, real = HalfWay(), Job.advance

    def slowly(job: Job, done: int, total: int) -> None:
        real(job, done, total)
        waiting.advance(done, total)

    monkeypatch.setattr(Job, "advance", slowly)
    monkeypatch.setattr(background, "AT_ONCE", 0)
    yield waiting
    waiting.go_on.set()


def written(store: MemoryStore, **fields: object) -> list[str]:
    return [
        store.write(**{"type": "semantic", "title": f"{at}", "body": f"words {at}", **fields}).id  # type: ignore[arg-type]
        for at in range(COUNT)
    ]


def followed(browser: TestClient, half_way: HalfWay, work: str) -> str:
    """Look at work half-way and let it end; gives the page that follows."""
    assert work.startswith("/jobs/"), work
    assert half_way.reached.wait(30)
    page = browser.get(work).text
    far = re.search(r"data-far>([\d,]+) of ([\d,]+)<", page)
    assert far is not None
    assert 0 < int(far[1]) <= int(far[2]) == COUNT

    half_way.go_on.set()
    job = browser.app.state.dashboard.jobs.get(work.rpartition("/")[2])  # type: ignore[attr-defined]
    assert job.finished.wait(60)
    steps = half_way.steps
    assert steps == sorted(steps)  # it never goes back
    assert {total for _, total in steps} == {COUNT}
    assert steps[-1] == (COUNT, COUNT)
    assert len({done for done, _ in steps}) > 3
    return browser.get(work, follow_redirects=True).text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"act": "delete"}, "12 notes deleted."),
        ({"act": "tag", "tag": "x"}, "12 notes tagged."),
        ({"act": "untag", "tag": "old"}, "Tag removed from 12 notes."),
        ({"act": "pin"}, "12 notes pinned."),
        ({"act": "type", "type": "procedural"}, "Type of 12 notes changed."),
        ({"act": "project", "project": "other"}, "12 notes moved to another project."),
        ({"act": "confidence", "confidence": "0.5"}, "Confidence of 12 notes changed."),
        ({"act": "machine-local"}, "12 notes made local only."),
    ],
    ids=lambda value: value["act"] if isinstance(value, dict) else "",
)
def test_a_change_of_many_notes_counts_them(
    browser: TestClient,
    store: MemoryStore,
    half_way: HalfWay,
    fields: dict[str, str],
    said: str,
) -> None:
    ids = written(store, tags=["old"])
    answer = browser.post("/notes", data={"ids": " ".join(ids), **fields})
    assert said in followed(browser, half_way, answer.headers["location"])


@pytest.mark.parametrize("decision", ["keep-all", "reject-all"])
def test_a_decision_about_many_notes_counts_them(
    browser: TestClient, store: MemoryStore, half_way: HalfWay, decision: str
) -> None:
    written(store, tags=["pending"])
    answer = browser.post("/review", data={"decision": decision})
    said = {"keep-all": "12 notes kept.", "reject-all": "12 notes rejected."}[decision]
    assert said in followed(browser, half_way, answer.headers["location"])


def test_an_undo_of_many_notes_counts_them(
    browser: TestClient, store: MemoryStore, half_way: HalfWay
) -> None:
    from anamnesis.operations.notes.batch import add_tag

    add_tag(store, written(store), "x")
    answer = browser.post("/undo", data={"latest": "1"})
    assert "Undone: 12 notes tagged." in followed(browser, half_way, answer.headers["location"])


def test_an_import_of_many_notes_counts_them(
    browser: TestClient, store: MemoryStore, half_way: HalfWay
) -> None:
    ids = written(store)
    lines = "".join(export.jsonl_lines(filter(None, map(store.get, ids))))
    for note_id in ids:
        store.delete(note_id)
    answer = browser.post("/import", json={"files": {"notes.jsonl": lines}})
    assert "Imported: 12 new" in followed(browser, half_way, answer.headers["location"])


def test_sources_that_are_filled_in_are_counted(
    browser: TestClient, store: MemoryStore, half_way: HalfWay
) -> None:
    written(store, tags=["session"])
    answer = browser.post("/backfill")
    said = followed(browser, half_way, answer.headers["location"])
    assert "Filled in the source of 12 notes." in said


def test_duplicates_that_are_replaced_are_counted(
    browser: TestClient, store: MemoryStore, half_way: HalfWay
) -> None:
    for at in range(COUNT):
        for _ in range(2):
            store.write(
                type="semantic", title="twice", body=f"the very same {at} words " * (at + 1)
            )
    half_way.go_on.set()
    browser.post("/tidy", data={"view": "duplicates"})
    jobs = browser.app.state.dashboard.jobs  # type: ignore[attr-defined]
    assert all(job.finished.wait(30) for job in jobs._jobs.values())
    half_way.steps.clear()
    half_way.go_on.clear()
    half_way.reached.clear()

    answer = browser.post("/tidy/fold", data={"which": "identical"})

    assert "12 duplicates replaced" in followed(browser, half_way, answer.headers["location"])


def test_an_export_that_takes_long_counts_and_is_kept_until_it_is_saved(
    browser: TestClient, store: MemoryStore, half_way: HalfWay
) -> None:
    ids = written(store)
    answer = browser.post("/notes", data={"ids": " ".join(ids), "act": "export"})

    page = followed(browser, half_way, answer.headers["location"])

    assert "12 notes exported." in page
    link = re.search(r'href="(/exports/[^"]+)"[^>]*>Save notes.jsonl<', page)
    assert link is not None
    for _ in range(2):  # a download that broke off can be asked for again
        file = browser.get(link[1])
        assert file.headers["content-disposition"] == 'attachment; filename="notes.jsonl"'
        assert [json.loads(line)["id"] for line in file.text.splitlines()] == ids
    assert browser.get("/exports/none").status_code == 404


def test_merging_takes_as_many_notes_as_can_be_read_side_by_side(
    browser: TestClient, store: MemoryStore
) -> None:
    ids = [store.write(type="semantic", title=f"{at}", body=f"words {at}").id for at in range(40)]
    answer = browser.post(
        "/notes", data={"ids": " ".join(ids), "act": "merge"}, follow_redirects=True
    )
    assert answer.status_code == 400
    assert "at most 20 notes" in answer.text
