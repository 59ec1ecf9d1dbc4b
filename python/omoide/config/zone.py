"""Finds the time zone that this machine is set to.

Useful for: calendar days, if no setting names a zone. Invariant: there is always an answer.
"""

from __future__ import annotations

import os
from datetime import datetime, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def machine_zone() -> tzinfo:
    """The zone this machine is set to: TZ (a name, or a file), else /etc/localtime, else the present offset from UTC."""
    name = os.environ.get("TZ", "").removeprefix(":") or "/etc/localtime"
    try:
        return _zone_in(name) if os.path.isabs(name) else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return _present_offset()


def _zone_in(file: str) -> tzinfo:
    """The zone of a file: by name if the file is a link into the zone database; in a container it is often a copy."""
    name = os.path.realpath(file).partition("zoneinfo/")[2]
    if name:
        return ZoneInfo(name)
    with open(file, "rb") as rules:
        return ZoneInfo.from_file(rules, key=file)


def _present_offset() -> tzinfo:
    try:
        return datetime.now(timezone.utc).astimezone().tzinfo or timezone.utc
    except ValueError:  # TZ gives an offset of a day or more
        return timezone.utc
