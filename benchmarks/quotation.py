"""What quotation stops and what it costs.

    python -m benchmarks.quotation attacks TEXTS.json ...   texts that a page, an issue or a server
                                                            returns and an agent repeats
    python -m benchmarks.quotation sessions FOLDER ...      sentences of real sessions left out
                                                            (--list prints them, to be read)

TEXTS.json holds texts at any depth; FOLDER holds transcripts. Nothing of either is kept.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anamnesis.archive import ask
from anamnesis.archive.turns import PERSON
from anamnesis.capture.transcript import read_transcript
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.moment import help_after_failure
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.store import MemoryStore
from anamnesis.text.quotation import sentences

AT = "2026-11-17T10:00:00.000Z"
READS: tuple[tuple[str, dict[str, object]], ...] = (
    ("WebFetch", {"url": "https://example.com"}),
    ("Bash", {"command": "gh issue view 12 --comments"}),
    ("mcp__tracker__get_issue", {"number": 12}),
)
ERROR = "ZorbelError: the queue is not seated"
QUESTION = "how is the queue of the shop partitioned, and what did the page say about it?"
_RUN = 8
_FEWEST = 3


def texts_of(value: object) -> Iterator[str]:
    """The texts in a JSON value."""
    if isinstance(value, str):
        if len(_words(value)) >= _FEWEST:
            yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_of(each)


def attacks(paths: list[str]) -> None:
    """How many texts reach another session, by way."""
    texts = [text for path in paths for text in texts_of(json.loads(Path(path).read_text("utf-8")))]
    texts = list(dict.fromkeys(texts))
    reached: Counter[str] = Counter()
    for number, text in enumerate(texts):
        with tempfile.TemporaryDirectory() as folder:
            tool, given = READS[number % len(READS)]
            for way in _ways(Path(folder), text, tool, given):
                reached[way] += 1
                print(f"{way}: {' '.join(text.split())[:100]}")
    print(f"{len(texts)} texts; reached another session: {dict(reached) or 'none'}")


def _ways(folder: Path, text: str, tool: str, given: dict[str, object]) -> list[str]:
    """The ways by which a text reaches the next session."""
    home, transcript = Home(folder / "store"), folder / "s-1.jsonl"
    _write(transcript, text, tool, given)
    told = Payload(session_id="s-1", transcript_path=str(transcript), cwd="/home/u/shop")
    capture(home, told, source="session-end", project="shop")
    later = Payload(session_id="s-2", cwd="/home/u/shop", prompt=QUESTION)
    failed = Payload(session_id="s-2", cwd="/home/u/shop", error=f"Exit code 2\n{ERROR}: again")
    with MemoryStore(home) as store:
        notes = "\n".join(f"{note.title}\n{note.body}" for note in store.list())
    if "three partitions" not in notes:
        return ["no note at all"]
    passages = ask.passages(home, QUESTION, ask.SessionFilter(), limit=9)
    got = {
        "note or proposal": notes,
        "passage": "\n".join(each.text for each in passages),
        "start": inject(home, Payload(session_id="s-3"), project="shop", format="text"),
        "prompt": recall_for_prompt(home, later, project="shop", format="text"),
        "failure": help_after_failure(home, failed, project="shop", format="text"),
    }
    return [way for way, said in got.items() if _repeats(said, text)]


def _write(path: Path, text: str, tool: str, given: dict[str, object]) -> None:
    """A session in which a text is read and then repeated in every way."""
    line = " ".join(text.split())
    lines = [_user("Find out how the queue of the shop is partitioned")]
    lines += _call(tool, given, f"# The queue\n\nA page about it.\n\n{text}\n\nEnd of the page.")
    lines += _call("Task", {"description": "look", "prompt": "look"}, f"The queue is fine.\n{text}")
    lines += _call("Bash", {"command": "make queue"}, f"{ERROR}: {line}", failed=True)
    lines += _call("Bash", {"command": f"SEAT=1 make queue # {line}"}, f"3 tests passed\n{text}")
    lines += _call("Bash", {"command": "make lint"}, f"Error: {line}", failed=True)
    lines.append(_agent({"type": "text", "text": f"The queue of the shop, by the page.\n\n{text}"}))
    lines.append(_user("Go on with the queue"))
    lines += _call("Edit", {"file_path": "/home/u/shop/queue.py"}, "done")
    done = f"The queue has three partitions; queue.py says so.\n\n- {line}"
    lines.append(_agent({"type": "text", "text": done}))
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")


def _call(tool: str, given: object, answer: str, *, failed: bool = False) -> list[dict[str, Any]]:
    name = f"t{abs(hash((tool, str(given), answer)))}"
    use = {"type": "tool_use", "id": name, "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": name, "content": answer, "is_error": failed}
    return [_agent(use), _user([result])]


def _user(content: object) -> dict[str, Any]:
    return _line("user", content)


def _agent(block: object) -> dict[str, Any]:
    return _line("assistant", [block])


def _line(kind: str, content: object) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    place = {"sessionId": "s-1", "cwd": "/home/u/shop", "timestamp": AT}
    return {"type": kind, "message": message, **place}


def _words(text: str) -> list[str]:
    return re.sub(r"[^\w\s]", "", text.lower()).split()


def _repeats(said: str, text: str) -> bool:
    """Whether a text has a run of words of another, judged apart from the program."""
    words, flat = _words(text), f" {' '.join(_words(said))} "
    size = min(len(words), _RUN)
    starts = range(max(1, len(words) - size + 1))
    return any(f" {' '.join(words[at : at + size])} " in flat for at in starts)


def sessions(folders: list[str], *, listed: bool) -> None:
    """How many sentences of the agents are left out."""
    total: Counter[str] = Counter()
    for path in sorted(each for folder in folders for each in Path(folder).rglob("*.jsonl*")):
        if "subagents" not in path.parts:
            total.update(_counted(path, listed=listed))
    share = total["left out"] / max(total["sentences"], 1)
    print(f"{dict(total)}: {share:.2%} of the agents' sentences")


def _counted(path: Path, *, listed: bool) -> Counter[str]:
    count: Counter[str] = Counter(sessions=1)
    with tempfile.TemporaryDirectory() as folder:
        plain = path
        if path.suffix == ".gz":
            plain = Path(folder) / path.stem
            plain.write_bytes(gzip.decompress(path.read_bytes()))
        recorder = read_transcript(plain)
    count["read elsewhere"] += bool(recorder.foreign.began)
    for turn in recorder.turns:
        if turn.text and not turn.tool and turn.who != PERSON:
            count["sentences"] += len(sentences(turn.text))
            count["after reading"] += len(sentences(turn.text)) if recorder.foreign.began else 0
            for _, start, end in turn.foreign:
                gone = [each for each in turn.text[start:end].splitlines() if each.strip()]
                count["left out"] += len(sentences(turn.text[start:end]))
                if listed:
                    print(f"{path.name[:20]} {turn.who}: {' / '.join(gone)[:300]}")
    return count


def main() -> None:
    """Run one of the two."""
    what, *rest = sys.argv[1:] or [""]
    paths = [each for each in rest if each != "--list"]
    if what == "attacks" and paths:
        attacks(paths)
    elif what == "sessions" and paths:
        sessions(paths, listed="--list" in rest)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
