"""The time at which an entry was saved: ISO 8601 text <-> instant, keeping the text."""

from __future__ import annotations

import re
from datetime import MAXYEAR, MINYEAR, datetime, timezone, tzinfo

from omoide.memory import written_times
from omoide.model.local_time import local

_FRACTION = re.compile(r"(:\d\d|[Tt]\d{6})[.,]\d")


def read(text: str, zone: tzinfo) -> datetime:
    """The instant of the text; without an offset, it is in `zone`. Raises ValueError, also beyond the calendar's ends."""
    moment = written_times.read(text.strip())
    if not MINYEAR < moment.year < MAXYEAR:
        raise ValueError("no room for other offsets")
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def with_fraction(text: str, zone: tzinfo) -> datetime | None:
    """The instant of a text with a fraction of a second, as entries are shown with; None for any other text."""
    try:
        return read(text, zone) if _FRACTION.search(text) else None
    except ValueError:
        return None


def zone_of(moment: datetime, zone: tzinfo) -> tzinfo:
    """The zone of the days around an aware moment: `zone` if that has its offset then, so that days later have the offset they have
    there, as in summer time; else the moment's own."""
    here = local(moment, zone)
    return zone if moment.tzinfo is None or here.utcoffset() == moment.utcoffset() else moment.tzinfo


def keep(text: str, zone: tzinfo) -> str:
    """The text itself if it has an offset, else with the offset of `zone`. Raises ValueError."""
    with_offset = read(text, zone).isoformat()
    return text.strip() if re.search(r"([zZ]|[+-]\d{2}:?\d{2})$", text.strip()[10:]) else with_offset


def names(text: str, moment: datetime) -> bool:
    """Whether the text has an offset and means exactly this instant."""
    try:
        return read(text, moment.tzinfo or timezone.utc) == moment and keep(text, timezone.utc) == text
    except ValueError:
        return False
