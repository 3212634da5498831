"""How often notes helped the sessions that got them, counted on this machine.

`<home>/state/usefulness.json` has the counts, which a session's start reads;
`usefulness-sessions.json` has what each of the latest sessions added to them, because a session
is captured more than once. Both may be deleted at any time.
"""

from __future__ import annotations

from anamnesis.ground import locks
from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from anamnesis.config import Home
    from anamnesis.ground.state import StateFile

_MOST_NOTES = 2_000
_MOST_SESSIONS = 200
_LOCK_SECONDS = 5.0
_IGNORED = 0.2  # of a use: a note can be right without being needed today
_DOUBT = 2.0  # uses; one session proves little
_MOST = 0.25  # what a note gains or loses at most


@record
class Uses:
    """How many of the sessions that got a note used it."""

    used: int = 0
    ignored: int = 0

    @property
    def factor(self) -> float:
        """A mild multiplier between 0.75 and 1.25; 1 for a note that was never given."""
        against = _IGNORED * self.ignored
        return 1 + _MOST * (self.used - against) / (self.used + against + _DOUBT)

    @property
    def sentence(self) -> str:
        """The counts in words."""
        return f"used in {self.used} of {self.used + self.ignored} sessions, x{self.factor:.2f}"


def uses_by_note(home: Home) -> dict[str, Uses]:
    """The counts of all notes that sessions were given; none if the file is missing or damaged."""
    uses = {}
    for id, counts in _counts(home).record().items():
        if isinstance(counts, list) and [type(count) for count in counts] == [int, int]:
            uses[id] = Uses(*counts)
    return uses


def of_sessions(home: Home) -> dict[str, dict[str, int]]:
    """For each of the latest sessions, which of its notes it used (1) and which it did not (0)."""
    return {id: notes for id, notes in _sessions(home).record().items() if type(notes) is dict}


def count_uses(
    home: Home, session: str, *, used: AbstractSet[str], ignored: AbstractSet[str]
) -> None:
    """Count which notes a session used; a second call for it replaces the first."""
    try:
        with locks.held(home.lock("usefulness"), name="usefulness", timeout=_LOCK_SECONDS):
            _learn(home, session, {**dict.fromkeys(ignored, 0), **dict.fromkeys(used, 1)})
    except (AnamnesisError, OSError, UnicodeError):
        return  # counted at the session's next capture


def _learn(home: Home, session: str, outcome: Mapping[str, int]) -> None:
    sessions, counts = _sessions(home).record(), _counts(home).record()
    before = sessions.pop(session, {})
    if before == outcome:
        return
    for verdicts, by in ((before, -1), (outcome, 1)):
        for id, used in verdicts.items():
            own = counts.pop(id, [0, 0])  # put back at the end: what is long unused goes first
            own[0 if used else 1] = max(0, own[0 if used else 1] + by)
            if any(own):
                counts[id] = own
    latest = [*sessions.items(), (session, dict(outcome))][-_MOST_SESSIONS:]
    _counts(home).write(dict([*counts.items()][-_MOST_NOTES:]))
    _sessions(home).write(dict(latest))


def _counts(home: Home) -> StateFile:
    return home.state_file("usefulness.json")


def _sessions(home: Home) -> StateFile:
    return home.state_file("usefulness-sessions.json")
