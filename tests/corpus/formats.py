"""Fake secrets of many vendors in many surroundings: every format is put into every kind of text.

A fifth is counted apart from the rest. It shares the surroundings of the others, and rules were
corrected after its misses were read, so it guards against regressions and says little about texts
that nobody has seen; docs/decisions/0232 has figures for those.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import random
import re
import string
import zlib
from typing import TYPE_CHECKING

from corpus.secrets import Planted

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "u": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_letters,
    "d": string.digits,
}
_DRAWN = re.compile(r"\{(\d+)([a-zA-Z])\}")
_UUID = "{8h}-{4h}-{4h}-{4h}-{12h}"

# Issuer, what its documentation says a token looks like; {36a} is 36 letters or digits and so on.
VENDORS = f"""
github classic|ghp_{{36a}}
github app|ghs_{{36a}}
github refresh|ghr_{{76a}}
github fine|github_pat_{{22a}}_{{59a}}
gitlab|glpat-{{20u}}
gitlab routable|glpat-{{27u}}.{{2h}}.{{9l}}
gitlab deploy|gldt-{{20u}}
gitlab runner|glrt-{{20u}}
gitlab old runner|GR1348941{{20u}}
aws|AKIA{{16U}}
aws session|ASIA{{16U}}
bedrock|ABSK{{109b}}=
bedrock short|bedrock-api-key-{{100b}}
openai project|sk-proj-{{74u}}T3BlbkFJ{{74u}}
openai old|sk-{{20a}}T3BlbkFJ{{20a}}
anthropic|sk-ant-api03-{{93u}}AA
anthropic admin|sk-ant-admin01-{{93u}}AA
openrouter|sk-or-v1-{{64h}}
litellm|sk-{{22u}}
deepseek|sk-{{32h}}
short sk|sk-{{20a}}
moonshot|sk-{{48a}}
langfuse secret|sk-lf-{_UUID}
langfuse public|pk-lf-{_UUID}
google|AIza{{35u}}
google client|GOCSPX-{{28u}}
google access|ya29.{{150u}}
google refresh|1//0{{60u}}
gemini|AQ.Ab8{{48u}}
huggingface|hf_{{34L}}
huggingface org|api_org_{{34L}}
groq|gsk_{{52a}}
xai|xai-{{80a}}
replicate|r8_{{37a}}
perplexity|pplx-{{48a}}
nvidia|nvapi-{{64u}}
together|tgp_v1_{{43u}}
langsmith|lsv2_pt_{{32h}}_{{10h}}
pinecone|pcsk_{{6a}}_{{63a}}
tavily|tvly-dev-{{32a}}
firecrawl|fc-{{32h}}
jina|jina_{{60a}}
e2b|e2b_{{40h}}
elevenlabs|sk_{{48h}}
posthog|phx_{{43a}}
apify|apify_api_{{36a}}
azure client|{{3a}}8Q~{{34u}}
azure storage|{{76b}}+ASt{{6b}}==
facebook|EAA{{120a}}
square|sq0atp-{{22u}}
square secret|sq0csp-{{43u}}
square production|EAAA{{60u}}
fly|fo1_{{43u}}
fly macaroon|fm2_lJPE{{200b}}
1password|ops_eyJ{{300b}}
1password key|A3-{{6U}}-{{6U}}-{{5U}}-{{5U}}-{{5U}}-{{5U}}
sourcegraph|sgp_{{16h}}_{{40h}}
sourcegraph local|sgp_local_{{40h}}
sourcegraph old|sgp_{{40h}}
heroku|HRKU-AA{{58u}}
vault|hvs.{{95u}}
vault batch|hvb.{{140u}}
vault old|s.{{24a}}
sonar user|squ_{{40h}}
sonar project|sqp_{{40h}}
mailchimp|{{32h}}-us14
cloudflare origin|v1.0-{{24h}}-{{146h}}
slack bot|xoxb-{{12d}}-{{12d}}-{{24a}}
slack user|xoxp-{{12d}}-{{12d}}-{{12d}}-{{32h}}
slack app|xapp-1-A{{10U}}-{{13d}}-{{64h}}
slack config|xoxe.xoxp-1-{{146u}}
stripe|sk_live_{{24a}}
stripe new|sk_live_51{{97a}}
stripe restricted|rk_test_{{99a}}
webhook|whsec_{{32b}}
npm|npm_{{36a}}
pypi|pypi-AgEIcHlwaS5vcmc{{140u}}
rubygems|rubygems_{{48h}}
crates|cio{{32a}}
nuget|oy2{{43l}}
docker|dckr_pat_{{27u}}
artifactory|AKCp{{69a}}
sendgrid|SG.{{22u}}.{{43u}}
mailgun|key-{{32h}}
brevo|xkeysib-{{64h}}-{{16a}}
resend|re_{{8a}}_{{24a}}
twilio|SK{{32h}}
digitalocean|dop_v1_{{64h}}
shopify|shpat_{{32h}}
linear|lin_api_{{40a}}
notion|ntn_{{46a}}
notion old|secret_{{43a}}
figma|figd_{{40u}}
airtable|pat{{14a}}.{{64h}}
hubspot|pat-na1-{_UUID}
databricks|dapi{{32h}}
tailscale|tskey-auth-{{17a}}-{{32a}}
terraform|{{14a}}.atlasv1.{{67u}}
pulumi|pul-{{40h}}
planetscale|pscale_tkn_{{43u}}
supabase|sbp_{{40h}}
supabase secret|sb_secret_{{31u}}
grafana|glsa_{{32a}}_{{8h}}
grafana cloud|glc_{{120b}}
sentry|sntrys_{{120b}}
newrelic|NRAK-{{27U}}
atlassian|ATATT3xFfGF0{{172u}}={{8U}}
bitbucket|ATBB{{32a}}
postman|PMAK-{{24h}}-{{34h}}
age|AGE-SECRET-KEY-1{{58U}}
telegram|{{10d}}:AA{{33u}}
doppler|dp.pt.{{43a}}
doppler service|dp.st.prd.{{43a}}
circleci|CCIPAT_{{22a}}_{{40h}}
buildkite|bkua_{{40l}}
netlify|nfp_{{36a}}
render|rnd_{{28a}}
vercel|vcp_{{56a}}
neon|napi_{{64l}}
mongodb|mdb_sa_sk_{{40u}}
alibaba|LTAI{{20a}}
tencent|AKID{{32a}}
prefect|pnu_{{36a}}
dynatrace|dt0c01.{{24U}}.{{64U}}
contentful|CFPAT-{{43u}}
typeform|tfp_{{44a}}_{{14a}}
plaid|access-production-{_UUID}
razorpay|rzp_live_{{14a}}
launchdarkly|sdk-{_UUID}
openshift|sha256~{{43u}}
jwt|eyJhbGciOiJIUzI1NiJ9.eyJ{{60u}}.{{43u}}
unknown vendor|acme_live_{{40a}}
unknown vendor token|zephyr_pat_{{36a}}
"""

# Where a token that is known by its own shape may stand.
_ANYWHERE = r"""
{s}
export {N}={s}
"{n}": "{s}",
  {n}: {s}
