"""How often the last word comes first: changed decisions, and siblings that only look alike.

    python -m benchmarks.amendments

data/amendments.json has pairs of notes with a question. Of an amended pair the later note should
come first, of siblings the earlier one, which alone answers. They stand among 150 notes of the
public sets that benchmarks.prompts reads. The pairs were used to choose the constants.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

from anamnesis.inject.prompt import recall
from anamnesis.notes.fields import Memory
from benchmarks.prompts import digest, filled, public

OWN = Path(__file__).parent / "data" / "amendments.json"
PROJECT = "harbor"
SETS = ("til_title2body", "devnotes_asked", "mcpms_devbench")


def note(id: str, title: str, body: str, day: str) -> Memory:
    at = f"{day}T00:00:00+00:00"
    return Memory(
        id=id, type="semantic", title=title, body=body, project=PROJECT, created_at=at,
        updated_at=at,
    )  # fmt: skip


def others() -> list[Memory]:
    found = []
    for name in SETS:
        (documents,) = public(name)["corpora"].values()
        found += sorted(documents, key=lambda document: digest(document["id"]))[:50]
    return [
        note(
            f"x{at:04}", each["title"] or each["id"], each["body"], f"2026-0{at % 8 + 1}-1{at % 9}"
        )
        for at, each in enumerate(found)
    ]


def main() -> None:
    own = json.loads(OWN.read_text("utf-8"))
    notes, cases = others(), []
    for group, wanted in (("amended", "later"), ("siblings", "earlier")):
        for at, row in enumerate(own[group]):
            *_, title, body, later_title, later_body, question = row
            ids = {"earlier": f"{group}{at}e", "later": f"{group}{at}l"}
            notes += [
                note(ids["earlier"], title, body, f"2026-0{at % 5 + 1}-03"),
                note(ids["later"], later_title, later_body, f"2026-0{at % 3 + 6}-21"),
            ]
            cases.append((group, question, ids[wanted]))
    count = Counter[str]()
    with tempfile.TemporaryDirectory() as root, filled(Path(root), notes) as store:
        for group, question, wanted in cases:
            found = [hit.id for hit in store.search(question)]
            given = [match.note.id for match in recall(store, question, project=PROJECT)]
            count[group] += 1
            count[f"{group}, search"] += found[:1] == [wanted]
            count[f"{group}, prompt"] += given[:1] == [wanted]
            count[f"{group}, prompt silent"] += not given
    for name, number in count.items():
        print(f"{name:24}{number:4}")


if __name__ == "__main__":
    main()
