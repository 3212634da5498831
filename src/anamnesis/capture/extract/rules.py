"""Rules that a person laid down: sentences that bind later sessions, not only this turn."""

from __future__ import annotations

import re

from anamnesis.capture.extract.text import QUESTION, folded, is_pasted, sentences, statements, words
from anamnesis.capture.story import PROMPT
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.capture.story import Story

# Kinds of evidence. One word never decides: a sentence needs two kinds, or a lasting word and the
# form of a command. Each kind is written for several languages.
_LASTING = re.compile(
    r"\b(?:always|never|ever again|from now on|in (?:the )?future|going forward|every time"
    r"|each time|whenever|by default|at all times|no longer"
    r"|immer|niemals|nie(?: wieder)?|ab jetzt|künftig|jedes mal|grundsätzlich"
    r"|toujours|jamais|désormais|à chaque fois|siempre|nunca|a partir de ahora|cada vez"
    r"|sempre|mai più|d'ora in poi|nunca mais|a partir de agora|всегда|никогда|впредь|каждый раз)\b"
    r"|总是|總是|永远|永遠|从不|從不|以后|以後|今后|今後|每次|务必|務必|一律|常に|必ず|絶対に"
    r"|今後|毎回|항상|절대",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:do not|don.?t|must not|mustn.?t|should not|shouldn.?t|may not|not allowed|avoid"
    r"|no more|without|refrain"
    r"|(?:bitte )?nicht|keine?[nrs]?|ne \w+ pas|sans|no (?:uses?|hagas?|pongas?)|sin|não|senza"
    r"|non \w+re"
    r"|не|нельзя|без)\b|不要|不可|不得|别用|別用|禁止|勿|ないで|しないで|禁止|하지 ?마",
    re.IGNORECASE,
)
_OBLIGED = re.compile(
    r"\b(?:must|should|shall|need(?:s|ed)? to|ha(?:s|ve) to|make sure|be sure|ensure|required"
    r"|supposed to|we (?:use|want|prefer|only)|i (?:want|prefer|need|expect)|prefer\w*"
    r"|muss|müssen|soll(?:en|te)?|wir (?:benutzen|nutzen|verwenden)|bevorzug\w+|achte darauf"
    r"|doit|doivent|il faut|on utilise|assure[- ]toi|préfér\w+|debe[ns]?|hay que|usamos"
    r"|asegúrate|prefier\w+"
    r"|deve|devono|usiamo|precisa|должн\w+|нужно|надо|используем)\b"
    r"|必须|必須|應該|应该|需要|请先|請先|我们用|我們用|使用|確保|确保|すべき|使って|해야",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:all|every|each|any|everything|everywhere|only|both|whatever"
    r"|alle[nrsm]?|jede[nrsm]?|überall|nur|tous|toutes|chaque|partout|seulement|todos|todas|cada"
    r"|solo"
    r"|tutti|ogni|soltanto|tudo|все|каждый|везде|только)\b"
    r"|所有|全部|每个|每個|每一|都|只|すべて|全て|모든",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:before|after|first|zuerst|bevor|nachdem"
    r"|erst|avant|après|d'abord|antes|después|primero|prima|dopo|depois|сначала|перед|после)\b"
    r"|先|之前|之后|之後|再|後|まず|前に|後に|먼저",
    re.IGNORECASE,
)
# How work is done, as opposed to what is built: the vocabulary of the trade, in any project.
_PRACTICE = re.compile(
    r"\b(?:commit\w*|push\w*|merg\w+|rebas\w+|branch\w*|pull requests?|prs?|tests?|testing"
    r"|lint\w*|format(?:ter|ting)|type.?check\w*|coverage|ci|build|docs?|document(?:ation|ed)?"
    r"|readme|changelog\w*|release notes|dependenc\w+|packages?|secrets?|credentials?|api keys?"
    r"|passwords?|ask me|permission|approv\w+|confirm\w*|review\w*|discuss\w*|explain|verify"
    r"|checks?|convention\w*|style|comments?|naming|refactor\w*)\b"
    r"|提交|推送|测试|測試|文档|文件|討論|讨论|確認|确认|註解|注释|依賴|依赖|審查|审查"
    r"|テスト|コミット|確認|커밋|테스트"
    r"|\b(?:tester|testen|dokument\w+|frag(?:e|en)? mich|besprech\w+|vérifi\w+|demande-moi"
    r"|pruebas?|documenta\w*"
    r"|pregúnta\w*|confirma\w*|тест\w*|коммит\w*|документ\w*|спроси\w*)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:ask me|check with me|confirm|my (?:ok|okay|approval|permission|go)|permission"
    r"|discuss\w*|frag\w* mich"
    r"|demande[sz]?[- ]moi|pregúnta\w*|спроси\w*)\b|討論|讨论|問我|问我|確認|确认|聞いて|물어",
    re.IGNORECASE,
)
_INSISTED = re.compile(
    r"\b(?:make sure|be sure|ensure|see to it|achte darauf|stell\w* sicher|assure[sz]?[- ](?:toi"
    r"|vous)"
    r"|asegúrate|assicurati|certifique-se|убедись)\b|確保|确保|必ず|반드시",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"\b(?:everything|everywhere|every|each|alles|überall|jede[nrsm]?|tout|partout|chaque|todo"
    r"|cada|tutto|ogni|всё|каждый)\b"
    r"|全部|一切|每|すべて|모두",
    re.IGNORECASE,
)
_TOOL = re.compile(
    r"\b(?:we|i) (?:use|are using|only use|prefer|stick (?:to|with))\b|\bwir (?:nutzen"
    r"|benutzen|verwenden)\b"
    r"|\bon utilise\b|\b(?:usamos|usiamo|используем)\b|我们用|我們用",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\b(?:until|bis|jusqu|hasta|пока)\b|直到", re.IGNORECASE)  # ends with the task
_DRAWING = re.compile("[\u2500-\u257f\u2705\u274c]")
_LONGEST_PROMPT = 900
_OPENING = 25  # characters: a lasting word that opens a sentence commands, a later one may report
_SHORT_SENTENCE = 36
_BEFORE_PASTE = 6
_LONGEST = 400
_FEWEST_WORDS = 4
_MOST = 12


@record
class Rule:
    """A sentence in the person's words, and when it was said."""

    text: str
    at: str


def rules(story: Story) -> list[Rule]:
    """The rules of a session; of those that say much the same, the last."""
    found: list[Rule] = []
    for prompt in story.of(PROMPT):
        if prompt.answer:
            continue
        for sentence in _sentences(prompt.text):
            if is_rule(sentence):
                found = [each for each in found if not _same(each.text, sentence)]
                found.append(Rule(sentence, prompt.at))
    return found[-_MOST:]


def is_rule(sentence: str) -> bool:
    """Whether a sentence binds what comes later."""
    if len(sentence) > _LONGEST or len(words(sentence)) < _FEWEST_WORDS:
        return False
    if sentence.endswith(QUESTION) or is_pasted(sentence):
        return False
    lasting, forbidden, obliged, general, order = (
        kind.search(sentence) is not None
        for kind in (_LASTING, _FORBIDDEN, _OBLIGED, _GENERAL, _ORDER)
    )
    forbidden = forbidden and _ONCE.search(sentence) is None
    insisted = _INSISTED.search(sentence) is not None
    if _PRACTICE.search(sentence):
        asked_first = order and _ASKING.search(sentence) is not None
        whole = _EVERYTHING.search(sentence) is not None
        return lasting or forbidden or asked_first or whole or obliged + general + order > 1
    if lasting:
        return obliged or forbidden or _LASTING.search(sentence[:_OPENING]) is not None
    return (insisted and general) or (
        _TOOL.search(sentence) is not None and len(words(sentence)) < _SHORT_SENTENCE
    )


def _sentences(text: str) -> Iterator[str]:
    """The sentences that the person typed; of a pasted document, only what stands before it."""
    is_document = len(text) > _LONGEST_PROMPT
    for number, unit in enumerate(statements(text)):
        if is_document and (unit.is_item or unit.heading or number >= _BEFORE_PASTE):
            return
        if not unit.is_code and not _DRAWING.search(unit.text):
            yield from map(folded, sentences(unit.text))


def _same(one: str, other: str) -> bool:
    first, second = set(words(one)), set(words(other))
    return len(first & second) > 0.6 * min(len(first), len(second))
