"""What of a session is kept in its note: labelled sessions, scored against spec/3's method.

    python -m benchmarks.memory          the public sessions if they are there, else the invented

Public sessions are read from ../shared/data/sessions beside the repository or from
ANAMNESIS_SESSIONS_DATA: transcripts (*.jsonl or *.jsonl.gz) and one gold/<name>.json each, with
`facts` (kind, importance, question, answer: regular expressions), `rules`, `noise` and `trivial`.
They are never part of this repository. Such transcripts are what coding agents write under
~/.claude/projects and ~/.codex/sessions, and what people publish of them.

kept     share of the labelled facts, by importance, that stand in the session's note
found    share whose question brings a note that says the answer among the first five hits
prompt   share whose question, typed as a prompt in that project, makes the hook give the answer
aside    questions about another session's project that the hook speaks to: silence is right
next     share of what a later session needs that its start or its first prompt gives
start    the same by the start alone, with and without its list of titles
per hit  characters that a start prints for each such need
failure  share of the errors of these notes that bring their fix when they come again
unlike   errors of one session that bring a line in another one's project: silence is right
rules    share of a person's lasting wishes that stand in any note
proposed share of them that became a proposed durable note; right: proposals that are labelled
titles   titles that are no noise; trivial: sessions without content that left no note
"""

from __future__ import annotations

import gzip
import json
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anamnesis.capture import HeuristicSummarizer, parse_transcript, write_episodic
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.capture import capture
from anamnesis.project import resolve_project_key
from anamnesis.store import MemoryStore
from benchmarks import moments

REPOSITORY = Path(__file__).parent.parent
INVENTED = REPOSITORY / "tests" / "data" / "labelled_sessions.json"
_MOST = 6_000  # characters of a note that count; more is a transcript
_FIRST = 5  # hits that somebody reads


@dataclass(frozen=True)
class Labelled:
    """A transcript and what a colleague wants to know of it a week later."""

    name: str
    transcript: Path
    gold: dict[str, Any]


@dataclass
class Score:
    """Shares by name: what was had of what there was."""

    parts: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))
    sizes: list[int] = field(default_factory=list)
    printed: int = 0  # characters of all starts

    def add(self, name: str, had: bool, weight: float = 1.0) -> None:
        """Count one fact, title or session."""
        self.parts[name][0] += weight * had
        self.parts[name][1] += weight

    def share(self, name: str) -> float:
        """The share of what was had; 1 if there was nothing to have."""
        had, of = self.parts[name]
        return had / of if of else 1.0

    @property
    def per_hit(self) -> int:
        """The characters of the starts for each need that they gave."""
        return round(self.printed / max(self.parts["start"][0], 1.0))

    @property
    def size(self) -> int:
        """The mean length of a note."""
        return sum(self.sizes) // max(len(self.sizes), 1)


def public_folder() -> Path:
    """Where public sessions are looked for."""
    return Path(
        os.environ.get("ANAMNESIS_SESSIONS_DATA")
        or REPOSITORY.parent / "shared" / "data" / "sessions"
    )


def public_sessions(folder: Path, into: Path, *, gold: Path | None = None) -> list[Labelled]:
    """The labelled public sessions of a folder, unpacked; none if it is not there."""
    found = []
    for packed in sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]):
        name = packed.name.removesuffix(".gz").removesuffix(".jsonl")
        label = (gold or folder / "gold") / f"{name}.json"
        if label.exists():
            data = packed.read_bytes()
            plain = into / f"{name}.jsonl"
            plain.write_bytes(gzip.decompress(data) if packed.suffix == ".gz" else data)
            found.append(Labelled(name, plain, json.loads(label.read_text("utf-8"))))
    return found


def invented_sessions(into: Path) -> list[Labelled]:
    """The repository's own labelled sessions, written out as their agents would."""
    found = []
    for told in json.loads(INVENTED.read_text("utf-8")):
        write = _WRITERS[told["agent"]]
        plain = into / f"{told['name']}.jsonl"
        lines = [json.dumps(line, ensure_ascii=False) for line in write(told)]
        plain.write_text("\n".join(lines) + "\n", "utf-8")
        rules = [{"answer": [re.escape(rule)]} for rule in told["rules"]]
        found.append(Labelled(told["name"], plain, {**told, "rules": rules}))
    return found


