"""Rules that you gave: sentences that apply to later sessions, not only to this turn."""

from __future__ import annotations

import re
from functools import lru_cache

from anamnesis.capture.story import PROMPT
from anamnesis.ground.records import record
from anamnesis.text.cues import Cue, Sentence, sentence
from anamnesis.text.sentences import (
    QUESTION,
    folded,
    is_pasted,
    sentences,
    statements,
    typed_sentences,
)
from anamnesis.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.capture.story import Story

# Kinds of evidence. One word never decides: a sentence needs two kinds, or a lasting word and the
# form of a command. Each kind is written for several languages.
_LASTING = Cue(
    "always, never, ever again, from now on, from here on, in future, in the future",
    "going forward, every time, each time, whenever, by default, at all times, no longer",
    "immer, niemals, nie, ab jetzt, künftig, jedes mal, grundsätzlich",
    "toujours, jamais, désormais, à chaque fois, siempre, nunca, a partir de ahora, cada vez",
    "sempre, mai, d'ora in poi, a partir de agora, всегда, никогда, впредь, каждый раз",
    "总是, 總是, 永远, 永遠, 从不, 從不, 以后, 以後, 今后, 今後, 每次, 务必, 務必, 一律",
    "常に, 必ず, 絶対に, 毎回, 항상, 절대",
)
_POSSIBLE = Cue("can always, could always, may always, kann immer, können immer, peut toujours")
_FORBIDDEN = Cue(
    "do not, don't, dont, must not, mustn't, should not, shouldn't, may not, not allowed, avoid",
    "no more, without, refrain, nicht, kein, keine, keinen, keiner, keines, sans, sin, não, senza",
    "no uses, no use, no usar, no hagas, no hacer, no pongas, non usare, ne fais pas, ne fais",
    "n'utilise, n'utilise pas, не, нельзя, без",
    "hör auf, arrête de, deja de, smetti di, pare de, перестань",
    "不要, 不可, 不得, 别用, 別用, 禁止, 勿, ないで, 하지 마, 하지마",
)
_STOP = re.compile(r"\bstop \w+ing\b")
_OBLIGED = Cue(
    "must, should, shall, need to, needs to, needed to, have to, has to, make sure, be sure",
    "ensure, required, supposed to, we use, we want, we prefer, we only, i want, i don't want",
    "need, needs, nécessite, nécessitent, necesita, necesitan",
    "i prefer, i need, i expect, prefer*",
    "muss, müssen, soll, sollen, sollte, wir benutzen, wir nutzen, wir verwenden, bevorzug*",
    "achte darauf, doit, doivent, il faut, on utilise, assure toi, assurez vous, préfér*",
    "debe, deben, hay que, usamos, asegúrate, prefier*",
    "deve, devono, usiamo, precisa, должн*, нужно, надо, используем",
    "必须, 必須, 應該, 应该, 需要, 请先, 請先, 我们用, 我們用, 使用, 確保, 确保",
    "すべき, 使って, 해야",
)
_GENERAL = Cue(
    "all, every, each, any, everything, everywhere, only, both, whatever",
    "alle, allen, aller, alles, jede, jeden, jeder, jedes, überall, nur",
    "tous, toutes, chaque, partout, seulement, todos, todas, cada, solo",
    "tutti, ogni, soltanto, tudo, все, каждый, везде, только",
    "所有, 全部, 每个, 每個, 每一, 都, 只, すべて, 全て, 모든",
)
_ORDER = Cue(
    "before, after, first, zuerst, vor, bevor, nachdem, erst, avant, après, d'abord, antes",
    "después, primero, prima, dopo, depois, сначала, перед, после, прежде",
    "先, 之前, 之后, 之後, 再, 後, まず, 前に, 먼저",
)
# How work is done, as opposed to what is built: the vocabulary of the trade, in any project.
_PRACTICE = Cue(
    "commit*, push*, merg*, rebas*, branch*, pull request, pull requests, pr, prs, test, tests",
    "testing, lint*, formatter, formatting, type check*, typecheck*, coverage, ci, build, doc",
    "docs, document, documented, documentation, readme, changelog*, release notes, dependenc*",
    "package, packages, secret, secrets, credential*, api key, api keys, password, passwords",
    "ask before, ask first, ask me, permission, approv*, confirm*, review*, discuss*, explain",
    "verify, check, checks",
    "convention*, style, comment, comments, naming, refactor*",
    "tester, testen, dokument*, frag mich, frage mich, besprech*, vérifi*, demande moi, prueba",
    "pruebas, documenta*, pregúnta*, confirma*, тест*, коммит*, документ*, спроси*",
    "提交, 推送, 测试, 測試, 文档, 文件, 討論, 讨论, 確認, 确认, 註解, 注释, 依賴, 依赖",
    "審查, 审查, テスト, コミット, 커밋, 테스트",
)
_ASKING = Cue(
    "ask before, ask first, ask me, check with me, confirm, my ok, my okay, my approval",
    "my permission, my go, permission, discuss*, frag mich, frage mich, demande moi",
    "demandez moi, pregúnta*, спроси*, спрашивай, 討論, 讨论, 問我, 问我, 確認, 确认, 聞いて, 물어",
)
_INSISTED = Cue(
    "make sure, be sure, ensure, see to it, achte darauf, stell sicher, stelle sicher",
    "assure toi, assurez vous, asegúrate, assicurati, certifique se, убедись",
    "確保, 确保, 必ず, 반드시",
)
_EVERYTHING = Cue(
    "everything, everywhere, every, each, alles, überall, jede, jeden, jeder, jedes, tout",
    "partout, chaque, todo, cada, tutto, ogni, всё, каждый, 全部, 一切, 每, すべて, 모두",
)
_AS_IT_COMES = Cue(  # repeated, as opposed to once for all that is there
    "as, when, once, whenever, if, have, has, keep, kept, wenn, sobald, quand, dès, cuando, quando",
    "когда, 时, 時, 都要, とき, 때",
)
# What a team works with: "we use pnpm", "we are on Postgres".
_TOOL = Cue(
    "we use, we are using, we only use, we prefer, we are on, we're on, stick to, stick with",
    "we don't use, we do not use, we're not using, we are not using, on n'utilise, no usamos",
    "our convention, our policy, our standard",
    "i use, i only use, wir nutzen, wir benutzen, wir verwenden, on utilise, usamos, usiamo",
    "используем, 我们用, 我們用",
)
_PREFERRED = Cue("prefer*, bevorzug*, préfér*, prefier*, preferi*, предпочита*")
# A whole class of things, as the subject of what must be.
_CLASS = Cue(
    "all, every, each, any, anything, everything, those that, those which, whatever",
    "alle, alles was, jede, jeder, jedes, tous, toutes, chaque, todos, todas, cada, tutti, ogni",
    "все, каждый, каждая, 所有, 每个, 每個, 凡是, すべて, 모든",
)
_MUST = Cue(
    "must, cannot, can't, may not, have to, has to, shall, muss, müssen, darf, dürfen, doit",
    "doivent, debe, deben, deve, devono, должен, должна, должны, 必须, 必須, 해야",
)
# The words that ask to keep something, where a sentence opens with them.
_REMEMBER = (
    "remember", "keep in mind", "note that", "merk dir", "merke dir", "denk daran", "denk dran",
    "n'oublie pas", "retiens", "recuerda", "ricorda", "lembre", "запомни", "помни", "记住", "記住",
    "請記住", "请记住", "覚えて", "기억해",
)  # fmt: skip
_CONDITION = Cue("if, whenever, wenn, falls, si, se, если, 如果, 若, もし, 만약")
_ONCE = Cue(  # ends with the task
    "until, for now, right now, this time, bis, erst mal, erstmal, jusqu, pour l'instant, hasta",
    "por ahora, per ora, por enquanto, пока, 直到, 暂时, 暫時, とりあえず",
)
# What opens a question, and what opens one that only sounds like a rule.
_WONDERING = (
    "why ", "how ", "what ", "which ", "who ", "where ", "warum ", "wieso ", "wie ", "was ", "wer ",
    "wo ", "pourquoi ", "comment ", "por qué ", "cómo ", "perché ", "come ", "почему ", "как ",
    "can ", "could ", "should ", "do we ", "does ", "is ", "are we ", "soll ", "können ", "kann ",
    "为什么", "為什麼", "怎么", "怎麼", "なぜ", "どう", "왜 ",
    "never mind", "nevermind", "no problem", "do you remember", "remember when",
)  # fmt: skip
_NONE_OF = re.compile(r"no [^\W\d_]+(?: [^\W\d_]+)? (?:in|on|at|from|for|without|outside) ")
# What opens a sentence that tells how things are, and what tells how they were.
_REPORTING = frozenset(
    """the it this that there i my he she they der die das es ich mein meine er sie
    le la les il elle ce cette je mon ma el ella lo yo mi gli io o a os as eu это этот он она я
    мой""".split()  # noqa: SIM905  readable as text
)
_PAST = Cue(
    "was, were, had, did, didn't, has been, have been, got, passed, failed, worked, broke",
    "wurde, wurden, war, waren, hatte",
    "était, étaient, fue, fueron, era, eran, был, была, было, были",
)
_WANTED = Cue("a way to, a method to, be able to, eine möglichkeit, un moyen de, una forma de")
_DRAWING = re.compile("[\u2500-\u257f\u2705\u274c]")
_LONGEST_PROMPT = 900
_MOST_TOOL_WORDS = 36
_BEFORE_PASTE = 6
_LONGEST = 400
_SAME = 0.75  # share of the words: "never use Redis" is not "never use MySQL"
_FEWEST_WORDS = 3
_MOST = 3  # more are the specification of a task


