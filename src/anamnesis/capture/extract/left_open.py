"""What a session left open at its end: asked, failing, waiting for you, next, not committed."""

from __future__ import annotations

from anamnesis.capture.extract import findings, results, shell
from anamnesis.capture.extract.outcome import CHANGED, is_open, turn_ends
from anamnesis.capture.extract.paths import is_below
from anamnesis.capture.extract.prompts import says_something
from anamnesis.capture.story import ANSWER, CUT, EDIT, PROMPT, RECAP, RUN, SUMMARY
from anamnesis.text.clipping import clipped
from anamnesis.text.cues import Cue, sentence
from anamnesis.text.sentences import COLON, QUESTION, extent, folded, sentences, units
from anamnesis.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.capture.story import Moment, Story

# What a report says of itself that is not done, as opposed to what it heads a list with.
_NOT_DONE = Cue(
    "pending, uncommitted, unstaged, untested, unverified, unpushed, outstanding, blocked, todo",
    "not committed, not been committed, not staged, not pushed, not tested, not been tested",
    "not verified, not exercised, not deployed, not implemented, not wired, not fixed, not done",
    "not yet, still need, still needs, still missing, remains, remain, yours to, up to you",
    "haven't been able, have not been able, needs your, need your, waiting for, waiting on",
    "nicht committet, noch nicht, noch offen, steht noch aus, ausstehend, pas encore, en attente",
    "reste à, todavía no, aún no, pendiente de, falta, non ancora, ainda não, ещё не, осталось",
    "还没, 還沒, 尚未, 未提交, 待, まだ, 未, 아직",
)
# How the end of a report hands over to the reader.
_YOUR_TURN = Cue(
    "you can, you could, you need, you'll need, you should, you must, once you, when you",
    "after you, before you, if you, let me know, ready for, ready to, restart, retry, requires",
    "du kannst, sobald du, wenn du, sag bescheid, vous pouvez, dès que, si vous, dis moi",
    "puedes, cuando, si quieres, avísame, puoi, se vuoi, fammi sapere, você pode, можешь, можете",
    "可以, 請你, 请你, 需要你, 您可以, してください, できます, 하세요",
)
_NEXT = Cue(
    "next, pending, remaining, todo, to do, left to, als nächstes, prochaine, siguiente, prossimo",
    "próximo, дальше, 下一步, 接下来, 接下來, 次",
)
_NOTHING = Cue("none, n/a, nothing, keine, aucun, aucune, ninguno, nessuno, 无, 無, なし")
_LATEST = 2  # turns whose reports may say what is open, and of those that changed files
_LATE = 2  # turns that changed files, or commits; what was pending before them may be done
_MOST_COMMAND = 120
_NEAR_THE_END = 8  # commands
_FINISHED = 0.6  # share of an item's words that what was done later has
_NOT_ANSWERED = "Asked last, not answered"
_MOST, _MOST_ASKED, _MOST_LISTED = 190, 320, 6
_LONGEST_RECAP = 260
_SHORTEST = 20  # characters
UNCOMMITTED = "Edited after the last commit"  # how such an open item begins
_MOST_NAMES = 4


def open_points(story: Story, *, cwd: str) -> list[str]:
    """What was open at the end, the most certain first."""
    lines = [*_unanswered(story), *_failing(story), *_cut_off(story), *_said(story)]
    lines += [each.text for each in story.todos if not each.is_done]
    kept: list[str] = []
    for line in lines:
        words = set(terms(line))
        if not any(len(words & set(terms(each))) > 0.7 * len(words) for each in kept):
            kept.append(line if line.startswith(_NOT_ANSWERED) else clipped(folded(line), _MOST))
    return [*kept, *_uncommitted(story, cwd)]


def _unanswered(story: Story) -> Iterator[str]:
    """What was asked at the end and got no answer; the first ask stands elsewhere."""
    last = max((at for at, each in enumerate(story.moments) if each.kind == ANSWER), default=-1)
    first = story.of(PROMPT)[:1]
    for moment in story.moments[last + 1 :]:
        is_asked = moment.kind == PROMPT and not moment.answer and says_something(moment.text)
        if is_asked and moment not in first:
            yield clipped(f"{_NOT_ANSWERED}: {folded(moment.text)}", _MOST_ASKED)


def _failing(story: Story) -> Iterator[str]:
    """Checks whose last run failed, or could not start, and what failed last of all."""
    told = set()
    for each in results.results(story):
        if not each.passed and (not each.is_older or not each.ran):
            told.add(each.command)
            yield f"Failing: `{each.command}`: {each.says}"
    latest = [each for each in story.of(RUN)[-_NEAR_THE_END:] if each.failed]
    for command, error in findings.unfixed(story)[-1:]:
        is_late = any(shell.short(_part(each), _MOST_COMMAND) == command for each in latest)
        if is_late and command not in told and not command.endswith(" hook"):
            yield f"Failing: `{command}`: {error}"