def by_capture(home: Path, session: Labelled) -> None:
    """Capture a session as the hook does."""
    told = Payload(transcript_path=str(session.transcript))
    capture(Home(home), told, source="session-end")


def by_specification(home: Path, session: Labelled) -> None:
    """Capture a session by spec/3's functions alone: first prompt, files, last sentence."""
    parsed = parse_transcript(session.transcript)
    with MemoryStore(home) as store:
        write_episodic(
            store,
            parsed,
            summarizer=HeuristicSummarizer(),
            project=resolve_project_key(parsed.cwd or "."),
            source="session-end",
            machine_id="bench",
        )


def scored(sessions: Iterable[Labelled], *, by: Callable[[Path, Labelled], None]) -> Score:
    """What one way to capture keeps of all sessions, in a store of its own."""
    score, sessions = Score(), list(sessions)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for session in sessions:
            by(home, session)
        with MemoryStore(home) as store:
            notes = [store.require(note.id).note for note in store.list(limit=10_000)]
            for session in sessions:
                _score_session(score, session, notes, store)
            moments.score_all(score, sessions, notes, store)
    proposals = [_text(note) for note in notes if "rule" in note.tags]
    wishes = [rule for session in sessions for rule in session.gold.get("rules", [])]
    for text in proposals:
        score.add("right", any(_says(text, rule["answer"]) for rule in wishes))
    for rule in wishes:
        score.add("rules", any(_says(_text(note), rule["answer"]) for note in notes))
        score.add("proposed", any(_says(text, rule["answer"]) for text in proposals))
    return score


def _score_session(
    score: Score, session: Labelled, notes: list[Memory], store: MemoryStore
) -> None:
    own = parse_transcript(session.transcript).session_id
    note = next((n for n in notes if n.prov_session == own and n.type == "episodic"), None)
    if session.gold.get("trivial"):
        score.add("trivial", note is None)
        return
    text = _text(note) if note else ""
    for fact in session.gold.get("facts", []):
        weight, kept = float(fact.get("importance", 1)), _says(text, fact["answer"])
        score.add("kept", kept, weight)
        score.add(f"kept: {fact['kind']}", kept, weight)
        hits = store.search(fact["question"], k=_FIRST)
        score.add("found", any(_says(_text(hit), fact["answer"]) for hit in hits), weight)
    noise = session.gold.get("noise") or ["^$"]
    score.add("titles", note is not None and not _says(note.title, noise))
    if note is not None:
        score.sizes.append(len(note.body))


def _text(note: Memory) -> str:
    return _folded(f"{note.title}\n{note.body}")[:_MOST]


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _says(text: str, patterns: Iterable[str]) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _claude_code(told: dict[str, Any]) -> Iterator[dict[str, Any]]:  # noqa: C901  a branch per step
    base = {"sessionId": told["name"], "cwd": f"/home/ada/{told['name']}", "gitBranch": "main"}

    def user(content: object, **more: object) -> dict[str, Any]:
        return {**base, "type": "user", "message": {"role": "user", "content": content}, **more}

    def call(number: int, tool: str, **given: object) -> dict[str, Any]:
        block = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
        return {**base, "type": "assistant", "message": {"content": [block]}}

    def result(number: int, text: str, *, failed: bool = False) -> dict[str, Any]:
        block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        return user([{**block, "is_error": failed}])

    for number, (kind, *given) in enumerate(told["steps"]):
        if kind == "user":
            yield user(given[0])
        elif kind == "say":
            content = [{"type": "text", "text": given[0]}]
            yield {**base, "type": "assistant", "message": {"content": content}}
        elif kind == "summary":
            yield user(given[0], isCompactSummary=True)
        elif kind == "run":
            yield call(number, "Bash", command=given[0])
            yield result(number, given[1], failed=given[2])
        elif kind == "edit":
            yield call(number, "Edit", file_path=f"{base['cwd']}/{given[0]}")
            yield result(number, "updated")
        elif kind == "todo":
            todos = [{"content": text, "status": status} for text, status in given[0]]
            yield call(number, "TodoWrite", todos=todos)
        elif kind == "choice":
            yield call(number, "AskUserQuestion", questions=[{"question": given[0]}])
            yield result(number, f'User has answered your questions: "{given[0]}"="{given[1]}".')
        elif kind == "reject":
            yield call(number, "Edit", file_path=f"{base['cwd']}/{given[0]}")
            reason = f"The user provided the following reason for the rejection:  {given[1]}"
            yield result(number, reason, failed=True)


