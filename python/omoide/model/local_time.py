"""Converts instants to the local time of a zone.

Useful for: days and times that are shown or compared in somebody's zone. Not useful for: instants, which need no zone.
Invariant: works for every time that can be stored. The calendar's first and last hours, which some zones cannot express, stay
in UTC: programs write 0001-01-01 for an unknown time, and 9999-12-31 for no end.
"""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo


def local(moment: datetime, zone: tzinfo) -> datetime:
    """The aware datetime in the zone, or in UTC where the zone cannot express it."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.astimezone(timezone.utc)
