"""Whether a note answers what was just typed: the notes that do, or nothing.

A search may return its best guess: somebody asked. A prompt is interrupted by a note, so the note
must earn that by three figures, each of which means the same in a store of 25 notes and of 50,000:

coverage  how much of what the prompt says, weighted by rarity, the note says too
strength  its points by words, in units of a word that no other note has
lead      how far it is ahead of the next note

A name that few notes contain (`EADDRINUSE`, `busy_timeout`, `src/app.py`, 5432) is enough on its
own. Where the words leave it open, word vectors decide. docs/decisions/0070-prompts.md has the
measurements behind the constants.
"""

from __future__ import annotations

import re

from anamnesis.ground.counting import counted
from anamnesis.ground.records import record, replace
from anamnesis.search import engine, rank
from anamnesis.search import query as queries
from anamnesis.search.last_word import newest_word_first
from anamnesis.text import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence

    from anamnesis.search.last_word import Before
    from anamnesis.search.matrix import Nearness
    from anamnesis.search.meaning import Meaning
    from anamnesis.search.query import Filters, Query, Term


MOST = 3  # notes that are given at a time

_PROMPT_LENGTH = 4_000  # characters; what follows is pasted
_MOST_TERMS = 16  # that are looked for; every word more makes the search of a large store slower
_LOOKED_AT = 12  # notes; those further down say less
_SMALLEST = 50  # notes: in a store of three, a word that two of them have is still a rare word
_LEAD = 1 / 3
_ENOUGH = 2.0  # coverage, strength and a third of the lead, without asking what words mean
_ENOUGH_UNASKED = 1.6  # the same, where the vectors have nothing to say
# The same in a language whose function words are known, if the words that are left are rare.
_ENOUGH_READ, _STRONG = 1.5, 0.9
_ENOUGH_OF_A_SESSION = 1.05  # strength and rarest word of a session note that is asked a question
_HINT_OF_A_SESSION = 0.4  # the same, if what was said in that session answers
_ENOUGH_OF_A_TURN = 0.65  # strength of what was said
_OPEN = 1.0  # less is never enough, whatever the words mean
_MEANING = 6.0  # the cosine of the right note is some 0.2 above that of a wrong one
_ENOUGH_WITH_MEANING = 4.4
# Of the encoder. In a store of fewer than some twenty notes, no note can deviate that much.
_NEAR, _STANDS_OUT, _AHEAD = 0.7, 4.0, 0.8
_UNDERSTOOD = 0.6  # of the words of a prompt must have a vector; the rest may be the point
_MOST_OF_IT = 0.7  # coverage; a note with less must be ahead of the others
_AHEAD_OF_OTHERS = 0.2  # in the score of the search
_RIVALS = 3  # notes that it is compared with
_BESIDE_BEST = 0.8  # of the best note's points; notes with fewer are not worth adding


# A question about earlier work comes from half a memory of it, so it shares few words with the
# note; an order in the same words wants work, not an answer.
_SESSIONS = "episodic/"
_LEAST_ASKED = 3  # words that tell something; fewer ask about what is on the screen
_QUESTION_LENGTH = 600  # characters; what is pasted below a request asks nothing
_QUESTION = (
    "[?\uff1f]|(?:^|[.!,;:]\\s+)(?:and |so |but |ok |also )?"
    r"(?:what|why|which|how|where|when|who|whose|did|do|does|was|were|is|are|has|have|had"
    r"|warum|wieso|welche[rsmn]?|wie|wo|wann|wer|hat|haben|hatten?|ist|sind|waren?"
    r"|quoi|pourquoi|quel(?:le)?s?|comment|où|quand|qui|est-ce|qué|por qué|cuál(?:es)?|cómo|dónde"
    r"|cuándo|quién|perché|qual[ei]?|quais|dove|onde|chi|cosa|quem)\b|什麼|什么|怎麼|怎么|哪|誰|谁|嗎|吗|多少|是否|なぜ|どう|どこ|いつ|誰が|何"
)


@record
class PromptAnswer:
    """A note that answers a prompt: where it is, why it does, and the words to show it by."""

    id: str
    scope: str
    path: str
    why: str
    weights: Mapping[str, float]  # stem -> points, for choosing the passage
    before: Before | None = None  # the word that it amends

    @property
    def is_beside(self) -> bool:
        """Whether it is a note of the second index."""
        return self.id.startswith(rank.BESIDE)

    @property
    def own_id(self) -> str:
        """The id of the note itself."""
        return self.id.removeprefix(rank.BESIDE)


