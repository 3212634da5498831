"""Paths as another machine can read them: relative to the repository, without a home directory."""

from __future__ import annotations

import re

_HOME = re.compile(
    r"(?:/home|/Users|/root(?=/)|[A-Za-z]:[\\/]Users)(?:(?<!/root)[\\/][^\\/\s`'\":]+)?"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|out|target|coverage|__pycache__|vendor|\.next|\.venv"
    r"|\.git)/"
    r"|(?:^|/)(?:package-lock\.json|[\w.-]+\.lock|pnpm-lock\.yaml|go\.sum|[\w.-]+\.min\.\w+"
    r"|[\w.-]+\.map"
    r"|[\w.-]+\.snap|[\w.-]+\.pyc|\.DS_Store)$"
)
_MOST_NAMES = 8


def shortened(text: str, *, root: str) -> str:
    """A text in which paths below `root` are relative and home directories are `~`."""
    for prefix in (root.replace("\\", "/").rstrip("/"), root.rstrip("\\/")):
        if len(prefix) > 3:
            text = text.replace(f"{prefix}/", "").replace(f"{prefix}\\", "").replace(prefix, ".")
    return _HOME.sub("~", text)


def is_below(path: str, root: str) -> bool:
    """Whether a file is in the repository; one without a folder is."""
    path, root = path.replace("\\", "/"), root.replace("\\", "/").rstrip("/")
    is_absolute = path.startswith(("/", "~")) or path[1:3] == ":/"
    return not is_absolute or (bool(root) and path.startswith(f"{root}/"))


def listing(files: list[str], *, root: str, most: int) -> list[str]:
    """The files by folder, one line each, in at most `most` characters; foreign ones last."""
    folders: dict[str, list[str]] = {}
    for path in sorted(files, key=lambda path: not is_below(path, root)):
        folder, _, name = shortened(path.replace("\\", "/"), root=root).rpartition("/")
        folders.setdefault(folder, []).append(name)
    lines: list[str] = []
    room = most
    for number, (folder, names) in enumerate(folders.items()):
        listed = ", ".join(names[:_MOST_NAMES])
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        line = f"- {folder}/: {listed}{more}" if folder else f"- {listed}{more}"
        if len(line) + 1 > room and lines:
            rest = sum(map(len, list(folders.values())[number:]))
            lines.append(f"- and {rest} more")
            break
        lines.append(line)
        room -= len(line) + 1
    return lines


def written(files: list[str]) -> list[str]:
    """The files that were written by hand; lock files and build output are left out."""
    return [path for path in files if path and not _GENERATED.search(path.replace("\\", "/"))]
