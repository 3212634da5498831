"""The hook at the prompt on runbooks and short notes of others, which no constant was fitted on.

    python -m benchmarks.runbooks FOLDER

FOLDER holds checkouts by owner and name: prometheus-operator/runbooks, openshift/runbooks,
simonw/til, thoughtbot/til. A runbook without its section *Meaning* is a note, and the first
sentence of that section is the prompt; of the others the text is a note and the title the prompt.
Generic prompts are those that people typed in the sessions of ../shared/data/sessions or
ANAMNESIS_SESSIONS_DATA. None of these texts is part of this repository.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from anamnesis.notes.fields import Memory
from benchmarks.prompts import DAY, Prompt, Scene, curve, digest, measure, table

SESSIONS = Path(__file__).parent.parent.parent / "shared" / "data" / "sessions"
MOST_PROMPTS = 60  # of a repository
GENERIC = 100
Pair = tuple[str, str, str]  # title, body, prompt


def without_meaning(title: str, body: str) -> Pair | None:
    """A runbook that does not say what its alert means, and a prompt that does."""
    section = re.search(
        r"^##\s*Meaning\s*\n(.*?)(?=^##\s|\Z)", body, re.DOTALL | re.MULTILINE | re.IGNORECASE
    )
    if section is None:
        return None
    paragraph = " ".join(section[1].strip().split("\n\n")[0].split())
    linked = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    sentence = re.split(r"(?<=[.!?])\s", linked)[0].strip()
    rest = (body[: section.start()] + body[section.end() :]).strip()
    return (title, rest, sentence) if len(sentence) >= 20 and len(rest) >= 100 else None


def without_title(title: str, body: str) -> Pair | None:
    """A text without its title, which is the prompt."""
    return (" ", body, title) if len(body) >= 80 else None


REPOSITORIES: tuple[tuple[str, int, tuple[str, ...], Callable[[str, str], Pair | None]], ...] = (
    ("prometheus-operator/runbooks", 90, ("ops",), without_meaning),
    ("openshift/runbooks", 90, ("cluster",), without_meaning),
    ("simonw/til", 150, ("web", "notebook"), without_title),
    ("thoughtbot/til", 45, ("web", "notebook"), without_title),
)


def texts(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Name, title and body of each text in a checkout."""
    for path in sorted(folder.rglob("*.md")):
        if path.name in {"README.md", "_index.md"}:
            continue
        text = path.read_text("utf-8", errors="replace")
        text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
        title = re.search(r"^#\s*(.+)$", text, re.MULTILINE)
        if title:
            name = path.relative_to(folder).as_posix()
            yield name, title[1].strip().strip("`"), text[title.end() :].strip()


def typed() -> list[str]:
    """What people typed in public sessions; no runbook answers any of it."""
    folder = Path(os.environ.get("ANAMNESIS_SESSIONS_DATA") or SESSIONS)
    found = set()
    for path in sorted(folder.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            content = row.get("message", {}).get("content") if row.get("type") == "user" else ""
            is_typed = isinstance(content, str) and not content.startswith("<")
            if is_typed and not row.get("isMeta") and 2 <= len(content.split()) <= 80:
                found.add(content)
    return sorted(found, key=digest)[:GENERIC]


def scene(folder: Path) -> Scene:
    """The notes of all repositories and what is typed beside them."""
    notes, prompts = list[Memory](), list[Prompt]()
    for repository, size, projects, taken in REPOSITORIES:
        if not (folder / repository).is_dir():
            sys.exit(f"{folder / repository} is missing: check {repository} out there.")
        rows = [
            (digest(repository + name), pair)
            for name, *text in texts(folder / repository)
            if (pair := taken(*text))
        ]
        asked = list[Prompt]()
        for key, (title, body, prompt) in sorted(rows)[:size]:
            own = Memory(
                id=key.hex()[:20], type="semantic", title=title, body=body,
                project=projects[key[1] % len(projects)], created_at=DAY, updated_at=DAY,
            )  # fmt: skip
            notes.append(own)
            asked.append(Prompt(prompt, own.project, (own.id,), repository))
        prompts += asked[:MOST_PROMPTS]
    everywhere = sorted({note.project for note in notes})
    for number, text in enumerate(typed()):
        prompts.append(Prompt(text, everywhere[number % len(everywhere)], (), "generic"))
    return Scene(tuple(notes), tuple(prompts))


if __name__ == "__main__":
    told = scene(Path(sys.argv[1]))
    table(measure(told))
    curve(told)
