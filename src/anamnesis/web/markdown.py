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

MOST_RENDERED = 200_000  # characters; a longer body is shown as it is
_MOST_COLOURED = 20_000  # characters of one piece of code
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
# Text direction overrides, invisible copies of ASCII, blanks without width. The two joiners stay:
# Persian and emoji need them.
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
class Rendered:
    """A note's text as safe HTML, and its headings."""

    html: Markup
    outline: tuple[Heading, ...] = ()


def rendered(text: str) -> Markup:
    """The text of a note as safe HTML."""
    return read(text).html


def read(text: str) -> Rendered:
    """The text of a note as safe HTML, with its outline."""
    text = visible(text)
    if len(text) > MOST_RENDERED:
        return Rendered(Markup("<pre>{}</pre>").format(text))
    body, notes = _without_footnotes(text)
    env: dict[str, Any] = {"footnotes": notes, "cited": []}
    tokens = _parser().parse(body, env)
    outline = tuple(_anchored(tokens))
    html = _parser().renderer.render(tokens, _parser().options, env) + _footnotes(env)
    safe = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    # A wide table scrolls in a box of its own. In text the sign would be escaped.
    box = '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>'
    safe = safe.replace("<table>", box).replace("</table>", "</table></div>")
    return Rendered(Markup(safe), outline)  # noqa: S704  cleaned above


def visible(text: str) -> str:
    """Text with invisible characters, and those that change its direction, shown as marks."""
    return _INVISIBLE.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def plain_title(text: str) -> str:
    """A title where only text can stand."""
    return visible(text).replace("`", "")


def title(text: str, *marks: str) -> Markup:
    """A title, with its inline code as code, and marked between what stands around matches."""
    pieces = (marked(piece, *marks) if marks else escape(visible(piece)) for piece in _CODE(text))
    return _every_other(pieces, "code")


def marked(text: str, start: str, end: str) -> Markup:
    """Text in which the index has put marks around what matched."""
    pieces = re.split(f"{re.escape(start)}(.*?){re.escape(end)}", text, flags=re.DOTALL)
    return _every_other((escape(visible(piece)) for piece in pieces), "mark")


def _every_other(pieces: Iterable[Markup], tag: str) -> Markup:
    """Pieces in a row, the second, the fourth and so on inside an element."""
    around = Markup(f"<{tag}>{{}}</{tag}>")  # noqa: S704  of a word of this module
    return Markup("").join(
        around.format(piece) if number % 2 else piece for number, piece in enumerate(pieces)
    )


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "highlight": _coloured})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "title", _link_title)
    parser.core.ruler.after("inline", "references", _link_references)
    parser.add_render_rule("image", _image_as_link)
    for cell in ("th_open", "td_open"):
        parser.add_render_rule(cell, _aligned)
    return parser


def _coloured(code: str, language: str, _attributes: str) -> str:
    """Code with the kinds of its words as classes; nothing if the language is not known."""
    if not language or len(code) > _MOST_COLOURED:
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
    """Make a link of [[a title]], which may hold code."""
    found = _TITLE.match(state.src, state.pos)
    if found is None or not found[1].strip():
        return False
    if not silent:
        text = found[1].strip()
        address = f"/find?title={quote(text, safe='')}"
        state.push("link_open", "a", 1).attrs = {"href": address, "class": "note-link"}
        for number, piece in enumerate(_CODE(text)):
            kind, tag = ("code_inline", "code") if number % 2 else ("text", "")
            state.push(kind, tag, 0).content = piece
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _link_references(state: StateCore) -> None:
    """Make links of ids, bare addresses and footnotes, but not inside of links."""
    for at, block in enumerate(state.tokens):
        if block.type != "inline" or not block.children:
            continue
        if at > 1 and state.tokens[at - 2].type == "list_item_open":
            _mark_task(state.tokens[at - 2], block)
        inside, children = 0, list[Token]()
        for token in block.children:
            inside += {"link_open": 1, "link_close": -1}.get(token.type, 0)
            if token.type == "text" and not inside:
                children += _split(token.content, state.env)
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


def _split(text: str, env: MutableMapping[str, Any]) -> Iterator[Token]:
    end = 0
    for found in _REFERENCE.finditer(text):
        cited = len(env["cited"])
        address, label, kind = _address(found, env)
        if not address:
            continue
        start, stop = found.start(), found.start() + len(found[0])
        if kind == "url":
            label = address = _without_trailing_marks(address)
            stop = start + len(label)
        if start > end:
            yield Token("text", "", 0, content=text[end:start])
        sort = "note-link" if kind == "id" else kind
        attributes: dict[str, str | int | float] = {"href": address, "class": sort}
        if len(env["cited"]) > cited:
            attributes["id"] = f"cited-{found['footnote']}"
        yield Token("link_open", "a", 1, attrs=attributes)
        yield Token("text", "", 0, content=label)
        yield Token("link_close", "a", -1)
        end = stop
    if end < len(text):
        yield Token("text", "", 0, content=text[end:])


def _address(found: re.Match[str], env: MutableMapping[str, Any]) -> tuple[str, str, str]:
    """Where a reference leads, what it is called, and of which kind it is."""
    kind = found.lastgroup or ""
    text = found[kind]
    if kind == "id":
        return f"/notes/{text}", text, kind
    if kind == "url":
        return text, text, kind
    if text not in env["footnotes"]:
        return "", "", kind
    if text not in env["cited"]:
        env["cited"].append(text)
    return f"#fn-{text}", f"{env['cited'].index(text) + 1}", "footnote"


def _without_trailing_marks(url: str) -> str:
    """An address without what ends the sentence around it."""
    url = url.rstrip(".,:;!?*_~")
    while url.endswith(")") and url.count("(") < url.count(")"):
        url = url[:-1].rstrip(".,:;!?")
    return url


def _without_footnotes(text: str) -> tuple[str, dict[str, str]]:
    """The text without the lines that say what its footnotes are, and those."""
    kept, notes, fence = list[str](), dict[str, str](), ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        found = None if fence else _FOOTNOTE.match(line)
        if found:
            notes[found[1]] = found[2]
        else:
            kept.append(line)
    return "\n".join(kept) if notes else text, notes


def _footnotes(env: dict[str, Any]) -> str:
    """The footnotes in the order in which they are cited."""
    lines = [
        f'<li id="fn-{name}">{_parser().renderInline(env["footnotes"][name], _inner())}'
        f' <a class="footnote-back" href="#cited-{name}" aria-label="Back to the text">↩</a></li>'
        for name in env["cited"]
    ]
    return f'<ol class="footnotes">{"".join(lines)}</ol>' if lines else ""


def _inner() -> dict[str, Any]:
    return {"footnotes": {}, "cited": []}


def _anchored(tokens: Sequence[Token]) -> Iterator[Heading]:
    """The headings, each given an anchor that its note cannot choose freely."""
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


def _aligned(renderer: Any, tokens: Sequence[Token], at: int, options: Any, _env: Any) -> str:
    """A cell of a table: a class instead of a style, which the page forbids."""
    token = tokens[at]
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrs["class"] = f"align-{style.rpartition(':')[2].strip()}"
    return str(renderer.renderToken(tokens, at, options, _env))


def _image_as_link(
    _renderer: object, tokens: Sequence[Token], at: int, _options: object, _env: Any
) -> str:
    """An image becomes a link: fetching it would tell its server that you read the note."""
    token = tokens[at]
    link = Markup('<a href="{}">{}</a>').format(
        token.attrGet("src") or "", token.content or "image"
    )
    return str(link)
