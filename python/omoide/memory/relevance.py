"""One number in 0..1 a caller can hold a threshold against: how surely a hit is about the query.

Made from what the engine measured: `coverage`, the share of the query's rarity (idf mass) that the memory matches with
the turns around it; the cosine of the vectors; and how the hit stands beside the best one. A long query is seldom matched
whole, so the share that counts as half sure falls with its length; what is far behind the best is what any memory of the
store would be. Never rises down the list: a hit cannot be called more relevant than one ranked above it.

The constants come from a grid on labelled sets in three languages (docs/benchmarks.md, "Relevance"): relevant hits have a
median of .7 and more. Of random pairs of question and memory, each memory asked for alone, 95 in 100 stay below .31;
English messages that only call memories to mind are the exception (.46): their relevant memories share little more with
them than others do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: Coverage at which a memory is as likely relevant as not: this, divided by the query's words to the power `FALL`, and
#: never more than `HALF_COVERAGE`.
HALF_OF_ONE_WORD = 2.55
FALL = 1.15
HALF_COVERAGE = 0.4
#: Vectors of strangers in one language share this much by common letter sequences and hashing alone.
HALF_COSINE = 0.6
#: Likeness alone is weaker evidence than words.
COSINE_SHARE = 0.8
STEEPNESS = 8.0
#: A hit with this share of the best one's score stands halfway; how it stands matters the more, the weaker its evidence.
HALF_STANDING = 0.6
STANDING_STEEPNESS = 6.0
STANDING_WEIGHT = 1.0
#: What the curve gives the best hit itself, which nothing is to be taken from.
BEST_STANDING = 1.0 / (1.0 + HALF_STANDING**STANDING_STEEPNESS)
#: Shares below this are rounding, not evidence.
NOISE = 1e-3
#: What a memory is worth that only the graph leads to.
GRAPH_ALONE = 0.2


class Evidence(NamedTuple):
    """What is known of one hit: coverage in 0..1, cosine in -1..1, whether the graph leads to it, and its share of the
    best hit's score in 0..1."""

    coverage: float
    cosine: float
    graph: bool = False
    standing: float = 1.0


def relevance(ranked: Sequence[Evidence], query_words: int = 1) -> list[float]:
    """Relevance of ranked hits, best first, in their order, for a query of so many telling words."""
    half = min(HALF_COVERAGE, HALF_OF_ONE_WORD / max(query_words, 1) ** FALL)
    return monotone([_raw(each, half) for each in ranked])


def _raw(evidence: Evidence, half_coverage: float) -> float:
    words = _saturating(evidence.coverage, half_coverage, STEEPNESS)
    spelling = COSINE_SHARE * _saturating(evidence.cosine, HALF_COSINE, STEEPNESS)
    standing = _saturating(evidence.standing, HALF_STANDING, STANDING_STEEPNESS) / BEST_STANDING
    sure = max(words, spelling, GRAPH_ALONE if evidence.graph else 0.0)
    return sure * float(min(1.0, standing) ** (STANDING_WEIGHT * (1.0 - sure)))


def _saturating(value: float, half: float, steepness: float) -> float:
    """0 at 0, one half at `half`, towards 1 beyond; exactly 1 only for a whole match."""
    if value < NOISE:
        return 0.0
    if value >= 1.0:
        return 1.0
    return 1.0 / (1.0 + float((half / value) ** steepness))


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
