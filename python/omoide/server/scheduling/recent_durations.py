"""How long the calls of each tool have taken lately: quick ones need no worker thread.

Useful for: the dispatcher. Not useful for: limits; one slow call among quick ones is let through.
Invariant: a tool counts as quick only after its calls were; time spent waiting for the network or the disk counts.
"""

from __future__ import annotations

import math

#: The mean below which a tool is quick: other calls on the same loop can wait this long.
QUICK_SECONDS = 0.01
#: A call that would have had to wait counts as one of this length.
WAITS_SECONDS = 2 * QUICK_SECONDS
#: The latest so many calls make up half of the mean.
REMEMBERED = 6


class RecentDurations:
    """Safe from any thread: of two measurements at the same moment one may be lost, which does no harm."""

    def __init__(self) -> None:
        self._mean: dict[str, float] = {}

    def is_quick(self, tool: str) -> bool:
        """Whether the next call of the tool is likely to be quick."""
        return self._mean.get(tool, math.inf) < QUICK_SECONDS

    def took(self, tool: str, seconds: float) -> None:
        """Note how long a call has taken."""
        mean = self._mean.get(tool, seconds)
        self._mean[tool] = mean + (seconds - mean) * _NEW

    def would_wait(self, tool: str) -> None:
        """Note that a call would have had to wait, and begins anew in a worker thread."""
        self.took(tool, WAITS_SECONDS)


#: The weight of a new call in an exponential mean of that half-life.
_NEW = 1 - 0.5 ** (1 / REMEMBERED)
