"""Checks of references between rows that SQLite does not enforce, and how each is mended.

Useful for: `omoide doctor`. Not useful for: a damaged file (salvage.py). Invariant: mending removes no memory and no entity;
what it changes is noted as a change, so that every index follows.
"""

from __future__ import annotations

from omoide.store.sqlite.check import Check, note
from omoide.store.sqlite.damaged_values import spoilt_texts

_NO_END = """(source_kind = 'memory' AND source_id NOT IN (SELECT id FROM memories))
    OR (source_kind = 'entity' AND source_id NOT IN (SELECT id FROM entities))
    OR (target_kind = 'memory' AND target_id NOT IN (SELECT id FROM memories))
    OR (target_kind = 'entity' AND target_id NOT IN (SELECT id FROM entities))"""
_NO_MEMORY = "memory_id IS NOT NULL AND memory_id NOT IN (SELECT id FROM memories)"
#: False for texts that are none, which SQLite cannot pass to a function; another check finds them.
_NO_NAME = f"""CASE WHEN {spoilt_texts("entities")} THEN 0 ELSE
    NOT EXISTS (SELECT 1 FROM entity_names WHERE entity = entities.number AND name_folded = fold_case(name)) END"""
#: Nothing for lists that cannot be read, which another check finds. Of a text with \0, SQLite reads only what is before that.
_ALIASES = """json_each(CASE WHEN NOT is_legible(CAST(entities.aliases AS BLOB)) OR instr(entities.aliases, '\\u0000') THEN '[]'
    WHEN json_valid(entities.aliases) THEN entities.aliases ELSE '[]' END) alias"""
_IS_NO_NAME = """alias.type = 'text'
    AND NOT EXISTS (SELECT 1 FROM entity_names WHERE entity = entities.number AND name_folded = fold_case(alias.value))"""
_NO_ALIAS = f"EXISTS (SELECT 1 FROM {_ALIASES} WHERE {_IS_NO_NAME})"
_ADDED_ALIASES = f"SELECT fold_case(alias.value), number FROM entities, {_ALIASES} WHERE {_IS_NO_NAME}"
_LOOSE = "memory NOT IN (SELECT number FROM memories) OR entity NOT IN (SELECT number FROM entities)"


def _unnoted(kind: str, table: str) -> Check:
    where = f"NOT EXISTS (SELECT 1 FROM changes WHERE kind = '{kind}' AND changes.number = {table}.number)"
    return Check(f"{table} that no index will follow", table, where, (note(kind, table, where),))


CHECKS = (
    Check(
        "memories attached to missing rows", "memory_entities", _LOOSE, (f"DELETE FROM memory_entities WHERE {_LOOSE}",)
    ),
    Check(
        "names of missing entities",
        "entity_names",
        "entity NOT IN (SELECT number FROM entities)",
        ("DELETE FROM entity_names WHERE entity NOT IN (SELECT number FROM entities)",),
    ),
    Check(
        "entities without their name",
        "entities",
        _NO_NAME,
        (f"INSERT OR IGNORE INTO entity_names SELECT fold_case(name), number FROM entities WHERE {_NO_NAME}",),
    ),
    Check(
        "entities without an alias of theirs",
        "entities",
        _NO_ALIAS,
        (f"INSERT OR IGNORE INTO entity_names {_ADDED_ALIASES}",),
    ),
    Check(
        "relations with a missing end",
        "relations",
        _NO_END,
        (note("relation", "relations", _NO_END), f"DELETE FROM relations WHERE {_NO_END}"),
    ),
    Check(
        "relations read from a missing memory",
        "relations",
        _NO_MEMORY,
        (note("relation", "relations", _NO_MEMORY), f"UPDATE relations SET memory_id = NULL WHERE {_NO_MEMORY}"),
    ),
    Check(
        "nodes of a missing memory",
        "entities",
        _NO_MEMORY,
        (note("entity", "entities", _NO_MEMORY), f"UPDATE entities SET memory_id = NULL WHERE {_NO_MEMORY}"),
    ),
    _unnoted("memory", "memories"),
    _unnoted("entity", "entities"),
    _unnoted("relation", "relations"),
)
