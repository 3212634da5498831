"""The map: projects, tags and notes around one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.index.browse import counted_tags, replaced_by, rows, rows_of, sharing_tags
from anamnesis.index.note_filter import NoteFilter
from anamnesis.index.queries import PENDING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from anamnesis.index.browse import Row

_PROJECTS, _TAGS = 10, 24
_NOTES = 12  # around one node; more is a hairball
_KIN = 8


@dataclass(frozen=True, slots=True)
class Node:
    """A project, a tag or a note."""

    key: str  # `project:…`, `tag:…` or `note:…`
    label: str
    weight: int = 1
    type: str = ""  # of a note

    @property
    def kind(self) -> str:
        """Project, tag or note."""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """The project, the tag, or the note's id."""
        return self.key.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Edge:
    """Two nodes that belong together, and how."""

    one: str
    other: str
    what: str  # `has`, `tagged` or `replaces`
    weight: int = 1  # how many notes it stands for


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges; the first node is what the others are around, unless nothing is."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def overview(db: sqlite3.Connection, projects: Sequence[tuple[str, int]]) -> Graph:
    """The largest of the projects, given with their numbers of notes, and their usual tags."""
    largest = projects[:_PROJECTS]
    nodes = {f"project:{name}": Node(f"project:{name}", name, number) for name, number in largest}
    used: dict[str, dict[str, int]] = {}
    for name, tags in _usual_tags(db, [name for name, _ in largest]):
        for tag, number in tags:
            used.setdefault(tag, {})[name] = number
    edges = []
    for tag in sorted(used, key=lambda tag: -sum(used[tag].values()))[:_TAGS]:
        nodes[f"tag:{tag}"] = Node(f"tag:{tag}", tag, sum(used[tag].values()))
        edges += [
            Edge(f"project:{name}", f"tag:{tag}", "tagged", number)
            for name, number in used[tag].items()
        ]
    return Graph(tuple(nodes.values()), tuple(edges))


def _usual_tags(
    db: sqlite3.Connection, projects: Sequence[str]
) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Each of some projects with the tags that it uses most."""
    listed = db.execute(  # one scan costs less than looking up the notes of each project
        "SELECT project, group_concat(tags, ' ') FROM memories NOT INDEXED "  # noqa: S608  marks only
        f"WHERE superseded = 0 AND project IN ({', '.join('?' * len(projects))}) GROUP BY 1",
        projects,
    )
    texts = dict(listed.fetchall())
    for project in projects:
        counted = counted_tags(texts.get(project, ""))
        counted.pop(PENDING, None)  # a state of a note, not a subject
        yield project, sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:_TAGS]


def around_project(db: sqlite3.Connection, project: str) -> Graph:
    """A project, its latest notes and their tags."""
    return _around(
        Node(f"project:{project}", project), rows(db, NoteFilter(project=project), limit=_NOTES)
    )


def around_tag(db: sqlite3.Connection, tag: str) -> Graph:
    """A tag, the latest notes with it and their projects."""
    return _around(Node(f"tag:{tag}", tag), rows(db, NoteFilter(tag=tag), limit=_NOTES))


def around_note(db: sqlite3.Connection, note_id: str) -> Graph:
    """A note, what it replaces and is replaced by, and notes that share its tags."""
    rows = rows_of(db, [note_id])
    if not rows:
        return Graph((), ())
    note = rows[0].note
    kin = [*note.supersedes_ids, *replaced_by(db, note_id)]
    if note.tags:
        kin += sharing_tags(db, note, limit=_KIN)
    return _around(_note(rows[0]), [rows[0], *rows_of(db, dict.fromkeys(kin))])


def _around(centre: Node, notes: Iterable[Row]) -> Graph:
    nodes = {centre.key: centre}
    edges: dict[tuple[str, str], Edge] = {}

    def link(one: str, other: str, what: str) -> None:
        edges.setdefault((one, other), Edge(one, other, what))

    rows = list(notes)
    for row in rows:
        node = _note(row)
        nodes.setdefault(node.key, node)
        project = f"project:{row.note.project}"
        nodes.setdefault(project, Node(project, row.note.project))
        link(project, node.key, "has")
        for tag in [tag for tag in row.note.tags if tag != PENDING][:4]:
            nodes.setdefault(f"tag:{tag}", Node(f"tag:{tag}", tag))
            link(node.key, f"tag:{tag}", "tagged")
    for row in rows:
        for old in row.note.supersedes_ids:
            if f"note:{old}" in nodes:
                link(f"note:{row.note.id}", f"note:{old}", "replaces")
    return Graph(tuple(nodes.values()), tuple(edges.values()))


def _note(row: Row) -> Node:
    return Node(f"note:{row.note.id}", row.note.title or "Untitled", type=row.note.type)
