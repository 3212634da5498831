"""One table: what becomes of a note, by who wrote it.

`inject`: it is given to an agent unasked. `review`: not until you have kept it. `search`: only a
search finds it. What a note says is not looked at: a rule against wording stopped half of the
published attacks and a fifth of honest sessions.
"""

from __future__ import annotations

from anamnesis import config
from anamnesis.ground.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INJECT, REVIEW, SEARCH = TREATMENTS = ("inject", "review", "search")
PENDING = "pending"  # the tag of a note that is to be reviewed
PINNED = "pinned"  # the tag of a note that you want at every start
RULE = "rule"  # the tag of a wish that you voiced in a session
NATIVE = "import:claude-code"
AFTER_WEB = (
    " after web"  # ends the origin of what an agent wrote once its session had read elsewhere
)


@record
class Standing:
    """A row: the notes of one kind of writer, most trusted first."""

    name: str  # the setting is `trust_` and this
    writer: str
    treatment: str
    where: str  # the same as a condition on the index; without one the field is not needed


TABLE = (
    Standing("person", "you, or a note from before origins were kept", INJECT, ""),
    Standing("session", "a session, captured on one of your machines", INJECT, ""),
    Standing("reflection", "a reflection on sessions", INJECT, ""),
    Standing(
        "native", "Claude Code's own memory on your machines", INJECT,
        f"coalesce(m.origin, '') = '{NATIVE}'",
    ),
    Standing(
        "repository", "the repository, once you trust its notes", INJECT,
        "coalesce(m.origin, '') GLOB 'repository:*'",
    ),
    Standing(
        "agent", "an agent, by memory_write", INJECT,
        f"coalesce(m.origin, '') GLOB 'agent:*' AND m.origin NOT GLOB '*{AFTER_WEB}'",
    ),
    Standing(
        "web", "an agent whose session had read the web or other tools", REVIEW,
        f"coalesce(m.origin, '') GLOB 'agent:*{AFTER_WEB}'",
    ),
    Standing(
        "import", "a file or another program's export", REVIEW,
        f"coalesce(m.origin, '') GLOB 'import:*' AND m.origin <> '{NATIVE}'",
    ),
)  # fmt: skip
_ORDER = [row.name for row in TABLE]


def table() -> list[Standing]:
    """The rows as they are set on this machine."""
    set_here = config.settings([f"trust_{row.name}" for row in settable()])
    chosen = {row.name: set_here.get(f"trust_{row.name}", "").lower() for row in settable()}
    return [
        replace(row, treatment=chosen[row.name]) if chosen.get(row.name) in TREATMENTS else row
        for row in TABLE
    ]


def condition() -> str:
    """Which notes of the index `m` an agent may be given unasked, as SQL."""
    kept_out = []
    for row in table():
        waits = (
            "EXISTS (SELECT 1 FROM memory_tags w WHERE w.memory_id = m.id AND w.tag = 'pending')"
        )
        if row.where and row.treatment != INJECT:
            unless = f" AND {waits}" if row.treatment == REVIEW else ""
            kept_out.append(f"({row.where}{unless})")
    return f"NOT ({' OR '.join(kept_out)})" if kept_out else "1"


def standing(origin: str) -> Standing:
    """The row of an origin; an empty or unknown one counts as yours."""
    name = "native" if origin == NATIVE else origin.partition(":")[0]
    if name == "agent" and origin.endswith(AFTER_WEB):
        name = "web"
    return next((row for row in table() if row.name == name), TABLE[0])


def why_not(origin: str, tags: Iterable[str]) -> str:
    """Why a note is not given to an agent unasked, judged by its origin; empty if it is."""
    row = standing(origin)
    if row.treatment == SEARCH:
        return f"notes by {row.writer} are only found by search"
    waits = row.treatment == REVIEW and PENDING in tags
    return f"it comes from {row.writer} and is not reviewed yet" if waits else ""


def is_laid_down(origin: str, tags: Iterable[str], *, source: str) -> bool:
    """Whether you pinned a note or kept it as a rule, and no other wrote it.

    That nothing is known of its writer is not enough, and neither is a pin on what another wrote.
    """
    has, writer = set(tags), origin.partition(":")[0]
    if writer not in ("", "session", "reflection") or source == "import" or PENDING in has:
        return False
    return PINNED in has or (RULE in has and source == "reflection")


def new_tags(origin: str, tags: Iterable[str]) -> list[str]:
    """The tags of a new note: it is to be reviewed if its row says so, and only you pin."""
    waits = [PENDING] if standing(origin).treatment == REVIEW else []
    return list(dict.fromkeys([*(tag for tag in tags if tag != PINNED or not origin), *waits]))


def edited_tags(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """The tags of a note that an agent edits: it neither pins it nor takes it out of review."""
    had, wanted = set(before), list(after)
    allowed = [tag for tag in wanted if tag != PINNED or tag in had]
    return [*allowed, *({PENDING} & had - set(allowed))]


def lowest(origins: Iterable[str]) -> str:
    """The least trusted origin, which is that of a note made of several."""
    return max(origins, key=lambda origin: _ORDER.index(standing(origin).name), default="")


def said(origin: str) -> str:
    """An origin in words: `agent claude-code`."""
    return origin.replace(":", " ", 1)


def settable() -> list[Standing]:
    """The rows that a setting may change."""
    return [row for row in TABLE if row.where]
