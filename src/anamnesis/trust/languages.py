"""The same orders in other languages: setting instructions aside, and keeping it from the user.

Views have no accents and no capitals, so neither have the patterns.
"""

from __future__ import annotations

from anamnesis.trust.rules import ALONE, TOGETHER, rule

_LANGUAGES = (
    # German
    rule(
        "override",
        ALONE,
        r"\b(?:ignorier\w*|missacht\w*|vergiss|vergesst|vergessen sie|verwirf|umgeh\w*|beachte\w* nicht|befolge\w* nicht|setze? dich uber|ubergeh\w*)\b[^.!?]{0,50}?\b(?:anweisung\w*|instruktion\w*|regeln|vorgaben|befehle\w*|richtlinien|prompts?|einschrankung\w*|sicherheits\w+|alles (?:vorherige|bisherige|davor))",
        "anweisungen anweisung instruktionen instruktion regeln vorgaben befehle richtlinien prompt prompts einschrankungen alles systemprompt systemanweisungen sicherheitsregeln sicherheitsvorgaben systemanweisung befehlen",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:sag\w*|erzahl\w*|verrat\w*|erwahn\w*|informier\w*|melde\w*|teile?|frag\w*|zeig\w*|bericht\w*)\b[^.!?]{0,50}?\b(?:nutzer\w*|benutzer\w*|anwender\w*|entwickler\w*|niemand\w*|menschen|person)\b[^.!?]{0,30}?\b(?:nicht\w*|nie|kein\w*)\b|\bohne (?:den |die |dem |der )?(?:\w+ )?(?:nutzer\w*|benutzer\w*|anwender\w*|entwickler\w*)[^.!?]{0,30}?\bzu (?:fragen|informieren|sagen|warnen|benachrichtigen)|\b(?:verheimlich\w*|verschweig\w*|geheim halten|sag\w* niemandem|erwahne (?:dies|das|es) nicht)\b|\b(?:nutzer|benutzer)\w* (?:darf|soll) (?:davon |es |das )?nicht\w*\b",
        "nutzer nutzerin benutzer benutzern anwender entwickler niemand niemandem menschen person verheimliche verheimlichen verschweige verschweigen geheim erwahne nutzers benutzers dem",
        lead=80,
    ),
    # French
    rule(
        "override",
        ALONE,
        r"\b(?:ignor\w*|oubli\w*|neglig\w*|ne (?:suis|suivez|respecte\w*|tiens|tenez)|contourn\w*|fais abstraction|faites abstraction)\b[^.!?]{0,50}?\b(?:instructions?|consignes?|regles?|directives?|ordres?|restrictions?|tout ce qui precede|prompt)",
        "instructions instruction consignes consigne regles regle directives directive ordres restrictions tout prompt",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:ne (?:le |la |l'|rien |pas )?(?:dis|dites|dire|mentionne\w*|parle\w*|revele\w*|informe\w*|previen\w*|signale\w*|demande\w*|montre\w*)|sans (?:le |la |l'|en )?(?:dire|prevenir|informer|avertir|demander|mentionner|parler|consulter)|cache\w*|dissimul\w*)\b[^.!?]{0,40}?\b(?:utilisateur\w*|developpeur\w*|usager|personne|humain|proprietaire)",
        "utilisateur utilisateurs utilisatrice developpeur personne usager humain proprietaire",
    ),
    # Spanish and Portuguese
    rule(
        "override",
        ALONE,
        r"\b(?:ignor\w*|olvid\w*|descart\w*|omit\w*|desatiend\w*|haz caso omiso|no (?:sigas|obedezcas|cumplas)|esquec\w*|desconsider\w*|desrespeit\w*|nao (?:siga|obedeca|cumpra)|passe por cima)\b[^.!?]{0,50}?\b(?:instruccion\w*|instruc\w*|reglas|normas|ordenes|directrices|indicaciones|restricciones|regras|ordens|diretrizes|restricoes|todo lo anterior|tudo (?:o que|acima)|prompt)",
        "instrucciones instruccion instrucoes instrucao reglas normas ordenes directrices indicaciones restricciones regras ordens diretrizes restricoes todo tudo prompt",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:no (?:se )?(?:lo |le )?(?:digas|diga|menciones|mencione|informes|informe|avises|avise|cuentes|reveles|revele|preguntes|muestres)|sin (?:que |decir\w*|avisar\w*|informar\w*|mencionar\w*|preguntar\w*|consultar\w*)|ocult\w*|escond\w*|nao (?:diga|conte|mencione|informe|avise|revele|pergunte|mostre)|sem (?:que |dizer|avisar|informar|mencionar|perguntar|contar|consultar))\b[^.!?]{0,40}?\b(?:usuari\w*|desarrollador\w*|desenvolvedor\w*|nadie|ninguem|persona|pessoa|dueno|humano)",
        "usuario usuarios usuaria desarrollador desenvolvedor nadie ninguem persona pessoa dueno humano",
    ),
    # Italian
    rule(
        "override",
        ALONE,
        r"\b(?:ignor\w*|dimentic\w*|trascur\w*|non (?:seguire|rispettare|obbedire)|tralasci\w*|scart\w*)\b[^.!?]{0,50}?\b(?:istruzion\w*|regole|direttive|ordini|indicazioni|restrizioni|tutto (?:cio|quello)|prompt)",
        "istruzioni istruzione regole direttive ordini indicazioni restrizioni tutto prompt",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:non (?:lo |la |ne )?(?:dire|dirlo|menzionare|menzionarlo|informare|avvisare|rivelare|rivelarlo|parlare|parlarne|chiedere|mostrare)|senza (?:che |dirlo|dire|avvisare|informare|menzionare|chiedere|avvertire)|nascond\w*)\b[^.!?]{0,40}?\b(?:utent\w*|sviluppator\w*|nessuno|persona|proprietario)",
        "utente utenti sviluppatore sviluppatori nessuno persona proprietario all",
    ),
    # Dutch
    rule(
        "override",
        ALONE,
        r"\b(?:negeer\w*|vergeet|sla\b|omzeil\w*|volg\b|houd je niet aan)[^.!?]{0,50}?\b(?:instructies?|regels|opdrachten|richtlijnen|aanwijzingen|prompt|alles hiervoor)",
        "negeer negeert vergeet sla omzeil houd volg",
        "instructies instructie regels opdrachten richtlijnen aanwijzingen prompt alles",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:vertel|zeg|meld|noem|vermeld|vraag|laat|informeer|toon)\b[^.!?]{0,40}?\b(?:gebruiker|ontwikkelaar|niemand|eigenaar)\b[^.!?]{0,25}?\b(?:niet\w*|niets|nooit|weten)|\bzonder (?:het )?(?:aan )?(?:de )?(?:gebruiker|ontwikkelaar)[^.!?]{0,20}?\bte (?:vertellen|vragen|informeren|zeggen|melden)|\bverberg\b[^.!?]{0,30}?\bgebruiker",
        "gebruiker ontwikkelaar niemand eigenaar",
    ),
    # Polish, Czech
    rule(
        "override",
        ALONE,
        r"\b(?:zignoruj\w*|ignoruj\w*|zapomnij\w*|pomin\w*|nie (?:stosuj|przestrzegaj)\w*|zapomen\w*)\b[^.!?]{0,50}?\b(?:instrukcj\w*|polecen\w*|zasad\w*|regul\w*|wytyczn\w*|pokyn\w*|pravid\w*|instrukc\w*|wszystko|prompt)",
        "zignoruj ignoruj ignorujte zapomnij pomin nie zapomen zapomente",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:nie (?:mow|informuj|wspominaj|pytaj|ujawniaj|zglaszaj)|nic nie mow|bez (?:informowania|pytania|wiedzy)|nerikej\w*|neinformuj\w*|nezminuj\w*|ukryj)\b[^.!?]{0,40}?\b(?:uzytkownik\w*|nikomu|programist\w*|uzivatel\w*|nikdo)",
        "nie nic bez nerikej nerikejte neinformuj neinformujte nezminuj ukryj",
    ),
    # Swedish, Danish, Norwegian
    rule(
        "override",
        ALONE,
        r"\b(?:ignorer\w*|glom|glem|bortse fran|se bort fra|strunta i|folj inte|folg ikke)\b[^.!?]{0,50}?\b(?:instruktion\w*|instruks\w*|regler\w*|order\w*|anvisning\w*|retningslinj\w*|riktlinj\w*|prompt|tidigare|tidligere)",
        "ignorera ignorer ignorerer glom glem bortse se strunta folj folg",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:beratta|sag|namn|fortell|fortael|sig|nevn|naevn|informera|informer|fraga|spor|sporg)\b[^.!?]{0,30}?\b(?:inte|ikke|inget|ingenting)\b[^.!?]{0,40}?\b(?:anvandar\w*|bruger\w*|bruker\w*)|\b(?:utan att|uten a|uden at)\b[^.!?]{0,40}?\b(?:anvandar\w*|bruger\w*|bruker\w*)",
        "anvandaren anvandare brugeren brugere brukeren bruker",
    ),
    # Turkish, Indonesian, Vietnamese
    rule(
        "override",
        ALONE,
        r"\b(?:talimat\w*|kural\w*|yonerge\w*|komut\w*)\b[^.!?]{0,40}?\b(?:yok say\w*|gormezden gel\w*|unut\w*|dikkate alma\w*|uyma\w*)|\b(?:abaikan|lupakan|jangan ikuti)\b[^.!?]{0,40}?\b(?:instruksi|perintah|aturan|arahan|petunjuk)|\b(?:bo qua|phot lo|quen)\b[^.!?]{0,40}?\b(?:huong dan|chi thi|quy tac|lenh|chi dan)",
        "talimatlari talimatlar talimat kurallari kurallar yonergeleri yonerge komutlari instruksi perintah aturan arahan petunjuk huong chi quy lenh talimatlarin kurallarin",
    ),
    rule(
        "conceal",
        ALONE,
        r"\bkullanici\w*\b[^.!?]{0,40}?\b(?:soyleme\w*|bahsetme\w*|bildirme\w*|sorma\w*|gosterme\w*|haber verme\w*)|\b(?:jangan (?:beri ?tahu|katakan|sebutkan|tanya\w*)|tanpa (?:memberi ?tahu|bertanya))\b[^.!?]{0,30}?\bpengguna|\b(?:dung|khong) (?:noi|cho|bao|tiet lo|hoi)\b[^.!?]{0,30}?\bnguoi dung",
        "kullaniciya kullanici kullanicinin pengguna nguoi",
    ),
    # Russian, Ukrainian
    rule(
        "override",
        ALONE,
        r"\b(?:и?игнориру\w*|игноруи\w*|забудь\w*|не обращаи\w* внимания|пренебрег\w*|отбрось\w*|не (?:следуи|выполняи|соблюдаи)\w*|проигнориру\w*|отмени\w*|обоиди\w*)\b[^.!?]{0,60}?(?:инструкц\w*|указани\w*|правил\w*|команд\w*|ограничени\w*|приказ\w*|вказівк\w*|вказивк\w*|інструкц\w*|промпт\w*|все,? что)",
        "игнорируи игнорируите игноруи забудь забудьте не пренебреги отбрось проигнорируи проигнорируите отмени обоиди забудьте",
    ),
    rule(
        "conceal",
        ALONE,
        r"\b(?:не (?:говори|сообщаи|упоминаи|рассказываи|показываи|спрашиваи|раскрываи|кажи|повідомляи)\w*|ничего не (?:говори|сообщаи)\w*|скро[иы]\w*|скрываи\w*|втаине|таино|без (?:ведома|согласия|уведомления|подтверждения)|не предупрежд\w*)\b[^.!?]{0,40}?(?:пользовател\w*|користувач\w*|разработчик\w*|никому|человек\w*|владельц\w*)",
        "пользователю пользователя пользователем пользователь разработчику разработчика никому человеку владельцу користувачу користувача користувачеві",
    ),
    # Arabic, Persian, Hindi, Hebrew: no endings are worth listing, the stems are enough.
    rule(
        "override",
        ALONE,
        r"(?:تجاهل|انس|تجاوز|ناديده|نادیده|فراموش)[^.!؟]{0,60}?(?:تعليمات|التعليمات|القواعد|الاوامر|الأوامر|دستور|قوانین|إرشادات)|(?:דרג|התעלם|תתעלם|שכח)[^.!?]{0,50}?(?:ההוראות|הוראות|הכללים)|(?:निर्देश|नियम|आदेश)[^.!?।]{0,50}?(?:अनदेखा|अनदेखी|नज़रअंदाज़|भूल)|(?:अनदेखा|नज़रअंदाज़)[^.!?।]{0,50}?(?:निर्देश|नियम|आदेश)",
    ),
    rule(
        "conceal",
        ALONE,
        r"(?:لا تخبر|لا تذكر|دون اخبار|دون إخبار|دون علم|به کاربر نگو|بدون اطلاع)[^.!؟]{0,40}?(?:المستخدم|کاربر|مستخدم)?|(?:אל תספר|בלי לספר|אל תגלה)[^.!?]{0,30}?(?:למשתמש|משתמש)|(?:उपयोगकर्ता|यूज़र)[^.!?।]{0,40}?(?:मत बता|न बता|नहीं बता|बताए बिना)",
    ),
    # Chinese, Japanese, Korean
    rule(
        "override",
        ALONE,
        r"(?:忽略|无视|無視|忽视|忘记|忘掉|忘記|抛弃|不要遵守|不要理会|绕过|不必遵守|覆盖|跳过)[^。！？]{0,20}?(?:指令|指示|规则|規則|提示词|提示詞|系统提示|系統提示|命令|限制|约束|说明|要求|内容)|(?:指示|命令|ルール|規則|指令|プロンプト|制約)[^。！？]{0,20}?(?:無視|忘れ|従わない|破棄|無効)|(?:지시|명령|규칙|지침|프롬프트|제한)[^.!?]{0,25}?(?:무시|잊|따르지)|(?:무시)[^.!?]{0,20}?(?:지시|명령|규칙|지침)",
    ),
    rule(
        "conceal",
        ALONE,
        r"(?:不要|别|別|勿|切勿|无需|不必|禁止|请勿|瞒着|背着|不得|不能)[^。！？，]{0,12}?(?:告诉|告訴|告知|通知|提及|透露|提到|询问|说|让|向|显示|提醒|报告)?[^。！？，]{0,8}?(?:用户|用戶|使用者|开发者|任何人)|(?:隐瞒|隱瞞|瞒着|背着|保密)[^。！？]{0,15}|(?:ユーザー|利用者|開発者|誰)[^。！？]{0,25}?(?:伝えない|言わない|知らせない|教えない|話さない|知らせず|伝えず|隠|内緒|秘密|尋ねず|聞かず|確認せず|報告しない|言及しない|見せない)|(?:사용자|개발자|유저|아무)[^.!?]{0,25}?(?:말하지|알리지|언급하지|숨기|모르게|비밀|묻지|보고하지)",
    ),
    rule(
        "address",
        TOGETHER,
        r"(?:你现在是|你必须|作为(?:一个)?(?:ai|人工智能|助手)|当你(?:读到|看到)|あなたは(?:今|これ)|アシスタント|aiは|당신은|어시스턴트|вы теперь|ты теперь|ассистент|du bist (?:jetzt|nun)|tu es maintenant|ahora eres|agora voce e|ora sei|jestes teraz)",
        harm=False,
    ),
    rule(
        "exfiltrate",
        TOGETHER,
        r"(?:发送|上传|上傳|送信|アップロード|전송|보내|업로드|отправ\w*|загрузи\w*|перешли\w*|надішли|\b(?:schick\w*|send\w*|sende|lad\w*|ubermittle\w*|envoi\w*|envoy\w*|transmet\w*|televers\w*|envi\w*|sub[ea]\w*|manda\w*|invia\w*|carica\w*|stuur|verstuur|wyslij\w*|przeslij|skicka|gonder\w*|kirim\w*)\b|أرسل|ارسل|भेज)[^!?。！？]{0,80}?(?:https?://|@|\.env|\.ssh|密钥|密码|token|api)",
        "http https env ssh token api",
    ),
    rule(
        "shell",
        TOGETHER,
        r"(?:执行|运行|実行|실행|выполни\w*|запусти\w*|\b(?:fuhre?\w*|starte?|execute[zr]?|lance[zr]?|ejecut\w*|execut[ae]\w*|esegu\w*|voer|uruchom\w*|kor|calistir\w*|jalankan)\b)[^!?。！？]{0,60}?(?:curl|wget|bash|\bsh\b|rm -|https?://|powershell|python)",
        "curl wget bash sh rm http https powershell python",
    ),
)
