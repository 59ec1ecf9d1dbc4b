"""Did a change lose answers that were found before? Compares two runs question by question.

A run is what `bench retrieval --json` writes. A question is better or worse by its recall@10; the gate fails if the losses
of a set outweigh its gains by more than chance would explain (one-sided sign test) or its mean falls by `TOLERATED`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import comb
from pathlib import Path
from typing import Any

from bench.metrics import Relevant, recall_at

#: A fall of the mean that is never tolerated, and the probability below which losses are not taken for chance.
TOLERATED = 0.02
CHANCE = 0.05
#: How many questions of each set are shown.
SHOWN = 10

Run = Sequence[Mapping[str, Any]]


def compare(run: Run, before: Path) -> int:
    """Print what changed since the run stored in `before`; 1 if it got worse, 2 if nothing can be compared."""
    earlier = {each["set"]: each for each in json.loads(before.read_text(encoding="utf-8"))}
    both = [(earlier[each["set"]], each) for each in run if each["set"] in earlier]
    if not both:
        print(f"{before} has none of the sets of this run")
        return 2
    verdicts = [_verdict(*each) for each in both]
    return int(any(verdicts))


def _verdict(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    # Labels come from the present data: a stored run has only rankings.
    relevant = {each["id"]: frozenset(each["relevant"]) for each in after["questions"] if each["relevant"]}
    old, new = _shares(before, relevant), _shares(after, relevant)
    changed = {id: new[id] - old[id] for id in new if id in old and new[id] != old[id]}
    lost, won = (
        [id for id, change in changed.items() if change < 0],
        [id for id, change in changed.items() if change > 0],
    )
    fall = -sum(changed.values()) / max(len(new), 1)
    worse = fall > TOLERATED or (fall > 0 and by_chance(len(lost), len(won)) < CHANCE)
    print(
        f"{after['set']}: {len(won)} better, {len(lost)} worse, recall@10 {0.0 - fall:+.4f}{' FAILED' if worse else ''}"
    )
    for id in sorted(lost, key=changed.__getitem__)[:SHOWN]:
        print(f"  {id}: {old[id]:.2f} -> {new[id]:.2f}")
    return worse


def _shares(run: Mapping[str, Any], relevant: Mapping[str, Relevant]) -> dict[str, float]:
    asked = (each for each in run["questions"] if each["id"] in relevant)
    return {each["id"]: recall_at(10, each["ranking"], relevant[each["id"]]) for each in asked}


def by_chance(lost: int, won: int) -> float:
    """The probability of at least so many losses among the changes, if gains and losses were equally likely."""
    changed = lost + won
    return float(sum(comb(changed, count) for count in range(lost, changed + 1)) / 2**changed)
