"""One number in 0..1 a caller can hold a threshold against: how surely a hit is about the query.

Made from what the engine measured (model/query.py, Evidence). By words: `coverage`, the share of the query's rarity (idf
mass) that the memory matches with the turns around it. What is enough falls with the length of the query, and more so where
it is of several sentences: a memory is about one of them. It is never less than what texts of the store match by chance.
By vectors that know meaning: how far the cosine is beyond those of the store's texts, whatever the model's are like; the
odds of both are added up (log odds). And by how the hit stands beside the best one: what is far behind is what any memory
of the store would be. Never rises down the list: a hit cannot be called more relevant than one ranked above it.

The constants of `CURVE` were chosen on labelled sets in three languages, by grid; `python -m bench relevance` tells what they
are worth there, and what a fit to one half of the questions is worth on the other (docs/benchmarks.md, "Relevance").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from omoide.model.query import Evidence

#: Shares below this are rounding, not evidence.
NOISE = 1e-3
#: No odds are longer.
SUREST = 5.0
#: What a memory is worth that only the graph leads to.
GRAPH_ALONE = 0.2


@dataclass(frozen=True, slots=True)
class Curve:
    """From evidence to relevance. Where a memory is as likely relevant as not: `one_word`, divided by the query's words to
    the power `by_words` and by its sentences to the power `by_sentences`, is the coverage then, yet at least `beyond`
    standard deviations beyond the usual, and at most `most`."""

    one_word: float = 1.3
    by_words: float = 0.8
    by_sentences: float = 0.4
    beyond: float = 2.4
    most: float = 0.4
    steepness: float = 13.0
    #: Of vectors that know no meaning: strangers share letters, and likeness alone is weaker evidence than words.
    half_spelling: float = 0.6
    spelling_share: float = 0.8
    #: Of those that do: the odds by words count so much, those by meaning so much for each standard deviation beyond this.
    words_share: float = 0.7
    meaning_share: float = 2.1
    beyond_meaning: float = 1.2
    #: A hit with this share of the best one's score stands halfway; how it stands matters the more, the weaker its evidence.
    half_standing: float = 0.6
    standing_steepness: float = 6.0
    standing_weight: float = 0.25


CURVE = Curve()


def relevance(ranked: Sequence[Evidence], curve: Curve = CURVE) -> list[float]:
    """Relevance of ranked hits, best first, in their order."""
    return monotone([_raw(each, curve) for each in ranked])


def _raw(evidence: Evidence, curve: Curve) -> float:
    sure = max(_sure(evidence, curve), GRAPH_ALONE if evidence.graph else 0.0)
    best = 1.0 + curve.half_standing**curve.standing_steepness
    # Nothing is taken from the best hit itself.
    standing = best * _saturating(evidence.standing, curve.half_standing, curve.standing_steepness)
    return sure * float(standing ** (curve.standing_weight * (1.0 - sure)))


def _sure(evidence: Evidence, curve: Curve) -> float:
    if evidence.coverage >= 1.0:
        return 1.0
    words = _saturating(evidence.coverage, enough(evidence, curve), curve.steepness)
    if evidence.usual_cosine is None:
        return max(words, curve.spelling_share * _saturating(evidence.cosine, curve.half_spelling, curve.steepness))
    mean, spread = evidence.usual_cosine
    beyond = (evidence.cosine - mean) / max(spread, NOISE)
    odds = curve.words_share * _log_odds(words) + curve.meaning_share * (beyond - curve.beyond_meaning)
    return 1.0 / (1.0 + exp(-max(-SUREST, min(SUREST, odds))))


def enough(evidence: Evidence, curve: Curve = CURVE) -> float:
    """The coverage at which a memory is as likely relevant as not."""
    length = float(max(evidence.words, 1) ** curve.by_words * max(evidence.sentences, 1) ** curve.by_sentences)
    mean, spread = evidence.usual_coverage
    return min(curve.most, max(curve.one_word / length, mean + curve.beyond * spread))


def _log_odds(share: float) -> float:
    share = max(share, NOISE)
    return max(-SUREST, min(SUREST, log(share / (1.0 - share)))) if share < 1.0 else SUREST


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
