"""How well anchors follow code: replayed over the history of public repositories.

    python -m benchmarks.anchors REPOSITORY… [--commits 300] [--marked FILE]

Anchors are made at an old commit, from the repository's own documentation there and for blocks
drawn at random, and judged at the newest commit. `git log -L` says what really became of a block.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis.anchors.anchor import Anchor, anchors_of
from anamnesis.anchors.blocks import Outline
from anamnesis.anchors.checkout import Checkout
from anamnesis.anchors.judge import GONE, Judge, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

_DRAWN = 80
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)
_OLD_NAME = re.compile(r"^--- a/(.*)$", re.MULTILINE)


def git(top: str, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=top, capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def traced(top: str, old: Checkout, path: str, start: int, end: int) -> tuple[str, int, int] | None:
    """Where lines of HEAD were at the old commit, as git traces them; None if they are younger."""
    words = ["log", f"{old.commit}..HEAD", f"-L{start + 1},{end}:{path}", "--format=%H", "-M"]
    pieces = re.split(r"(?m)^(?=[0-9a-f]{40}$)", git(top, *words))[1:]
    commit = "HEAD"
    if pieces:
        last = pieces[-1]
        name = _OLD_NAME.search(last)
        hunks = [(int(at), int(size or 1)) for at, size in _HUNK.findall(last)]
        hunks = [(at, size) for at, size in hunks if size]
        if name is None or not hunks:
            return None
        path, start, end = name[1], hunks[0][0] - 1, hunks[-1][0] - 1 + hunks[-1][1]
        commit = last[:40] + "^"
    # No commit in between touched these lines, but others moved them.
    then = (old.text_at(commit, path) or "").split("\n")[start:end]
    known = _known_as(top, old, commit, path)
    lines = (old.read(known) or "").split("\n")
    for at in range(len(lines) - len(then) + 1):
        if then and lines[at : at + len(then)] == then:
            return known, at, at + len(then)
    return None


def _known_as(top: str, old: Checkout, commit: str, path: str) -> str:
    """What a file of a commit was called at the old one."""
    if old.read(path) is not None:
        return path
    fields = git(
        top, "diff", "-M", "--diff-filter=R", "--name-status", "-z", old.commit, commit
    ).split("\0")
    return dict(zip(fields[2::3], fields[1::3], strict=False)).get(path, path)


def drawn(top: str, old: Checkout, chance: random.Random) -> Iterator[tuple[Anchor, str, str]]:
    """Blocks of HEAD that the old commit had: their anchor there, and path and name at HEAD."""
    head = Checkout(top, at="HEAD")
    files = [each for each in git(top, "ls-files").splitlines() if _is_code(each)]
    chance.shuffle(files)
    count = 0
    for path in files * 3:
        text = head.read(path)
        if text is None:
            continue
        named = Outline(text, path).blocks
        names = Counter(b.name for b in named)
        blocks = [
            b for b in named if b.defines and 3 <= b.end - b.start < 80 and names[b.name] == 1
        ]
        if not blocks:
            continue
        block = chance.choice(blocks)
        was = traced(top, old, path, block.start, block.end)
        before = old.read(was[0]) if was else None
        if was is None or before is None:
            continue
        outline = Outline(before, was[0])
        there = [
            b for b in outline.blocks if b.defines and _overlap((b.start, b.end), was[1:]) > 0.6
        ]
        if not there:
            continue
        best = max(there, key=lambda b: _overlap((b.start, b.end), was[1:]))
        yield Anchor(was[0], best.name, outline.fingerprint(best), old.commit), path, block.name
        count += 1
        if count == _DRAWN:
            return


def documented(top: str, old: Checkout) -> list[Anchor]:
    """Anchors of what the documentation of the old commit names, section by section."""
    found: dict[str, Anchor] = {}
    for path in git(top, "ls-tree", "-r", "--name-only", old.commit).splitlines():
        if not path.endswith((".md", ".rst", ".txt")):
            continue
        text = old.read(path) or ""
        for part in re.split(r"(?m)^(?=#+ |\S.*\n[=\-~]{3,}$)", text.replace("``", "`")):
            for anchor in anchors_of(part, old):
                found.setdefault(f"{anchor.path}#{anchor.name}", anchor)
    return [each for each in found.values() if _is_code(each.path)]


def _is_code(path: str) -> bool:
    return path.endswith(
        (".py", ".go", ".rs", ".js", ".ts", ".tsx", ".jsx", ".java", ".rb", ".c", ".h")
    )


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> float:
    common = min(one[1], other[1]) - max(one[0], other[0])
    return max(common, 0) / max(one[1] - one[0], other[1] - other[0], 1)


def replay(top: str, commits: int, marked: Path | None) -> None:
    """Print the row of one repository."""
    old_id = git(top, "rev-list", "--first-parent", "HEAD", f"--skip={commits}", "-n1").strip()
    span = len(git(top, "rev-list", f"{old_id}..HEAD").split())
    old, head = Checkout(top, at=old_id), Checkout(top, at="HEAD")
    started = time.process_time()
    judge = Judge(head, head)
    followed, wrong = 0, []
    cases = list(drawn(top, old, random.Random(7)))
    for anchor, path, name in cases:
        verdict = judge.judge(anchor)
        if verdict.path == path and verdict.name.rpartition(".")[2] == name.rpartition(".")[2]:
            followed += 1
        else:
            wrong.append((anchor, path, name, verdict))
    from_docs = documented(top, old)
    verdicts = [judge.judge(anchor) for anchor in from_docs]
    right, doubtful = 0, []
    for verdict in verdicts:
        if _is_right(top, old, head, verdict):
            right += 1
        else:
            doubtful.append(verdict)
    states = Counter(verdict.state for verdict in verdicts)
    everything = Counter(judge.judge(anchor).state for anchor, _, _ in cases)
    print(f"{Path(top).name}: {span} commits ({commits} on the first parent)")
    print(f"  drawn blocks followed      {followed} of {len(cases)}  {dict(everything)}")
    print(f"  documented blocks right    {right} of {len(verdicts)}  {dict(states)}")
    total = len(verdicts) + len(cases)
    marks = sum(n for s, n in (states + everything).items() if s in ("changed", "gone"))
    print(
        f"  marks per 100 anchors and 100 commits  {marks / max(total, 1) * 100 / (span / 100):.1f}"
    )
    print(f"  CPU {time.process_time() - started:.1f} s without git's")
    for anchor, path, name, verdict in wrong:
        judged = f"judged {verdict.state} {verdict.path}#{verdict.name}"
        print(f"    lost: {anchor.path}#{anchor.name} is {path}#{name}, {judged}")
    for verdict in doubtful:
        print(
            f"    doubtful: {verdict.anchor} judged {verdict.state} {verdict.path}#{verdict.name}"
        )
    if marked is not None:
        with marked.open("a") as stream:
            for verdict in [*verdicts, *(judge.judge(anchor) for anchor, _, _ in cases)]:
                if verdict.state == "changed":
                    stream.write(_shown(top, old, head, verdict))


def _is_right(top: str, old: Checkout, head: Checkout, verdict: Verdict) -> bool:
    """Whether git agrees on where a documented block is now."""
    text = head.read(verdict.path)
    if verdict.state == GONE:
        last = verdict.anchor.name.rpartition(".")[2] or verdict.anchor.path.rpartition("/")[2]
        return not any(
            (block := Outline(head.read(path) or "", path).named(last)) and block.defines
            for path in head.holders(last)
            if path == verdict.anchor.path
        )
    if text is None:
        return False
    if not verdict.name:
        return True
    outline = Outline(text, verdict.path)
    block = next((b for b in outline.blocks if b.name == verdict.name), None) or outline.named(
        verdict.name
    )
    if block is None:
        return False
    was = traced(top, old, verdict.path, block.start, block.end)
    before = Outline(old.read(verdict.anchor.path) or "", verdict.anchor.path)
    then = [b for b in before.blocks if b.name == verdict.anchor.name]
    if was is None:
        return verdict.state == "moved"  # the same text in another place, which git takes for new
    return was[0] == verdict.anchor.path and any(
        _overlap((b.start, b.end), was[1:]) > 0 for b in then
    )


def _shown(top: str, old: Checkout, head: Checkout, verdict: Verdict) -> str:
    anchor = verdict.anchor
    before, after = (
        Outline(old.read(anchor.path) or "", anchor.path),
        Outline(head.read(verdict.path) or "", verdict.path),
    )
    one = next((before.code(b) for b in before.blocks if b.name == anchor.name), "")
    two = next((after.code(b) for b in after.blocks if b.name == verdict.name), "")
    by = f"{verdict.commit} {verdict.at}"
    heading = f"##### {Path(top).name} {anchor.place} -> {verdict.name} ({by})"
    return f"\n{heading}\n--- before\n{one}\n--- after\n{two}\n"


def main() -> None:
    """Replay the repositories."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", nargs="+")
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--marked", type=Path, help="write what was marked as changed, to be read")
    args = parser.parse_args()
    for top in args.repository:
        replay(top, args.commits, args.marked)


if __name__ == "__main__":
    main()
