"""A found memory on its way into an answer: what is not shown in the end is never explained.

Useful for: ordering and cutting what was found (boost.py). Not useful for: callers; they get a Hit.
"""

from __future__ import annotations

from typing import NamedTuple

from omoide.engine import FoundHit
from omoide.model.memory import Memory


class Candidate(NamedTuple):
    """`dates`: those of the query that the memory is of; `alike`: ids of memories that say the same."""

    found: FoundHit
    memory: Memory
    relevance: float
    score: float
    dates: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
