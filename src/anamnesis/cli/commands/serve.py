"""Serve the memory tools to an agent over the Model Context Protocol.

Clients start it and talk to it over standard input and output. With `--transport http` it
listens on this machine instead, for clients that send the token in `Authorization: Bearer`; the
token comes from ANAMNESIS_HTTP_TOKEN, or a new one is printed.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  claude mcp add-json -s user anamnesis '{"command": "anamnesis", "args": ["serve"]}'
  anamnesis serve --transport http --port 8765
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    from anamnesis.cli.arguments import port

    parser.add_argument(
        "--transport", choices=("stdio", "http"), default="stdio", help="default: stdio"
    )
    parser.add_argument(
        "--port", type=port, default=8765, help="for http; default: 8765; 0 picks a free one"
    )


def run(args: Namespace) -> int:
    """Serve until the client or Ctrl-C ends it."""
    return _serve_http(args.port) if args.transport == "http" else run_plain()


def run_plain() -> int:
    """Serve one client on standard input and output; needs no parser, which costs 8 ms."""
    from anamnesis.hooks import background
    from anamnesis.mcp.stdio import serve
    from anamnesis.mcp.workspace import Binding

    if sys.stdin is None:
        return 0
    if sys.stdin.isatty():
        sys.stderr.write(
            "anamnesis: waiting for an MCP client on standard input; end with Ctrl-D.\n"
            "Agents start this. All commands:  anamnesis --help\n"
        )
    code = serve(Binding())
    background.push_if_ephemeral()
    return code


def _serve_http(port: int) -> int:
    import os

    from anamnesis.config import home_directory
    from anamnesis.hooks import background
    from anamnesis.mcp import http
    from anamnesis.server import build_server
    from anamnesis.store import MemoryStore

    chosen = os.environ.get("ANAMNESIS_HTTP_TOKEN", "").strip()
    token = chosen or http.new_token()
    with http.listen(port) as bound, MemoryStore(home_directory()) as store:
        server = build_server(store)
        shown = "the token in ANAMNESIS_HTTP_TOKEN" if chosen else token
        sys.stderr.write(f"listening on {http.address(bound)}\nAuthorization: Bearer {shown}\n")
        http.serve(server, bound, token=token)
    background.push_if_ephemeral()
    return 0
