"""When was an entry saved? ISO 8601 text <-> instant, keeping the text."""

from __future__ import annotations

import re
from datetime import MAXYEAR, MINYEAR, datetime, timezone, tzinfo

from omoide.memory import written_times


def read(text: str, zone: tzinfo) -> datetime:
    """The instant; without an offset it is in `zone`. Raises ValueError, also at the ends of the calendar."""
    moment = written_times.read(text.strip())
    if not MINYEAR < moment.year < MAXYEAR:
        raise ValueError("no room for other offsets")
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def keep(text: str, zone: tzinfo) -> str:
    """The text itself where it has an offset, else with the offset of `zone`. Raises ValueError."""
    with_offset = read(text, zone).isoformat()
    return text.strip() if re.search(r"([zZ]|[+-]\d{2}:?\d{2})$", text.strip()[10:]) else with_offset


def names(text: str, moment: datetime) -> bool:
    """Whether the text says, with an offset, this very instant."""
    try:
        return read(text, moment.tzinfo or timezone.utc) == moment and keep(text, timezone.utc) == text
    except ValueError:
        return False
