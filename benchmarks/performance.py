"""`make bench`: every table, or those that are named; fails where a budget is missed."""

from __future__ import annotations

import sys
import time
from importlib import import_module

from benchmarks.measure import NOISE, Table

TABLES = ("store", "hooks", "sync", "bulk", "mcp", "curation", "dashboard", "repository")


def main() -> int:
    for name in sys.argv[1:] or TABLES:
        begin = time.monotonic()
        import_module(f"benchmarks.{name}").run()
        print(f"  ({time.monotonic() - begin:.0f} s)", flush=True)
    if Table.missed:
        print(f"\nBudgets missed by more than the noise ({NOISE:g}x):")
        print("\n".join(f"  {missed}" for missed in Table.missed))
    return 1 if Table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
