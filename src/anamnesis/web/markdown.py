"""Notes as harmless HTML: no raw HTML, no script, no request to another server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, MutableMapping, Sequence

    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

MOST_RENDERED = 200_000  # characters; a longer body is shown as plain text
_MOST_HIGHLIGHTED = 20_000  # characters in one code block
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "s", "span", "strong", "sup", "table", "tbody", "td", "th", "thead", "tr",
    "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title", "class", "id", "aria-label"}, "code": {"class"},
    "ol": {"start", "class"}, "span": {"class", "title"}, "th": {"class"}, "td": {"class"},
    "li": {"id", "class"}, **{f"h{level}": {"id"} for level in range(1, 7)},
}  # fmt: skip
# Direction overrides, tag characters, zero-width spaces. The two joiners are kept because Persian
# and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u2060-\u2064"
    "\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_TITLE = re.compile(r"\[\[([^\[\]\n]{1,300})\]\]")
_REFERENCE = re.compile(
    r"(?P<id>\b0[0-7][0-9A-HJKMNP-TV-Z]{24}\b)|(?P<url>https?://[^\s<>\"'`]+)"
    r"|\[\^(?P<footnote>[\w-]{1,40})\]"
)
_FOOTNOTE = re.compile(r"^\[\^([\w-]{1,40})\]:[ \t]*(.*)$")
_TASK = re.compile(r"^\[([ xX])\] ")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_CODE = re.compile(r"`([^`]+)`").split


@dataclass(frozen=True, slots=True)
class Heading:
    """One line of a note's outline."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class RenderedNote:
    """A note's text as safe HTML, and its headings."""

    html: Markup
    outline: tuple[Heading, ...] = ()


def render(text: str) -> Markup:
    """The text of a note as safe HTML."""
    return render_with_outline(text).html


def render_with_outline(text: str) -> RenderedNote:
    """The text of a note as safe HTML, and its headings."""
    text = visible(text)
    if len(text) > MOST_RENDERED:
        return RenderedNote(Markup("<pre>{}</pre>").format(text))
    body, footnotes = _without_footnotes(text)
    env: dict[str, Any] = {"footnotes": footnotes, "cited": []}
    tokens = _parser().parse(body, env)
    outline = tuple(_add_anchors(tokens))
    html = _parser().renderer.render(tokens, _parser().options, env) + _footnotes(env)
    safe = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    # A wide table scrolls in a box of its own. The replacement is safe: in text, "<" is escaped.
    box = '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>'
    safe = safe.replace("<table>", box).replace("</table>", "</table></div>")
    return RenderedNote(Markup(safe), outline)  # noqa: S704  cleaned above


def visible(text: str) -> str:
    """Text with invisible and direction-changing characters written out as code points."""
    return _INVISIBLE.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def plain_title(text: str) -> str:
    """A title for places that take plain text only."""
    return visible(text).replace("`", "")


def title(text: str, *marks: str) -> Markup:
    """A title with inline code rendered; with `marks`, the text between them is highlighted."""
    pieces = (marked(piece, *marks) if marks else escape(visible(piece)) for piece in _CODE(text))
    return _every_other(pieces, "code")


def marked(text: str, start: str, end: str) -> Markup:
    """Text with the matches highlighted, which the index put between two marks."""
    pieces = re.split(f"{re.escape(start)}(.*?){re.escape(end)}", text, flags=re.DOTALL)
    return _every_other((escape(visible(piece)) for piece in pieces), "mark")


def _every_other(pieces: Iterable[Markup], tag: str) -> Markup:
    """The pieces joined, with every second one inside an element."""
    around = Markup(f"<{tag}>{{}}</{tag}>")  # noqa: S704  the tag is a literal
    return Markup("").join(
        around.format(piece) if number % 2 else piece for number, piece in enumerate(pieces)
    )


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "highlight": _highlight})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "title", _link_title)
    parser.core.ruler.after("inline", "references", _link_references)
    parser.add_render_rule("image", _image_as_link)
    for cell in ("th_open", "td_open"):
        parser.add_render_rule(cell, _render_cell)
    return parser


def _highlight(code: str, language: str, _attributes: str) -> str:
    """Code with its tokens in classed spans; empty if the language is not known."""
    if not language or len(code) > _MOST_HIGHLIGHTED:
        return ""
    from pygments import lex  # only pages that show code pay for it
    from pygments.lexers import get_lexer_by_name
    from pygments.token import STANDARD_TYPES
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return ""
    pieces = []
    for kind, text in lex(code, lexer):
        name = STANDARD_TYPES.get(kind, "")[:1]
        piece = Markup('<span class="hl-{}">{}</span>').format(name, text) if name else escape(text)
        pieces.append(piece)
    return str(Markup("").join(pieces))


