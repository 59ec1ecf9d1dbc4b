"""`batch_store`: stores up to 20 memories in one transaction, all or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from omoide.dates import Moment
from omoide.errors import InvalidArgument
from omoide.families.recallnest import translate, wire, write_answers
from omoide.families.recallnest.card import short_id
from omoide.families.recallnest.context import Context, command
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory import Remembered
from omoide.memory.remember import check
from omoide.model.memory import Draft
from omoide.traditional import told_in

NAME = "batch_store"
MOST = 20
_NOT_STORED = {
    "ja": "{place} 件目の記憶：{why}何も保存していません。",
    "zh": "第 {place} 条记忆：{why}没有保存任何内容。",
}

_ITEM = wire.arguments(
    {
        "text": {"type": "string", "minLength": 1},
        "category": {**wire.CATEGORY, "default": "events"},
        "importance": {**wire.SHARE, "default": 0.7},
        "tags": wire.texts(8, 40, "Optional tags"),
        "canonicalKey": wire.text(120, "Name of the fact, as in store_memory"),
        "topicTag": wire.text(60, "Topic, e.g. auth, deploy"),
    },
    "text",
)
INPUT = wire.arguments(
    {
        "memories": {"type": "array", "items": _ITEM, "minItems": 1, "maxItems": MOST},
        "scope": wire.WRITE_SCOPE,
        "source": {"type": "string", "enum": ["manual", "agent", "api"], "default": "agent"},
    },
    "memories",
)
OUTPUT = wire.answer(
    {
        "stored": {**wire.COUNT, "description": "How many of them are in the store now"},
        "new": wire.COUNT,
        "deduped": wire.COUNT,
        "updated": wire.COUNT,
        "conflicts": wire.COUNT,
        "memories": {"type": "array", "items": write_answers.OUTPUT, "description": "In the order given"},
    },
    "stored",
    "new",
    "deduped",
    "updated",
    "conflicts",
    "memories",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _store,
        title="Store several memories",
        description=f"Store up to {MOST} memories in one call, each by the rules of store_memory; all are kept or none.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        on_request=True,
        idempotent=True,
    )


def _store(context: Context, arguments: Arguments) -> Result:
    scope = context.write_scope(NAME, arguments)
    remembered = context.memories.remember_checked(_drafts(context, arguments, scope))
    counts = Counter(wire.DISPOSITIONS[each.disposition] for each in remembered)
    structured = {
        "stored": len(remembered) - counts["conflict"],
        "new": counts["stored"],
        "deduped": counts["deduped"],
        "updated": counts["updated"],
        "conflicts": counts["conflict"],
        "memories": [write_answers.value(each, context.opposite(each)) for each in remembered],
    }
    return Result(_text(structured, remembered), structured)


def _drafts(context: Context, arguments: Arguments, scope: str) -> list[Draft]:
    shared = {"source": arguments.get("source", "agent")}
    at = context.memories.moment
    return [_draft({**shared, **each}, place, scope, at) for place, each in enumerate(arguments["memories"], 1)]


def _draft(fields: Mapping[str, Any], place: int, scope: str, at: Moment) -> Draft:
    try:
        draft = translate.draft(fields, scope, at, NAME)
        check(draft)
    except InvalidArgument as error:
        message = f"Memory {place} of the batch: {error.message} Nothing was stored."
        also = {
            language: (told_in(_NOT_STORED, language) or "").format(place=place, why=why)
            for language, why in error.also.items()
        }
        raise InvalidArgument("memories", message, hint=error.hint, also=also) from error
    return draft


def _text(counts: Mapping[str, Any], remembered: Sequence[Remembered]) -> str:
    head = (
        f"Stored {counts['stored']} memories "
        f"({counts['new']} new, {counts['deduped']} deduped, {counts['updated']} updated)"
    )
    return "\n".join((head, *map(_line, counts["memories"], count(1), remembered)))


def _line(value: Mapping[str, Any], place: int, remembered: Remembered) -> str:
    memory = remembered.memory
    disposition = wire.DISPOSITIONS[remembered.disposition]
    if write_answers.is_conflict(remembered):
        return (
            f"{place}. {disposition}: not stored, {short_id(memory.id)} has this key in the category {memory.category}"
        )
    redacted = f", redacted: {kinds}" if (kinds := write_answers.redacted_kinds(memory)) else ""
    opposite = f"; the opposite {write_answers.told_opposite(value['opposite'])}" if "opposite" in value else ""
    return f"{place}. {disposition}: {short_id(memory.id)} ({memory.category}{redacted}){opposite}"
