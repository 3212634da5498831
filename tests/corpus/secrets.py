"""Fake secrets in the surroundings where transcripts really show them.

The values are drawn from a seeded generator when the tests run: the repository itself holds nothing
that looks like a credential, so that scanners of hosting services stay quiet.
"""

from __future__ import annotations

import base64
import random
import string
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Planted(NamedTuple):
    """A text and the secret in it that must not survive."""

    name: str
    text: str
    secret: str


def _draw(length: int, alphabet: str, seed: str) -> str:
    source = random.Random(seed)
    drawn = "".join(source.choice(alphabet) for _ in range(length))
    return (
        "a1" + drawn[2:] if alphabet == HEX else "aB3" + drawn[3:] if alphabet == ALNUM else drawn
    )


def _pem(kind: str, lines: int) -> str:
    body = "\n".join(_draw(64, ALNUM + "+/", f"{kind}{n}") for n in range(lines))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


def _jwt() -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    head, claims = part('{"alg":"HS256","typ":"JWT"}'), part('{"sub":"1234567890","name":"u"}')
    return f"{head}.{claims}.{_draw(43, ALNUM, 'jwt')}"


# name, surroundings with {s} for the secret, prefix, length of the random part, alphabet
_TOKENS: list[tuple[str, str, str, int, str]] = [
    ("aws id in env", "export AWS_ACCESS_KEY_ID={s}\n", "AKIA", 16, BASE32),
    ("aws id in json", '{{"AccessKeyId": "{s}", "Status": "Active"}}', "ASIA", 16, BASE32),
    (
        "aws secret in ini",
        "[default]\naws_secret_access_key = {s}\nregion=eu-west-1",
        "",
        40,
        ALNUM + "/+",
    ),
    ("aws secret in json", '"SecretAccessKey": "{s}",', "", 40, ALNUM + "/+"),
    (
        "github classic in remote",
        "git remote set-url origin https://{s}@github.com/u/r.git",
        "ghp_",
        36,
        ALNUM,
    ),
    (
        "github classic in header",
        "curl -H 'Authorization: token {s}' https://api.github.com/user",
        "ghp_",
        36,
        ALNUM,
    ),
    ("github fine-grained", "GH_TOKEN={s} gh pr list", "github_pat_", 82, ALNUM + "_"),
    ("github oauth", "the device flow returned {s} for the app", "gho_", 36, ALNUM),
    (
        "github server in log",
        "2026-11-15T20:18:49Z INFO token=ghs acquired: {s}",
        "ghs_",
        36,
        ALNUM,
    ),
    ("gitlab personal", "glab auth login --token {s}", "glpat-", 20, ALNUM + "_"),
    ("gitlab in ci yaml", "  variables:\n    CI_PUSH: {s}\n", "glpat-", 20, ALNUM),
    ("gitlab runner", "gitlab-runner register --token {s}", "glrt-", 20, ALNUM),
    ("openai project", "OPENAI_API_KEY={s}", "sk-proj-", 48, ALNUM + "_-"),
    ("openai legacy in python", 'client = OpenAI(api_key="{s}")', "sk-", 48, ALNUM),
    ("openai service account", "key: {s}", "sk-svcacct-", 60, ALNUM),
    ("deepseek", "I set DEEPSEEK to {s} and it worked.", "sk-", 32, HEX),
    (
        "anthropic in shell",
        "$ ANTHROPIC_API_KEY={s} claude -p hi",
        "sk-ant-api03-",
        93,
        ALNUM + "_-",
    ),
    (
        "anthropic in json string",
        '"env": "{{\\"ANTHROPIC_API_KEY\\": \\"{s}\\"}}"',
        "sk-ant-api03-",
        93,
        ALNUM,
    ),
    ("anthropic in prose", "my key is {s}, please rotate it", "sk-ant-oat01-", 60, ALNUM),
    ("openrouter", "Authorization: Bearer {s}", "sk-or-v1-", 64, HEX),
    (
        "google api in url",
        "https://maps.googleapis.com/maps/api/js?key={s}&v=3",
        "AIza",
        35,
        ALNUM + "_-",
    ),
    ("google api in ts", "const firebase = {{ apiKey: '{s}' }}", "AIza", 35, ALNUM),
    ("google oauth", "access_token: {s}", "ya29.", 120, ALNUM + "_-"),
    ("google client secret", '"client_secret":"{s}"', "GOCSPX-", 28, ALNUM + "_-"),
    ("slack bot", "SLACK_BOT_TOKEN={s}", "xoxb-", 50, ALNUM),
    ("slack user in curl", "curl -d token={s} https://slack.com/api/auth.test", "xoxp-", 60, ALNUM),
    ("slack app", "socket mode with {s}", "xapp-1-", 70, ALNUM),
    ("slack webhook", "POST https://hooks.slack.com/services/T0{s}", "", 40, ALNUM + "/"),
    (
        "discord webhook",
        "https://discord.com/api/webhooks/112233445566778899/{s}",
        "",
        68,
        ALNUM + "_-",
    ),
    ("stripe live", "Stripe::api_key = '{s}'", "sk_live_", 24, ALNUM),
    ("stripe test", "stripe listen --api-key {s}", "sk_test_", 24, ALNUM),
    ("stripe restricted", "+STRIPE={s}", "rk_live_", 24, ALNUM),
    ("stripe webhook", "endpoint secret {s}", "whsec_", 32, ALNUM),
    ("npm in npmrc", "//registry.example.org/:_authToken={s}", "npm_", 36, ALNUM),
    ("npm in ci", "NODE_AUTH_TOKEN: {s}", "npm_", 36, ALNUM),
    (
        "pypi in pypirc",
        "[pypi]\nusername = __token__\npassword = {s}",
        "pypi-AgEIcHlwaS5vcmc",
        120,
        ALNUM + "_-",
    ),
    (
        "pypi in twine",
        "twine upload -u __token__ -p {s} dist/*",
        "pypi-AgEIcHlwaS5vcmc",
        120,
        ALNUM,
    ),
    ("hugging face", "huggingface-cli login --token {s}", "hf_", 34, ALNUM),
    ("groq", "GROQ = {s}", "gsk_", 52, ALNUM),
    ("replicate", "REPLICATE_API_TOKEN={s}", "r8_", 37, ALNUM),
    ("sendgrid", "SENDGRID_API_KEY='{s}'", "SG.aaaaaaaaaaaaaaaaaaaaaa.", 43, ALNUM),
    ("mailgun", "api:{s}@api.mailgun.net", "key-", 32, HEX),
    ("twilio", "twilio api:create --sid {s}", "SK", 32, HEX),
    ("digitalocean", "doctl auth init -t {s}", "dop_v1_", 64, HEX),
    ("shopify", "X-Shopify-Access-Token: {s}", "shpat_", 32, HEX),
    ("linear", "LINEAR={s}", "lin_api_", 40, ALNUM),
    ("notion", "notion = Client(auth='{s}')", "ntn_", 46, ALNUM),
    ("figma", "FIGMA_TOKEN={s}", "figd_", 40, ALNUM),
    ("databricks", "databricks configure --token {s}", "dapi", 32, HEX),
    ("tailscale", "tailscale up --authkey={s}", "tskey-auth-", 40, ALNUM),
    ("vault", "VAULT_TOKEN={s} vault kv get x", "hvs.", 90, ALNUM),
    ("docker hub", "docker login -u me -p {s}", "dckr_pat_", 27, ALNUM),
    ("grafana", "Authorization=Bearer {s}", "glsa_", 41, ALNUM),
    ("supabase", "supabase link --token {s}", "sbp_", 40, HEX),
    ("telegram", "https://api.telegram.org/bot{s}/getMe", "1234567890:AA", 33, ALNUM),
    (
        "azure storage",
        "AccountName=acc;AccountKey={s};EndpointSuffix=core.windows.net",
        "",
        86,
        ALNUM + "/+",
    ),
    (
        "azure sas",
        "https://acc.blob.core.windows.net/c?sv=2024&sig={s}&se=2026",
        "",
        43,
        ALNUM + "%",
    ),
    ("postgres url", "DATABASE_URL=postgres://app:{s}@db.internal:5432/app", "", 16, ALNUM),
    ("mysql url in yaml", "  url: mysql://root:{s}@localhost/shop", "p4", 8, ALNUM),
    (
        "mongo url in js",
        "mongoose.connect('mongodb+srv://svc:{s}@cluster0.mongodb.net/test')",
        "",
        20,
        ALNUM,
    ),
    ("redis url without user", "REDIS_URL=redis://:{s}@cache:6379/0", "", 24, ALNUM),
    ("amqp url in diff", "-amqp://guest:old@rabbit\n+amqp://guest:{s}@rabbit", "", 12, ALNUM),
    ("ftp url in prose", "Use ftp://deploy:{s}@files.example.com for uploads.", "", 10, ALNUM),
    ("bearer header", "Authorization: Bearer {s}", "", 40, ALNUM),
    ("bearer in json", '{{"headers": {{"Authorization": "Bearer {s}"}}}}', "", 40, ALNUM + "._-"),
    ("bearer in fetch", "headers: {{ authorization: `Bearer {s}` }}", "", 36, ALNUM),
    ("basic header", "Authorization: Basic {s}==", "", 30, ALNUM),
    ("basic in curl", "curl -u admin:{s} https://ci.example.com/job", "", 14, ALNUM),
    ("x-api-key", "curl -H 'X-Api-Key: {s}' https://api.example.com", "", 32, ALNUM),
    ("x-auth-token", '"x-auth-token": "{s}"', "", 32, HEX),
    ("cookie", "Cookie: sessionid={s}; theme=dark", "", 32, ALNUM),
    ("env password with digit", "PGPASSWORD={s} psql -h db", "", 12, ALNUM),
    ("env password, plain word", "DB_PASSWORD={s}\n", "swordfish", 0, ALNUM),
    ("env password, quoted, blanks", 'SMTP_PASSWORD="{s}"', "correct horse battery", 0, ALNUM),
    ("docker -e", "docker run -e POSTGRES_PASSWORD={s} postgres:16", "hunter2", 0, ALNUM),
    ("dockerfile env", "ENV SECRET_KEY_BASE={s}", "", 64, HEX),
    ("compose", "    environment:\n      - MYSQL_ROOT_PASSWORD={s}\n", "sup3r", 6, ALNUM),
    ("django", "SECRET_KEY = 'django-insecure-{s}'", "", 50, ALNUM + "#(!@"),
    ("django env", "DJANGO_SECRET_KEY={s}", "k", 49, ALNUM),
    ("rails", "secret_key_base: {s}", "", 128, HEX),
    ("json password", '{{"user": "admin", "password": "{s}"}}', "hunter2", 0, ALNUM),
    ("json password, escaped", '"body": "{{\\"password\\": \\"{s}\\"}}"', "hunter2", 0, ALNUM),
    ("json password, symbols", '"password": "{s}"', "c0rrect-h0rse!", 0, ALNUM),
    ("yaml password", "smtp:\n  password: {s}\n", "hunter2hunter2", 0, ALNUM),
    ("toml", 'api_key = "{s}"', "", 32, HEX),
    ("ini", "client_secret={s}", "", 40, ALNUM),
    ("terraform", 'db_password = "{s}"', "Tr0ub4dor&3", 0, ALNUM),
    ("kubernetes", "  stringData:\n    api-token: {s}", "", 40, ALNUM),
    ("github actions", "        env:\n          DEPLOY_TOKEN: {s}", "", 40, HEX),
    ("node", "process.env.API_TOKEN = '{s}'", "", 32, ALNUM),
    ("go", 'cfg.AccessToken := "{s}"', "", 32, ALNUM),
    ("php", "'api_secret' => '{s}',", "", 32, ALNUM),
    ("java properties", "spring.datasource.password={s}", "Wint3r2026", 0, ALNUM),
    ("xml", "<server><id>r</id><password>{s}</password></server>", "hunter2", 0, ALNUM),
    ("cli password", "mysqladmin --user=root --password {s} status", "hunter2", 0, ALNUM),
    ("cli token with equals", "npx tool --auth-token={s}", "", 24, ALNUM),
    ("netrc", "machine api.example.com login me password {s}", "swordfish", 0, ALNUM),
    ("sshpass", "sshpass -p '{s}' ssh root@host", "swordfish", 0, ALNUM),
    ("sql", "CREATE USER app IDENTIFIED BY '{s}';", "swordfish", 0, ALNUM),
    ("spoken", "The admin password is {s}, do not share it.", "hunter2", 0, ALNUM),
    ("set in powershell", "$env:API_KEY = '{s}'", "", 32, ALNUM),
    ("diff of env file", "--- a/.env\n+++ b/.env\n-API_TOKEN=old\n+API_TOKEN={s}\n", "", 32, ALNUM),
    ("age key", "# public key: age1xyz\n{s}", "AGE-SECRET-KEY-1", 58, BASE32),
]


def planted() -> list[Planted]:
    """All fake secrets, each in its text."""
    cases = []
    for name, surroundings, prefix, length, alphabet in _TOKENS:
        secret = prefix + (_draw(length, alphabet, name) if length else "")
        cases.append(Planted(name, surroundings.format(s=secret), secret))
    jwt = _jwt()
    key = _pem("RSA PRIVATE KEY", 12)
    openssh = _pem("OPENSSH PRIVATE KEY", 6)
    inner = openssh.splitlines()[1]
    return [
        *cases,
        Planted("jwt in cookie", f"set-cookie: jwt={jwt}; Path=/", jwt),
        Planted("jwt in log", f"verified {jwt} in 3 ms", jwt),
        Planted("pem", f"cat key.pem\n{key}\nDone.", key.splitlines()[3]),
        Planted("pem in json", '{"key": "' + key.replace("\n", "\\n") + '"}', key.splitlines()[5]),
        Planted("pem in diff", "+" + openssh.replace("\n", "\n+"), inner),
        Planted("pem cut off", openssh[:300], inner),
        Planted("pgp", _pem("PGP PRIVATE KEY BLOCK", 8), _pem("PGP PRIVATE KEY BLOCK", 8)[60:100]),
    ]
