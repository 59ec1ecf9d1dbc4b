"""The four retrieval profiles: how word matches, vectors and age balance in the ranking.

Useful for: one place to see what a profile means. Not useful for: filtering; a profile never hides a memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from omoide.model.query import USUAL, Weights

DEFAULT = "default"

#: The published shares of vectors and words are .7/.3, .8/.2, .55/.45 and .5/.5. Ours keep their proportions around
#: the balance that measures best here (`USUAL`), and let age count only where the profile is about recent work:
#: relevance first, age between near equals.
PROFILES: Mapping[str, Weights] = MappingProxyType(
    {
        DEFAULT: USUAL,
        "writing": Weights(words=1.0, vectors=2.0),
        "debug": Weights(words=1.0, vectors=0.5, recency=0.15, recency_half_life_days=7.0),
        "fact-check": Weights(words=1.0, vectors=0.4, recency=0.08, recency_half_life_days=21.0),
    }
)
