"""How much is stored and in which state, as plain JSON values for people, dashboards and health checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omoide.engine import IndexState, ReindexState
from omoide.store.protocol import Counts


def describe(counts: Counts, state: IndexState) -> Mapping[str, Any]:
    """Counts of the store, and the state of index, analyser and embedder."""
    return {
        "memories": counts.memories,
        "entities": counts.entities,
        "relations": counts.relations,
        "threads": counts.threads,
        "reminders": counts.reminders,
        "by_category": counts.by_category,
        "by_scope": counts.by_scope,
        "index": _index(state),
        "analyzer": state.analyzer,
        "embedder": _embedder(state),
    }


def _embedder(state: IndexState) -> Mapping[str, Any]:
    """The embedder; `waiting` counts memories without vectors yet, which are found by their words only."""
    return {
        "name": state.embedder,
        "semantic": state.semantic,
        "waiting": state.filling.waiting,
        "seconds_left": state.filling.seconds_left,
        "missing": state.missing or state.filling.error,
    }


def _index(state: IndexState) -> Mapping[str, Any]:
    return {
        "applied": state.applied,
        "behind": state.newest - state.applied,
        "documents": state.stats.documents,
        "nodes": state.stats.nodes,
        "edges": state.stats.edges,
        "mentions": state.stats.mentions,
        "to_be_read_again": state.stats.waiting,
        "terms": state.stats.terms,
        "bytes": dict(state.stats.bytes),
        "vector_storage": state.storage,
        "reindexing": None if state.reindexing is None else _reindexing(state.reindexing),
    }


def _reindexing(state: ReindexState) -> Mapping[str, Any]:
    """The new build for another analyser or embedder, while the present one answers."""
    return {
        "done": state.applied,
        "of": state.newest,
        "seconds_left": state.seconds_left,
        "analyzer": state.analyzer,
        "embedder": state.embedder,
        "error": state.error,
    }
