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
from bench.published import as_published, text_of

#: A fall of the mean that is never tolerated, and the probability below which losses are not taken for chance.
TOLERATED = 0.02
CHANCE = 0.05
#: How many questions of each set are shown.
SHOWN = 10

Run = Sequence[Mapping[str, Any]]


def stored(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """The sets of the run in a file, by name. Raises BadSet: it is no run."""
    with as_published(str(path)):
        sets = {text_of(each, "set"): each for each in json.loads(path.read_text(encoding="utf-8"))}
        for name, each in sets.items():
            for number, question in enumerate(each["questions"], 1):
                with as_published(f"{path}: {name}, question {number}"):
                    text_of(question, "id")
                    iter(question["ranking"])
    return sets


def compare(run: Run, before: Path) -> int:
    """Print what changed since the run stored in `before`; 1 if it got worse, 2 if a set of both has no question in common, or there
    is no such set. Raises BadSet."""
    earlier = stored(before)
    both = {each["set"]: _in_common(earlier[each["set"]], each) for each in run if each["set"] in earlier}
    if not both:
        print(f"{before} has none of the sets of this run")
        return 2
    verdicts = [_verdict(name, *shares) for name, shares in both.items()]
    return int(any(verdicts)) if all(new for _, new in both.values()) else 2


def _verdict(name: str, old: Mapping[str, float], new: Mapping[str, float]) -> bool:
    if not new:
        print(f"{name}: the earlier run has none of its questions")
        return False
    changed = {id: new[id] - old[id] for id in new if new[id] != old[id]}
    lost, won = (
        [id for id, change in changed.items() if change < 0],
        [id for id, change in changed.items() if change > 0],
    )
    fall = -sum(changed.values()) / len(new)
    worse = fall > TOLERATED or (fall > 0 and by_chance(len(lost), len(won)) < CHANCE)
    print(f"{name}: {len(won)} better, {len(lost)} worse, recall@10 {0.0 - fall:+.4f}{' FAILED' if worse else ''}")
    for id in sorted(lost, key=changed.__getitem__)[:SHOWN]:
        print(f"  {id}: {old[id]:.2f} -> {new[id]:.2f}")
    return worse


def _in_common(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, float]]:
    """The recall@10 of the questions that both runs asked, before and after."""
    # Labels come from the present data: a stored run has only rankings.
    relevant = {each["id"]: frozenset(each["relevant"]) for each in after["questions"] if each["relevant"]}
    old, new = _shares(before, relevant), _shares(after, relevant)
    return {id: old[id] for id in new if id in old}, {id: new[id] for id in new if id in old}


def _shares(run: Mapping[str, Any], relevant: Mapping[str, Relevant]) -> dict[str, float]:
    asked = (each for each in run["questions"] if each["id"] in relevant)
    return {each["id"]: recall_at(10, each["ranking"], relevant[each["id"]]) for each in asked}


def by_chance(lost: int, won: int) -> float:
    """The probability of at least so many losses among the changes, if gains and losses were equally likely."""
    changed = lost + won
    return float(sum(comb(changed, count) for count in range(lost, changed + 1)) / 2**changed)
