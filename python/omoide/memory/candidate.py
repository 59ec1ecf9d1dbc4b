"""A found memory that may become a hit: only those that are shown in the end are explained.

Useful for: ordering and cutting what was found (boost.py). Not useful for: callers; they get a Hit.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from omoide.model.memory import Memory


class Candidate(NamedTuple):
    """`place`: its index in what was found; `dates`: the query's dates that the memory is of; `alike`: ids of memories that say
    the same."""

    place: int
    memory: Memory
    relevance: float
    score: float
    dates: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()


#: From a tuple of all fields, as `_make` does it but without a Python call.
candidate_of = partial(tuple.__new__, Candidate)
