"""The published schemas: those of `SearchMemory`, and the output schema of storing tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SEARCH_TOOL = "SearchMemory"

SEARCH_DESCRIPTION = """\
Search your stored memories, in any language.

search_type: basic (by words and meaning), filtered (by criteria; the query may be empty), by_memory_id (the query is \
one memory's id).

detail: compact (basics), summary (with context), graph (with what it follows and who made it), full (everything)."""

FILTER_FIELDS = (
    "session_id",
    "tool",
    "agent_id",
    "title",
    "context",
    "sequence_order",
    "memory_id",
    "timestamp",
    "preceding_memory_id",
    "archetype_title",
    "archetype_version",
    "schema_version",
)
OPERATORS = ("is", "is_not", "before", "after", "between", "contains", "any_of")
DEFAULTS: Mapping[str, Any] = {
    "limit": 3,
    "search_type": "basic",
    "filters": (),
    "detail": "summary",
    "score_threshold": 0.4,
}

_FILTER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "field": {"type": "string", "enum": list(FILTER_FIELDS), "description": "Which field to look at."},
        "operator": {
            "type": "string",
            "enum": list(OPERATORS),
            "description": "is: exactly; is_not: excludes; before, after: timestamp or sequence_order; between: a range, "
            "both ends included; contains: every word occurs; any_of: one of several.",
        },
        "value": {
            "description": "[min, max] for between, [item1, item2] for any_of, else one value. Timestamps may be ISO "
            "dates or phrases such as 'last week', 昨日, 最近30天.",
            "oneOf": [
                {"type": "string"},
                {"type": "number"},
                {"type": "array", "items": {}},
                {
                    "type": "object",
                    "properties": {"from": {}, "to": {}},
                    "required": ["from", "to"],
                    "additionalProperties": False,
                },
            ],
        },
    },
    "required": ["field", "operator", "value"],
    "additionalProperties": False,
}

SEARCH_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for, or a memory's id.", "maxLength": 1000},
        "limit": {
            "type": "integer",
            "description": "How many memories to show.",
            "default": 3,
            "minimum": 1,
            "maximum": 100,
        },
        "search_type": {
            "type": "string",
            "enum": ["basic", "filtered", "by_memory_id"],
            "description": "How to recall.",
            "default": "basic",
        },
        "filters": {"type": "array", "description": "All of them must hold.", "items": _FILTER_SCHEMA},
        "detail": {
            "type": "string",
            "enum": ["compact", "summary", "graph", "full"],
            "description": "How much of each memory to show.",
            "default": "summary",
        },
        "score_threshold": {
            "type": "number",
            "description": "Least relevance (0.0-1.0): 0.0 to explore, 0.4 and up for precise matches.",
            "default": 0.4,
            "minimum": 0.0,
            "maximum": 1.0,
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}

_TEXT_OR_NULL: Mapping[str, Any] = {"type": ["string", "null"]}
_RESULT_PROPERTIES: Mapping[str, Any] = {
    "memory_id": {"type": "string"},
    "title": {"type": "string"},
    "context": _TEXT_OR_NULL,
    "tool": _TEXT_OR_NULL,
    "session_id": _TEXT_OR_NULL,
    "score": {"type": "number"},
    "content_preview": {"type": "string"},
    "relative_time": {"type": "string"},
    "content": {"type": "string"},
    "sequence_order": {"type": ["integer", "null"]},
    "timestamp": {"type": "string"},
    "preceding_memory_id": _TEXT_OR_NULL,
    "meta.agent_id": _TEXT_OR_NULL,
    "meta.archetype_title": _TEXT_OR_NULL,
    "parameters": {"type": "object"},
    "frames": {"type": "object"},
    "meta": {"type": "object"},
}
SEARCH_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "search_results": {
            "type": "array",
            "items": {"type": "object", "properties": _RESULT_PROPERTIES, "required": ["memory_id", "title", "score"]},
        },
        "notes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["search_results"],
}
STORED_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"message": {"type": "string"}},
    "required": ["message"],
}
