"""Which time does ISO 8601 text say? The same on every Python that is supported.

Useful for: times that programs write, in files and in arguments. Not useful for: what people say (dates/).
Invariant: a time without an offset stays without.
"""

from __future__ import annotations

import re
from datetime import datetime

_TRAILING_Z = re.compile(r"[zZ]$")
_FRACTION = re.compile(r"(:\d{2})[.,](\d+)")


def read(text: str) -> datetime:
    """The time; of a fraction of a second six digits count. Raises ValueError."""
    # Six digits of fraction and `+00:00` are what every supported Python reads.
    with_offset = _TRAILING_Z.sub("+00:00", text)
    return datetime.fromisoformat(_FRACTION.sub(lambda match: f"{match[1]}.{match[2]:0<6.6}", with_offset))
