"""`forget_memory`: removes a memory for good, with the older versions that it replaced; or cancels a reminder."""

from __future__ import annotations

from typing import Any

from omoide.errors import NOT_CONFIRMED_ALSO, InvalidArgument, NotFound
from omoide.families.recallnest import layouts, scope, wire
from omoide.families.recallnest.card import short_id
from omoide.families.recallnest.context import Context, command
from omoide.families.tool import Arguments, Result, Tool
from omoide.model.memory import Memory

NAME = "forget_memory"
#: Tiers whose memories are removed without confirmation; a memory without one of them is durable.
_UNCONFIRMED = ("ephemeral", "private", "shared")

INPUT = wire.arguments(
    {
        "memoryId": wire.text(200, "Id of a memory or reminder, or a prefix of at least 8 characters"),
        "confirm": {"type": "boolean", "default": False, "description": "Needed for a memory of the tier durable"},
        "reason": wire.text(500, "Said back in the answer"),
        "scope": wire.text(160, "Refuse unless the memory is in this scope"),
    },
    "memoryId",
)
OUTPUT = wire.answer(
    {
        "id": wire.STRING,
        "kind": {"type": "string", "enum": ["memory", "reminder"]},
        "scope": wire.STRING,
        "category": wire.STRING,
        "versions": {**wire.STRINGS, "description": "Ids of the older texts that went with it"},
        "reason": wire.STRING,
    },
    "id",
    "kind",
    "scope",
    "versions",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _forget,
        title="Forget a memory",
        description="Remove one memory for good, with its relations and the older texts it replaced. Cannot be undone.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        on_request=True,
        destructive=True,
    )


def _forget(context: Context, arguments: Arguments) -> Result:
    id_or_prefix = arguments["memoryId"].strip()
    try:
        memory = context.memories.find(id_or_prefix)
    except NotFound:
        return _call_off(context, id_or_prefix, arguments)
    _check(memory, arguments)
    _, *versions = context.memories.forget_with_versions(memory.id)
    structured = _value("memory", memory.id, memory.scope, arguments)
    structured |= {"category": memory.category, "versions": [each.id for each in versions]}
    cells = [("Category", memory.category), ("Scope", memory.scope), ("Older versions removed", str(len(versions)))]
    return Result(
        layouts.fields(f"✅ Memory {short_id(memory.id)} forgotten.", [*cells, *_reason(arguments)]), structured
    )


def _check(memory: Memory, arguments: Arguments) -> None:
    _check_scope(memory.id, memory.scope, arguments)
    if memory.extra.get("privacyTier") not in _UNCONFIRMED and not arguments.get("confirm", False):
        message = f'Memory {memory.id} has privacy tier "durable" — set confirm=true to proceed'
        raise InvalidArgument("confirm", message, also=NOT_CONFIRMED_ALSO)


def _check_scope(id: str, actual_scope: str, arguments: Arguments) -> None:
    required_scope = scope.tidy(arguments.get("scope"))
    if required_scope is not None and not scope.covers(required_scope, actual_scope):
        raise InvalidArgument(
            "memoryId",
            f"{short_id(id)} is outside accessible scope {required_scope!r}.",
            hint="Leave scope out, or pass the scope that the memory is in.",
            also={
                "ja": f"{short_id(id)} はスコープ {required_scope!r} の外にあります。scope を省くか、その記憶があるスコープを指定してください。",
                "zh": f"{short_id(id)} 不在作用域 {required_scope!r} 内。请省略 scope，或指定该记忆所在的作用域。",
            },
        )


def _call_off(context: Context, id_or_prefix: str, arguments: Arguments) -> Result:
    """Cancel the reminder with this id. Raises NotFound."""
    pending = context.memories.pending_reminder(id_or_prefix)
    _check_scope(pending.id, pending.scope, arguments)
    reminder = context.memories.call_off(pending.id)
    structured = _value("reminder", reminder.id, reminder.scope, arguments)
    cells = [("Trigger", f'"{reminder.trigger}"'), ("Scope", reminder.scope)]
    head = f"✅ Reminder {short_id(reminder.id)} called off."
    return Result(layouts.fields(head, [*cells, *_reason(arguments)]), structured)


def _value(kind: str, id: str, actual_scope: str, arguments: Arguments) -> dict[str, Any]:
    reason = arguments.get("reason")
    return {"id": id, "kind": kind, "scope": actual_scope, "versions": [], **({"reason": reason} if reason else {})}


def _reason(arguments: Arguments) -> list[tuple[str, str]]:
    return [("Reason", arguments["reason"])] if arguments.get("reason") else []
