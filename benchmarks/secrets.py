"""What redaction finds of others' secrets, what it replaces in others' notes, and what it costs.

Fetch the repositories named in `NOTES` and the two scanners, as bare git directories
`<folder>/<owner>+<name>/repo`, then:

python -m benchmarks.secrets <folder> [--show notes|gitleaks|false|trufflehog] [--all] [transcript.jsonl ...]

Nothing of them is kept. Beside our rules stand those that gitleaks publishes.
"""

# ruff: noqa: A005, E501

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from anamnesis.secrets import findings
from benchmarks import gitleaks, go_fixtures

_ROUNDS = 3
_TEXT = """the index is derived from markdown and sync moves notes between machines while the cache
of tokens expires after a request to the server failed in src/app/auth.py because def return"""
_WORDS = _TEXT.split()
_GITLEAKS, _TRUFFLEHOG = "gitleaks+gitleaks", "trufflesecurity+trufflehog"
# Those of the first half were read while rules were chosen; those of the second only counted.
NOTES = {
    "chosen by": (
        "1000ssam+claude-config", "12TribesofIsrael+youtubeoptermizer", "simonw+til", "openshift+runbooks",
    ),
    "held out": (
        "AlexSergey+opensa", "AnotherSava+bga-assistant", "jbranchaud+til", "thoughtbot+til",
        "prometheus-operator+runbooks",
    ),
}  # fmt: skip
_MOST_NOTES = 2_000

Finder = Callable[[str], list[tuple[int, int]]]


class Fixture(NamedTuple):
    """A text of a scanner's tests, and what it has to find there (empty: anything)."""

    rule: str
    text: str
    secret: str


def transcript(*, megabytes: float = 4.0, seed: int = 1) -> str:
    """Generated text in the shape of a transcript: JSON lines with ids, prose, code and output."""
    source = random.Random(seed)
    lines: list[str] = []
    size = 0
    while size < megabytes * 1e6:
        text = "\n".join(" ".join(source.choices(_WORDS, k=14)) for _ in range(12))
        entry = {
            "uuid": f"{source.getrandbits(128):032x}",
            "sessionId": "6e8bc430-9c3a-11d9-9669-0800200c9a66",
            "cwd": "/home/u/work/project",
            "usage": {"input_tokens": source.randrange(9999), "output_tokens": 12},
            "message": {"id": f"msg_{source.getrandbits(96):024x}", "content": text},
        }
        lines.append(json.dumps(entry))
        size += len(lines[-1])
    return "\n".join(lines)


def cost(text: str) -> float:
    """Seconds of CPU per megabyte, the best of some rounds."""
    rounds = []
    for number in range(_ROUNDS):
        # A text that was found harmless is not looked through again.
        other = f"{text}\n{number}"
        started = time.process_time()
        findings(other)
        rounds.append(time.process_time() - started)
    return min(rounds) / len(text) * 1e6


def is_found(fixture: Fixture, found: list[tuple[int, int]]) -> bool:
    """Whether nothing of the secret is left, or, where it is unknown, whether anything was found."""
    if not fixture.secret:
        return bool(found)
    at = fixture.text.find(fixture.secret)
    middle = at + len(fixture.secret) // 2
    return any(start <= middle < end for start, end in found)


def of_gitleaks(folder: Path, rules: list[gitleaks.Rule]) -> tuple[list[Fixture], list[Fixture]]:
    """The texts in which gitleaks' own tests expect a secret, and those in which they expect none."""
    git = folder / _GITLEAKS / "repo"
    by_id = {rule.id: rule for rule in rules}
    true: list[Fixture] = []
    false: list[Fixture] = []
    for _, source in files(git, "cmd/generate/config/rules/", ".go"):
        for rule, expected, refused in go_fixtures.rules_in(source):
            if rule in by_id:
                texts = dict.fromkeys(expected)
                true += (Fixture(rule, text, by_id[rule].secret_in(text)) for text in texts)
                false += (Fixture(rule, text, "") for text in dict.fromkeys(refused))
    return true, false


def of_trufflehog(folder: Path) -> list[Fixture]:
    """The texts in which trufflehog's own tests expect a secret."""
    git = folder / _TRUFFLEHOG / "repo"
    found: list[Fixture] = []
    for path, source in files(git, "pkg/detectors/", "_test.go"):
        for text, wanted in go_fixtures.cases_in(source):
            secret = next((each for each in wanted if each in text), "")
            found.append(Fixture(path.split("/")[2], text, secret))
    return found


