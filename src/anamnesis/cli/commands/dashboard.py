"""Show, search, edit and version the memory in a browser.

Listens on this machine only. The address that it prints works once and opens a session of the
browser that uses it; for another browser, run the command again.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
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
    parser.add_argument("--port", type=arguments.port, default=0, help="default: a free one")
    parser.add_argument("--no-open", action="store_true", help="only print the address")
    parser.add_argument("--home", metavar="PATH", help="the store; default: ANAMNESIS_HOME")
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="listen on this address of the machine instead: others reach it, without encryption",
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
    server = serve.Server(home, port=args.port, host=args.host, project=_project_here())
    if not serve.is_loopback(args.host):
        _warn(args.host, server.port)
    _show(server.link(), browse=not args.no_open)
    output.talk("Stop it with Ctrl-C.")
    server.run()
    return 0


def _project_here() -> str:
    """The project of the current directory, if there still is one."""
    from anamnesis.project import resolve_project_key

    try:
        return resolve_project_key(os.getcwd())
    except OSError:
        return ""


def _warn(host: str, port: int) -> None:
    output.talk(
        f"Warning: everybody who reaches {host} can see what passes: there is no encryption.\n"
        "Nobody gets in without the address below, but who reads it on the way does.\n"
        "Safer, from the other machine, with the dashboard on loopback:\n"
        f"  ssh -L {port}:127.0.0.1:{port} {host} anamnesis dashboard --no-open --port {port}"
    )


def _show(link: str, *, browse: bool) -> None:
    output.say(link)
    sys.stdout.flush()
    if browse:
        import webbrowser

        webbrowser.open(link)
