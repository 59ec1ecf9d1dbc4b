"""Which vectors and edges do the systems hold? Seeded: the same in every run. Texts are made in texts.py.

Vectors lie in clusters of a few directions each, as embeddings do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

SEED = 20261121
#: Directions that vary within a cluster.
INTRINSIC = 24
#: A walk flows half as much to a place where this many edges end: the engine's own rule (docs/engine.md).
CROWD = 20


def clustered(count: int, dimensions: int, seed: int = SEED) -> Floats:
    """Unit vectors around 256 centres."""
    dice = np.random.default_rng(seed)
    world = np.random.default_rng(SEED)  # the centres are the same for stored vectors and queries
    centres = world.standard_normal((256, dimensions), dtype=np.float32)
    bases = world.standard_normal((256, INTRINSIC, dimensions), dtype=np.float32)
    of = dice.integers(0, len(centres), count)
    found = np.empty((count, dimensions), dtype=np.float32)
    for centre in range(len(centres)):
        rows = np.flatnonzero(of == centre)
        inside = dice.standard_normal((len(rows), INTRINSIC), dtype=np.float32)
        noise = dice.standard_normal((len(rows), dimensions), dtype=np.float32)
        found[rows] = centres[centre] + 0.35 * inside @ bases[centre] / INTRINSIC**0.5 * 2 + 0.1 * noise
    return unit(found)


def unit(vectors: Floats) -> Floats:
    """The rows, each scaled to length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Floats = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return found


def nearest(vectors: Floats, queries: Floats, count: int, allowed: Ints | None = None) -> list[list[int]]:
    """The exact answer: ids of the `count` most similar, best first, for each query."""
    ids = np.arange(len(vectors)) if allowed is None else allowed
    held = vectors if allowed is None else vectors[allowed]
    return [ids[_highest(held @ query, count)].tolist() for query in queries]


def _highest(scores: Floats, count: int) -> Ints:
    kept = np.argpartition(-scores, count)[:count] if count < len(scores) else np.arange(len(scores))
    order: Ints = kept[np.argsort(-scores[kept], kind="stable")]
    return order


@dataclass(frozen=True, slots=True)
class Edges:
    """A graph: ends and weights by edge."""

    nodes: int
    sources: Ints
    targets: Ints
    weights: Floats


def graph(nodes: int, edges: int) -> Edges:
    """An undirected graph. Some places have many edges: ends are drawn from a long-tailed distribution."""
    dice = np.random.default_rng(SEED)
    tail = (nodes * dice.random(edges) ** 3).astype(np.int64)
    sources, targets = dice.integers(0, nodes, edges), np.minimum(tail, nodes - 1)
    keep = sources != targets
    weights = dice.uniform(0.1, 1.0, int(keep.sum())).astype(np.float32)
    return Edges(nodes, sources[keep], targets[keep], weights)


def ways(edges: Edges) -> Edges:
    """Both directions of every edge, weighted as the engine does: less towards places with many edges."""
    arrivals = np.bincount(edges.targets, minlength=edges.nodes)
    sources, targets = np.concatenate([edges.sources, edges.targets]), np.concatenate([edges.targets, edges.sources])
    weights = np.concatenate([edges.weights, edges.weights]) / (1 + (arrivals[targets] / CROWD) ** 2)
    return Edges(edges.nodes, sources, targets, weights.astype(np.float32))


def page_rank(ways: Edges, seed: int, damping: float, tolerance: float = 1e-10) -> Scores:
    """Personalised PageRank by power iteration until no value changes by more than `tolerance`."""
    weights = ways.weights.astype(np.float64)
    shares = weights / np.bincount(ways.sources, weights, ways.nodes)[ways.sources]
    mass: Scores = np.zeros(ways.nodes)
    while True:
        new: Scores = damping * np.bincount(ways.targets, mass[ways.sources] * shares, ways.nodes).astype(np.float64)
        new[seed] += 1 - damping
        if np.abs(new - mass).sum() < tolerance:
            return new
        mass = new
