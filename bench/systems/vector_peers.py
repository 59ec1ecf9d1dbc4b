"""Alternatives for vectors: usearch, hnswlib, faiss. Each with as many links as ours and as wide a beam."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bench.engine.data import Floats

LINKS = 16
BEAM_ADD = 128
BEAM_SEARCH = 128


class VectorPeer(ABC):
    """Built once, on one thread. Raises ImportError if the library is not installed."""

    name: str
    index: Any

    @abstractmethod
    def __init__(self, vectors: Floats) -> None: ...

    @abstractmethod
    def nearest(self, query: Floats, count: int) -> list[int]:
        """Ids, best first."""


class Usearch(VectorPeer):
    name = "usearch"

    def __init__(self, vectors: Floats) -> None:
        import numpy as np
        from usearch.index import Index

        self.index = Index(
            ndim=vectors.shape[1],
            metric="cos",
            dtype="f16",
            connectivity=LINKS,
            expansion_add=BEAM_ADD,
            expansion_search=BEAM_SEARCH,
        )
        self.index.add(np.arange(len(vectors)), vectors, threads=1)

    def nearest(self, query: Floats, count: int) -> list[int]:
        found: list[int] = self.index.search(query, count, threads=1).keys.tolist()
        return found


class Hnswlib(VectorPeer):
    name = "hnswlib (f32)"

    def __init__(self, vectors: Floats) -> None:
        import hnswlib

        self.index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        self.index.init_index(max_elements=len(vectors), M=LINKS, ef_construction=BEAM_ADD)
        self.index.set_num_threads(1)
        self.index.set_ef(BEAM_SEARCH)
        self.index.add_items(vectors)

    def nearest(self, query: Floats, count: int) -> list[int]:
        found: list[int] = self.index.knn_query(query, count, num_threads=1)[0][0].tolist()
        return found


class Faiss(VectorPeer):
    name = "faiss HNSW (f32)"

    def __init__(self, vectors: Floats) -> None:
        import faiss

        faiss.omp_set_num_threads(1)
        self.index = faiss.IndexHNSWFlat(vectors.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = BEAM_ADD
        self.index.hnsw.efSearch = BEAM_SEARCH
        self.index.add(vectors)

    def nearest(self, query: Floats, count: int) -> list[int]:
        found: list[int] = self.index.search(query.reshape(1, -1), count)[1][0].tolist()
        return found


PEERS: tuple[type[VectorPeer], ...] = (Usearch, Hnswlib, Faiss)
