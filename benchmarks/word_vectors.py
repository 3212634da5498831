"""Make the table of word vectors that recall uses from the published potion-base-8M model.

    python -m benchmarks.word_vectors MODEL_DIRECTORY OUTPUT

MODEL_DIRECTORY holds `model.safetensors` and `vocab.txt` of minishlab/potion-base-8M (MIT
licence). Each vector becomes one byte of scale and four bits per dimension; words that the
index's tokenizer never produces are left out. Needs nothing but Python; the same input gives the
same bytes.
"""

from __future__ import annotations

import json
import sys
from array import array
from itertools import accumulate
from pathlib import Path

from anamnesis.text import words

_STEPS = 7  # four bits hold -7..7
_SCALES = 255


def main(model: Path, output: Path) -> None:
    vectors = _vectors(model / "model.safetensors")
    vocabulary = (model / "vocab.txt").read_text(encoding="utf-8").splitlines()
    kept = [(word, at) for at, word in enumerate(vocabulary) if _is_word(word)]
    kept.sort(key=lambda entry: entry[0].encode())  # found by halving, without reading them all
    largest = max(max(map(abs, vectors[at])) for _, at in kept)
    unit = largest / _STEPS / _SCALES
    header = {
        "source": "minishlab/potion-base-8M",
        "licence": "MIT",
        "words": len(kept),
        "dimensions": len(vectors[0]),
    }
    rows = [_row(vectors[at], unit) for _, at in kept]
    names = [word.encode() for word, _ in kept]
    borders = array("I", accumulate(map(len, names), initial=0))
    if sys.byteorder == "big":
        borders.byteswap()
    head = json.dumps(header).encode() + b"\n"
    output.write_bytes(head + borders.tobytes() + b"".join(names) + b"".join(rows))
    print(f"{len(kept)} words of {len(vectors[0])} dimensions, {output.stat().st_size} bytes")


def _vectors(path: Path) -> list[array[float]]:
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    tensor = json.loads(content[8:end])["embeddings"]
    if tensor["dtype"] != "F32":
        raise SystemExit(f"{path}: expected F32, found {tensor['dtype']}")
    first, last = tensor["data_offsets"]
    vectors = array("f", content[end + first : end + last])
    if sys.byteorder == "big":
        vectors.byteswap()
    width = tensor["shape"][1]
    return [vectors[at : at + width] for at in range(0, len(vectors), width)]


def _is_word(entry: str) -> bool:
    word = entry.removeprefix("##")
    return words.tokens(word) == [word] and not words.unspaced(word)


def _row(vector: array[float], unit: float) -> bytes:
    peak = max(map(abs, vector))
    scale = min(_SCALES, max(1, round(peak / _STEPS / unit)))
    steps = [round(value / (scale * unit)) for value in vector]
    nibbles = [min(_STEPS, max(-_STEPS, step)) + _STEPS for step in steps]
    pairs = zip(nibbles[::2], nibbles[1::2], strict=True)
    return bytes([scale, *(high << 4 | low for high, low in pairs)])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
