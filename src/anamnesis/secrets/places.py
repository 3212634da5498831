"""Secrets that their place betrays: headers, addresses, connection strings and command lines."""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

from anamnesis.secrets.rule import MIXED, RANDOM, STRONG, Rule, place

# What a shell takes as one argument, quoted or not.
_ARGUMENT = r"[\"']?((?<=\")[^\"\n]{4,200}(?=\")|(?<=')[^'\n]{4,200}(?=')|[^\s\"'`]{4,200})"
_USER = r"(?:\"[^\s:\"]{0,99}:([^\"\n$]{3,200})\"|'[^\s:']{0,99}:([^'\n]{3,200})'|[\"']?[^\s:\"'`/]{1,99}[\"']?:[\"']?([^\s\"'`]{1,200}))"
# The rest of a command up to one of its options: not past a pipe, nor past a line that goes on below.
_OPTIONS = r"\b(?:[^\n|\\]|\\\n?){0,200}?\s"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

_HEADERS = (
    place("authorization header", "authorization",
          r"authorization[\"'\\\]]{0,4}(?:\s{0,3}[:=,]\s{0,3}[\"'`\\]{0,3}|\s[\"'])(?:[a-z][a-z0-9-]{1,20}[ :=]\s{0,3}(?:token=)?[\"\\]{0,3})?([A-Za-z0-9._~+/=:|$!%@-]{8,4000})", check=MIXED),
    place("bearer token", "bearer", r"bearer[\s:]{1,3}[\"'`]?([A-Za-z0-9._~+/=|-]{16,4000})", check=MIXED),
    place("authorization header", "basic", r"basic\s{1,3}([A-Za-z0-9+/]{10,400}={0,2})(?![\w/+=])", check=RANDOM),
    place("okta token", "ssws", r"ssws\s{1,3}([A-Za-z0-9_-]{20,100})"),
    place("cookie", "sid= session= sessionid= sessid= auth= token= jwt=", r"(?:sessid|sessionid|(?<![A-Za-z])(?:sid|session|auth|token|jwt))=([A-Za-z0-9%._~+/=-]{16,400})", check=RANDOM),
)  # fmt: skip

_ADDRESSES = (
    place("password in url", "://", r"://[^\s:/@\"'<>`\\,]{0,100}:([^\s/\"'`\\]{1,200})@(?=[\w\[$({*<])"),
    place("password in url", "://", r"(?<!http)(?<!https)://[^\s:/@\"'<>`\\,]{0,100}:(?!\d{1,5}[/,])([^\s\"'`\\]{1,200})@(?=[\w\[/])"),
    place("token in url", "://", r"://([A-Za-z0-9_.~-]{20,255})(?::x-oauth-basic|:)?@(?!(?:o\d+\.)?(?:ingest\.)?(?:[a-z]{2}\.)?sentry\.)", check=RANDOM),
    place("slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,255})"),
    place("discord webhook", "/api/webhooks/", r"/api/webhooks/(\d{10,25}/[A-Za-z0-9_-]{30,100})"),
    place("teams webhook", ".office.com/webhook", r"\.office\.com/webhook(?:b2)?/([^\s\"'<>)]{40,400})"),
    place("zapier webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/([0-9]{4,12}/[a-z0-9]{5,20})"),
    place("aws signature", "x-amz-signature=", r"x-amz-signature=([0-9a-f]{64})"),
    place("aws session token", "x-amz-security-token=", r"x-amz-security-token=([A-Za-z0-9%/+=_-]{40,4000})"),
    place("signed url", "sig=", r"(?<=[?&;])sig=([A-Za-z0-9%/+=_-]{30,255})"),
    place("signed url", "signature=", r"(?<=[?&-])signature=([A-Za-z0-9%/+=_~-]{40,2000})"),
    place("key in url", "code= key= apikey= appid=", r"(?<=[?&])(?:code|key|apikey|appid)=([A-Za-z0-9%/+=_.~-]{24,100})(?![A-Za-z0-9%/+=_.~-])", check=RANDOM),
    place("api key", "infura.io/ alchemy.com/ quiknode.pro/ alchemyapi.io/", r"(?:infura\.io|alchemy(?:api)?\.(?:com|io)|quiknode\.pro)/(?:v\d/|ws/v\d/)?([A-Za-z0-9_-]{32,64})(?![\w-])"),
    place("password", ":thin:", r":thin:[^\s/:@]{1,60}/([^\s\"']{1,200}?)@(?=[\w/])"),
    place("password", "@tcp( @unix(", r"(?<=:)([^\s:@/\"'`]{3,100})@(?:tcp|unix)\(", before=tuple(range(3, 40))),
    place("password", "sip: sips:", r"sips?:[\w.+-]{1,40}:([^\s\"'`@<>]{4,100})@[\w\[]"),
)  # fmt: skip

