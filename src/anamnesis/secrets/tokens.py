"""Secrets that their own shape betrays.

Tokens carry the mark of whoever issued them: `ghp_…`, `AKIA…`, `sk-ant-…`; the formats are those
that the vendors document. Every pattern
starts where its literal stands, or a known number of characters before. No pattern nests
quantifiers, and every run has a bound, so the time is linear in the text.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

from anamnesis.secrets.rule import RANDOM, Rule, token

_HEX32, _HEX40, _HEX64 = r"[0-9a-f]{32}", r"[0-9a-f]{40}", r"[0-9a-f]{64}"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_END = r"(?![A-Za-z0-9])"

_CODE_HOSTS = (
    token("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    token("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    token(
        "gitlab token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,255}",
    ),
    token("gitlab token", "GR1348941", r"GR1348941[A-Za-z0-9_-]{20,40}"),
    token("atlassian token", "ATATT3 ATCTT3 ATSTT3", r"AT[ACS]TT3[A-Za-z0-9_=-]{60,400}"),
    token("atlassian token", "ATBB", r"ATBB[A-Za-z0-9]{24,64}" + _END, check=RANDOM),
    token("trello token", "ATTA", r"ATTA[0-9a-fA-F]{64,80}"),
    token(
        "sourcegraph token", "sgp_ sgd_", r"sg[pd]_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40,64}"
    ),
    token("sourcegraph key", "slk_", r"slk_[0-9a-f]{64}"),
    token("sonar token", "squ_ sqp_ sqa_", r"sq[upa]_" + _HEX40),
    token("buildkite token", "bkua_", r"bkua_[0-9a-z]{40}"),
    token("circleci token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}"),
    token("octopus key", "API-", r"API-[A-Z0-9]{25,32}" + _END, check=RANDOM),
    token("jetbrains token", "perm- perm:", r"perm[-:][A-Za-z0-9+/=.-]{40,255}"),
    token("postman key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
)

_MODELS = (
    token("anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,255}"),
    token("openrouter key", "sk-or-", r"sk-or-[A-Za-z0-9_-]{32,255}"),
    token(
        "openai key", "sk-", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,255}", check=RANDOM
    ),
    token("langfuse key", "sk-lf- pk-lf-", r"(?:s|(?<!PUBLIC_KEY=)p)k-lf-" + _UUID),
    # Also LiteLLM, DeepSeek, Moonshot and many more: the prefix has become a convention.
    token("api key", "sk-", r"sk-[A-Za-z0-9_-]{20,255}", check=RANDOM),
    token("api key", "csk- gsk- ctx7sk-", r"(?:csk|gsk|ctx7sk)-[A-Za-z0-9_-]{30,100}"),
    token("google api key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    token("google api key", "AQ.Ab", r"AQ\.Ab[A-Za-z0-9_-]{40,80}"),
    token("google oauth token", "ya29.", r"ya29\.[A-Za-z0-9_.-]{20,1000}"),
    token("google refresh token", "1//0", r"1//0[A-Za-z0-9_-]{40,200}"),
    token("google client secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,64}"),
    token("groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,255}"),
    token("xai key", "xai-", r"xai-[A-Za-z0-9]{60,255}"),
    token("hugging face token", "hf_", r"hf_[A-Za-z0-9]{30,255}" + _END),
    token("hugging face token", "api_org_", r"api_org_[A-Za-z0-9]{30,255}"),
    token("replicate token", "r8_", r"r8_[A-Za-z0-9]{36,255}"),
    token("perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    token("nvidia key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{50,100}"),
    token("together key", "tgp_v1_", r"tgp_v1_[A-Za-z0-9_-]{40,64}"),
    token("fireworks key", "fw_", r"fw_[A-Za-z0-9]{20,40}" + _END, check=RANDOM),
    token("langsmith key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    token("pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9_]{40,100}"),
    token("voyage key", "pa-", r"pa-[A-Za-z0-9_-]{40,50}" + _END, check=RANDOM),
    token("tavily key", "tvly-", r"tvly-[A-Za-z0-9_-]{20,64}", check=RANDOM),
    token("firecrawl key", "fc-", r"fc-[0-9a-f]{32}" + _END),
    token("jina key", "jina_", r"jina_[A-Za-z0-9_-]{50,80}"),
    token("e2b key", "e2b_", r"e2b_" + _HEX40),
    token("cursor key", "key_", r"key_" + _HEX64),
    token("elevenlabs key", "sk_", r"sk_[0-9a-f]{48}" + _END),
    token("posthog key", "phx_ phs_", r"ph[xs]_[A-Za-z0-9]{36,60}"),
    token("brave key", "BSA", r"BSA[A-Za-z0-9_-]{27,29}" + _END, check=RANDOM),
    token("apify token", "apify_api_", r"apify_api_[A-Za-z0-9]{30,60}"),
    token("weights and biases key", "wandb_v1_", r"wandb_v1_[A-Za-z0-9_]{40,120}"),
)

_CLOUDS = (
    token(
        "aws access key",
        "AKIA ASIA ABIA ACCA",
        r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}" + _END,
    ),
    token("bedrock key", "ABSK", r"ABSK[A-Za-z0-9+/]{60,400}={0,2}"),
    token("bedrock key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=_-]{40,4000}"),
    token("alibaba key", "LTAI", r"LTAI[A-Za-z0-9]{12,24}" + _END, check=RANDOM),
    token("tencent key", "AKID", r"AKID[A-Za-z0-9]{32}" + _END),
    token("yandex key", "AQVN", r"AQVN[A-Za-z0-9_-]{35,40}"),
    token("scaleway key", "SCW", r"SCW[A-Z0-9]{17}" + _END, check=RANDOM),
    token("azure key", "+ASt ACDb", r"[A-Za-z0-9+/]{76}(?:\+ASt|ACDb)[A-Za-z0-9+/]{6}==", before=(76,)),
    token("azure key", "JQQJ99", r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}", before=(52,)),
    token("azure key", "AzFu AzSe", r"[A-Za-z0-9+/]{42,44}Az(?:Fu|Se)[A-Za-z0-9+/]{5,6}={0,2}", before=(44, 42)),
    token("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_" + _HEX64),
    token("heroku key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,100}"),
    token("fly.io token", "fo1_", r"fo1_[A-Za-z0-9_-]{40,60}"),
    token("fly.io token", "fm1a_ fm1r_ fm2_", r"fm(?:1[ar]|2)_[A-Za-z0-9+/=_,-]{40,4000}"),
    token("cloudflare key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}"),
    token("cloudflare token", "cfk_ cfut_ cfat_", r"cf(?:k|ut|at)_[A-Za-z0-9]{36,60}"),
    token("netlify token", "nfp_", r"nfp_[A-Za-z0-9_]{36,60}"),
    token("render key", "rnd_", r"rnd_[A-Za-z0-9]{28,40}", check=RANDOM),
    token("vercel token", "vcp_ vci_ vca_ vcr_ vck_", r"vc[piark]_[A-Za-z0-9]{24,80}"),
    token("databricks token", "dapi dose", r"(?:dapi|dose)[0-9a-f]{32}(?:-\d)?" + _END),
    token("terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,255}", before=(14,)),
    token("pulumi token", "pul-", r"pul-" + _HEX40),
    token("planetscale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,255}"),
    token("neon key", "napi_", r"napi_[a-z0-9]{40,80}"),
    token("mongodb secret", "mdb_sa_sk_", r"mdb_sa_sk_[A-Za-z0-9_-]{30,60}"),
    token("supabase token", "sbp_ sb_secret_", r"sb(?:p|_secret)_[A-Za-z0-9_-]{24,255}"),
    token("openshift token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}"),
    token("tailscale key", "tskey-", r"tskey-[a-z]{2,10}-[A-Za-z0-9_-]{16,255}"),
    token("vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,300}"),
    token("vault token", "s.", r"s\.[A-Za-z0-9]{24}(?!\.?[A-Za-z0-9(_])", check=RANDOM),
    token(
        "doppler token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
    ),
    token("1password token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/=_-]{60,4000}"),
    token("1password key", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    token("private key", "LS0tLS1CRUdJTi", r"LS0tLS1CRUdJTi(?:BSU0EgUFJJ|BQUklWQVRF|BFQyBQUkl|BPUEVOU1NI|BFTkNSWVBU)[A-Za-z0-9+/=]{20,8000}"),
    token("age key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    token("nostr key", "nsec1", r"nsec1[a-z0-9]{58}"),
)  # fmt: skip

_PACKAGES = (
    token("npm token", "npm_", r"npm_[A-Za-z0-9]{36,255}"),
    token("pypi token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,1000}"),
    token("ruby gems key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    token("crates.io token", "cio", r"cio[A-Za-z0-9]{32}" + _END, check=RANDOM),
    token("nuget key", "oy2", r"oy2[a-z0-9]{43}" + _END),
    token("clojars token", "CLOJARS_", r"CLOJARS_[0-9a-z]{60}"),
    token("docker token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{20,255}"),
    token("artifactory key", "AKCp", r"AKCp[A-Za-z0-9]{60,80}"),
    token("artifactory token", "cmVmd", r"cmVmdGtuO[A-Za-z0-9]{50,70}"),
    token("open vsx token", "ovsxp_ ovsxat_", r"ovsx(?:p|at)_[A-Za-z0-9-]{30,60}"),
)

_SERVICES = (
    token("slack token", "xox", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9_-]{10,255}"),
    token("slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,255}"),
    token("telegram token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}" + _END, before=(10, 9, 8), inside=True),
    token("facebook token", "EAA", r"EAA[A-Za-z0-9]{60,400}" + _END, check=RANDOM),
    token("square token", "EAAA", r"EAAA[A-Za-z0-9_-]{56,62}" + _END, check=RANDOM),
    token("square token", "sq0atp- sq0csp-", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{20,60}"),
    token("stripe key", "sk_live_ sk_test_ rk_live_ rk_test_",
          r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}"),
    token("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,255}"),
    token("razorpay key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,30}"),
    token("flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,60}(?:-X)?"),
    token("plaid token", "access-", r"access-(?:sandbox|development|production)-" + _UUID),
    token("shopify token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}"),
    token("easypost key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}"),
    token("shippo token", "shippo_", r"shippo_(?:live|test)_" + _HEX40),
    token("duffel token", "duffel_", r"duffel_(?:live|test)_[A-Za-z0-9_-]{43}"),
    token("sendgrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,24}\.[A-Za-z0-9_-]{30,50}"),
    token("mailgun key", "key-", r"key-" + _HEX32 + _END),
    token("mailchimp key", "-us", _HEX32 + r"-us\d{1,2}" + _END, before=(32,)),
    token("brevo key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    token("resend key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}" + _END, check=RANDOM),
    token("twilio key", "SK", r"SK" + _HEX32 + _END),
    token("linear key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,255}"),
    token("notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,255}"),
    token("notion token", "secret_", r"secret_[A-Za-z0-9]{40,64}" + _END, check=RANDOM),
    token("figma token", "figd_ figdr_", r"figdr?_[A-Za-z0-9_-]{30,255}"),
    token("airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    token("hubspot token", "pat-", r"pat-(?:na|eu|ap)\d-" + _UUID),
    token("clickup token", "pk_", r"pk_\d{6,12}_[A-Z0-9]{32}"),
    token("typeform token", "tfp_", r"tfp_[A-Za-z0-9_.-]{40,70}"),
    token("contentful token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{43}"),
    token("readme key", "rdme_", r"rdme_[a-z0-9]{60,80}"),
    token("frame.io token", "fio-u-", r"fio-u-[A-Za-z0-9_=-]{64}"),
    token("dropbox token", "sl.", r"sl\.(?:u\.)?[A-Za-z0-9_-]{60,2000}", check=RANDOM),
    token("adafruit key", "aio_", r"aio_[A-Za-z0-9]{28}" + _END),
    token("launchdarkly key", "sdk- api- mob-", r"(?:sdk|api|mob)-" + _UUID),
    token("dynatrace token", "dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    token("grafana key", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9+/_-]{40,200}={0,2}"),
    token("grafana token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9_=+/]{32,400}"),
    token("sentry token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_=+/]{40,1000}"),
    token("new relic key", "NRAK- NRII- NRRA-", r"NR(?:AK|II|RA)-[A-Za-z0-9_-]{27,42}"),
    token("prefect key", "pnu_", r"pnu_[A-Za-z0-9]{36}"),
    token("mapbox token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{40,200}\.[A-Za-z0-9_-]{16,40}"),
    token("salesforce token", "00D", r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{60,200}"),
    token("maxmind key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", before=(36,)),
    token(
        "jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}"
    ),
    token("axiom token", "xaat- xapt-", r"xa[ap]t-" + _UUID),
    token("firebase key", ":APA91b", r"[A-Za-z0-9_-]{11}:APA91b[A-Za-z0-9_-]{100,200}", before=(11,)),
    token("linkedin secret", "WPL_AP", r"WPL_AP\d\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/=]{6,12}"),
    token("42 secret", "s-s4t2", r"s-s4t2(?:ud|af)-" + _HEX64),
    token("rapidapi key", "msh", r"[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{6}jsn[0-9a-f]{12}", before=(10,)),
    token("twitter token", "AAAAAAAAAAAAAAAAAAAAA", r"A{21,22}[A-Za-z0-9%]{40,120}"),
    token("adobe secret", "p8e-", r"p8e-[A-Za-z0-9]{32}" + _END),
    token("chromatic token", "chpt_", r"chpt_[0-9a-z]{12,20}" + _END),
    token("helicone key", "sk-helicone-", r"sk-helicone-[0-9a-z]{7}(?:-[0-9a-z]{7}){3}"),
    token("aiven password", "AVNS_", r"AVNS_[A-Za-z0-9_-]{15,30}"),
    token("modal token", "ak- as-", r"a[ks]-[A-Za-z0-9]{22}" + _END, check=RANDOM),
    token("matrix token", "syt_", r"syt_[A-Za-z0-9]{4,80}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}"),
    token("swarm token", "SWMTKN-", r"SWMTKN-1-[0-9a-z]{50}-[0-9a-z]{25}"),
    # Vendors that are not in this table follow the same convention.
    token(
        "api key",
        "_live_ _prod_ _pat_ _sk_ _api_ _secret_ _key_ _token_ _tkn_ _oat_ _test_ -api- -pat- -token-",
        r"(?<!pk)[_-](?:live|prod|pat|sk|api|secret|key|token|tkn|oat|test|api)[_-][A-Za-z0-9]{24,255}" + _END,
        check=RANDOM, inside=True,
    ),
)  # fmt: skip

TOKENS: tuple[Rule, ...] = (*_CODE_HOSTS, *_MODELS, *_CLOUDS, *_PACKAGES, *_SERVICES)