def _codex(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    def item(**payload: object) -> dict[str, Any]:
        return {"type": "response_item", "payload": payload}

    meta = {"id": told["name"], "cwd": f"/home/ada/{told['name']}", "git": {"branch": "main"}}
    yield {"type": "session_meta", "payload": meta}
    for number, (kind, *given) in enumerate(told["steps"]):
        call = f"c{number}"
        if kind in {"user", "say"}:
            role = "user" if kind == "user" else "assistant"
            content = [{"type": f"{'in' if kind == 'user' else 'out'}put_text", "text": given[0]}]
            yield item(type="message", role=role, content=content)
        elif kind in {"run", "edit"}:
            patch = f"*** Begin Patch\n*** Update File: {given[0]}\n*** End Patch"
            command = given[0] if kind == "run" else patch
            arguments = json.dumps({"command": ["bash", "-lc", command]})
            yield item(type="function_call", name="shell", arguments=arguments, call_id=call)
            failed = kind == "run" and given[2]
            output = {"output": given[1] if kind == "run" else "Done!"}
            answer = json.dumps({**output, "metadata": {"exit_code": int(failed)}})
            yield item(type="function_call_output", call_id=call, output=answer)


def _gemini(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"sessionId": told["name"], "projectHash": "p", "startTime": "2026-11-01T09:00:00Z"}
    for number, (kind, *given) in enumerate(told["steps"]):
        call: dict[str, Any] = {"id": f"g{number}", "status": "success"}
        if kind == "user":
            yield {"type": "user", "content": given[0]}
            continue
        if kind == "run":
            output = f"Output: {given[1]}\nExit Code: {int(given[2])}"
            result = [{"functionResponse": {"response": {"output": output}}}]
            call |= {"name": "run_shell_command", "args": {"command": given[0]}, "result": result}
        elif kind == "edit":
            path = f"/home/ada/{told['name']}/{given[0]}"
            call |= {"name": "replace", "args": {"file_path": path}}
        elif kind == "todo":
            todos = [{"description": text, "status": status} for text, status in given[0]]
            call |= {"name": "write_todos", "args": {"todos": todos}}
        said = given[0] if kind == "say" else ""
        yield {"type": "gemini", "content": said, "toolCalls": [call] if "name" in call else []}


_WRITERS = {"claude-code": _claude_code, "codex": _codex, "gemini": _gemini}


def main() -> None:
    """Print the table."""
    folder = public_folder()
    with tempfile.TemporaryDirectory() as place:
        sessions = public_sessions(folder, Path(place))
        if not sessions:
            print(f"No labelled sessions in {folder}; these are the repository's invented ones.")
            print(
                "ANAMNESIS_SESSIONS_DATA names another folder; its form is in this file's head.\n"
            )
            sessions = invented_sessions(Path(place))
        scores = [scored(sessions, by=way) for way in (by_capture, by_specification)]
    print(f"{len(sessions)} sessions{'capture':>20}{'spec/3 alone':>16}")
    kinds = sorted(name for name in scores[0].parts if name.startswith("kept: "))
    for name in ("kept", *kinds, "found", "rules", "proposed", "right", "titles", "trivial"):
        print(f"{name:20}" + "".join(f"{score.share(name):14.2f}" for score in scores))
    moments_of = ("prompt", "aside", "next", "start", "start, no titles")
    for name in (*moments_of, "failure", "unlike"):
        shares = (f"{score.share(name):14.2f}" if name in score.parts else "" for score in scores)
        print(f"{name:20}" + "".join(f"{share:>14}" for share in shares))
    print(f"{'per hit':20}" + "".join(f"{score.per_hit:14d}" for score in scores))
    print(f"{'mean size':20}" + "".join(f"{score.size:14d}" for score in scores))


if __name__ == "__main__":
    main()
