"""The result of an import: counts of rows by noun and outcome, and the rows that could not be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from omoide.transfer.lines import Bad

Outcome = Literal["added", "updated", "unchanged"]
OUTCOMES: tuple[Outcome, ...] = ("added", "updated", "unchanged")


@dataclass(frozen=True, slots=True)
class Done:
    """The noun of a row, and its outcome."""

    noun: str
    outcome: Outcome


Fate = Done | Bad


@dataclass(slots=True)
class Tally:
    """Counts of committed rows, and the rows that could not be used."""

    counts: dict[str, dict[Outcome, int]] = field(default_factory=dict)
    bad: list[Bad] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many rows so far."""
        return len(self.bad) + sum(sum(counts.values()) for counts in self.counts.values())

    def add(self, fate: Fate) -> None:
        """Count one row."""
        if isinstance(fate, Bad):
            self.bad.append(fate)
            return
        row = self.counts.setdefault(fate.noun, dict.fromkeys(OUTCOMES, 0))
        row[fate.outcome] += 1

    def count(self, noun: str, outcome: Outcome) -> int:
        """How many of `noun` had that outcome."""
        return self.counts.get(noun, {}).get(outcome, 0)
