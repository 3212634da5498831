"""Keeping the block of notes in AGENTS.md and its like, and what people edit in it.

What is outside of the block is never touched. An edit inside of it stays where it is until you take
it into its note or drop it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import carried
from anamnesis.ground import atomic
from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import InvalidInput, NoteChangedOnDisk
from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.fields import UnreadableNote
from anamnesis.operations.repository import block
from anamnesis.operations.repository.reading import read_carried

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.config import Home
    from anamnesis.operations.repository.block import Section
    from anamnesis.operations.repository.reading import CarriedNote, CarriedNotes


@dataclass(frozen=True, slots=True)
class Bridged:
    """What became of one file, and what in it waits for you."""

    path: str
    written: bool
    edited: tuple[Section, ...] = ()
    strays: tuple[str, ...] = ()  # lines in the block that belong to no note: nothing was written


def bridge(
    home: Home,
    directory: str,
    *,
    files: Sequence[str] = (),
    size: int | None = None,
    drop: str = "",
) -> list[Bridged]:
    """Bring the blocks up to date: of the named files, or of all that have one.

    `drop` is the id of a note whose edit in a block is given up. Raises InvalidInput, and
    NoteChangedOnDisk if a file is saved at this very moment.
    """
    found = _trusted(home, directory)
    names = files or [name for name in carried.BRIDGES if _has_block(found.top, name)]
    if not names:
        raise InvalidInput(
            "No file has a block of notes yet.", hint="Name the first:  anamnesis bridge AGENTS.md"
        )
    for name in names:
        if name not in carried.BRIDGES:
            raise InvalidInput(f"{name} is none of: {', '.join(carried.BRIDGES)}.")
    return [_written(found, name, size=size, drop=drop) for name in names]


def take(home: Home, directory: str, note_id: str) -> list[Bridged]:
    """Take the edit of a rule in a block into its note's file; commits nothing.

    Raises InvalidInput if there is no such edit, and NoteChangedOnDisk.
    """
    found = _trusted(home, directory)
    note = next((each for each in found.notes if each.note.id == note_id), None)
    edits = [each for each in _edits(found) if each.id == note_id]
    if note is None or not edits:
        raise InvalidInput(f"No block has an edit of a note {note_id}.")
    if len({(each.title, each.body) for each in edits}) > 1:
        raise InvalidInput(f"Two files have different edits of {note_id}; drop one of them first.")
    path = os.path.join(found.top, note.path)
    if not atomic.exchange(path, note.data, _changed(note, edits[0])):
        raise NoteChangedOnDisk(note.path)
    return bridge(home, directory)


def _changed(each: CarriedNote, edit: Section) -> bytes:
    now = block.section(each)
    title = each.note.title if edit.title == now.title else edit.own_title
    body = each.note.body if edit.body == now.body else edit.own_body
    return tree.encode(replace(each.note, title=title, body=body, updated_at=utcnow()))


def _trusted(home: Home, directory: str) -> CarriedNotes:
    if not carried.notes_root(directory):
        raise InvalidInput(
            f"The repository of {os.path.abspath(directory)} carries no notes.",
            hint="To put one there:  anamnesis share ID",
        )
    if carried.waits(home, directory):
        raise InvalidInput(
            "This repository carries notes that you have not accepted.",
            hint="Look at them, then:  anamnesis project trust",
        )
    return read_carried(directory)


def _edits(found: CarriedNotes) -> list[Section]:
    texts = (_text(found.top, name)[1] for name in carried.BRIDGES)
    blocks = (block.find(text) for text in texts)
    return [section for each in blocks if each is not None for section in each.edited]


def _written(found: CarriedNotes, name: str, *, size: int | None, drop: str) -> Bridged:
    data, text = _text(found.top, name)
    there = block.find(text)
    if there is None and carried.BLOCK_BEGIN in text:
        raise InvalidInput(f"The block of notes in {name} has no end: {carried.BLOCK_END}")
    if there is not None and there.strays:
        return Bridged(name, written=False, edited=there.edited, strays=there.strays)
    size = size or (there.size if there else block.SIZE)
    edited = [each for each in (there.edited if there else ()) if each.id != drop]
    edited = [each for each in edited if not _is_taken(found.notes, each)]
    now = block.render(found.notes, size=size, keep=edited)
    if there is not None:
        after = f"{there.before}{now}\n{there.after}"
    else:
        after = f"{text.rstrip()}\n\n{now}\n" if text.strip() else f"{now}\n"
    if after != text:
        _save(os.path.join(found.top, name), data, after, name)
    return Bridged(name, written=after != text, edited=tuple(edited))


def _is_taken(notes: Iterable[CarriedNote], edit: Section) -> bool:
    """Whether a note says by now what was edited in the block."""
    sections = (block.section(each) for each in notes if each.note.id == edit.id)
    return any((now.title, now.body) == (edit.title, edit.body) for now in sections)


def _save(path: str, data: bytes | None, text: str, name: str) -> None:
    if data is not None and b"\r\n" in data:
        text = text.replace("\n", "\r\n")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mode = os.stat(path).st_mode & 0o777 if data is not None else 0o644
    if not atomic.exchange(path, data, text.encode()):
        raise NoteChangedOnDisk(name)
    os.chmod(path, mode)


def _has_block(top: str, name: str) -> bool:
    try:
        return carried.BLOCK_BEGIN in _text(top, name)[1]
    except InvalidInput:
        return False


def _text(top: str, name: str) -> tuple[bytes | None, str]:
    """The file as bytes and as text; neither for one that is not there."""
    path = os.path.join(top, name)
    if os.path.islink(os.path.dirname(path)):
        raise InvalidInput(f"{os.path.dirname(name)} is a symbolic link, which is not followed.")
    try:
        data, _ = tree.read_regular(path)
    except FileNotFoundError:
        return None, ""
    except UnreadableNote as error:
        raise InvalidInput(f"{name} cannot be used: {error.reason}.") from None
    try:
        return data, data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} is not UTF-8.") from None
