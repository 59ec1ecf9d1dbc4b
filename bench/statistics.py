"""How certain is a mean, and are predicted probabilities calibrated? Pure functions.

`interval`: percentile bootstrap (Efron 1979), seeded. `expected_calibration_error`: mean distance between
predictions and outcomes, over equally wide bins, weighted by their size (Naeini and others 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from statistics import fmean

RESAMPLES = 1000
#: The share of the resamples' means that an interval contains.
INSIDE = 0.95
BINS = 10

#: A predicted probability in 0..1, and whether it came true.
Promise = tuple[float, bool]


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The interval that contains the mean of a resample with probability INSIDE; of a single value it has no width."""
    dice = Random(len(values))
    means = sorted(fmean(dice.choices(values, k=len(values))) for _ in range(RESAMPLES))
    outside = round(RESAMPLES * (1.0 - INSIDE) / 2.0)
    return means[outside], means[RESAMPLES - 1 - outside]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    # Rounded first: 0.07 of 100 values is a little more than 7 in binary.
    return ordered[max(0, ceil(round(share * len(ordered), 6)) - 1)]


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of similar size: how many, their mean, and the share that came true."""

    count: int
    promised: float
    came: float


def bins(promises: Sequence[Promise]) -> list[Bin]:
    """The bins that are not empty, by rising prediction."""
    by_bin: list[list[Promise]] = [[] for _ in range(BINS)]
    for promise in promises:
        by_bin[min(BINS - 1, int(promise[0] * BINS))].append(promise)
    return [
        Bin(len(each), fmean(promised for promised, _ in each), fmean(came for _, came in each))
        for each in by_bin
        if each
    ]


def expected_calibration_error(promises: Sequence[Promise]) -> float:
    """See the module; 0 is perfect."""
    return sum(each.count * abs(each.promised - each.came) for each in bins(promises)) / len(promises)


def separation(higher: Sequence[float], lower: Sequence[float]) -> float:
    """The probability that one of `higher` exceeds one of `lower`, ties counting half: the area under the ROC curve."""
    pairs = ((a > b) + 0.5 * (a == b) for a in higher for b in lower)
    return sum(pairs) / (len(higher) * len(lower))
