"""Which language a question is in, as far as that changes how its words are looked for.

The index stems English. In other languages that inflect, the end of a word is cut off and its
beginning looked for, and the words that only hold a sentence together are left out as in English.
"""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.index import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST_HITS = 2  # function words; a single one may be a name
_SHORTEST_STEM = 5  # letters; what is shorter begins too many words


@record
class Language:
    """What is known of a language: its function words and the endings of its words."""

    function_words: frozenset[str]
    endings: tuple[str, ...]  # the longest first

    def stem(self, word: str) -> str:
        """The beginning that a word shares with its other forms, or nothing if it is too short."""
        for ending in self.endings:
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
                return word[: -len(ending)]
        return word if len(word) > _SHORTEST_STEM else ""


def _language(function_words: str, endings: str) -> Language:
    return Language(frozenset(function_words.split()), tuple(endings.split()))


# As the tokenizer sees them: folded, without accents.
_LANGUAGES = (
    _language(
        """
        ab aber alle alles als also am an andere auch auf aus bei beim bevor bin bis bitte da dafur
        damit dann daran darf das dass davon dazu dem den denn der des deshalb dich die dies diese
        diesem diesen dieser dieses dir doch dort du durch durfen ein eine einem einen einer eines
        er es etwas euch fur gab ganz geht gegen gibt habe haben hat hatte hatten hier hinter ich
        ihm ihn ihr ihre im immer in ins ist ja jede jeder jedes jetzt kann kannst kein keine keinen
        kommt konnen konnte lassen machen macht man mal mehr mein meine mich mir mit muss mussen
        nach nicht nichts noch nochmal nun nur ob oder ohne schon sehr seid sein seine seit sich sie
        sind so soll sollen sollte sonst sowie steht uber um und uns unser unsere unter viel viele
        vom von vor wann war waren warum was wegen weil welche welchem welchen welcher welches wenn
        wer werde werden weshalb wie wieder wieso will wir wird wo woher wohin wollen worden wurde
        wurden zu zum zur zwischen
        """,
        "ungen ung enen ern est end em en er es et st e n s t",
    ),
    _language(
        """
        ai au aux avec avoir ca car ce cela ces cet cette chez comme comment dans de des deux donc
        du elle en encore est et etait ete etre eux faire fait faut ici il ils je la le les leur
        leurs lui ma mais me meme mes moi mon ne nos notre nous on ont ou par pas peu peut plus
        pour pourquoi quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sous
        sur ta te tes toi ton tous tout toute toutes tres tu un une va vers voir vos votre vous
        """,
        "ements ement ations ation euses euse antes ants ante ant ees ee es er ez e s",
    ),
    _language(
        """
        al algo ante como con contra cual cuales cuando de del desde donde dos el ella ellos en
        entre era es esa ese eso esta este esto estos fue ha hace hacer han hasta hay la las le les
        lo los mas me mi mis muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero
        poco por porque puede que quien se ser si sin sobre solo son su sus tambien tan te tiene
        todo todos tu un una unas uno unos y ya yo
        """,
        "aciones acion amiento adoras adores ando iendo adas ados ada ado es as os a e o s",
    ),
)  # fmt: skip


def of(tokens: Sequence[str]) -> Language | None:
    """The language of some words, or None for English and for all that is not known here."""
    said = {*tokens}
    english = len(said & words.FUNCTION_WORDS)
    hits = [(len(said & language.function_words), language) for language in _LANGUAGES]
    most, language = max(hits, key=lambda hit: hit[0])
    return language if most >= _LEAST_HITS and most > english else None
