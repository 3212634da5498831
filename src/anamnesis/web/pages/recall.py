"""Why a search ranks notes as it does: the scores in detail, two settings side by side."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.care import evaluate
from anamnesis.operations.care.evaluate import approved_cases, expected
from anamnesis.operations.notes.browse import passages
from anamnesis.operations.notes.search import Filters, search
from anamnesis.web.dashboard import Notice
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.operations.notes.search import SearchHit
    from anamnesis.web.visit import Visit

_HITS = 8
_WORDS = 6  # words of a hit that are listed one by one


@dataclass(frozen=True, slots=True)
class RankingSetting:
    """A choice of what the ranking uses."""

    label: str
    by_meaning: bool = True
    by_encoder: bool = True
    forgiving: bool = True


_ENCODER = {"encoder": RankingSetting("words, meaning and the encoder")}
_ALWAYS = {
    "meaning": RankingSetting("words and meaning", by_encoder=False),
    "words": RankingSetting("words only", by_meaning=False),
    "exact": RankingSetting("words as they are typed", by_meaning=False, forgiving=False),
}


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One contribution to a score, in hundredths; the parts of a hit add up to its score."""

    name: str
    detail: str
    points: int


@dataclass(frozen=True, slots=True)
class RankedColumn:
    """The hits of one setting."""

    side: str
    setting: RankingSetting
    hits: Sequence[tuple[SearchHit, Sequence[ScorePart]]]
    places: dict[str, int]  # id -> rank, from 1


def show(visit: Visit) -> Response:
    """The hits of a question, ranked with two settings."""
    query, project = visit.parameter("q").strip(), visit.parameter("project")
    filters = Filters(
        projects=(project, "global") if project else (),
        include_superseded=visit.parameter("superseded") == "1",
    )
    settings = {**(_ENCODER if config.encoder_is_on() else {}), **_ALWAYS}
    chosen = {"left": next(iter(settings)), "right": "words"}
    chosen |= {side: name for side in chosen if (name := visit.parameter(side)) in settings}
    columns = [
        _column(visit, query, filters, side, settings[name])
        for side, name in chosen.items()
        if query
    ]
    hits = {hit.note.id: hit for column in columns for hit, _ in column.hits}
    return visit.page(
        "recall.html",
        query=query,
        project=project,
        superseded=filters.include_superseded,
        settings=settings,
        chosen=chosen,
        columns=columns,
        passages=passages(visit.store, hits.values()),
        expected=expected(visit.dashboard.home, query) if query else set(),
        cases=len(approved_cases(visit.dashboard.home)),
        projects=visit.dashboard.counts.values("project"),
    )


def expect(visit: Visit) -> Response:
    """Save a question with the note that should come first, for `anamnesis eval`."""
    query, note_id = visit.value("q").strip(), visit.value("id")
    if not query or visit.read(note_id) is None:
        raise InvalidInput("The form is missing a question or a note.")
    is_new = evaluate.expect(visit.dashboard.home, query, note_id, project=visit.value("project"))
    text = "Saved for `anamnesis eval`." if is_new else "It was already saved."
    return visit.redirect(visit.return_address("/recall"), Notice(text))


def _column(
    visit: Visit, query: str, filters: Filters, side: str, setting: RankingSetting
) -> RankedColumn:
    result = search(
        visit.store,
        query,
        filters=filters,
        limit=_HITS,
        by_meaning=setting.by_meaning,
        by_encoder=setting.by_encoder,
        forgiving=setting.forgiving,
    )
    places = {hit.note.id: place for place, hit in enumerate(result.hits, 1)}
    hits = [(hit, score_parts(hit)) for hit in result.hits]
    return RankedColumn(side, setting, hits, places)


def score_parts(hit: SearchHit) -> list[ScorePart]:
    """The parts of a hit's score, the largest first; rounded so that they add up."""
    shares, parts = hit.why.shares, hit.why.parts
    details = [f"in {plural(share.notes, 'note')}" for share in shares[:_WORDS]]
    other_words = sum(value for _, value in parts[_WORDS : len(shares)])
    rows = [*parts[: len(details)], ("other words", other_words), *parts[len(shares) :]]
    points = [floor(100 * value) for _, value in rows]
    remainder = round(100 * hit.score) - sum(points)
    by_fraction = sorted(range(len(rows)), key=lambda at: points[at] - 100 * rows[at][1])
    for at in by_fraction[: max(0, remainder)]:
        points[at] += 1
    zipped = zip(rows, [*details, *[""] * len(rows)], points, strict=False)
    score = [ScorePart(name, detail, share) for (name, _), detail, share in zipped if share]
    return sorted(score, key=lambda part: -part.points)
