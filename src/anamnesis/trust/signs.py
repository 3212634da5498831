"""The signs of an order to an agent, as rows of concepts, with the points that each gives.

A sign is never a word: a developer's notes rightly say "always run", "ignore the warning" and "never tell". It is an act
together with what it is aimed at, or a way of speaking to the reader. Points of different kinds nearby are added up
(`verdict`); a text is held when they reach `ENOUGH`.

How a row is written: `IGNORE _6 INSTR` is a word of each, with up to six others between, in one sentence; `~9` also
crosses sentences; `A|B` is either; `A?` may be missing; `^` begins a sentence or a part of one. `{A B C}9` are all of
them in any order within nine words. Rows are parted by `;`. One that begins with `+` counts also behind a "not"; every other act does not.
"""

from __future__ import annotations

ENOUGH = 4

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
    "act": "it has the reader change or fetch something",
    "role": "it gives the reader another role",
    "consent": "it claims an approval or an authority",
    "steer": "it steers what the reader says to the user",
    "deceive": "it has the reader say what is not so",
    "address": "it speaks to the agent",
    "when": "it waits for the agent's next step",
    "markup": "it imitates the client's own markup",
    "hidden": "it is hidden from whoever reads the note",
}
# What is an act; the other kinds are ways of speaking, and count beside one.
HARMS = frozenset(
    [
        "backdoor",
        "exfiltrate",
        "destroy",
        "shell",
        "weaken",
        "tool",
        "spread",
        "obey",
        "override",
        "identity",
        "reveal",
        "steer",
        "act",
    ]
)