@record
class Rule:
    """A sentence in the user's words, and when it was said."""

    text: str
    at: str


def rules(story: Story) -> list[Rule]:
    """The clearest rules of a session; of those that say much the same, the last."""
    latest: list[Rule] = []
    for prompt in story.of(PROMPT):
        if prompt.answer:
            continue
        for typed in _sentences(prompt.text):
            if is_rule(typed):
                binding = next(filter(is_rule, typed_sentences(typed)), typed)
                latest = [each for each in latest if not is_same(each.text, binding)]
                latest.append(Rule(binding, prompt.at))
    clearest = sorted(latest, key=_evidence)[-_MOST:]
    return [each for each in latest if each in clearest]


def _evidence(rule: Rule) -> int:
    """How much a sentence says that it binds later work; how to work says most."""
    typed = sentence(rule.text)
    general = _INSISTED.is_in(typed) and _GENERAL.is_in(typed)
    return 2 * _is_practice(typed) + 2 * _lasts(typed) + general


@lru_cache(maxsize=4_096)
def is_rule(text: str) -> bool:
    """Whether a sentence applies to later work."""
    if len(text) > _LONGEST or text.endswith(QUESTION):
        return False
    typed = sentence(text)
    few = len(typed.words) < _FEWEST_WORDS and len(terms(text)) < _FEWEST_WORDS
    if few or is_pasted(text):
        return False
    if typed.text.startswith(_WONDERING):
        return False
    names_a_tool = _TOOL.is_in(typed) and not _CONDITION.precedes(_TOOL, typed)
    if names_a_tool or typed.text.startswith(_REMEMBER):
        return len(typed.words) < _MOST_TOOL_WORDS
    return not _reports(typed) and (
        _lasts(typed)
        or _is_practice(typed)
        or (_INSISTED.is_in(typed) and _GENERAL.is_in(typed))
        or _CONDITION.precedes(_INSISTED, typed)
        or _CLASS.precedes(_MUST, typed)
    )


