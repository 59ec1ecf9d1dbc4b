"""The native engine as the workloads call it: vectors, words, both, the graph; through its Python interface, with explanations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.engine.data import Edges, Floats
from omoide._engine import BreadthFirst, Document, Edge, Engine, Filter, Hits, PageRank, Query, Question, Word

BATCH = 500
IDENTITY = "bench"
COLUMN = "stored_at"

__all__ = ["BATCH", "BreadthFirst", "Native", "document"]


def document(
    key: int, vector: bytes | None, words: Sequence[str], attributes: Sequence[tuple[str, str]] = ()
) -> Document:
    """A memory with its terms and its vector."""
    vectors = [] if vector is None else [vector]
    return Document(key=key, folded="", words=words, attributes=attributes, numbers=[(COLUMN, key)], vectors=vectors)


class Native:
    """See the module. `dimensions` of the vectors; 1 if there are none."""

    name = "omoide"

    def __init__(self, dimensions: int = 1, engine: Engine | None = None) -> None:
        self.engine = engine or Engine(dimensions=dimensions, lexical=False)

    def __len__(self) -> int:
        return self.engine.stats().documents

    def load(self, documents: Iterable[Document]) -> None:
        """Load in batches, as the store's changes are applied."""
        batch: list[Document] = []
        for each in documents:
            batch.append(each)
            if len(batch) == BATCH:
                self._apply(batch)
                batch = []
        self._apply(batch)

    def _apply(self, batch: Sequence[Document]) -> None:
        self.engine.apply(self.engine.applied + len(batch), documents=batch)

    def load_graph(self, edges: Edges) -> None:
        """Load the graph: one document a place, found by a word of its own."""
        self.load(document(key, None, [f"place{key}"]) for key in range(edges.nodes))
        ends = zip(edges.sources.tolist(), edges.targets.tolist(), edges.weights.tolist(), strict=True)
        made = [
            Edge(key=key, source=source, target=target, type="related", weight=weight, created_at=key)
            for key, (source, target, weight) in enumerate(ends)
        ]
        self.engine.apply(self.engine.applied + 1, edges=made)

    def nearest(self, query: bytes, count: int, where: Filter | None = None) -> list[int]:
        """Search by vector alone."""
        return self._keys(
            Query.of(vector=query, filter=where, limit=count, candidates=count, word_weight=0.0, vector_weight=1.0)
        )

    def best(self, words: Sequence[str], count: int, where: Filter | None = None) -> list[tuple[int, float]]:
        """Search by words alone; with scores."""
        query = Query.of(_asked(words), filter=where, limit=count, candidates=count, vector_weight=0.0)
        return [(hit.key, score) for hit in self.engine.search(query).hits for _, _, score in hit.measured.arms]

    def both(self, query: bytes, words: Sequence[str], count: int, depth: int, where: Filter | None) -> list[int]:
        """Search by both, fused, each arm `depth` deep."""
        return self._keys(
            Query.of(_asked(words), vector=query, filter=where, limit=count, candidates=depth, vector_weight=1.0)
        )

    def walk(self, place: int, count: int, damping: float, epsilon: float) -> Hits:
        """Personalised PageRank from one place."""
        walk = PageRank(damping=damping, hit_seeds=1, epsilon=epsilon)
        query = Query.of(_asked([f"place{place}"]), limit=count, candidates=count, vector_weight=0.0, page_rank=walk)
        return self.engine.search(query)

    def save(self, folder: Path) -> int:
        """Write a snapshot; returns its bytes."""
        return self.engine.save(folder, IDENTITY).bytes

    @classmethod
    def open(cls, folder: Path, *, codes: bool = False) -> Native:
        """Open a snapshot, to be searched by bytes or by 16-bit floats."""
        return cls(engine=Engine.load(folder, IDENTITY, lexical=False, codes=codes))

    def _keys(self, query: Query) -> list[int]:
        return [hit.key for hit in self.engine.search(query).hits]


def _asked(words: Sequence[str]) -> Question:
    return Question("", words=[Word(word, 0, 0) for word in words])


def vectors_of(vectors: Floats) -> Iterable[Document]:
    """Documents with only a vector, keyed by position."""
    for key, vector in enumerate(vectors):
        yield document(key, vector.tobytes(), ())
