"""More commands that write: curation, session notes made again, conflicts of notes that moved."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from types import MappingProxyType

from anamnesis.archive import files as archive
from anamnesis.archive.turns import Header, Transcript, Turn
from anamnesis.capture import ledger
from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.store import MemoryStore
from faults.scenarios import EDITS, THREE, CaptureMore, Scenario, World, a_conflict, three_notes
from support.reflect import FACT, sessions

OLD = "**Ask:** what an older version made of it"


def imported(world: World) -> None:
    """Three notes, and two that wait for a review."""
    three_notes(world)
    source = world.base / "CLAUDE.md"
    asked = {"Rule": "What the rule asks of everybody.", "Other": "What another rule asks of you."}
    source.write_text("".join(f"## {title}\n\n{text}\n\n" for title, text in asked.items()))
    world.do("import", str(source), "--project", "app")


class ReviewKeep(Scenario):
    kept = (*THREE, "What the rule asks", "What another rule asks")

    def prepare(self, world: World) -> Sequence[str]:
        imported(world)
        return ["review", "--keep-all"]

    def settled(self, world: World) -> None:
        assert not [note.title for note in world.notes() if "pending" in note.tags]
        assert len(world.notes()) == 5


class ImportFolder(Scenario):
    """Notes of another program, one of which changed since they were imported."""

    kept = (*THREE, "Use FTS5")

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        folder = world.base / "notes" / "specs"
        folder.mkdir(parents=True)
        for name in ("Search", "Index", "Rank"):
            (folder / f"{name}.md").write_text(
                f"---\ntitle: {name}\ntype: note\npermalink: specs/{name.lower()}\n---\n"
                f"# {name}\n\n- [decision] Use FTS5 for {name} #sqlite\n"
            )
        command = ["import", str(folder.parent), "--from", "basic-memory", "--project", "app"]
        world.do(*command)
        (folder / "Rank.md").write_text((folder / "Rank.md").read_text() + "\nRanked by BM25.\n")
        late = (folder / "Rank.md").read_text().replace("Rank", "Late").replace("rank", "late")
        (folder / "Late.md").write_text(late)
        return command

    def settled(self, world: World) -> None:
        assert world.titles() == ["First", "Index", "Late", "Rank", "Search", "Second", "Third"]
        assert "Ranked by BM25" in world.note("Rank").body


class ImportUndo(Scenario):
    kept = THREE
    again = (0, 1)

    def prepare(self, world: World) -> Sequence[str]:
        imported(world)
        return ["import", "--undo"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["First", "Second", "Third"]


class Reflect(Scenario):
    kept = (FACT,)

    def prepare(self, world: World) -> Sequence[str]:
        with MemoryStore(world.store()) as store:
            sessions(store, 5, body=FACT)
        return ["reflect", "--no-model", "--apply"]

    def settled(self, world: World) -> None:
        durable = [note for note in world.notes() if note.type != "episodic"]
        assert [FACT in note.body for note in durable] == [True]
        assert len(world.notes()) == 6


class BackfillProvenance(Scenario):
    kept = ("what 0 was about", "what 1 was about")

    def prepare(self, world: World) -> Sequence[str]:
        with MemoryStore(world.store()) as store:
            for number in range(2):
                body = f"what {number} was about"
                store.write(type="episodic", title="s", body=body, tags=["session"])
        return ["backfill-provenance", "--apply"]

    def settled(self, world: World) -> None:
        assert [note.prov_source for note in world.notes()] == ["session-end"] * 2


class Export(Scenario):
    """What was exported before is replaced as a whole, or not at all."""

    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        command = ["export", str(world.base / "backup.jsonl")]
        world.do(*command)
        world.write("Fourth", "the fourth text")
        return command

    def holds(self, world: World) -> None:
        assert len(self._exported(world)) in (3, 4)

    def settled(self, world: World) -> None:
        titles = {note["title"] for note in self._exported(world)}
        assert titles == {"First", "Second", "Third", "Fourth"}

    def _exported(self, world: World) -> list[dict[str, object]]:
        lines = (world.base / "backup.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


class CaptureAgain(Scenario):
    """The note of a session is made again from the archive."""

    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        CaptureMore().prepare(world)
        home = Home(world.store())
        with MemoryStore(home) as store:
            [note] = [note for note in store.list() if note.type == "episodic"]
            world.facts["body"] = note.body
            store.put(replace(note, body=OLD))
        entry = ledger.read(home, "s-1")
        assert entry is not None
        ledger.write(home, "s-1", replace(entry, body=ledger.body_hash(OLD)))
        return ["capture", "--again", "--apply", "--no-sync"]

    def settled(self, world: World) -> None:
        assert len(world.notes()) == 4
        assert world.facts["body"] in [note.body for note in world.notes()]


class CaptureExpires(CaptureMore):
    """A session is archived, and an old one has been kept long enough."""

    def prepare(self, world: World) -> Sequence[str]:
        command = super().prepare(world)
        home = Home(world.store())
        header = Header("s-0", "claude-code", started="2020-01-01T00:00:00+00:00")
        archive.save(home, Transcript(header, [Turn(who="user", text="said long ago")]))
        long_ago = time.time() - 500 * 24 * 3600
        os.utime(archive.path_of(home, "s-0"), (long_ago, long_ago))
        return command

    def settled(self, world: World) -> None:
        super().settled(world)
        home = Home(world.store())
        kept = [file.path for file in archive.listed(home)]
        assert kept == [archive.path_of(home, "s-1")]


class ResolveMine(Scenario):
    kept = EDITS
    again = (0, 1)
    syncs = True
    saved = "Clash"

    def prepare(self, world: World) -> Sequence[str]:
        return ["conflicts", "resolve", a_conflict(world), "--mine"]

    def settled(self, world: World) -> None:
        assert "three as desk has it" in world.note("Clash").body
        assert not list(world.store().glob("conflicts/0*"))


class ResolveWhatIsLocal(Scenario):
    """The other version of a note that was made local only after it had clashed."""

    kept = EDITS
    again = (0, 1)
    saved = "Clash"

    def prepare(self, world: World) -> Sequence[str]:
        clash = a_conflict(world)
        world.do("move", clash, "--scope", "machine-local")
        return ["conflicts", "resolve", clash, "--theirs"]

    def settled(self, world: World) -> None:
        paths = [path for path in world.files() if world.facts["Clash"] in path]
        assert paths == [f"local/semantic/{world.facts['Clash']}.md"]
        assert "three as laptop has it" in world.note("Clash").body


class ResolveWhatIsLocalBoth(ResolveWhatIsLocal):
    def prepare(self, world: World) -> Sequence[str]:
        return [*super().prepare(world)[:-1], "--both"]

    def settled(self, world: World) -> None:
        assert len(world.notes()) == 5
        assert "three as desk has it" in world.note("Clash").body
        assert not list(world.store().glob("conflicts/0*"))


class Host(Scenario):
    kept = THREE
    env = MappingProxyType({"ANAMNESIS_GIT_REMOTE": ""})

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["host", str(world.base / "hosted.git"), "--address", "box", "--yes"]

    def settled(self, world: World) -> None:
        shown = world.run("remote", env={"ANAMNESIS_GIT_REMOTE": ""})
        assert str(world.base / "hosted.git") in shown.out
