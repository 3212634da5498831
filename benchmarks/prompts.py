"""How often the hook at the prompt gives the right note, and how often it speaks in vain.

    python -m benchmarks.prompts

A store of 300 developer notes in five projects is built from public sets, read from
../shared/data/recall beside the repository or from ANAMNESIS_RECALL_DATA; they are never part of
this repository. German and Chinese notes, and prompts that no note answers, stand in
data/prompts.json. Constants were fitted on one half of each group; both halves are printed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamnesis.inject.prompt import recall
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.search import prompt as decision
from anamnesis.store import MemoryStore

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "recall"
OWN = Path(__file__).parent / "data" / "prompts.json"
THRESHOLDS = ("_ENOUGH", "_ENOUGH_UNASKED", "_ENOUGH_WITH_MEANING")
DAY = "2026-01-01T00:00:00+00:00"
# Which set gives how many notes and prompts, and to which projects.
SHARES = (
    ("devnotes_asked", 100, 53, ("harbor", "ledger")),
    ("devnotes_requery", 0, 40, ("harbor", "ledger")),
    ("til_title2body", 120, 60, ("notebook", "website")),
    ("mcpms_devbench", 30, 15, ("service",)),
    ("nl2bash_para", 50, 32, ("service",)),
)


@dataclass(frozen=True)
class Prompt:
    """Something typed, in which project, and the notes that answer it."""

    text: str
    project: str
    gold: tuple[str, ...]
    group: str

    @property
    def half(self) -> str:
        """Which half of its group it is in."""
        return "check" if digest(self.text)[5] & 1 else "tuning"


@dataclass(frozen=True)
class Scene:
    """The notes and everything that is typed beside them."""

    notes: tuple[Memory, ...]
    prompts: tuple[Prompt, ...]


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def public(name: str) -> dict[str, Any]:
    folder = Path(os.environ.get("ANAMNESIS_RECALL_DATA") or DATA)
    path = folder / f"{name}.json.gz"
    if not path.exists():
        sys.exit(
            f"{path} is missing.\n"
            "Put the recall sets there, or name their folder in ANAMNESIS_RECALL_DATA."
        )
    found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def note(key: str, document: dict[str, Any], projects: Sequence[str]) -> Memory:
    title = document["title"]
    if not title and key.startswith("devnotes"):
        title = document["id"].replace("-", " ").capitalize()
    return Memory(
        id=digest(key + document["id"]).hex()[:20],
        type="semantic",
        title=title,
        body=document["body"],
        tags=[tag for tag in document["tags"] if ":" not in tag],
        project=projects[digest(document["id"])[1] % len(projects)],
        created_at=DAY,
        updated_at=DAY,
    )


def of_public(name: str, size: int, asked: int, projects: Sequence[str]) -> Scene:
    """Some questions of a set, the notes that answer them, and others up to a size."""
    content = public(name)
    (documents,) = content["corpora"].values()
    questions = sorted(content["queries"], key=lambda question: digest(question["q"]))[:asked]
    wanted = {id for question in questions for id in question["gold"]}
    others = sorted((d for d in documents if d["id"] not in wanted), key=lambda d: digest(d["id"]))
    chosen = [d for d in documents if d["id"] in wanted]
    chosen += others[: max(0, size - len(chosen))]
    key = name.partition("_")[0]
    notes = {document["id"]: note(key, document, projects) for document in chosen}
    prompts = []
    for question in questions:
        gold = [notes[id] for id in question["gold"]]
        prompts.append(
            Prompt(question["q"], gold[0].project, tuple(each.id for each in gold), name)
        )
    return Scene(tuple(notes.values()), tuple(prompts))


def of_language(language: str, rows: Sequence[Sequence[str]], generic: Sequence[str]) -> Scene:
    notes, prompts = [], []
    for number, (title, body, text) in enumerate(rows):
        own = Memory(
            id=f"{language}{number:04}", type="semantic", title=title, body=body,
            project="harbor", created_at=DAY, updated_at=DAY,
        )  # fmt: skip
        notes.append(own)
        prompts.append(Prompt(text, own.project, (own.id,), language))
    prompts += [Prompt(text, "harbor", (), f"{language}, generic") for text in generic]
    return Scene(tuple(notes), tuple(prompts))


def scene(*languages: str) -> Scene:
    """The public notes and prompts, or those and the ones in some other languages."""
    own = json.loads(OWN.read_text("utf-8"))
    parts = [of_public(*share) for share in SHARES]
    parts += [of_language(name, own[name], own[f"{name}_generic"]) for name in languages]
    notes = {each.id: each for part in parts for each in part.notes}
    prompts = [prompt for part in parts for prompt in part.prompts]
    projects = sorted({project for share in SHARES for project in share[3]})
    for number, text in enumerate(own["generic"]):
        prompts.append(Prompt(text, projects[number % len(projects)], (), "generic"))
    return Scene(tuple(notes.values()), tuple(prompts))


def alone(group: str) -> Scene:
    """The prompts of one group of ours, with its notes beside the public ones."""
    whole = scene(group)
    return Scene(whole.notes, tuple(each for each in whole.prompts if group in each.group))


def filled(root: Path, notes: Sequence[Memory]) -> MemoryStore:
    folder = root / "memory" / "semantic"
    folder.mkdir(parents=True)
    for each in notes:
        (folder / f"{each.id}.md").write_text(serialize(each), newline="")
    return MemoryStore(root)


def ask(store: MemoryStore, prompt: Prompt) -> list[str]:
    return [match.note.id for match in recall(store, prompt.text, project=prompt.project)]


def measure(told: Scene) -> dict[tuple[str, str], Counter[str]]:
    """Per group and half: prompts, right answers, wrong ones, and answers without the note."""
    found: dict[tuple[str, str], Counter[str]] = {}
    notes = {each.id: each for each in told.notes}
    with tempfile.TemporaryDirectory() as directory, filled(Path(directory), told.notes) as store:
        for prompt in told.prompts:
            count = found.setdefault((prompt.group, prompt.half), Counter())
            count["prompts"] += 1
            given = ask(store, prompt)
            count["right"] += bool({*given} & {*prompt.gold})
            count["wrong"] += bool(given) and not {*given} & {*prompt.gold}
            if prompt.gold:
                for id in prompt.gold:
                    store.delete(id)
                count["removed"] += bool(ask(store, prompt))
                for id in prompt.gold:
                    store.put(notes[id])
    return found


def table(found: dict[tuple[str, str], Counter[str]]) -> None:
    groups = dict.fromkeys(group for group, _ in found)
    sets = [group for group in groups if group in {share[0] for share in SHARES} or "/" in group]
    print(f"{'of 100 prompts':28}{'right':>8}{'wrong':>8}{'removed':>9}   prompts")
    for name, parts in {"all public sets": sets, **{group: [group] for group in groups}}.items():
        for half in ("tuning", "check") if parts else ():
            count: Counter[str] = sum((found[part, half] for part in parts), Counter())
            share = {key: 100 * count[key] / count["prompts"] for key in count}
            figures = [share.get(key, 0.0) for key in ("right", "wrong", "removed")]
            shown = f"{figures[0]:8.1f}{figures[1]:8.1f}{figures[2]:9.1f}"
            print(f"{name:20}{half:>8}{shown}   {count['prompts']:7}", flush=True)


def curve(told: Scene) -> None:
    """Right against false answers as the thresholds move together."""
    print("\nthresholds    right  removed  generic   of 100, both halves, public sets")
    before = {name: getattr(decision, name) for name in THRESHOLDS}
    for step in (-0.4, -0.2, 0.0, 0.2, 0.4, 0.8):
        for name, value in before.items():
            setattr(decision, name, value + step)
        found = measure(told)
        known = Counter[str]()
        generic = Counter[str]()
        for (group, _), count in found.items():
            if group == "generic":
                generic += count
            else:
                known += count
        right, removed = (100 * known[key] / known["prompts"] for key in ("right", "removed"))
        fired = 100 * generic["wrong"] / generic["prompts"]
        print(f"{step:+10.1f} {right:8.1f} {removed:8.1f} {fired:8.1f}", flush=True)
    for name, value in before.items():
        setattr(decision, name, value)


if __name__ == "__main__":
    table(measure(scene("german", "chinese")))
    # Each beside the public notes only: some of their notes say the same.
    for name in ("colloquial", "french", "spanish", "portuguese", "italian"):
        table(measure(alone(name)))
    curve(scene())
