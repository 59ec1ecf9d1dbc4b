"""Relevance: how surely a hit is about the query, one number in 0..1 that a caller can compare with a threshold.

The engine computes it from the evidence (rust/omoide-search/src/relevance.rs has the formulas); the constants are here. It
never rises down the list: no hit is more relevant than one ranked above it.

The constants of `CURVE` were fitted to labelled sets in three languages by `python -m bench relevance --fit`, except
`enough`, which is chosen: one of two words is half of a question. How good they are, also in cross-validation over questions
and sets, is in docs/benchmarks.md, "Relevance".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from omoide import engine
from omoide.model.query import Evidence

#: The engine's evidence for a hit: the fields of `Evidence` as a plain tuple.
EvidenceTuple: TypeAlias = tuple[float, tuple[float, float], float, tuple[float, float, int] | None, bool, float]


class Curve(NamedTuple):
    """From evidence to relevance. At each threshold here (`by_chance`, `beside`, `enough` …), the curve it belongs to is at one
    half."""

    #: Nats that a random memory reaches now and then.
    by_chance: float = 3.0
    #: Among `searched` memories, the best reaches `company` * ln(searched / `one_in`) nats by chance, if that is more: one in
    #: `one_in` may be about the query.
    one_in: float = 25.0
    company: float = 2.0
    #: What a hit needs where the best one answers the query: so many nats, and at least this part of the best one's.
    beside: float = 1.4
    beside_best: float = 0.25
    steepness: float = 10.0
    #: Where meaning is measured besides words, chance reaches this many times the nats.
    with_meaning: float = 1.75
    #: The coverage that is enough by itself as likely as not.
    enough: float = 0.5
    #: For vectors that know spelling only: the cosine at one half, and the most that it counts for, as unrelated texts share
    #: letters, too.
    half_spelling: float = 0.6
    spelling_share: float = 0.8
    share_steepness: float = 10.0


CURVE = Curve()
#: The curve as the engine takes it.
FITTED = engine.Curve(CURVE)


def relevance(ranked: Sequence[Evidence | EvidenceTuple], searched: int = 1, curve: Curve = CURVE) -> list[float]:
    """The relevance of ranked hits, best first, in their order; `searched`: among how many memories they were found."""
    return engine.relevance(ranked, searched, engine.Curve(curve))
