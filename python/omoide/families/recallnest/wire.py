"""What all of recallnest's tools show to clients: shared names and limits, and error blocks.

Useful for: enums, limits and pieces of schemas. Not useful for: the schema of one tool, which is with its command
(commands/), and the text layouts (layouts.py).
Invariant: names, enums, bounds and defaults are those of the published tools; schemas are flat.
"""

from __future__ import annotations

from typing import Any

from omoide.errors import (
    Conflict,
    IndexBehind,
    InvalidArgument,
    NotFound,
    OmoideError,
    StoreBusy,
    StoreError,
    Unavailable,
)
from omoide.families.recallnest.profiles import PROFILES
from omoide.families.tool import Result
from omoide.model.memory import CATEGORIES

Json = dict[str, Any]

DEFAULT_LIMIT = 5
MAX_LIMIT = 20
RENDERS = ("verbatim", "highlight")
DETAIL_LEVELS = ("brief", "normal", "full", "adaptive")
SOURCES = ("manual", "agent", "api", "session_distill", "conversation_import")
PRIVACY_TIERS = ("ephemeral", "private", "durable", "shared")
RELIABILITIES = ("direct", "inferred", "hearsay")
#: Our disposition of a write -> the published one.
DISPOSITIONS = {"stored": "stored", "updated": "updated", "deduplicated": "deduped", "conflict": "conflict"}

#: The boundary of memories that were stored on purpose.
DURABLE = {"layer": "durable", "authority": "structured-memory"}

# --- pieces of schemas ------------------------------------------------------------------------------------------------

STRING: Json = {"type": "string"}
STRINGS: Json = {"type": "array", "items": STRING}
SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
COUNT: Json = {"type": "integer", "minimum": 0}
CATEGORY: Json = {"type": "string", "enum": list(CATEGORIES)}
PROFILE: Json = {"type": "string", "enum": list(PROFILES)}
GRAPH: Json = {
    "type": "boolean",
    "description": "Also follow entity relationships (PPR), e.g. 'what tools does Alice use', 'Bob的朋友'",
}
WRITE_SCOPE: Json = {
    "type": "string",
    "minLength": 1,
    "maxLength": 160,
    "description": "Where it belongs, e.g. project:<name>, session:<id> (default: the default scope)",
}
#: The first arguments of every tool that searches.
ASKED: Json = {
    "query": {"type": "string", "description": "Search query: natural language or keywords, any language"},
    "limit": {
        "type": "number",
        "minimum": 1,
        "maximum": MAX_LIMIT,
        "description": f"Max results to return (1-{MAX_LIMIT}, default {DEFAULT_LIMIT})",
    },
    "scope": {
        "type": "string",
        "description": "Optional explicit scope: 'project:a' is exact, 'cc' covers cc and cc:*",
    },
    "sessionId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 160,
        "description": "Optional session identifier to infer session:<id> scope",
    },
    "allScopes": {"type": "boolean", "description": "When true, explicitly allow cross-scope search"},
}


def text(most: int, description: str) -> Json:
    """A string of 1 to `most` characters."""
    return {"type": "string", "minLength": 1, "maxLength": most, "description": description}


def texts(most: int, each: int, description: str, *, least: int = 0) -> Json:
    """A list of `least` to `most` strings of 1 to `each` characters."""
    items = {"type": "string", "minLength": 1, "maxLength": each}
    return {"type": "array", "items": items, "minItems": least, "maxItems": most, "description": description}


def arguments(properties: Json, *required: str) -> Json:
    """The input schema of a tool; unknown arguments are refused."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def answer(properties: Json, *required: str) -> Json:
    """The output schema of a tool."""
    return {"type": "object", "properties": properties, "required": list(required)}


# --- errors -----------------------------------------------------------------------------------------------------------

#: Arguments that name a memory.
_REFERENCES = frozenset({"id", "memoryId"})
#: (type, reason_code, retryable, responsibility); the first that matches applies.
_REASONS: tuple[tuple[type[OmoideError], str, bool, str], ...] = (
    (InvalidArgument, "invalid_input", False, "peer"),
    (Conflict, "invalid_input", False, "peer"),
    (NotFound, "invalid_memory_ref", False, "peer"),
    (Unavailable, "config_missing", False, "host"),
    (StoreBusy, "store_error", True, "app"),
    (IndexBehind, "store_error", True, "app"),
    (StoreError, "store_error", False, "app"),
)


def refusal(tool: str, error: OmoideError) -> Result:
    """The published error block: a reason code, whether a retry helps, who has to act, and the detail."""
    reason, retryable, responsibility = _reason(error)
    lines = (
        f'❌ Tool "{tool}" failed',
        f"reason_code: {reason}",
        f"retryable: {str(retryable).lower()}",
        f"responsibility: {responsibility}",
        f"detail: {' '.join(str(error).split())}",
    )
    return Result("\n".join(lines), is_error=True, error=error)


def _reason(error: OmoideError) -> tuple[str, bool, str]:
    if isinstance(error, InvalidArgument) and error.argument in _REFERENCES:
        return "invalid_memory_ref", False, "peer"
    for kind, reason, retryable, responsibility in _REASONS:
        if isinstance(error, kind):
            return "scope_required" if error.code == "scope_required" else reason, retryable, responsibility
    return "internal_error", False, "app"
