"""What a rule returns: a part of a date, where it ends, and how certain it is.

Useful for: the rules of this package. Not useful for: whole dates.
Invariant: values only.
"""

from __future__ import annotations

from typing import NamedTuple

from omoide.dates.frame import Frame
from omoide.dates.model import About, Order

#: Certainty of a part: 2 = certainly a date, 1 = one beside another part, 0 = a bare number or an everyday word, -1 = never, whatever
#: stands beside it.
SURE, LIKELY, WEAK, DOUBTFUL = 2, 1, 0, -1


class Chunk(NamedTuple):
    """The part or parts, where the next token is, how certain, and whether they depend on the reference."""

    frame: Frame
    stop: int
    sure: int = SURE
    relative: bool = False


class Reading(NamedTuple):
    """How to read a text: the order of digits, whether Han words are Japanese, whether the text is one whole argument, and
    what it is about, if known: "within 3 days" are the last ones of the past. `april`: a fiscal year begins in April, as in
    Japanese and, unless the text is Chinese, for callers in Japan's zone. `this_year`: the present one, for a whole argument."""

    order: Order = "month_first"
    japanese: bool = False
    whole: bool = False
    about: About | None = None
    april: bool = False
    this_year: int = 0

    @property
    def window_sign(self) -> int:
        """The side of now that a length without a direction lies on: -1 before, else 1 after."""
        return -1 if self.about == "past" else 1