@record
class _Evidence:
    """What speaks for a note."""

    hit: rank.Ranked
    coverage: float
    strength: float
    lead: float
    names: tuple[str, ...] = ()
    is_asked: bool = False  # a question, and the note tells of a session
    is_read: bool = False  # in a language that is known, but not to the vectors
    in_turns: float = 0.0  # how strongly a turn of that session answers
    meaning: float = 0.0
    nearness: float = 0.0  # by the encoder, if that decided

    @property
    def by_words(self) -> float:
        return self.coverage + self.strength + _LEAD * self.lead

    @property
    def of_a_session(self) -> float:
        return self.strength + self.hit.rarest

    @property
    def is_hinted_at(self) -> bool:
        """Whether it is worth asking what was said in the note's session."""
        return self.is_asked and self.of_a_session >= _HINT_OF_A_SESSION

    @property
    def is_open(self) -> bool:
        """Whether words say neither yes nor no."""
        return not self.names and _OPEN <= self.by_words < _ENOUGH

    @property
    def is_enough(self) -> bool:
        if self.names or self.by_words >= _ENOUGH:
            return True
        if self.is_asked and self.of_a_session >= _ENOUGH_OF_A_SESSION:
            return True
        if self.is_hinted_at and self.in_turns >= _ENOUGH_OF_A_TURN:
            return True
        if not self.meaning:
            is_strong = self.is_read and self.strength >= _STRONG
            return self.by_words >= (_ENOUGH_READ if is_strong else _ENOUGH_UNASKED)
        return self.is_open and self.by_words + _MEANING * self.meaning >= _ENOUGH_WITH_MEANING

    @property
    def is_sure(self) -> bool:
        """Whether it need not be compared with the notes beside it."""
        return bool(self.names) or self.is_asked or self.coverage >= _MOST_OF_IT

    @property
    def why(self) -> str:
        """The reason, for the receipt."""
        shares = [share for share in self.hit.why().shares if share.kind != "function"]
        listed = ", ".join(f"{share.word} (in {counted(share.notes, 'note')})" for share in shares)
        named = f"names {', '.join(self.names)}; " if self.names else ""
        meant = f" + {_MEANING:g} x {self.meaning:.2f} meaning" if self.meaning else ""
        near = f", {self.nearness:.2f} near" if self.nearness else ""
        near += f", {self.in_turns:.2f} said in its session" if self.in_turns else ""
        return (
            f"{named}{self.coverage:.2f} coverage + {self.strength:.2f} strength "
            f"+ {self.lead:.2f} lead{meant}{near}: {listed}"
        )


def answers(
    db: sqlite3.Connection,
    prompt: str,
    *,
    filters: Filters,
    nearness: Callable[[], Nearness | None] | None = None,
    ask_archive: Callable[[], Mapping[str, float]] | None = None,
    beside: sqlite3.Connection | None = None,
) -> list[PromptAnswer]:
    """The notes that answer a prompt, best first; mostly none.

    `nearness` asks the encoder, where there is one; that is slow, so it comes last.
    `ask_archive` gives, by the id of each session's note, how strongly its turns answer.
    """
    text = prompt[:_PROMPT_LENGTH]
    query = _bounded(queries.read(text))
    known = engine.statistics(db, query.terms, beside=beside)
    terms = [term for term in query.terms if known.frequencies.get(term.stem)]
    by_id: dict[str, tuple[str, ...]] = {}
    places: dict[str, tuple[str, str]] = {}
    block: list[rank.Candidate] = []
    for index, mark in ((db, ""), (beside, rank.BESIDE)):
        if index is None:
            continue
        named = _naming(index, text, filters=filters)
        rows = list(named)
        if terms:
            found = engine.candidates(index, terms, known, filters=filters, wanted=_LOOKED_AT)
            rows = list(dict.fromkeys([*found, *named]))
        by_id |= {f"{mark}{id}": names for id, names in named.values()}
        block += engine.texts(index, rows, places, mark=mark) if rows else []
    if not block:
        return []
    known = replace(known, notes=max(known.notes, _SMALLEST))
    hits, befores = newest_word_first(rank.ranked(query, block, known))
    is_question = _is_question(text) and len(query.terms) >= _LEAST_ASKED
    evidence = [
        _evidence(
            hit, hits, query, known, by_id,
            is_asked=is_question and places[hit.candidate.id][1].startswith(_SESSIONS),
        )
        for hit in hits
    ]  # fmt: skip
    return [
        PromptAnswer(
            each.hit.candidate.id,
            *places[each.hit.candidate.id],
            each.why,
            _weights(each),
            before=befores.get(each.hit.candidate.id),
        )
        for each in _with_last_word(
            _chosen(_with_turns(evidence, ask_archive), query, nearness), evidence, befores
        )
    ]


