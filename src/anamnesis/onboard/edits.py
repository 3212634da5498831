"""Changes to one file of an agent: how it becomes ours, and how it gets rid of us."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anamnesis.onboard.command import is_program
from anamnesis.onboard.settings import UnusualShape, json_amended, put, section

Content = bytes | None  # None: there is no such file
Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Edit:
    """One file with us in it, and without us; both say nothing new where nothing is to be done."""

    path: str
    what: str
    install: Callable[[Content], Content]
    remove: Callable[[Content], Content]


def json_edit(
    path: str, what: str, *, install: Change, remove: Change, comments: bool = False
) -> Edit:
    """An edit of a JSON file that belongs to others too."""

    def removed(data: Content) -> Content:
        return None if data is None else json_amended(path, data, remove, comments=comments)

    return Edit(
        path,
        what,
        install=lambda data: json_amended(path, data, install, comments=comments),
        remove=removed,
    )


def own_file(path: str, what: str, text: str) -> Edit:
    """A file that is ours as a whole."""
    return Edit(path, what, install=lambda _data: text.encode(), remove=lambda _data: None)


def server_edit(
    path: str, *, key: str, names: Sequence[str], server: dict[str, Any], comments: bool = False
) -> Edit:
    """An edit that registers our MCP server in a JSON file."""
    return json_edit(
        path,
        "MCP server",
        install=lambda said: with_server(said, key, names, server),
        remove=lambda said: without_server(said, key, names),
        comments=comments,
    )


def with_server(
    said: dict[str, Any], key: str, names: Sequence[str], server: dict[str, Any]
) -> dict[str, Any]:
    """The document with our server under its name, and under none that it had before."""
    name, *former = names
    said = without_server(said, key, former)
    require_free(name, section(said, key).get(name))
    return {**said, key: {**section(said, key), name: server}}


def without_server(said: dict[str, Any], key: str, names: Sequence[str]) -> dict[str, Any]:
    """The document without our server; one of another kind under the same name is left alone."""
    servers = section(said, key)
    ours = [name for name in names if is_our_server(servers.get(name))]
    if not ours:
        return said
    return put(said, key, {name: each for name, each in servers.items() if name not in ours})


def require_free(name: str, server: object) -> None:
    """Refuse a name that another server has; one of ours may be written anew."""
    if server is not None and not is_our_server(server):
        raise UnusualShape(f'the server "{name}" in it is not ours; take another --name')


def is_our_server(server: object) -> bool:
    """Whether a server's entry runs us."""
    if not isinstance(server, dict):
        return False
    parts = [server.get("command"), server.get("args")]
    words = [word for part in parts for word in (part if isinstance(part, list) else [part])]
    return bool(words) and (is_program(str(words[0])) or "serve" in words[1:])