def notes(folder: Path, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Where each note of some repositories stands, and its text."""
    for name in names:
        git = folder / name / "repo"
        for path, text in files(git, ".", ".md"):
            yield f"{name}/{path}", text


def files(git: Path, under: str, ending: str) -> Iterator[tuple[str, str]]:
    """The paths and texts in the newest commit."""
    listed = _git(git, "ls-tree", "-r", "-z", "--name-only", "HEAD", under).decode()
    paths = [path for path in listed.split("\0") if path.endswith(ending) and "\n" not in path]
    asked = "".join(f"HEAD:{path}\n" for path in paths).encode()
    answer = io.BytesIO(_git(git, "cat-file", "--batch", asked=asked))
    for path in paths:
        head = answer.readline().split()
        if head[-1] != b"missing":  # the largest files of a copy may be absent
            yield path, answer.read(int(head[-1]) + 1)[:-1].decode("utf-8", "replace")


def _git(git: Path, *arguments: str, asked: bytes = b"") -> bytes:
    command = ["git", "-C", str(git), *arguments]
    return subprocess.run(command, capture_output=True, check=True, input=asked).stdout


def ours(text: str) -> list[tuple[int, int]]:
    """What Anamnesis replaces."""
    return [(each.start, each.end) for each in findings(text)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--show", choices=["notes", "gitleaks", "false", "trufflehog"])
    parser.add_argument("--half", choices=list(NOTES))
    parser.add_argument("--all", action="store_true", help="all notes, not a thousand of each half")
    parser.add_argument("transcripts", nargs="*", type=Path)
    given = parser.parse_args()
    for path in given.transcripts:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")
        print(f"{path.name[:30]:32}{cost(text):8.3f} s of CPU per MB")
    print(f"{'generated transcript':32}{cost(transcript()):8.3f} s of CPU per MB")
    if given.folder is None:
        return
    ((_, config),) = files(given.folder / _GITLEAKS / "repo", "config/gitleaks.toml", ".toml")
    rules = gitleaks.rules_of(config)
    theirs = gitleaks.finder(rules)
    true, false = of_gitleaks(given.folder, rules)
    sets = {"gitleaks": true, "false": false, "trufflehog": of_trufflehog(given.folder)}
    print(f"{'':32}{'ours':>16}{'gitleaks':>16}")
    for name, fixtures in sets.items():
        row = [[is_found(each, find(each.text)) for each in fixtures] for find in (ours, theirs)]
        shares = (f"{sum(found)} ({sum(found) / len(found):.1%})" for found in row)
        print(f"{name:24}{len(fixtures):8}" + "".join(f"{share:>16}" for share in shares))
        if given.show == name:
            for each, found in zip(fixtures, row[0], strict=True):
                if found == (name == "false"):
                    print(f"  {each.rule}: {each.secret!r} in {each.text[:200]!r}")
    for half, names in NOTES.items():
        if given.half in (None, half):
            texts = _sample(half, notes(given.folder, names), all=given.all)
            _print_notes(half, texts, theirs, show=given.show == "notes")


def _sample(half: str, every: Iterator[tuple[str, str]], *, all: bool) -> list[tuple[str, str]]:
    texts = list(every)
    random.Random(half).shuffle(texts)
    return texts if all else texts[: _MOST_NOTES // 2]


def _print_notes(half: str, texts: list[tuple[str, str]], theirs: Finder, *, show: bool) -> None:
    for name, find in (("ours", ours), ("gitleaks", theirs)):
        found = {path: find(text) for path, text in texts}
        changed = {path: spans for path, spans in found.items() if spans}
        values = sum(map(len, changed.values()))
        share = len(changed) / len(texts)
        print(
            f"notes {half}: {name} changes {len(changed)} of {len(texts)} ({share:.2%}), {values} values"
        )
        for path, text in texts if show else ():
            for start, end in changed.get(path, ()):
                around = text[max(0, start - 60) : start], text[start:end], text[end : end + 30]
                print(f"  {path}: {'«'.join(around[:2])}»{around[2]}".replace("\n", "⏎"))


if __name__ == "__main__":
    main()
