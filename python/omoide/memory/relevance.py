"""One number in 0..1 a caller can hold a threshold against: how surely a hit is about the query.

Made from what the engine measured: `coverage`, the share of the query's rarity (idf mass) the memory matches, and the
cosine of the lexical vectors. Never rises down the list: a hit cannot be called more relevant than one ranked above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one hit, all in 0..1."""

    coverage: float
    cosine: float
    graph: bool = False


def relevance(ranked: Sequence[Evidence]) -> list[float]:
    """Relevance of ranked hits, best first, in their order."""
    return monotone([raw_relevance(each) for each in ranked])


def raw_relevance(evidence: Evidence) -> float:
    """Coverage counts most; a lexical match of parts of words adds where whole words are missing."""
    matched = max(evidence.coverage, 0.9 * max(evidence.cosine, 0.0))
    return min(1.0, matched**0.5) if matched > 0.0 else (0.2 if evidence.graph else 0.0)


def monotone(values: Sequence[float]) -> list[float]:
    """The closest (least squares) sequence that never rises: pooled adjacent violators."""
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] < total / count:
            above, members = pools.pop()
            total, count = total + above, count + members
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]