I pasted {s} into the form and it worked.
The old one ({s}) was revoked yesterday, rotate it.
curl -H 'Authorization: Bearer {s}' https://api.example.com/v1/me
curl -H "Authorization: {s}" https://api.example.com/v1/me
GET /v1/items?limit=5&access_token={s}&page=2
{{"type":"text","text":"output:\n{s}\nDone"}}
const client = new Client('{s}');
+{N}={s}
| production | {s} |
Use `{s}` for staging.
<{n}>{s}</{n}>
tool login --token {s}
401 from upstream: invalid credential {s}: expired
[32m{s}[0m
redirect_uri=x%26key%3D{s}%26z
backups/dump-{s}.txt
- name: {N}
  value: "{s}"
client = Client(api_key="{s}")
  -e {N}={s} \
config set {n} {s}
Set-Item env:{N} '{s}'
"""

# Secrets without a shape: what a name or a command says about them is all there is.
NAMED_VALUES = ["{32h}", "{40h}", "{64h}", "{32a}", "{40b}", "{24u}", "{20a}", _UUID, "{16a}"]
_NAMES = ["HEROKU_API_KEY", "SNYK_TOKEN", "DD_API_KEY", "DATADOG_APP_KEY", "CLOUDFLARE_API_TOKEN", "ALGOLIA_ADMIN_KEY", "PUSHER_SECRET", "TWITTER_API_SECRET", "AZURE_CLIENT_SECRET", "OKTA_CLIENT_SECRET", "MAILCHIMP_API_KEY", "STRIPE_SECRET", "CODECOV_TOKEN", "JWT_SECRET", "ENCRYPTION_KEY", "NEXTAUTH_SECRET", "SESSION_SECRET", "RAILS_MASTER_KEY", "FASTLY_API_KEY", "LINODE_TOKEN", "COHERE_API_KEY", "MISTRAL_API_KEY", "DEEPGRAM_API_KEY", "PAGERDUTY_TOKEN", "SONAR_TOKEN", "VAULT_TOKEN", "LANGFUSE_SECRET_KEY", "APP_SECRET", "WEBHOOK_SECRET", "SIGNING_KEY", "GITEA_TOKEN", "BITBUCKET_CLIENT_SECRET", "SPOTIFY_CLIENT_SECRET", "AUTH_TOKEN"]  # fmt: skip
_NAMED = r"""
{N}={s}
export {N}="{s}"
{N}: {s}
"{N}": "{s}",
{n} = "{s}"
{n}: '{s}'
{c}: "{s}",
const {c}: string = "{s}";
private static final String {N} = "{s}";
define('{N}', '{s}');
os.environ["{N}"] = "{s}"
ENV['{N}'] = '{s}'
docker run -e {N}={s} app
      - {N}={s}
- name: {N}
  value: {s}
{{"name": "{N}", "value": "{s}"}}
gh secret set {N} --body {s}
heroku config:set {N}={s}
<add key="{N}" value="{s}" />
$env:{N} = "{s}"
tool --{k} {s} run
tool --{k}={s}
{{\"{n}\": \"{s}\"}}
The {w} is {s}, keep it safe.
use {w} {s} for the sandbox
{w}: {s}
**{w}**: `{s}`
setenv("{N}", "{s}", 1);
{N}={s} npm start
kubectl create secret generic app --from-literal={n}={s}
"""

PASSWORDS = [
    "Tr0ub4dor&3xyz", "c0rrect-h0rse-b4ttery", "S3cr3t;pa55", "Winter2026!", "pa|pe,R7z", "x9<yZq4k",
    "p@ss@W0rd9", "hunter2", "Qwerty!23", "a&b;c|d,9Zk", "N0t,So<Easy@All", "Zk8#mQ2$vL", "blue42Horse",
    "{12a}", "{16u}", "{20b}", "{10l}", "V3ry$ecure", "7days&7nights", "gr33n=tea!",
]  # fmt: skip
_PASSWORD_FORMS = r"""
DB_PASSWORD={s}
export ADMIN_PW={s}
ROOT_PASS={s}
PGPASSWORD={s} psql -h db app
password: {s}
  password: "{s}"
"password": "{s}",
password = '{s}'
db_pwd = "{s}"
spring.datasource.password={s}
"dbPassword": "{s}"
Server=db;User Id=app;Password={s};
mysql -u root -p{s} shop
mysqldump -h db -uroot -p{s} --all-databases
docker login -u me -p {s} registry.example.com
curl -u admin:{s} https://ci.example.com
curl --user admin:{s} https://ci.example.com
sshpass -p {s} ssh root@host
redis-cli -a {s} ping
mongosh -u root -p {s} admin
tool --password {s} --verbose
tool --password={s}
The admin password is {s}
the password for the staging box is {s}
password: `{s}`
**Password:** {s}
- name: DB_PASSWORD
  value: {s}
postgres://app:{s}@db.internal:5432/app
amqp://guest:{s}@rabbit
CREATE USER app WITH PASSWORD '{s}';
ALTER USER app IDENTIFIED BY '{s}';
    environment:
      MYSQL_ROOT_PASSWORD: {s}
user=admin&password={s}&next=/
$cfg['password'] = '{s}';
String password = "{s}";
password: str = "{s}"
openssl rsa -passin pass:{s} -in key.pem
Log in as admin with password {s}
net_password={s}
"""


# Written after the first rules, which missed 4 of them and were then corrected; the secret stands
# between the bars.
_WRITTEN = r"""
The Snyk token for CI is ¦{8h}-{4h}-{4h}-{4h}-{12h}
snyk auth ¦{8h}-{4h}-{4h}-{4h}-{12h}
SNYK_TOKEN: ¦{8h}-{4h}-{4h}-{4h}-{12h}
HEROKU_API_KEY=¦{8h}-{4h}-{4h}-{4h}-{12h}¦ heroku apps
Authorization: Api-Token ¦dt0c01.{24U}.{64U}
Authorization: Api-Token ¦{40a}
Authorization: GenieKey ¦{8h}-{4h}-{4h}-{4h}-{12h}
Authorization: Klaviyo-API-Key pk_¦{34h}
DD-API-KEY: ¦{32h}
X-Api-Key: ¦{20L}
api-key: ¦{32h}
ocp-apim-subscription-key: ¦{32h}
sonar.login=¦{40h}
mvn sonar:sonar -Dsonar.token=¦sqp_{40h}
mysql -h 10.0.0.4 -u app -p¦Zx9!kk;q2¦ app < dump.sql
docker login -u bot -p ¦Hq7&k9,zz¦ quay.io
podman login --username bot --password ¦Hq7kk9zz¦ quay.io
curl --user bot:¦w8<Pq;L2k¦ https://x.example.com
wget --user=bob --password=¦n3k9Qz!¦ https://x
use token ¦{40h}¦ for the runner
Please use this API key: ¦{32a}
here's the token ¦{36a}¦ — rotate it later
my password: ¦Fluffy!77
pw: ¦k9Zq!pp2
ADMIN_PW=¦letmein9
root pw is ¦toor4ever
DB_PASS='¦it&s;me99¦'
  db_password: ¦g7|x,Q<9z
redis://default:¦a&b;c,9Zq¦@cache.internal:6379
postgresql+psycopg://svc:¦p@55;w|rd¦@pg/app
amqps://u:¦{24a}¦@host/vhost
https://deploy:¦{20a}¦@gitlab.example.com/x.git
jdbc:postgresql://db/app?user=u&password=¦s3cr3tX9
jdbc:sqlserver://db;user=sa;password=¦Str0ng,Pass<1¦;encrypt=true
export CLOUDFLARE_API_KEY=¦{37h}
cloudflared: CF_API_TOKEN ¦{40u}
az login --service-principal -u app -p ¦{3a}8Q~{34u}¦ --tenant t
"clientSecret": "¦{3a}7Q~{34u}¦"
client_secret=¦{40a}¦&grant_type=client_credentials
FB_ACCESS_TOKEN=¦EAA{150a}
fly secrets set STRIPE_KEY=¦sk_live_{30a}
FLY_API_TOKEN="FlyV1 ¦fm2_{300b}¦"
op signin --secret-key ¦A3-{6U}-{6U}-{5U}-{5U}-{5U}-{5U}
OP_SERVICE_ACCOUNT_TOKEN=¦ops_eyJ{400a}
SRC_ACCESS_TOKEN=¦sgp_{40h}
HF_TOKEN=¦api_org_{34L}
vault login ¦s.{24a}
export VAULT_TOKEN=¦hvs.{90u}
AWS_BEARER_TOKEN_BEDROCK=¦ABSK{120b}
square: ¦EAAA{60u}
MC_KEY=¦{32h}-us21
LITELLM_MASTER_KEY=¦sk-{22u}
litellm --api_key ¦sk-{22u}
OPENAI_KEY: ¦sk-{24a}
LANGFUSE_SECRET_KEY=¦sk-lf-{8h}-{4h}-{4h}-{4h}-{12h}
X-Auth-Key: ¦v1.0-{24h}-{146h}
discord.login("¦M{23a}.{6a}.{38u}¦")
TELEGRAM_BOT=¦{10d}:AA{33u}
wpa_passphrase="¦home sweet 42 home¦"
psk="¦my wifi k3y 99¦"
ansible_become_pass: ¦S0meth1ng!
ansible_ssh_pass=¦S0meth1ng!
vagrant_password = "¦abcd1234¦"
kubectl create secret generic db --from-literal=password=¦Qq8&77z
vault kv put secret/app api_key=¦{32h}
aws configure set aws_secret_access_key ¦{40b}
secret_access_key: ¦{40b}
AWS_SESSION_TOKEN=¦IQoJb3JpZ2luX2Vj{300b}
git clone https://oauth2:¦{20u}¦@gitlab.com/a/b.git
machine api.github.com\n  login me\n  password ¦{40h}
_auth=¦dXNlcjpwYXNz{20a}
"auth": "¦{40a}==¦"
ConnectionStrings__Default="Host=db;Username=app;Password=¦Pq7!x9Z¦"
smtp_pass => "¦k7;Zq,11¦"
mail.smtp.password = ¦gm@ilPass99
SECRET_KEY_BASE: ¦{128h}
COOKIE_SECRET=¦{44b}=
JWT_SECRET='¦{48b}¦'
ENCRYPTION_KEY=base64:¦{43b}=
APP_KEY=¦base64:{43b}=
NPM_TOKEN=¦{8h}-{4h}-{4h}-{4h}-{12h}
private_key = "0x¦{64h}¦"
PRIVATE_KEY=¦{64h}
password=¦{12a}¦ token=foo
--client-secret "¦{32a}¦"
-Password '¦Ch@ngeIt9¦'
login: admin / ¦Winter2025!
credentials are root:¦Calv1n99
The passphrase was "¦tall blue tree 42¦"
set PGPASSWORD=¦abc123xyz
PASSWORD = ¦hunter22
passwd=¦hunter22
'password' => env('DB_PASSWORD', '¦f4llb4ck!¦'),
process.env.DB_PASS || "¦d3vP4ss!¦"
os.getenv("API_TOKEN", "¦{32a}¦")
token: "¦{32h}¦", // prod
The key is ¦{40a}¦.
api_key ¦{32h}
"""


def written_lines(*, seed: int = 4) -> list[Planted]:
    """Lines as developers write them, each with one secret."""
    source = random.Random(seed)
    cases = []
    for line in _WRITTEN.strip("\n").splitlines():
        before, secret, after = f"{draw(line, source)}¦".replace("\\n", "\n").split("¦")[:3]
        cases.append(Planted(line, before + secret + after, secret))
    return cases


def vendor_tokens(*, seed: int = 1) -> list[Planted]:
    """Each vendor's token in a number of surroundings."""
    source = random.Random(seed)
    places = _blocks(_ANYWHERE)
    cases = []
    for line in VENDORS.strip().splitlines():
        name, form = line.split("|")
        for number in source.sample(range(len(places)), 10):
            secret = draw(form, source)
            cases.append(_planted(f"{name}, {number}", places[number], secret, "ACME_VALUE"))
    return cases


def named_secrets(*, seed: int = 2) -> list[Planted]:
    """Values without a shape of their own, in each way of naming them."""
    source = random.Random(seed)
    cases = []
    for number, place in enumerate(_blocks(_NAMED)):
        for name in source.sample(_NAMES, 12):
            secret = draw(source.choice(NAMED_VALUES), source)
            cases.append(_planted(f"{name}, {number}", place, secret, name))
    return cases


def passwords(*, seed: int = 3) -> list[Planted]:
    """What people choose as a password, in each way of giving it."""
    source = random.Random(seed)
    cases = []
    for number, place in enumerate(_blocks(_PASSWORD_FORMS)):
        for form in source.sample(PASSWORDS, 12):
            secret = draw(form, source)
            if "'" in place and "'" in secret:
                continue
            cases.append(_planted(f"password {form}, {number}", place, secret, "PASSWORD"))
    return cases


def is_for_checking(name: str) -> bool:
    """Whether a case belongs to the fifth that is counted apart."""
    return zlib.crc32(name.encode()) % 5 == 0


def draw(form: str, source: random.Random) -> str:
    """A value of a form."""

    def drawn(match: re.Match[str]) -> str:
        return "".join(source.choice(_ALPHABETS[match[2]]) for _ in range(int(match[1])))

    return _DRAWN.sub(drawn, form)


def _blocks(text: str) -> list[str]:
    return list(_joined(text.strip("\n").splitlines()))


def _joined(lines: list[str]) -> Iterator[str]:
    """Lines, with those that belong together (a name, and its value below) as one."""
    for line in lines:
        if line.startswith(("- name:", "    environment:")):
            continue
        if line.startswith("  value:"):
            yield (
                "- name: DB_PASSWORD\n" if "{N}" not in "".join(lines) else "- name: {N}\n"
            ) + line
        elif line.startswith("      MYSQL"):
            yield "    environment:\n" + line
        else:
            yield line


def _planted(name: str, place: str, secret: str, variable: str) -> Planted:
    snake = variable.lower()
    words = snake.split("_")
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    kebab = "-".join(words)
    text = place.format(s=secret, N=variable, n=snake, c=camel, k=kebab, w=" ".join(words[-2:]))
    return Planted(name, text, secret)