def _is_question(text: str) -> bool:
    """Whether a prompt is a question rather than an order."""
    return re.search(_QUESTION, text[:_QUESTION_LENGTH], re.IGNORECASE) is not None


def _bounded(query: Query) -> Query:
    """The query with its most telling terms only."""
    telling = [term for term in query.terms if term.selects]
    telling.sort(key=lambda term: (term.kind == "light", -term.weight, -len(term.text)))
    kept = {term.stem for term in telling[:_MOST_TERMS]}
    return replace(query, terms=tuple(term for term in query.terms if term.stem in kept))


def _evidence(
    hit: rank.Ranked,
    hits: Sequence[rank.Ranked],
    query: Query,
    known: rank.Statistics,
    named: Mapping[str, tuple[str, ...]],
    *,
    is_asked: bool,
) -> _Evidence:
    have = {share.word for share in hit.why().shares}
    weights = {term.text: _weight(term, known) for term in query.terms}
    whole = sum(weights.values())
    rival = max((other.points for other in hits if other is not hit), default=0.0)
    return _Evidence(
        hit,
        coverage=sum(weights[word] for word in have) / whole if whole else 0.0,
        strength=hit.strength,
        lead=max(0.0, 1 - rival / hit.points) if hit.points else 0.0,
        names=named.get(hit.candidate.id, ()),
        is_asked=is_asked,
        is_read=query.language is not None,
    )


def _weight(term: Term, known: rank.Statistics) -> float:
    return term.weight * rank.rarity(known.frequencies.get(term.stem, 0), known.notes)


def _with_turns(
    evidence: Sequence[_Evidence], ask_archive: Callable[[], Mapping[str, float]] | None
) -> list[_Evidence]:
    """The evidence with what was said in the sessions of these notes, where that may help."""
    if ask_archive is None or not any(each.is_hinted_at for each in evidence):
        return list(evidence)
    strengths = ask_archive()
    return [
        replace(each, in_turns=strengths.get(each.hit.candidate.id, 0.0))
        if each.is_hinted_at
        else each
        for each in evidence
    ]


def _chosen(
    evidence: Sequence[_Evidence], query: Query, nearness: Callable[[], Nearness | None] | None
) -> list[_Evidence]:
    """The best note if it is good enough, and those that are as good."""
    best = max((each.hit.points for each in evidence), default=0.0)
    worth = [
        each
        for each in evidence
        if each.names
        or each.in_turns >= _ENOUGH_OF_A_TURN
        or each.hit.points >= best * _BESIDE_BEST
    ][:MOST]
    if any(each.is_open for each in worth):
        meaning = _meaning(query)
        worth = [_with_meaning(each, meaning) if each.is_open else each for each in worth]
    chosen = [each for each in worth if each.is_enough]
    if any(not each.is_sure for each in chosen):
        chosen = _ahead_of_others(chosen, evidence, query)
    if not chosen and nearness and any(each.is_open for each in evidence):
        chosen = _near(evidence, nearness())
    return chosen


def _ahead_of_others(
    chosen: Sequence[_Evidence], evidence: Sequence[_Evidence], query: Query
) -> list[_Evidence]:
    """The chosen notes without those that say no more of the prompt than notes on other matters.

    When the note that answers is missing, the next best ones say about the same part of a prompt.
    """
    best = max(each.hit.points for each in evidence) or 1.0
    meaning = _meaning(query)

    def score(each: _Evidence) -> float:
        near = meaning.nearness(meaning.vector(each.hit.candidate.words)) if meaning else 0.0
        return each.hit.points / best + rank.MEANING * max(0.0, near)

    rivals = sorted(evidence, key=lambda each: each.hit.points, reverse=True)[:_RIVALS]
    scores = {each.hit.candidate.id: score(each) for each in rivals}
    return [
        each
        for each in chosen
        if each.is_sure
        or score(each)
        - max((s for id, s in scores.items() if id != each.hit.candidate.id), default=0)
        >= _AHEAD_OF_OTHERS
    ]


def _with_last_word(
    chosen: list[_Evidence], evidence: Sequence[_Evidence], befores: Mapping[str, Before]
) -> list[_Evidence]:
    """The chosen notes, and before each what was said later on the same matter."""
    by_id = {each.hit.candidate.id: each for each in chosen}
    for each in sorted(evidence, key=lambda each: each.hit.candidate.updated_at):
        before = befores.get(each.hit.candidate.id)
        if before is not None and before.id in by_id:
            by_id.setdefault(each.hit.candidate.id, each)
    order = [each.hit.candidate.id for each in evidence]
    return [by_id[id] for id in order if id in by_id][:MOST]


