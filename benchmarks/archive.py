"""What keeping sessions word for word costs: size, CPU against reading and gzipping, search.

    python -m benchmarks.archive [MEGABYTES]

Transcripts of the shape of real ones are generated: most of their bytes are tool results.
"""

from __future__ import annotations

import gzip
import itertools
import json
import random
import resource
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from anamnesis.archive import ask, database, files
from anamnesis.archive.ask import SessionFilter
from anamnesis.capture.transcript import read_transcript
from anamnesis.config import Home
from benchmarks.corpus import questions, vocabulary

_TURNS = 400  # of one session
_POOL = 400_000  # words, of which every text is a part; drawing each word would take longest
_SIZES = {"prompt": 40, "answer": 90, "command": 8, "output": 1500}  # words


@cache
def pool() -> list[str]:
    """Words as often as in a real text, in any order."""
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    return random.Random(1).choices(words, cum_weights=weights, k=_POOL)


def transcript(path: Path, number: int) -> None:
    """Write one session: a prompt, then commands with long results and short answers."""
    chance, words = random.Random(number), pool()

    def text(kind: str) -> str:
        start = chance.randrange(_POOL - _SIZES[kind])
        return " ".join(words[start : start + _SIZES[kind]])

    common = {"sessionId": f"session-{number}", "cwd": "/home/u/shop", "gitBranch": "main"}
    with path.open("w", encoding="utf-8") as file:
        for turn in range(_TURNS):
            at = f"2026-{number % 12 + 1:02}-10T{turn // 60 % 24:02}:{turn % 60:02}:00Z"
            call = {"type": "tool_use", "id": f"c{turn}", "name": "Bash",
                    "input": {"command": text("command")}}  # fmt: skip
            result = {"type": "tool_result", "tool_use_id": f"c{turn}", "content": text("output")}
            spoken = text("prompt" if turn % 10 == 0 else "answer")
            lines = (
                ("user", spoken) if turn % 10 == 0 else ("assistant", [_block(spoken)]),
                ("assistant", [call]),
                ("user", [result | {"is_error": turn % 7 == 0}]),
            )
            for role, content in lines:
                message = {"role": role, "content": content}
                line = {**common, "type": role, "timestamp": at, "message": message}
                file.write(json.dumps(line) + "\n")


def _block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def main() -> None:
    """Print the table."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder), Home(Path(folder) / "store")
        paths: list[Path] = []
        size = 0
        while size < megabytes * 1_000_000:
            paths.append(root / f"session-{len(paths)}.jsonl")
            transcript(paths[-1], len(paths))
            size += paths[-1].stat().st_size
        start = time.process_time()
        for path in paths:
            gzip.compress(path.read_bytes(), compresslevel=6)
        plain = time.process_time() - start
        start = time.process_time()
        for path in paths:
            files.save(home, files.joined(None, read_transcript(path).transcript()))
        database.refresh(home)
        kept = time.process_time() - start
        stored = sum(file.size for file in files.listed(home))
        times = []
        for question in questions(100):
            start = time.process_time()
            ask.passages(home, question, SessionFilter(), limit=10)
            times.append(time.process_time() - start)
        times.sort()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"transcripts   {size / 1e6:.0f} MB in {len(paths)} sessions")
    print(f"archive       {stored / size:.1%} of their size (budget 12 %)")
    print(f"back-fill     {kept / plain:.1f}x reading and gzipping (budget 8x)")
    median, most = times[50] * 1000, times[-1] * 1000
    print(f"search        p50 {median:.0f} ms, max {most:.0f} ms of CPU (budget 50)")
    print(f"peak memory   {peak:.0f} MB (budget 150)")


if __name__ == "__main__":
    main()
