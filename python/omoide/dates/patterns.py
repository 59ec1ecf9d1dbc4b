"""Compiles a regular expression when a text first asks for it.

Useful for: the grammar, as compiling all of its patterns takes longer than the rest of the first reading of a date, and most
texts ask for few. Not useful for: a pattern that every text needs.
"""

from __future__ import annotations

import re
from functools import cache


@cache
def pattern(written: str) -> re.Pattern[str]:
    """The compiled pattern."""
    return re.compile(written)
