"""Read sessions word for word: list them, search what was said and run, show one.

They are kept on this machine only, without secrets, and are never synced.
"""

from __future__ import annotations

from argparse import SUPPRESS
from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, turns
from anamnesis.operations.sessions import archive

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.sessions.archive import Passage, SessionRow

EXAMPLES = """\
examples:
  anamnesis sessions --project .
  anamnesis sessions search "connection refused" --failed
  anamnesis sessions show 4f3a2b1c
  anamnesis sessions show 4f3a2b1c --around 120
"""
_LIMIT = 20


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    _add_filters(parser)
    arguments.add_limit(parser, default=_LIMIT)
    arguments.add_json(parser)
    actions = parser.add_subparsers(
        dest="action", metavar="list|search|show", help="what to do; default: list"
    )
    listing = actions.add_parser("list", help="list sessions, latest first")
    _add_filters(listing, default=SUPPRESS)
    searching = actions.add_parser("search", help="search what was said or run")
    searching.add_argument("words", nargs="+", help="what to look for")
    _add_filters(searching, default=SUPPRESS)
    searching.add_argument("--failed", action="store_true", help="only what failed")
    searching.add_argument("--command", action="store_true", help="only commands")
    showing = actions.add_parser("show", help="print one session")
    showing.add_argument("session", help="its id, or enough of its start")
    showing.add_argument(
        "--around",
        metavar="TURN",
        type=int,
        help=f"only {turns.AROUND} turns before and after this one",
    )
    for action in (listing, searching, showing):
        action.add_argument("--json", action="store_true", default=SUPPRESS, help="print JSON")
    for action in (listing, searching):
        arguments.add_limit(action, default=_LIMIT)
    parser.set_defaults(action="list")


def run(args: Namespace) -> int:
    """Carry out one action."""
    home = arguments.existing_home()
    if args.action == "show":
        archived = archive.show_session(home, args.session)
        turns.say_session(archived, around=args.around, as_json=args.json)
        return 0
    if args.action == "search":
        passages = archive.search_sessions(
            home, " ".join(args.words), _session_filter(args), limit=args.limit
        )
        return _say_passages(passages, as_json=args.json)
    return _list(
        archive.list_sessions(home, _session_filter(args), limit=args.limit), as_json=args.json
    )


def _add_filters(parser: ArgumentParser, *, default: object = None) -> None:
    for name, metavar, text in (
        ("--project", "KEY", "only this project; . is the current one"),
        ("--machine", "NAME", "only sessions from this machine"),
        ("--agent", "NAME", "claude-code, codex, gemini, copilot, opencode, chatgpt or claude-ai"),
    ):
        parser.add_argument(name, metavar=metavar, default=default, help=text)
    arguments.add_since(parser, default=default)
    arguments.add_date(parser, "--until", default=default, help="only until then")


def _session_filter(args: Namespace) -> archive.SessionFilter:
    return archive.SessionFilter(
        project=arguments.project_of(args.project) or "",
        machine=args.machine or "",
        agent=args.agent or "",
        since=args.since or "",
        until=args.until or "",
        kinds=("command",) if getattr(args, "command", False) else (),
        failed=getattr(args, "failed", False),
    )


def _list(rows: list[SessionRow], *, as_json: bool) -> int:
    if as_json:
        output.say_json([asdict(row) for row in rows])
        return 0
    for row in rows:
        when = row.ended[:16].replace("T", " ")
        output.say(f"{row.id[:12]}  {when}  {row.agent:<11}  {row.project}  {row.title}")
    if not rows:
        output.talk("no sessions yet; to import old transcripts:  anamnesis capture --backfill")
    return 0


def _say_passages(passages: list[Passage], *, as_json: bool) -> int:
    if as_json:
        output.say_json([asdict(each) for each in passages])
        return 0
    for each in passages:
        mark = "  failed" if each.failed else ""
        when = each.at[:16].replace("T", " ")
        output.say(
            f"{each.session.id[:12]} #{each.number}  {when}  {each.who} {each.kind}{mark}"
            f"  {each.session.project}"
        )
        output.say("\n".join(f"    {line}" for line in each.text.splitlines()))
    if passages:
        first = passages[0]
        output.talk(
            f"read on:  anamnesis sessions show {first.session.id[:12]} --around {first.number}"
        )
    else:
        output.talk("nothing found in the sessions on this machine")
    return 0
