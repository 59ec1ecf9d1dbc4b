"""One number in 0..1 a caller can hold a threshold against: how surely a hit is about the query.

Made from what the engine measured: `coverage`, the share of the query's rarity (idf mass) that the memory matches, and
the cosine of the lexical vectors. A long query is seldom matched whole, so the share that counts as half sure falls with
its length. Never rises down the list: a hit cannot be called more relevant than one ranked above it.

The constants are fitted by eye to labelled questions in three languages against questions about something else: of the
right memories among the first three, nine in ten and more reach 0.4; of questions about something else, some three in a
hundred (long messages) to two in ten (small talk) have a best hit that does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Coverage at which a memory is as likely relevant as not, for queries of up to `SHORT_WORDS` words. Of a longer one, a
#: match worth one and a half of its words counts as much.
HALF_COVERAGE = 0.25
SHORT_WORDS = 6
#: Lexical vectors of strangers in one language share this much by common letter sequences and hashing alone.
HALF_COSINE = 0.5
#: Spelling alone is weaker evidence than words.
COSINE_SHARE = 0.8
STEEPNESS = 2.2
#: Shares below this are rounding, not evidence.
NOISE = 1e-3
#: What a memory is worth that only the graph leads to.
GRAPH_ALONE = 0.2


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one hit: coverage in 0..1, cosine in -1..1, whether the graph leads to it."""

    coverage: float
    cosine: float
    graph: bool = False


def relevance(ranked: Sequence[Evidence], query_words: int = 1) -> list[float]:
    """Relevance of ranked hits, best first, in their order, for a query of so many telling words."""
    half = HALF_COVERAGE * min(1.0, SHORT_WORDS / max(query_words, 1))
    return monotone([_raw(each, half) for each in ranked])


def _raw(evidence: Evidence, half_coverage: float) -> float:
    words = _saturating(evidence.coverage, half_coverage)
    spelling = COSINE_SHARE * _saturating(evidence.cosine, HALF_COSINE)
    return max(words, spelling, GRAPH_ALONE if evidence.graph else 0.0)


def _saturating(value: float, half: float) -> float:
    """0 at 0, one half at `half`, towards 1 beyond; exactly 1 only for a whole match."""
    if value < NOISE:
        return 0.0
    if value >= 1.0:
        return 1.0
    return 1.0 / (1.0 + float((half / value) ** STEEPNESS))


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
