"""The index is a function of the files, whatever happened to them and to it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from anamnesis.ground.errors import FileInTheWay, NoSuchNote
from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.fields import SCOPES, TYPES, Memory, MemoryType, Scope
from anamnesis.store import MemoryStore
from support.notes import content_of_files, hand_written, index_content, write_file

titles = st.sampled_from(["alpha", "beta gamma", "getUserById", "naïve café", "日本語", ""])
bodies = st.sampled_from(["", "one two", "a\r\nb", "snake_case and v1.2.3", "x" * 300])
ids = st.sampled_from(["a", "b", "c"])


class StoreAndFiles(RuleBasedStateMachine):
    """Writes through the store and past it, and compares after each step."""

    notes: Bundle[str] = Bundle("notes")

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="anamnesis-"))
        self.store = MemoryStore(self.root)

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.root)

    @initialize(target=notes)
    def some_notes(self) -> MultipleResults[str]:
        return multiple("a", "b")

    @rule(target=notes, type=st.sampled_from(TYPES), title=titles, body=bodies,
          scope=st.sampled_from(SCOPES), supersedes=st.one_of(st.just(""), ids))  # fmt: skip
    def write(self, type: MemoryType, title: str, body: str, scope: Scope, supersedes: str) -> str:
        note = self.store.write(
            type=type, title=title, body=body, scope=scope, supersedes=supersedes, tags=["t", "t"]
        )
        assert self.store.get(note.id) == note
        return note.id

    @rule(note_id=notes, type=st.sampled_from(TYPES), body=bodies,
          supersedes=st.one_of(st.just(""), ids, st.just("a b")))  # fmt: skip
    def put(self, note_id: str, type: MemoryType, body: str, supersedes: str) -> None:
        note = Memory(id=note_id, type=type, title="put", body=body, supersedes=supersedes)
        before = self._all_bytes()

        try:
            self.store.put(note)
        except FileInTheWay:  # a file that is no note, or another one, is never written over
            assert self._all_bytes() == before
        else:
            found = self.store.get(note_id)
            assert found is not None
            # Of two files with one id, the later note counts: a second one may be no older.
            assert found == note or found.updated_at >= note.updated_at
            assert tree.encode(note) in self._all_bytes().values()

    @rule(note_id=notes, body=bodies)
    def update(self, note_id: str, body: str) -> None:
        read = self.store.read(note_id)
        if read is not None:
            self.store.update(replace(read.note, body=body), expected_hash=read.hash)

    @rule(note_id=notes, scope=st.sampled_from(SCOPES))
    def move(self, note_id: str, scope: Scope) -> None:
        before = self._all_bytes()
        try:
            assert self.store.move(note_id, scope).scope == scope
        except NoSuchNote:
            assert self.store.get(note_id) is None
        except FileInTheWay:
            assert self._all_bytes() == before

    @rule(note_id=consumes(notes))
    def delete(self, note_id: str) -> None:
        try:
            gone = self.store.delete(note_id)
        except NoSuchNote:
            assert self.store.get(note_id) is None
        else:
            left = self.store.get(note_id)  # a second file of this id that says something else
            assert left is None or (left.title, left.body) != (gone.title, gone.body)

    @rule(note_id=ids, name=st.sampled_from(["a", "b", "copy", "sub/deep"]), title=titles,
          tree=st.sampled_from(["memory", "local"]), type=st.sampled_from([*TYPES, "insight"]),
          day=st.integers(1, 3))  # fmt: skip
    def edit_by_hand(
        self, note_id: str, name: str, title: str, tree: str, type: str, day: int
    ) -> None:
        text = hand_written(note_id, type=type, title=title, updated_at=f"2026-01-0{day}")
        write_file(self.root, f"{tree}/semantic/{name}.md", text)

    @rule(name=st.sampled_from(["a", "bad"]), data=st.sampled_from([b"", b"\xff", b"---\nid: a"]))
    def break_a_file(self, name: str, data: bytes) -> None:
        write_file(self.root, f"memory/semantic/{name}.md", data)

    @rule(data=st.data())
    def remove_a_file(self, data: st.DataObject) -> None:
        files = sorted(self.root.rglob("*.md"))
        if files:
            data.draw(st.sampled_from(files)).unlink()

    @rule(data=st.data(), to=st.sampled_from(["memory/semantic", "local/episodic"]))
    def rename_a_file(self, data: st.DataObject, to: str) -> None:
        files = sorted(self.root.rglob("*.md"))
        if files:
            (self.root / to).mkdir(parents=True, exist_ok=True)
            chosen = data.draw(st.sampled_from(files))
            os.replace(chosen, self.root / to / chosen.name)

    def _all_bytes(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.root.rglob("*.md")}

    @rule()
    def reindex(self) -> None:
        self.store.reindex()

    @rule()
    def lose_the_index(self) -> None:
        for path in self.root.glob("index.db*"):
            path.unlink()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = MemoryStore(self.root)

    @invariant()
    def the_index_equals_the_files(self) -> None:
        self.store.list()
        self.store.refresh()
        assert index_content(self.root) == content_of_files(self.root)


StoreAndFiles.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestStoreAndFiles = StoreAndFiles.TestCase
