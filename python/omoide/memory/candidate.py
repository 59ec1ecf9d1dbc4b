"""A found memory on its way into an answer: what is not shown in the end is never explained.

Useful for: ordering and cutting what was found (boost.py). Not useful for: callers; they get a Hit.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from omoide.model.memory import Memory


class Candidate(NamedTuple):
    """`place`: among what was found; `dates`: those of the query that the memory is of; `alike`: ids of memories that say the
    same."""

    place: int
    memory: Memory
    relevance: float
    score: float
    dates: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()


#: What `_make` does, without a call of Python each: of a tuple of all fields.
candidate_of = partial(tuple.__new__, Candidate)
