"""What was forgotten on purpose: the name of an empty-handed file, and nothing of the note.

Tombstones travel with the notes, so that no machine captures or imports again what a person had
removed. All have the same bytes: two machines that forget one note cannot disagree about it.
"""

from __future__ import annotations

import os

from anamnesis.notes.ids import is_valid_id

FOLDER = "memory/.tombstones"
CONTENT = b'{"forgotten": true}\n'


def path_of(note_id: str) -> str:
    """The tombstone of a note, relative to the root."""
    return f"{FOLDER}/{note_id}.json"


def path_of_session(session: str) -> str:
    """The tombstone of a session; its id is hashed, so that even that is not kept."""
    from hashlib import blake2b

    digest = blake2b(session.encode("utf-8", "replace"), digest_size=12).hexdigest()
    return path_of(f"session-{digest}")


def is_forgotten(root: str, note_id: str) -> bool:
    """Whether a person had this note removed from all machines."""
    return is_valid_id(note_id) and os.path.exists(os.path.join(root, path_of(note_id)))


def is_forgotten_session(root: str, session: str) -> bool:
    """Whether the note of this session was removed from all machines."""
    return bool(session) and os.path.exists(os.path.join(root, path_of_session(session)))


def forgotten(root: str) -> set[str]:
    """The ids of all forgotten notes."""
    try:
        names = os.listdir(os.path.join(root, FOLDER))
    except OSError:
        return set()
    ids = {name.removesuffix(".json") for name in names if name.endswith(".json")}
    return {each for each in ids if is_valid_id(each)}
