"""`store_memory`: stores one memory under its key in its scope."""

from __future__ import annotations

from omoide.families.recallnest import translate, wire, write_answers
from omoide.families.recallnest.context import Context, command
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.remember import ToldAgain

NAME = "store_memory"
#: Keys of `Memory.extra` -> the argument that tells them.
_TOLD_BY = {"privacyTier": "privacyTier", "reliability": "confidence"}

DESCRIPTION = (
    "Store one durable memory: a self-contained statement in any language. Found by search_memory at once. The same text "
    "in the same scope is kept once; the same canonicalKey replaces the old text (profile, preferences, entities, "
    "patterns) or adds a row (events, cases)."
)

INPUT = wire.arguments(
    {
        "text": {"type": "string", "minLength": 1, "description": "What to remember; kept as it is"},
        "category": {**wire.CATEGORY, "default": "events"},
        "importance": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.7},
        "scope": wire.WRITE_SCOPE,
        "source": {"type": "string", "enum": list(wire.SOURCES), "default": "manual"},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 40}, "maxItems": 8},
        "canonicalKey": {
            "type": "string",
            "minLength": 1,
            "maxLength": 120,
            "description": "Name of the fact in its scope, e.g. user:reply-style",
        },
        "topicTag": wire.text(60, "Topic, e.g. auth, deploy (default: read from the text)"),
        "privacyTier": {"type": "string", "enum": list(wire.PRIVACY_TIERS), "default": "durable"},
        "validFrom": {"type": ["string", "number"], "description": "First date it holds: ISO, relative or epoch ms"},
        "validUntil": {"type": ["string", "number"], "description": "Last date it holds: ISO, relative or epoch ms"},
        "eventTime": {"type": ["string", "number"], "description": "When it happened: ISO, relative or epoch ms"},
        "confidence": {
            "type": ["number", "object"],
            "minimum": 0,
            "maximum": 1,
            "properties": {
                "score": {"type": "number", "minimum": 0, "maximum": 1},
                "reliability": {"type": "string", "enum": list(wire.RELIABILITIES)},
            },
            "additionalProperties": False,
            "description": "0-1, or {score, reliability: direct|inferred|hearsay}",
        },
    },
    "text",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _store,
        title="Store a memory",
        description=DESCRIPTION,
        input_schema=INPUT,
        output_schema=write_answers.OUTPUT,
        idempotent=True,
    )


def _store(context: Context, arguments: Arguments) -> Result:
    scope = context.write_scope(NAME, arguments)
    draft = translate.draft(arguments, scope, context.memories.moment, NAME)
    # Confidence and tier count for a memory that says the same already, too, if they were told.
    told = ToldAgain(
        translate.has_score(arguments), [name for name, argument in _TOLD_BY.items() if argument in arguments]
    )
    remembered = context.memories.remember(draft, again=told)
    opposite = context.opposite(remembered)
    return Result(write_answers.text("memory", remembered, opposite), write_answers.value(remembered, opposite))
