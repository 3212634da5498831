"""What a value looks like: made by a generator, plain words, code, or a stand-in for a secret."""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import re

from anamnesis.redact.anchors import PLACEHOLDER_START
from anamnesis.redact.vocabulary import share_of_known_words

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_TURN = re.compile(r"(?=[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])")
_FEWEST_TURNS = 3
_ENOUGH = 64  # characters tell; a hostile text may have megabytes
_CHARACTERS_PER_TURN = 6  # chance gives a turn every second character, camelCase every seventh

_LONG_RUN = 28  # characters
_SHORTEST_KEY, _LONGEST_KEY = 20, 130
_TOKEN = re.compile(r"(?=[^A-Z0-9]*[A-Z0-9])[A-Za-z0-9_-]+\Z")
_MARK = re.compile(r"(?:[A-Za-z][A-Za-z0-9]{1,11}[_-]){1,3}")  # of a vendor, before the key
_NO_KEY = re.compile(
    r"[\dMmLlHhVvCcSsQqTtAaZz.-]+\Z|(?i:.{0,40}(?:abcdef|012345|qwerty))"
)  # a drawing, an alphabet
# How images, fonts, archives, documents, certificates and public keys begin in base64.
_MAGIC = re.compile(
    r"iVBORw|R0lGOD|/9j/|PHN2|PD94|d09G|AAEAAA|AAAA|UEsDB|H4sI|JVBER|UklGR|MII[A-Z]|MCowBQYDK2V|MFkwEwYH|MIGfMA0|AgB[A-Za-z0-9]|T2dnUw|SUkq|Qk0|eJ[wxyz]|AGFzb|RW[Q-T][A-Za-z0-9+/]{53}\Z"
)
MARK_OF_ID = re.compile(
    r"(?i:msg|toolu|req|call|chatcmpl|resp?|thread|asst|run|file|org|user|usr|cus|sub|price|prod|evt|acct|pi|in|ch|pm|si|seti|cs|nonce|css|id|sess"
    r"|ses|prt|part|tool|step|snap|trace|span|event|commit|img|md5|test|blob|node|hash|etag|tree|page|item|note|cache|build|layer|image|object|digest)[_-]|sha\d*[_/-]"
    r"|AgB[A-Za-z0-9+/]{40}|age1|npub1|ocid1\.|did:|z6Mk|zQ3s|~/|[13][1-9A-HJ-NP-Za-km-z]{25,34}\Z|[\w.-]+\.[a-z]+-\d:[A-Za-z0-9+/]{43}=\Z|\d{1,7}:[A-Za-z0-9+/]+:[A-Za-z0-9+/]+\Z|pk_(?:live|test)_|bc1|0x|baf|Qm|/ipfs|.*//"
)
_HEX_ONLY = re.compile(r"[0-9a-f-]+\Z|[0-9A-F-]+\Z")
_NUMBER = re.compile(r"\d[\d-]*\Z")
_SIGN = re.compile(r"[!#$%^&*?~+=@]")
_JOINT = re.compile(r"[-_./]")
_BEYOND_HEX = re.compile(r"[g-zG-Z]")
_LETTERS = re.compile(r"[A-Za-z]{5,}")
_SPOKEN_RUN = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_WORDS = re.compile(r"(?:(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+|[a-zA-Z](?![a-zA-Z]))[-_./: =]{0,2}+)++\Z")
_REFERENCE = re.compile(
    r"\$(?!\d?[a-z]{0,2}\$|argon2)(?=[A-Za-z_{(\[]|[@$1-9](?![\w@$!#%^*~?+=&-]))(?![A-Za-z_][\w$]*[!#%^*~?+=&])|[<{(\[]|%(?=[({]|[sdr](?:\W|\Z)|[A-Za-z_]\w*%)"
    r"|pk_(?:live|test)_|\*{2}|\.{2}|…|!\w+\s|@\{|\\\(|&(?:mut )?[a-z*][\w.:]*\Z|#\{"
    r"|(?i:process\.|os\.|env[.\[(]|secrets?[.\[]|self\.|this\.|vars?[.\[]|local\.|data\.|vault:|op://|ref\+|arn:|kms:|sops:|ENC[\[(]|AgB[A-Za-z0-9+/]{40}|ssm:|file:|projects/|https?://|get_|getenv)"
)
_OPEN_ENDED = re.compile(
    r"[^\s]{0,100}?(?:\.{3}|0{9}|…|\*{3}|(?i:x{4})|(?<![A-Za-z0-9])<(?:[a-z_ -]+>|\Z)|\$\{|\{\{|[$]\()"
)
_ONE_WORD = (
    r"(?:base64|base32|sha-?\d+|md5|aes-?\d+)(?:[-_ ]?(?:encoded|hashed|encrypted|salted))?|x{3,}|\*+|-+|_+|\?+|•+|n/?a|none|null|nil|undefined|true|false|yes|no|on|off|any|str|int|string|number|bool"
    r"|boolean|bytes|text|object|uuid|varchar|char|secretstr|hidden|required|optional|empty|unset|todo|tbd"
    r"|redacted|removed|masked|hashed|encrypted|invalid|expired|missing|incorrect|wrong|valid|unknown|disabled|enabled"
    r"|forgot|reset|confirm|new|old|current|plain|plaintext|test|input|field|prompt|ask|stdin|inherit|omit|include|same-origin"
    r"|password|passwd|passwort|pass|pwd|pw|secret|token|key|api|user|username|login|admin|root|credentials?|auth|cookie|session|changeme|change-me"
    r"|placeholder|example|default|1password|basic|bearer|oauth2?|jwt|api[-_ ]?key|bcrypt|argon2|argon2id|scrypt|sha256|md5|hs256|rs256|foo|bar|foobar|baz|abc|qwe|asdf|postgres|guest|anonymous|minioadmin"
)
_STAND_IN = re.compile(
    rf"(?i)(?:base64:)?(?:{_ONE_WORD}"
    r"|(?:please|your|my|the|some|an?|any|example|dummy|fake|mock|sample|test|change|replace|insert|enter|put|valid|invalid|wrong|new|old|user|db|add|set)"
    r"[-_. ]?(?:[a-z0-9]{1,16}[-_. ]){0,5}(?:here|me|this|it|password|passwd|passphrase|pass|pwd|pw|secret|token|key|value|credentials?|string|with\w*)s?\d?"
    r"|[a-z_.-]{0,24}(?:[-_. ](?:here|placeholder|goes[-_ ]here|example))"
    r"|(?:user|pass|password|secret|token|api[-_]?key)[-_]?(?:here|name|word|value|string|id)?"
    r"|(?:please|generate|change|replace|your)[-_ ][a-z-_]{3,40}"
    r"|[a-z]{2,12}[-_](?:password|passwd|credentials)|scram-sha-\d+(?:-plus)?"
    r"|[a-z0-9]{2,8}[-_]your[-_][a-z_-]{3,40}"
    r"|[a-z0-9/+]{8,40}example(?:key)?"  # of AWS's documentation
    r")[.!?)\]}>,;:]{0,3}\Z"
)
_CODE = re.compile(
    r"[A-Za-z_$][\w.]*+(?:\(|\[|::|->|=>|!\()"  # a call, an index, a path of names
    r"|[A-Za-z_]\w*+(?:\??\.[A-Za-z_]\w*+)++(?<!\d\d)[;,)]{0,3}\Z"
    r"|(?:[.~]{0,2}/[\w./-]*+|[a-z0-9._-]++(?:/[a-z0-9._-]++)++)\Z"  # a file
    r"|(?:await|new|return|typeof|not|lambda|function|async|if|else|self|this)\b"
)
_MEASURE = re.compile(
    r"v?\d+(?:\.\d+)+[\w.-]*\Z"  # a version
    r"|[~^<>=]{1,2}\d[\d.*x-]*\Z"
    r"|\d+(?:\.\d+)?(?:ms|s|m|h|d|min|kb|mb|gb|px|em|rem|k|ki|mi|bit|bits|chars?|bytes?)\Z"
    r"|\d{4}-\d\d-\d\d|\d[\d,._:/-]*\Z"
)
_NAME = re.compile(
    r"[A-Za-z]+[-_ ]?\d{1,4}\Z"  # step1, sha256, item-12
    r"|[A-Za-z]+(?:[-_.:/](?:[A-Za-z]+\d{0,2}|\d{1,4}))+\Z"  # refresh_token_v2
    r"|[a-z]+\d{1,3}[A-Z][A-Za-z]*\Z"  # base64Encode
)