_CONNECTIONS = (
    place("password", ";password= ;pwd=", r";(?:password|pwd)=([^;\n{$<][^;\n]{3,100}?)(?=;[a-z]|;?[\"']?\s*(?:\n|\Z))", check=MIXED),
    place("azure key", "accountkey= sharedaccesskey=", r"(?:account|sharedaccess)key=([^;\s\"']{20,200})"),
    place("password", ":5432: :3306: :1433: :5433: :6432:", r"(?<=[\w*]):\d{4}:[^\s:]{1,60}:[^\s:]{1,60}:([^\s\"'`]{4,200})"),
    place("password", "machine", r"machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(\S{1,200})"),
    place("password hash", "$apr1$ $2a$ $2b$ $2y$ $5$ $6$ $y$", r"(?<=:)\$(?:apr1|2[aby]|[56y])\$([^\s:\"'`]{8,200})"),
    place("paypal token", "access_token$", r"(access_token\$[a-z]{4,12}\$[0-9a-z]{16}\$[0-9a-f]{32})"),
    place("aws mws token", "amzn.mws.", rf"(amzn\.mws\.{_UUID})"),
    place("secret", "aws_secret_access_key aws_session_token", r"aws_se\w{5,20}[\s=:\"']{1,5}([A-Za-z0-9/+=]{30,2000})"),
    place("k3s token", "::server:", r"((?-i:K10)[0-9a-f]{64}::server:[0-9a-f]{32,64})", before=(67,)),
    place("access key id", "access_key accesskey", r"access_?key(?:_?id)?[\"']?\s?[:=]\s?[\"']?(?-i:(?=[A-Z]{0,19}\d)([A-Z0-9]{20}))(?!\w)", check=RANDOM),
    place("azure client secret", "q~", r"((?-i:[A-Za-z0-9_~.]{3}[0-9]Q)~[A-Za-z0-9_~.-]{31,34})(?![A-Za-z0-9_~-])", before=(4,), check=RANDOM),
    place("seed phrase", "seed mnemonic recovery", r"(?:mnemonic|(?:seed|recovery)[ _](?:phrase|words))(?:\s[^\n:=]{1,60})?[\"']?\s{0,2}(?:is|[:=])\s{0,3}[\"'`]?(?!test test|abandon abandon)((?:[a-z]{3,8}\s){11,23}[a-z]{3,8})"),
)  # fmt: skip

