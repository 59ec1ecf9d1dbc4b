"""`render: highlight`: the same hits, with those that share more terms with the query first.

Useful for: any language; terms are the analyser's. Not useful for: choosing hits; none is added or removed.
Invariant: relevance stays as it was; only the order changes, by a stable sort.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from omoide.model.query import Hit

RELEVANCE_SHARE = 0.6
OVERLAP_SHARE = 0.4
#: Only the beginning of longer memories is compared: they share too small a part with the query to move up anyway.
COMPARED_CHARS = 10_000

Terms = Callable[[str], frozenset[str]]


def highlighted(hits: Sequence[Hit], query: str, terms: Terms) -> list[Hit]:
    """The hits ordered by 0.6 relevance + 0.4 overlap, rounded to three decimals; ties keep their order."""
    asked = terms(query)

    def rank(hit: Hit) -> float:
        shared = overlap(asked, terms(hit.memory.text[:COMPARED_CHARS]))
        return round(RELEVANCE_SHARE * hit.relevance + OVERLAP_SHARE * shared, 3)

    return sorted(hits, key=rank, reverse=True)


def overlap(asked: frozenset[str], found: frozenset[str]) -> float:
    """|asked and found| / the size of the larger one; 0 if one is empty."""
    return len(asked & found) / max(len(asked), len(found)) if asked and found else 0.0
