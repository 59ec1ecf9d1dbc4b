"""One number in 0..1 a caller can hold a threshold against: how surely a hit is about the query.

Asked is how many texts of the store would match so well by chance. `surprise` says in nats how unlikely that is of one
text: of the query's words (whose share of the query's rarity is `coverage`) by Chernoff's bound for as many independent
words as would cover the usual share with the usual spread; where vectors know meaning, of the cosine too, by the tail of
a normal distribution known from a few texts (Grubbs 1969). What two kinds of evidence say adds up.

The best hit answers the query if it says more than chance brings among all that was searched, and the others if they
say a part of what it does. Half of the words are enough in any store. Never rises down the list: a hit cannot be called
more relevant than one ranked above it.

The constants of `CURVE` were fitted to labelled sets in three languages by `python -m bench relevance --fit`, but for
`enough`, which is chosen: of a question of two words, one is half. What they are worth, and what fits to some of the
questions and sets were worth on the others, is in docs/benchmarks.md, "Relevance".
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from omoide.model.query import Evidence

#: Shares and nats below this are rounding, not evidence; means and spreads below its square are none.
NOISE = 1e-3
#: What a memory is worth that only the graph leads to.
GRAPH_ALONE = 0.2


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


def relevance(ranked: Sequence[Evidence], searched: int = 1, curve: Curve = CURVE) -> list[float]:
    """Relevance of ranked hits, best first, in their order; `searched`: among how many memories they were found."""
    said = [surprise(each) for each in ranked]
    most = max(said, default=0.0)
    return monotone([_relevance(each, nats, most, searched, curve) for each, nats in zip(ranked, said, strict=True)])


def _relevance(evidence: Evidence, nats: float, most: float, searched: int, curve: Curve) -> float:
    if evidence.coverage >= 1.0:
        return 1.0
    kinds = 1.0 if evidence.usual_cosine is None else curve.with_meaning
    chance = kinds * max(curve.by_chance, curve.company * log(max(searched, 1) / curve.one_in))
    beside = max(kinds * curve.beside, curve.beside_best * most)
    answers = _saturating(most, chance, curve.steepness) * _saturating(nats, beside, curve.steepness)
    return max(answers, _by_itself(evidence, curve), GRAPH_ALONE if evidence.graph else 0.0)


def _by_itself(evidence: Evidence, curve: Curve) -> float:
    """What is enough in any store."""
    words = _saturating(evidence.coverage, curve.enough, curve.share_steepness)
    if evidence.usual_cosine is not None:
        return words
    return max(words, curve.spelling_share * _saturating(evidence.cosine, curve.half_spelling, curve.share_steepness))


def surprise(evidence: Evidence) -> float:
    """In nats, at least 0: see the module."""
    return max(0.0, _of_words(evidence) + _of_meaning(evidence))


def _of_words(evidence: Evidence) -> float:
    (mean, spread), share = evidence.usual_coverage, min(evidence.coverage, 1.0 - NOISE)
    if not NOISE**2 < mean < share or spread < NOISE**2:
        return 0.0
    words = mean * (1.0 - mean) / spread**2
    return words * (share * log(share / mean) + (1.0 - share) * log((1.0 - share) / (1.0 - mean)))


def _of_meaning(evidence: Evidence) -> float:
    """Below 0 where a text is less near than usual."""
    mean, spread, texts = evidence.usual_cosine or (0.0, 0.0, 0)
    if texts <= 2 or spread < NOISE**2:
        return 0.0
    beyond = (evidence.cosine - mean) / spread
    # One of so many texts cannot be further beyond their mean.
    share = min(beyond**2 / (texts - 1), 1.0 - NOISE)
    nats = -(texts - 1) / 2.0 * log(1.0 - share)
    return nats if beyond > 0.0 else -nats


def _saturating(value: float, half: float, steepness: float) -> float:
    """0 at 0, one half at `half`, towards 1 beyond."""
    return 0.0 if value < NOISE else 1.0 / (1.0 + float((half / value) ** steepness))


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
