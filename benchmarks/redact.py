"""What redaction costs per megabyte, and how many secrets of the test corpora it leaves.

python -m benchmarks.redact [transcript.jsonl ...]
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from anamnesis.redact import findings, redact

_ROUNDS = 3
_TEXT = """the index is derived from markdown and sync moves notes between machines while the cache
of tokens expires after a request to the server failed in src/app/auth.py because def return"""
_WORDS = _TEXT.split()


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


def main() -> None:
    """Print the table."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from corpus import everyday, formats

    print(f"{'generated transcript':32}{cost(transcript()):8.3f} s of CPU per MB")
    for path in sys.argv[1:]:
        text = Path(path).read_text("utf-8", errors="replace")
        print(f"{Path(path).name[:30]:32}{cost(text):8.3f} s of CPU per MB")
    for cases in (formats.vendor_tokens, formats.named_secrets, formats.passwords):
        planted = cases()
        left = sum(case.secret in redact(case.text) for case in planted)
        print(f"{cases.__name__:32}{left:5} of {len(planted)} secrets left")
    lines = everyday.everyday_lines()
    changed = sum(redact(line) != line for line in lines)
    print(f"{'harmless lines':32}{changed:5} of {len(lines)} changed")


if __name__ == "__main__":
    main()
