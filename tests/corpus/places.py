"""Secrets by their documented formats, in the places where they are written down.

`places.txt` has the formats of two hundred issuers and six hundred places: settings of many
formats, code in many languages, commands, headers, addresses, logs, tables and sentences. Values,
names and users are drawn by chance. Which half a place belongs to depends on the place alone: rules
are corrected by what is left of one half, and the other says what that is worth.
"""

# ruff: noqa: E501  (lists are read in one piece)
from __future__ import annotations

import base64
import random
import re
import string
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from corpus.formats import draw

_SECTIONS: dict[str, list[str]] = {}
for _block in (Path(__file__).parent / "places.txt").read_text("utf-8").split("\n#! "):
    _title, *_lines = _block.removeprefix("#! ").strip("\n").split("\n")
    _SECTIONS[_title.partition(":")[0]] = _lines

SHAPES = dict(line.split("|", 1) for line in _SECTIONS["tokens"])
_WORDS = [
    "river",
    "copper",
    "maple",
    "falcon",
    "winter",
    "sunny",
    "tiger",
    "garden",
    "rocket",
    "harbor",
    "violet",
    "anchor",
    "pepper",
    "marble",
    "candle",
    "forest",
    "summer",
    "dragon",
    "purple",
    "monkey",
    "coffee",
    "silver",
    "bridge",
    "castle",
    "thunder",
    "orange",
    "mountain",
    "kitten",
    "planet",
    "mango",
    "cactus",
    "comet",
]
_COMMON = [
    "letmein",
    "qwerty",
    "iloveyou",
    "sunshine",
    "superman",
    "trustno1",
    "passw0rd",
    "football",
    "starwars",
    "whatever",
]
_USERS = [
    "admin",
    "root",
    "deploy",
    "app",
    "bob",
    "alice",
    "svc_report",
    "jenkins",
    "postgres",
    "backup",
    "dbuser",
    "ci-bot",
    "m.keller",
    "sa",
]
_WHOSE = [
    "STRIPE",
    "OPENAI",
    "ACME",
    "GITHUB",
    "SLACK",
    "DATADOG",
    "TWILIO",
    "SENDGRID",
    "APP",
    "PROD",
    "MY",
    "INTERNAL",
    "PAYMENT",
    "MAPS",
    "WEATHER",
    "ALGOLIA",
    "SEGMENT",
    "PUSHER",
    "MIXPANEL",
    "ZENDESK",
    "SHOPIFY",
    "DEEPGRAM",
    "MISTRAL",
    "COHERE",
    "ASSEMBLYAI",
    "LINODE",
    "VULTR",
    "HETZNER",
    "CLOUDFLARE",
    "NEXTAUTH",
    "DJANGO",
    "RAILS",
    "LARAVEL",
    "SUPABASE",
    "FIREBASE",
    "OKTA",
    "AUTH0",
    "SNYK",
    "CODECOV",
    "SONAR",
]
_WHAT = [
    "API_KEY",
    "TOKEN",
    "SECRET",
    "SECRET_KEY",
    "ACCESS_TOKEN",
    "CLIENT_SECRET",
    "AUTH_TOKEN",
    "API_TOKEN",
    "PRIVATE_KEY",
    "SIGNING_SECRET",
    "WEBHOOK_SECRET",
    "ENCRYPTION_KEY",
    "ACCESS_KEY",
    "MASTER_KEY",
    "REFRESH_TOKEN",
    "API_SECRET",
    "APIKEY",
    "JWT_SECRET",
    "BEARER_TOKEN",
    "APP_SECRET",
    "SESSION_SECRET",
    "SERVICE_KEY",
    "ADMIN_KEY",
    "LICENSE_KEY",
]
_PASSWORDS = [
    "DB_PASSWORD",
    "PASSWORD",
    "ADMIN_PASSWORD",
    "DB_PASS",
    "SMTP_PASSWORD",
    "REDIS_PASSWORD",
    "MYSQL_PASSWORD",
    "ROOT_PASSWORD",
    "DATABASE_PASSWORD",
    "LDAP_BIND_PASSWORD",
    "PASSWD",
    "APP_PWD",
    "ADMIN_PW",
    "KEYSTORE_PASSWORD",
    "USER_PASS",
    "MAIL_PASSWORD",
    "FTP_PASSWORD",
    "VAULT_PASSPHRASE",
    "SSH_PASSPHRASE",
    "SUDO_PASSWORD",
    "JENKINS_PASSWORD",
]
_KEYS = ["{32h}", "{40h}", "{64h}", "{24a}", "{32a}", "{40a}", "{64a}", "{40b}", "{43u}", "{20a}", "{22u}", "{48u}",
         "{8h}-{4h}-{4h}-{4h}-{12h}", "{43b}=", "{36l}", "{16a}", "{28l}", "{32U}"]  # fmt: skip
_SLOT = re.compile(r"⟦(.*?)⟧")
_BASE32 = string.ascii_uppercase + "234567"


class Placed(NamedTuple):
    """A text, the secrets in it, and the place that it was drawn from."""

    place: str
    kind: str
    text: str
    secrets: list[str]


def drawn(*, seed: int, each: int = 1) -> Iterator[Placed]:
    """Every place, filled `each` times; places for tokens with tokens of several issuers."""
    for section, places in _SECTIONS.items():
        if section == "tokens":
            continue
        for place in places:
            chance = random.Random(f"{seed} {place}")
            for _ in range(each * (6 if section == "anywhere" else 1)):
                yield _filled(place, section, chance)
    for name, form in SHAPES.items():
        chance = random.Random(f"{seed} {name}")
        for place in chance.sample(_SECTIONS["anywhere"], 2 * each):
            yield _filled(place, name, chance, form)


