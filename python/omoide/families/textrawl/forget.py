"""`forget_entity`: removes an entity and the memories of no other for good, after confirmation.

If the client can ask its user, the user's answer decides; otherwise the argument `confirm` does.
"""

from __future__ import annotations

from collections.abc import Sequence

from omoide.families.textrawl import refusals, wire
from omoide.families.textrawl.context import FAMILY, Context, refuse, with_own_errors
from omoide.families.tool import Arguments, Caller, Result, Tool
from omoide.memory import Memories
from omoide.model.entity import Entity

NAME = "forget_entity"


def tool(context: Context) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Forget Entity",
        description=wire.FORGET_ENTITY_DESCRIPTION,
        input_schema=wire.FORGET_ENTITY_INPUT,
        output_schema=wire.FORGET_ENTITY_OUTPUT,
        run=with_own_errors(NAME, context, lambda caller, arguments: _forget(context, caller, arguments)),
        destructive=True,
        on_request=True,
        refuse=refuse(NAME, context),
        asks=lambda arguments: _question(context.memories, arguments),
        family=FAMILY,
    )


def _forget(context: Context, caller: Caller, arguments: Arguments) -> Result:
    name, entities = arguments["entityName"], _named(context.memories, arguments)
    if not entities:
        return refusals.no_such_entity(NAME, context.options, name)
    if len(types := _types(entities)) > 1:
        return refusals.ambiguous(NAME, context.options, name, types)
    if arguments.get("dryRun", False):
        answer = wire.would_forget(entities[0], _remove(context.memories, entities, dry_run=True))
        return context.respond(answer, answer)
    is_confirmed = arguments.get("confirm", False) if caller.confirmed is None else caller.confirmed
    if not is_confirmed:
        return refusals.not_confirmed(NAME, context.options)
    answer = wire.forgotten(entities[0], _remove(context.memories, entities))
    return context.respond(answer, {"ok": True})


def _question(memories: Memories, arguments: Arguments) -> str | None:
    entities = _named(memories, arguments)
    if len(_types(entities)) != 1 or arguments.get("dryRun", False):
        return None
    return wire.forget_question(entities[0], _remove(memories, entities, dry_run=True))


def _named(memories: Memories, arguments: Arguments) -> list[Entity]:
    """Every entity and node of that name, and of the type if one is given."""
    return memories.entities_named(arguments["entityName"], arguments.get("entityType"))


def _types(entities: Sequence[Entity]) -> list[str]:
    return list(dict.fromkeys(each.type for each in entities))


def _remove(memories: Memories, entities: Sequence[Entity], *, dry_run: bool = False) -> int:
    """Remove an entity, and the node of the same name and type, which is one thing here; returns how many memories went."""
    return sum(memories.forget_entity(each.id, dry_run=dry_run) for each in entities)
