"""The working set of a session: always-on notes, where the work stopped, durable notes."""

from __future__ import annotations

from itertools import zip_longest

from anamnesis.aliases import names_of
from anamnesis.ground.records import record
from anamnesis.index import queries
from anamnesis.project import GLOBAL
from anamnesis.trust import policy
from anamnesis.trust.policy import PINNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Container, Iterable, Sequence

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

    Names = tuple[str, ...]  # all keys of one project

# The slots of a session's start, in the order in which they are shown.
SELF = "self"  # what this very session did before it was compacted
LAID = "laid"  # what you laid down
RULE = "rule"  # pinned; with `k`, also global
LAST = "last"  # the session that this one continues
BEFORE = "before"  # the session before that
ELSEWHERE = "elsewhere"  # written on another machine since this one was last here
KNOWN = "known"  # what the project knows
REST = "rest"  # what waits for a review, and earlier sessions
ALWAYS = "always"  # global

EXCLUDED = "not-at-start"  # the tag of a note that is kept out of every session's start

_DURABLE = ("procedural", "semantic")
_MAX_EPISODIC = 2  # the "what I last did" thread; more crowds out durable notes
_EVERY = 1 << 40
USUAL = 50  # notes of a kind: more than a start shows of notes that are longer than a sentence
MANY = 80  # as many as it could hold of the shortest
_MOST_SESSIONS = 20
_SHORT = 600  # bytes of a file; about 400 of them are fields


@record
class Candidate:
    """A note of the working set, without its body, and why it is there."""

    note: Memory
    why: str
    slot: str = KNOWN
    is_short: bool = False  # hardly longer than its title


def is_laid_down(note: Memory) -> bool:
    """Whether a note is your word, which an agent should follow; a session tells what was done."""
    is_yours = policy.is_laid_down(note.origin, note.tags, source=note.prov_source)
    return is_yours and note.type != "episodic"


def select_inject(store: MemoryStore, *, project: str, k: int = 8) -> list[Memory]:
    """All global notes, then up to `k` of the project, with their bodies."""
    names = names_of(store.home, project)
    chosen: list[Candidate] = store.ask(
        lambda db: _limited(db, names, k=k, most_global=_EVERY, session="")
    )
    notes = (store.get(each.note.id) for each in _unique(chosen))
    return [note for note in notes if note is not None]


def candidates(
    store: MemoryStore,
    *,
    project: str,
    k: int | None = None,
    session: str = "",
    machine: str = "",
    branch: str = "",
    most: int = MANY,
    compacted: bool = False,
    not_here: Container[str] = (),
) -> list[Candidate]:
    """The working set from the index alone; no file is read.

    Sessions that are `not_here`, on commits that are not contained, stand behind the others.

    With `k`, at most that many notes of the project; without, at most `most` of each kind. Only a
    session that was `compacted` is told what it did itself.
    """
    names = names_of(store.home, project)

    def choose(db: sqlite3.Connection) -> list[Candidate]:
        own = queries.of_session(db, session) if compacted and session else []
        mine = [Candidate(note, "what this session did so far", SELF) for note in own]
        if k is not None:
            return [*mine, *_limited(db, names, k=k, most_global=most, session=session)]
        sessions = _sessions(db, names, session)
        sessions.sort(key=lambda note: note.id in not_here)
        since = _last_here(sessions, machine)
        return [
            *mine,
            *_rules(db, names),
            *_thread(db, sessions, branch, not_here),
            *_durable(db, names, most, since=since, machine=machine),
            *_news(sessions, machine),
            *(Candidate(note, "an earlier session", REST) for note in sessions),
            *_global(db, names, most),
        ]

    return _unique(store.ask(choose))


def with_carried(chosen: Sequence[Candidate], notes: Sequence[Memory]) -> list[Candidate]:
    """A working set with notes that the repository carries, by turns with what you know of it.

    Neither starves the other, and whatever a repository's file says, it is no rule of yours.
    """
    theirs = [Candidate(note, "carried by the repository") for note in notes]
    known = [each for each in chosen if each.slot == KNOWN]
    mixed = [each for pair in zip_longest(known, theirs) for each in pair if each is not None]
    return _unique([*(each for each in chosen if each.slot != KNOWN), *mixed])


def durable(db: sqlite3.Connection, project: str, most: int) -> list[Memory]:
    """What a repository carries that holds beyond one session, latest first."""
    return _latest(db, (project,), list(_DURABLE), most)


def _unique(chosen: Iterable[Candidate]) -> list[Candidate]:
    unique: dict[str, Candidate] = {}
    for candidate in chosen:
        if EXCLUDED not in candidate.note.tags:
            unique.setdefault(candidate.note.id, candidate)
    return list(unique.values())


def _limited(
    db: sqlite3.Connection, names: Names, *, k: int, most_global: int, session: str
) -> list[Candidate]:
    budget = max(k, 0)
    always = _latest(db, (GLOBAL,), queries.types_of(db, GLOBAL), most_global)
    latest = _left_open(db, names)
    latest += _latest(db, names, ["episodic"], _MAX_EPISODIC + 1)
    episodes = _others(latest, session)[: min(_MAX_EPISODIC, budget)]
    durable = _latest(db, names, list(_DURABLE), budget - len(episodes))
    return [
        *(Candidate(note, "global", LAID if is_laid_down(note) else RULE) for note in always),
        *(Candidate(note, _recent(note)) for note in durable),
        *_in_order(episodes),
    ]


