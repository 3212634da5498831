"""What an editor leaves in the folders: plain files that become notes, and edits without a date."""

from __future__ import annotations

import re

from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.fields import TYPES, Memory, UnreadableNote
from anamnesis.notes.frontmatter import deserialize

# Files that come with a folder and are about it.
_ABOUT_FOLDERS = ("readme", "license", "licence", "copying", "changelog", "contributing")
_UPDATED = re.compile(r"^updated_at:.*$", re.MULTILINE)


def adopted(path: str, text: str, *, at: str, machine: str) -> Memory | None:
    """The note that a markdown file in the folder of a type becomes; None if it is not to be one.

    Its id is derived from its place and text, so that two machines that share the folder by other
    means give it the same one. One whose front matter has an id is a note already.
    """
    _, _, place = path.partition("/")
    folder, _, name = place.rpartition("/")
    if folder not in TYPES or name.lower().startswith(_ABOUT_FOLDERS):
        return None
    try:
        deserialize(text)
    except UnreadableNote:
        pass
    else:
        return None  # a note that needs nothing
    try:
        note = tree.note_at(path, _with_front_matter(text, type=folder))
    except UnreadableNote:
        return None
    if not note.body.strip() or tree.concern(note, path):
        return None
    return replace(
        note,
        machine_id=machine,
        created_at=note.created_at or at,
        updated_at=note.updated_at or at,
    )


def _with_front_matter(text: str, *, type: str) -> str:
    text = text.removeprefix("\ufeff")
    return text if text.startswith("---") else f"---\ntype: {type}\n---\n{text}"


def dated(text: str, before: str, *, at: str) -> str | None:
    """A note's text with the time at which its title or body was edited; None if it has one.

    Commands write the time themselves. What a session's note says is dated by its session.
    """
    try:
        note, old = deserialize(text), deserialize(before)
    except UnreadableNote:
        return None
    is_edited = (note.title, note.body) != (old.title, old.body)
    if not is_edited or note.updated_at != old.updated_at or note.updated_at >= at:
        return None
    if note.prov_source == "session-end":
        return None
    front, mark, body = text.partition("\n---")
    fresh, found = _UPDATED.subn(f"updated_at: '{at}'", front, count=1)
    return f"{fresh}{mark}{body}" if found else None
