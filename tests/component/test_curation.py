"""Putting notes in order, without ever losing one."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.hooks.payload import Payload
from anamnesis.inject import select_inject
from anamnesis.notes import tree
from anamnesis.operations.curate import dedup, forget, merge, migrate, pin, review
from anamnesis.operations.curate.backfill_provenance import (
    backfill_provenance,
    provenance_changes,
)
from anamnesis.operations.curate.stale import stale_notes
from anamnesis.operations.sessions.capture import capture
from anamnesis.store import MemoryStore
from support.reflect import FACT, durable, files, sessions


def test_identical_bodies_are_folded_into_the_best(store: MemoryStore) -> None:
    worse = durable(store, "One", body=FACT)
    best = store.write(type="semantic", title="Two", body=FACT, project="app", tags=["db"])
    (found,) = dedup.find_duplicates(store)

    dedup.fold(store, [found])

    assert found.identical
    assert found.keeper.id == best.id
    kept = store.get(best.id)
    assert kept is not None
    assert kept.supersedes == worse.id
    assert set(kept.tags) == {"db", "reflection"}
    assert store.get(worse.id) == worse
    assert dedup.find_duplicates(store) == []


def test_notes_of_different_projects_scopes_and_types_are_not_duplicates(
    store: MemoryStore,
) -> None:
    store.write(type="semantic", title="a", body=FACT, project="one")
    store.write(type="semantic", title="a", body=FACT, project="two")
    store.write(type="procedural", title="a", body=FACT, project="one")
    store.write(type="semantic", title="a", body=FACT, project="one", scope="machine-local")

    assert dedup.find_duplicates(store) == []


def test_a_preview_of_duplicates_changes_nothing(store: MemoryStore, root: Path) -> None:
    durable(store, "One", body=FACT)
    durable(store, "Two", body=FACT)
    before = files(root)

    dedup.find_duplicates(store)

    assert files(root) == before


def test_folding_gives_the_same_bytes_on_both_machines(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "a") as one, MemoryStore(tmp_path / "b") as other:
        for note in (durable(one, "One", body=FACT), durable(one, "Two", body=FACT)):
            other.put(note)

        for store in (one, other):
            dedup.fold(store, dedup.find_duplicates(store))

        assert files(tmp_path / "a") == files(tmp_path / "b")


def test_merging_makes_one_note_with_every_paragraph_once(store: MemoryStore) -> None:
    one = durable(store, "Release", body="Tag it.\n\nPush it.", tags=["release", "pending"])
    two = durable(store, "Releases", body="Push  it.\n\nTell everybody.", tags=["ci"])

    note = merge.merged_note(store, [one.id, two.id], machine_id="here")
    merge.merge(store, note)

    written = store.get(note.id)
    assert written is not None
    assert written.body == "Tag it.\n\nPush it.\n\nTell everybody."
    assert written.supersedes_ids == (one.id, two.id)
    assert written.tags == ["release", "ci"]
    assert store.superseded_ids() == {one.id, two.id}


def test_one_note_cannot_be_merged(store: MemoryStore) -> None:
    note = durable(store)

    with pytest.raises(InvalidInput):
        merge.merged_note(store, [note.id, note.id], machine_id="here")


def test_a_migration_changes_one_line_of_each_file(store: MemoryStore, root: Path) -> None:
    sessions(store, 3, project="old")
    durable(store, project="untouched")
    before = files(root)

    migrate.migrate(store, migrate.project_changes(store, {"old": "github.com/me/new: thing"}))

    for path, data in files(root).items():
        lines, old = data.splitlines(), before[path].splitlines()
        changed = [new for new, was in zip(lines, old, strict=True) if new != was]
        assert all(line.startswith(b"project:") for line in changed)
        assert len(changed) == (b"project: old" in before[path])
    assert len(store.headers(project="github.com/me/new: thing")) == 3


def test_a_migration_keeps_the_spelling_of_a_hand_written_note(
    store: MemoryStore, root: Path
) -> None:
    path = root / "memory/semantic/mine.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "---\nid: MINE\n# a comment\ntype: semantic\ntitle: 'T'\nproject: old\n---\nBody\n"
    )
    store.refresh()

    migrate.migrate(store, migrate.project_changes(store, {"old": "new"}))

    assert path.read_text() == (
        "---\nid: MINE\n# a comment\ntype: semantic\ntitle: 'T'\nproject: new\n---\nBody\n"
    )


def test_provenance_is_told_by_tags(store: MemoryStore) -> None:
    store.write(type="episodic", title="s", body="b", tags=["session"])
    store.write(type="semantic", title="h", body="b", machine_id="mine")

    planned = provenance_changes(store, machine_id="desk")
    backfill_provenance(store, planned)

    found = {note.title: (note.prov_source, note.machine_id) for note in store.list()}
    assert found == {"s": ("session-end", "desk"), "h": ("human", "mine")}


def test_a_pin_is_a_tag(store: MemoryStore) -> None:
    note = durable(store)

    pin.pin(store, [note.id])
    pinned = store.get(note.id)
    pin.pin(store, [note.id], pinned=False)

    assert pinned is not None
    assert "pinned" in pinned.tags
    assert store.get(note.id) == note


def test_a_pinned_note_is_injected_before_newer_ones(store: MemoryStore) -> None:
    first, *_ = [durable(store, f"Note {n}") for n in range(9)]
    assert first.id not in {note.id for note in select_inject(store, project="app", k=3)}

    pin.pin(store, [first.id])

    chosen = select_inject(store, project="app", k=3)
    assert chosen[0].id == first.id
    assert len(chosen) == 3


def test_forgetting_leaves_a_stone_without_content(store: MemoryStore, root: Path) -> None:
    note = durable(store, body="what nobody shall know")

    forget.forget(store, [note.id])

    assert store.get(note.id) is None
    assert files(root) == {tree.tombstone_of(note.id): tree.TOMBSTONE}


def test_a_forgotten_session_is_not_captured_again(store: MemoryStore, root: Path) -> None:
    transcript = Path(__file__).parent.parent / "samples/claude-code"
    path = next(iter(sorted(transcript.rglob("*.jsonl"))))
    first = capture(Home(root), Payload(), source="session-end", transcript=Home(path)).note
    assert first is not None
    forget.forget(store, [first.id])
    for entry in (root / "state" / "sessions").iterdir():
        entry.unlink()  # another machine does not know that it captured

    again = capture(Home(root), Payload(), source="session-end", transcript=Home(path))

    assert again.note is None
    assert "forgotten" in again.message


def test_a_forgotten_note_that_comes_back_is_buried_again(store: MemoryStore) -> None:
    note = durable(store)
    forget.forget(store, [note.id])
    store.put(replace(note, body="an edit on another machine that arrived later"))

    assert forget.bury(store) == [note.id]
    assert store.get(note.id) is None


def test_forgetting_by_words_spares_what_is_only_similar(store: MemoryStore) -> None:
    meant = store.write(type="semantic", title="The shop", body="It listens on port 8001.")
    store.write(type="semantic", title="The till", body="It listens on port 8002.")

    assert [note.id for note in forget.choose(store, query="Port 8001")] == [meant.id]
    assert forget.choose(store, query="port 8003") == []


def test_what_to_forget_is_chosen_by_project_and_date(store: MemoryStore) -> None:
    old = durable(store, "Old", project="p")
    store.put(replace(old, created_at="2024-05-01T00:00:00+00:00"))
    durable(store, "New", project="p")
    durable(store, "Other", project="q")

    found = forget.choose(store, project="p", before="2025-01-01")

    assert [note.title for note in found] == ["Old"]
    with pytest.raises(InvalidInput):
        forget.choose(store)


def test_keeping_a_note_vouches_for_it(store: MemoryStore) -> None:
    note = durable(store, tags=["reflection", "pending"])
    assert review.pending_count(store) == 1

    review.keep(store, [note.id])

    kept = store.get(note.id)
    assert kept is not None
    assert (kept.tags, kept.confidence) == (["reflection"], 1.0)
    assert review.pending_count(store) == 0


def test_rejecting_a_note_brings_back_what_it_replaced(store: MemoryStore) -> None:
    old = durable(store, "Old")
    new = durable(store, "New", supersedes=old.id, tags=["pending"])

    review.reject(store, [new.id])

    assert store.get(new.id) is None
    assert store.superseded_ids() == set()


def test_a_decision_can_be_taken_back(store: MemoryStore, root: Path) -> None:
    note = durable(store, tags=["pending"])
    before = files(root)
    review.reject(store, [note.id])

    undo.undo(store, kind="review")

    assert files(root) == before


def test_what_waited_long_enough_is_kept_by_itself(store: MemoryStore) -> None:
    old = store.put(
        replace(durable(store, tags=["pending"]), created_at="2024-01-01T00:00:00+00:00")
    )
    durable(store, "New", tags=["pending"])

    assert review.keep_old(store, days=0) == []
    assert review.keep_old(store, days=30) == [old.id]
    kept = store.get(old.id)
    assert kept is not None
    assert kept.confidence == 0.6


def test_days_without_end_are_no_error(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REVIEW_KEEP_DAYS", "9" * 20)

    assert review.keep_old(store, days=review.keep_after_days()) == []


def test_a_waiting_note_is_shown_beside_its_kin(store: MemoryStore) -> None:
    old = durable(store, "The database", body=FACT)
    similar = durable(store, "Postgres for tests", body="Postgres runs in a container for tests.")
    new = durable(store, "Postgres", body=FACT, supersedes=old.id, tags=["pending"])

    found = review.beside_others(store, new.id)

    assert [note.id for note in found.replaces] == [old.id]
    assert [note.id for note in found.similar] == [similar.id]


def test_notes_that_name_what_is_gone(store: MemoryStore, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("def get_user_by_id(): ...\n")
    durable(store, "Fine", body="`src/app.py:3` has `get_user_by_id()`, see `app.py` and `main`.")
    gone = durable(store, "Gone", body="`src/old.py` has `load_all_users()`.\n- /elsewhere/x/y.py")

    found = stale_notes(store, project="app", directory=str(tmp_path))

    assert [(each.note.id, each.missing) for each in found] == [
        (gone.id, ("src/old.py", "load_all_users()"))
    ]
