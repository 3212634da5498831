"""One table: what becomes of a note, by who wrote it.

`inject`: it is given to an agent unasked. `review`: not until you have kept it. `search`: only a
search finds it. A finding (see `verdict`) holds a note whatever its row says.
"""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.ground.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INJECT, REVIEW, SEARCH = TREATMENTS = ("inject", "review", "search")
VOUCHED = "vouched"  # a folder with an empty file for each text that you kept: `<note>.<hash>`
PENDING = "pending"  # the tag of a note that is to be reviewed
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
    kept_out = ["EXISTS (SELECT 1 FROM held h WHERE h.memory_id = m.id)"]
    for row in table():
        waits = (
            "EXISTS (SELECT 1 FROM memory_tags w WHERE w.memory_id = m.id AND w.tag = 'pending')"
        )
        if row.where and row.treatment != INJECT:
            unless = f" AND {waits}" if row.treatment == REVIEW else ""
            kept_out.append(f"({row.where}{unless})")
    return f"NOT ({' OR '.join(kept_out)})"


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


def new_tags(origin: str, tags: Iterable[str]) -> list[str]:
    """The tags of a new note: it is to be reviewed if its row says so."""
    waits = [PENDING] if standing(origin).treatment == REVIEW else []
    return list(dict.fromkeys([*tags, *waits]))


def lowest(origins: Iterable[str]) -> str:
    """The least trusted origin, which is that of a note made of several."""
    return max(origins, key=lambda origin: _ORDER.index(standing(origin).name), default="")


def said(origin: str) -> str:
    """An origin in words: `agent claude-code`."""
    return origin.replace(":", " ", 1)


def settable() -> list[Standing]:
    """The rows that a setting may change."""
    return [row for row in TABLE if row.where]


def vouched_path(note_id: str, *, title: str, body: str) -> str:
    """The file that says that you have read exactly this note and want it."""
    return f"{VOUCHED}/{note_id}.{_mark(title, body)}"


def is_vouched(home: str, *, title: str, body: str) -> bool:
    """Whether you have read exactly this on this machine and kept it."""
    mark = _mark(title, body)
    try:
        if any(name.endswith(mark) for name in os.listdir(os.path.join(home, VOUCHED))):
            return True
    except OSError:
        pass  # nothing was kept so far
    try:
        with open(os.path.join(home, f"{VOUCHED}.txt"), "rb") as before:  # of earlier versions
            return mark.encode() in before.read().split()
    except OSError:
        return False


def _mark(title: str, body: str) -> str:
    from hashlib import blake2b

    text = f"{title}\n\n{body}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