def _rules(db: sqlite3.Connection, names: Names) -> list[Candidate]:
    """What you laid down, then whatever else is pinned: for the project, and for all."""
    every = list(dict.fromkeys([*names, GLOBAL]))
    types = [*_DURABLE, "episodic"]
    pinned = [note for name in every for note in queries.pinned(db, project=name, types=types)]
    kept = [note for name in every for note in queries.kept_rules(db, project=name)]
    yours = [note for note in (*pinned, *kept) if is_laid_down(note)]
    return [
        *(Candidate(note, _laid_down(note), LAID) for note in yours),
        *(Candidate(note, "pinned", RULE) for note in pinned),
    ]


def _laid_down(note: Memory) -> str:
    return "pinned" if PINNED in note.tags else "a rule that you kept"


def _global(db: sqlite3.Connection, names: Names, most: int) -> list[Candidate]:
    types = [*_DURABLE] if GLOBAL in names else queries.types_of(db, GLOBAL)
    notes = _latest(db, (GLOBAL,), types, most)
    sizes = queries.sizes(db, notes)
    return [
        Candidate(note, "global", ALWAYS, is_short=sizes.get(note.id, _SHORT + 1) <= _SHORT)
        for note in notes
    ]


def _sessions(db: sqlite3.Connection, names: Names, session: str) -> list[Memory]:
    """The project's latest sessions, except the current one."""
    notes = _left_open(db, names)
    notes += _by_name(
        names,
        lambda each: queries.latest(db, project=each, types=["episodic"], limit=_MOST_SESSIONS),
    )
    return _others(notes, session)[:_MOST_SESSIONS]


def _left_open(db: sqlite3.Connection, names: Names) -> list[Memory]:
    return _by_name(names, lambda each: queries.left_open(db, project=each))


def _others(notes: Sequence[Memory], session: str) -> list[Memory]:
    unique = {note.id: note for note in notes if not session or note.prov_session != session}
    return list(unique.values())


def _thread(
    db: sqlite3.Connection, sessions: Sequence[Memory], branch: str, not_here: Container[str]
) -> list[Candidate]:
    """The session that is continued, of this branch if there is one, and the one before."""
    here = [note for note in sessions if note.id not in not_here]
    on_branch = queries.on_branch(db, here, branch=branch) if branch and here else []
    first = on_branch[:1] or list(sessions[:1])
    others = [note for note in sessions if note not in first]
    why = f"the latest session on branch {branch}" if on_branch else "the latest session"
    return [
        *(Candidate(note, why, LAST) for note in first),
        *(Candidate(note, "the session before", BEFORE) for note in others[:1]),
    ]


def _in_order(episodes: Sequence[Memory]) -> list[Candidate]:
    return [
        *(Candidate(note, "the latest session", LAST) for note in episodes[:1]),
        *(Candidate(note, "the session before", BEFORE) for note in episodes[1:]),
    ]


def _last_here(sessions: Sequence[Memory], machine: str) -> str:
    """When this machine's latest session of the project was captured; empty if unknown."""
    return max((note.updated_at for note in sessions if note.machine_id == machine), default="")


def _news(sessions: Sequence[Memory], machine: str) -> list[Candidate]:
    since = _last_here(sessions, machine)
    return [
        Candidate(note, f"new from {note.machine_id}", ELSEWHERE)
        for note in sessions
        if since and note.machine_id != machine and note.updated_at > since
    ]


def _durable(
    db: sqlite3.Connection, names: Names, most: int, *, since: str, machine: str
) -> list[Candidate]:
    chosen = []
    for note in _latest(db, names, list(_DURABLE), most):
        if policy.PENDING in note.tags:  # proposed, and known only once you keep it
            chosen.append(Candidate(note, "to review", REST))
        elif since and note.machine_id != machine and note.updated_at > since:
            chosen.append(Candidate(note, f"new from {note.machine_id}", ELSEWHERE))
        else:
            chosen.append(Candidate(note, _recent(note)))
    return chosen


def _recent(note: Memory) -> str:
    return f"recent {note.type} note of the project"


def _latest(db: sqlite3.Connection, names: Names, types: list[str], limit: int) -> list[Memory]:
    first = _by_name(names, lambda each: queries.pinned(db, project=each, types=types))
    notes = _by_name(names, lambda each: queries.latest(db, project=each, types=types, limit=limit))
    chosen = {note.id: note for note in (*first, *notes)}
    return list(chosen.values())[:limit]


def _by_name(names: Names, query: Callable[[str], list[Memory]]) -> list[Memory]:
    """What a query finds under each name of a project, the latest first."""
    found = [note for name in names for note in query(name)]
    if len(names) > 1:
        found.sort(key=lambda note: (note.updated_at, note.confidence, note.id), reverse=True)
    return found
