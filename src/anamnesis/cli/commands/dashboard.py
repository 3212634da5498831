"""Browse, search and edit the notes in a browser.

It listens on this machine only, under a new name at each start. The address that it prints works
once and signs in the browser that opens it; for another browser, run the command again.
"""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    Progress = Callable[[int, int], None]

_MANY = 500  # notes; fewer are indexed before you could read the message
EXAMPLES = """\
examples:
  anamnesis dashboard
  anamnesis dashboard --port 8765 --no-open
  anamnesis dashboard --no-name
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--port", type=arguments.port, default=0, help="default: the same as last time"
    )
    parser.add_argument("--no-open", action="store_true", help="only print the address")
    parser.add_argument(
        "--no-name",
        action="store_true",
        help="use 127.0.0.1 and a password, for browsers that cannot resolve the name",
    )
    parser.add_argument("--home", metavar="PATH", help="the store; default: ANAMNESIS_HOME")
    parser.add_argument("--store", dest="home", help=SUPPRESS)  # as version 0.1.x called it
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="listen on this address instead: other machines can reach it, without encryption",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="with --host: a name of this machine that browsers may use",
    )


def run(args: Namespace) -> int:
    """Serve until interrupted."""
    from anamnesis.web import serve

    if args.home:
        os.environ["ANAMNESIS_HOME"] = os.path.abspath(os.path.expanduser(args.home))
    home = home_directory()
    link = serve.link_to_running(home, plain=args.no_name)
    if link is not None:
        _show(link, serve.redirect_page(home), browse=not args.no_open)
        return 0
    with output.progress("indexing notes") as bar:
        server = serve.Server(
            home,
            port=args.port,
            host=args.host,
            names=tuple(args.name),
            project=_project_here(),
            progress=_indexing(bar),
        )
    if not serve.is_loopback(args.host):
        _warn(args.host, server.port)
    _show(server.link(plain=args.no_name), serve.redirect_page(home), browse=not args.no_open)
    output.talk("Stop it with Ctrl-C.")
    server.run()
    return 0


def _indexing(bar: Progress | None) -> Progress:
    """Say once that many notes must be indexed first; on a terminal, show the progress."""
    announced: list[int] = []

    def advance(done: int, total: int) -> None:
        if not announced and total >= _MANY:
            announced.append(total)
            output.talk(f"Indexing {total:,} notes first. This happens once.")
        if bar is not None:
            bar(done, total)

    return advance


def _project_here() -> str:
    """The project of the current directory, if it still exists."""
    from anamnesis.project import resolve_project_key

    try:
        return resolve_project_key(os.getcwd())
    except OSError:
        return ""


def _warn(host: str, port: int) -> None:
    output.talk(
        f"Warning: traffic is not encrypted; anyone on the network path to {host} can read it.\n"
        "The link below is the only way in, but anyone who intercepts it can use it.\n"
        "Safer, from the other machine, with the dashboard on loopback:\n"
        f"  ssh -L {port}:127.0.0.1:{port} {host} anamnesis dashboard --no-open --port {port}"
    )


def _show(link: str, page_path: str, *, browse: bool) -> None:
    output.say(link)
    sys.stdout.flush()
    if browse:
        import webbrowser
        from html import escape
        from pathlib import Path

        from anamnesis.ground import atomic

        # Every user of this machine can read the arguments of the browser's process.
        page = f'<meta http-equiv="refresh" content="0; url={escape(link)}">\n'
        atomic.write_text(page_path, page)
        webbrowser.open(Path(page_path).as_uri())
