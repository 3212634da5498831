"""How often recall finds what was meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.eval.cases import build_eval_candidates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.notes.fields import MemoryType, Scope
    from anamnesis.store import MemoryStore

__all__ = ["RecallCase", "RecallReport", "build_eval_candidates", "recall_at_k", "report"]


@dataclass(frozen=True, slots=True)
class RecallCase:
    """A question, and the notes that answer it."""

    query: str
    relevant: tuple[str, ...]  # ids
    project: str | None = None
    type: MemoryType | None = None
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class RecallReport:
    """Recall@k, the share of the relevant notes among the first k hits, and the MRR."""

    cases: int
    recall: Mapping[int, float] = field(default_factory=dict)
    mrr: float = 0.0

    def __str__(self) -> str:
        columns = [f"R@{k} {share:.3f}" for k, share in self.recall.items()]
        return "  ".join([f"{self.cases} questions", *columns, f"MRR {self.mrr:.3f}"])


def recall_at_k(
    store: MemoryStore, cases: Iterable[RecallCase], ks: Sequence[int] = (1, 3, 5, 8)
) -> RecallReport:
    """Ask the store every question and count what it finds."""
    asked = [
        (
            [
                note.id
                for note in store.search(
                    case.query, project=case.project, type=case.type, scope=case.scope, k=max(ks)
                )
            ],
            case.relevant,
        )
        for case in cases
        if case.relevant
    ]
    return report(asked, ks)


def report(
    answers: Iterable[tuple[Sequence[str], Iterable[str]]], ks: Sequence[int] = (1, 3, 5, 8)
) -> RecallReport:
    """The report on some answers: the ids that were found, best first, and the relevant ones."""
    found = [(list(hits), set(relevant)) for hits, relevant in answers]
    if not found:
        return RecallReport(0, dict.fromkeys(ks, 0.0))
    shares = {
        k: sum(len(relevant.intersection(hits[:k])) / len(relevant) for hits, relevant in found)
        for k in ks
    }
    firsts = (
        next((1 / place for place, hit in enumerate(hits, 1) if hit in relevant), 0.0)
        for hits, relevant in found
    )
    recall = {k: share / len(found) for k, share in shares.items()}
    return RecallReport(len(found), recall, sum(firsts) / len(found))