# A program, and the option or the argument that is its password.
_COMMANDS = (
    place("password", "curl wget", r"(?:curl|wget)" + _OPTIONS + r"(?:-u|--user)(?:[ =]{1,3}|(?<=-u))" + _USER),
    place("password", "--user --proxy-user --creds --auth", r"--(?:proxy-)?(?:user|creds|auth)[ =]{1,3}" + _USER),
    place("password", "mysql mariadb", r"(?:mysql|mariadb)\w{0,10}" + _OPTIONS + r"-p(?![a-z-]{0,20}[ ]?=)([^\s\"'`][^\s\"'`]{3,200})"),
    place("password", "mysql mariadb", r"(?:mysql|mariadb)\w{0,10}" + _OPTIONS + r"-p[\"']((?<=\")[^\"\n]{3,200}(?=\")|(?<=')[^'\n]{3,200}(?='))"),
    place("password", "login", r"login" + _OPTIONS + r"(?:-p|--password|--token)[ =]" + _ARGUMENT),
    place("password", "mongo twine cypher-shell useradd usermod", r"(?:mongo\w{0,10}|twine|cypher-shell|user(?:add|mod))" + _OPTIONS + r"-p[ =]?" + _ARGUMENT),
    place("password", "redis-cli", r"redis-cli" + _OPTIONS + r"-a[ =]?" + _ARGUMENT),
    place("password", "sqlcmd ipmitool zip", r"(?:sqlcmd|ipmitool|zip)" + _OPTIONS + r"(?-i:-P)[ =]?" + _ARGUMENT),
    place("password", "ldap", r"ldap[a-z]{3,10}" + _OPTIONS + r"-w[ =]?" + _ARGUMENT),
    # Whatever the program: a user, and a password after it.
    place("password", "-u", r"(?<=\s)-u[ =:][^\s-]\S{0,60}\s+-(?:p|pw|pass)[ =:][\"']?(?!\d+(?::\d+)?\s)([^\s\"'`./~-][^\s\"'`]{4,200})", check=MIXED),
    place("password", "-u -a -auth", r"(?<=\s)-(?:a|u|auth)[ =]" + _USER, check=STRONG),
    place("password", "sshpass", r"sshpass\s+-p\s*" + _ARGUMENT),
    place("password", "7z rar", r"(?:7za?|rar)\s[^\n|]{0,60}?\s?-h?p([^\s\"'`]{4,200})"),
    place("password", "openssl", r"openssl" + _OPTIONS + r"-k[ ]" + _ARGUMENT, check=MIXED),
    place("password", "pass:", r"(?:(?<=passin )|(?<=passout )|(?<=-pass ))pass:([^\s\"'`\\]{1,200}|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')"),
    place("password", "ssh-keygen", r"ssh-keygen" + _OPTIONS + r"(?-i:-N)[ ]" + _ARGUMENT),
    place("password", "snmp", r"snmp[a-z]{2,8}" + _OPTIONS + r"(?-i:-[AX])[ ]?" + _ARGUMENT),
    place("password", "smbclient", r"smbclient\s[^\n|]{0,160}?(?-i:-U)[ =]?[\"']?[\w.\\/-]{1,60}%([^\s\"']{4,200})"),
    place("password", "htpasswd", r"htpasswd\s+-[a-z]{0,6}b[a-z]{0,6}\s+\S{1,200}\s+\S{1,100}\s+" + _ARGUMENT),
    place("password", "alias", r"alias\s+set\s+\S{1,60}\s+https?://\S{1,200}\s+\S{1,100}\s+" + _ARGUMENT),
    place("password", "net", r"net1?\s+use\s[^\n]{0,120}?\s([^\s/\\*][^\s]{5,100})\s+/user:", check=MIXED),
    place("password", "/user:", r"(?<=\s)/user:\S{1,80}\s+([^\s/\"'][^\s\"']{5,100})", check=MIXED),
    place("password", "sqlplus rman", r"(?:sqlplus|rman\s+target)" + _OPTIONS + r"[\"']?[\w.]{1,40}/\"?([^\s/\"'`]{4,200})\"?@[\w/]"),
    place("password", "rabbitmqctl", r"rabbitmqctl\s(?:add_user|change_password)\s\S{1,60}\s" + _ARGUMENT),
    place("password", "wpa_passphrase", r"wpa_passphrase\s(?:\"[^\"\n]{1,32}\"|'[^'\n]{1,32}'|\S{1,40})\s" + _ARGUMENT),
    place("password", "chpasswd", r"chpasswd\s{0,3}<<<\s{0,3}[\"']?[^\s:\"']{1,60}:([^\s\"']{1,200})"),
    place("password", "echo", r"echo\s(?:-[en]{1,2}\s)?[\"']?[\w.-]{1,40}:([^\s\"'`|]{1,200})[\"']?\s?\|\s?(?:sudo\s)?chpasswd"),
    place("password", "echo printf", r"(?:echo|printf)\s(?:-[en]{1,2}\s)?[\"']?([^\s\"'`|$]{6,2000})[\"']?\s{0,2}\|[^\n]{0,80}?(?:--(?:password|token|with)-?(?:stdin|token)|sudo\s+-[a-z]{0,4}s\b|cryptsetup|--passphrase-fd)", check=MIXED),
    place("password", "identified", r"identified\s+(?:with\s+\S{1,40}\s+)?by\s+(?:password\s+)?[\"']([^'\"\n]{4,200})[\"']"),
    place("password", "identified", r"identified\s+by\s+([^\s\"';\\)]{4,200})", check=MIXED),
    place("password", "password", r"(?<=with )(?:encrypted )?password\s+'([^'\n]{1,200})'"),
    place("password", "securestring", r"securestring\s+(?:-string\s+)?[\"']([^\"'\n]{1,200})[\"']"),
    place("password", "auth=( auth( login( credential( credentials( connect( connection( getconnection( mysqli( _set(", r"[a-z_]{0,20}=?\(\s{0,3}(?:[^()\"'`,\n]{1,60},\s{0,3}|[\"'][^\"'\n]{1,80}[\"'],\s{0,3})?[\"'][^\"'\n]{1,80}[\"'],\s{0,3}[\"']([^\s\"']{5,100})[\"']", check=STRONG),
    place("password", "getenv( environ.get( env( config(", r"(?:getenv|environ\.get|env|config)\(\s?[\"'][\w.]{0,40}(?:pass|passw(?:or)?d|pwd)[\"'],\s?(?:default=)?[\"']([^\"'\n]{4,100})[\"']", check=MIXED),
    place("secret", "getenv( environ.get( env( config(", r"(?:getenv|environ\.get|env|config)\(\s?[\"'][\w.]{0,40}(?:key|token|secret)[\"'],\s?(?:default=)?[\"']([^\"'\n]{4,100})[\"']", check=RANDOM),
    place("password", "_pass password passwd _pwd", r"(?:_pass|password|passwd|_pwd)(?:[A-Z_]{0,12})?:[-=]([^\s{}$\"'`]{4,100})\}", check=MIXED),
    place("password", "wifi.begin", r"wifi\.begin\(\s{0,3}[^,()\n]{1,80},\s{0,3}\"([^\"\n]{8,64})\""),
    place("token", "sonar.login", r"sonar\.login[\"', =:]{1,6}" + _ARGUMENT, check=RANDOM),
    place("password", "contribsys", r"contribsys__com(?:\s?[:=]\s?|\s)[\"']?([0-9a-f]{8}:[0-9a-f]{8})"),
    # A user and a password, in one piece: `login: admin / …`, `credentials are root:…`.
    place("password", "login creds credentials", r"(?:login|creds|credentials)\b[^\n/|]{0,60}?[\s(\"'`:][\w.@-]{2,40}[\"'`]?(?:\s/\s|:)[\"'`]?([^\s\"'`/|,;)]{6,64}?)(?=[.,;)\"'`]{0,2}(?:\s|\Z))", check=STRONG),
    place("secret", "secret variable", r"(?:secret|variable)\s+set\s+\S{1,60}\s+(?:--body|-b|--value)[ =]" + _ARGUMENT),
    place("secret", "--from-literal=", r"--from-literal=[\"']?[\w.-]{1,60}=[\"']?((?<=[\"'])[^\"'\n]{1,200}(?=[\"'])|[^\s\"']{1,400})", check=MIXED),
    place("secret", "put-parameter put-secret-value create-secret", r"(?:put-parameter|put-secret-value|create-secret)\s[^\n]{0,200}?--(?:value|secret-string)[ =]" + _ARGUMENT, check=MIXED),
    place("token", "login( .login(", r"login\(\s{0,3}[\"'`]([A-Za-z0-9_.-]{50,200})[\"'`]"),
    place("token", "--token", r"--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})(?![\w.])"),
    # A program is logged in with what follows: `wandb login …`, `snyk auth …`.
    place("token", "login auth authtoken add-authtoken set-token", r"(?<![\w.-])(?:login|auth|(?:add-)?authtoken|set-token)(?:\s+[a-z][\w.-]{0,20}){0,2}(?:\s+-{1,2}[a-z-]{1,20})?[ =]([A-Za-z0-9_.+/=:~-]{24,400})(?![^\s\"'`,;)])", check=RANDOM),
)  # fmt: skip

PLACES: tuple[Rule, ...] = (*_HEADERS, *_ADDRESSES, *_CONNECTIONS, *_COMMANDS)