def _near(evidence: Sequence[_Evidence], nearness: Nearness | None) -> list[_Evidence]:
    """The one note that stands out by its meaning, among those whose words leave it open."""
    if nearness is None:
        return []
    by_nearness = sorted(evidence, key=lambda each: -nearness.cosine(each.hit.candidate.id))
    nearest = by_nearness[0]
    cosine = nearness.cosine(nearest.hit.candidate.id)
    rival = max((nearness.cosine(e.hit.candidate.id) for e in by_nearness[1:2]), default=0.0)
    stands_out = nearness.deviations(cosine) >= _STANDS_OUT
    ahead = nearness.deviations(cosine) - nearness.deviations(rival) >= _AHEAD
    if not (nearest.is_open and cosine >= _NEAR and stands_out and ahead):
        return []
    return [replace(nearest, nearness=cosine)]


def _meaning(query: Query) -> Meaning | None:
    """The meaning of the prompt, from the vectors of English words."""
    from anamnesis.search import meaning  # most prompts are decided without

    spoken = [term.text for term in query.terms if term.kind in ("word", "light")]
    understood = sum(map(meaning.knows, spoken))
    if query.language or understood < _UNDERSTOOD * len(spoken):
        return None
    return meaning.of(query.words, pieces=False)


def _with_meaning(each: _Evidence, meaning: Meaning | None) -> _Evidence:
    if meaning is None:
        return each
    return replace(each, meaning=meaning.nearness(meaning.vector(each.hit.candidate.words)))


def _weights(each: _Evidence) -> dict[str, float]:
    shares = [share for share in each.hit.why().shares if share.kind != "function"]
    return {share.word: share.points for share in shares}


_FEW = 3  # notes; what more of them contain says less than the words around it
_MOST = 6  # names of a text that are looked for
_SHORTEST = 4  # letters and digits, numbers aside
_MARK = re.compile(r"[A-Za-z0-9]+(?:[./:_-]+[A-Za-z0-9]+)*")
_NAME = (
    r"\w*[^\W_]_[^\W_]\w*"  # busy_timeout
    r"|[a-z]+[A-Z]\w*"  # getUserById
    r"|[A-Z]\w*(?:Error|Exception|Warning)"
    r"|[\w-]*(?:[A-Za-z]-?\d|\d[A-Za-z])[\w-]*"  # utf8mb4, ORA-01555
    r"|[\w/.-]*\w\.[a-z]\w{0,4}"  # src/app.py
    r"|\w+(?:/\w+){2,}"
    r"|(?!(?:19|20)\d\d$)\d{3,}(?<!00)"  # neither years nor round numbers
)
_SHOUTED = r"[A-Z]{5,}"


def mentioned(text: str) -> list[str]:
    """The names in a text, as written."""
    names = dict.fromkeys(mark for mark in _MARK.findall(text) if _is_name(mark))
    return list(names)[:_MOST]


def _naming(
    db: sqlite3.Connection, text: str, *, filters: Filters
) -> dict[int, tuple[str, tuple[str, ...]]]:
    """The notes that contain a rare name of a text: row -> id and names."""
    notes: dict[int, tuple[str, tuple[str, ...]]] = {}
    for name in mentioned(text):
        phrase = f'"{" ".join(words.tokens(name))}"'
        having = db.execute(
            "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?", (phrase, _FEW + 1)
        ).fetchall()
        if len(having) > _FEW:
            continue
        for rowid, id in _allowed(db, [row[0] for row in having], filters):
            notes[rowid] = (id, (*notes.get(rowid, (id, ()))[1], name))
    return notes


def _allowed(db: sqlite3.Connection, rows: list[int], filters: Filters) -> list[tuple[int, str]]:
    condition, values = filters.condition()
    marks = ", ".join("?" * len(rows))
    return [
        (row[0], row[1])
        for row in db.execute(
            f"SELECT m.rowid, m.id FROM memories m WHERE m.rowid IN ({marks}) AND {condition}",  # noqa: S608
            (*rows, *values),
        )
    ]


def _is_name(mark: str) -> bool:
    if mark.isdigit():
        return re.fullmatch(_NAME, mark) is not None
    if sum(map(str.isalnum, mark)) < _SHORTEST:
        return False
    return re.fullmatch(_NAME, mark) is not None or (
        re.fullmatch(_SHOUTED, mark) is not None and not _is_english(mark)
    )


def _is_english(word: str) -> bool:
    """Whether a word in capitals is just an ordinary word, emphasised."""
    from anamnesis.search import meaning

    return meaning.knows(word.lower())