def is_for_checking(placed: Placed) -> bool:
    """Whether a text belongs to the half that rules are not corrected by."""
    if placed.kind in ("apart", "last"):
        return True
    return zlib.crc32(f"{placed.place} {placed.kind}".encode()) % 2 == 0


def left_in(redacted: str, placed: Placed) -> list[str]:
    """The secrets of which the whole, or a piece that says much, is still there."""
    redacted = re.sub(r"\[redacted: [^\]]*\]", " ", redacted)
    around = placed.text
    for secret in placed.secrets:
        around = around.replace(secret, " ")
    return [secret for secret in placed.secrets if _is_left(secret, redacted, around)]


def _is_left(secret: str, redacted: str, around: str) -> bool:
    length = max(4, min(8, len(secret) // 2))
    pieces = (secret[at : at + length] for at in range(len(secret) - length + 1))
    return any(piece in redacted and piece not in around for piece in pieces)


def _filled(place: str, kind: str, chance: random.Random, form: str = "") -> Placed:
    secrets: list[str] = []
    is_password = "pw⟧" in place
    name = (
        chance.choice(_PASSWORDS)
        if is_password
        else f"{chance.choice(_WHOSE)}_{chance.choice(_WHAT)}"
    )

    def secret(slot: re.Match[str]) -> str:
        ends = place[slot.end() : slot.end() + 1] + place[slot.start() - 1 : slot.start()]
        value = _value(slot[1], chance, form, ends=ends)
        secrets.append(value)
        return value

    text = (
        place.replace("\\t", "\t").replace("\\n", "\n").replace("\\\n", "\\n").replace("\\\\", "\\")
    )
    for sign, named in _spellings(name).items():
        text = text.replace(f"«{sign}»", named)
    text = text.replace("«u»", chance.choice(_USERS))
    return Placed(place, kind, draw(_SLOT.sub(secret, text), chance), secrets)


def _spellings(name: str) -> dict[str, str]:
    words = name.lower().split("_")
    pascal = "".join(word.capitalize() for word in words)
    return {
        "N": name, "n": "_".join(words), "k": "-".join(words), "w": " ".join(words),
        "P": pascal, "c": words[0] + pascal[len(words[0]) :],
    }  # fmt: skip


def _value(kind: str, chance: random.Random, form: str, *, ends: str) -> str:
    if kind == "shape":
        return draw(form or chance.choice(list(SHAPES.values())), chance)
    if kind == "key":
        return draw(chance.choice(_KEYS), chance)
    if kind in ("pw", "urlpw", "formpw"):
        allowed = "".join(sign for sign in "!#$%&*-_+=.?^~@;," if sign not in ends)
        if kind != "pw":
            allowed = "!*-_.~$"
        return password(chance, signs=allowed)
    if kind in _SPECIAL:
        return _SPECIAL[kind](chance)
    base32 = re.sub(r"\{(\d+)B\}", lambda m: _text(chance, int(m[1]), _BASE32), kind)
    return draw(base32, chance)


def password(chance: random.Random, *, signs: str) -> str:
    """What people choose, and what managers make, in the share in which either is met."""
    words = [chance.choice(_WORDS) for _ in range(4)]
    first, second = words[0].capitalize(), words[1].capitalize()
    year, digits, sign = (
        chance.randrange(2015, 2028),
        chance.randrange(10, 999),
        chance.choice(signs),
    )
    leet = first.translate(str.maketrans("aeiost", "4310$7" if "$" in signs else "431057"))
    mixed = string.ascii_letters + string.digits
    made = [
        f"{first}{year}{sign}", f"{first}{sign}{digits}", f"{sign.join((first, second))}{digits}",
        f"{leet}{sign}{digits}", f"{leet}{digits}x", f"{first}{second}{digits}", f"{words[0]}{digits}",
        f"{words[0]}-{words[1]}-{digits}", f"{words[0]}{second}{sign}{digits % 10}", f"{words[0]}.{words[1]}{digits}",
        *(_text(chance, chance.randrange(10, 22), mixed + signs) for _ in range(4)),
        *(_text(chance, chance.randrange(9, 20), mixed) for _ in range(4)),
        _text(chance, chance.randrange(9, 14), string.ascii_lowercase + string.digits),
        _text(chance, 16, "0123456789abcdef"),
        f"Acme{sign}{year}", f"{first}!{second}",
        "-".join(words), chance.choice(_COMMON),
    ]  # fmt: skip
    return chance.choice(made)


def _text(chance: random.Random, length: int, letters: str) -> str:
    return "".join(chance.choices(letters, k=length))


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _jwt(chance: random.Random) -> str:
    claims = f'{{"sub":"{chance.randrange(10**9)}","iat":{chance.randrange(10**9)}}}'
    parts = (_encoded('{"alg":"HS256","typ":"JWT"}'), _encoded(claims))
    return ".".join(part.rstrip("=") for part in parts) + "." + draw("{43u}", chance)


_SPECIAL: dict[str, Callable[[random.Random], str]] = {
    "jwt": _jwt,
    "basic": lambda chance: _encoded(f"{chance.choice(_USERS)}:{password(chance, signs='!-_')}"),
    "seed": lambda chance: " ".join(chance.choices(_WORDS, k=12)),
}
