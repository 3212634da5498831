"""List recent changes to all notes: when, on which machine, which notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.operations.notes import history

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping

    from anamnesis.operations.notes.history import RecordedChange

EXAMPLES = """\
examples:
  anamnesis log
  anamnesis log --project . --since 7d
  anamnesis history N0KGD          # the versions of one note
"""
_NOTES_SHOWN = 5


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_limit(parser, default=20)
    arguments.add_since(parser)
    arguments.add_project(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the changes with the titles of their notes."""
    with arguments.store_to_read() as store:
        if project := arguments.project_of(args.project):
            found = history.project_changes(store, project, limit=args.limit)
        else:
            found = history.changes(store.home, limit=args.limit).versions
        recent = [version for version in found if version.at >= (args.since or "")]
        changes = history.changes_with_titles(store, recent, most=_NOTES_SHOWN)
        notes = [note for change in changes for note in change.notes]
        ids = tables.shown_ids(store, [note.note_id for note in notes])
    if args.json:
        output.say_json([_as_json(change) for change in changes])
        return 0
    lines = [line for change in changes if change.notes for line in _lines(change, ids)]
    output.page(lines)
    if not lines:
        output.talk("no changes yet; each sync records them")
    return 0


def _lines(change: RecordedChange, ids: Mapping[str, str]) -> Iterator[str]:
    version = change.version
    commit = tables.painted(version.commit[:10], "yellow")
    yield f"{commit}  {tables.moment(version.at)}  {version.machine}"
    for note in change.notes:
        head = f"    {note.what:<7}  {ids[note.note_id]}  "
        yield head + tables.fitted(note.title, len(head))
    if change.total > len(change.notes):
        yield f"    and {change.total - len(change.notes)} more"


def _as_json(change: RecordedChange) -> dict[str, object]:
    version = change.version
    notes = [{"what": n.what, "id": n.note_id, "title": n.title} for n in change.notes]
    return {
        "commit": version.commit,
        "at": version.at,
        "machine": version.machine,
        "message": version.message,
        "files": list(version.files),
        "notes": notes,
    }
