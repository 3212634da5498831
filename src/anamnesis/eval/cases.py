"""Questions with known answers: `<home>/eval.jsonl`, one line each, approved by a person or not."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.ground.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

FILE = "eval.jsonl"


@dataclass(frozen=True, slots=True)
class Case:
    """A question and the notes that answer it."""

    query: str
    relevant: list[str] = field(default_factory=list)
    project: str = ""
    approved: bool = False
    source: str = "human"  # who wrote the question: a person, or the model that paraphrased

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What makes two cases the same."""
        return " ".join(self.query.lower().split()), tuple(sorted(self.relevant))


def load(path: str) -> list[Case]:
    """The cases of a file; none if there is no file."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            lines = stream.read().split("\n")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"Cannot read {path}: {error}.") from error
    return [_case(line, f"{path}, line {n}") for n, line in enumerate(lines, 1) if line.strip()]


def save(path: str, cases: Iterable[Case]) -> None:
    """Write all cases."""
    lines = (json.dumps(_fields(case), ensure_ascii=False) + "\n" for case in cases)
    atomic.write_text(path, "".join(lines))


def joined(known: Iterable[Case], more: Iterable[Case]) -> list[Case]:
    """Both lists, each case once; what is known stays as it is."""
    cases = {case.key: case for case in known}
    for case in more:
        cases.setdefault(case.key, case)
    return list(cases.values())


def path_in(root: str) -> str:
    """Where the cases of a store are."""
    return os.path.join(root, FILE)


def _fields(case: Case) -> dict[str, object]:
    return {
        "query": case.query,
        "relevant": case.relevant,
        "project": case.project,
        "approved": case.approved,
        "source": case.source,
    }


def _case(line: str, where: str) -> Case:
    try:
        found: Any = json.loads(line)
        ids = found.get("relevant") or found.get("relevant_ids") or found.get("ids") or []
        case = Case(
            query=str(found["query"]),
            relevant=[ids] if isinstance(ids, str) else [str(each) for each in ids],
            project=str(found.get("project") or ""),
            approved=found.get("approved") is True,
            source=str(found.get("source") or "human"),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            f"{where} is not a case.",
            hint='A line is {"query": "…", "relevant": ["note id"], "approved": true}',
        ) from error
    if not case.query.strip() or not case.relevant:
        raise InvalidInput(f"{where}: a case needs a query and at least one relevant id.")
    return case
