"""Every command that writes, a world to run it in, and what must be true when it is done."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from anamnesis.archive import files as archive
from anamnesis.config import Home
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import deserialize
from support.fleet import git
from support.injector import Injector, Outcome
from support.power_cut import Disk

FIVE = "one\n\ntwo\n\nthree\n\nfour\n\nfive"
TRANSCRIPT = (
    Path(__file__).parents[1] / "samples/claude-code/transcripts/01_print_full_tools_subagent.jsonl"
)


class World:
    """Two machines and a bare repository in one folder, which can be put back as it was."""

    def __init__(self, base: Path, injector: Injector) -> None:
        self.base = base / "world"
        self.remote = self.base / "remote.git"
        self._kept = base / "kept"
        self._injector = injector
        self.facts: dict[str, str] = {}  # what the preparation found out, such as ids
        self.base.mkdir(parents=True)
        git("init", "-q", "--bare", "--template=", "-b", "main", str(self.remote), cwd=self.base)

    def home(self, machine: str = "desk") -> Path:
        return self.base / machine

    def store(self, machine: str = "desk") -> Path:
        return self.home(machine) / ".anamnesis"

    def run(
        self, *argv: str, machine: str = "desk", env: Mapping[str, str] | None = None,
        kind: str = "", at: int | str = 0, record: bool = False, started: bool = False,
    ) -> Outcome:  # fmt: skip
        """Run a command on a machine, with a fault at one of its calls if one is named.

        A call has a number, or is the first on a file of the world whose path fits a pattern.
        """
        self.home(machine).mkdir(exist_ok=True)
        around = {
            "HOME": str(self.home(machine)), "PATH": os.environ["PATH"],
            "ANAMNESIS_HOME": str(self.store(machine)), "ANAMNESIS_MACHINE_ID": machine,
            "ANAMNESIS_GIT_REMOTE": str(self.remote), **(env or {}),
        }  # fmt: skip
        around = {name: value for name, value in around.items() if value}
        return self._injector.run(
            argv, env=around, under=[self.base] if kind or record else [],
            kind=kind or "count", record=record, started=started,
            **({"only": f"{self.base}{at}", "at": 1} if isinstance(at, str) else {"at": at}),
        )  # fmt: skip

    def do(self, *argv: str, machine: str = "desk", **env: str) -> str:
        """Run a command that must succeed; gives what it printed."""
        done = self.run(*argv, machine=machine, env=env)
        assert done.code in (0, 3), f"{argv}: {done}"
        return done.out

    def write(self, title: str, body: str, *, machine: str = "desk", **options: str) -> str:
        """Write a note; gives its id, which is kept under its title too."""
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        text = self.do("write", body, "--title", title, "--json", *words, machine=machine)
        self.facts[title] = str(json.loads(text)["id"])
        return self.facts[title]

    def keep(self) -> None:
        """Remember everything as it is."""
        shutil.copytree(self.base, self._kept, symlinks=True)

    def put_back(self) -> None:
        """Make everything what it was when it was kept."""
        shutil.rmtree(self.base)
        shutil.copytree(self._kept, self.base, symlinks=True)

    def disk(self) -> Disk:
        """Everything as it was kept, on a disk whose machine (the desk) may lose its power."""
        (self._kept / "desk").mkdir(exist_ok=True)  # a home is there before any command
        disk = Disk(self.base, self.store())
        disk.read(self._kept)
        return disk

    def files(self, machine: str = "desk") -> dict[str, bytes]:
        """Every file that is or may be a note."""
        root = self.store(machine)
        found = (path for tree in ("memory", "local") for path in (root / tree).rglob("*.md"))
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in found
            if ".git" not in path.parts
        }

    def notes(self, machine: str = "desk") -> list[Memory]:
        return [deserialize(data.decode()) for data in self.files(machine).values()]

    def note(self, title: str, machine: str = "desk") -> Memory:
        """The one note of a title."""
        [found] = [note for note in self.notes(machine) if note.title == title]
        return found

    def titles(self, machine: str = "desk") -> list[str]:
        return sorted(note.title for note in self.notes(machine))


class Scenario:
    """A command in a world."""

    kept: tuple[str, ...] = ()  # words that must not be lost, whatever happens
    again: tuple[int, ...] = (0,)  # how the same command may end once it was done
    env: Mapping[str, str] = MappingProxyType({})
    syncs = False  # whether the machines must be in step after it
    speaks = True  # whether the exit code tells of a failure; a hook's never does
    saved = ""  # the title of the note that somebody saves meanwhile
    step = 1  # of its calls, `make soak` tries one in so many: most are those of another command
    name = ""

    def __init_subclass__(cls) -> None:
        cls.name = re.sub("(?<!^)([A-Z])", r" \1", cls.__name__).lower()
        SCENARIOS[cls.name] = cls()

    def prepare(self, world: World) -> Sequence[str]:
        """Make the world ready; gives the command."""
        raise NotImplementedError

    def holds(self, world: World) -> None:
        """Assert what must be true at any time, besides what is the same for all."""

    def settled(self, world: World) -> None:
        """Assert what must be true in the end."""
        raise NotImplementedError


SCENARIOS: dict[str, Scenario] = {}


def three_notes(world: World) -> None:
    world.write("First", "the first text", project="app")
    world.write("Second", "the second text", project="app")
    world.write("Third", "the third text", project="app")


THREE = ("the first text", "the second text", "the third text")


class Write(Scenario):
    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["write", "a new text", "--title", "New"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["First", "New", "Second", "Third"]


class FirstWrite(Scenario):
    def prepare(self, world: World) -> Sequence[str]:
        return ["write", "a new text", "--title", "New"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["New"]


class Edit(Scenario):
    kept = THREE
    saved = "First"
    env = MappingProxyType({"EDITOR": "sed -i 's/first text$/first text, edited/'"})

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["edit", world.facts["First"]]

    def settled(self, world: World) -> None:
        assert world.note("First").body == "the first text, edited"


class Delete(Scenario):
    kept = THREE
    again = (0, 1)
    saved = "First"

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        world.do("sync")
        return ["delete", world.facts["First"], world.facts["Second"], "--yes"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Third"]


class Move(Scenario):
    kept = THREE
    saved = "First"

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        world.do("sync")
        return ["move", world.facts["First"], "--scope", "machine-local"]

    def settled(self, world: World) -> None:
        assert [path for path in world.files() if world.facts["First"] in path] == [
            f"local/semantic/{world.facts['First']}.md"
        ]


class Pin(Scenario):
    kept = THREE
    saved = "First"

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["pin", world.facts["First"], world.facts["Second"]]

    def settled(self, world: World) -> None:
        pinned = [note.title for note in world.notes() if "pinned" in note.tags]
        assert sorted(pinned) == ["First", "Second"]


class Forget(Scenario):
    kept = ("the third text",)
    again = (0, 1)

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        world.do("sync")
        return ["forget", world.facts["First"], world.facts["Second"], "--yes"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Third"]
        stones = {path.stem for path in world.store().rglob("memory/.tombstones/*.json")}
        assert {world.facts["First"], world.facts["Second"]} <= stones


class ForgetPurgeHistory(Scenario):
    kept = (
        "the third text",
        "of the laptop",
    )
    syncs = True

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        world.write("Laptop", "of the laptop", machine="laptop")
        world.do("sync")
        world.do("sync", machine="laptop")
        return ["forget", world.facts["First"], "--yes", "--purge-history"]

    def settled(self, world: World) -> None:
        assert "First" not in world.titles()
        assert {"Second", "Third"} <= set(world.titles())
        for place in (world.remote, world.store() / "memory"):
            assert "the first text" not in git("log", "-p", "--all", cwd=place)


class Import(Scenario):
    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        rules = "".join(f"## Rule {n}\n\nWhat rule {n} asks of everybody.\n\n" for n in range(9))
        source = world.base / "CLAUDE.md"
        source.write_text(rules)
        return ["import", str(source), "--project", "app"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["First", *(f"Rule {n}" for n in range(9)), "Second", "Third"]


class Migrate(Scenario):
    kept = THREE
    saved = "First"

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["migrate", "--map", "app=other", "--apply"]

    def settled(self, world: World) -> None:
        assert {note.project for note in world.notes()} == {"other"}
        assert len(world.notes()) == 3


class Merge(Scenario):
    kept = THREE
    saved = "First"

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        ids = [world.facts["First"], world.facts["Second"]]
        return ["merge", *ids, "--title", "Both", "--apply"]

    def settled(self, world: World) -> None:
        assert set(world.titles()) == {"Both", "First", "Second", "Third"}


class Dedup(Scenario):
    kept = ("the same text twice",)

    def prepare(self, world: World) -> Sequence[str]:
        for title in ("One of two", "Two of two"):
            world.do("write", "the same text twice, word for word, in two notes", "--title",
                     title, "--project", "app", "--anyway")  # fmt: skip
        return ["dedup", "--apply", "--threshold", "0.6"]

    def settled(self, world: World) -> None:
        assert sum(bool(note.supersedes) for note in world.notes()) == 1


class Undo(Scenario):
    kept = THREE
    again = (0, 1)
    saved = "First"

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        world.do("migrate", "--map", "app=other", "--apply")
        [unit] = json.loads(world.do("undo", "--list", "--json"))
        return ["undo", unit["id"]]

    def settled(self, world: World) -> None:
        assert {note.project for note in world.notes()} == {"app"}


class Restore(Scenario):
    kept = (
        *THREE,
        "the first text, edited",
    )
    saved = "First"

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        world.do("sync")
        revision = git("rev-parse", "main", cwd=world.store() / "memory")
        world.do("edit", world.facts["First"], EDITOR="sed -i 's/first text$/&, edited/'")
        world.do("sync")
        return ["restore", world.facts["First"], revision]

    def settled(self, world: World) -> None:
        assert world.note("First").body == "the first text"


def a_shared_note(world: World) -> None:
    """Both machines have three notes, and then edit them."""
    for title in ("Merged", "Clash", "Gone"):
        world.write(title, FIVE)
    world.do("sync")
    world.do("sync", machine="laptop")
    _edit(world, "Merged", "one", "ONE of laptop", machine="laptop")
    _edit(world, "Clash", "three", "three as laptop has it", machine="laptop")
    world.do("delete", world.facts["Gone"], "--yes", machine="laptop")
    world.write("Of laptop", "new on laptop", machine="laptop")
    world.do("sync", machine="laptop")
    _edit(world, "Merged", "five", "FIVE of desk")
    _edit(world, "Clash", "three", "three as desk has it")
    world.write("Of desk", "new on desk")


def _edit(world: World, title: str, old: str, new: str, *, machine: str = "desk") -> None:
    editor = f"sed -i 's/^{old}$/{new}/'"
    world.do("edit", world.facts[title], machine=machine, EDITOR=editor)


EDITS = (
    "ONE of laptop", "FIVE of desk", "three as laptop has it", "three as desk has it",
    "new on laptop", "new on desk",
)  # fmt: skip


class SyncEverything(Scenario):
    kept = EDITS
    again = (3,)
    syncs = True
    saved = "Merged"

    def prepare(self, world: World) -> Sequence[str]:
        a_shared_note(world)
        return ["sync"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Clash", "Merged", "Of desk", "Of laptop"]
        merged = world.note("Merged").body
        assert "ONE of laptop" in merged
        assert "FIVE of desk" in merged
        assert "three as desk has it" in world.note("Clash").body


class SyncFirst(Scenario):
    kept = (
        "new on laptop",
        "new on desk",
    )
    syncs = True

    def prepare(self, world: World) -> Sequence[str]:
        world.write("Of laptop", "new on laptop", machine="laptop")
        world.do("sync", machine="laptop")
        world.write("Of desk", "new on desk")
        return ["sync"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Of desk", "Of laptop"]


class SyncToAnEmptyRemote(Scenario):
    kept = ("new on desk",)
    syncs = True

    def prepare(self, world: World) -> Sequence[str]:
        world.write("Of desk", "new on desk")
        return ["sync"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Of desk"]


def a_conflict(world: World) -> str:
    a_shared_note(world)
    world.do("sync")
    return world.facts["Clash"]


class ResolveTheirs(Scenario):
    kept = EDITS
    again = (0, 1)
    syncs = True
    saved = "Clash"

    def prepare(self, world: World) -> Sequence[str]:
        return ["conflicts", "resolve", a_conflict(world), "--theirs"]

    def settled(self, world: World) -> None:
        assert "three as laptop has it" in world.note("Clash").body
        assert not list(world.store().glob("conflicts/0*"))


class ResolveBoth(Scenario):
    kept = EDITS
    again = (0, 1)
    syncs = True
    saved = "Clash"

    def prepare(self, world: World) -> Sequence[str]:
        return ["conflicts", "resolve", a_conflict(world), "--both"]

    def settled(self, world: World) -> None:
        assert "three as desk has it" in world.note("Clash").body
        assert len(world.notes()) == 5
        assert not list(world.store().glob("conflicts/0*"))


class ReviewReject(Scenario):
    kept = THREE
    again = (0, 1)

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        source = world.base / "CLAUDE.md"
        source.write_text("## Rule\n\nWhat the rule asks of everybody.\n")
        world.do("import", str(source), "--project", "app")
        return ["review", "--reject-all"]

    def settled(self, world: World) -> None:
        assert "Rule" not in world.titles()


class Reindex(Scenario):
    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["reindex"]

    def settled(self, world: World) -> None:
        assert len(world.notes()) == 3


class ConfigSet(Scenario):
    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["config", "set", "display_name", "My desk"]

    def settled(self, world: World) -> None:
        assert "My desk" in world.do("config", "get", "display_name")


class Capture(Scenario):
    speaks = False
    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        shutil.copy(TRANSCRIPT, world.base / "session.jsonl")
        return ["capture", "--transcript", str(world.base / "session.jsonl"), "--no-sync"]

    def settled(self, world: World) -> None:
        assert len(world.notes()) == 4


class Init(Scenario):
    kept = THREE
    step = 3
    env = MappingProxyType({"ANAMNESIS_GIT_REMOTE": "", "ANAMNESIS_MACHINE_ID": ""})

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        (world.home() / ".claude").mkdir()
        (world.home() / ".claude/settings.json").write_text('{"env": {"A": "1"}}\n')
        return ["init", "--yes", "--remote", str(world.remote), "--agents", "claude"]

    def settled(self, world: World) -> None:
        settings = (world.home() / ".claude/settings.json").read_text()
        assert '"A": "1"' in settings
        assert "anamnesis" in settings
        assert len(world.notes()) == 3
        assert git("rev-list", "--count", "main", cwd=world.remote) != "0"


class Join(Scenario):
    kept = ("new on laptop",)
    step = 3
    env = MappingProxyType({"ANAMNESIS_GIT_REMOTE": "", "ANAMNESIS_MACHINE_ID": ""})

    def prepare(self, world: World) -> Sequence[str]:
        world.write("Of laptop", "new on laptop", machine="laptop")
        world.do("sync", machine="laptop")
        return ["join", str(world.remote), "--yes", "--agents", "claude"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Of laptop"]
        assert "anamnesis" in (world.home() / ".claude/settings.json").read_text()


class Attach(Scenario):
    kept = ("new on laptop",)
    env = MappingProxyType({"ANAMNESIS_GIT_REMOTE": "", "ANAMNESIS_MACHINE_ID": ""})

    def prepare(self, world: World) -> Sequence[str]:
        world.write("Of laptop", "new on laptop", machine="laptop")
        world.do("sync", machine="laptop")
        return ["attach", str(world.remote), "--agents", "claude"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Of laptop"]
        assert "anamnesis" in (world.home() / ".claude/settings.json").read_text()


class SyncInAContainer(Scenario):
    """The first sync of a container that has written already: what succeeded is at the remote."""

    kept = ("new on laptop", "new in the container")
    syncs = True
    env = MappingProxyType({"ANAMNESIS_MACHINE_ID": "", "ANAMNESIS_EPHEMERAL": "1"})

    def prepare(self, world: World) -> Sequence[str]:
        world.write("Of laptop", "new on laptop", machine="laptop")
        world.do("sync", machine="laptop")
        world.write("Of container", "new in the container")
        return ["sync"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Of container", "Of laptop"]
        assert "new in the container" in git("log", "-p", "main", cwd=world.remote)


class Uninstall(Scenario):
    kept = THREE
    env = MappingProxyType({"ANAMNESIS_GIT_REMOTE": "", "ANAMNESIS_MACHINE_ID": ""})

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        (world.home() / ".claude").mkdir()
        (world.home() / ".claude/settings.json").write_text('{"env": {"A": "1"}}\n')
        world.do("init", "--yes", "--local-only", "--agents", "claude",
                 ANAMNESIS_GIT_REMOTE="", ANAMNESIS_MACHINE_ID="")  # fmt: skip
        return ["uninstall", "--yes"]

    def settled(self, world: World) -> None:
        settings = (world.home() / ".claude/settings.json").read_text()
        assert settings == '{"env": {"A": "1"}}\n'
        assert len(world.notes()) == 3


class RemoteCreate(Scenario):
    kept = THREE
    env = MappingProxyType({"ANAMNESIS_GIT_REMOTE": ""})

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        return ["remote", "--create", str(world.base / "other.git")]

    def settled(self, world: World) -> None:
        assert git("rev-parse", "--is-bare-repository", cwd=world.base / "other.git") == "true"
        shown = world.run("remote", env={"ANAMNESIS_GIT_REMOTE": ""})
        assert str(world.base / "other.git") in shown.out


class CaptureMore(Scenario):
    """A session that is archived already goes on."""

    speaks = False
    kept = THREE

    def prepare(self, world: World) -> Sequence[str]:
        three_notes(world)
        lines = [self._line("user", "Count each item of the cart only once, please")]
        lines += [self._line("assistant", f"Item {number} is counted once.") for number in range(9)]
        path = world.base / "session.jsonl"
        path.write_text("".join(lines), "utf-8")
        command = ["capture", "--transcript", str(path), "--no-sync"]
        world.do(*command)
        assert self._turns(world) == 10
        with path.open("a", encoding="utf-8") as file:
            file.write(self._line("user", "And show the sum of the basket in euros, please"))
            file.write(self._line("assistant", "The sum is shown in euros below the last item."))
        return command

    def holds(self, world: World) -> None:
        assert self._turns(world) in (10, 12)

    def settled(self, world: World) -> None:
        assert len(world.notes()) == 4
        assert self._turns(world) == 12
        found = json.loads(world.do("sessions", "search", "sum", "euros", "--json"))
        assert any("in euros" in each["text"] for each in found)

    def _line(self, role: str, text: str) -> str:
        message = {"role": role, "content": text}
        return (
            json.dumps({"type": role, "sessionId": "s-1", "cwd": "/srv/shop", "message": message})
            + "\n"
        )

    def _turns(self, world: World) -> int:
        """How many turns the archive has; all that its head promises can be read."""
        known = archive.load(archive.path_of(Home(world.store()), "s-1"))
        assert known is not None
        assert known.header.turns == len(known.turns)
        return len(known.turns)


class RemoteSeal(Scenario):
    kept = ("new on laptop", "new on desk")
    again = (2,)  # it is sealed already

    def prepare(self, world: World) -> Sequence[str]:
        world.write("Of laptop", "new on laptop", machine="laptop")
        world.do("sync", machine="laptop")
        world.write("Of desk", "new on desk")
        world.do("sync")
        return ["remote", "seal", "--yes"]

    def settled(self, world: World) -> None:
        assert "header" in git("ls-tree", "--name-only", "main", cwd=world.remote).splitlines()
        assert '"sealed": true' in world.do("remote", "--json")
        assert world.run("sync").code == 0


def two_members(world: World) -> None:
    """Both machines read a sealed remote."""
    world.write("Old", "known to both")
    world.do("sync")
    world.do("remote", "seal", "--yes")
    let_in(world, "laptop")


JOIN = ("--yes", "--no-mcp", "--no-hooks", "--agents", "claude")


def let_in(world: World, machine: str) -> None:
    asked = world.run("join", str(world.remote), *JOIN, machine=machine).out.split()
    code = world.do(*asked[1:]).split()[-1]
    world.do("join", str(world.remote), "--code", code, *JOIN, machine=machine)


class SyncSealed(Scenario):
    kept = EDITS
    again = (3,)
    syncs = True
    saved = "Merged"

    def prepare(self, world: World) -> Sequence[str]:
        two_members(world)
        a_shared_note(world)
        return ["sync"]

    def settled(self, world: World) -> None:
        assert world.titles() == ["Clash", "Merged", "Of desk", "Of laptop", "Old"]
        assert "ONE of laptop" in world.note("Merged").body
        assert "FIVE of desk" in world.note("Merged").body


class MachinesApprove(Scenario):
    kept = ("known to both",)
    again = (1,)  # the request is answered and gone
    syncs = True

    def prepare(self, world: World) -> Sequence[str]:
        two_members(world)
        asked = world.run("join", str(world.remote), *JOIN, machine="third").out.split()
        return asked[1:]

    def settled(self, world: World) -> None:
        assert len(json.loads(world.do("machines", "--json"))["members"]) == 4
        world.do("sync", machine="laptop")


class MachinesRevoke(Scenario):
    kept = ("known to both",)
    again = (2,)  # it is none of the members any more

    def prepare(self, world: World) -> Sequence[str]:
        two_members(world)
        world.do("sync")
        return ["machines", "revoke", "laptop", "--yes"]

    def settled(self, world: World) -> None:
        assert len(json.loads(world.do("machines", "--json"))["members"]) == 2
        assert world.run("sync", machine="laptop").code == 1
