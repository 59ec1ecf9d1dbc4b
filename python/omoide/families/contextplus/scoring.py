"""The scores of a graph search, in percent with one decimal.

Useful for: direct matches and their neighbours. Not useful for: ranking direct matches (the search does that).

    direct     100 * relevance
    neighbour  100 * (0.6 * cos(query, neighbour) + 0.4 * decayed / (1 + 0.3 * (depth - 1)))
    traversal  100 * decayed / (1 + 0.3 * depth)
    decayed    weight * e^(-0.05 * days since the edge was made)

The published formula divides `decayed` by the weight again, so that weight cancels, and has no depth in it. Without the
division, and with the depth penalty that the published traversal uses (counted from the first hop), a neighbour over a
direct edge of weight 1 scores as published, a weaker or longer link less.
"""

from __future__ import annotations

import math

DECAY_PER_DAY = 0.05
SIMILARITY_SHARE = 0.6
LINK_SHARE = 0.4
DEPTH_PENALTY = 0.3


def decayed(weight: float, age_days: float) -> float:
    """The weight of an edge after decay; an edge from the future counts as new."""
    return weight * math.exp(-DECAY_PER_DAY * max(0.0, age_days))


def direct_score(relevance: float) -> float:
    """Percent for a direct match with that relevance (0..1)."""
    return percent(relevance)


def neighbour_score(similarity: float, weight: float, age_days: float, depth: int) -> float:
    """Percent for a neighbour `depth` >= 1 edges away, whose last edge has that weight and age."""
    link = decayed(weight, age_days) / (1.0 + DEPTH_PENALTY * (depth - 1))
    return percent(SIMILARITY_SHARE * max(0.0, similarity) + LINK_SHARE * link)


def traversal_score(weight: float, age_days: float, depth: int) -> float:
    """Percent for a node `depth` >= 1 edges from the start of a traversal, by the published formula."""
    return percent(decayed(weight, age_days) / (1.0 + DEPTH_PENALTY * depth))


def percent(share: float) -> float:
    """0..1 -> 0..100 to one decimal, halves up."""
    return math.floor(share * 1000.0 + 0.5) / 10.0
