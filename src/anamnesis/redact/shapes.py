"""Secrets that their own shape betrays, wherever they stand.

Each shape has a literal that every such value contains; a text without it is not searched at all.
No pattern nests quantifiers or starts with an open-ended run, so none can take more than linear
time (tests/unit/test_redact.py runs hostile megabytes).
"""

from __future__ import annotations

import re
from itertools import zip_longest

from anamnesis.ground.records import record
from anamnesis.redact.finding import PLACEHOLDER_START, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KEY_BLOCK_LIMIT = 20_000  # a 16k-bit RSA key in PEM is 12,500 characters
_SHORTEST_KEY = 40
_KEY_MARKER = re.compile(r"-----(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# What follows BEGIN when END was cut off: base64 lines, however they are quoted or prefixed.
_BLOCK_LINES = re.compile(r"(?:[\s\\nr+>|\"',-]{0,8}[A-Za-z0-9+/=]{16,})*+")


@record
class Shape:
    """A kind of secret: what it contains literally, and its pattern (group 1 is the secret)."""

    kind: str
    literals: tuple[str, ...]
    pattern: str  # compiled when its literal turns up: all of them would take 10 ms


def _shape(kind: str, literals: str, pattern: str) -> Shape:
    return Shape(kind=kind, literals=tuple(literals.split()), pattern=pattern)


_W = r"(?<![A-Za-z0-9_-])"  # a token does not start in the middle of a word
_SHAPES = (
    _shape(
        "aws access key", "AKIA ASIA ABIA ACCA", _W + r"((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b"
    ),
    _shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"(gh[pousr]_[A-Za-z0-9]{30,255})"),
    _shape("github token", "github_pat_", r"(github_pat_[A-Za-z0-9_]{22,255})"),
    _shape(
        "gitlab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat-",
        r"(gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{20,255})",
    ),
    _shape("anthropic key", "sk-ant-", r"(sk-ant-[A-Za-z0-9_-]{20,255})"),
    _shape("openrouter key", "sk-or-", r"(sk-or-[A-Za-z0-9_-]{32,255})"),
    _shape(
        "openai key",
        "sk-",
        _W + r"(sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,255})",
    ),
    _shape("api key", "sk-", _W + r"(sk-(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{32,255})\b"),
    _shape("google api key", "AIza", _W + r"(AIza[A-Za-z0-9_-]{35})"),
    _shape("google oauth token", "ya29.", r"\b(ya29\.[A-Za-z0-9_-]{20,1000})"),
    _shape("google client secret", "GOCSPX-", r"\b(GOCSPX-[A-Za-z0-9_-]{20,64})"),
    _shape("slack token", "xox", _W + r"(xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,255})"),
    _shape("slack token", "xapp-", _W + r"(xapp-\d-[A-Za-z0-9-]{20,255})"),
    _shape(
        "slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{20,255})",
    ),
    _shape(
        "discord webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/(\d{10,25}/[A-Za-z0-9_-]{30,100})",
    ),
    _shape("stripe key", "_live_ _test_", _W + r"([srp]k_(?:live|test)_[A-Za-z0-9]{10,255})"),
    _shape("webhook secret", "whsec_", r"\b(whsec_[A-Za-z0-9+/=]{20,255})"),
    _shape("npm token", "npm_", r"\b(npm_[A-Za-z0-9]{36,255})"),
    _shape("pypi token", "pypi-", _W + r"(pypi-[A-Za-z0-9_-]{50,1000})"),
    _shape(
        "jwt",
        "eyJ",
        r"\b(eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000})",
    ),
    _shape("groq key", "gsk_", r"\b(gsk_[A-Za-z0-9]{40,255})"),
    _shape("xai key", "xai-", _W + r"(xai-[A-Za-z0-9]{60,255})"),
    _shape("hugging face token", "hf_", r"\b(hf_[A-Za-z0-9]{30,255})\b"),
    _shape("replicate token", "r8_", r"\b(r8_[A-Za-z0-9]{36,255})"),
    _shape("sendgrid key", "SG.", r"\b(SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50})"),
    _shape("mailgun key", "key-", _W + r"(key-[0-9a-f]{32})\b"),
    _shape("twilio key", "SK", _W + r"(SK[0-9a-f]{32})\b"),
    _shape("digitalocean token", "_v1_", r"\b(do[opr]_v1_[0-9a-f]{64})"),
    _shape("shopify token", "shp", r"\b(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})"),
    _shape("linear key", "lin_api_", r"\b(lin_api_[A-Za-z0-9]{30,255})"),
    _shape("notion token", "ntn_", r"\b(ntn_[A-Za-z0-9]{40,255})"),
    _shape("figma token", "figd_", r"\b(figd_[A-Za-z0-9_-]{30,255})"),
    _shape("databricks token", "dapi", r"\b(dapi[0-9a-f]{32})(?:-\d)?\b"),
    _shape("tailscale key", "tskey-", r"\b(tskey-[a-z]{2,10}-[A-Za-z0-9_-]{16,255})"),
    _shape("vault token", "hvs. hvb.", r"\b(hv[sb]\.[A-Za-z0-9_-]{24,255})"),
    _shape("docker token", "dckr_pat_", r"\b(dckr_pat_[A-Za-z0-9_-]{20,255})"),
    _shape("terraform token", ".atlasv1.", r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,255})"),
    _shape("grafana token", "glsa_ glc_", r"\b(gl(?:sa|c)_[A-Za-z0-9_=+/]{32,255})"),
    _shape("sentry token", "sntrys_ sntryu_", r"\b(sntry[su]_[A-Za-z0-9_=+/]{40,1000})"),
    _shape("supabase token", "sbp_ sb_secret_", r"\b(sb(?:p|_secret)_[A-Za-z0-9_-]{24,255})"),
    _shape("planetscale token", "pscale_", r"\b(pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,255})"),
    _shape("postman key", "PMAK-", r"\b(PMAK-[0-9a-f]{24}-[0-9a-f]{34})"),
    _shape("new relic key", "NRAK-", r"\b(NRAK-[A-Z0-9]{27})\b"),
    _shape("atlassian token", "ATATT3", r"\b(ATATT3[A-Za-z0-9_=-]{100,400})"),
    _shape("age key", "AGE-SECRET-KEY-", r"(AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    _shape("telegram token", ":AA", r"(?<!\d)(\d{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"),
    _shape(
        "azure key", "AccountKey= SharedAccessKey=", r"(?:Account|SharedAccess)Key=([^;\s\"']{20,})"
    ),
    _shape("azure signature", "sig=", r"[?&]sig=([A-Za-z0-9%/+=_-]{30,255})"),
    _shape("aws signature", "X-Amz-Signature=", r"X-Amz-Signature=([0-9a-f]{64})"),
    _shape(
        "authorization header",
        "uthorization UTHORIZATION",
        r"(?i:authorization)[\"'\\]{0,3}\s{0,3}[:=]\s{0,3}[\"'\\]{0,3}"
        r"(?i:bearer|basic|token|bot|apikey|digest)\s{1,3}([A-Za-z0-9._~+/=:-]{8,4000})",
    ),
    _shape(
        "bearer token",
        "earer EARER",
        r"\b(?i:bearer)\s{1,3}(?=[A-Za-z._~+/-]{0,200}[0-9])([A-Za-z0-9._~+/=-]{20,4000})",
    ),
    _shape(
        "api key header",
        "-Key -key -KEY -Token -token -TOKEN",
        r"\b(?i:x-(?:[a-z0-9]{1,20}-){0,3}(?:key|token|secret))[\"'\\]{0,3}\s{0,3}:\s{0,3}"
        r"[\"'\\]{0,3}([A-Za-z0-9._~+/=-]{12,4000})",
    ),
    _shape(
        "password in url",
        "://",
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>`\\]{0,100}:([^\s/@\"'<>`\\]{1,200})@",
    ),
    _shape("token in url", "://", r"\bhttps?://([A-Za-z0-9_-]{20,255})(?::x-oauth-basic)?@"),
    _shape(
        "password",
        "curl wget",
        r"\b(?:curl|wget)\b[^\n]{0,200}?\s(?:-u|--user)[ =][\"']?[^\s:\"']{1,99}:([^\s\"']{1,200})",
    ),
    _shape(
        "password", "machine", r"\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(\S{1,200})"
    ),
    _shape("password", "sshpass", r"\bsshpass\s+-p\s*[\"']?([^\s\"']{1,200})"),
    _shape(
        "password",
        "DENTIFIED dentified",
        r"\b(?i:user\s+\S{1,80}\s+identified\s+(?:with\s+\S{1,40}\s+)?by)\s+'([^'\n]{1,200})'",
    ),
    _shape("password", "</", r"<(?i:password|passwd|secret|apikey)>([^<>\s]{4,200})</"),
)


