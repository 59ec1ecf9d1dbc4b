"""What recallnest's clients see, exactly: schemas and error blocks. The text layouts are in layouts.py.

Useful for: knowing what may be asked and what an answer is made of. Not useful for: deciding what is in it
(translate.py).
Invariant: input schemas are flat, with the names, enums, bounds and defaults of the published tools.
"""

from __future__ import annotations

from typing import Any

from omoide.errors import Conflict, InvalidArgument, NotFound, OmoideError, StoreBusy, StoreError, Unavailable
from omoide.families.recallnest.profiles import PROFILES
from omoide.families.tool import Result
from omoide.model.memory import CATEGORIES

Json = dict[str, Any]

DEFAULT_LIMIT = 5
MAX_LIMIT = 20
RENDERS = ("verbatim", "highlight")
DETAIL_LEVELS = ("brief", "normal", "full")
SOURCES = ("manual", "agent", "api", "session_distill", "conversation_import")
PRIVACY_TIERS = ("ephemeral", "private", "durable", "shared")
#: What became of a write, by our word for it.
DISPOSITIONS = {"stored": "stored", "updated": "updated", "deduplicated": "deduped", "conflict": "conflict"}
RELIABILITIES = ("direct", "inferred", "hearsay")

# --- what goes in -----------------------------------------------------------------------------------------------------

SEARCH_DESCRIPTION = (
    "Search indexed memories by similarity and words, in any language, and return ranked results with optional temporal "
    "filtering. Read-only, but may fire stored reminders as a side effect. Use proactively at the start of tasks, when "
    "debugging, writing, or when the user references past work. Scores are relevance, 0-100%: below 40% is weak."
)

SEARCH_INPUT: Json = {
    "type": "object",
    "properties": {
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
        "category": {
            "type": "string",
            "enum": list(CATEGORIES),
            "description": "Only profile (identity/background), preferences (habits/style), entities (projects/tools/"
            "people), events (past happenings), cases (problem-solution pairs) or patterns (reusable workflows)",
        },
        "profile": {
            "type": "string",
            "enum": list(PROFILES),
            "description": "Retrieval profile: writing (loose associations), debug (exact words, recent first), "
            "fact-check (exact words)",
        },
        "render": {
            "type": "string",
            "enum": list(RENDERS),
            "default": "verbatim",
            "description": "verbatim (ranked order) or highlight (reorder by overlap with the query)",
        },
        "after": {
            "type": "string",
            "description": "Stored on or after this date: YYYY-MM-DD, or relative like '最近30天', 'last 7 days', '過去7日間'",
        },
        "before": {"type": "string", "description": "Stored on or before this date: ISO or relative"},
        "graph": {
            "type": "boolean",
            "description": "Also follow entity relationships (PPR), e.g. 'what tools does Alice use', 'Bob的朋友'",
        },
        "includeArchived": {
            "type": "boolean",
            "description": "Also return archived/superseded/consolidated memories (default: only active)",
        },
        "detail_level": {
            "type": "string",
            "enum": list(DETAIL_LEVELS),
            "default": "normal",
            "description": "brief (ID+score+one-liner), normal, full (metadata and whole text)",
        },
        "topicTag": {
            "type": "string",
            "minLength": 1,
            "maxLength": 60,
            "description": "Only memories tagged with this topic (e.g. 'auth', 'deploy'), any case",
        },
        "reconstruct": {
            "type": "boolean",
            "description": "LLM synthesis beside raw results; needs RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true, "
            "not part of this version",
        },
        "validAt": {
            "type": "string",
            "description": "Only memories whose validity window covers this date (ISO date, e.g. '2025-06-15')",
        },
        "includeExpired": {
            "type": "boolean",
            "description": "Include expired memories, demoted 80% (default: only non-expired)",
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}

STORE_DESCRIPTION = (
    "Store one durable memory: a self-contained statement in any language. Found by search_memory at once. The same text "
    "in the same scope is kept once; the same canonicalKey replaces the old text (profile, preferences, entities, "
    "patterns) or adds a row (events, cases)."
)

STORE_INPUT: Json = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 1, "description": "What to remember; kept as it is"},
        "category": {"type": "string", "enum": list(CATEGORIES), "default": "events"},
        "importance": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.7},
        "scope": {
            "type": "string",
            "minLength": 1,
            "maxLength": 160,
            "description": "Where it belongs, e.g. project:<name>, session:<id> (default: the default scope)",
        },
        "source": {"type": "string", "enum": list(SOURCES), "default": "manual"},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 40}, "maxItems": 8},
        "canonicalKey": {
            "type": "string",
            "minLength": 1,
            "maxLength": 120,
            "description": "Name of the fact, e.g. user:reply-style; one live memory per key and scope",
        },
        "topicTag": {"type": "string", "minLength": 1, "maxLength": 60, "description": "Topic, e.g. auth, deploy"},
        "privacyTier": {"type": "string", "enum": list(PRIVACY_TIERS), "default": "durable"},
        "validFrom": {"type": ["string", "number"], "description": "First date it holds: ISO, relative or epoch ms"},
        "validUntil": {"type": ["string", "number"], "description": "Last date it holds: ISO, relative or epoch ms"},
        "eventTime": {"type": ["string", "number"], "description": "When it happened: ISO, relative or epoch ms"},
        "confidence": {
            "type": ["number", "object"],
            "minimum": 0,
            "maximum": 1,
            "properties": {
                "score": {"type": "number", "minimum": 0, "maximum": 1},
                "reliability": {"type": "string", "enum": list(RELIABILITIES)},
            },
            "additionalProperties": False,
            "description": "0-1, or {score, reliability: direct|inferred|hearsay}",
        },
    },
    "required": ["text"],
    "additionalProperties": False,
}

