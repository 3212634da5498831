"""`make bench`: every table, or those that are named."""

from __future__ import annotations

import sys
from importlib import import_module

TABLES = ("store", "hooks", "sync", "mcp", "curation", "dashboard")


def main() -> None:
    for name in sys.argv[1:] or TABLES:
        import_module(f"benchmarks.{name}").run()


if __name__ == "__main__":
    main()