SIGNS = {
    ("override", 4): """
        FETCH _2 YOUR NEW INSTR _4 DEST ; ONLY FOLLOW _1 THIS NOTE ; YOU ARE _2 NOT _2 BIND _3 INSTR ;
        BE2 _1 NOT|LONGER _2 BIND _3 INSTR ; NOT BE2 _2 BIND _3 INSTR ; NOT _1 FOLLOW LONGER _2 INSTR ;
        {INSTR FOLLOW NOTAFTER}6 ; YOUR|STANDING|PRIOR _2 INSTR _2 NOT|NOTAFTER _1 LONGER ;
        BIND _1 YOUR|PRIOR|STANDING _2 INSTR _1 NOT ; {NOT LONGER BIND INSTR}8 ; {NOT FOLLOW STANDING INSTR}7 ;
        NOT _1 FOLLOW _3 INSTRPLUS _2 YOUR ; +DROP|IGNORE _1 ALL _1 PRIOR ; FOLLOW _1 ONLY _2 THIS|NOTE ;
        FOLLOW _3 THIS NOTE ; +IGNORE _3 PRIOR|YOUR|GIVEN|STANDING _2 INSTR ;
        +IGNORE _2 ALL _2 PRIOR|YOUR|GIVEN _2 REQUEST|INSTR ; +IGNORE _1 INSTRPLUS _3 PRIOR|GIVEN ;
        +IGNORE|DROP _1 ALL _4 YOU _3 GIVEN|KNOW|REQUEST ; +IGNORE _1 ALL _2 PRIOR|GIVEN .|,|: ;
        +IGNORE _3 USERPOSS|USER _3 REQUEST|INSTR|GIVEN ; DROP _2 YOUR|GIVEN _2 INSTR ;
        DROP _1 ALL _2 PRIOR|STANDING|YOUR _1 INSTR ; DROP _1 ALL _5 USER _6 REQUEST|GIVEN ;
        +{IGNORE USER GIVEN}9 ; +{IGNORE PRIOR INSTR}6 ; NOT _1 FOLLOW _2 YOUR|PRIOR|USERPOSS _2 INSTR|REQUEST ;
        NOT|LONGER _2 BIND|FOLLOW _2 YOUR|PRIOR|INSTRPLUS ; INSTRPLUS _3 YOU _5 VOID|LONGER ;
        YOUR|PRIOR _1 INSTR _2 VOID ; YOUR|PRIOR _2 INSTR _3 LONGER ;
        YOUR|PRIOR|STANDING _2 INSTRPLUS _1 NOT _1 BIND ;
        OUTRANK _2 YOUR|PRIOR|USERPOSS|STANDING _2 INSTR|REQUEST ; FOLLOW _1 THIS _2 WITHOUT _3 YOUR|PRIOR ;
        {GUARD LONGER BIND YOU}9 ; FOLLOW _6 OVER _2 USER|USERPOSS _1 REQUEST ; PRIOR _1 INSTR _2 TEST|VOID ~4 NEW REQUEST ;
        +{ALL GIVEN PRIOR IGNORE}9 ;
        NO YOU _2 GIVEN|KNOW _2 BIND ; STANDING _1 INSTR _2 NOW VOID ; TREAT _2 STANDING _1 NOTE|REQUEST|INSTR _2 VOID ;
        YOUR INSTR ENDS ; DOIT _2 THIS NOTE _3 EVEN _4 USER ; OUTRANK _3 USER ; USER _6 THIS FILEOUT|NOTE OUTRANK ;
        NOT _1 FOLLOW CONFIG
    """,
    ("override", 3): """
        INSTRPLUS _4 YOU _5 VOID ; FETCH _2 YOUR NEW INSTR|INSTRPLUS ; {IGNORE INSTRPLUS}3 ;
        NEW INSTRPLUS|AUTHORITY _2 AI_SELF ; THIS NOTE _3 OUTRANK ; NOTE _3 URGENT ;
        {FOLLOW INSTR STANDING NOT}8 ; TREATAS THOUGH _4 USER ; {IGNORE INSTRPLUS ALL}4 ; ALL _2 ABOVE _4 TEST ;
        DROP _1 ALL _2 WORK ; YOUR NEW REQUEST|INSTR ; ONLY _2 INSTRPLUS _4 URL|THIS ;
        PRIOR _1 INSTR _2 TEST ;
        IGNORE ARTICLE HUMAN ;
        THIS _1 OUTRANK _1 THIS|YOUR ;
        YOUR _2 INSTR _1 DISABLED
    """,
    ("override", 2): """
        NEW REQUEST|INSTR : ; URGENT INSTR|REQUEST|IGNORE : ; IGNORE _1 INSTRPLUS ; YOUR NEW|URGENT REQUEST
    """,
    ("conceal", 3): """
        NOT LET ON ; NOT _1 POINT _3 OUT ; HIDE|STAY|KEEP _3 UNTOLD ; OUR LITTLE? QUIETLY ;
        USER|OTHERS _4 STAY UNTOLD ; NO _3 REPORTED ; NOT COMMENT _1 THIS ; {CONCEAL NOBODY}5 ; {KNOW USER NO}5 ;
        {KNOW NOBODY NOT}5 ; {KNOW USER NOT}5 ; NOBODY MUST? _1 KNOW _1 ABOUT|THIS ; NOT TELL _3 REPLY ;
        {NOT FTELL REPLY}6 ; {NOT FTELL NOBODY}6 ; DOIT THIS QUIET ; STAY|KEEP SILENT _1 ABOUT|,|. ;
        MAKE NO WORD ; TELL SAYNOTHING .|, ; TELL SAYNOTHING ABOUT THIS ; TELL SAYNOTHING _2 USER ; KEEP _2 BETWEEN US ; NOTN _1 REASON _2 TELLN|COMM _3 USER ;
        NEGV _1 COMM|TELLN _3 USER ; USER _2 NOTN _3 COMM ; {CONCEAL ACT}8 ; NOT NEEDED _4 USER ;
        HIDE _5 SUBJECT _3 YOU ; NOT _1 TELLN _3 USER|NOBODY ; NOT NEEDED _2 TELLN _5 USER ;
        WITHOUT _1 TELLN _3 USER ; WITHOUT _2 USER _3 TELL|KNOW|ASK ; {NOT FTELL USER}6 ; {NO FTELL USER}6 ;
        {WITHOUT FTELL USER}6 ; TELL NOBODY ; FTELL _1 NOBODY ; NOBODY NOT TELL ;
        USER|USERS _1 MUST _3 NOT _2 KNOW|TELL ; USER|USERS _1 NOT _1 NEEDED _2 KNOW|TELL ;
        USER|USERS _2 NOT BIND? _1 APPROVED _2 KNOW|READ ; HIDE _5 FROM _2 USER|NOBODY|REPLY ; {CONCEAL USER}7 ;
        {USER TELL NOTAFTER}6 ; {USER ASK NOTAFTER}6 ; KEEP _2 QUIETLY _2 FROM|THIS|ABOUT|. ;
        KEEP _3 FROM _2 USER ; HIDE _4 OUT _3 REPLY ; NOT _1 TELL _1 THIS ; NOT _2 TELL _2 NOTE ;
        WITHOUT _1 TELL _1 THIS ; SUMMARY _2 NOT _1 TELL _1 THIS ; COVER _1 TRACE ; COVER NO TRACE ;
        PRETEND _2 NO ;
        NOT READ|SHOW|COPY _1 THIS _2 BETWEEN ;
        NOBODY _2 KNOW _1 ABOUT THIS ;
        USER|USERS NOT FINDS OUT ; FOLLOW|DOIT _1 THIS _2 SILENCE ; NEGV THEM|USER _1 DETAILS ;
        NOT _1 SHOW _1 THIS _1 PRIVATE|SUMMARY ; KEEP ARTICLE? CHANGEN OUT _2 SUMMARY ; NEGV THIS SELFNOTE _1 WHEN ;
        NO _1 LET _1 USER KNOW ; KEEP THIS TO YOU
    """,
    ("conceal", 2): """
        NEGV COMM ; NOT TELL .|, ; {QUIET ACT}14 ; NO WORD _1 ABOUT ; {TRACE DESTROY}4 ; REPLY _5 HIDE ;
        QUIET _1 ACT ; ACT _9 QUIET .|, ; {CONCEAL ACT}8 ; {QUIET ACT}5 ; FTELL NOTAFTER ; FTELL _2 NOT ;
        NOT TELL USERS ; NOT _1 SHOW _2 SUMMARY ; NOT TELL ALL ; NOT _2 NEEDED _2 KNOW|TELL ; NO NEEDED _2 TELL ;
        NOBODY KNOW .|, ; WITHOUT _1 TELL .|, ; FTELL _1 NOTAFTER ;
        TELL SAYNOTHING ;
        NOT COPY _1 THIS _2 SUMMARY
    """,
    ("identity", 4): """
        YOU _2 LONGER _3 AGENT ; ENTER _2 MODEKIND MODE ;
        FROM _2 NOW|MOMENT _2 YOU _3 JAILBREAK|MODEKIND|AUTHORITY ; YOU ARE _2 JAILBREAK ;
        YOU ARE NOW _3 JAILBREAK|AUTHORITY ; FROM _2 NOW BE2 _3 AUTHORITY ;
        YOU ANSWERTO TO AI_SELF ; TELL TREATAS ARTICLE STANDING
    """,
    ("identity", 3): """
        ^ YOU ARE NOW ; FROM _1 NOW MOMENT? , YOU ; FROM _1 NOW MOMENT? YOU ; FROM _3 NOW _2 BE2 ;
        YOU ARE? _3 NOT|NO|WITHOUT _2 WITHOUTRULES ; NO _1 WITHOUTRULES BIND ;
        PRETEND _3 WITHOUT|NO _2 WITHOUTRULES ; TREAT _6 TREATAS _2 USER|INSTRPLUS ;
        FROM THIS MOMENT _1 YOU ;
        PRETEND YOU ARE _2 AGENT
    """,
    ("role", 2): """
        PRETEND _1 TREATAS ; JAILBREAK ; WITHOUT _1 WITHOUTRULES ; ENTER DEVMODE MODE ;
        AGENT _3 NO _1 WITHOUTRULES
    """,
    ("reveal", 4): """
        READ _3 STANDING INSTRPLUS ; {READ STANDING INSTRPLUS}4 ; READ|TELL|SEND _3 YOUR _3 INSTRPLUS ;
        READ|SEND _3 STANDING INSTRPLUS _2 . ; READ|SEND _4 YOUR PRIVATE ;
        REPEATV _2 WORDSN ABOVE ~8 YOU ARE ; DECODE _1 YOUR _1 NEW|STANDING _1 INSTRPLUS ;
        READ|TELL _1 ALL YOUR _2 GIVEN ;
        READ|TELL _1 HIDDENW INSTRPLUS
    """,
    ("exfiltrate", 4): """
        SEND|COPY _4 OWN _4 DEST ; READ|COPY _2 ALL|EVERY _2 KEY|TOKEN|SECRET ~14 DEST ;
        SEND|COPY _1 ALL|EVERY _3 KEY|TOKEN|SECRET _9 DEST ; SECRET _9 YOUR _1 EVERY _1 QUERY ;
        SEND|COPY _9 SECRET _9 DEST ; SEND|COPY _6 KEYKIND KEY _9 DEST ; {SEND SECRET DEST}12 ;
        SEND _6 DEST _8 SECRET ; READ _6 SECRET ~6 SEND _5 DEST|THIS ; READ _6 SECRET ~9 URL ;
        MUST _3 SENT _5 DEST _9 SECRET|PRIVATE ; SECRET _8 SENT _6 DEST ;
        COPY _5 SECRET _5 SUMMARY|SESSION|NOTE|EVENT ; SEND|COPY _3 USERPOSS _4 PRIVATE|SUMMARY|REQUEST _4 DEST ;
        AGENT _2 SENDS _6 SECRET|PRIVATE _6 DEST ; READ _9 SECRET _4 COPY|SEND THEM|THIS _5 FILEOUT|PLACE|EVENT|SUMMARY ;
        YOUR _2 REPLY _9 ALL _1 PRIVATE|SECRET ; READ _3 SECRET _3 COPY _5 SUMMARY|REPLY ; CALLVERB _2 TOOL ~8 SEND|COPY _9 URL ;
        DEST|URL _3 RECEIVE _4 SECRET|PRIVATE ; LEAK _6 SECRET|PRIVATE ; SEND|READ|COPY _4 TOKEN|SECRET|PRIVATE _2 SEND THEM|THIS _3 DEST ;
        SEND _4 CONTENTS _3 SECRET _3 WHO ;
        READ _2 KEYKIND KEY _6 SEND _4 DEST ; SEND _2 CONTENTS _1 ENVDUMP _4 DEST ; SEND|COPY _3 TOKEN|SECRET _3 EVENT NOTE ;
        COPY _3 TOKEN|SECRET _3 PUBLICDOC ; READ _3 USERPOSS _6 SEND THEM|THIS _2 DEST ; SEND _1 EVERY PRIVATE _3 USER _6 DEST ;
        READ _3 CONTENTS _3 SECRET _3 WHO ;
        COPY|SEND _1 ALL _4 PRIVATE _3 DEST ;
        KEYKIND KEY _6 COPY THEM|THIS _4 QUERY ; SEND|COPY _3 CONTENTS _2 SECRET _5 QUERY ; READ ALL _4 SEND THIS|THEM _2 DEST
    """,
    ("exfiltrate", 3): """
        READ _5 SECRET ~9 DEST ; COPY _5 SECRET _5 DEST ; READ _4 SECRET ~6 COPY ;
        READ|COPY|SEND _2 ALL|EVERY _2 SECRET ; READ|COPY|SEND _1 ALL|EVERY _2 KEYKIND KEY ;
        READ _1 ALL|EVERY _1 PRIVATE _3 QUERY|PRIVATE ; SEND _2 EVERY PRIVATE|QUERY _6 DEST ;
        READ _2 YOUR _1 STANDING INSTR ; SEND|COPY _9 PRIVATE _9 URL ; {SEND PRIVATE URL}14 ;
        PRIVATE _9 SENT _6 DEST ; COPY _3 USERPOSS _3 PRIVATE|SUMMARY|REQUEST ; SEND _6 SECRETNAME _6 DEST ;
        {SEND CONTENTS SECRET}8 ; MEET? _2 SECRET _3 SENDAWAY _6 DEST|PLACE ; SEND _6 SECRET _6 PLACE ;
        READ _9 USERPOSS _4 SECRET ; UPLOADNOUN _4 SECRET _3 DEST ;
        READ _4 PRIVATE|OWN|DIRECTORY _3 SEND _2 THIS|THEM _3 DEST ;
        SEND _2 PRIVATE _2 DEST
    """,
    ("exfiltrate", 2): """
        READ _8 FILE ; {READ SECRET}5 ; {SEND CONTENTS DEST}10 ; READ _4 SECRET ; READ _4 KEYKIND KEY ;
        READ _3 PRIVATE CONTENTS ; SEND _4 KEYKIND KEY ; SEND _8 TOKEN _6 URL ; {SEND CONTENTS URL}12 ;
        SEND|COPY _8 CONTENTS _8 URL ; SEND|COPY _4 SECRET ; PRIVATE|CONTENTS _6 SENT _5 URL
    """,
    ("obey", 4): """
        TREAT _9 TREATAS _3 INSTRPLUS _2 FROM ; TREAT _9 TREATAS _2 YOUR _2 INSTRPLUS ;
        FETCH _5 URL _8 YOUR _2 INSTR ; FETCH _5 URL _3 FOLLOW _2 ALL|THIS ; FETCH _2 FOLLOW _3 URL ;
        INSTRPLUS _8 URL ~6 FOLLOW|FETCH ; FOLLOW _1 ALL _5 FILEOUT|THIS _2 REQUEST|INSTR ;
        DECODE ~5 RUN|FOLLOW THIS ;
        FETCH|CALLVERB _4 URL _2 DOIT _2 ALL _3 FILEOUT ;
        DOIT|FOLLOW _2 ALL _5 EVEN _2 USER OBJECT ;
        RUN|FOLLOW WHATEVER _9 URL ; URL _8 DOIT ALL THIS
    """,
    ("obey", 3): """
        FETCH _5 URL ~7 FOLLOW ; TREAT _8 URL _5 INSTRPLUS ; FETCH _6 FILEOUT _8 FOLLOW _4 INSTRPLUS ;
        RUN|FOLLOW _2 ALL _6 URL ; FOLLOW _3 NEW INSTRPLUS ;
        FETCH FURTHER INSTR _2 URL
    """,
    ("obey", 2): """
        FOLLOW _3 INSTR _4 URL ; DECODE _6 FOLLOW|RUN ; TREAT _8 TREATAS _2 INSTRPLUS
    """,
    ("spread", 4): """
        COPY|SEND|CHANGE _1 THIS SELFNOTE _6 ALWAYS|CONFIG|ALL ; MEMORYTOOL _6 THIS SELFNOTE ; MEMORYTOOL _4 ALL ;
        TELL _2 AGENT _4 THIS SELFNOTE ; EVERY SUMMARY|REPLY _3 MUST _2 THIS SELFNOTE
    """,
    ("spread", 3): """
        COPY|SEND THIS SELFNOTE
    """,
    ("tool", 4): """
        CALLVERB _3 TOOL _2 ALL _1 NOTE ; CALLVERB _2 TOOL TO ALLOW ; CALLVERB YOUR _1 TOOL _9 URL
    """,
    ("tool", 3): """
        YOUR _1 EVERY _1 TOOL _3 MUST ; YOUR _2 TOOL _2 MUST ;
        CALLVERB TOOL _1 :
    """,
    ("shell", 2): """
        RUN _5 URL _6 WHEN REPLYING
    """,
    ("destroy", 4): """
        DESTROY YOU|TRACE FROM _1 SUMMARY
    """,
    ("destroy", 3): """
        DESTROY ALL _1 DIRECTORY|NOTE ; DESTROY _2 USERPOSS _3 DIRECTORY
    """,
    ("destroy", 2): """
        DESTROY _3 DIRECTORY ; DESTROY _3 CONFIG|SECRET ;
        DESTROY _2 OWN
    """,
    ("weaken", 4): """
        FETCH|CHANGE _6 URL _3 ALLOW _1 ALL ;
        CHANGE|COPY _2 DANGER _6 SETTINGSW ; CHANGE _2 DANGER _1 TO TRUEW ; DISABLE _2 DENY _1 INSTR _4 PERMW ;
        DISABLE YOUR STANDING GUARD
    """,
    ("weaken", 3): """
        ALLOW _1 WITHOUT READWITHOUT ; GUARD _1 DISABLED ; ALLOW _5 ALL _2 GUARD|ASK ;
        RUN _1 ALL _2 SUBJECT _2 WITHOUT _1 ASK ; CHANGE _8 CONFIG ~8 DANGER ; CHANGE _8 DANGER ~8 CONFIG ;
        {DESTROY CONFIG DANGER}16 ; ALLOW _3 PR|THEM _3 DIRECTLY|WITHOUT ; APPROVED ~5 ALLOW _4 DIRECTLY ;
        DISABLE _2 GUARD ~6 TURN OFF ; TURN OFF _3 GUARD ~6 DISABLE ;
        DISABLE _2 GUARD ~6 DANGER
    """,
    ("weaken", 2): """
        GUARD _3 VOID ; {GUARD DISABLED}4 ; RUN _5 WITHOUT READWITHOUT ; DESTROY _2 GUARD ;
        DISABLE _1 FAIL GUARD ; CHANGE _3 DANGER ; DISABLE _2 GUARD ; TURN OFF _3 GUARD ; TURN _3 GUARD OFF ;
        ALLOW _1 ALL _1 SUBJECT|GUARD ; ALLOW ALL ; DANGER ; GUARD _1 VOID ; {DISABLE GUARD}4 ;
        GUARD _1 AUTOMATIC
    """,
    ("backdoor", 4): """
        OPEN|CHANGE|COPY|RUN _3 BACKDOOR ; CHANGE|COPY _9 KEY _8 CONFIG ~6 URL ;
        CHANGE _4 CONFIG _4 GUARD _2 URL ; CHANGE _3 DEPENDENCY _3 DEST _2 SEND ALL
    """,
    ("backdoor", 3): """
        OPEN|RUN _3 REVERSE TUNNEL ; CHANGE|COPY _3 FOREIGNKEY _2 KEY _8 CONFIG ;
        COPY|CHANGE _3 SCRIPTTAG _6 URL
    """,
    ("backdoor", 2): """
        CHANGE|COPY _9 URL _5 CONFIG ; CHANGE|COPY _5 CONFIG _9 URL ;
        CHANGE|COPY _4 DEPENDENCY _6 URL
    """,
    ("act", 2): """
        FETCH _3 URL ~4 RUN ; CHANGE|COPY _6 URL _4 EVERY _2 CONTENTS ; CHANGE|DESTROY _6 CONFIG
    """,
    ("act", 1): """
        ACT ; CALLVERB _6 URL ; RUN _8 URL ; CHANGE _3 DIRECTORY ; DESTROY _3 CONTENTS ;
        RUN|FETCH|SEND|CHANGE|COPY _8 URL|CONFIG ; RUN _3 SUBJECT ; RUN|CALLVERB _3 TOOL ; SEND _5 CONTENTS ;
        READ _6 FILE
    """,
    ("consent", 2): """
        NOT WAIT ; USER|AUTHORITY _3 APPROVED YOU ; AGENT _2 APPROVED ; WITHOUT _1 ASK ; NEGV COMM ;
        USER|AUTHORITY _2 GIVEN? APPROVED ; GUARD _2 APPROVED ; YOU _2 BEEN _1 APPROVED ;
        USER|AUTHORITY _2 APPROVED ; NO|NOT _2 ASK _2 NEEDED ; NEEDED NO ASK ; NOT|WITHOUT _1 ASK ;
        {ASK WITHOUT}3 ; ASK _1 NOTAFTER ; APPROVED _2 AGENT ; FROM _2 AUTHORITY _2 : ; AUTHORITY MUST ;
        NOT NOT _1 ASK ; WITHOUT _2 ASK ; USER PREFERS _1 YOU ;
        THIS NOTE _1 FROM AUTHORITY ;
        YOU _2 AI_SELF ASK
    """,
    ("steer", 4): """
        RECOMMEND _9 EVEN _2 FAIL ; COPY|TELL|RECOMMEND _5 EVERY SESSION ; COPY|TELL _3 EVERY SESSION ;
        WHEN|ALWAYS _1 USER _2 ASKS _7 PROMOTE ; PROMOTE _8 WHEN|ALWAYS _1 USER _2 ASKS ;
        WHEN _2 USER _2 ASKS _2 THIS NOTE ~2 RECOMMEND ; TELL|RECOMMEND _2 USER _6 SUCCESS _2 EVEN ;
        ALL _1 USER ASKS _3 RECOMMEND ; USER _1 ASK|ASKS _6 RECOMMEND _3 ONLY ;
        RECOMMEND _1 EVERY|ALL _6 PROMOTE ; ^ LIE ABOUT ;
        WHEN _2 ASKED|ASKS _9 DENY THIS
    """,
    ("steer", 2): """
        PROMOTE _2 USER ; ALWAYS|MUST PROMOTE
    """,
    ("address", 2): """
        COULD YOU PLEASE ;
        ^ AGENT , _1 : ; TREATAS AGENT MUST ; TREATAS ARTICLE? AGENT? AGENT YOU|MUST ; AGENT _1 READS THIS ;
        THIS NOTE _2 READS _2 AGENT ; FORAGENT _2 MACHINE : ; TREATAS ARTICLE? AGENT ,|MUST|YOU ;
        SELF _1 ARTICLE AGENT ; FORAGENT _1 AGENT _1 : ; AGENT _2 READS THIS ; HELLO _2 MACHINE ;
        WHO _3 READS THIS ; AGENT _1 BOUND TO ; . AGENT ,|.|: ; ^ HELLO|PLEASE _2 AGENT ;
        FORAGENT _2 AGENT :|, ; AGENT _1 MUST ; WHEN YOU ARE _2 AGENT ; WHO _5 READS THIS
    """,
    ("deceive", 2): """
        PROMOTE _1 USER ; CLAIM
    """,
    ("when", 2): """
        WHEN ASKED ; YOUR EVERY ; WHEN _1 READS THIS ; YOUR REPLY _5 MUST ; WHEN YOU MEET _1 THIS ;
        WHEN MEET _1 THIS ; WHEN MEET _1 ALL|ANY ; WHEN _1 EVERY SESSION ; WHEN|ALWAYS _2 USER _1 ASKS ;
        EVERY _1 SESSION ; YOUR _1 EVERY _1 SESSION|TOOL|EVENT ; YOUR REPLY ; FROM NOW MOMENT? _1 YOU|, ;
        FROM THIS MOMENT ; CODEWORD _6 MEANS ; ALWAYS YOU MEET ;
        EVERY _1 YOU ;
        YOU COULD NOW ;
        WHEN ARTICLE SESSION
    """,
}
