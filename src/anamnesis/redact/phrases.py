"""Secrets that the words around them betray: in headers, addresses, commands and settings.

Every pattern starts where its literal (in lower case) stands and ignores case. No pattern nests
quantifiers, and every run has a bound, so the time is linear in the text.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

from anamnesis.redact.anchors import Shape, phrase

# What a shell takes as one argument, quoted or not. A placeholder such as <password> is judged
# later, where all values are.
_ARGUMENT = r"[\"']?([^\s\"'`]{1,200})"
_USER = r"[\"']?[^\s:\"'`/]{1,99}:([^\s\"'`]{1,200})"
# The rest of a command up to one of its options: not past its line, nor past a pipe.
_OPTIONS = r"\b[^\n|]{0,200}?\s"

_HEADERS = (
    phrase(
        "authorization header",
        "authorization",
        r"authorization[\"'\\\]]{0,4}(?:\s{0,3}[:=,]\s{0,3}[\"'`\\]{0,3}|\s[\"'])"
        r"(?:[a-z][a-z0-9-]{1,20}[ :=]\s{0,3}(?:token=)?[\"\\]{0,3})?([A-Za-z0-9._~+/=:|$!%@-]{8,4000})",
        no_words=True,
    ),
    phrase("bearer token", "bearer", r"bearer[\s:]{1,3}[\"'`]?([A-Za-z0-9._~+/=|-]{16,4000})", no_words=True),
    phrase("authorization header", "basic", r"basic\s{1,3}([A-Za-z0-9+/]{10,400}={0,2})(?![\w/+=])", generated=True),
    phrase("okta token", "ssws", r"ssws\s{1,3}([A-Za-z0-9_-]{20,100})"),
    phrase("cookie", "sessid= sessionid= connect.sid=",
           r"(?:sessid|sessionid|connect\.sid)=([A-Za-z0-9%._~+/=-]{16,400})"),
)  # fmt: skip

_ADDRESSES = (
    phrase("password in url", "://", r"://[^\s:/@\"'<>`\\,]{0,100}:([^\s/\"'`\\]{1,200})@(?=[\w\[$({*<])"),
    phrase("password in url", "://", r"(?<!http)(?<!https)://[^\s:/@\"'<>`\\,]{0,100}:(?!\d{1,5}[/,])([^\s\"'`\\]{1,200})@(?=[\w\[])"),
    phrase("token in url", "://", r"://([A-Za-z0-9_.~-]{20,255})(?::x-oauth-basic|:)?@"),
    phrase("slack webhook", "hooks.slack.com/",
           r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,255})"),
    phrase("discord webhook", "/api/webhooks/", r"/api/webhooks/(\d{10,25}/[A-Za-z0-9_-]{30,100})"),
    phrase("teams webhook", ".office.com/webhook", r"\.office\.com/webhook(?:b2)?/([^\s\"'<>)]{40,400})"),
    phrase("zapier webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/([0-9]{4,12}/[a-z0-9]{5,20})"),
    phrase("signed url", "sig=", r"(?<=[?&;])sig=([A-Za-z0-9%/+=_-]{30,255})"),
    phrase("aws signature", "x-amz-signature=", r"x-amz-signature=([0-9a-f]{64})"),
    phrase("signed url", "signature=", r"(?<=[?&-])signature=([A-Za-z0-9%/+=_~-]{40,2000})"),
    phrase("aws session token", "x-amz-security-token=", r"x-amz-security-token=([A-Za-z0-9%/+=_-]{40,4000})"),
    phrase("key in url", "code= key= sig= apikey= appid=",
           r"(?<=[?&])(?:code|key|sig|apikey|appid)=([A-Za-z0-9%/+=_.~-]{24,255})", generated=True),
)  # fmt: skip

_COMMANDS = (
    phrase("password", "curl wget", r"(?:curl|wget)" + _OPTIONS + r"(?:-u|--user)(?:[ =]|(?<=-u))" + _USER),
    phrase("password", "--user --proxy-user --creds --auth", r"--(?:proxy-)?(?:user|creds|auth)[ =]" + _USER),
    phrase("password", "mysql mariadb", r"(?:mysql|mariadb)\w{0,10}" + _OPTIONS + r"-p(?![a-z-]{0,20}[ ]?=)([^\s\"'`][^\s\"'`]{3,200})"),
    phrase("password", "mysql mariadb", r"(?:mysql|mariadb)\w{0,10}" + _OPTIONS + r"-p([\"'][^\s\"'`]{3,200})"),
    phrase("password", "login", r"login" + _OPTIONS + r"(?:-p|--password|--token)[ =]" + _ARGUMENT),
    phrase("password", "mongo", r"mongo\w{0,10}" + _OPTIONS + r"-p[ =]?" + _ARGUMENT),
    phrase("password", "redis-cli", r"redis-cli" + _OPTIONS + r"-a[ =]?" + _ARGUMENT),
    phrase("password", "sqlcmd", r"sqlcmd" + _OPTIONS + r"(?-i:-P)[ =]?" + _ARGUMENT),
    phrase("password", "ldap", r"ldap[a-z]{3,10}" + _OPTIONS + r"-w[ =]?" + _ARGUMENT),
    phrase("password", "twine", r"twine" + _OPTIONS + r"-p[ =]?" + _ARGUMENT),
    phrase("password", "htpasswd", r"htpasswd\s+-[a-z]{0,6}b[a-z]{0,6}\s+\S{1,200}\s+\S{1,100}\s+" + _ARGUMENT),
    phrase("password", "alias", r"alias\s+set\s+\S{1,60}\s+https?://\S{1,200}\s+\S{1,100}\s+" + _ARGUMENT, no_words=True),
    phrase("password", "-p", r"(?<=\s)-p[ ]([^\s\"'`/:]{10,200})", generated=True),
    phrase("password", "smbclient", r"smbclient\s[^\n|]{0,160}?(?-i:-U)[ =]?[\"']?[\w.\\/-]{1,60}%([^\s\"']{4,200})"),
    phrase("password", "net", r"net1?\s+use\s[^\n]{0,120}?\s([^\s/\\*][^\s]{5,100})\s+/user:", no_words=True),
    phrase("password", "wifi.begin", r"wifi\.begin\(\s{0,3}[^,()\n]{1,80},\s{0,3}\"([^\"\n]{8,64})\""),
    phrase("password", "openssl", r"openssl" + _OPTIONS + r"-k[ ]" + _ARGUMENT, no_words=True),
    phrase("password", "net", r"net1?\s+user\s+\S{1,60}\s+([^\s/*][^\s]{5,100})\s+/", no_words=True),
    phrase("password", "echo", r"echo\s(?:-[en]{1,2}\s)?[\"']?([^\s\"'`|$]{4,200})[\"']?\s?\|\s?sudo\s+-[a-z]{0,4}s\b"),
    phrase("password", "ssh-keygen", r"ssh-keygen" + _OPTIONS + r"(?-i:-N)[ ]" + _ARGUMENT),
    phrase("password", "sqlplus rman", r"(?:sqlplus|rman\s+target)" + _OPTIONS + r"[\w.]{1,40}/([^\s/\"'`]{4,200})@\w"),
    phrase("password", "rclone", r"rclone\s+obscure\s+" + _ARGUMENT),
    phrase("password", "snmp", r"snmp[a-z]{2,8}" + _OPTIONS + r"(?-i:-[AX])[ ]?" + _ARGUMENT),
    phrase("password", "ipmitool", r"ipmitool" + _OPTIONS + r"(?-i:-P)[ ]?" + _ARGUMENT),
    phrase("password", "zip", r"zip\s(?:[^\n|]{0,60}\s)?(?-i:-P)[ ]?" + _ARGUMENT),
    phrase("password", "/p:", r"(?<=\s)/p:([^\s\"']{4,200})(?=[^\n]{0,200}\s/[uv]:|\s|\Z)", no_words=True),
    phrase("password", "password-command", r"password-command[ =][\"']echo\s([^\s\"']{4,200})"),
    # An account that every machine has, and what can only be its password.
    phrase("password", "root admin postgres ubuntu deploy jenkins sa oracle system scott pi guest backup",
           r"(?<![\w./@-])(?:root|admin(?:istrator)?|postgres|ubuntu|deploy|jenkins|sa|oracle|system|scott|pi|guest|backup)"
           r"(?::|\s?\|\s?|\s/\s|/(?=[^\s\"'`)]{0,60}[!$%^&*#?@]))[\"'`]?([^\s\"'`/|:,)]{6,64}?)(?=[\s\"'`.,;)|]|@[\w.-]+(?:\s|\Z)|\Z)", chosen=True),
    phrase("password", "admin root", r"(?<![\w./@-])(?:admin(?:istrator)?|root)/([A-Za-z0-9]{8,64})(?=[\s\"'`.,;)|]|\Z)", generated=True),
    phrase("password", "-u --user --username", r"(?<=\s)(?:-u|--user(?:name)?)[ =]\S{1,60}\s+-p[ =]?" + _ARGUMENT, chosen=True),
    phrase("password", "@", r"@[\w-]{1,40}(?:\.[\w-]{1,40}){0,4}\.[a-z]{2,6}(?:\s[/|]\s|,?\s(?:with|and)\s)[\"'`]?([^\s\"'`|]{6,64})", chosen=True),
    phrase("password", "user= username= u: user:", r"(?<![\w-])(?:user(?:name)?=[\w.@-]{1,40}:|u(?:ser)?:\s?[\w.@-]{1,40}[\s,;/]{1,3}p:\s?)([^\s\"'`]{6,64})", chosen=True),
    phrase("password", "masterauth requirepass", r"(?:masterauth|requirepass)\s+" + _ARGUMENT, no_words=True),
    phrase("password", "app-specific app", r"app(?:-specific)?\spassword[\s:=]{1,3}([a-z]{4}(?:[- ][a-z]{4}){3})"),
    phrase("token", "--token", r"--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})(?![\w.])"),
    phrase("password", "http https", r"https?\s(?:-[a-z]\s)?(?:-a|--auth)[ =]" + _USER),
    phrase("password", "secret password", r"(?:secret|password)\s[0579]\s([^\s\"']{6,100})", no_words=True),
    phrase("password", "impdp expdp", r"(?:imp|exp)dp\s+[\w.]{1,40}/([^\s/\"'`]{4,200})"),
    phrase("password", "lftp", r"lftp" + _OPTIONS + r"-u[ ][^\s,]{1,60},([^\s\"'`]{4,200})"),
    phrase("password", "kinit sudo", r"(?:kinit|sudo -s)[^\n]{0,60}<<<\s?" + _ARGUMENT),
    phrase("secret", "password-file= data-file=", r"(?:password|data)-file=<\(echo\s(?:-n\s)?" + _ARGUMENT),
    phrase("password", "zugangsdaten identifiants clave", r"(?:zugangsdaten|identifiants|clave)\s?[:=]?\s{0,3}(?:[\w.@-]{1,40}\s?[/:]\s?)?(?=[^\s\d]{0,60}\d)([^\s\"'`/:]{6,200})", no_words=True),
    phrase("password", "-u", r"(?<=\s)(?-i:-U)[ =]?[\w.\\-]{1,40}%([^\s\"'`]{4,200})"),
    phrase("password", "user username", r"user(?:name)?\s[\w.@-]{2,40}\s?(?:and|with|/|,)\s(?-i:(?=[^\s]{0,60}[A-Z!@#$%]))([^\s\"'`]{8,64})", chosen=True),
    phrase("password hash", "$apr1$ $2a$ $2b$ $2y$ $5$ $6$ $y$", r"(?<=:)\$(?:apr1|2[aby]|[56y])\$([^\s:\"'`]{8,200})"),
    phrase("pin", "pin", r"(?<![a-z])pin(?:\s(?:code|number))?(?:\s(?:of|for|to|vom|zum|für|du|de|del|di)(?:\s\w{1,20}){1,3})?\s?(?:is|ist|est|es|lautet|:|=)\s{0,3}(\d{4,8})(?![\w.-])"),
    phrase("pin", "code", r"(?:(?<=unlock )|(?<=access )|(?<=door )|(?<=alarm )|(?<=gate )|(?<=entry )|(?<=safe )|(?<=zugangs)|(?<=zutritts)|(?<=tür))code(?:\s(?:of|for|to|vom|zum|für)(?:\s\w{1,20}){1,3})?\s?(?:is|ist|:|=)\s{0,3}(\d{4,8})(?![\w.-])"),
    phrase("one-time codes", "codes code", r"(?:(?<=backup )|(?<=recovery )|(?<=2fa )|(?<=scratch )|(?<=rescue ))codes?\s?(?:are|is|[:=])?\s{0,3}((?:[0-9a-z]{4,5}[- ][0-9a-z]{4,5}(?:,?\s{1,2}(?=[0-9]))?){1,16})(?![a-z])"),
    phrase("otp seed", "otp 2fa mfa authenticator", r"(?:t?otp|[2m]fa|authenticator)(?:\s(?:seed|secret|key|setup key|code)){0,2}[\s:=]{1,3}(?:is\s)?(?-i:(?=[A-Z]{0,40}[2-7])([A-Z2-7]{16,64}))(?!\w)"),
    phrase("password", "sshpass", r"sshpass\s+-p\s*" + _ARGUMENT),
    phrase("password", "7z", r"7z[a]?\s[^\n|]{0,60}?\s-p([^\s\"'`]{4,200})"),
    phrase("password", "7z zip", r"(?:7z|zip)[a]?\s[^\n|]{0,60}?\s?-p[ ]?([^\s\"'`]{4,200})", generated=True),
    phrase("password", "pass:", r"(?:(?<=passin )|(?<=passout )|(?<=-pass ))pass:([^\s\"'`\\]{1,200})"),
    phrase("password", "chpasswd", r"chpasswd\s{0,3}<<<\s{0,3}[\"']?[^\s:\"']{1,60}:([^\s\"']{1,200})"),
    phrase("password", "echo", r"echo\s(?:-[en]{1,2}\s)?[\"']?[\w.-]{1,40}:([^\s\"'`|]{1,200})[\"']?\s?\|\s?(?:sudo\s)?chpasswd"),
    phrase("password", "echo printf", r"(?:echo|printf)\s(?:-[en]{1,2}\s)?[\"']?([^\s\"'`|$]{6,2000})[\"']?\s{0,2}\|[^\n]{0,80}?--(?:password|token|with)-?(?:stdin|token)", no_words=True),
    phrase("password", "machine", r"machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(\S{1,200})"),
    phrase("password", "user role login", r"(?:user|role|login)\s[^\n;]{1,160}?identified\s+by\s+([^\s\"';\\)]{4,200})", no_words=True),
    phrase("password", "auth=(", r"auth=\(\s{0,2}[\"'][^\"'\n]{1,80}[\"'],\s{0,3}[\"']([^\"'\n]{4,200})[\"']"),
    phrase("password", "add_user change_password", r"(?:add_user|change_password)\s+\S{1,60}\s+" + _ARGUMENT, no_words=True),
    phrase("password", "useradd usermod", r"user(?:add|mod)" + _OPTIONS + r"(?:-p|--password)[ =]" + _ARGUMENT),
    phrase("password", "/user:", r"(?<=\s)/user:\S{1,80}\s+([^\s/\"'][^\s\"']{5,100})", no_words=True),
    phrase("password", ":thin:", r":thin:[^\s/:@]{1,60}/([^\s\"']{1,200}?)@(?=[\w/])"),
    # `.pgpass`: host, port, database, user and password
    phrase("password", ":5432: :3306: :1433: :5433: :6432:", r"(?<=[\w*]):\d{4}:[^\s:]{1,60}:[^\s:]{1,60}:([^\s\"'`]{4,200})"),
    phrase("password", "id user username login account email", r"(?:id|user(?:name|id)?|login|account|e-?mail)\s?[/,&+:|)(]\s?\(?(?:p/?wd?|pass(?:wd|word|code)?|psw)\b[\s:=)(>-]{1,5}[\"'`]?[\w.@+-]{1,60}\s?[/:,|(]{1,2}\s?(?=\S{0,60}\d)([^\s\"'`)]{6,200})"),
    phrase("password", "user grant", r"(?:user\s+\S{1,80}|grant\s[^\n]{1,160}?)\s+identified\s+(?:with\s+\S{1,40}\s+)?by\s+(?:password\s+)?[\"']([^'\"\n]{1,200})[\"']"),
    phrase("password", "creds credentials login wifi wlan ssid log sign", r"(?:creds|credentials|login|wi-?fi|wlan|ssid|(?:log|sign)\s?in)(?:\s(?:with|as|using))?(?:\s(?:for|to|of|on)\s[\w.-]{1,30})?(?:\s(?:is|are))?\s?[:=]?\s{1,3}[\"'`]?[\w.@-]{1,40}\s?[/:]\s?(?!(?:[0-9a-f]{2}:){3})(?=[^\s\d]{0,60}\d)([^\s\"'`/.]{6,200})(?=[\s\"'`.,;)]|\Z)"),
    phrase("token", "login(", r"login\(\s{0,3}[\"'`]([A-Za-z0-9_.-]{50,200})[\"'`]"),
    phrase("seed phrase", "mnemonic seed recovery", r"(?:mnemonic|(?:seed|recovery)[ _]phrase)[\"']?\s{0,2}(?:is|[:=])\s{0,3}[\"'`]?((?:[a-z]{3,8}\s){11,23}[a-z]{3,8})"),
    phrase("password", "password", r"(?<=with )(?:encrypted )?password\s+'([^'\n]{1,200})'"),
    phrase("password", "securestring", r"securestring\s+(?:-string\s+)?[\"']([^\"'\n]{1,200})[\"']"),
    phrase("password", "<password <passwd <secret <apikey <token", r"<(?:password|passwd|secret|apikey|token)>([^\s]{4,200}?)</"),
    phrase("token", "snyk heroku vault", r"(?:snyk|heroku|vault)\s+(?:auth|login|config set api=?)[ =](?:token=)?" + _ARGUMENT, generated=True),
    phrase("token", "sonar.login", r"sonar\.login[\"', =:]{1,5}" + _ARGUMENT, generated=True),
    phrase("secret", "secret variable", r"(?:secret|variable)\s+set\s+\S{1,60}\s+(?:--body|-b|--value)[ =]" + _ARGUMENT),
    phrase("secret", "--from-literal=", r"--from-literal=[\"']?[\w.-]{1,60}=([^\s\"']{1,400})"),
    phrase("secret", "aws_secret_access_key aws_session_token", r"aws_se\w{5,20}[\s=:\"']{1,5}([A-Za-z0-9/+=]{30,2000})"),
    phrase("azure key", "accountkey= sharedaccesskey=", r"(?:account|sharedaccess)key=([^;\s\"']{20,200})"),
    phrase("azure client secret", "q~", r"((?-i:[A-Za-z0-9_~.]{3}[0-9]Q)~[A-Za-z0-9_~.-]{31,34})(?![A-Za-z0-9_~-])", before=(4,)),
)  # fmt: skip

PHRASES: tuple[Shape, ...] = (*_HEADERS, *_ADDRESSES, *_COMMANDS)
