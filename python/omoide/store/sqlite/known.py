"""What does a scope know? Entities and relations as a process that is pinned to one sees them, in SQL.

Useful for: telling it of one or of thousands in one statement. Not useful for: memories, which the index filters.
Invariant: what these find, `memory/sight.py` sees, one thing at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from omoide.model.memory import LIVE as LIVE_STATUSES
from omoide.model.scope import covers
from omoide.store.protocol import KnownIn
from omoide.store.sqlite.values import micros

#: Of a memory `m`.
LIVE = f"m.status IN ({', '.join(repr(status.value) for status in LIVE_STATUSES)})"
#: Of a memory `m`; with an instant, twice.
VALID = "(m.valid_from IS NULL OR m.valid_from <= ?) AND (m.valid_until IS NULL OR m.valid_until > ?)"

#: Of an entity `e`; with `values`.
ENTITY = f"""(
    (e.home <> '' AND covers(?, e.home))
    OR EXISTS (SELECT 1 FROM memories m WHERE m.id = e.memory_id AND covers(?, m.scope))
    OR EXISTS (
        SELECT 1 FROM memory_entities me JOIN memories m ON m.number = me.memory
        WHERE me.entity = e.number AND {LIVE} AND {VALID} AND covers(?, m.scope)
    )
)"""


def values(known_in: KnownIn) -> tuple[Any, ...]:
    """Of ENTITY."""
    scope, at = known_in.scope, micros("at", known_in.at)
    return scope, scope, at, at, scope


def _end(end: str) -> str:
    return f"""CASE r.{end}_kind
        WHEN 'memory' THEN EXISTS (SELECT 1 FROM memories m WHERE m.id = r.{end}_id AND covers(?, m.scope))
        ELSE r.{end}_id IN (SELECT id FROM known)
    END"""


#: How many relations there are; with `values_of_relations`.
RELATIONS = f"""
    WITH known (id) AS (SELECT e.id FROM entities e WHERE {ENTITY})
    SELECT count(*) FROM relations r
    WHERE (r.home = '' OR covers(?, r.home)) AND {_end("source")} AND {_end("target")}
"""


def values_of_relations(known_in: KnownIn) -> tuple[Any, ...]:
    """Of RELATIONS."""
    return (*values(known_in), known_in.scope, known_in.scope, known_in.scope)


#: What this needs in SQL: name -> (how many arguments, function). There are fewer scopes than rows.
FUNCTIONS: Mapping[str, tuple[int, Callable[..., bool]]] = {
    "covers": (2, lru_cache(maxsize=4096)(covers)),
}
