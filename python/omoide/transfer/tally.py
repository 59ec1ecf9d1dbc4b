"""The result of an import: counts of rows by noun and outcome, and the rows that could not be used, or not wholly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from omoide.transfer.reasons import BadRow

Outcome = Literal["added", "updated", "unchanged"]
OUTCOMES: tuple[Outcome, ...] = ("added", "updated", "unchanged")


@dataclass(frozen=True, slots=True)
class StoredRow:
    """The noun of a row, and its outcome."""

    noun: str
    outcome: Outcome


RowResult = StoredRow | BadRow


@dataclass(slots=True)
class Tally:
    """Counts of committed rows, and the rows that could not be used, or not wholly: these are counted too, and one of which several
    things could not be used is among the `bad` several times."""

    counts: dict[str, dict[Outcome, int]] = field(default_factory=dict)
    bad: list[BadRow] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many rows so far."""
        return self.unused + sum(sum(counts.values()) for counts in self.counts.values())

    @property
    def unused(self) -> int:
        """How many rows could not be used at all."""
        return sum(not each.partly for each in self.bad)

    @property
    def partly_used(self) -> int:
        """How many rows are stored without something that could not be used."""
        return len({each.place for each in self.bad if each.partly})

    def add(self, result: RowResult) -> None:
        """Count one row."""
        if isinstance(result, BadRow):
            self.bad.append(result)
            return
        row = self.counts.setdefault(result.noun, dict.fromkeys(OUTCOMES, 0))
        row[result.outcome] += 1

    def count(self, noun: str, outcome: Outcome) -> int:
        """How many of `noun` had that outcome."""
        return self.counts.get(noun, {}).get(outcome, 0)
