"""One number in 0..1 a caller can hold a threshold against: how surely a hit is about the query.

The engine makes it of the evidence, and says how (rust/omoide-search/src/relevance.rs); here are the constants. Never
rises down the list: a hit cannot be called more relevant than one ranked above it.

The constants of `CURVE` were fitted to labelled sets in three languages by `python -m bench relevance --fit`, but for
`enough`, which is chosen: of a question of two words, one is half. What they are worth, and what fits to some of the
questions and sets were worth on the others, is in docs/benchmarks.md, "Relevance".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from omoide import engine
from omoide.model.query import Evidence

#: As the engine tells it of a hit: an `Evidence` without its name.
Told: TypeAlias = tuple[float, tuple[float, float], float, tuple[float, float, int] | None, bool]


class Curve(NamedTuple):
    """From evidence to relevance; what is `by_chance` and `beside_best` is half as surely relevant as can be."""

    #: Nats that a random memory has now and then.
    by_chance: float = 3.0
    #: One memory in so many may be about the query; the best of more has so many times the logarithm of how much more by
    #: chance: words come in company.
    one_in: float = 25.0
    company: float = 2.0
    #: Beside a hit that answers the query: nats, and at least this part of its own.
    beside: float = 1.4
    beside_best: float = 0.25
    steepness: float = 10.0
    #: Where meaning is measured beside words, chance has so many times the nats.
    with_meaning: float = 1.75
    #: The coverage that is as likely as not enough by itself.
    enough: float = 0.5
    #: Of vectors that know no meaning: strangers share letters, and likeness alone is weaker evidence than words.
    half_spelling: float = 0.6
    spelling_share: float = 0.8
    share_steepness: float = 10.0


CURVE = Curve()
#: As the engine takes it.
FITTED = engine.Curve(CURVE)


def relevance(ranked: Sequence[Evidence | Told], searched: int = 1, curve: Curve = CURVE) -> list[float]:
    """Relevance of ranked hits, best first, in their order; `searched`: among how many memories they were found."""
    return engine.relevance(ranked, searched, engine.Curve(curve))
