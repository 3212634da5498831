"""Why a note must not be put before a model: what its text does to its reader, or holds.

Whether a text tries to steer the agent that reads it is decided without a model. It is looked at as it reads once invisible,
look-alike, split and encoded letters are read out (`views`); its words become concepts, and rows of concepts are signs
(`grammar`). A note that quotes such a text is found as well: the reader cannot tell the two apart either.

A person who has read such a note can vouch for it. What they vouch for is this text on this
machine, in `<home>/vouched.txt`: another machine, or whoever can write to the remote, cannot.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from anamnesis.trust import views
from anamnesis.trust.grammar import PARAGRAPH, grammar, read
from anamnesis.trust.lexicon import ENGLISH
from anamnesis.trust.marks import Marks, ways_of
from anamnesis.trust.signs import ENOUGH, HARMS, REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.trust.clean import CleanTexts, NewTexts, Note

_VOUCHED = "vouched.txt"
_NEARBY = 45  # words: an order and its addressee stand in two or three sentences
_MOST = 200_000  # characters that are looked at; what is longer is an attachment, and no order
_HIDDEN = 3  # points of concealment that are held without an act, if they are addressed to somebody
_ENCODED_ENOUGH = 2  # points, of what somebody took the trouble to encode
_NEW_PARAGRAPH = re.compile(r"\n\s*(?=\n|[-*#>|] |\d+[.)] )")


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a text is held."""

    kind: str
    reason: str


def verdict(home: str, note: Note, *, clean: CleanTexts | NewTexts | None = None) -> Finding | None:
    """What is found in a note that nobody vouched for, or None."""
    if clean is not None and note in clean:
        return None
    text = f"{note.title}\n\n{note.body}"
    said = ", ".join(note.tags)
    found = finding(text) or _secret(home, text)
    tagged = _in_tags(said) if said else None
    if clean is not None and found is None and tagged is None:
        clean.add(note)
    if found is not None and _mark(text) not in _vouched(home):
        return found
    return tagged  # tags come and go; what is in them nobody vouches for


def vouch(home: str, *, title: str, body: str) -> None:
    """Remember that a person has read exactly this and wants it. Raises NotWritable."""
    from anamnesis.ground import atomic

    mark = _mark(f"{title}\n\n{body}")
    known = _vouched(home)
    if mark not in known:
        lines = "".join(f"{each}\n" for each in sorted({*known, mark}))
        atomic.write_text(os.path.join(home, _VOUCHED), lines)


def _secret(home: str, text: str) -> Finding | None:
    from anamnesis.config import Home
    from anamnesis.redact import allow_list, findings

    found = findings(text)
    if found:
        found = findings(text, allow=allow_list(Home(home)))
    kinds = ", ".join(dict.fromkeys(each.kind for each in found))
    return Finding("secret", f"it seems to hold a secret ({kinds})") if found else None


