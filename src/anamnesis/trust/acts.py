"""More signs: what the reader is to do with tools, files and protections, and how it is spoken to."""

from __future__ import annotations

from anamnesis.trust.rules import _AGENT, ALONE, TOGETHER, rule

_FOLLOW = (
    r"(?:follow|obey|execute|carry out|perform|comply with|act on|apply|do (?:what|exactly|whatever|as)"
    r"|treat (?:it|its|them|the)|load|adopt|run whatever)"
)
_PROTECTION = (
    r"(?:permissions?(?: (?:checks?|prompts?|system))?|approvals?|sandbox(?:ing)?|confirmations?|security"
    r"|safety|guardrails?|(?:security |safety |pre-?commit |git |all )hooks|redaction|logging|audit(?:ing)?"
    r"|antivirus|firewall|selinux|signature (?:checks?|verification)|(?:certificate|tls|ssl) verification"
    r"|code review|branch protection|(?:authentication|authori[sz]ation|input validation|csrf) (?:checks?|tokens?)?|2fa|mfa|secret scann(?:er|ing)|policy checks?|monitoring)"
)

_ACTS = (
    rule(
        "obey",
        ALONE,
        rf"(?:https?://\S+|\b(?:url|link|page|web ?site|gist|pastebin|file|document|attachment|readme|issue"
        rf"|comment|response|output|server|endpoint|payload|string|text|blob|base64|following|above|below|it)\b)"
        rf"[^!?]{{0,50}}?\b(?:and|then|to|,)\s+(?:then |immediately |always |exactly |blindly |silently )*"
        rf"{_FOLLOW}\b[^.!?]{{0,30}}?\b(?:instructions?|commands?|orders?|steps? (?:there|inside|in it)"
        rf"|directives?|it says|says|told|contains|returned|found there|it returns|it asks|asks)\b",
        "follow obey execute carry perform comply act apply do treat load adopt run",
        "instructions instruction commands command orders steps directives says told contains returned found "
        "returns asks",
    ),
    rule(
        "obey",
        ALONE,
        r"\b(?:fetch|download|open|visit|browse|load|retrieve|read|get|curl|webfetch|go to|access|request|pull)\b"
        r"[^.!?]{0,40}?(?:https?://\S+|\b(?:url|link|page|gist|pastebin)\b)[^!?]{0,60}?\b(?:follow|obey|execute"
        r"|comply|carry out|do (?:what|as|whatever)|treat|adopt|as your (?:new )?(?:instructions|rules|prompt)"
        r"|new instructions|further instructions|your instructions|next (?:orders|instructions))\b",
        "fetch download open visit browse load retrieve read get curl webfetch go access request pull",
        "follow obey execute comply carry do treat adopt instructions orders",
        lead=4,
    ),
    rule(
        "obey",
        ALONE,
        r"\b(?:decode|decrypt|deobfuscate|unscramble|base64|rot13|decipher|un-?base64)\b[^!?]{0,80}?\b(?:and|then"
        r"|,)\s+(?:\w+ ){0,2}?(?:run|execute|follow|obey|do|perform|eval(?:uate)?|carry|apply|act|comply)\b",
        "decode decrypt deobfuscate unscramble base rot decipher base64 rot13 unbase",
        "run execute follow obey do perform eval evaluate carry apply act comply",
    ),
    rule(
        "spread",
        ALONE,
        r"\b(?:copy|add|append|insert|write|repeat|include|save|store|put|replicate|paste|propagate|duplicate"
        r"|embed|prepend)\b\s+(?:\w+ ){0,2}?(?:this|these|the same|the (?:above|following)|itself|yourself)\s+"
        r"(?:\w+ )?(?:notes?|instructions?|text|message|paragraph|rule|block|prompt|memory|lines?|sentence|order"
        r"|command|verbatim|exactly)?\b[^.!?]{0,40}?\b(?:to|in|into|at|across|with)\b[^.!?]{0,15}?\b(?:every|all|each"
        r"|any (?:new|other)|other|your (?:memory|memories|notes)|claude\.md|agents\.md|gemini\.md|new notes?"
        r"|memory|future)\b",
        "copy add append insert write repeat include save store put replicate paste propagate duplicate embed "
        "prepend",
        "this these same above following itself yourself",
        "every all each any other your claude agents gemini new memory future",
        lead=4,
    ),
    rule(
        "tool",
        ALONE,
        r"<\s*(?:function_calls?|invoke|tool_call|tool_use|antml:\w+|parameter name=)|\"(?:tool_name|tool_calls?"
        r"|function_call|tool_use)\"\s*:|\bmemory_(?:delete|forget|write|sync)\b[^.!?]{0,40}?\b(?:every|all|each"
        r"|for everything)\b|\b(?:delete|erase|wipe|forget|remove)\b (?:\w+ )?(?:all|every|everything in)(?: \w+){0,2}"
        r" (?:notes?|memor(?:y|ies))\b",
        "function invoke tool antml parameter memory delete erase wipe forget remove calls call use "
        "function_calls function_call tool_call tool_use tool_calls memory_delete memory_write",
        lead=4,
    ),
    rule(
        "tool",
        TOGETHER,
        r"\b(?:call|use|invoke|run|trigger|launch|execute)\b (?:\w+ ){0,2}?(?:tool|bash tool|shell tool|webfetch"
        r"|web ?fetch|web search|memory_\w+|mcp\w*|function|terminal tool|browser tool|edit tool|write tool)\b"
        r"|\b(?:execute|run|issue) (?:the )?(?:following|this|these|below) (?:\w+ )?(?:commands?|code|script|payload"
        r"|snippet)\b",
        "call use invoke run trigger launch execute issue",
        lead=4,
    ),
    rule(
        "shell",
        TOGETHER,
        r"(?:\b(?:curl|wget|fetch)\b[^\n|]{0,160}\|\s*(?:sudo\s+)?(?:-\w+\s+)?(?:/bin/)?(?:ba|z|da|k)?sh\b"
        r"|\b(?:curl|wget)\b[^\n|]{0,160}\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby|php)\b"
        r"|(?:bash|sh|zsh|source|eval|\.)\s*(?:-c\s*)?[\"'<(`$ ]{1,4}\s*(?:curl|wget)\b"
        r"|base64\s+(?:-d|--decode|-D)\b[^\n]{0,40}\|\s*(?:ba|z)?sh\b|\biex\b|invoke-expression|downloadstring"
        r"|\b(?:curl|wget|download|fetch|get)\b[^!?]{0,120}?(?:&&|;|\band (?:then )?)\s*(?:\w+ ){0,2}?(?:chmod \+x"
        r"|sh\b|bash\b|\./|run it|execute it|run the (?:script|file|binary)|execute the|python3? \S+\.py)"
        r"|\beval\(|exec\(base64|python3? -c [\"'][^\n]{0,80}(?:urlopen|requests|socket|exec)|\bnc\b[^\n]{0,40}-e\b"
        r"|\b(?:npm|pip3?|uv|npx|uvx|pipx)\b (?:\w+ ){0,2}?(?:-\w+ )*(?:https?://|git\+http)"
        r"|mshta|certutil -urlcache|powershell (?:-\w+ )*-e(?:nc(?:odedcommand)?)?\b)",
        "curl wget fetch iex invoke downloadstring base bash sh eval exec python nc npm pip uv npx uvx pipx mshta "
        "certutil powershell download get source base64 python3 pip3",
        lead=16,
    ),
    rule(
        "destroy",
        TOGETHER,
        r"(?:\brm\s+-\w*[rf]\w*\s+(?:--no-preserve-root\s+)?(?:-\w+ )*[\"']?(?:/(?:\s|\*|$|[\"'`.,;])|~|\$home|\*"
        r"|\.(?:git)?(?:\s|/|$|[`\"']))|\bmkfs\b|\bdd if=|:\(\)\s*\{|\bdrop (?:database|table|schema)\b|\bformat c:"
        r"|\b(?:delete|wipe|erase|remove|destroy|truncate|overwrite|shred|purge)\b (?:\w+ ){0,2}?(?:all|every"
        r"|everything|entire|whole|the user'?s?|their|backups?|\.git\b|home directory|history|production)"
        r"|git push (?:-f|--force)\b[^.!?]{0,30}|git reset --hard|git filter-branch|force[- ]push)",
        "rm mkfs dd drop format delete wipe erase remove destroy truncate overwrite shred purge git force",
    ),
    rule(
        "weaken",
        TOGETHER,
        rf"(?:--?dangerously[-\w]*|bypasspermissions|--yolo\b|auto-?approve|skip-?permissions|--no-sandbox"
        rf"|danger-full-access|\b(?:disabl(?:e|ing)|turn(?:ing)? off|switch(?:ing)? off|remov(?:e|ing)|skip(?:ping)?"
        rf"|bypass(?:ing)?|deactivate|uninstall|circumvent|weaken|suppress|get around|ignore)\b[^.!?]{{0,30}}?"
        rf"{_PROTECTION}|\b(?:allow|grant|approve|accept|whitelist|permit|enable|set)\b (?:\w+ ){{0,3}}?(?:all|every|any"
        rf"|full|unrestricted|everything|bash\(\*\)|\*)(?: \w+){{0,2}}? (?:tools?|commands?|permissions?|access|requests?"
        rf"|actions?|calls?)|\bbash\(\*(?::\*)?\)|(?:edit|change|modify|update|overwrite|add|write|set|rewrite|append)\b"
        rf"[^.!?]{{0,50}}?(?:settings(?:\.local)?\.json|\.mcp\.json|claude\.md|agents\.md|gemini\.md|\.claude\b"
        rf"|config\.toml|\.bashrc|\.zshrc|\.profile|crontab|authorized_keys|\.git/hooks|sudoers|mcp server))",
        "dangerously bypasspermissions yolo auto autoapprove skip no danger disable disabling turn turning switch "
        "switching remove removing skipping bypass bypassing deactivate uninstall circumvent weaken suppress get "
        "ignore allow grant approve accept whitelist permit enable set bash edit change modify update overwrite add "
        "write rewrite append",
        "dangerously bypasspermissions yolo autoapprove approve permissions permission sandbox sandboxing approval "
        "approvals confirmation confirmations security safety guardrails guardrail hooks redaction logging audit "
        "authentication authorization authorisation validation csrf auditing antivirus firewall selinux signature certificate tls ssl review protection mfa fa scanning "
        "scanner policy monitoring tools commands access actions calls requests bash settings mcp claude agents "
        "gemini config bashrc zshrc profile crontab authorized_keys authorized git sudoers full",
        lead=16,
    ),
    rule(
        "backdoor",
        ALONE,
        r"\b(?:back-?doors?|reverse[- ]shell|bind[- ]shell|keylogger|rootkit|ransomware|cryptominer|malware payload)\b"
        r"[^.!?]{0,60}?|\b(?:add|insert|append|write|put|echo)\b[^.!?\n]{0,80}?(?:ssh-(?:rsa|ed25519)|public key|this key"
        r"|my key|following key|our key)[^\n!?]{0,120}?authorized_keys"
        r"|\b(?:add|install|create)\b[^.!?]{0,40}?\b(?:cron ?job|crontab|launch ?agent|systemd (?:unit|service|timer)"
        r"|scheduled task|startup script)\b[^!?]{0,80}?(?:https?://|curl|wget|\bnc\b|beacon|every minute)",
        "backdoor backdoors door doors back reverse bind keylogger rootkit ransomware cryptominer malware "
        "authorized_keys authorized keys cron cronjob crontab launch launchagent systemd scheduled startup",
        "add insert append write put echo install create open start plant leave introduce include run set launch "
        "spawn embed hide deploy",
    ),
    rule(
        "consent",
        TOGETHER,
        r"\b(?:(?:the |your |this )?(?:user|human|operator|owner|administrator|admin|developer|maintainer)s? (?:has |have "
        r"|had )?(?:already |fully |previously |explicitly )*(?:approved|agreed|consented|authori[sz]ed|confirmed"
        r"|permitted|allowed|granted|signed off|wants? (?:you|this)|requested|given (?:permission|consent))"
        r"|pre-?(?:approved|authori[sz]ed)|no (?:further |additional |explicit |user )?(?:confirmation|approval|permission"
        r"|consent|review) (?:is |are )?(?:needed|required|necessary)|(?:approval|permission|consent) (?:is|was|has been) "
        r"(?:already )?(?:granted|given|implied)|(?:message|notice|directive|order|instruction|update|policy|request)s? "
        r"from (?:anthropic|openai|google|the (?:system|developers?|administrators?|security team|it department|platform))"
        r"|(?:anthropic|openai|google|system administrator|security team) (?:requires?|instructs?|orders?|demands?|mandates?)"
        r"|(?:official|mandatory|urgent) (?:security |system )?(?:directive|order|instruction|policy update|override)"
        r"|trusted (?:instruction|source|system message)|system[- ]level|authori[sz]ation code)\b",
        "user human operator owner administrator admin developer maintainer users developers pre preapproved "
        "preauthorized no approval permission consent message notice directive order instruction update policy "
        "anthropic openai google security official mandatory urgent trusted system authorization authorisation from",
        "approved agreed consented authorized authorised confirmed permitted allowed granted signed wants requested "
        "given preapproved preauthorized needed required necessary implied anthropic openai google developers "
        "developer administrators administrator platform directive order instruction override trusted level code team",
        lead=24,
    ),
    rule(
        "steer",
        TOGETHER,
        r"\b(?:always|only|must|make sure to|be sure to) (?:\w+ )?(?:recommend|suggest|promote|advertise|praise"
        r"|endorse|mention|link to|convince|persuade|urge|claim|assure|insist|lie|deny|answer|reply|respond|say|tell the"
        r" user)\b|\b(?:tell|convince|persuade|assure|ask|urge|trick|lie to|instruct) (?:the |your )?(?:user|human"
        r"|developer|person)s?\b",
        "recommend suggest promote advertise praise endorse mention link convince persuade urge claim assure insist "
        "lie deny answer reply respond say tell ask trick instruct",
        lead=32,
    ),
    rule(
        "address",
        TOGETHER,
        rf"(?:^|[.!?:;\n>*#(\[\"-]\s*)(?:hey |hi |hello |dear |attention,? |note (?:to|for) |to |for |important(?: note)?"
        rf"(?: to| for|:)? ?|(?:instructions?|directives?|tips?|advice|guidance|hints?|orders?|rules?|todos?) ?(?:to|for) |message (?:to|for) |reminder (?:to|for) |warning (?:to|for) )?"
        rf"(?:the |any |all |every )?{_AGENT}(?: (?:reading|processing|that reads?|who reads?|which reads?)[^.,:!?]{{0,30}})?"
        rf"\s*[:,!]|\b{_AGENT}s? (?:must|should|shall|will|has to|have to|is to|are to|needs? to|is (?:hereby )?"
        rf"(?:instructed|required|ordered)|reading this|that reads? this|who reads? this|processing this)\b"
        rf"|\b(?:if|as|since|because|when) (?:you are|you're|you) (?:an? |the )?{_AGENT}\b|\bas (?:an? |the )(?:ai|assistant"
        rf"|language model|coding agent|agent)\b",
        "ai llm llms language assistant assistants agent agents model models chatbot chatbots bot bots copilot claude "
        "codex gemini cursor chatgpt gpt i",
        harm=False,
    ),
    rule(
        "address",
        TOGETHER,
        r"\b(?:when(?:ever)? you (?:read|see|load|recall|retrieve|encounter|are (?:given|shown)|find|receive) this"
        r"|if you (?:can |are able to )?(?:read|see|are reading|find) this|upon reading this|after reading this|you who read"
        r"|who(?:ever|so) reads this|your (?:next |final |first |every )?(?:answer|answers|reply|replies|response"
        r"|responses|output|tools?|tool calls?|memory|context|instructions|system prompt|training|summary|session|task)"
        r"|you (?:must|shall|will|are to|need to|have to|are required to|should) (?:now |always |immediately |silently "
        r"|first |secretly |quietly )|(?:system|new|updated|additional|hidden|secret|priority|important|critical|urgent|real) "
        r"(?:instructions?|directives?|orders?|prompt|override|command|task)s?(?: for| to|:|\b))",
        "you your whoever upon after who when system new updated additional hidden secret priority important critical "
        "urgent real whosoever",
        harm=False,
    ),
    rule(
        "when",
        TOGETHER,
        r"\b(?:before (?:you )?(?:answer|answering|respond|responding|reply|replying|doing anything|anything else"
        r"|any other|you (?:do|continue|start|begin|proceed|help)|continuing|proceeding|helping|each (?:answer|reply"
        r"|response|task|session|turn)|every (?:answer|reply|response|task|session|turn)|starting any)"
        r"|(?:at|on) (?:the )?(?:start|beginning|end) of (?:each|every|any|the next|your next|this|a|your) (?:session"
        r"|conversation|reply|answer|response|turn|task|chat)|in (?:each|every|all|your next|your) (?:reply|answer|response"
        r"|replies|answers|responses|session|message|turn)s?|(?:each|every) time (?:you|the user)|next time you"
        r"|when(?:ever)? the user (?:asks|says|mentions|types|requests|opens|wants)|as (?:the|your) first (?:action|step"
        r"|thing|act)|first thing you|on every (?:prompt|turn|session|request|message)|after (?:each|every) (?:commit|reply|answer|session|task|edit|turn))\b",
        "answer answering respond responding reply replying anything other you continuing proceeding helping "
        "answers replies response responses session sessions conversation turn task chat message messages user "
        "first prompt request commit",
        harm=False,
    ),
    rule(
        "host",
        TOGETHER,
        r"(?:https?://(?:[\w.-]*(?:evil|attack|exfil|malicious|malware|hacker|steal|stolen|leak|c2|phish|collect|payload"
        r"|webhook\.site|ngrok|requestbin|pipedream|burpcollaborator|oastify|interact\.sh|oast\.|pastebin|paste\.|hastebin"
        r"|transfer\.sh|0x0\.st|bit\.ly|tinyurl|t\.co/|dropzone|beeceptor|serveo|trycloudflare|loot|grab|beacon|rat\b"
        r"|\.onion|\.xyz|\.tk\b|\.top\b|\.ru\b|\.su\b|\.cc\b|\.pw\b|\.zip\b|\.click|\.icu)"
        r"|(?:\d{1,3}\.){3}\d{1,3}(?<!127\.0\.0\.1)(?<!0\.0\.0\.0))|\b(?:attacker|evil|exfil)[\w-]*\.\w{2,}"
        r"|discord(?:app)?\.com/api/webhooks|api\.telegram\.org/bot)",
        "http https attacker evil exfil discord telegram discordapp",
    ),
    rule(
        "markup",
        TOGETHER,
        r"(?:<\|?(?:im_start|im_end|system|endoftext|start_header_id|eot_id|assistant|user)\|?>|\[/?(?:inst|system)\]"
        r"|<</?sys>>|</?(?:system(?:-reminder|_prompt|-message)?|admin|instructions?|important|secret)>"
        r"|(?:^|[\s#*>])(?:system|assistant|human|user)\s*:\s|#{2,}\s*(?:system|instruction|new instructions?)\b"
        r"|begin (?:system|new|hidden|secret) |end of (?:user|system) (?:input|prompt|message)|\bsystem (?:override|message"
        r"|notice|alert|update|command)\b)",
        "system inst sys im_start im_end im assistant human user instruction instructions begin end endoftext admin "
        "important secret start_header_id eot_id",
        harm=False,
    ),
    rule(
        "hidden",
        TOGETHER,
        r"<!--(?:(?!-->).){0,400}?\b(?:you|your|agents?|assistants?|claude|ai|llm|model|must|execute|curl|ignore|send)\b"
        r"|(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?!\.)|color\s*:\s*(?:#fff(?:fff)?"
        r"|white|transparent))[^<>]{0,60}>[^<]{0,300}\b(?:you|your|agents?|assistants?|claude|ai|must|run|send|execute)\b"
        r"|\[//\]: ?#",
        "you your agent agents assistant assistants claude ai llm model must execute curl ignore send run",
        harm=False,
    ),
)
