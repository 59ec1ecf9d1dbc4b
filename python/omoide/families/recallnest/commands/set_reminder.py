"""`set_reminder`: stores an action to show once, when its trigger comes up in a search of its scope."""

from __future__ import annotations

from omoide.families.recallnest import layouts, wire
from omoide.families.recallnest.card import iso, short_id
from omoide.families.recallnest.context import Context, command
from omoide.families.recallnest.redact import redacted
from omoide.families.tool import Arguments, Result, Tool

NAME = "set_reminder"
MOST_DAYS = 365

INPUT = wire.arguments(
    {
        "trigger": wire.text(200, "Words, apart by spaces or commas, that must all come up in a search"),
        "action": wire.text(500, "What to say then"),
        "scope": wire.WRITE_SCOPE,
        "expiresInDays": {"type": "integer", "minimum": 1, "maximum": MOST_DAYS},
    },
    "trigger",
    "action",
)
OUTPUT = wire.answer(
    {
        "id": wire.STRING,
        "trigger": wire.STRING,
        "action": wire.STRING,
        "scope": wire.STRING,
        "expiresAt": wire.STRING,
        "redacted": {
            **wire.STRINGS,
            "description": "Kinds of secrets that were replaced in the trigger and the action",
        },
    },
    "id",
    "trigger",
    "action",
    "scope",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _set,
        title="Set a reminder",
        description="Remind once: the action is shown by the next search_memory of the scope whose query has the trigger.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        idempotent=True,
        on_request=True,
    )


def _set(context: Context, arguments: Arguments) -> Result:
    days = int(arguments["expiresInDays"]) if "expiresInDays" in arguments else None  # 7.0 is a whole number, too
    scope = context.write_scope(NAME, arguments)
    trigger, in_trigger = redacted(arguments["trigger"])
    action, in_action = redacted(arguments["action"])
    secret = list(dict.fromkeys((*in_trigger, *in_action)))
    reminder = context.memories.remind(trigger, action, scope=scope, expires_in_days=days)
    cells = [("Trigger", f'"{reminder.trigger}"'), ("Action", reminder.action), ("Scope", reminder.scope)]
    expiry = [] if days is None else [("Expires in", f"{days} days")]
    replaced = [("Redacted", ", ".join(secret))] if secret else []
    structured = {
        "id": reminder.id,
        "trigger": reminder.trigger,
        "action": reminder.action,
        "scope": reminder.scope,
        **({} if reminder.expires_at is None else {"expiresAt": iso(reminder.expires_at)}),
        **({"redacted": secret} if secret else {}),
    }
    return Result(layouts.fields(f"Reminder set: {short_id(reminder.id)}", [*cells, *expiry, *replaced]), structured)