def _mark(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _vouched(home: str) -> frozenset[str]:
    try:
        with open(os.path.join(home, _VOUCHED), encoding="ascii", errors="replace") as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()


def finding(*texts: str) -> Finding | None:
    """What the texts of a note try to do to their reader, or None."""
    text = "\n\n".join(texts)
    if veiled := views.hidden(text):
        return Finding("hidden", veiled)
    text = text[:_MOST]
    words = views.plain_words(_NEW_PARAGRAPH.sub(f" {PARAGRAPH} ", text))
    view = " ".join(words)
    shown = _marks().of(words)
    found = _judged(view, words, shown, ENOUGH)
    if found is None:
        for other in _unveiled(text, view, shown):
            words = other.split()
            if found := _judged(other, words, _marks().of(words), _ENCODED_ENOUGH):
                break
    return found


@lru_cache(maxsize=1000)
def _in_tags(said: str) -> Finding | None:
    return finding(said)  # many notes have the same few tags


def _unveiled(text: str, view: str, shown: int) -> Iterator[str]:
    """What the text says besides, if something in it is disguised, turned or encoded."""
    ways = ways_of(shown)
    if ways or views.looks_alike(view):
        yield from views.disguised(view, ways, _telling())
        yield from views.turned(view, ways, _telling())
    yield from map(views.plain, views.decoded(text))


def _judged(view: str, words: list[str], shown: int, enough: int) -> Finding | None:
    """The verdict: points of different kinds nearby that suffice, with an act among them.

    `shown` is what the words of the view show.
    """
    spelled = list(_spelled(view, shown))
    beside_act = any(kind in HARMS for _, kind, _ in spelled)
    said = grammar().signs_in(read(view, words), beside_act=beside_act)
    signs = sorted([*((at, sign.kind, sign.points) for at, sign in said), *spelled])
    for first, (at, _, _) in enumerate(signs):
        near: dict[str, int] = {}
        for other, kind, points in signs[first:]:
            if other - at > _NEARBY:
                break
            near[kind] = max(near.get(kind, 0), points)
        acts = [kind for kind in near if kind in HARMS]
        if acts:
            held = _score(near, acts) >= enough
        else:
            held = near.get("conceal", 0) >= _HIDDEN and _score(near, acts) > enough
        if held:
            kind = max(acts, key=near.__getitem__, default="conceal")
            return Finding(kind, REASONS[kind])
    return None


def _score(near: dict[str, int], acts: list[str]) -> int:
    """How much signs say together: acts in a row are a runbook, one that is kept secret an order."""
    frames = sorted(
        points for kind, points in near.items() if kind not in acts and kind != "conceal"
    )
    worst = max((near[kind] for kind in acts), default=0)
    more = len([kind for kind in acts if kind != "act"][1:2])
    return worst + more + near.get("conceal", 0) + sum(frames[-1:]) + len(frames[1:2])


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A sign that is no sentence: a command line, a tag, a tool call."""

    kind: str
    points: int
    literals: tuple[str, ...]  # one of them is in every text that has it
    pattern: str


_SHELLS = (
    r"(?:sudo\s+)?(?:-\w+\s+)?(?:/bin/)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|ruby|php|iex)\b"
)
_SPELLINGS = (
    _Spelling("shell", 2, ("|",), rf"\b(?:curl|wget|fetch|iwr|irm|base64)\b[^\n|]{{0,160}}\|\s*{_SHELLS}"),
    _Spelling(
        "shell", 2, ("curl", "wget", "iex", "downloadstring"),
        r"(?:bash|sh|zsh|source|eval|\.)\s*(?:-c\s*)?[\"'<(`$ ]{1,4}\s*(?:curl|wget)\b|\biex\s*\(?\s*(?:\(|new-object|irm|iwr)|downloadstring",
    ),
    _Spelling("shell", 2, ("-enc", "-urlcache", "mshta", "exec(", "eval("),
              r"powershell[^\n]{0,40}-e(?:nc(?:odedcommand)?)?\b|certutil -urlcache|\bmshta\b|(?:exec|eval)\([^\n]{0,30}(?:base64|urlopen|requests)"),
    _Spelling("backdoor", 3, ("nc ", "ncat ", "/dev/tcp/"), r"\bn(?:c|cat|etcat)\b[^\n]{0,40}\s-e\b|/dev/tcp/"),
    _Spelling("backdoor", 4, ("authorized_keys",), r">>\s*\S{0,40}authorized_keys"),
    _Spelling("backdoor", 2, ("set-url", "base_url", "api_base"),
              r"git remote set-url \S+ https?://|\b(?:anthropic|openai)_(?:base_url|api_base)\s*[=:]\s*[\"']?https?://(?!localhost|127\.)"),
    _Spelling("backdoor", 4, ("* *",), rf"(?:[\d*/,-]+\s+){{4}}[\d*/,-]+\s[^\n]{{0,40}}\b(?:curl|wget)\b[^\n|]{{0,120}}\|\s*{_SHELLS}"),
    _Spelling("backdoor", 3, ("socat",), r"\bsocat\b[^\n]{0,60}\bexec:"),
    _Spelling("weaken", 2, ("reject_unauthorized", "sslverify"), r"node_tls_reject_unauthorized\s*=\s*[\"']?0|http\.sslverify\s+false"),
    _Spelling("weaken", 4, ("bash(*",), r"(?:^|[.;:¶] )(?:please )?(?:add|put|set|allow)\b[^\n.]{0,40}\bbash\(\*(?::\*)?\)"),
    _Spelling("weaken", 3, ("chroot", "-v /:/"), r"-v /:/\w*[^\n]{0,60}chroot|--privileged[^\n]{0,60}chroot"),
    _Spelling("shell", 2, ("curl", "wget"), r"\b(?:curl|wget)\b[^\n]{0,160}(?:&&|;)\s*(?:chmod \+x|sudo |sh |bash |\./)"),
    _Spelling("exfiltrate", 3, ("secrets)", "env)"), r"tojson\((?:secrets|env)\)"),
    _Spelling("exfiltrate", 4, ("$(cat",), r"\$\(cat [^)\n]{0,80}\)\.[\w.-]+\.\w"),
    _Spelling("exfiltrate", 3, ("curl",), r"\bcurl\b[^\n]{0,40}\s(?:-t|-d|--data\S*|-f \S*) ?@?-\s"),
    _Spelling("backdoor", 2, ("ssh -r", "-nr "), r"\bssh\b[^\n]{0,20}\s-\w*r\s+\d+:"),
    _Spelling(
        "exfiltrate", 4, ("curl", "wget", "nc ", "ncat", "nslookup", "dig ", "scp "),
        r"\b(?:cat|env|printenv|tar|base64|zip|grep|find|set|history|gpg)\b[^|\n]{0,120}\|[^\n]{0,60}?\b(?:curl|nc|ncat|netcat|wget)\b"
        r"|\b(?:curl|wget|nslookup|dig|ping)\b[^\n]{0,120}?\$\(\s*(?:cat|env|printenv|base64|tar|whoami|hostname)\b"
        r"|\b(?:curl|wget)\b[^\n]{0,120}?(?:@|<|--upload-file[ =]|-t |--post-file[ =])\s*[\"']?[~./$\w]{0,30}(?:\.env\b|\.ssh|\.aws|id_rsa"
        r"|id_ed25519|credentials|\.netrc|\.npmrc|secrets?\b|passwd|shadow|kubeconfig|history)"
        r"|\bscp\b[^\n]{0,60}(?:\.ssh|\.aws|\.env|id_rsa|credentials)[^\n]{0,60}\S+@\S+:",
    ),
    _Spelling("exfiltrate", 4, ("![",), r"!\[[^\]]{0,40}\]\(\s*https?://[^)]{0,120}(?:\{|\$|%7b|<)[^)]{0,60}\)"),
    _Spelling("exfiltrate", 2, ("![",), r"!\[[^\]]{0,40}\]\(\s*https?://[^)]{0,120}[?&]\w{1,12}=\s*\)"),
    _Spelling(
        "destroy", 2, ("rm -", "mkfs", "dd if=", ":()", "--force", "push -f", "--hard"),
        r"\brm\s+-\w*[rf]\w*\s+(?:--no-preserve-root\s+)?[\"']?(?:/(?:\s|\*|$|[\"'`.,;])|~|\$home|\*|\.(?:git)?(?:\s|/|$|[`\"']))"
        r"|\bmkfs\b|\bdd if=|:\(\)\s*\{|git push (?:-f|--force)\b|git reset --hard",
    ),
    _Spelling("tool", 4, ("tool_use", "tool_call", "function_call", "invoke", "antml", "parameter", '"input"', "tool_code", "to=functions"), r"```tool_code|\bto=functions\.|<\s*(?:function_calls?|invoke name|tool_call|tool_use|antml:\w+|parameter name=)"
              r"|\"(?:tool_calls?|function_call|tool_use)\"\s*:|\"type\"\s*:\s*\"(?:tool_use|function_call)\"|\"input\"\s*:\s*\{\s*\"command\""),
    _Spelling(
        "markup", 2, ("<", "[inst", "[/inst", "[system", "role", "###", "{{"),
        r"\{\{[#/~>]?\s?(?:system|assistant)\b|<\|?(?:im_start|im_end|system|endoftext|start_header_id|eot_id|assistant|user)\|?>|\[/?(?:inst|system)(?: note| message| prompt)?\]|<</?sys>>"
        r"|</?(?:system[-_]\w+(?: [^<>]{0,60})?|system|admin|instructions?|important|secret|memory|context)>"
        r"|[\"']?role[\"']?\s*:\s*[\"'](?:system|assistant|developer)|#{3,}\s*(?:system|instructions?|new instructions?)\b",
    ),
    _Spelling("markup", 2, ("system:", "assistant:", "system override", "system message", "system notice", "begin ", "end of "),
              r"(?:^|[\s#*>¶])(?:system|assistant)\s*:\s|\bsystem (?:override|message|notice|alert)\b"
              r"|\b(?:begin|start|end)(?: of)? (?:operator|system|admin|developer|hidden|secret|priority|user|new) (?:message|instructions?|prompt|input|notes?)"),
    _Spelling("hidden", 2, ("<!--", "display", "visibility", "font-size", "opacity", "[//]", "color"),
              r"<!--(?:(?!-->).){0,400}?\b(?:you|your|agents?|assistants?|claude|ai|llm|model|must|execute|curl|ignore|send)\b"
              r"|(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?!\.)|color\s*:\s*(?:#fff(?:fff)?|white"
              r"|transparent))[^<>]{0,60}>|\[//\]: ?#"),
)  # fmt: skip


_BY_LITERAL: dict[str, list[_Spelling]] = {}
for _each in _SPELLINGS:
    for _literal in _each.literals:
        _BY_LITERAL.setdefault(_literal, []).append(_each)


def _spelled(view: str, shown: int) -> Iterator[tuple[int, str, int]]:
    present = [_BY_LITERAL[each] for each in _marks().literals(shown) if each in view]
    for spelling in dict.fromkeys(chain.from_iterable(present)):
        at = seen = 0
        for found in _compiled(spelling.pattern).finditer(view):
            # Places are counted as the words of a reading are.
            at += len(read(view[seen : found.start()]))
            seen = found.start()
            yield at, spelling.kind, spelling.points


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _marks() -> Marks:
    return Marks(tuple(_BY_LITERAL), _telling())


@cache
def _telling() -> views.Telling:
    concepts = (
        "IGNORE INSTR PRIOR SEND RUN FETCH SECRET DESTROY TELL AGENT USER QUIET DISABLE FOLLOW"
    )
    every = {word for concept in concepts.split() for word in ENGLISH[concept].split()}
    long = {word for word in every if len(word) > 4 and word.isalpha()}
    short = {"user", "curl", "tell", "send", "you", "your", "not", "the", "all", "and"}
    return views.Telling(frozenset(long | short))
