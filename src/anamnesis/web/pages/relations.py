"""The map: how projects, tags and notes are connected, as a drawing and as a list."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from anamnesis.operations.notes.browse import map_around
from anamnesis.web import markdown

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.operations.notes.browse import Graph, Node
    from anamnesis.web.visit import Visit

_VERBS = {"has": "holds", "tagged": "is tagged", "replaces": "replaces"}


def show(visit: Visit) -> Response:
    """The list of connections, and the same graph for the script that draws it."""
    around = {name: visit.parameter(name) for name in ("note", "project", "tag")}
    graph = map_around(visit.store, **around)
    centre = graph.nodes[0] if graph and graph.nodes else None
    graph = graph or visit.dashboard.counts.overview()
    nodes = {node.key: node for node in graph.nodes}
    groups = defaultdict(list)
    for edge in graph.edges:
        groups[nodes[edge.one]].append((_VERBS[edge.what], nodes[edge.other], edge.weight))
    for others in groups.values():
        others.sort(key=lambda other: -other[2])
    return visit.page(
        "map.html",
        centre=centre,
        groups=groups,
        address=address,
        label=lambda node: _label(visit, node),
        kinds=dict.fromkeys(node.type or node.kind for node in graph.nodes),
        drawing=drawing(visit, graph, is_around=centre is not None),
    )


def address(node: Node) -> str:
    """The address of the map around a node."""
    return f"/map?{urlencode({node.kind: node.name})}"


def _label(visit: Visit, node: Node) -> str:
    """The label of a node; projects get their short name."""
    return visit.short_project(node.name) if node.kind == "project" else node.label


def drawing(visit: Visit, graph: Graph, *, is_around: bool) -> dict[str, Any]:
    """The graph for the script that draws it."""
    numbers = {node.key: number for number, node in enumerate(graph.nodes)}
    return {
        "nodes": [
            {
                "label": markdown.plain_title(_label(visit, node)),
                "title": markdown.plain_title(node.label),
                "hue": visit.projects.get(node.name, ("", ""))[1] if node.kind == "project" else "",
                "kind": node.type or node.kind,
                "weight": node.weight,
                "address": address(node),
            }
            for node in graph.nodes
        ],
        "edges": [
            [numbers[edge.one], numbers[edge.other], edge.what, edge.weight] for edge in graph.edges
        ],
        "around": is_around,
    }
