"""From a text to one vector: the weights, the tokens and six layers of attention, in numpy."""

from __future__ import annotations

import json
import mmap
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


_HIDDEN, _LAYERS, _HEADS = 384, 6, 12
_HEAD = _HIDDEN // _HEADS
_FIRST_POSITION = 2  # positions 0 and 1 are not of a text
_EPSILON = 1e-12
_TAIL = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


class Transformer:
    """The weights of a pack, ready to run."""

    def __init__(self, pack: Pack) -> None:
        words = pack.tensors["word_emb"]
        if not isinstance(words, Quantised):
            raise ValueError(f"{pack.model} has words that are not quantised")  # noqa: TRY004
        self._words = words  # the largest table stays small; a text needs few of its rows
        self._weights = {
            name: tensor.rows() if isinstance(tensor, Quantised) else tensor
            for name, tensor in pack.tensors.items()
            if name != "word_emb"
        }

    def vector(self, tokens: Sequence[int]) -> Floats:
        """What the tokens mean together, as a vector of length one."""
        state = self._embedded(tokens)
        for layer in range(_LAYERS):
            # The first token stands for the text: in the last layer the others are not needed.
            state = self._layer(f"l{layer}", state, only_first=layer == _LAYERS - 1)
        first: Floats = state[0] / np.linalg.norm(state[0])
        return first

    def _embedded(self, tokens: Sequence[int]) -> Floats:
        weights = self._weights
        positions = weights["pos_emb"][_FIRST_POSITION : _FIRST_POSITION + len(tokens)]
        state = self._words.rows(np.asarray(tokens)) + positions + weights["type_emb"][0]
        return self._normalised("emb_ln", state)

    def _layer(self, layer: str, state: Floats, *, only_first: bool) -> Floats:
        joint = self._linear(f"{layer}.qkv", state).reshape(-1, 3, _HEADS, _HEAD)
        queries, keys, values = joint.transpose(1, 2, 0, 3)
        if only_first:
            state, queries = state[:1], queries[:, :1]
        attention = _softmax(queries @ keys.transpose(0, 2, 1) / np.float32(_HEAD**0.5))
        seen = (attention @ values).transpose(1, 0, 2).reshape(-1, _HIDDEN)
        state = self._normalised(f"{layer}.aln", state + self._linear(f"{layer}.ao", seen))
        thought = self._linear(f"{layer}.f2", _gelu(self._linear(f"{layer}.f1", state)))
        return self._normalised(f"{layer}.fln", state + thought)

    def _linear(self, name: str, state: Floats) -> Floats:
        result: Floats = state @ self._weights[f"{name}.w"].T + self._weights[f"{name}.b"]
        return result

    def _normalised(self, name: str, state: Floats) -> Floats:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
        result: Floats = centred / spread * self._weights[f"{name}.w"] + self._weights[f"{name}.b"]
        return result


def _softmax(scores: Floats) -> Floats:
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    result: Floats = scores / scores.sum(axis=-1, keepdims=True)
    return result


def _gelu(state: Floats) -> Floats:
    """Each value times the share of the normal distribution below it.

    numpy has no error function; this approximation (Abramowitz and Stegun 7.1.26) is off by less
    than 2e-7.
    """
    size = np.abs(state) * np.float32(0.5**0.5)
    step = 1 / (1 + np.float32(0.3275911) * size)
    tail = np.zeros_like(step)
    for coefficient in _TAIL:
        tail = (tail + np.float32(coefficient)) * step
    error = 1 - tail * np.exp(-size * size)
    result: Floats = np.float32(0.5) * state * (1 + np.copysign(error, state))
    return result


_MAGIC = b"HMSEMB01"
_HEADER_AT = len(_MAGIC) + 8
_ARCHITECTURE = {"hidden": 384, "layers": 6, "heads": 12, "position_offset": 2}


@dataclass(frozen=True)
class Quantised:
    """A table of weights as small integers, turned into floats where they are needed."""

    values: NDArray[np.int8]  # rows x groups x members
    scales: Floats  # rows x groups

    def rows(self, at: Any = slice(None)) -> Floats:
        """Some rows as floats."""
        grouped = self.values[at] * self.scales[at][..., np.newaxis]
        rows: Floats = grouped.reshape(len(grouped), -1)
        return rows


