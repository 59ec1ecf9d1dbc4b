"""The four retrieval profiles: the weights of word matches, vectors and age in the ranking.

Useful for: what a profile means. Not useful for: filtering; a profile never hides a memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from omoide.model.query import USUAL, Weights

DEFAULT = "default"

#: The published shares of vectors and words are .7/.3, .8/.2, .55/.45 and .5/.5. Ours keep their proportions around the balance
#: that gave the best results here (`USUAL`), and let age count only if the profile is about recent work: it then decides
#: between hits of nearly equal relevance.
PROFILES: Mapping[str, Weights] = MappingProxyType(
    {
        DEFAULT: USUAL,
        "writing": Weights(words=1.0, vectors=2.0),
        "debug": Weights(words=1.0, vectors=0.5, recency=0.15, recency_half_life_days=7.0),
        "fact-check": Weights(words=1.0, vectors=0.4, recency=0.08, recency_half_life_days=21.0),
    }
)
