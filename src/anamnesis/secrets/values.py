"""What a value looks like: made by a program, chosen as a password, code, or a stand-in.

Characters decide, never words: how often letters, digits and cases alternate, which letters follow
one another. The one list of words is that of stand-ins, as documentation writes them.
"""

# ruff: noqa: E501, SIM905  (a pattern and a list of words are read in one piece)
from __future__ import annotations

from anamnesis.secrets.rule import ANY, MIXED, PLACEHOLDER_START, RANDOM, STRONG, compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_UUID = r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z"
_TURN = r"(?=[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])"
_FEWEST_TURNS = 3
_CHARACTERS_PER_TURN = 6  # chance gives a turn every second character, camelCase every seventh
_ENOUGH = 64  # characters tell; a hostile text may have megabytes
_SHORTEST_GENERATED = 10
_SHORTEST_CHOSEN = 6
_LONG_WORD = 16
_FEW_DIFFERENT = 6  # of 16 random digits of hexadecimal, ten differ
_LETTERS = r"[a-z]{2,}|[A-Z]{2,}|[A-Z][a-z]+"
_PIECES = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"
_PUNCTUATION = ".!?)]}>,;:"
_RUN = r"[A-Z]?[a-z]{2,}|[A-Z]{3,}"
# Pairs of letters that nine of ten words are made of, by their first; of random letters, one pair in three.
_ROWS = """
abcdgiklmnprstuvy baeilorsu cacehiklorstu dadefilorsu eabcdefgilmnopqrstvwxy faefilortu gaehilnorsu haeiot iabcdefglmnoprstvz keis ladeilopstuy
mabeimopsu nacdefgiknostuv oabcdfgiklmnoprstuvw paehiloprstu qu racdefgiklmnoprstuy sacehikmopstuy tacefhilmorstuy uabcegilmnprst vaei waeiho xept
ypst ze
"""
_PAIRS = frozenset(row[0] + second for row in _ROWS.split() for second in row[1:])
_FEWEST_PAIRS = 6
_REFERENCE = (
    r"\$(?!\d?[a-z]{0,2}\$|argon2)(?=[A-Za-z_{(\[]|[@$1-9](?![\w@$!#%^*~?+=&-]))(?![A-Za-z_][\w$]*[!#%^*~?+=&])|[<{(\[)]|/\^|%(?=[({]|[sdr](?:\W|\Z)|[A-Za-z_]\w*%)"
    r"|pk_(?:live|test)_|pk\.eyJ|__\w+__\Z|sha\d+[:-]|\*{2}|\.{2}|…|!\w+\s|@\{|\\\(|&(?:mut )?[a-z*][\w.:]*\Z|#\{"
    r"|(?i:process\.|os\.|env[.:\[(]|secrets?[.\[]|self\.|this\.|vars?[.\[]|local\.|data\.|vault:|op://|ref\+|arn:|kms:|sops:|ENC[\[(]|AgB[A-Za-z0-9+/]{40}|ssm:|file:|projects/|https?://|get_|getenv)"
)
_OPEN_ENDED = r"[^\s]{0,100}?(?:\.{3}|0{9}|…|\*{3}|(?i:x{4})|(?<![A-Za-z0-9])<(?:[a-z_ -]+>|\d{0,3}\Z)|\$\{|\{\{|[$]\()"
# What documentation writes instead of a secret, and what configuration says of one.
_WORDS_FOR_IT = frozenset(
    """
n/a na none null nil undefined true false yes no on off any str int string number bool boolean bytes text object uuid varchar char secretstr hidden
required optional empty unset todo tbd redacted removed masked hashed encrypted invalid expired missing incorrect wrong valid unknown disabled enabled
forgot reset confirm new old current plain plaintext test input field prompt ask stdin inherit omit include same-origin password passwd passwort pass
pwd pw secret token key api user username login admin root credential credentials auth cookie session changeme change-me placeholder example default
1password basic bearer oauth oauth2 jwt apikey api-key api_key bcrypt argon2 argon2id scrypt hs256 rs256 foo bar foobar baz abc qwe asdf postgres guest
anonymous minioadmin x-oauth-basic
""".split()
)
_STAND_IN = (
    r"(?i)(?:base64:)?(?:(?:base64|base32|sha-?\d+|md5|aes-?\d+)(?:[-_ ]?(?:encoded|hashed|encrypted|salted))?|0?12345\d*|(?P<same>.)(?P=same)*"
    r"|(?:please|your|my|the|some|an?|any|example|dummy|fake|mock|sample|test|change|replace|insert|enter|put|valid|invalid|wrong|new|old|user|db|add|set)"
    r"[-_. ]?(?:[a-z0-9]{1,16}[-_. ]){0,5}(?:here|me|this|it|password|passwd|passphrase|pass|pwd|pw|secret|token|key|value|credentials?|string|with\w*)s?\d?"
    r"|[a-z_.-]{0,24}[-_. ](?:here|placeholder|goes[-_ ]here|example)"
    r"|(?:user|pass|password|secret|token|api[-_]?key)[-_]?(?:here|name|word|value|string|id)?\d{0,2}"
    r"|(?:please|generate|change|replace|your)[-_ ][a-z-_]{3,40}"
    r"|[a-z]{2,12}[-_]?(?:pass(?:word|wd)?|credentials)|scram-sha-\d+(?:-plus)?|[a-z0-9]{2,8}[-_]your[-_][a-z_-]{3,40}"
    r"|[a-z0-9/+]{8,40}example(?:key)?"  # of AWS's documentation
    r")\Z"
)
_DOLLAR = r"\$(?![a-z0-9]+\$|[({\[])"
_CODE = (
    r"[A-Za-z_$][\w.]*+(?:\(|\[|::|->|=>|!\()"  # a call, an index, a path of names
    r"|[A-Za-z_]\w*+(?:\??\.[A-Za-z_]\w*+)++(?<!\d\d)[;,)]{0,3}\Z"
    r"|(?:(?:[A-Za-z]:|[.~]{0,2})/[\w./-]*+|[a-z0-9._-]++(?:/[a-z0-9._-]++)++)\Z"  # a file
    r"|(?:await|new|return|typeof|not|lambda|function|async|if|else|self|this)\b"
)
_WORDS = r"(?:(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+|[a-zA-Z](?![a-zA-Z]))[-_./: =]{0,2}+)++\Z"
_MEASURE = (
    r"v?\d+(?:\.\d+)+[\w.-]*\Z"  # a version
    r"|[~^<>=]{1,2}\d[\d.*x-]*\Z"
    r"|\d+(?:\.\d+)?(?:ms|s|m|h|d|min|kb|mb|gb|px|em|rem|k|ki|mi|bit|bits|chars?|bytes?)\Z"
    r"|\d{4}-\d\d-\d\d|\d[\d,._:/-]*\Z"
)
_NAME = (
    r"[A-Za-z]+[-_ ]?\d{1,4}\Z"  # step1, sha256, item-12
    r"|[A-Za-z]+(?:[-_.:/](?:[A-Za-z]+\d{0,2}|\d{1,4}))+\Z"  # refresh_token_v2
    r"|[a-z]+\d{1,3}[A-Z][A-Za-z]*\Z"  # base64Encode
)
_THING = (
    r"[\w.+%-]+@(?:[\w.-]*\.[\w.-]+|v?\d[\w-]*)\Z|[a-z][\w.-]*@[a-z][a-z-]*\d{0,3}\Z"  # an e-mail address, a package with its version
    r"|[\w.-]+\.[a-z]{2,5}(?:[:/?#]\S*)?\Z"  # a host, a file
    r"|[~./\\]|[a-z]+://|-{1,2}[a-z]|[#@$&]|\w+[=(\[]"  # paths, options, references, code
    r"|(?:[A-Za-z]+\+)+\w{1,5}\Z|[A-Za-z]\+\+\d"  # Ctrl+Shift+F5, C++17
    r"|(?:GHSA|CVE|RFC)-|[\w-]+(?:[/.,:|][\w-]+)+(?<!\d{3})\Z|.*(?:[aA]-[zZ]|::|->|=>|==|&&|\|\||%[sd(]|\?\w+=|\$\w*\{|\{\{)"
)
_SIGN_INSIDE = r"[A-Za-z0-9][!#$%^*?~+=&@;,<|]+[A-Za-z0-9]|[!#$%^*?~+=&@]{2}|\w[!$#]\Z"