def _part(run: Moment) -> str:
    return shell.main_part(run.text) or run.text


def _cut_off(story: Story) -> Iterator[str]:
    """A command that the session ended with."""
    last = story.moments[-1:]
    if last and last[0].kind == CUT and not shell.is_looking(last[0].text):
        yield f"No result yet: `{shell.short(last[0].text, _MOST - 20)}`"


def _said(story: Story) -> Iterator[str]:
    """What the last reports, the recap and the summary call open, if it was not done since."""
    told = _told_as_open(story)
    for place, text in told:
        if not _was_done(text, story, after=place):
            yield text


def _told_as_open(story: Story) -> list[tuple[int, str]]:
    """What was called open, with its place; the latest first."""
    found: list[tuple[int, str]] = []
    ends = turn_ends(story)
    changed = [each for each in ends if each[2] == CHANGED]
    latest = sorted({*ends[-_LATEST:], *changed[-_LATEST:]}, key=_place, reverse=True)
    for place, moment, _ in latest:
        listed = [each for each in units(moment.text) if is_open(each) and not each.opens]
        closing = list(_closing(moment.text, is_last=place == ends[-1][0]))
        found += [(place, text) for text in closing]
        found += [(place, each.text) for each in listed[:_MOST_LISTED] if each.text not in closing]
    places = {id(each): place for place, each in enumerate(story.moments)}
    for recap in story.of(RECAP)[-1:]:
        found += [(places[id(recap)], each) for each in _next_of(recap.text)]
    for summary in story.of(SUMMARY)[-1:]:
        since = places[id(summary)]
        ended = sum(place > since for place, _, _ in changed)
        made = sum(each.place > since for each in findings.commits(story))
        if max(ended, made) > _LATE:
            break
        found += [(places[id(summary)], text) for text in _pending(summary.text)]
    return found


def _pending(summary: str) -> list[str]:
    """The items that a summary of the client calls pending."""
    return [
        unit.text
        for unit in units(summary)
        if is_open(unit)
        and unit.is_item
        and not unit.opens
        and extent(unit.text) > _SHORTEST
        and not unit.text.endswith(COLON)
        and not _NOTHING.is_in(sentence(unit.text[:_SHORTEST]))
    ][:_MOST_LISTED]


def _closing(text: str, *, is_last: bool) -> Iterator[str]:
    """Sentences of a report that say what is not done, and how its end hands over."""
    said = [each for each in units(text) if not each.is_code and not each.opens]
    for number, unit in enumerate(said):
        pieces = sentences(unit.text)
        for at, piece in enumerate(pieces):
            ends = number == len(said) - 1 and at == len(pieces) - 1
            is_question = piece.endswith(QUESTION)
            if piece.endswith(COLON) or not says_something(piece):
                continue
            if is_question and not (ends and is_last):
                continue
            told = sentence(piece)
            hands_over = is_question or (is_last and _YOUR_TURN.is_in(told))
            if (ends and hands_over) or (not unit.is_item and _NOT_DONE.is_in(told)):
                yield piece


def _next_of(recap: str) -> Iterator[str]:
    """What a recap says comes next."""
    for piece in sentences(folded(recap)):
        if _NEXT.is_in(sentence(piece)):
            yield clipped(piece, _LONGEST_RECAP)


def _was_done(text: str, story: Story, *, after: int) -> bool:
    """Whether the words of an open item are those of what was done later, in one turn."""
    wanted = {word for word in terms(text) if len(word) > 2 or not word.isascii()}
    if not wanted:
        return True
    done: set[str] = set()
    for moment in story.moments[after + 1 :]:
        if moment.kind == PROMPT and not moment.answer:
            done = set()
        elif not moment.failed and moment.kind in {EDIT, RUN, ANSWER}:
            done.update(terms(moment.text))
        if len(wanted & done) >= _FINISHED * len(wanted):
            return True
    return False


def _place(end: tuple[int, Moment, int]) -> int:
    return end[0]


def _uncommitted(story: Story, cwd: str) -> list[str]:
    """Uncommitted files in the working tree."""
    inside = [path for path in findings.uncommitted(story) if is_below(path, cwd)]
    names = [path.replace("\\", "/").rsplit("/", 1)[-1] for path in inside]
    if not names:
        return []
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    listed = ", ".join(f"`{name}`" for name in names[-_MOST_NAMES:])
    return [f"{UNCOMMITTED}: {listed}{more}"]
