"""What one rule reads: a part of a date, how far it goes, and how sure it is.

Useful for: the rules of this package. Not useful for: whole dates.
Invariant: values only.
"""

from __future__ import annotations

from typing import NamedTuple

from omoide.dates.frame import Frame
from omoide.dates.model import Order

#: Certainty of a part: 2 = surely a date, 1 = one beside another part, 0 = a bare number or an everyday word.
SURE, LIKELY, WEAK = 2, 1, 0


class Chunk(NamedTuple):
    """What was said, where the next token is, how sure, and whether it depends on the reference."""

    frame: Frame
    stop: int
    sure: int = SURE
    relative: bool = False


class Reading(NamedTuple):
    """What holds for a whole text: how digits are ordered, whether its Han words are Japanese, whether it is all there is, and
    whether "within 3 days" are the last ones."""

    order: Order = "month_first"
    japanese: bool = False
    whole: bool = False
    looks_back: bool = False
