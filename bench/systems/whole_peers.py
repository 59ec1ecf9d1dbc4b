"""Alternatives for a whole hybrid query with a filter: LanceDB, Chroma, Qdrant (local), sqlite-vec + FTS5.

Each is used as its own documentation shows for hybrid search. If it has none (Chroma) it is asked by vector with the filter;
if it leaves the fusion to the caller (Qdrant's sparse vectors, SQLite) reciprocal ranks are fused here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.engine.data import Floats
from bench.engine.texts import Written

RRF_K = 60
BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Held:
    """The data of every system: one row per memory."""

    vectors: Floats
    texts: Written
    scopes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """One hybrid question within a scope; `depth` is that of each arm before the fusion."""

    vector: Floats
    words: Sequence[str]
    scope: str
    count: int
    depth: int


class WholePeer(ABC):
    """Built once, in `folder`. Raises ImportError if the library is not installed."""

    name: str
    #: Whether one question takes seconds.
    is_slow = False

    @abstractmethod
    def __init__(self, held: Held, folder: Path) -> None: ...

    @abstractmethod
    def ask(self, asked: Asked) -> list[int]:
        """Ids, best first."""


def fused(rankings: Sequence[Sequence[int]], count: int) -> list[int]:
    """Reciprocal ranks, summed."""
    scores: Counter[int] = Counter()
    for ranking in rankings:
        for rank, each in enumerate(ranking, 1):
            scores[each] += 1 / (RRF_K + rank)  # type: ignore[assignment]
    return sorted(scores, key=lambda each: (-scores[each], -each))[:count]


class Lance(WholePeer):
    name = "LanceDB"

    def __init__(self, held: Held, folder: Path) -> None:
        import lancedb
        import pyarrow

        rows = {
            "id": range(len(held.texts)),
            "vector": pyarrow.FixedSizeListArray.from_arrays(
                pyarrow.array(held.vectors.ravel()), held.vectors.shape[1]
            ),
            "body": [" ".join(words) for words in held.texts],
            "scope": held.scopes,
        }
        self._table = lancedb.connect(str(folder / "lance")).create_table("texts", pyarrow.table(rows))
        self._table.create_fts_index("body", base_tokenizer="whitespace", stem=False, remove_stop_words=False)
        self._table.create_scalar_index("scope", index_type="BITMAP")
        self._table.create_index(metric="cosine", index_type="IVF_HNSW_SQ", num_partitions=1)

    def ask(self, asked: Asked) -> list[int]:
        found = (
            self._table.search(query_type="hybrid")
            .vector(asked.vector)
            .text(" ".join(asked.words))
            .where(f"scope = '{asked.scope}'", prefilter=True)
            .limit(asked.depth)
            .to_arrow()
        )
        ids: list[int] = found["id"].to_pylist()
        return ids[: asked.count]


class Chroma(WholePeer):
    name = "Chroma (vectors)"

    def __init__(self, held: Held, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(folder / "chroma"), settings=settings)
        self._texts = client.create_collection("texts", configuration={"hnsw": {"space": "cosine"}})
        for start in range(0, len(held.texts), BATCH):
            part = range(start, min(start + BATCH, len(held.texts)))
            self._texts.add(
                ids=[str(number) for number in part],
                embeddings=held.vectors[part.start : part.stop],
                metadatas=[{"scope": held.scopes[number]} for number in part],
            )

    def ask(self, asked: Asked) -> list[int]:
        found: Any = self._texts.query(
            query_embeddings=asked.vector[None], n_results=asked.count, where={"scope": asked.scope}, include=[]
        )
        return [int(each) for each in found["ids"][0]]


class Qdrant(WholePeer):
    name = "Qdrant (local)"
    is_slow = True

    def __init__(self, held: Held, folder: Path) -> None:
        from qdrant_client import QdrantClient, models

        self._models = models
        self._client = QdrantClient(":memory:")
        self._words: dict[str, int] = {}
        self._client.create_collection(
            "texts",
            vectors_config={"dense": models.VectorParams(size=held.vectors.shape[1], distance=models.Distance.COSINE)},
            sparse_vectors_config={"words": models.SparseVectorParams(modifier=models.Modifier.IDF)},
        )
        for start in range(0, len(held.texts), BATCH):
            part = range(start, min(start + BATCH, len(held.texts)))
            self._client.upsert("texts", [self._point(held, number) for number in part])

    def _point(self, held: Held, number: int) -> Any:
        counts = Counter(held.texts[number])
        indices = [self._words.setdefault(word, len(self._words)) for word in counts]
        sparse = self._models.SparseVector(indices=indices, values=[count / (count + 1.2) for count in counts.values()])
        vectors = {"dense": held.vectors[number].tolist(), "words": sparse}
        return self._models.PointStruct(id=number, vector=vectors, payload={"scope": held.scopes[number]})

    def ask(self, asked: Asked) -> list[int]:
        models = self._models
        matches = models.FieldCondition(key="scope", match=models.MatchValue(value=asked.scope))
        where = models.Filter(must=[matches])
        known = sorted({self._words[word] for word in asked.words if word in self._words})
        sparse = models.SparseVector(indices=known, values=[1.0] * len(known))
        found = self._client.query_points(
            "texts",
            prefetch=[
                models.Prefetch(query=asked.vector.tolist(), using="dense", limit=asked.depth, filter=where),
                models.Prefetch(query=sparse, using="words", limit=asked.depth, filter=where),
            ],
            query=models.FusionQuery(fusion=models.Fusion.RRF),
            limit=asked.count,
        )
        return [int(point.id) for point in found.points]


class SqliteVec(WholePeer):
    name = "sqlite-vec + FTS5"

    def __init__(self, held: Held, folder: Path) -> None:
        import apsw
        import sqlite_vec

        self._store = apsw.Connection(str(folder / "vec.sqlite3"))
        self._store.enable_load_extension(True)
        self._store.load_extension(sqlite_vec.loadable_path())
        size = held.vectors.shape[1]
        self._store.execute(
            f"CREATE VIRTUAL TABLE near USING vec0(scope TEXT partition key, v float[{size}] distance_metric=cosine)"
        )
        self._store.execute("CREATE VIRTUAL TABLE texts USING fts5(body, scope UNINDEXED)")
        rows = enumerate(zip(held.scopes, held.vectors, held.texts, strict=True))
        with self._store:
            for number, (scope, vector, words) in rows:
                near, text = (number, scope, vector.tobytes()), (number, " ".join(words), scope)
                self._store.execute("INSERT INTO near(rowid, scope, v) VALUES (?, ?, ?)", near)
                self._store.execute("INSERT INTO texts(rowid, body, scope) VALUES (?, ?, ?)", text)

    def ask(self, asked: Asked) -> list[int]:
        near = self._store.execute(
            "SELECT rowid FROM near WHERE v MATCH ? AND k = ? AND scope = ? ORDER BY distance",
            (asked.vector.tobytes(), asked.depth, asked.scope),
        )
        words = " OR ".join(f'"{word}"' for word in asked.words)
        texts = self._store.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? AND scope = ? ORDER BY rank LIMIT ?",
            (words, asked.scope, asked.depth),
        )
        return fused([[row[0] for row in near], [row[0] for row in texts]], asked.count)


PEERS: tuple[type[WholePeer], ...] = (Lance, SqliteVec, Chroma, Qdrant)
