"""SQL conditions for the entities and relations that a process pinned to a scope may see.

Useful for: deciding for one or for thousands in one statement. Not useful for: memories, which the index filters.
Invariant: the conditions agree with `memory/visibility.py`, which decides for single things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from omoide.model.memory import LIVE as LIVE_STATUSES
from omoide.model.scope import covers
from omoide.store.protocol import KnownIn
from omoide.store.sqlite.values import micros

#: A memory `m` is live.
LIVE = f"m.status IN ({', '.join(repr(status.value) for status in LIVE_STATUSES)})"
#: A memory `m` is valid at an instant, which is bound twice.
VALID = "(m.valid_from IS NULL OR m.valid_from <= ?) AND (m.valid_until IS NULL OR m.valid_until > ?)"

#: An entity `e` is known in the scope; bind `values`.
ENTITY = f"""(
    (e.home <> '' AND covers(?, e.home))
    OR EXISTS (SELECT 1 FROM memories m WHERE m.id = e.memory_id AND covers(?, m.scope))
    OR EXISTS (
        SELECT 1 FROM memory_entities me JOIN memories m ON m.number = me.memory
        WHERE me.entity = e.number AND {LIVE} AND {VALID} AND covers(?, m.scope)
    )
)"""


def values(known_in: KnownIn) -> tuple[Any, ...]:
    """The values to bind to ENTITY."""
    scope, at = known_in.scope, micros("at", known_in.at)
    return scope, scope, at, at, scope


def _end(end: str) -> str:
    return f"""CASE r.{end}_kind
        WHEN 'memory' THEN EXISTS (SELECT 1 FROM memories m WHERE m.id = r.{end}_id AND covers(?, m.scope))
        ELSE r.{end}_id IN (SELECT id FROM known)
    END"""


#: Counts the relations that the scope may see; bind `values_of_relations`.
RELATIONS = f"""
    WITH known (id) AS (SELECT e.id FROM entities e WHERE {ENTITY})
    SELECT count(*) FROM relations r
    WHERE (r.home = '' OR covers(?, r.home)) AND {_end("source")} AND {_end("target")}
"""


#: The relation `r` leads to an entity `e`, or else a memory `t`, that the scope may see; bind `values_of_end`.
RELATED = f"(r.home = '' OR covers(?, r.home)) AND CASE WHEN e.id IS NULL THEN covers(?, t.scope) ELSE {ENTITY} END"


def values_of_end(known_in: KnownIn) -> tuple[Any, ...]:
    """The values to bind to RELATED."""
    return known_in.scope, known_in.scope, *values(known_in)


def values_of_relations(known_in: KnownIn) -> tuple[Any, ...]:
    """The values to bind to RELATIONS."""
    return (*values(known_in), known_in.scope, known_in.scope, known_in.scope)


#: SQL functions that these conditions need: name -> (number of arguments, function). Cached: there are few scopes.
FUNCTIONS: Mapping[str, tuple[int, Callable[..., bool]]] = {
    "covers": (2, lru_cache(maxsize=4096)(covers)),
}
