"""ann-benchmarks: its algorithm object (`fit`, `query`), and `python -m bench ann FOLDER` for arrays on disk.

In ann-benchmarks' config.yml: module `bench.harness.ann`, constructor `OmoideVectors`, base arguments `["@metric"]`, query
arguments the number of candidates that a search considers, such as `[[10, 50, 200, 800]]`.
"""

from __future__ import annotations

import argparse
import json
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from bench.dataset import BadSet
from bench.options import at_least
from bench.published import as_published
from omoide import _engine

BATCH = 1000
NEIGHBOURS = 10
#: How many candidates a search considers, as searches of memories do.
CANDIDATES = 200
SENTENCE = "recall@10 {recall@10:.4f}, {queries_a_second:.0f} queries a second, built in {build_seconds:.2f} s"


class OmoideVectors:
    """Search by vectors alone, by cosine. The rows of `fit` are numbered from 0."""

    def __init__(self, metric: str = "angular") -> None:
        if metric != "angular":
            raise ValueError(f"omoide compares by angle; {metric!r} is not offered")
        self._candidates = CANDIDATES
        self._engine = _engine.Engine(dimensions=1, lexical=False)
        self._found: list[list[int]] = []

    def fit(self, rows: Sequence[Iterable[float]]) -> None:
        """Build the index."""
        vectors = [_bytes(row) for row in rows]
        self._engine = _engine.Engine(dimensions=len(vectors[0]) // 4, lexical=False)
        for start in range(0, len(vectors), BATCH):
            batch = enumerate(vectors[start : start + BATCH], start)
            documents = [_engine.Document(key=key, folded="", words=(), vectors=[vector]) for key, vector in batch]
            self._engine.apply(start + len(documents), documents=documents)

    def set_query_arguments(self, candidates: int) -> None:
        """Set how many candidates a search considers: more find more, and take longer."""
        self._candidates = candidates

    def query(self, vector: Iterable[float], count: int) -> list[int]:
        """The numbers of the nearest rows."""
        query = _engine.Query.of(
            vector=_bytes(vector),
            word_weight=0.0,
            vector_weight=1.0,
            limit=count,
            candidates=max(count, self._candidates),
        )
        return [hit.key for hit in self._engine.search(query).hits]

    def batch_query(self, vectors: Iterable[Iterable[float]], count: int) -> None:
        """Find the nearest rows of each; `get_batch_results` returns them."""
        self._found = [self.query(vector, count) for vector in vectors]

    def get_batch_results(self) -> list[list[int]]:
        """The results of the last `batch_query`."""
        return self._found

    def get_additional(self) -> dict[str, int]:
        """The facts recorded with each result."""
        return {"candidates": self._candidates}

    def done(self) -> None:
        """Do nothing: there is nothing to release."""

    def get_memory_usage(self) -> float:
        """Resident kilobytes of the index."""
        return sum(size for _, size in self._engine.stats().bytes) / 1024

    def __str__(self) -> str:
        return f"omoide(candidates={self._candidates})"


def _bytes(vector: Iterable[float]) -> bytes:
    return array("f", vector).tobytes()


def main(argv: Sequence[str]) -> int:
    """Judge a folder with base.npy, queries.npy and neighbours_cos.npy (row numbers, nearest first)."""
    parser = argparse.ArgumentParser(prog="python -m bench ann", description=main.__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--candidates",
        type=at_least(1),
        default=CANDIDATES,
        metavar="N",
        help=f"looked at by a search (default: {CANDIDATES})",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a sentence")
    options = parser.parse_args(argv)
    base, queries, wanted = _arrays(options.folder)
    system = OmoideVectors()
    system.set_query_arguments(options.candidates)
    started = perf_counter()
    system.fit(base)
    built = perf_counter()
    found = [system.query(query, NEIGHBOURS) for query in queries]
    asked = perf_counter() - built
    recall = fmean(len(set(ids) & set(near[:NEIGHBOURS])) / NEIGHBOURS for ids, near in zip(found, wanted, strict=True))
    measured = {"recall@10": recall, "queries_a_second": len(queries) / asked, "build_seconds": built - started}
    print(json.dumps(measured) if options.json else SENTENCE.format_map(measured))
    return 0


def _arrays(folder: Path) -> Sequence[Sequence[Any]]:
    """The three arrays, as lists of rows of matching shapes. Raises BadSet."""
    # Only this command reads arrays; numpy comes with the extra `bench`.
    import numpy

    def rows(name: str, like: str, width: int) -> Sequence[Any]:
        path = folder / f"{name}.npy"
        with as_published(str(path)):
            found = numpy.load(path)
            if found.ndim != 2 or not len(found) or found.dtype.kind not in "fiu" or found.shape[1] < width:
                raise TypeError(f"{found.dtype} {found.shape}; {like} are expected")
        as_lists: list[Any] = found.tolist()
        return as_lists

    base = rows("base", "rows of numbers", 1)
    queries = rows("queries", "rows of numbers", 1)
    wanted = rows("neighbours_cos", f"rows of at least {NEIGHBOURS} row numbers", NEIGHBOURS)
    if len(queries[0]) != len(base[0]):
        raise BadSet(f"{folder}: queries have {len(queries[0]):,} dimensions, base has {len(base[0]):,}")
    if len(wanted) != len(queries):
        raise BadSet(f"{folder}: {len(wanted):,} rows of neighbours for {len(queries):,} queries")
    return base, queries, wanted
