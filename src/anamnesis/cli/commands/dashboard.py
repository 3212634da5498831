"""Show, search, edit and version the memory in a browser.

Listens on this machine only. The address that it prints works once and opens a session of the
browser that uses it; for another browser, run the command again.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from anamnesis.cli import output
from anamnesis.config import home_directory

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis dashboard
  anamnesis dashboard --port 8765 --no-open
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--no-open", action="store_true", help="only print the address")
    parser.add_argument("--home", metavar="PATH", help="the store; default: ANAMNESIS_HOME")
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="listen there too: everybody who reaches it can try to open the dashboard",
    )


def run(args: Namespace) -> int:
    """Serve until interrupted."""
    from anamnesis.web import serve

    if args.home:
        os.environ["ANAMNESIS_HOME"] = os.path.abspath(os.path.expanduser(args.home))
    home = home_directory()
    link = serve.running(home)
    if link is not None:
        _show(link, browse=not args.no_open)
        return 0
    server = serve.Server(home, port=args.port, host=args.host)
    _show(server.link(), browse=not args.no_open)
    output.talk("Stop it with Ctrl-C.")
    server.run()
    return 0


def _show(link: str, *, browse: bool) -> None:
    output.say(link)
    sys.stdout.flush()
    if browse:
        import webbrowser

        webbrowser.open(link)
