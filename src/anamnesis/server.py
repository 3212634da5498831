"""The server as a library: the functions behind the tools, and FastMCP on top of their table.

`anamnesis serve` serves the same table through `anamnesis.mcp.stdio`, without loading FastMCP.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.config import resolve_home, resolve_machine_id
from anamnesis.ground.errors import ExtraMissing
from anamnesis.mcp.answers import memory_dict as _memory_dict
from anamnesis.mcp.tools import list_memories, search_memories, write_memory
from anamnesis.mcp.workspace import Binding
from anamnesis.operations.care.status import status_report
from anamnesis.operations.travel.sync import backend_of, sync_memory
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from fastmcp import FastMCP

__all__ = [
    "_memory_dict", "build_server", "list_memories", "main", "search_memories", "status_report",
    "sync_memory", "write_memory",
]  # fmt: skip

# FastMCP reads these on import. It must not pick up the `.env` of whatever directory a client
# started the server in, and neither a banner nor an update check belongs in a session.
_QUIETLY = {
    "FASTMCP_ENV_FILE": os.devnull,
    "FASTMCP_LOG_LEVEL": "CRITICAL",
    "FASTMCP_SHOW_SERVER_BANNER": "false",
    "FASTMCP_CHECK_FOR_UPDATES": "off",
}


def build_server(store: MemoryStore, *, machine_id: str | None = None) -> FastMCP:
    """A FastMCP server whose tools are bound to a store and to this machine.

    Raises ExtraMissing where FastMCP is not installed.
    """
    inherited = dict(os.environ)
    os.environ.update({name: value for name, value in _QUIETLY.items() if name not in inherited})
    try:
        from anamnesis.mcp.fastmcp_front import build
    except ModuleNotFoundError as error:
        raise ExtraMissing("The server over HTTP or in memory", extra="mcp") from error
    finally:
        for name in _QUIETLY.keys() - inherited.keys():
            del os.environ[name]
    machine = machine_id or resolve_machine_id()
    backend = backend_of(store.home, machine_id=machine)
    return build(Binding(store, machine_id=machine, backend=backend))


def __getattr__(name: str) -> object:
    """The annotation of the tools that only read, as FastMCP takes it."""
    if name == "_READ_ONLY":
        from mcp.types import ToolAnnotations

        from anamnesis.mcp.tools import READ_ONLY

        return ToolAnnotations.model_validate(READ_ONLY)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Serve the store over standard input and output with FastMCP."""
    build_server(MemoryStore(resolve_home())).run(show_banner=False)