# Every pattern is compiled when it is first needed: all of them would take 4 ms.
def _match(pattern: str, value: str) -> bool:
    return compiled(pattern).match(value) is not None


def is_generated(value: str) -> bool:
    """Whether a program made it: letters and digits in random order, rather than a name."""
    if _match(_UUID, value):
        return True
    value = value[:_ENOUGH]
    if len(value) < _SHORTEST_GENERATED:
        return False
    turns = sum(1 for _ in compiled(_TURN).finditer(value))
    is_even = is_words(value) or turns < max(_FEWEST_TURNS, len(value) // _CHARACTERS_PER_TURN)
    if is_even or value.isalpha():
        return is_unspeakable(value) or _changes_case(value)
    spoken = sum(len(run) for run in compiled(_RUN).findall(value) if _is_speakable(run))
    return 2 * spoken < len(value)


def is_chosen(value: str) -> bool:
    """Whether a person may have chosen it as a password: letters with digits, or with a sign."""
    if len(value) < _SHORTEST_CHOSEN or _match(_MEASURE, value) or is_words(value):
        return False
    if compiled(_SIGN_INSIDE).search(value) and not _match(_THING, value):
        return True
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_name(value: str) -> bool:
    """Whether a value with digits is what programmers call things: `step1`, `refresh_token_v2`."""
    return _match(_NAME, value)


def is_thing(value: str) -> bool:
    """Whether a value is an address, a path, an option, a shortcut or code."""
    return _match(_THING, value)


def is_words(value: str) -> bool:
    """Whether a value is plain words, joined as in names or not."""
    return _match(_WORDS, value)


def is_unspeakable(value: str) -> bool:
    """Whether the letters follow each other as in no word of any language."""
    runs = compiled(_LETTERS).findall(value[:_ENOUGH])
    pairs = [run[at : at + 2].lower() in _PAIRS for run in runs for at in range(len(run) - 1)]
    return len(pairs) >= _FEWEST_PAIRS and sum(pairs) < 0.55 * len(pairs)


def _changes_case(value: str) -> bool:
    pieces = compiled(_PIECES).findall(value)
    short = sum(len(piece) < _FEWEST_TURNS for piece in pieces)
    return value.isalpha() and short >= _FEWEST_TURNS and 2 * short >= len(pieces)


def _is_speakable(run: str) -> bool:
    pairs = [run[at : at + 2].lower() in _PAIRS for at in range(len(run) - 1)]
    return 4 * sum(pairs) >= 3 * len(pairs)


def is_stand_in(value: str) -> bool:
    """Whether a value stands for a secret: documentation writes `<token>`, `$TOKEN`, `changeme`."""
    if _match(_DOLLAR, value) and is_chosen(value[1:]) and not is_name(value[1:]):
        return False  # no variable has such a name
    if value.isalpha() and (value.isupper() or not value.isascii()) and len(value) < _LONG_WORD:
        return True  # `postgres://USER:PASSWORD@HOST`, in any language
    if len(value) >= _LONG_WORD and len(set(value)) <= _FEW_DIFFERENT:
        return True  # `AIzaaaaaaaaaaaaaaaa`
    return (
        value.startswith(PLACEHOLDER_START[:-1])
        or _match(_REFERENCE, value)
        or all(map(_is_word_for_it, value.rstrip(_PUNCTUATION).split("|")))
        or _match(_OPEN_ENDED, value)
        or _is_encoded_stand_in(value)
    )


def _is_encoded_stand_in(value: str) -> bool:
    """Whether a value is `user:password` in base64, as examples of headers have it."""
    from binascii import Error, a2b_base64

    try:
        text = a2b_base64(value[:_ENOUGH] + "==").decode("ascii").rstrip("\n")
    except (Error, ValueError):
        return False
    password = text.partition(":")[2]
    return bool(password) and is_stand_in(password)


def _is_word_for_it(value: str) -> bool:
    return value.lower() in _WORDS_FOR_IT or _match(_STAND_IN, value)


def is_code(value: str) -> bool:
    """Whether a value is an expression or a file rather than a literal."""
    if not _match(_CODE, value):
        return False
    return "(" in value or not any(
        len(part) >= _LONG_WORD and is_generated(part) for part in value.split(".")
    )


def is_strong(value: str) -> bool:
    """Whether a value is hardly anything but a password or a key, wherever it stands."""
    if is_generated(value):
        return True
    has_cases = any(map(str.isupper, value)) and any(map(str.islower, value))
    is_odd = has_cases or compiled(_SIGN_INSIDE).search(value) is not None
    return is_chosen(value) and is_odd and not is_name(value) and not is_thing(value)


def is_mixed(value: str) -> bool:
    """Whether a value is anything but plain words."""
    return is_generated(value) or is_chosen(value)


CHECKS: dict[str, Callable[[str], bool]] = {
    ANY: lambda _: True,  # the pattern says enough
    MIXED: is_mixed,
    STRONG: is_strong,
    RANDOM: is_generated,
}
