"""What you typed before its secrets were replaced, so that it can be put back.

The original is kept as a change that can be undone: on this machine, for 30 days, readable by you
alone, and removed by `anamnesis forget`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.ground.clock import utcnow
from anamnesis.ground.records import replace
from anamnesis.history.units import DONE, REDACTION, Image, Unit, Units, current, hash_of
from anamnesis.notes import tree
from anamnesis.notes.frontmatter import note_in
from anamnesis.secrets import ALLOWED, allow_list, findings

if TYPE_CHECKING:
    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory
    from anamnesis.operations.notes.policy import NoteDraft
    from anamnesis.store import MemoryStore

_ENDING = 8  # characters of an id that tell changes apart
_NAMED = 8  # characters of a value, of a short one a quarter


def keep(store: MemoryStore, note: Memory, typed: Memory | NoteDraft) -> str:
    """Keep what was typed of a stored note; returns the sentence that says how to put it back.

    It names each value by its beginning, which tells you which one, and nobody else what it is.
    """
    path = store.files_of(note)[0]
    whole = replace(
        note, title=typed.title, body=typed.body, project=typed.project, tags=list(typed.tags)
    )
    image = Image(path, tree.encode(tree.storable(whole)), hash_of(current(store.home, path)))
    units = Units(store.home)
    unit = Unit(units.next_id(), REDACTION, "secrets replaced in 1 note", utcnow(), DONE, [image])
    units.save(unit)
    named = ", ".join(
        f"{value[: min(_NAMED, len(value) // 4)]}…" for value in _values(store.home, whole)
    )
    return f"If that is wrong, put {named} back:  anamnesis undo {unit.id[-_ENDING:]}"


def allow(home: Home, unit: Unit) -> None:
    """Allow the values that a change replaced, before they are put back."""
    notes = [note for image in unit.files if (note := note_in(image.before or b""))]
    values = [value for note in notes for value in _values(home, note)]
    lines = [value for value in values if "\n" not in value]
    if lines:
        path = os.path.join(home, ALLOWED)
        before = (current(home, ALLOWED) or b"").decode("utf-8", "replace")
        start = before if not before or before.endswith("\n") else f"{before}\n"
        atomic.write_text(path, start + "".join(f"{line}\n" for line in lines))


def _values(home: Home, note: Memory) -> list[str]:
    texts, known = (note.title, note.body, note.project, *note.tags), allow_list(home)
    found = (text[each.start : each.end] for text in texts for each in findings(text, allow=known))
    return list(dict.fromkeys(found))