def _link_title(state: StateInline, silent: bool) -> bool:
    """Turn [[a title]], which may contain code, into a link."""
    match = _TITLE.match(state.src, state.pos)
    if match is None or not match[1].strip():
        return False
    if not silent:
        text = match[1].strip()
        address = f"/find?title={quote(text, safe='')}"
        state.push("link_open", "a", 1).attrs = {"href": address, "class": "note-link"}
        for number, piece in enumerate(_CODE(text)):
            kind, tag = ("code_inline", "code") if number % 2 else ("text", "")
            state.push(kind, tag, 0).content = piece
        state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _link_references(state: StateCore) -> None:
    """Turn ids, bare URLs and footnote references into links, except inside links."""
    for at, block in enumerate(state.tokens):
        if block.type != "inline" or not block.children:
            continue
        if at > 1 and state.tokens[at - 2].type == "list_item_open":
            _mark_task(state.tokens[at - 2], block)
        link_depth, children = 0, list[Token]()
        for token in block.children:
            link_depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
            if token.type == "text" and not link_depth:
                children += _with_links(token.content, state.env)
            else:
                children.append(token)
        block.children = children


def _mark_task(item: Token, block: Token) -> None:
    first = (block.children or [])[0]
    task = _TASK.match(first.content) if first.type == "text" else None
    if task:
        first.content = first.content[task.end() :]
        item.attrSet("class", "task")
        box = Token("text_special", "", 0, content="☐ " if task[1] == " " else "☑ ")
        block.children = [box, *(block.children or [])]


def _with_links(text: str, env: MutableMapping[str, Any]) -> Iterator[Token]:
    end = 0
    for match in _REFERENCE.finditer(text):
        cited = len(env["cited"])
        address, label, kind = _reference(match, env)
        if not address:
            continue
        start, stop = match.span()
        if kind == "url":
            label = address = _without_trailing_punctuation(address)
            stop = start + len(label)
        if start > end:
            yield Token("text", "", 0, content=text[end:start])
        class_name = "note-link" if kind == "id" else kind
        attributes: dict[str, str | int | float] = {"href": address, "class": class_name}
        if len(env["cited"]) > cited:
            attributes["id"] = f"cited-{match['footnote']}"
        yield Token("link_open", "a", 1, attrs=attributes)
        yield Token("text", "", 0, content=label)
        yield Token("link_close", "a", -1)
        end = stop
    if end < len(text):
        yield Token("text", "", 0, content=text[end:])


def _reference(match: re.Match[str], env: MutableMapping[str, Any]) -> tuple[str, str, str]:
    """The address, the label and the kind of a reference."""
    kind = match.lastgroup or ""
    text = match[kind]
    if kind == "id":
        return f"/notes/{text}", text, kind
    if kind == "url":
        return text, text, kind
    if text not in env["footnotes"]:
        return "", "", kind
    if text not in env["cited"]:
        env["cited"].append(text)
    return f"#fn-{text}", f"{env['cited'].index(text) + 1}", "footnote"


def _without_trailing_punctuation(url: str) -> str:
    """A URL without the punctuation of the sentence around it."""
    url = url.rstrip(".,:;!?*_~")
    while url.endswith(")") and url.count("(") < url.count(")"):
        url = url[:-1].rstrip(".,:;!?")
    return url


def _without_footnotes(text: str) -> tuple[str, dict[str, str]]:
    """The text without its footnote definitions, and the definitions by name."""
    kept, footnotes, fence = list[str](), dict[str, str](), ""
    for line in text.split("\n"):
        delimiter = _FENCE.match(line)
        if delimiter and (not fence or delimiter[1].startswith(fence)):
            fence = "" if fence else delimiter[1]
        definition = None if fence else _FOOTNOTE.match(line)
        if definition:
            footnotes[definition[1]] = definition[2]
        else:
            kept.append(line)
    return "\n".join(kept) if footnotes else text, footnotes


def _footnotes(env: dict[str, Any]) -> str:
    """The footnotes as a list, in the order of their first citation."""
    lines = [
        f'<li id="fn-{name}">{_parser().renderInline(env["footnotes"][name], _no_footnotes())}'
        f' <a class="footnote-back" href="#cited-{name}" aria-label="Back to the text">↩</a></li>'
        for name in env["cited"]
    ]
    return f'<ol class="footnotes">{"".join(lines)}</ol>' if lines else ""


def _no_footnotes() -> dict[str, Any]:
    return {"footnotes": {}, "cited": []}


def _add_anchors(tokens: Sequence[Token]) -> Iterator[Heading]:
    """The headings, after giving each an anchor that the note's author cannot choose freely."""
    taken: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        text = "".join(
            child.content for child in tokens[at + 1].children or [] if child.content
        ).strip()
        slug = "-".join(re.findall(r"\w+", text.lower()))[:60] or "part"
        taken[slug] = taken.get(slug, 0) + 1
        anchor = f"part-{slug}" + (f"-{taken[slug]}" if taken[slug] > 1 else "")
        token.attrSet("id", anchor)
        yield Heading(int(token.tag[1]), text, anchor)


def _render_cell(renderer: Any, tokens: Sequence[Token], at: int, options: Any, _env: Any) -> str:
    """A table cell, aligned by a class because the page forbids inline styles."""
    token = tokens[at]
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrs["class"] = f"align-{style.rpartition(':')[2].strip()}"
    return str(renderer.renderToken(tokens, at, options, _env))


def _image_as_link(
    _renderer: object, tokens: Sequence[Token], at: int, _options: object, _env: Any
) -> str:
    """An image as a link: loading it would tell its server that you read the note."""
    token = tokens[at]
    link = Markup('<a href="{}">{}</a>').format(
        token.attrGet("src") or "", token.content or "image"
    )
    return str(link)
