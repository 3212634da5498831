"""What hangs together, as a drawing and as the same in words."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from anamnesis.index import graph
from anamnesis.notes.ids import is_valid_id

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.index.graph import Graph, Node
    from anamnesis.web.visit import Visit

_WORDS = {"has": "holds", "tagged": "is tagged", "replaces": "replaces"}


def show(visit: Visit) -> Response:
    """The page: the list is always there, the drawing is made from the same values."""
    found, centre = _graph(visit)
    nodes = {node.key: node for node in found.nodes}
    groups = defaultdict(list)
    for edge in found.edges:
        groups[nodes[edge.one]].append((_WORDS[edge.what], nodes[edge.other]))
    return visit.page(
        "map.html", centre=centre, groups=groups, address=address, drawing=drawing(found)
    )


def _graph(visit: Visit) -> tuple[Graph, Node | None]:
    store, note_id = visit.store, visit.asked("note")
    if is_valid_id(note_id):
        found = store.ask(lambda db: graph.around_note(db, note_id))
    elif project := visit.asked("project"):
        found = store.ask(lambda db: graph.around_project(db, project))
    elif tag := visit.asked("tag"):
        found = store.ask(lambda db: graph.around_tag(db, tag))
    else:
        return visit.dashboard.counts.overview(), None
    return found, found.nodes[0] if found.nodes else None


def address(node: Node) -> str:
    """The map around a node."""
    return f"/map?{urlencode({node.kind: node.name})}"


def drawing(found: Graph) -> dict[str, Any]:
    """The graph for the script that draws it."""
    numbers = {node.key: number for number, node in enumerate(found.nodes)}
    return {
        "nodes": [
            {
                "label": node.label,
                "kind": node.type or node.kind,
                "weight": node.weight,
                "address": address(node),
            }
            for node in found.nodes
        ],
        "edges": [[numbers[edge.one], numbers[edge.other], edge.what] for edge in found.edges],
    }
