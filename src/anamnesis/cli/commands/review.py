"""Review proposals and what comes from elsewhere: keep or reject each note, or a group.

On a terminal, press one key: k keep, r reject, e edit in $EDITOR, s skip, q quit. A rejected
note does not come back, and notes it had replaced are active again.
"""

from __future__ import annotations

import difflib
import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, tables
from anamnesis.ground.counting import counted
from anamnesis.notes.source import source_in_words
from anamnesis.operations.curate import review
from anamnesis.operations.notes.search import warnings
from anamnesis.operations.notes.show import note_dict, show
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis review
  anamnesis review --list
  anamnesis review --keep N0KGD --reject 7Q3X2
  anamnesis review --origin import:chatgpt --keep-all
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)
    arguments.add_since(parser)
    arguments.add_limit(parser, default=0, least=0)
    parser.add_argument("--list", action="store_true", help="only list notes to review")
    parser.add_argument("--keep", metavar="ID", action="append", default=[], help="keep this note")
    parser.add_argument(
        "--reject", metavar="ID", action="append", default=[], help="reject this note"
    )
    parser.add_argument("--keep-all", action="store_true", help="keep all of them")
    parser.add_argument("--reject-all", action="store_true", help="reject all of them")
    parser.add_argument("--origin", metavar="TEXT", help="only notes whose origin starts with this")
    arguments.add_undo(parser, what="decision")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Decide as the options say, or ask about each note."""
    if args.list:
        arguments.existing_home()
    elif (
        args.keep or args.keep_all or not (args.reject or args.reject_all or args.json or args.undo)
    ):
        require_person("keep notes")
    with arguments.store_to_change("review") as store:
        if args.undo:
            return arguments.take_back(store, "review", as_json=args.json)
        review.keep_old(store, days=review.keep_after_days())
        waiting = _chosen(store, args)
        if args.keep or args.reject or args.keep_all or args.reject_all:
            return _decide(store, args, waiting)
        if args.list or args.json:
            _list(store, waiting, as_json=args.json)
            return 0
        return _ask(store, waiting)


def _chosen(store: MemoryStore, args: Namespace) -> list[Memory]:
    waiting = review.pending(store, project=arguments.project_of(args.project, store=store))
    if args.origin:
        waiting = [note for note in waiting if note.origin.startswith(args.origin)]
    if args.since:
        waiting = [note for note in waiting if note.updated_at >= args.since]
    return waiting[: args.limit or None]


def _decide(store: MemoryStore, args: Namespace, waiting: list[Memory]) -> int:
    rejected = dict.fromkeys(show(store, name).note.id for name in args.reject)
    if args.reject_all:
        rejected |= dict.fromkeys(note.id for note in waiting)
    wanted = [show(store, name).note.id for name in args.keep]
    wanted += [note.id for note in waiting] if args.keep_all else []
    kept = dict.fromkeys(id for id in wanted if id not in rejected)
    review.reject(store, rejected)
    review.keep(store, kept)
    if args.json:
        output.say_json({"kept": list(kept), "rejected": list(rejected)})
    else:
        output.say(f"review: {len(kept)} kept, {len(rejected)} rejected")
    return 0


def _list(store: MemoryStore, waiting: list[Memory], *, as_json: bool) -> None:
    about = warnings(waiting)
    if as_json:
        listed = (note_dict(note, body=False, warning=about.get(note.id, "")) for note in waiting)
        output.say_json(list(listed))
        return
    lines = tables.NoteLines(store, waiting)
    shown: list[str] = []
    for source, notes in review.by_group(waiting).items():
        shown += [tables.painted(f"{counted(len(notes), 'note')} {source}", "yellow")]
        shown += [f"  {lines[note.id]}" for note in notes]
    output.page(shown)
    output.talk(f"{counted(len(waiting), 'note')} to review{':  anamnesis review' * bool(waiting)}")
    origins = dict.fromkeys(note.origin for note in waiting if note.origin)
    for origin in origins if len(origins) > 1 else ():
        output.talk(f"keep or reject one group:  anamnesis review --origin {shlex.quote(origin)}")


def _ask(store: MemoryStore, waiting: list[Memory]) -> int:
    if not waiting:
        output.say("review: nothing to review")
    kept = rejected = 0
    for number, header in enumerate(waiting, 1):
        _show(review.beside_others(store, header.id), f"{number} of {len(waiting)}")
        key = questions.one_key("keep, reject, edit, skip, quit? [k/r/e/s/q] ", "kresq")
        if key == "e":
            key = "k" if _edit(header.id) else "s"
        if key == "k":
            review.keep(store, [header.id])
            kept += 1
        elif key == "r":
            review.reject(store, [header.id])
            rejected += 1
        elif key == "q":
            break
    if left := len(waiting) - kept - rejected:
        output.say(f"review: {kept} kept, {rejected} rejected, {left} still to review")
    elif waiting:
        output.say(f"review: {kept} kept, {rejected} rejected")
    return 0


def _edit(note_id: str) -> bool:
    """Whether the note was saved or left unchanged on purpose."""
    from anamnesis.cli import main

    return main(["edit", note_id]) == 0


def _show(pending: review.Pending, position: str) -> None:
    note = pending.note
    origin = f"{source_in_words(note)} {note.prov_model}".strip()
    output.say(f"\n── {position} ── [{note.type}] {note.title}")
    output.say(f"{note.project}, {origin}, confidence {note.confidence:g}, {note.id}\n")
    output.say(note.body)
    if pending.warning:
        output.say(f"\n{pending.warning}")
    for old in pending.replaces:
        output.say(f"\nit replaces “{old.title}”:")
        output.say(_difference(old.body, note.body))
    for other in pending.similar:
        output.say(f"\nsimilar: [{other.type}] {other.title}  {other.id}")
        output.say(_difference(other.body, note.body))


def _difference(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1)
    return "\n".join(f"  {line}" for line in list(lines)[2:40])
