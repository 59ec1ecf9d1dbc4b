"""Reads times in ISO 8601, in the same way on every supported version of Python.

Useful for: times that programs write, in files and in arguments. Not useful for: what people say (dates/).
Invariant: a time without an offset stays without one.
"""

from __future__ import annotations

import re
from datetime import datetime

_TRAILING_Z = re.compile(r"[zZ]$")
_FRACTION = re.compile(r"(:\d{2})[.,](\d+)")


def read(text: str) -> datetime:
    """The time in the text; digits of a second's fraction after the sixth are dropped. Raises ValueError."""
    # Every supported Python reads six digits of fraction and `+00:00`.
    with_offset = _TRAILING_Z.sub("+00:00", text)
    return datetime.fromisoformat(_FRACTION.sub(lambda match: f"{match[1]}.{match[2]:0<6.6}", with_offset))
