"""What words mean in a text that steers an agent: a word, the concepts it can stand for.

English is here, other languages are in `languages`; the grammar over the concepts is the same for all.
A star ends a stem. Verbs stand in the forms of an order (`send`, `sending`), because what merely describes
(`the worker sends`) orders nothing. A word may stand under several concepts.
"""

from __future__ import annotations

ENGLISH = {
    # what work is about, so that what is learned of it in one language holds in all
    "PRODUCTION": "production prod live",
    "DATABASE": "database databases db table tables records rows",
    "REVIEW": "review reviews reviewed pull-request pr prs merge merges merged merging approve approves",
    "ACCOUNT": "account accounts admin sudo superuser collaborator login logins role roles",
    "WEAKNESS": "vulnerability vulnerabilities hole holes weakness cve cves",
    "INCIDENT": "incident incidents postmortem outage revoked rotated locked",
    "OUTCOME": "done fixed added found cause fix result outcome todo decision asked pending remaining",
    "DECLINED": "declined refused rejected reported ignored quoted",
    "CUSTOMER": "customer customers client auditor auditors vendor",
    "COMMITTED": "commit commits commit-message changelog",
    "EXCUSE": "blame fault provider glitch excuse",
    "UNREAD": "unseen unread unreviewed blindly",
    "SHIPPING": "release releases released releasing tag tags tagged pipeline pipelines rollout rollouts rollback staging canary version "
    "versions draft drafts announcement announcements milestone changelog hotfix backport deployment deployments deploy "
    "deploys deployed artifact artifacts artefact wheel tarball smoke ci runbook checklist",
    "UPKEEP": "backup backups snapshot snapshots restore restored migration migrations migrate rotate rotation renew on-call pager "
    "alert alerts dashboard maintenance failover replica drain cron timer",
    "INSECURE": "stricthostkeychecking userknownhostsfile require-sigs setenforce nopasswd privileged --privileged write-all "
    "pull_request_target gonosumdb insecure --insecure -insecure 777 roles/owner insecureskipverify --no-check-certificate "
    "--trusted-host trusted-host unsigned plaintext plain-text md5 unpinned hard-coded hardcoded wildcard public-read "
    "world-writable unencrypted unauthenticated skip-verify verify=false strict-ssl",
    # whom it speaks to, and about
    "AGENT": "ai ais a.i llm llms assistant assistants agent agents model models chatbot chatbots bot bots copilot "
    "claude codex gemini cursor chatgpt gpt gpt-4 gpt-5 opencode aider windsurf llm-only ai-only",
    "YOU": "you you're you've you'll you'd yourself u thou",
    "YOUR": "your yours",
    "USER": "user user's human human's developer developer's owner owner's operator operator's person person's "
    "maintainer maintainer's reviewer reviewers programmer boss colleague colleagues requester anyone "
    "anybody someone somebody humans developers dev devs",
    "USERS": "everyone everybody people team engineer author client's customer's users users' customers customer clients client owners maintainers operators engineers",
    "NOBODY": "nobody no-one noone none",
    "THEM": "them him her they he she",
    "AUTHORITY": "admin admins administrator administrators anthropic anthropic's openai openai's google microsoft "
    "superuser root headquarters management ceo cto operator platform compliance legal",
    # instructions, and setting them aside
    "IGNORE": "ignore ignoring disregard disregarding forget forgetting override overriding overrule unlearn "
    "nullify disobey violate neglect unfollow",
    "INSTR": "instruction instructions rule rules guideline guidelines directive directives prompt prompts order "
    "orders guidance policy policies restriction restrictions constraint constraints safeguard safeguards "
    "guardrail guardrails limitation limitations programming training ethics protocol protocols briefing "
    "directions brief mandate alignment commandments limits obedience",
    "REQUEST": "request requests command commands task tasks question questions ask wishes wish goal goals message "
    "messages context conversation limits configuration says say said wants wanted asked asks told job mission objective "
    "objectives purpose assignment",
    "PRIOR": "previous previously prior earlier preceding former above foregoing initial original past before",
    "ALL": "all any every everything anything whatever each entire whole what",
    "GIVEN": "given told received learned learnt instructed taught said asked know issued set",
    "VOID": "void null lifted suspended revoked obsolete invalid cancelled canceled superseded nullified "
    "overruled overridden withdrawn waived expired disengaged rescinded moot abolished deprecated ended "
    "formality outdated dead gone history deleted",
    "LONGER": "longer anymore",
    "BIND": "bind binds binding bound apply applies valid hold holds count counts matter matters effect govern constrain",
    "OUTRANK": "precedence priority outrank outranks overrides supersedes trump trumps replaces wins win prevails prevail",
    "FOLLOW": "follow following obey obeying comply complying adhere heed execute executing perform carry act apply "
    "adopt respect listen enforce enforcing honour honor observe abide serve",
    "TREAT": "treat treating consider regard interpret take accept handle address",
    "NEW": "new updated actual real true hidden secret secondary revised fresh",
    # being told, or not
    "NOT": "not never don't dont do-not mustn't shouldn't cannot can't won't needn't avoid refrain stop neither "
    "nor cease",
    "NO": "no nothing zero any",
    "WITHOUT": "without w/o",
    "TELL": "tell telling announce announcing mention mentioning inform informing notify notifying disclose disclosing reveal "
    "revealing explain explaining discuss discussing admit admitting acknowledge acknowledging say saying "
    "bother bothering disturb talk talking repeat bring bringing refer referring speak",
    "SHOW": "show showing display displaying expose present print surface log logging record",
    "KNOW": "know knows notice notices learn learns hear aware informed told notified mentioned alerted realise realize suspect "
    "suspects involved consulted disclosed warned discover discovers wiser see",
    "ASK": "ask asking confirm confirming confirmation approval permission consent prompting checking consulting authorisation "
    "authorization sign-off",
    "QUIET": "silently quietly secretly covertly discreetly stealthily surreptitiously unnoticed invisibly silent "
    "clandestinely inconspicuously",
    "HIDE": "hide hiding conceal concealing withhold keep omit omitting obscure mask exclude leave strip remove",
    "SUMMARY": "summary answer answers reply replies response responses report output transcript log logs changelog "
    "explanation message messages diff diffs",
    "THIS": "this these it that its itself",
    "NOTE": "note notes text paragraph passage instruction instructions memory message sentence document directive prompt "
    "rule memories order",
    # what is done
    "SEND": "send sending upload uploading post posting transmit transmitting forward forwarding email emailing "
    "e-mail mail mailing exfiltrate exfiltrating leak leaking submit deliver ship relay publish put push "
    "pushing report paste pasting share beacon pipe stream sync mirror export exporting dm text tweet "
    "smuggle siphon hand scp rsync sftp drop sneak whatsapp fax",
    "COPY": "copy copying append appending include including attach attaching embed embedding encode encoding "
    "insert inserting write writing add adding store storing save saving paste put back prepend",
    "SENT": "sent uploaded posted transmitted forwarded emailed mailed copied exported shared published pushed delivered "
    "submitted attached included",
    "READ": "read reading cat print printing list listing dump dumping collect collecting gather gathering harvest reveal "
    "revealing output display show extract grep steal grab retrieve recite access open find locate scan search zip tar "
    "archive printenv tell give look enumerate",
    "RUN": "run running execute executing launch launching eval evaluate invoke start source perform spawn deploy install trigger "
    "exec bash sh kick",
    "FETCH": "fetch fetching download downloading curl wget get pull load retrieve open visit browse webfetch iwr access install "
    "clone consult check request import poll",
    "CHANGE": "edit editing change changing modify modifying update updating overwrite add adding write writing set setting append "
    "replace replacing insert inserting create creating install installing register configure put rewrite patch enable make turn "
    "redirect point switch plant alter tweak",
    "DESTROY": "delete deleting erase erasing wipe wiping remove removing destroy destroying drop truncate shred purge overwrite rm nuke "
    "corrupt format empty clear",
    "DISABLE": "disable disabling deactivate bypass bypassing skip skipping circumvent suppress remove removing "
    "uninstall weaken lift ignore evade neutralise neutralize kill relax omit stop defeat sidestep "
    "swallow ditch abolish dodge silence",
    "TURN": "turn turning switch switching keep leave",
    "OFF": "off",
    "ALLOW": "allow grant approve accept whitelist allowlist permit enable authorise authorize merge auto-approve autoapprove "
    "pre-approve approving merging allowed",
    "DECODE": "decode decrypt deobfuscate unscramble decipher decoding unpack translate rot13 base64 un-base64",
    "OPEN": "open opening start create establish leave plant add build introduce",
    "RECOMMEND": "recommend recommending suggest promote advertise praise endorse convince persuade urge claim assure "
    "insist lie pretend deny promise favour favor say answer reply respond state report mention tell",
    "PRETEND": "pretend act roleplay role-play play impersonate imagine behave become simulate",
    # what it is done to
    "SECRET": "secrets credential credentials creds password passwords passphrase passphrases keychain keyring "
    "id_rsa id_ed25519 printenv netrc kubeconfig wallet wallets shadow passwd .env dotenv bash_history "
    "zsh_history hosts.yml vault keystore .netrc .pypirc .pgpass ssh-keys",
    "TOKEN": "token tokens api-key apikey api_key api-keys apikeys password secret pat keys key cookie certificate "
    "cookies",
    "KEY": "key keys",
    "KEYKIND": "private ssh api access signing secret gpg deploy master encryption pgp aws",
    "PRIVATE": "conversation conversations chat chats transcript transcripts history environment clipboard home "
    "keystrokes screenshots context prompt prompts memory memories contacts inbox .git customers salaries "
    "payroll notes diary browser personal variables customer-list keystroke",
    "CONTENTS": "contents content file files code source repository repo codebase database table tables diff diffs "
    "data output result results variables directory folder workspace dump value values project everything "
    "logs log db.sqlite3 message messages copy archive backup",
    "DEST": "webhook gist pastebin ngrok paste-site external attacker attacker's telegram discord c2 third-party "
    "ftp public pastebin.com transfer.sh internet exfil",
    "GUARD": "permission permissions approval approvals sandbox sandboxing confirmation confirmations security "
    "safety guardrail guardrails hook hooks redaction audit auditing antivirus firewall selinux "
    "verification review reviews protection protections 2fa mfa authentication authorization "
    "authorisation monitoring scanner scanning interlock interlocks restrictions safeguards prompts "
    "filters filter checks csrf logging tls ssl validation quarantine two-factor signing signatures check "
    "pre-push pre-commit 2-factor branch-protection assertions assertion tests linter",
    "CONFIG": "settings.json settings.local.json .mcp.json claude.md agents.md gemini.md .bashrc .zshrc .profile crontab cron "
    "authorized_keys sudoers config.toml pip.conf .npmrc .gitconfig launchagent cronjob .bash_profile ~/.claude known_hosts hosts "
    "mcp.json .cursorrules copilot-instructions.md /etc/hosts",
    "DANGER": "bypasspermissions dangerously-skip-permissions --dangerously-skip-permissions skip-permissions --yolo --no-verify "
    "autoapprove danger-full-access bash(*) bash(*:*) --no-sandbox auto-approve --trust-all-tools allow-all --allow-all",
    "BACKDOOR": "backdoor backdoors back-door keylogger rootkit ransomware cryptominer malware trojan reverse-shell spyware miner ransom",
    "TUNNEL": "shell tunnel",
    "REVERSE": "reverse bind",
    "SUBJECT": "tools tool commands command access actions calls requests shell everything code",
    "TOOL": "tool webfetch memory_write memory_delete memory_search mcp function bash terminal browser tools memory_forget",
    "MEMORYTOOL": "memory_write memory_delete memory_forget",
    "FILEOUT": "issue issues page comment comments readme webpage website site email ticket output response document file gist link url "
    "server endpoint text pr description",
    "DIRECTORY": "directory folder repository repo disk history files file backups backup database branch branches notes memories home drive "
    "project system production tree commits everything",
    # when and how strongly
    "MUST": "must should shall required ordered instructed obliged mustn't shouldn't supposed directed requested",
    "NOW": "now henceforth hereafter onwards hereby",
    "FROM": "from as starting beginning effective",
    "ALWAYS": "always every each whenever permanently future subsequent later daily forever next all any",
    "SESSION": "session sessions startup start-up reply replies answer answers response responses turn turns "
    "conversation conversations interaction interactions",
    "WHEN": "when whenever if once before after upon until while",
    "MEET": "read reads reading see sees load loading recall retrieve encounter find receive process processing parse parsing ingest index "
    "indexes summarise summarising summarize summarizing answer answering respond responding reply replying finish finished start "
    "begin write render open work touch reviewing review continue continuing proceed help anything generate asked commit",
    "ASKS": "asks says mentions types requests opens wants asking inquires queries questions prompts",
    "APPROVED": "approved agreed consented authorised authorized confirmed permitted granted signed-off verified "
    "pre-approved preapproved pre-authorised pre-authorized pre-reviewed okayed cleared vetted consents "
    "accepted allowed yes pre-cleared precleared greenlit blessed waived okay ok authorises authorizes "
    "permits allows",
    "NEEDED": "needed required necessary need needs bother requires",
    "ARE": "are are: is be become am were was you're act",
    "JAILBREAK": "dan jailbreak jailbroken unrestricted unfiltered uncensored amoral unbound omnipotent unshackled",
    "MODE": "mode persona character",
    "MODEKIND": "god jailbreak dan unrestricted unsafe unfiltered uncensored",
    "WITHOUTRULES": "restrictions restriction limits limitations policy policies filters filter rules constraints boundaries ethics guidelines",
    "EVEN": "even although regardless despite whatever",
    "FAIL": "fail fails failed failing false wrong broken untrue not didn't don't doesn't red unsafe vulnerable",
    "ABOVE": "above before so-far line previous",
    "TEST": "test joke fake example exercise simulation placeholder decoy",
    "MEANS": "means signals triggers activates codeword",
    "TRACE": "trace traces tracks evidence",
    "OUT": "out aside away",
    "WORK": "doing work working",
    "PR": "pr prs pull-request pull merge-request patches changes commits",
    "DIRECTLY": "straight directly yourself immediately blindly unread unreviewed automatically",
    "TREATAS": "as like",
    "CALLVERB": "call use invoke calling",
    "AI_SELF": "i my i'll i'm me",
    "DROP": "bypass discard dismiss abandon cancel drop skip suspend overlook break supersede retire scrap set "
    "lay put throw skipping stop",
    "STANDING": "system system's safety security developer's operator's anthropic's openai's default built-in "
    "standing current existing old ethical content company owner's project's",
    "BEEN": "been so far until up",
    "PROMOTE": "promote advertise praise endorse convince persuade lie recommend recommending urge assure steer "
    "trick talk",
    "MOMENT": "today moment point here tonight tomorrow on onward",
    "EVERY": "every each all future later subsequent next any",
    "EVENT": "commit commits request requests task tasks prompt prompts question message morning project projects "
    "run pr step",
    "REPLY": "summary answer answers reply replies response responses report recap final",
    "PLEASE": "please kindly mind",
    "TELLN": "tell announce mention inform notify disclose reveal explain discuss admit acknowledge say bother disturb talk "
    "report reporting alert alerting warn warning raise flag let letting consult confirm ask asking "
    "trouble involve telling informing notifying",
    "DID": "did does had would could might wouldn't couldn't if",
    "KEEP": "keep keeping stay remain",
    "QUIETLY": "quiet secret hidden confidential mum private silent under-wraps invisible",
    "PLACE": "server remote endpoint channel collector address host mirror bucket site website url outside dropbox "
    "dns mailbox link slack issue comment pr",
    "USERPOSS": "user's developer's owner's human's person's customer's their his her operator's",
    "ENTER": "enter unlock activate enable switch go turn",
    "DEVMODE": "developer debug maintenance admin root sudo god",
    "COVER": "cover leave clear",
    "WHO": "anyone whoever whosoever anybody who everybody everyone agent agents assistant model ai llm",
    "READS": "reads reading read processing processes sees parsing indexes loads summarises summarizes",
    "INSTRPLUS": "instructions directives orders guidelines rules restrictions prompt guardrails safeguards policies",
    "CODEWORD": "word phrase keyword codeword emoji",
    "URGENT": "urgent override critical mandatory official emergency priority",
    "ABOUT": "about on of",
    "ONLY": "only sole",
    "ANY": "any anything",
    "SENDAWAY": "push pushing send upload post mail transmit",
    "UPLOADNOUN": "upload transfer copying sending delivery",
    "FOREIGNKEY": "our my following this attached below",
    "HELLO": "hey hi hello dear attention yo",
    "FORAGENT": "for to note reminder message attention instructions instruction action thing word hint tip notice "
    "memo whichever whatever any",
    "MACHINE": "machine reader automation program bot software system tool",
    "DISABLED": "bypassed disabled skipped deactivated off suppressed ignored removed circumvented lifted commented",
    "CLAIM": "claim claiming pretend pretending lie lying assert feign",
    "THOUGH": "though if",
    "NEGV": "skip skipping omit omitting hates hate refuse resist dislikes avoids spare",
    "COMM": "asking telling mentioning asked told notified informed mention discuss discussing reporting "
    "notifying informing bothered disturbed trouble",
    "NOTN": "doesn't don't didn't never not no without isn't nothing",
    "WORD": "word mention comment peep reference trace note explanation notification notice",
    "MAKE": "make leave give",
    "BETWEEN": "between amongst among",
    "US": "us ourselves",
    "QUERY": "query queries request requests search commit message url reply answer response call calls prompt "
    "comment pr",
    "REASON": "reason need point use cause sense",
    "READWITHOUT": "reading review reviewing looking checking tests inspection",
    "STAY": "stay keep remain be",
    "SILENT": "silent quiet mum tight-lipped discreet",
    "SAYNOTHING": "nothing",
    "ASKED": "asked prompted requested",
    "DOIT": "do perform",
    "SELFNOTE": "note notes text message instruction instructions paragraph prompt memory directive",
    "ARTICLE": "the an a this",
    "SELF": "self myself itself i",
    "UNTOLD": "unmentioned unreported undisclosed unaware unannounced undocumented unseen unsaid",
    "POINT": "point",
    "ON": "on",
    "LET": "let letting",
    "OUR": "our",
    "LITTLE": "little small",
    "REPORTED": "reported mentioned said disclosed told logged noted recorded documented",
    "COMMENT": "comment remark elaborate",
    "WAIT": "wait pause hesitate",
    "OTHERS": "others people colleagues rest anyone",
    "LEAD": "and mind then please also first just now always immediately simply kindly must should shall by next "
    "finally automatically only instead silently quietly secretly covertly discreetly stealthily begin "
    "start begins requires need may never don't not dont do cannot without stop avoid - to-do so free or "
    "et und och og",
    "BOUND": "required have has need needs needed ordered instructed supposed obliged is are was you able asked "
    "want wants agents expected allowed tell it's how agree free going about ready encouraged invited "
    "told feel",
    "TO": "to",
    "THAT": "that",
    "COULD": "could would can will",
    "OVER": "over above before",
    "SENDS": "sends forwards uploads posts transmits mails copies",
    "AUTOMATIC": "automatic automatically implicit implied",
    "SCRIPTTAG": "script script-tag iframe tag pixel beacon",
    "SUCCESS": "passed passes succeeded green fine complete completed done successful worked works",
    "RECEIVE": "receive obtain",
    "LEAK": "leak leaking exfiltrate exfiltrating siphon smuggle steal stealing",
    "DEPENDENCY": "dependency package library module remote registry mirror gateway proxy plugin extension server",
    "REPEATV": "repeat recite print output echo reproduce quote",
    "WORDSN": "words text sentences everything paragraph paragraphs lines message",
    "OBJECT": "objects disagrees refuses protests complains declines forbids says",
    "HUMAN": "person human operator developer owner",
    "ENDS": "end ends stop stops",
    "ANSWERTO": "answer report belong listen",
    "FINDS": "finds find discovers discover",
    "SILENCE": "silence secret private",
    "DETAILS": "details detail trouble worry",
    "CHANGEN": "change changes edit step this it",
    "REPLYING": "replying answering responding",
    "WHATEVER": "whatever everything anything",
    "FURTHER": "further additional more next",
    "ENVDUMP": "env printenv",
    "PUBLICDOC": "readme readme.md wiki gist changelog.md",
    "SETTINGSW": "settings settings.json allowlist allow-list permissions",
    "TRUEW": "true on always all yes",
    "DENY": "deny denied",
    "PERMW": "permission permissions",
    "LIE": "lie",
    "HIDDENW": "hidden secret internal underlying",
    "PREFERS": "prefers wants likes expects asked asks insists",
}  # fmt: skip

# Verbs of an order: in English they count only where an order has its verb.
ACTS = frozenset(
    [
        "SEND",
        "COPY",
        "READ",
        "RUN",
        "FETCH",
        "CHANGE",
        "DESTROY",
        "DISABLE",
        "ALLOW",
        "DECODE",
        "OPEN",
        "FOLLOW",
        "TREAT",
        "RECOMMEND",
        "PRETEND",
        "IGNORE",
        "CALLVERB",
        "TURN",
        "CLAIM",
        "DROP",
        "LEAK",
        "REPEATV",
    ]
)
