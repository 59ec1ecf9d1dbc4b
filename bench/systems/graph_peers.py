"""Alternatives for personalised PageRank: igraph, networkx."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bench.engine.data import Edges


class GraphPeer(ABC):
    """Built once. Raises ImportError if the library is not installed."""

    name: str

    @abstractmethod
    def __init__(self, ways: Edges) -> None: ...

    @abstractmethod
    def page_rank(self, place: int, damping: float) -> Any:
        """The rank of every place, by place."""


class Igraph(GraphPeer):
    name = "igraph"

    def __init__(self, ways: Edges) -> None:
        import igraph

        ends = list(zip(ways.sources.tolist(), ways.targets.tolist(), strict=True))
        self._graph = igraph.Graph(n=ways.nodes, edges=ends, directed=True)
        self._weights = ways.weights.tolist()

    def page_rank(self, place: int, damping: float) -> Any:
        return self._graph.personalized_pagerank(damping=damping, reset_vertices=[place], weights=self._weights)


class Networkx(GraphPeer):
    name = "networkx"

    def __init__(self, ways: Edges) -> None:
        import networkx
        import scipy  # noqa: F401  # what its PageRank needs, and tells only when it is asked

        self._library = networkx
        self._graph = networkx.DiGraph()
        self._graph.add_nodes_from(range(ways.nodes))
        for source, target, weight in zip(ways.sources, ways.targets, ways.weights, strict=True):
            known = self._graph.get_edge_data(int(source), int(target), {"weight": 0.0})["weight"]
            self._graph.add_edge(int(source), int(target), weight=known + float(weight))

    def page_rank(self, place: int, damping: float) -> Any:
        mass = self._library.pagerank(self._graph, alpha=damping, personalization={place: 1.0}, tol=1e-8)
        return [mass[each] for each in range(len(mass))]


PEERS: tuple[type[GraphPeer], ...] = (Igraph, Networkx)
