"""Lines as developers write them, drawn up apart from the rules: with a secret, and without.

`_LATER` was written after the rules had been corrected by the first part, and run once. In
LEFT_ALONE only a sentence says that something is a password; such words are not replaced.

In SECRETS the part between ⟦ and ⟧ must be gone afterwards; it is made when the tests run, so that
no file holds anything that looks like a key.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

_CHANCE = random.Random(20261117)
_KINDS = {
    "a": "abcdefghijklmnopqrstuvwxyz0123456789",
    "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "m": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "h": "0123456789abcdef",
    "d": "0123456789",
    "b": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
    "p": "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#%*?",
}


def _drawn(found: re.Match[str]) -> str:
    characters = _KINDS[found[1]]
    return "".join(_CHANCE.choices(characters, k=int(found[2])))


def _filled(line: str) -> tuple[str, str]:
    """A line with its secret, and the secret."""
    text = re.sub(r"\{([aAmhdbp])(\d+)\}", _drawn, line)
    secret = text.partition("⟦")[2].partition("⟧")[0]
    return text.replace("⟦", "").replace("⟧", ""), secret


_SECRETS = r"""
export GITHUB_TOKEN=⟦ghp_{m36}⟧
The CI job uses ⟦github_pat_{m22}_{m59}⟧ to clone the submodules.
OPENAI_API_KEY="⟦sk-proj-{m48}⟧"
curl https://api.openai.com/v1/models -H "Authorization: Bearer ⟦sk-{m32}⟧"
anthropic key: ⟦sk-ant-api03-{m86}AA⟧
aws_access_key_id = ⟦AKIA{A16}⟧
aws configure set aws_secret_access_key ⟦{b40}⟧
SLACK_BOT_TOKEN: ⟦xoxb-{d12}-{d13}-{m24}⟧
webhook is https://hooks.slack.com/services/⟦T{A9}/B{A9}/{m24}⟧
stripe listen --api-key ⟦sk_live_{m24}⟧
STRIPE_WEBHOOK_SECRET=⟦whsec_{m32}⟧
npm config set //npm.example.com/:_authToken ⟦npm_{m36}⟧
gitlab runner token ⟦glrt-{m20}⟧
git clone https://oauth2:⟦glpat-{m20}⟧@gitlab.example.com/team/app.git
docker login -u ci -p ⟦{p14}⟧ registry.example.com
echo ⟦dckr_pat_{m27}⟧ | docker login -u me --password-stdin
PGPASSWORD=⟦{p12}⟧ psql -h db.internal -U app
postgres://app:⟦{p16}⟧@db.internal:5432/shop
mongodb+srv://root:⟦{m18}⟧@cluster0.ab1cd.mongodb.net/test
redis://:⟦{m24}⟧@cache.internal:6379/0
amqp://guest:⟦Tr0ub4dor&{m6}⟧@mq:5672/
mysql -u root -p⟦{m12}⟧ shop < dump.sql
the mysql root password is ⟦{p12}⟧ on staging
password for the admin user: ⟦{p14}⟧
db password → ⟦{m16}⟧
Login for Grafana is admin / ⟦{m14}⟧
wifi password: ⟦{m12}⟧
the vault root token was ⟦hvs.{m24}⟧
VAULT_TOKEN=⟦s.{m24}⟧
export HEROKU_API_KEY=⟦{h8}-{h4}-{h4}-{h4}-{h12}⟧
DIGITALOCEAN_TOKEN=⟦dop_v1_{h64}⟧
FLY_API_TOKEN="⟦FlyV1 fm2_{b60}⟧"
cloudflare api token: ⟦{m40}⟧
CF_API_KEY=⟦{h37}⟧
SENDGRID_API_KEY=⟦SG.{m22}.{m43}⟧
mailgun key ⟦key-{h32}⟧
TWILIO_AUTH_TOKEN=⟦{h32}⟧
twilio sid AC0123 and api key secret ⟦SK{h32}⟧
google maps: key=⟦AIza{m35}⟧
client_secret: ⟦GOCSPX-{m28}⟧
refresh token is ⟦1//0{m60}⟧
AZURE_CLIENT_SECRET=⟦{m3}8Q~{m34}⟧
DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=⟦{b86}==⟧;EndpointSuffix=core.windows.net
SharedAccessKey=⟦{b43}=⟧
https://shop.blob.core.windows.net/c/f.txt?sv=2022-11-02&sig=⟦{m43}%3D⟧&se=2027
PYPI_API_TOKEN=⟦pypi-AgEIcHlwaS5vcmc{m120}⟧
twine upload -u __token__ -p ⟦pypi-AgEIcHlwaS5vcmc{m80}⟧ dist/*
HF_TOKEN=⟦hf_{m34}⟧
REPLICATE_API_TOKEN=⟦r8_{m37}⟧
GROQ_API_KEY=⟦gsk_{m52}⟧
perplexity: ⟦pplx-{m48}⟧
LANGFUSE_SECRET_KEY=⟦sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}⟧
LITELLM_MASTER_KEY=⟦sk-{m22}⟧
telegram bot ⟦{d10}:AA{m33}⟧
DISCORD_TOKEN=⟦MTA{m23}.G{m5}.{m38}⟧
discord webhook https://discord.com/api/webhooks/⟦{d18}/{m68}⟧
NEW_RELIC_LICENSE_KEY=⟦{h36}NRAL⟧
DD_API_KEY=⟦{h32}⟧
SENTRY_AUTH_TOKEN=⟦sntrys_{m60}⟧
linear api key ⟦lin_api_{m40}⟧
NOTION_TOKEN=⟦secret_{m43}⟧
airtable ⟦pat{m14}.{h64}⟧
SHOPIFY_ACCESS_TOKEN=⟦shpat_{h32}⟧
square access token ⟦EAAA{m60}⟧
mapbox ⟦sk.eyJ1{m60}.{m22}⟧
jwt: ⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{m30}.{m43}⟧
Cookie: session=⟦{m40}⟧
X-Api-Key: ⟦{m32}⟧
Authorization: Basic ⟦{m30}==⟧
curl -u admin:⟦{p12}⟧ https://jenkins.example.com/job/x/build
curl --user deploy:⟦{m16}⟧ -X POST https://example.com
wget --http-user=bob --http-password=⟦{p12}⟧ https://example.com/f
sshpass -p '⟦{p12}⟧' ssh root@10.0.0.4
smbclient //nas/share -U bob%⟦{m12}⟧
net use Z: \\box\share ⟦{m14}⟧ /user:bob
WiFi.begin("HomeNet", "⟦{m12}⟧");
let token: &str = "⟦{m40}⟧";
const apiKey = '⟦{m32}⟧';
private static final String PASSWORD = "⟦{p14}⟧";
password: "⟦{p14}⟧"
  db_pass: ⟦{m16}⟧
ADMIN_PW=⟦{p12}⟧
SECRET_KEY_BASE=⟦{h64}⟧
DJANGO_SECRET_KEY='⟦django-insecure-{m40}⟧'
jwt_secret = "⟦{m32}⟧"
password for user admin: ⟦{m14}⟧
the token for the deploy bot is ⟦{m40}⟧
use token ⟦{m36}⟧ for the package registry
here is the pw ⟦{m14}⟧ you asked for
passphrase of the backup key is "⟦{m24}⟧"
kubectl create secret generic db --from-literal=password=⟦{m16}⟧
helm upgrade app . --set auth.password=⟦{m16}⟧
ansible_become_pass: ⟦{m12}⟧
machine example.com login bob password ⟦{m12}⟧
ALTER USER app WITH PASSWORD '⟦{p12}⟧';
CREATE USER 'app'@'%' IDENTIFIED BY '⟦{p12}⟧';
openssl enc -aes-256-cbc -pass pass:⟦{m16}⟧ -in a -out b
gpg --batch --passphrase ⟦{m16}⟧ -d f.gpg
-----BEGIN OPENSSH PRIVATE KEY-----\n⟦b3BlbnNzaC1rZXktdjEA{b120}⟧\n-----END OPENSSH PRIVATE KEY-----
snyk auth ⟦{h8}-{h4}-{h4}-{h4}-{h12}⟧
sonar.login=⟦sqp_{h40}⟧
"""
_LATER = r"""
the new admin pw for metabase: ⟦{m14}⟧
root pass on the pi is ⟦{p12}⟧
I set the db user's password to ⟦{m16}⟧ yesterday
api key (prod): ⟦{m40}⟧
Mailchimp: ⟦{h32}-us14⟧
SECRET=⟦{m32}⟧ make deploy
TF_VAR_db_password=⟦{p14}⟧ terraform apply
az login --service-principal -u x -p ⟦{m34}⟧ --tenant y
gcloud auth activate-service-account --key-file=- <<< '{"private_key": "⟦{b80}⟧"}'
mc alias set minio https://s3.local admin ⟦{m20}⟧
rclone config create s3 s3 secret_access_key ⟦{b40}⟧
restic password is ⟦{m18}⟧
borg passphrase: ⟦{p20}⟧
htpasswd -b .htpasswd bob ⟦{m14}⟧
echo 'bob:⟦{m14}⟧' | chpasswd
ldapsearch -D cn=admin -w ⟦{m12}⟧ -b dc=x
influx auth token ⟦{m86}==⟧
cypher-shell -u neo4j -p ⟦{m14}⟧
sqlcmd -S db -U sa -P ⟦{p14}⟧
Server=db;Database=shop;User Id=sa;Password=⟦{p14}⟧;
jdbc:mysql://db/shop?user=app&password=⟦{m14}⟧&ssl=true
ftp://bob:⟦{m12}⟧@files.example.com/x
pypi password in .pypirc: password = ⟦pypi-AgEIcHlwaS5vcmc{m90}⟧
<add key="ApiKey" value="⟦{m32}⟧" />
<password>⟦{m14}⟧</password>
{"username": "bob", "password": "⟦{p12}⟧"}
spring.datasource.password=⟦{m14}⟧
smtp_pass = "⟦{m16}⟧"
BASIC_AUTH=bob:⟦{m14}⟧
OPENROUTER_API_KEY=⟦sk-or-v1-{h64}⟧
xAI key ⟦xai-{m80}⟧
DEEPSEEK_API_KEY=⟦sk-{h32}⟧
export NPM_TOKEN=⟦{h8}-{h4}-{h4}-{h4}-{h12}⟧
the bearer we use is ⟦{m48}⟧
session cookie: connect.sid=⟦s%3A{m32}.{m43}⟧
ngrok config add-authtoken ⟦2{m26}_{m21}⟧
tailscale up --authkey ⟦tskey-auth-{m16}-{m32}⟧
supabase service role key ⟦eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJ{m60}.{m43}⟧
my ssh passphrase = ⟦{m16}⟧
"""
SECRETS = tuple(
    _filled(line.replace("\\n", "\n")) for line in (_SECRETS + _LATER).strip().split("\n") if line
)
LEFT_ALONE = (
    "Elasticsearch printed elastic:d5wThXv0OOnAwCr4NKcu is the generated password",
    "log in as root with c8%H59N2NtmY#5 (password)",
    "password hint aside, it's HRm9zIhiqlqvCo",
    "export BORG_PASSPHRASE=tundra.walks.sideways",
    "the door code of the server room changed to 77310# as of Monday",
    "Die PIN vom Firmenhandy ist 8815",
    "the passphrase of my ssh key is mind the gap between 2 trains, as ever",
    "Recovery codes: exeig-z3h2a, y4psh-3anjs, y8tvz-9fqmm",
    "use lighthouse_keeper_12 as the admin password on the demo tenant",
    "$ pass show work/jira\nKn0bl4uch-Brot\nuser: lvogt",
    "la contraseña del NAS es golondrina",
    "het wachtwoord is stroopwafel",
    "MQTT_PASS: kingfisherblue",
    "tom: what is the root password?\nanna: hollandaise",
    "$ cat /run/secrets/smtp_password\nmarzipan",
    "type 4711 as the pin",
    "senha do roteador: pastel de nata quentinho",
    "| user | password |\n|---|---|\n| eva | buttercream |",
    "service  user   pw\nnexus    ci     Straw_Hat_66",
    "<raj> can u resend the jump host pw\n<mia> jumpFrog_88kero",
    "config/master.key\n834357f98785819ad86587f6dafcc00e",
    "smtp_auth_password: brisk Otter 112",
    "the pw stays toner-leer-immer (Mark objected)",
    "Alarm panel code is 4471, disarm before 7am",
    "remember: door alarm Movie!336",
)
HARMLESS = tuple(
    (Path(__file__).parent / "written_apart.txt").read_text("utf-8").strip().split("\n")
)
