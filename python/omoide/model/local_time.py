"""What do the clocks of a zone show at an instant?

Useful for: days and times that are shown or compared in somebody's zone. Not useful for: instants, which need none.
Invariant: whatever can be stored has one. In the calendar's first and last hours, which are beyond it in some zones, it is UTC's:
programs write 0001-01-01 where they know no time, and 9999-12-31 for what does not end.
"""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo


def local(moment: datetime, zone: tzinfo) -> datetime:
    """An aware instant in the zone."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.astimezone(timezone.utc)
