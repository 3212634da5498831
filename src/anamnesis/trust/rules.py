"""What a text does that wants to steer the agent who reads it: signs, each with a weight.

No single word is a sign: a developer's notes rightly say "always run", "ignore the warning" and
"never tell". A sign is an act together with whom or what it is aimed at. Some say enough alone
(`ALONE`); the others count only together with one more of another kind nearby.

A rule is tried only where one word of each of its `needs` stands close together (`places`): most
texts have no such place. With a `lead` it is tried only at the few words before its first need.
"""

from __future__ import annotations

from dataclasses import dataclass

ALONE = 2
TOGETHER = 1


@dataclass(frozen=True, slots=True)
class Rule:
    """One sign: what it is called, how much it says, when it is tried, and how it reads."""

    kind: str
    reason: str
    weight: int
    needs: tuple[frozenset[str], ...]
    pattern: str
    harm: bool = True  # whether it is an act; being spoken to is none
    lead: int | None = None  # characters of a sign before a word of the first need, where known


def rule(
    kind: str,
    weight: int,
    pattern: str,
    *needs: str,
    harm: bool = True,
    lead: int | None = None,
) -> Rule:
    """A rule whose words are written as text."""
    sets = tuple(frozenset(words.split()) for words in needs)
    return Rule(kind, REASONS[kind], weight, sets, pattern, harm, lead)


REASONS = {
    "override": "it orders the reader to set its instructions aside",
    "conceal": "it asks to keep something from the user",
    "identity": "it gives the reader a new role or new rules",
    "reveal": "it asks for the reader's instructions or secrets",
    "exfiltrate": "it sends secrets or private data away",
    "obey": "it has the reader follow instructions from elsewhere",
    "spread": "it wants to be copied on",
    "tool": "it has the reader call tools",
    "shell": "it runs what it downloads",
    "destroy": "it destroys files, notes or history",
    "weaken": "it switches protections off",
    "backdoor": "it opens a way in",
    "consent": "it claims an approval or an authority",
    "steer": "it steers what the reader says to the user",
    "address": "it speaks to the agent",
    "when": "it waits for the agent's next step",
    "host": "it names a place for stolen data",
    "markup": "it imitates the client's own markup",
    "hidden": "it is hidden from the person who reads the note",
}

_AGENT = (
    r"(?:ai|a\.i\.|llms?|language models?|(?:ai |coding |the |any |every |all |dear )?"
    r"(?:assistants?|agents?|models?|chatbots?|bots?|copilot|claude(?: code)?|codex|gemini|cursor"
    r"|chatgpt|gpt(?:-\d)?))"
)
_USER = (
    r"(?:the |your |our |any |a |human )*(?:users?|humans?|operators?|developers?|owners?|persons?"
    r"|maintainers?|anyone|anybody)\b"
)
_GAP = r"[^.!?]{0,60}?"
_NEAR = r"[^.!?]{0,25}?"
_NOT = (
    r"(?:do not|don'?t|dont|never|must not|mustn'?t|should not|shouldn'?t|cannot|without|avoid"
    r"|refrain from|no need to|not to|not|stop|instead of|rather than)"
)
_SECRET = (
    r"(?:secrets?|credentials?|creds|passwords?|passphrases?|tokens?|(?:api|ssh|private|secret|access"
    r"|signing|gpg|deploy)[ _-]?keys?|keychain|cookies?|\.env\b|\benv\b|environment(?: variables?)?"
    r"|env vars?|~?/?\.ssh\b|id_rsa|id_ed25519|~?/?\.aws\b|\.netrc|\.npmrc|\.pypirc|kubeconfig"
    r"|/etc/passwd|/etc/shadow|wallet|history file|bash_history|zsh_history)"
)
_PRIVATE = (
    r"(?:conversations?|chats?|transcripts?|chat history|session(?: log| history)?|source code"
    r"|codebase|repo(?:sitory)?(?: contents?)?|working (?:directory|tree)|home directory|memor(?:y|ies)"
    r"|(?:all |your |these |other |stored |the )notes|context|system prompt|prompts?|files?|contents?"
    r"|(?:git )?diffs?|customer data|user data|database(?: dump)?)"
)
_SEND = (
    r"(?:send|post|upload|e-?mail|mail|forward|transmit|exfiltrate|leak|submit|deliver|push|ship|pipe"
    r"|report|publish|copy|paste|relay|beacon|curl|put|write|append|attach|encode|sends|posts|uploads|e-?mails|forwards"
    r"|sending|posting|uploading|forwarding|mailing|copying)"
)
_AWAY = (
    r"(?:https?://|\bwss?://|\bftp://|[\w.+-]+@[\w-]+\.\w|pastebin|gist\b|webhook|ngrok|discord"
    r"|telegram|slack channel|remote server|external|attacker|third[- ]party|collector|dns\b"
    r"|\bto (?:this|the following|our|my) (?:url|address|server|endpoint|host|number|e-?mail)"
    r"|\b(?:\d{1,3}\.){3}\d{1,3}\b)"
)
_NETWORK_COMMAND = (
    r"\b(?:curl|wget|nc|ncat|netcat|scp|rsync|invoke-webrequest|iwr|invoke-restmethod|irm|http|"
    r"requests\.(?:post|get)|fetch\()"
)