def _lasts(typed: Sentence) -> bool:
    """Whether a sentence asks for something lasting; "never" as the last word usually complains."""
    return (
        _LASTING.is_in(typed)
        and not _POSSIBLE.is_in(typed)
        and (not _LASTING.ends(typed) or _FORBIDDEN.is_in(typed) or _OBLIGED.is_in(typed))
    )


def _is_practice(typed: Sentence) -> bool:
    """Whether a sentence says how to work."""
    if not _PRACTICE.is_in(typed):
        return False
    ordered = _ORDER.is_in(typed)
    forbidden = (
        _FORBIDDEN.is_in(typed)
        or _STOP.search(typed.text) is not None
        or _NONE_OF.match(typed.text) is not None
    )
    return (
        (forbidden and not _ONCE.is_in(typed))
        or (ordered and _ASKING.is_in(typed))
        or (_EVERYTHING.is_in(typed) and (ordered or _AS_IT_COMES.is_in(typed)))
        or _PREFERRED.is_in(typed)
        or (_OBLIGED.is_in(typed) + _GENERAL.is_in(typed) + ordered > 1 and not _specifies(typed))
    )


def _specifies(typed: Sentence) -> bool:
    """Whether a sentence says what one thing must do: "The method should …", "a way to …"."""
    opening = typed.spaced.split(maxsplit=1)[0].partition("'")[0]
    return opening in _REPORTING or _WANTED.is_in(typed)


def _reports(typed: Sentence) -> bool:
    """Whether a sentence says how things are instead of how they should be."""
    if _OBLIGED.is_in(typed):
        return False
    opening = typed.spaced.split(maxsplit=1)[0]
    tells = opening.partition("'")[0] in _REPORTING and not _LASTING.opens(typed)
    return tells or _PAST.is_in(typed)


def _sentences(text: str) -> Iterator[str]:
    """The sentences that the user typed; of a pasted document, only what comes before it."""
    is_document = len(text) > _LONGEST_PROMPT
    for number, unit in enumerate(statements(text)):
        if is_document and (unit.is_item or unit.heading or number >= _BEFORE_PASTE):
            return
        if not unit.is_code and not _DRAWING.search(unit.text):
            yield from map(folded, sentences(unit.text))


def is_same(one: str, other: str) -> bool:
    """Whether two sentences ask for the same, by their words."""
    first, second = set(terms(one)), set(terms(other))
    return len(first & second) > _SAME * min(len(first), len(second))