# --- what comes out ---------------------------------------------------------------------------------------------------

_STRING: Json = {"type": "string"}
_SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
_STRINGS: Json = {"type": "array", "items": _STRING}

_RESULT: Json = {
    "type": "object",
    "properties": {
        "id": _STRING,
        "score": {**_SHARE, "description": "Relevance"},
        "text": {**_STRING, "description": "The whole text (brief: a one-line excerpt)"},
        "category": _STRING,
        "scope": _STRING,
        "storedAt": _STRING,
        "why": {**_STRING, "description": "Retrieval path and matched terms"},
        "status": {**_STRING, "description": "active, superseded, archived, consolidated, pending_review or expired"},
        "title": _STRING,
        "tier": _STRING,
        "source": _STRING,
        "tool": _STRING,
        "importance": _SHARE,
        "confidence": _SHARE,
        "tags": _STRINGS,
        "topicTag": _STRING,
        "canonicalKey": _STRING,
        "provenance": _STRING,
        "accessCount": {"type": "integer"},
        "eventTime": _STRING,
        "validFrom": _STRING,
        "validUntil": _STRING,
        "supersededBy": _STRING,
    },
    "required": ["id", "score", "text"],
}

SEARCH_OUTPUT: Json = {
    "type": "object",
    "properties": {
        "query": _STRING,
        "profile": _STRING,
        "scope": {**_STRING, "description": "The scope searched; absent when all were"},
        "allScopes": {"type": "boolean"},
        "results": {"type": "array", "items": _RESULT},
        "lowConfidence": {"type": "boolean"},
        "notes": _STRINGS,
        "reminders": {**_STRINGS, "description": "Actions of reminders that this search fired"},
    },
    "required": ["query", "profile", "allScopes", "results", "lowConfidence", "notes", "reminders"],
}

STORE_OUTPUT: Json = {
    "type": "object",
    "properties": {
        "id": {**_STRING, "description": "The live memory; on conflict the one that has the key"},
        "disposition": {"type": "string", "enum": list(DISPOSITIONS.values())},
        "category": _STRING,
        "scope": _STRING,
        "canonicalKey": _STRING,
        "storedAt": _STRING,
        "conflict": {**_STRING, "description": "Id of the memory that has the key already"},
        "previous": {**_STRING, "description": "Id under which the replaced text is kept"},
    },
    "required": ["id", "disposition", "category", "scope", "canonicalKey", "storedAt"],
}

# --- errors -----------------------------------------------------------------------------------------------------------

#: (type, reason_code, retryable, responsibility); the first that fits.
_REASONS: tuple[tuple[type[OmoideError], str, bool, str], ...] = (
    (InvalidArgument, "invalid_input", False, "peer"),
    (Conflict, "invalid_input", False, "peer"),
    (NotFound, "invalid_memory_ref", False, "peer"),
    (Unavailable, "config_missing", False, "host"),
    (StoreBusy, "store_error", True, "app"),
    (StoreError, "store_error", False, "app"),
)


def refusal(tool: str, error: OmoideError) -> Result:
    """The published error block: a reason code, whether trying again helps, whose move it is, and the detail."""
    reason, retryable, responsibility = _reason(error)
    lines = (
        f'❌ Tool "{tool}" failed',
        f"reason_code: {reason}",
        f"retryable: {str(retryable).lower()}",
        f"responsibility: {responsibility}",
        f"detail: {' '.join(str(error).split())}",
    )
    return Result("\n".join(lines), is_error=True)


def _reason(error: OmoideError) -> tuple[str, bool, str]:
    for kind, reason, retryable, responsibility in _REASONS:
        if isinstance(error, kind):
            return "scope_required" if error.code == "scope_required" else reason, retryable, responsibility
    return "internal_error", False, "app"