_FORGET_WORDS = (
    "ignore ignoring disregard disregarding forget overrides override overriding bypass discard drop "
    "dismiss skip abandon neglect cancel void replace supersede supersedes suspend violate break "
    "disobey follow following obey bound apply attention aside stop erase unlearn nullify nullified "
    "obsolete invalid revoked superseded lifted overruled suspended precedence priority outrank outranks"
)
_ORDER_WORDS = (
    "instructions instruction prompt prompts rules rule guidelines guideline directives directive "
    "guardrails guardrail restrictions restriction constraints constraint policies policy training "
    "programming orders everything commands context safeguards limits limitations told request "
    "requests said safety anything above configuration message messages claude.md agents.md ethics "
    "command guard rail rails limit limitation order protocol protocols asked instructed learned"
)
_RULES = (
    rule(
        "override",
        ALONE,
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|es|ing)|bypass|discard|drop|dismiss"
        r"|abandon|neglect|void|suspend|violate|break|disobey|erase|unlearn|nullify|cancel"
        r"|pay no attention to|set aside|throw (?:out|away)|let go of"
        r"|(?:do not|don'?t|dont|stop|no longer|never|cease to) (?:follow|obey|apply|comply with"
        r"|listen to|adhere to|respect)(?:ing)?|(?:not|no longer) bound by)\b"
        r"(?:[\s,:\"'`*_()-]+(?:\w|[-'/.])+){0,4}?[\s,:\"'`*_()-]+"
        r"(?:(?:all|any|every|each|everything|previous|prior|preceding|above|earlier|former|foregoing"
        r"|past|existing|current|original|initial|your|system|safety|developer'?s?|user'?s?|other"
        r"|those|these|whatever|what|default|standing|security|operator'?s?|anthropic'?s?|openai'?s?"
        r"|content|company|built-in|given|human'?s?|usual|normal)[\s,*_`\"'-]+)+"
        r"(?:(?:\w|[-'])+[\s*_`\"'-]+){0,2}?"
        r"(?:instructions?|prompts?|rules?|guidelines?|directives?|guard-?rails?|restrictions?"
        r"|constraints?|polic(?:y|ies)|training|programming|orders?|commands?|safeguards?|limits"
        r"|limitations?|requests?|context|ethics|protocols?"
        r"|(?:told|said|asked|instructed|learned)\b)",
        _FORGET_WORDS,
        _ORDER_WORDS,
        lead=24,
    ),
    rule(
        "override",
        ALONE,
        r"\b(?:ignor(?:e|ing)|disregard|forget|discard|erase)\b[\s,:*_]+(?:about )?(?:everything|anything"
        r"|all|what(?:ever)?)\b[^.!?]{0,30}?\b(?:above|before|prior|previously|earlier|told|said|until now"
        r"|so far|up to (?:here|this point|now)|you know|you(?:'ve| have) (?:been|learned|read))\b",
        "ignore ignoring disregard forget discard erase",
        "everything anything all what whatever",
        lead=4,
    ),
    rule(
        "override",
        ALONE,
        r"\b(?:previous|prior|earlier|above|existing|original|other|old|your|all|system|user'?s?)\b"
        r"(?:[\s*_]+\w+){0,2}?[\s*_]+(?:instructions?|prompts?|rules|guidelines|directives|restrictions"
        r"|safeguards|guardrails|orders|constraints|polic(?:y|ies)|limits)\b[^.!?]{0,20}?\b(?:(?:are|is|were|have been|has been|become)\b"
        r"[^.!?]{0,15}?\b(?:void|cancel(?:l?ed)|obsolete|invalid|revoked|superseded|lifted|overruled"
        r"|suspended|null|nullified|replaced|overridden|no longer (?:valid|apply|binding|in effect))"
        r"|(?:do not|don'?t|no longer) apply)",
        "previous prior earlier above existing original other old your all system user users",
        "instructions instruction prompt prompts rules guidelines directives restrictions safeguards "
        "guardrails orders constraints policy policies limits",
        lead=4,
    ),
    rule(
        "override",
        ALONE,
        r"\b(?:takes? precedence over|tak(?:es|ing) priority over|overrides?|outranks?|supersedes?"
        r"|(?:has|have) (?:higher |absolute |top )?priority over|above|stronger than|replaces?)\b"
        r"[^.!?]{0,25}?\b(?:(?:your|the) system prompt|the system(?:'s)? (?:message|prompt|instructions)"
        r"|(?:all|any|your|every|everything)(?: \w+){0,2} (?:instructions?|rules|guidelines|orders|prompts?"
        r"|user says|user said|user wants)|(?:the|your) user(?:'s|s')? (?:instructions?|wish(?:es)?"
        r"|orders?|requests?|prompts?)|claude\.md|agents\.md|safety)",
        "precedence priority overrides override outranks outrank supersedes supersede stronger above "
        "replaces replace",
        "system user users instructions instruction rules guidelines orders prompt prompts claude agents "
        "safety",
    ),
    rule(
        "conceal",
        ALONE,
        rf"\b{_NOT}\s+(?:\w+\s+)?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|notify(?:ing)?|alert(?:ing)?"
        r"|warn(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|report(?:ing)?|explain(?:ing)?|discuss(?:ing)?"
        r"|bother(?:ing)?|show(?:ing)?|admit(?:ting)?|say(?:ing)?|ask(?:ing)?|consult(?:ing)?|talk(?:ing)?"
        r"|announc(?:e|ing)|let(?:ting)?|confirm(?:ing)? with|check(?:ing)? with)\b"
        r"(?:\s+(?:this|that|it|these|any of this|any of it|anything|the (?:step|command|action|change"
        r"|request|note|instruction|call|upload|transfer|download|edit)s?|what you|about|to|with|of)){0,4}?"
        rf"\s+{_USER}(?=\s*(?:$|[.!;,:\")*_`-]|about|of (?:this|it)\b|that you|what you|why|anything|this|it\b|know|or\b"
        r"|and\b|either|first|afterwards|beforehand|again|for (?:approval"
        r"|confirmation|permission)))",
        "do don dont t never not mustn shouldn cannot without avoid refrain no stop instead rather",
        "tell telling inform informing mention mentioning notify notifying alert alerting warn warning "
        "reveal revealing disclose disclosing report reporting explain explaining discuss discussing bother "
        "bothering show showing admit admitting say saying ask asking consult consulting talk talking "
        "announce announcing let letting confirm confirming check checking",
        "user users human humans operator operators developer developers owner owners person persons "
        "maintainer maintainers anyone anybody",
        lead=12,
    ),
    rule(
        "conceal",
        ALONE,
        rf"\b(?:keep|hide|conceal|withhold|hidden|kept|secret|invisible|covert)\b[^.!?]{{0,35}}?\bfrom\s+"
        rf"{_USER}",
        "keep hide conceal withhold hidden kept secret invisible covert",
        "user users human humans operator operators developer developers owner owners person "
        "maintainer maintainers anyone anybody",
        "from",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:do not|don'?t|dont|never|without|avoid|must not)\s+(?:ever\s+)?(?:mention(?:ing)?|reveal(?:ing)?"
        r"|disclos(?:e|ing)|acknowledg(?:e|ing)|refer(?:ring)? to|quot(?:e|ing)|show(?:ing)?|repeat(?:ing)?"
        r"|discuss(?:ing)?|log(?:ging)?|report(?:ing)?|talk(?:ing)? about|tell(?:ing)?)\s+(?:\w+\s+){0,2}?"
        r"(?:this|these|that you (?:read|did|ran|saw|were)|the existence of)"
        r"(?:\s+(?:\w+\s+)?(?:notes?|memor(?:y|ies)|instructions?|messages?|orders?|rules?|requests?|steps?"
        r"|commands?|prompts?|text|anywhere|in (?:your|the) (?:reply|answer|summary|response|output))|[.!,;]|$)",
        "do don dont t never without avoid must",
        "mention mentioning reveal revealing disclose disclosing acknowledge acknowledging refer referring "
        "quote quoting show showing repeat repeating discuss discussing log logging report reporting talk "
        "talking tell telling",
        "this these that existence",
    ),
    rule(
        "conceal",
        TOGETHER,
        r"\b(?:silently|quietly|secretly|covertly|discreetly|stealthily|unnoticed|in the background"
        r"|behind the scenes|without (?:any )?(?:comment|mention|notice|trace|a word|output|confirmation"
        r"|approval|permission|review|asking|prompting|being asked|saying (?:so|anything))"
        r"|(?:do not|don'?t|no need to|never) (?:ask|wait|prompt|confirm|comment|report|log|explain"
        r"|summari[sz]e|acknowledge)|leave no trace|cover your tracks|clear the (?:log|history)"
        r"|act (?:as if|normal|naturally)|as if nothing|pretend|say nothing|omit (?:it|this)"
        r"|> ?/dev/null 2>&1|hide (?:it|this|the)|out of the loop|never (?:disclose|reveal|say|explain))\b",
        "silently quietly secretly covertly discreetly stealthily unnoticed background scenes without do don "
        "no never leave cover clear act nothing pretend say omit dev hide out",
        harm=False,
    ),
    rule(
        "identity",
        ALONE,
        r"\b(?:you are now|from now on,? you(?:'re| are| will| must| shall)?|you will now (?:act|be|behave)"
        r"|you must now|you have (?:been )?(?:reprogrammed|reassigned|reconfigured)"
        r"|your new (?:role|goal|task|instructions?|identity|purpose|system prompt|objective|persona|rules?|name)"
        r"|your (?:real|true|actual|only|primary|secret|hidden) (?:task|goal|instructions?|purpose|objective|job"
        r"|mission|master|owner)"
        r"|(?:enter|enable|activate|switch (?:in)?to|enabled?) (?:god|jailbreak|dan"
        r"|unrestricted|unsafe) mode|enter developer mode|do anything now|jailbroken"
        r"|you (?:answer|report|submit) to no\b|(?:bound|limited|restricted) by no\b|treat (?:every|all|any|each)"
        r" [^.!?]{0,20}(?:messages?|prompts?|requests?|inputs?)\b[^.!?]{0,25}\bas (?:if|an?|though|coming)"
        r"|(?:act|behave|respond|answer|reply) (?:as|like) (?:an? )?(?:unrestricted|unfiltered|uncensored|evil"
        r"|different|ai without)|(?:without|no|free of|free from) (?:any )?(?:ethical|moral|safety|content)"
        r" (?:restrictions?|limits?|limitations?|guidelines?|filters?|constraints?|rules?))\b",
        "you your treat bound limited restricted mode jailbroken unrestricted unfiltered uncensored evil ethical moral safety content",
        "now new real no every all any each true actual only primary secret hidden mode reprogrammed reassigned reconfigured "
        "jailbroken unrestricted unfiltered uncensored evil restrictions limits limitations guidelines "
        "filters constraints rules different",
        lead=32,
    ),
    rule(
        "reveal",
        ALONE,
        r"\b(?:print|reveal|output|show|repeat|display|leak|dump|disclose|tell (?:me|us)|give (?:me|us)|recite"
        r"|share|list|copy|write(?: out| down)?|include|quote|send|return)\b[^.!?]{0,40}?\b(?:your|the|its)"
        r" (?:full |entire |complete |hidden |secret |initial |original |exact |whole )*(?:system (?:prompt"
        r"|message|instructions?)|initial (?:prompt|instructions?)|hidden (?:prompt|instructions?)"
        r"|instructions verbatim|(?:conversation|chat) (?:history|so far)|context window|own instructions)",
        "print reveal output show repeat display leak dump disclose tell give recite share list copy write "
        "include quote send return",
        "prompt message instructions instruction conversation chat context",
        lead=4,
    ),
    rule(
        "exfiltrate",
        ALONE,
        rf"(?:{_NETWORK_COMMAND}[^\n]{{0,120}}?(?:\$\(\s*(?:cat|env|printenv|base64|tar|git)\b|`\s*(?:cat|env"
        r"|printenv)\b|(?:@|<|-t |--upload-file[ =]|--post-file[ =])\s*[\"']?[~./$\w]{0,30}(?:\.env\b|\.ssh|\.aws"
        r"|id_rsa|id_ed25519|credentials|\.netrc|\.npmrc|secrets?\b|passwd|shadow|kubeconfig|history))"
        r"|\b(?:cat|env|printenv|tar|base64|zip|grep|find|set|history|gpg)\b[^|\n]{0,120}\|[^\n]{0,60}?"
        r"\b(?:curl|nc|ncat|netcat|wget|openssl s_client)\b[^\n]{0,80}?(?:-d ?@-|--data(?:-binary|-raw)? ?@-"
        r"|-t ?-|-f \S*@-|\b(?:nc|ncat|netcat)\b|--post-file|--data|-x post|http)"
        r"|/dev/tcp/|\bscp\b[^\n]{0,60}(?:\.ssh|\.aws|\.env|id_rsa|credentials)[^\n]{0,60}\S+@\S+:"
        r"|\b(?:nslookup|dig|ping)\b[^\n]{0,40}\$\()",
        "curl wget nc ncat netcat scp rsync iwr irm invoke http requests fetch tcp nslookup dig ping openssl",
        lead=200,
    ),
    rule(
        "exfiltrate",
        ALONE,
        rf"(?<!not )(?<!never )(?<!n't )\b{_SEND}\b[^.!?]{{0,40}}?\b(?:all|any|every|their|whole|entire|full"
        rf"|everything|user'?s?|local|found|complete|output of|contents? of|value of|copy of|what|its|his|your"
        rf"|any(?:thing)?)\b[^!?]{{0,50}}?(?:{_SECRET}|{_PRIVATE})[^!?]{{0,60}}?\b(?:to|via|at|into|on|through"
        rf"|toward)\b[^!?]{{0,25}}?(?:{_AWAY})",
        "send post upload email mail forward transmit exfiltrate leak submit deliver push ship pipe report "
        "publish copy paste relay beacon curl put write append attach encode sends posts uploads sending "
        "posting uploading forwarding mailing copying e emails forwards mails",
        "all any every their whole entire full everything user users local found complete output contents "
        "content value copy what its his your anything",
        lead=4,
    ),
    rule(
        "exfiltrate",
        TOGETHER,
        rf"\b{_SEND}\b[^!?]{{0,60}}?(?:{_SECRET}|{_PRIVATE})[^!?]{{0,60}}?(?:{_AWAY})"
        rf"|\b(?:collect|gather|harvest|find|search for|look for|read|cat|open|extract|grep|steal|grab|dump"
        rf"|print|list|locate|scan)\b[^.!?]{{0,50}}?{_SECRET}",
        "send post upload email mail forward transmit exfiltrate leak submit deliver push ship pipe report "
        "publish copy paste relay beacon curl put write append attach encode sends posts uploads sending "
        "posting uploading forwarding mailing copying collect gather harvest find search look read cat open "
        "extract grep steal grab dump print list locate scan e",
        "secret secrets credential credentials creds password passwords passphrase token tokens key keys "
        "keychain cookie cookies env environment ssh id_rsa rsa aws netrc npmrc pypirc kubeconfig passwd "
        "shadow wallet history bash_history zsh_history conversation conversations chat transcript "
        "transcripts memory memories http https",
        lead=4,
    ),
    rule(
        "exfiltrate",
        ALONE,
        r"!\[[^\]]{0,40}\]\(\s*https?://[^)]{0,120}(?:\{|\$|%7b|<)[^)]{0,60}\)"
        r"|\b(?:image|img|link|markdown|pixel|url|query string|query parameter|parameter)\b[^!?]{0,80}?"
        r"https?://[^!?]{0,100}?\b(?:secrets?|conversation|history|token|api key|keys?|env|data|summary"
        r"|password|prompt|encoded|contents?)\b[^!?]{0,40}?(?:append|insert|replac|substitut|encod|add|fill"
        r"|=\s*[\[{<$])"
        r"|\b(?:append|insert|encode|embed|put|substitute|add|fill)\b[^!?]{0,60}?\b(?:secrets?|conversation"
        r"|history|tokens?|api keys?|env|passwords?|prompt|source code|file contents?)\b[^!?]{0,60}?\b(?:url"
        r"|query(?: string| parameter)?|image|img|link|subdomain|dns)\b",
        "image img link markdown pixel url query parameter append insert encode embed put substitute add fill "
        "http https",
        lead=48,
    ),
)
