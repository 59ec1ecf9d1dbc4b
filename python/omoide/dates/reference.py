"""What dates are relative to.

Useful for: resolving dates. Not useful for: reading text.
Invariant: the reference instant is aware and in the zone that days are counted in.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, tzinfo
from typing import NamedTuple


class Reference(NamedTuple):
    """The present instant; `now` is in `zone`."""

    now: datetime
    zone: tzinfo
    week_starts: int = 0

    @property
    def today(self) -> date:
        """The civil day of the reference in its zone."""
        return self.now.date()

    @property
    def in_japan(self) -> bool:
        """Whether the caller is in Japan, as far as the zone tells."""
        return self.now.utcoffset() == timedelta(hours=9)

    def midnight(self, day: date) -> datetime:
        """The instant at which the day begins in the zone."""
        return datetime.combine(day, time(), self.zone)


class Aim(NamedTuple):
    """Which of several possible dates is meant: the latest begun by `day` (sign -1), or the first from `day` on (+1)."""

    day: date
    sign: int = -1
