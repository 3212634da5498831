"""Harmless lines of everyday work that look a little like secrets, with values drawn at run time."""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import random

from corpus.formats import draw

_UUID = "{8h}-{4h}-{4h}-{4h}-{12h}"
# Each line is drawn several times. Nothing in them opens anything.
_LINES = rf"""
commit {{40h}}
Merge: {{7h}} {{7h}}
index {{7h}}..{{7h}} 100644
fixed in {{7h}}, see also {{10h}}
"integrity": "sha512-{{86b}}==",
    resolved "https://registry.example.org/left-pad/-/left-pad-1.3.0.zip#{{40h}}"
FROM node:20@sha256:{{64h}}
    --hash=sha256:{{64h}} \
sha256: {{64h}}
md5sum {{32h}}  dist/app.tar.gz
etag: "{{32h}}"
"uuid": "{_UUID}",
"parentUuid":"{_UUID}","sessionId":"{_UUID}"
session_id={_UUID} took 12 ms
request id req_{{24a}} failed
"id": "toolu_01{{22a}}"
"id":"msg_01{{22a}}","type":"message"
"tool_use_id":"call_{{24a}}"
chatcmpl-{{29a}}
trace_id={{32h}} span_id={{16h}}
traceparent: 00-{{32h}}-{{16h}}-01
arn:aws:secretsmanager:eu-west-1:{{12d}}:secret:prod/db-{{6a}}
arn:aws:iam::{{12d}}:role/deploy
arn:aws:kms:us-east-1:{{12d}}:key/{_UUID}
i-{{17h}} vpc-{{8h}} subnet-{{17h}} ami-{{17h}}
refs/heads/feature/token-refresh-{{7h}}
origin/claude/fix-password-reset-{{6a}}
src/assets/index-{{8a}}.js
main.{{8h}}.chunk.js  142 kB
data:image/png;base64,iVBORw0KGgo{{120b}}==
<path d="M{{2d}}.5 {{2d}}.25l-{{1d}}.5 {{1d}}.5c0 1.{{2d}}-.{{2d}} 2-2 2z"/>
.css-{{6l}}{{{{color:#{{6h}};padding:{{2d}}px}}}}
!function(e,t){{{{var n=e.token,r=t.key;return n===r?e.pass(t):t.secret(n)}}}}(window,"{{4a}}");
{{13d}} {{10d}}.{{6d}} 0x{{8h}}
0x{{40h}} transferred 3 tokens
npm info ok {{7h}}
ghcr.io/example/app:sha-{{7h}}
docker pull example/app@sha256:{{64h}}
Container {{64h}} started
layer {{12h}}: Already exists
SHA256:{{43b}} (ED25519)
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{{43b}} me@laptop
cache key: node-modules-Linux-{{64h}}
cache-key = "deps-v2-{{40h}}"
Cache restored from key: Linux-pip-{{64h}}
primary_key={{8d}}, foreign_key={{8d}}
partition_key = "user#{{12d}}"
s3_key = "uploads/2026/11/{{16h}}.png"
idempotency_key: {_UUID}
"public_key": "age1{{58l}}",
STRIPE_PRICE_ID=price_{{24a}}
CLIENT_ID={{32h}}
GOOGLE_CLIENT_ID={{12d}}-{{32l}}.apps.example.com
"client_id": "{_UUID}"
tenant_id = "{_UUID}"
SENTRY_RELEASE={{40h}}
BUILD_ID={{20a}}
GIT_SHA={{40h}}
token_count={{5d}} input_tokens={{4d}} output_tokens={{3d}}
"input_tokens":{{4d}},"cache_read_input_tokens":{{5d}}
max_tokens: {{4d}}
Token usage: {{5d}}/200000; {{5d}} remaining
tokens per second: {{2d}}.{{1d}}
expires_in: {{4d}}, token_type: bearer
The token expires after {{2d}} minutes and is refreshed by the client.
token refresh was fixed in commit {{40h}}
The password reset flow broke in {{7h}}.
password must have at least {{2d}} characters
the secret is rotated every {{2d}} days by the operator
key {{3d}} of {{4d}} was evicted from the cache
Row {{4d}}: key=user_{{4d}}, value=ok
[{{4d}}-11-15T20:18:49.{{3d}}Z] auth: session {_UUID} closed
2026-11-15 20:18:{{2d}} INFO auth token validated for user {{6d}}
01J9{{22U}}
ULID 01K{{23U}} is the id of the note
note 01J8{{22U}} mentions the token cache
expected "{{64h}}", got "{{64h}}"
assert digest == "{{64h}}"
checksum = "{{64h}}"
password_hash: {{64h}}
    at Object.<anonymous> (/app/token.js:{{3d}}:{{2d}})
W/"{{2h}}-{{27b}}"
Nonce {{16h}} was used twice
jti: {_UUID}
kid: {{40h}}
"sub": "{{21d}}"
CVE-2026-{{5d}} affects jsonwebtoken < 9.0.{{1d}}
See RFC {{4d}} for bearer token usage.
PR #{{4d}}: move the secret store behind an interface
port {{4d}}: password authentication is off
user{{3d}}@example.com
"""


def everyday_lines(*, seed: int = 5, draws: int = 8) -> list[str]:
    """Every kind of line, drawn a number of times."""
    source = random.Random(seed)
    kinds = [
        line.replace("{{", "\0").replace("}}", "\1") for line in _LINES.strip("\n").splitlines()
    ]
    return [
        draw(kind, source).replace("\0", "{").replace("\1", "}")
        for kind in kinds
        for _ in range(draws)
    ]
