"""Notes as HTML that can do nothing: no raw HTML, no script, no request to anybody."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

MOST_RENDERED = 200_000  # characters; a longer body is shown as it is
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "code": {"class"}, "ol": {"start"}}


def rendered(text: str) -> Markup:
    """The text of a note as safe HTML."""
    if len(text) > MOST_RENDERED:
        return Markup("<pre>{}</pre>").format(text)
    html = _parser().render(text)
    safe = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(safe)  # noqa: S704  cleaned in the line above


def marked(text: str, start: str, end: str) -> Markup:
    """Text in which the index has put marks around what matched."""
    pieces = re.split(f"{re.escape(start)}(.*?){re.escape(end)}", text, flags=re.DOTALL)
    shown = (
        Markup("<mark>{}</mark>").format(piece) if number % 2 else escape(piece)
        for number, piece in enumerate(pieces)
    )
    return Markup("").join(shown)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _image_as_link)
    return parser


def _image_as_link(
    _renderer: object, tokens: Sequence[Token], at: int, _options: object, _env: Any
) -> str:
    """An image is not fetched: looking at a note must not tell anybody that it was looked at."""
    token = tokens[at]
    link = Markup('<a href="{}">{}</a>').format(
        token.attrGet("src") or "", token.content or "image"
    )
    return str(link)
