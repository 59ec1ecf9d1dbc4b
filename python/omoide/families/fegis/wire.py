"""What does the fegis door look like from outside? Schemas, the keys of each detail, and the two texts made for people.

Useful for: anything a client of `SearchMemory` or of an archetype tool sees. Not useful for: deciding what is found.
Invariant: the keys of a detail, and their order, never vary; a value that is missing is null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from omoide.errors import InvalidArgument, OmoideError
from omoide.families.tool import Result
from omoide.model.memory import Memory
from omoide.text import first_sentence

SEARCH_TOOL = "SearchMemory"
FEGIS_VERSION = "2.0.0"
SCHEMA_VERSION = "1.0"
MAX_PREVIEW_CHARS = 150
MAX_DERIVED_TITLE_CHARS = 80

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
                {"type": "array"},
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
        }
    },
    "required": ["search_results"],
}
STORED_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"message": {"type": "string"}},
    "required": ["message"],
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory about to be shown: its score (0..1), and the instant it is seen from."""

    memory: Memory
    score: float
    now: datetime


_VALUES: Mapping[str, Callable[[Shown], Any]] = {
    "memory_id": lambda shown: shown.memory.id,
    "title": lambda shown: title_of(shown.memory),
    "context": lambda shown: shown.memory.context,
    "tool": lambda shown: shown.memory.tool,
    "session_id": lambda shown: shown.memory.session_id,
    "score": lambda shown: shown.score,
    "content_preview": lambda shown: content_preview(shown.memory.text),
    "relative_time": lambda shown: relative_time(shown.memory.stored_at, shown.now),
    "content": lambda shown: shown.memory.text,
    "sequence_order": lambda shown: shown.memory.sequence_order,
    "timestamp": lambda shown: shown.memory.stored_at.astimezone(timezone.utc).isoformat(),
    "preceding_memory_id": lambda shown: shown.memory.preceding_id,
    "meta.agent_id": lambda shown: shown.memory.agent_id,
    "meta.archetype_title": lambda shown: _meta(shown.memory)["archetype_title"],
    "parameters": lambda shown: dict(shown.memory.parameters),
    "frames": lambda shown: dict(shown.memory.frames),
    "meta": lambda shown: _meta(shown.memory),
}

DETAILS: Mapping[str, tuple[str, ...]] = {
    "compact": ("memory_id", "title", "tool", "context", "session_id", "score"),
    "summary": (
        "memory_id",
        "title",
        "context",
        "tool",
        "score",
        "content_preview",
        "relative_time",
        "session_id",
    ),
    "graph": (
        "memory_id",
        "title",
        "preceding_memory_id",
        "session_id",
        "sequence_order",
        "tool",
        "relative_time",
        "timestamp",
        "score",
        "meta.agent_id",
        "meta.archetype_title",
    ),
    "full": (
        "memory_id",
        "score",
        "title",
        "content",
        "context",
        "tool",
        "session_id",
        "sequence_order",
        "timestamp",
        "preceding_memory_id",
        "parameters",
        "frames",
        "meta",
    ),
}


def view(shown: Shown, detail: str) -> dict[str, Any]:
    """One search result: exactly the keys of `detail`, in order."""
    return {key: _VALUES[key](shown) for key in DETAILS[detail]}


def _meta(memory: Memory) -> dict[str, Any]:
    archetype = memory.archetype
    return {
        "agent_id": memory.agent_id,
        "schema_version": archetype and archetype.schema_version,
        "fegis_version": FEGIS_VERSION,
        "archetype_title": archetype and archetype.title,
        "archetype_version": archetype and archetype.version,
    }


def score(relevance: float, threshold: float) -> float:
    """Four decimals, never below the threshold that was passed."""
    return max(round(relevance, 4), threshold)


def title_of(memory: Memory) -> str:
    """The title, or the first sentence of an untitled memory, at most 80 characters."""
    return memory.title or first_sentence(memory.text, MAX_DERIVED_TITLE_CHARS)


def content_preview(content: str) -> str:
    """At most 150 characters on one line: all of it, else the first two sentences, else the beginning and "...".

    Sentences end at ".", "!" and "?" only, and are joined by ". ": readers of these previews rely on that form.
    """
    flat = " ".join(content.split())
    if len(flat) <= MAX_PREVIEW_CHARS:
        return flat
    sentences = [each.strip() for each in re.split(r"[.!?]+", flat) if each.strip()]
    if not sentences:
        return flat[:97] + "..."
    first_two = ". ".join(sentences[:2]) + "."
    return first_two if len(first_two) <= MAX_PREVIEW_CHARS else flat[:147] + "..."


_AGES = (
    (timedelta(days=30), "month"),
    (timedelta(days=7), "week"),
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
)


def relative_time(then: datetime, now: datetime) -> str:
    """How long ago, in the largest whole unit up to months of 30 days; under a minute, and to come: "just now"."""
    elapsed = max(now - then, timedelta())
    for unit, name in _AGES:
        count = elapsed // unit
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def found(results: list[dict[str, Any]]) -> Result:
    """The answer of a search."""
    return _answer({"search_results": results})


def stored(tool: str, memory_id: str) -> Result:
    """The answer of an archetype tool."""
    return _answer({"message": f"'{tool}' stored with memory_id: {memory_id}"})


def refused(error: OmoideError) -> Result:
    """An error that the caller can read: `type` is `ValueError` where an argument is to blame."""
    kind = "ValueError" if isinstance(error, InvalidArgument) else type(error).__name__
    hint = {"hint": error.hint} if error.hint else {}
    body = {"error": error.message, "type": kind, "code": error.code, **hint}
    return Result(text=json.dumps(body, ensure_ascii=False, indent=2), is_error=True)


def misfit(argument: str, message: str) -> Result:
    """Arguments that do not fit the schema: first the validator's own words, which clients know, then where and what
    to do."""
    where, colon, said = message.partition(": ")
    if not colon or where.partition(".")[0] != argument:
        where, said = argument or "arguments", message
    step = f"{where}: compare with the tool's input schema, then call again. [invalid_argument]"
    return Result(text=f"Input validation error: {said}\n{step}", is_error=True)


def _answer(body: dict[str, Any]) -> Result:
    return Result(text=json.dumps(body, ensure_ascii=False, indent=2), structured=body)
