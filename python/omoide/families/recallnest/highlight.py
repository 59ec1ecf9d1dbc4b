"""`render: highlight`: the same hits, those that share more terms with the query in front.

Useful for: any language; terms are the analyser's words. Not useful for: choosing hits; none comes or goes.
Invariant: relevance stays as it was; only the order changes, stably.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from omoide.model.query import Hit

RELEVANCE_SHARE = 0.6
OVERLAP_SHARE = 0.4
#: A memory longer than this shares too little of itself to move up; its beginning is compared.
COMPARED_CHARS = 10_000

Terms = Callable[[str], frozenset[str]]


def highlighted(hits: Sequence[Hit], query: str, terms: Terms) -> list[Hit]:
    """The hits by 0.6 relevance + 0.4 overlap, rounded to three decimals; equals keep their order."""
    asked = terms(query)

    def rank(hit: Hit) -> float:
        shared = overlap(asked, terms(hit.memory.text[:COMPARED_CHARS]))
        return round(RELEVANCE_SHARE * hit.relevance + OVERLAP_SHARE * shared, 3)

    return sorted(hits, key=rank, reverse=True)


def overlap(asked: frozenset[str], found: frozenset[str]) -> float:
    """|asked and found| / the larger of the two; 0 where one is empty."""
    return len(asked & found) / max(len(asked), len(found)) if asked and found else 0.0
