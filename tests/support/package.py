"""What a package of Anamnesis has to hold."""

from __future__ import annotations

import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
# Not code, and yet nothing works without them.
NEEDED = {
    f"src/anamnesis/{name}"
    for name in (
        "text/languages.txt",
        "onboard/agents/opencode.js",
        "py.typed",
        "search/encoder/model.py",
        "search/meaning.LICENSE.txt",
        "search/meaning.bin",
        "web/static/app.js",
        "web/static/dashboard.css",
        "web/static/editor.js",
        "web/static/former.js",
        "web/static/htmx.min.js",
        "web/static/inter-latin.woff2",
        "web/templates/base.html",
    )
}


def tracked() -> set[str]:
    """Every file of the package that is in the repository."""
    words = ["git", "ls-files", "src/anamnesis"]
    listed = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return set(listed.stdout.split())