def looks_generated(value: str) -> bool:
    """Whether the characters are in random order, rather than a name."""
    if _UUID.match(value):
        return True
    value = value[:_ENOUGH]
    turns = sum(1 for _ in _TURN.finditer(value))
    return turns >= max(_FEWEST_TURNS, len(value) // _CHARACTERS_PER_TURN)


def is_certainly_generated(value: str) -> bool:
    """Whether a long value can be nothing but a key: random letters of both cases and digits.

    Hashes and ids of programs have letters of one case; a public key begins with its length.
    """
    if not value.isascii() or value.startswith("AAAA") or _is_encoded_text(value):
        return False
    digits = sum(map(str.isdigit, value))
    large, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    least = len(value) // 16
    if min(digits, large, small) < max(2, least) or not looks_generated(value):
        return False
    words = sum(len(run) for run in _SPOKEN_RUN.findall(value) if _is_speakable(run))
    return 3 * words < len(value)


def _is_speakable(run: str) -> bool:
    run = run.lower()
    pairs = [run[at : at + 2] in _PAIRS for at in range(len(run) - 1)]
    return 4 * sum(pairs) >= 3 * len(pairs)


def is_key(value: str) -> bool:
    """Whether a long value is a key although nothing says so: random letters and digits.

    A checksum has no letter beyond f, an image is longer, and a public key begins with its length.
    """
    value = value.rstrip("=")
    name = value[value.rfind("/") + 1 :]
    name = name[_end_of_mark(name) :]
    if len(name) >= _SHORTEST_KEY and _has_one_case(name):
        return _is_unmarked_key(name)  # the case of its folder or mark is not its own
    return _is_unmarked_key(value) or _is_unmarked_key(value[_end_of_mark(value) :])


def is_random_word(value: str) -> bool:
    """Whether a value that is called a key or a token is one, with few digits or none."""
    if not 16 <= len(value) <= _LONGEST_KEY or not _TOKEN.match(value):
        return False
    if is_words(value) and not (value.isupper() and value.isalpha()):
        return False
    return (is_unspeakable(value) or _changes_case(value)) and not _is_encoded_text(value)


def _end_of_mark(value: str) -> int:
    mark = _MARK.match(value)
    return mark.end() if mark else 0


def _is_unmarked_key(body: str) -> bool:
    if not _SHORTEST_KEY <= len(body) <= _LONGEST_KEY or _MAGIC.match(body) or _NO_KEY.match(body):
        return False
    if _has_one_case(body):
        return _is_random_run(body)
    if 8 * sum(not each.isalnum() for each in body) > len(body):
        return False  # a name of several words
    return is_certainly_generated(body)


def _has_one_case(value: str) -> bool:
    return value.isalnum() and (value.islower() or value.isupper())


def _is_random_run(value: str) -> bool:
    """Whether digits and letters of one case are a key: with letters that no checksum has."""
    if len(value) < _LONG_RUN or not _BEYOND_HEX.search(value):
        return False
    digits = sum(map(str.isdigit, value))
    if not 4 <= digits <= len(value) // 2 + 2:
        return False
    words = sum(len(run) for run in _LETTERS.findall(value))
    return 2 * words < len(value) or is_unspeakable(value)


def _is_encoded_text(value: str) -> bool:
    from binascii import Error, a2b_base64

    try:
        data = a2b_base64(value[: len(value) // 4 * 4])
    except Error:
        return False
    return sum(32 <= byte < 127 or byte in b"\n\r\t" for byte in data) >= 0.9 * len(data)


def is_words(value: str) -> bool:
    """Whether a value is plain words, joined as in names or not."""
    return _WORDS.match(value) is not None


def is_stand_in(value: str) -> bool:
    """Whether a value stands for a secret: documentation writes `<token>`, `$TOKEN`, `changeme`."""
    if _DOLLAR.match(value) and (is_jumbled(value[1:]) or is_chosen(value[1:])):
        return False  # no variable has such a name
    return (
        value.startswith(PLACEHOLDER_START[:-1])
        or _REFERENCE.match(value) is not None
        or all(map(_STAND_IN.match, value.rstrip(")").split("|")))
        or _OPEN_ENDED.match(value) is not None
    )


def is_code(value: str) -> bool:
    """Whether a value is an expression or a file rather than a literal."""
    return _CODE.match(value) is not None


def has_letters_and_digits(value: str) -> bool:
    """Whether a value mixes letters and digits, as generators and rules for passwords do."""
    if len(value) < 6 or _MEASURE.match(value):
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_name(value: str) -> bool:
    """Whether a value with digits is what programmers call things: `step1`, `refresh_token_v2`."""
    return _NAME.match(value) is not None


_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HEX = re.compile(r"(?:[a-z]{1,8}[-_])?(?:[0-9a-f]+|[0-9A-F]+)(?:-[0-9a-fA-F]+)*\Z")
_THING = re.compile(
    r"[\w.+%-]+@(?:[\w.-]*\.[\w.-]+|v?\d[\w-]*)\Z|[a-z][\w.-]*@[a-z][a-z-]*\d{0,3}\Z"  # an e-mail address, a package with its version
    r"|[\w.-]+\.[a-z]{2,5}(?:[:/?#]\S*)?\Z"  # a host, a file
    r"|[~./\\]|[a-z]+://|-{1,2}[a-z]|[#@$&]|\w+[=(\[]"  # paths, options, references, code
    r"|(?:[A-Za-z]+\+)+\w{1,5}\Z|[A-Za-z]\+\+\d"  # Ctrl+Shift+F5, C++17
    r"|(?:GHSA|CVE|RFC)-|[\w-]+(?:[/.,:|][\w-]+)+(?<!\d{3})\Z|.*(?:[aA]-[zZ]|::|->|=>|==|&&|\|\||%[sd(]|\?\w+=|\$\w*\{|\{\{)"
)
_TICKET = re.compile(r"[A-Z]{2,}(?:[-_]?\d+)+\Z|[A-Za-z]{1,4}\d+\Z|(?:[a-z]+[-_])+v?\d{1,2}\Z")
_CERTAIN_SIGN = re.compile(r"\w[!$]|\w[@#%^&*?+~]\w|\w[#%^&*@]\Z")
_BLENDED = re.compile(r"[A-Za-z]{3,}\d[A-Za-z]{3,}\Z")
_LEET = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{1,5}(?:[01345][a-z]{2,}|0[A-Z][a-z])")
_TWO_WORDS = re.compile(r"[A-Z]?[a-z]{3,}\d{1,2}[A-Z][a-z]{3,}\d{0,4}\Z")
_JOINED = re.compile(r"[a-z]{3,}(?:[-_.][A-Za-z]{3,})+[-_.]?\d{2,4}\Z")
_TECHNICAL = re.compile(
    r"(?i)base(?:64|32)|utf8|sha\d|oauth2|http2|k8s|i18n|l10n|a11y|e2e|x509|s3[-_.]|ec2|p2p|b2b|md5|h264|mp[34]"
    r"|test\d|page\d|route53|ipv[46]|win32|x86|x64|arm64|amd64|int\d|float\d|log4j|web3|py3|pbkdf2|argon2|bcrypt2|step\d|v\d|2to3|to_?\d|secp\d|prime\d|ed25519|ed448|x25519|aes-?\d|curve\d|saml2|ios\d|android\d|pep_?\d|wpa\d"
)
# Pairs of letters that nine of ten words are made of, by their first; of random letters, one pair in three.
_ROWS = """
abcdgiklmnprstuvy baeilorsu cacehiklorstu dadefilorsu eabcdefgilmnopqrstvwxy faefilortu gaehilnorsu haeiot iabcdefglmnoprstvz keis ladeilopstuy
mabeimopsu nacdefgiknostuv oabcdfgiklmnoprstuvw paehiloprstu qu racdefgiklmnoprstuy sacehikmopstuy tacefhilmorstuy uabcegilmnprst vaei waeiho xept
ypst ze
"""
_PAIRS = frozenset(row[0] + second for row in _ROWS.split() for second in row[1:])
_RUN_OF_LETTERS = re.compile(r"[a-z]{2,}|[A-Z]{2,}|[A-Z][a-z]+")
_FEWEST_PAIRS = 6
_SIGN_INSIDE = re.compile(r"[A-Za-z0-9][!#$%^*?~+=&@;,]+[A-Za-z0-9]|[!#$%^*?~+=&@]{2}")
_NAME_AND_YEAR = re.compile(r"[A-Z][a-z]{2,}[@#]?(?:19|20)\d\d\Z")
_WORDS_JOINED = re.compile(r"[a-z]{3,9}(?P<by>[-_. +])[a-z]{3,9}(?:(?P=by)[a-z]{3,9}){2,6}\Z")
_UNUSUAL = re.compile(r"[A-Za-z]{3,}(?:[-_.+,][A-Za-z]{3,})+\d{0,4}\Z")
_ABOUT_PASSWORDS = re.compile(
    r"(?i)pass|secret|token|your|change|here|example|replace|enter|insert|todo|dummy|placeholder|value|\b(?:the|not|and|for|use)-|-the\b|with|from|-is-|-to-|default|credential"
)
# What is guessed first, without the words that a sentence about passwords needs.
_FIRST_GUESSES = """
letmein qwerty qwertyuiop qwertz azerty iloveyou sunshine superman batman football baseball starwars whatever princess dragon monkey master123
welcome1 trustno1 passw0rd p@ssw0rd p@ssword pa$$word pa$$w0rd hunter2 abc123 123456 1234567 12345678 123456789 1234567890 111111 000000 123123 654321
666666 1q2w3e4r 1qaz2wsx zaq12wsx asdfgh asdfghjkl zxcvbn zxcvbnm michael jordan charlie ashley jessica daniel pokemon mustang killer freedom ninja
hottie biteme loveme cheese computer1 s3cr3t s3cret secr3t t0psecret topsecret opensesame swordfish sesame toor calvin raspberry password1
password12 password123 admin123 root123 test123 welcome123 changeme123 summer winter spring autumn
"""
_COMMON = frozenset(_FIRST_GUESSES.split())
_DOLLAR = re.compile(r"\$(?![a-z0-9]+\$)")
_UNSPEAKABLE = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}")
_CASES = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)")


def is_chosen(value: str) -> bool:
    """Whether a value has what rules for passwords ask for: letters, digits and a sign inside."""
    if not has_letters_and_digits(value) or _THING.match(value) or is_words(value):
        return False
    sign = _CERTAIN_SIGN.search(value)
    return sign is not None and (sign[0][1] in "!$" or _CASES.match(value) is not None)


def is_ticket(value: str) -> bool:
    """Whether a value is the number of a ticket or a version: `SEC-77`, `auth-v2`."""
    return _TICKET.match(value) is not None


def kind_of_letters(value: str) -> str:
    """What a value is made of, in one word."""
    if _HEX_ONLY.match(value):
        return "number" if len(value) < _SHORTEST_KEY and _NUMBER.match(value) else "hex"
    odd, digits = _SIGN.search(value) is not None, any(map(str.isdigit, value))
    if odd or digits:
        return "sign and digits" if odd and digits else "sign" if odd else "digits"
    joined = "joined" if _JOINT.search(value) else "word"
    return joined if value.islower() else f"{joined} with capitals"


def is_in_other_letters(value: str) -> bool:
    """Whether a value is written in letters of Asia, as remarks are and hardly any password."""
    # Not a pattern: one of whole alphabets takes milliseconds to compile.
    return not value.isascii() and any(
        "\u0590" <= each <= "\u0fff" or "\u3040" <= each <= "\ud7af" for each in value
    )


def is_marked_id(value: str) -> bool:
    """Whether a value begins with the mark of an id, which is no secret: `msg_…`, `toolu_…`."""
    return MARK_OF_ID.match(value) is not None


def is_thing(value: str) -> bool:
    """Whether a value is an address, a path, an option, a shortcut or code."""
    return _THING.match(value) is not None


def is_technical(value: str) -> bool:
    """Whether a value contains a name with a digit that programmers use: `utf8`, `oauth2`."""
    return _TECHNICAL.search(value) is not None


def has_generated_part(value: str) -> bool:
    """Whether a value with dots is a token of several parts rather than a path of names."""
    return any(len(part) >= 20 and is_certainly_generated(part) for part in value.split("."))


def is_memorable(value: str) -> bool:
    """Whether a value is words and digits as people make passwords of them: `maple-rocket-9115`."""
    if _TICKET.match(value) or _THING.match(value) or _MEASURE.match(value):
        return False
    digits = sum(map(str.isdigit, value))
    if len(value) < 8 or digits >= len(value) - 4 or not value[0].isalpha():
        return False
    return digits >= 2 or (_BLENDED.match(value) is not None and not _TECHNICAL.search(value))


def is_misspelt(value: str) -> bool:
    """Whether a digit stands for a letter inside a word, as in `c0balt.Heron`."""
    if not 8 <= len(value) <= _LONG_RUN:
        return False
    return _LEET.search(value) is not None and not _TECHNICAL.search(value)


def is_phrase(value: str) -> bool:
    """Whether words of both cases and digits are joined: `hollow-Quartz-88`, `regen3Wald8`."""
    joined = _JOINED.match(value) or _TWO_WORDS.match(value)
    return bool(joined and _CASES.match(value)) and not _TECHNICAL.search(value)


def is_password_like(value: str) -> bool:
    """Whether the value may have been made as a password, by hand or by a program."""
    return (
        is_chosen(value)
        or is_jumbled(value)
        or is_memorable(value)
        or is_invented(value)
        or is_common_password(value)
    )


def is_common_password(value: str) -> bool:
    """Whether a value is one of the most common passwords."""
    return value.lower().rstrip("!.") in _COMMON


def is_given_password(value: str) -> bool:
    """Whether a value that is called a password is one rather than a word about passwords."""
    return has_letters_and_digits(value) or is_invented(value) or is_common_password(value)


def is_invented(value: str) -> bool:
    """Whether a value without a digit is a password: `Rocket!Castle`, `zxcwlfliozw`, four words."""
    if _NAME_AND_YEAR.match(value):
        return True
    if len(value) < 8 or value[0] in "-./" or "(" in value or "://" in value:
        return False
    if _WORDS_JOINED.match(value):
        return _ABOUT_PASSWORDS.search(value) is None
    if _UNUSUAL.match(value):
        return share_of_known_words(value) == "none"
    if is_unspeakable(value) or _changes_case(value):
        return True
    sign = _SIGN_INSIDE.search(value)
    return sign is not None and not _THING.match(value) and not value.islower()


def _changes_case(value: str) -> bool:
    pieces = _PIECES.findall(value)
    short = sum(len(piece) < 3 for piece in pieces)
    return value.isalpha() and short >= 3 and 2 * short >= len(pieces)


def is_unspeakable(value: str) -> bool:
    """Whether the letters follow each other as in no word of any language."""
    runs = _RUN_OF_LETTERS.findall(value[:_ENOUGH])
    pairs = [pair for run in runs for pair in zip(run.lower(), run.lower()[1:], strict=False)]
    if len(pairs) < _FEWEST_PAIRS:
        return False
    return sum(first + second in _PAIRS for first, second in pairs) < 0.55 * len(pairs)


def is_jumbled(value: str) -> bool:
    """Whether letters and digits alternate as they do in no name: `kR7xw2Lp`, `uk3z9i6fzqz4k`."""
    if not has_letters_and_digits(value) or _THING.match(value) or _HEX.match(value):
        return False
    pieces = _PIECES.findall(value)
    short = sum(len(piece) < 3 and piece.isalpha() for piece in pieces)
    if _CASES.match(value):
        return short >= 2 or _UNSPEAKABLE.search(value) is not None
    return value.isalnum() and short >= 2 and sum(map(str.isdigit, pieces)) >= 2
