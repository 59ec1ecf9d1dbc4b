"""ann-benchmarks: its algorithm object (`fit`, `query`), and `python -m bench ann FOLDER` for arrays on disk.

In ann-benchmarks, name module `bench.harness.ann`, constructor `OmoideVectors`, base arguments `["@metric"]` in config.yml.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter

from omoide import _engine

BATCH = 1000
NEIGHBOURS = 10


class OmoideVectors:
    """The vector arm alone, by cosine. Rows of `fit` are numbered from 0 in their order."""

    def __init__(self, metric: str = "angular") -> None:
        if metric != "angular":
            raise ValueError(f"omoide compares by angle; {metric!r} is not offered")
        self._engine = _engine.Engine(dimensions=1, lexical=False)

    def fit(self, rows: Sequence[Iterable[float]]) -> None:
        """Build the index."""
        vectors = [_bytes(row) for row in rows]
        self._engine = _engine.Engine(dimensions=len(vectors[0]) // 4, lexical=False)
        for start in range(0, len(vectors), BATCH):
            batch = enumerate(vectors[start : start + BATCH], start)
            documents = [_engine.Document(key=key, folded="", words=(), vectors=[vector]) for key, vector in batch]
            self._engine.apply(start + len(documents), documents=documents)

    def query(self, vector: Iterable[float], count: int) -> list[int]:
        """The numbers of the nearest rows."""
        query = _engine.Query(vector=_bytes(vector), word_weight=0.0, vector_weight=1.0, limit=count, candidates=count)
        return [hit.key for hit in self._engine.search(query).hits]

    def get_memory_usage(self) -> float:
        """Resident kilobytes of the index."""
        return sum(size for _, size in self._engine.stats().bytes) / 1024

    def __str__(self) -> str:
        return "omoide"


def _bytes(vector: Iterable[float]) -> bytes:
    return array("f", vector).tobytes()


def main(argv: Sequence[str]) -> int:
    """Judge a folder with base.npy, queries.npy and neighbours_cos.npy (row numbers, nearest first)."""
    # Only this command reads arrays; the extra `bench` brings numpy.
    import numpy

    parser = argparse.ArgumentParser(prog="python -m bench ann", description=main.__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    options = parser.parse_args(argv)
    base, queries, wanted = (
        numpy.load(options.folder / f"{name}.npy").tolist() for name in ("base", "queries", "neighbours_cos")
    )
    system = OmoideVectors()
    started = perf_counter()
    system.fit(base)
    built = perf_counter()
    found = [system.query(query, NEIGHBOURS) for query in queries]
    asked = perf_counter() - built
    recall = fmean(len(set(ids) & set(near[:NEIGHBOURS])) / NEIGHBOURS for ids, near in zip(found, wanted, strict=True))
    print(
        f"recall@{NEIGHBOURS} {recall:.4f}, {len(queries) / asked:.0f} queries a second, built in {built - started:.2f} s"
    )
    return 0
