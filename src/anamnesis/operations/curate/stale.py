"""Notes whose code changed, moved or is gone: listed, never changed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.anchors import standing
from anamnesis.anchors.judge import GONE
from anamnesis.index.queries import active
from anamnesis.operations.curate.dedup import read_all
from anamnesis.operations.notes import anchors
from anamnesis.operations.repository.affected_notes import confirm_carried

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anamnesis.anchors.judge import State
    from anamnesis.anchors.standing import Standing
    from anamnesis.ground.counting import Progress
    from anamnesis.history.units import Unit
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore

_SHOWN = 6  # names in one line
_SKIPPED = frozenset({
    ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache",
    ".ruff_cache", ".pytest_cache", "target", "dist", "build", ".tox", ".next", ".cache",
})  # fmt: skip
_MOST_FILES = 50_000
_LARGEST_FILE = 512 * 1024
_MOST_BYTES = 128 * 1024 * 1024  # of source; with more, no symbol is reported missing
_QUOTED = re.compile(r"`([^`\n]{2,200})`")
_LISTED_FILE = re.compile(r"(?m)^- (/?[\w.@+-]+(?:/[\w.@+-]+)+)$")
_PATH = re.compile(r"(?:\.{0,2}/)?[\w@+.-]+(?:/[\w@+.-]+)*")
_EXTENSION = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sh|sql|css|html|md|toml|yaml|yml|json|cfg|ini|txt)$"
)
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*(?:\(\))?")
_WORD = re.compile(rb"[A-Za-z_]\w+")


@dataclass(frozen=True, slots=True)
class Stale:
    """A note whose code is not as it was, and what became of it."""

    note: Memory
    state: State
    sentence: str
    missing: tuple[str, ...] = ()  # names that no longer exist, where it is tied to no code


def stale_notes(
    store: MemoryStore, *, project: str, directory: str, progress: Progress = None
) -> list[Stale]:
    """The notes of a project whose code is gone, changed or moved, in this order.

    A note that is tied to no code is stale if it names what no longer exists.
    """
    judged = anchors.judged_notes(store, project=project, directory=directory)
    tied = [Stale(each.note, each.state, each.sentence) for each in judged]
    return [*tied, *_naming_what_is_gone(store, project, directory, progress)]


def _naming_what_is_gone(
    store: MemoryStore, project: str, directory: str, progress: Progress
) -> list[Stale]:
    headers = [
        note for note in store.ask(lambda db: active(db, project=project)) if not note.anchors
    ]
    notes = read_all(store, headers)
    named = [(note, list(paths_in(note.body)), list(symbols_in(note.body))) for note in notes]
    sources = Sources(directory)
    words = sources.words(progress) if any(symbols for _, _, symbols in named) else None
    found = []
    for note, paths, symbols in named:
        missing = [path for path in paths if not sources.has(path)]
        if words is not None:
            missing += [symbol for symbol in symbols if _last_name(symbol) not in words]
        if missing:
            names = tuple(dict.fromkeys(missing))
            more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            sentence = f"not found: {', '.join(names[:_SHOWN])}{more}"
            found.append(Stale(note, GONE, sentence, names))
    return sorted(found, key=lambda each: (-len(each.missing), each.note.id))


def paths_in(body: str) -> Iterator[str]:
    """The paths that a text names, in code marks or as items of a list of files."""
    for quoted in _QUOTED.findall(body):
        text = re.sub(r":\d+(?:-\d+)?$", "", quoted.strip())
        if _PATH.fullmatch(text) and _EXTENSION.search(text):
            yield text
    yield from _LISTED_FILE.findall(body)


def symbols_in(body: str) -> Iterator[str]:
    """The functions and classes that a text names in code marks."""
    for quoted in _QUOTED.findall(body):
        text = quoted.strip()
        if _SYMBOL.fullmatch(text) and not _EXTENSION.search(text) and _is_code(text):
            yield text


class Sources:
    """The files below a directory, read at most once."""

    def __init__(self, directory: str) -> None:
        self._directory = os.path.abspath(directory)
        self._files = list(_walk(self._directory))
        self._tails = {tail for file in self._files for tail in _tails(file)}

    def has(self, path: str) -> bool:
        """Whether a path is there: as it stands, from the root, or below some folder."""
        if os.path.isabs(path):
            outside = not path.startswith(self._directory + os.sep)
            return outside or os.path.exists(path)  # outside the project, or on another machine
        clean = os.path.normpath(path).replace(os.sep, "/")
        return clean.startswith("..") or clean in self._tails or self._exists(clean)

    def words(self, progress: Progress = None) -> set[str] | None:
        """Every word in the sources; None if there is too much to read."""
        words: set[bytes] = set()
        size = 0
        for done, file in enumerate(self._files):
            path = os.path.join(self._directory, file)
            try:
                if os.path.getsize(path) <= _LARGEST_FILE and _EXTENSION.search(file):
                    with open(path, "rb") as stream:
                        text = stream.read()
                    size += len(text)
                    words.update(_WORD.findall(text))
            except OSError:
                continue
            if size > _MOST_BYTES:
                return None
            if progress is not None:
                progress(done + 1, len(self._files))
        return {word.decode() for word in words}

    def _exists(self, path: str) -> bool:
        return os.path.exists(os.path.join(self._directory, path))


def _walk(directory: str) -> Iterator[str]:
    count = 0
    for folder, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), directory).replace(os.sep, "/")
            count += 1
            if count >= _MOST_FILES:
                return


def _tails(file: str) -> Iterable[str]:
    parts = file.split("/")
    return ("/".join(parts[start:]) for start in range(len(parts)))


def _is_code(text: str) -> bool:
    """Whether a quoted word is a symbol and not just a word: a call, snake_case, CamelCase."""
    name = text.removesuffix("()")
    return text.endswith("()") or "_" in name.strip("_") or bool(re.search(r"[a-z][A-Z]", name))


def _last_name(symbol: str) -> str:
    return re.split(r"\.|::", symbol.removesuffix("()"))[-1]


def last_judged(store: MemoryStore, id: NoteId) -> list[tuple[str, Standing]]:
    """What became of a note's code in each checkout of this machine, as it was last judged."""
    return list(standing.of_note(store.home, id))


def confirm(store: MemoryStore, ids: Sequence[NoteId], *, directory: str) -> Unit | None:
    """Tie notes to the code as it is now, in the repository's files too: they still hold.

    Raises InvalidInput outside of a repository, NoSuchNote, and NoteChangedOnDisk.
    """
    own = [id for id in ids if store.read(id) is not None]
    carried = confirm_carried(directory, ids) if store.beside is not None else []
    unknown = [id for id in ids if id not in own and id not in carried]
    return anchors.confirm(store, [*own, *unknown], directory=directory)
