"""From where is a date counted?

Useful for: everything that resolves. Not useful for: reading text.
Invariant: the reference instant is aware and in the zone that days are counted in.
"""

from __future__ import annotations

from datetime import date, datetime, time, tzinfo
from typing import NamedTuple


class Reference(NamedTuple):
    """The instant the words are read at; `now` is in `zone`."""

    now: datetime
    zone: tzinfo
    week_starts: int = 0

    @property
    def today(self) -> date:
        """The civil day of the reference in its zone."""
        return self.now.date()

    def midnight(self, day: date) -> datetime:
        """The instant at which the day begins in the zone."""
        return datetime.combine(day, time(), self.zone)


class Aim(NamedTuple):
    """Which of many: the latest begun by `day` (sign -1) or the first from `day` on (sign +1)."""

    day: date
    sign: int = -1