@dataclass(frozen=True)
class Pack:
    """A model as it was read."""

    model: str
    longest: int  # tokens of a text, the two around it included
    tokenizer: str
    tensors: dict[str, Quantised | Floats]


def read(path: str) -> Pack:
    """The model in a file. Raises ValueError for an unknown format."""
    with open(path, "rb") as stream:
        # Mapped, not read: all processes share one copy of what they use.
        content = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    if content[: len(_MAGIC)] != _MAGIC:
        raise ValueError(f"{path} is not a model pack")
    at = _HEADER_AT + int.from_bytes(content[len(_MAGIC) : _HEADER_AT], "little")
    header = json.loads(bytes(content[_HEADER_AT:at]))
    if not header["arch"].items() >= _ARCHITECTURE.items() or header["meta"]["pooling"] != "cls":
        raise ValueError(f"{path} holds a model of another kind")
    tokenizer = bytes(content[at : at + header["tokenizer_len"]]).decode()
    at += header["tokenizer_len"]
    tensors = {}
    for tensor in header["tensors"]:
        tensors[tensor["name"]] = _tensor(content[at : at + tensor["len"]], tensor)
        at += tensor["len"]
    meta = header["meta"]
    name = f"{meta['model']}@{meta['revision'][:12]}/{header['quantization']}"
    return Pack(name, meta["max_length"], tokenizer, tensors)


def _tensor(content: memoryview, described: dict[str, Any]) -> Quantised | Floats:
    shape = described["shape"]
    if described["dtype"] == "f32":
        return np.frombuffer(content, dtype="<f4").reshape(shape)
    rows, group, size = shape[0], described["group"], prod(shape)
    values = np.frombuffer(content[:size], dtype=np.int8)
    scales = np.frombuffer(content[size:], dtype="<f4")
    return Quantised(values.reshape(rows, -1, group), scales.reshape(rows, -1))


# Numbers that are not digits: a half, a Roman eight, a circled one.
_COUNTS = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u218b\u2460-\u249b"
_LETTER = rf"[^\W\d_{_COUNTS}]"
_NUMBER = rf"[\d{_COUNTS}]"
_RUN = (
    "{1,200}"  # joining pieces takes the square of a run's length; a key has thousands of letters
)
_WORD = re.compile(
    rf"'(?:[stmd]|re|ve|ll)| ?{_LETTER}{_RUN}| ?{_NUMBER}{_RUN}| ?(?:[^\s\w]|_){_RUN}|\s+(?!\S)|\s+"
)
_CACHED_WORDS = 20_000


class Tokenizer:
    """The vocabulary of a model, and how its pieces are joined."""

    def __init__(self, description: str) -> None:
        model = json.loads(description)["model"]
        self._numbers: dict[str, int] = model["vocab"]
        merges = [
            tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in model["merges"]
        ]
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._never = len(merges)
        self.word = lru_cache(maxsize=_CACHED_WORDS)(self._word)

    def tokens(self, text: str) -> list[int]:
        """The numbers of a text."""
        return [number for word in _WORD.findall(text) for number in self.word(word)]

    def _word(self, word: str) -> list[int]:
        """Join the pair of pieces that was learnt first, again and again, from single bytes."""
        pieces = list(word.encode("utf-8", "replace").decode("latin-1").translate(_LETTERS))
        while len(pieces) > 1:
            ranks = [self._ranks.get(pair, self._never) for pair in pairwise(pieces)]
            first = min(ranks)
            if first == self._never:
                break
            pieces = _joined(pieces, ranks, first)
        return [self._numbers[piece] for piece in pieces]


def _joined(pieces: Sequence[str], ranks: Sequence[int], wanted: int) -> list[str]:
    joined: list[str] = []
    at = 0
    while at < len(pieces):
        both = at < len(ranks) and ranks[at] == wanted
        joined.append(pieces[at] + pieces[at + 1] if both else pieces[at])
        at += 2 if both else 1
    return joined


def _letters() -> dict[int, int]:
    """A visible character for each byte: its own where it has one, else one from 256 up."""
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = (byte for byte in range(256) if byte not in visible)
    return {byte: 256 + at for at, byte in enumerate(others)}


_LETTERS = _letters()
