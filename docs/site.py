"""The documents at the root of the repository as pages of the site, and links between the two."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).parent.parent
# Documents that a repository keeps at its root, and where the site shows them.
DOCUMENTS = {f"{name.upper()}.md": f"project/{name}.md"
             for name in ("architecture", "changelog", "contributing", "security")}  # fmt: skip
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents at the root of the repository."""
    for source, place in DOCUMENTS.items():
        files.append(File.generated(config, place, content=(REPOSITORY / source).read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, **_kwargs: object) -> str:
    """Point links at pages of the site; a file that has none is named instead."""
    here = page.file.src_uri
    source = next((name for name, place in DOCUMENTS.items() if place == here), f"docs/{here}")

    def rewritten(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        place = DOCUMENTS.get(path, path.removeprefix("docs/"))
        if place == path:  # not on the site
            return f"`{path}`"
        return f"[{text}]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{anchor})"

    return _LINK.sub(rewritten, markdown)
