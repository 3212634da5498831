"""A text's tokens into one vector: six layers of attention, on the CPU, by numpy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anamnesis.search.encoder.pack import Quantised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.search.encoder.pack import Floats, Pack

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
            # The first token stands for the text: in the last layer nobody asks for the others.
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
