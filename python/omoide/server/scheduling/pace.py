"""How long calls of each tool have been taking lately: which need no thread of their own.

Useful for: the desk. Not useful for: limits; one slow call among quick ones is let through.
Invariant: a tool is quick only once its calls have been; how long they wait for the network or the disk counts.
"""

from __future__ import annotations

import math

#: Others on the same loop can wait so long.
QUICK_SECONDS = 0.01
#: A call that would have had to wait counts as one of so long...
WAITS_SECONDS = 2 * QUICK_SECONDS
#: ...and the last of so many make up half of the mean.
REMEMBERED = 6


class Pace:
    """Safe from any thread: a measurement that gets lost to another is no matter."""

    def __init__(self) -> None:
        self._mean: dict[str, float] = {}

    def is_quick(self, tool: str) -> bool:
        """Whether its next call is likely to be."""
        return self._mean.get(tool, math.inf) < QUICK_SECONDS

    def took(self, tool: str, seconds: float) -> None:
        """A call is over."""
        mean = self._mean.get(tool, seconds)
        self._mean[tool] = mean + (seconds - mean) * _NEW

    def would_wait(self, tool: str) -> None:
        """A call has been given up, to be begun anew where it may wait."""
        self.took(tool, WAITS_SECONDS)


#: What a call adds to an exponential mean of that half-life.
_NEW = 1 - 0.5 ** (1 / REMEMBERED)
