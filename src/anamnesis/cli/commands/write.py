"""Write a note. The text comes from the argument, from --file, or from standard input.

In a repository the note is for its project, elsewhere for all projects; --project changes that.
Secrets in it are replaced before it is stored; the same note is not stored twice.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import resolve_machine_id
from anamnesis.ground.errors import InvalidInput
from anamnesis.notes.fields import SCOPES, TYPES
from anamnesis.operations.machine.project_names import key_for_notes_of
from anamnesis.operations.notes.policy import NoteDraft
from anamnesis.operations.notes.show import note_dict, show
from anamnesis.operations.notes.write import write
from anamnesis.project import GLOBAL
from anamnesis.trust.writer import origin_of_shell

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.notes.write import WrittenNote

EXAMPLES = """\
examples:
  anamnesis write "Deploys need the VPN"    # in a repository: for its project
  anamnesis write "I write in British English" --project global
  anamnesis write --type procedural --title "Release steps" --file release.md --tags release,ci
  git log -5 --oneline | anamnesis write --type episodic --title "What I did on Friday"
  anamnesis write "The port is 8443 now" --supersedes 01J9Z8YPM7Q3X2V4WT6B5N0KGD
"""
_TITLE_LENGTH = 80


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("text", nargs="?", help="the note's text; - or nothing: standard input")
    parser.add_argument("--file", metavar="PATH", help="read the text from a file")
    parser.add_argument("--title", help="default: the first line of the text")
    parser.add_argument("--type", choices=TYPES, default="semantic", help="default: semantic")
    parser.add_argument(
        "--project",
        metavar="KEY",
        help="default: that of the repository you are in, else global; . is the current directory",
    )
    parser.add_argument("--tags", default="", help="separated by commas")
    parser.add_argument("--scope", choices=SCOPES, default="portable", help="default: portable")
    parser.add_argument(
        "--supersedes", metavar="ID", action="append", default=[], help="the note this one replaces"
    )
    parser.add_argument(
        "--anyway", action="store_true", help="write it even if the same note exists"
    )
    parser.add_argument(
        "--allow-secret", action="store_true",
        help="keep what looks like a secret; the note is then not synced",
    )  # fmt: skip
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Write the note and print its id."""
    text = _text(args)
    title = args.title or _first_line(text)
    if not title:
        raise InvalidInput("The note is empty.", hint='For example:  anamnesis write "a fact"')
    with arguments.store_to_change("write", wait=False) as store:
        draft = NoteDraft(
            title=title,
            body=text,
            type=args.type,
            project=arguments.project_of(args.project, store=store) or key_for_notes_of("."),
            scope=args.scope,
            tags=tuple(args.tags.split(",")),
            supersedes=tuple(show(store, name).note.id for name in args.supersedes),
        )
        saved = write(
            store,
            draft,
            face="command",
            machine_id=resolve_machine_id(),
            anyway=args.anyway,
            keep_secrets=args.allow_secret,
            origin=origin_of_shell(),
            directory=".",
        )
    if args.json:
        output.say_json(_fields(saved))
    else:
        output.say(saved.note.id)
        if args.project is None and saved.note.project != GLOBAL:
            output.talk(f"write: filed under {saved.note.project}; for all: --project {GLOBAL}")
        _talk_about(saved)
    return 0


def _fields(saved: WrittenNote) -> dict[str, object]:
    fields = {**note_dict(saved.note), "written": saved.written}
    if saved.notice:
        fields["notice"] = saved.notice
    if saved.similar:
        fields["similar"] = [note.id for note in saved.similar]
    return fields


def _talk_about(saved: WrittenNote) -> None:
    if saved.notice:
        output.talk(f"write: {saved.notice}")
    if not saved.written:
        output.talk("to write it again, add:  --anyway")
    if saved.similar:
        ids = " ".join(note.id for note in saved.similar)
        output.talk(f"merge them:  anamnesis merge {saved.note.id} {ids}")


def _text(args: Namespace) -> str:
    if args.file and args.text:
        raise InvalidInput("Give the text or --file, not both.")
    if args.file:
        text = arguments.text_of(args.file)
    elif args.text in (None, "-"):
        if sys.stdin.isatty():
            output.talk("Type the note; end with Ctrl-D.")
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    else:
        text = args.text
    return str(text).removesuffix("\n")


def _first_line(text: str) -> str:
    lines = (line.strip("# \t\r") for line in text.splitlines())
    return next((line for line in lines if line), "")[:_TITLE_LENGTH]
