"""The model's file: its tokenizer and its weights, as the package that carries it stores them.

A pack begins with eight letters and the length of a JSON header. The tokenizer follows, then the
tensors in the order of the header. A tensor of small integers is followed by one float for each
group of a row; the product of the two is the weight.
"""

from __future__ import annotations

import json
import mmap
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

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
        found: Floats = grouped.reshape(len(grouped), -1)
        return found


@dataclass(frozen=True)
class Pack:
    """A model as it was read."""

    model: str
    longest: int  # tokens of a text, the two around it included
    tokenizer: str
    tensors: dict[str, Quantised | Floats]


def read(path: str) -> Pack:
    """The model in a file; a ValueError if it is none that we know how to run."""
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
