"""Finds the system's Chromium, or installs it from Debian's packages when run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

# Without windows to draw, the same engine needs half of the CPU.
HEADLESS = "chromium-headless-shell"
NAMES = (HEADLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The path of an installed Chromium, or None."""
    named = os.environ.get("CHROMIUM")
    found = (shutil.which(name) for name in ([named] if named else NAMES))
    return next((path for path in found if path), None)


def main() -> int:
    """Make sure that there is one; gives an exit code."""
    if chromium():
        return 0
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["install", "-y", "-qq"]
        for command in (["update", "-qq"], [*install, HEADLESS], [*install, "chromium"]):
            subprocess.run(["apt-get", *command], check=False, env=quiet, stdout=subprocess.DEVNULL)
            if chromium():
                return 0
    sys.stderr.write(
        "The browser tests need Chromium. Install it, for example:  apt-get install chromium\n"
        "or name it:  CHROMIUM=/path/to/chromium make test\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