def shaped_values(text: str) -> Iterator[Finding]:
    """Every value in `text` whose shape is that of a secret."""
    yield from _key_blocks(text)
    for shape in _SHAPES:
        if any(literal in text for literal in shape.literals):
            for match in re.finditer(shape.pattern, text):
                if not _is_stand_in(match[1]):
                    yield Finding(kind=shape.kind, start=match.start(1), end=match.end(1))


def _key_blocks(text: str) -> Iterator[Finding]:
    if "PRIVATE KEY" not in text:
        return
    markers = list(_KEY_MARKER.finditer(text))
    for begin, following in zip_longest(markers, markers[1:]):
        if begin["edge"] != "BEGIN":
            continue
        limit = begin.end() + _KEY_BLOCK_LIMIT
        if following and following["edge"] == "END" and following.start() < limit:
            length, end = following.start() - begin.end(), following.end()
        else:
            lines = _BLOCK_LINES.match(text, begin.end(), following.start() if following else limit)
            end = lines.end() if lines else begin.end()
            length = end - begin.end()
        # A BEGIN line that only names the format (in prose or code) carries nothing secret.
        if length > _SHORTEST_KEY:
            yield Finding(kind="private key", start=begin.start(), end=end)


# Documentation writes https://user:password@host and "Bearer <token>"; nothing is lost there.
_STAND_IN = re.compile(
    r"[$<{%\[]|\*{3}|\.{3}|…|(?i:(?:your|my|the|some|example|dummy|fake)?[-_]?"
    r"(?:user|pass|password|passwd|pwd|pw|secret|token|key|api[-_]?key|xxx+|changeme)[-_]?(?:here)?)$"
)


def _is_stand_in(value: str) -> bool:
    return value.startswith(PLACEHOLDER_START[:-1]) or _STAND_IN.match(value) is not None
