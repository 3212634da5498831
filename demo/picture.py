"""`python -m demo.picture` draws what the demo prints as a terminal, for the README."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "demo.svg"
_WIDTH, _LINE, _TOP, _LEFT = 860, 19, 52, 20
_SECONDS = 1.4  # between two steps
_STYLE = """
  text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre; }
  .where { fill: #7ee2c5; font-weight: 600; } .hook { fill: #8b949e; } .quoted { fill: #a5d6ff; }
  g.step { animation: appear 0.3s both; }
  @keyframes appear { from { opacity: 0; } to { opacity: 1; } }
  @media (prefers-reduced-motion: reduce) { g.step { animation: none; } }
"""  # noqa: E501


def scene(printed: str) -> str:
    """The demo's text without what differs from run to run."""
    printed = re.sub(r"(note |\()[0-9A-Z]{5}\b", r"\g<1>7Q3X2", printed)
    printed = re.sub(r"\d{4}-\d\d-\d\d", "2026-11-17", printed)
    return re.sub(r"http://anamnesis-\S+", "http://anamnesis-….localhost/", printed).strip()


def drawn(text: str) -> str:
    """A terminal that shows a text; its paragraphs appear one after the other."""
    paragraphs = text.split("\n\n")
    height = _TOP + _LINE * (len(text.splitlines()) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>What `make demo` prints</title><style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" rx="10" fill="#0d1117"/>',
        *(
            f'<circle cx="{24 + 20 * index}" cy="22" r="6" fill="{fill}"/>'
            for index, fill in enumerate(("#ff5f56", "#ffbd2e", "#27c93f"))
        ),
    ]
    row = 0
    for index, paragraph in enumerate(paragraphs):
        parts.append(f'<g class="step" style="animation-delay: {index * _SECONDS:.1f}s">')
        for line in paragraph.splitlines():
            parts.append(f'<text x="{_LEFT}" y="{_TOP + row * _LINE}">{_spans(line)}</text>')
            row += 1
        parts.append("</g>")
        row += 1
    return "\n".join([*parts, "</svg>"]) + "\n"


def _spans(line: str) -> str:
    if line.startswith("        "):
        return _span("quoted", line)
    if step := re.fullmatch(r"((?:laptop|desk|both) +)(.*?)( {2,})(\S.*)", line):
        where, what, room, hook = step.groups()
        return _span("where", where) + html.escape(what + room) + _span("hook", hook)
    return html.escape(line)


def _span(kind: str, text: str) -> str:
    return f'<tspan class="{kind}">{html.escape(text)}</tspan>'


def texts(svg: str) -> list[str]:
    """The lines that a picture shows."""
    lines = re.findall(r"<text[^>]*>(.*?)</text>", svg)
    return [html.unescape(re.sub(r"<[^>]+>", "", line)) for line in lines]


if __name__ == "__main__":
    ran = subprocess.run([sys.executable, "-m", "demo"], stdin=subprocess.DEVNULL, check=True,
                         capture_output=True, text=True)  # fmt: skip
    PICTURE.write_text(drawn(scene(ran.stdout)))
