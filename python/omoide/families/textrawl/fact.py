"""`remember_fact`: stores one fact about one entity."""

from __future__ import annotations

from omoide.families.textrawl import translate, wire
from omoide.families.textrawl.context import FAMILY, Context, refuse, with_own_errors
from omoide.families.tool import Arguments, Caller, Result, Tool
from omoide.memory import Memories, Remembered
from omoide.model.entity import Entity

NAME = "remember_fact"


def tool(context: Context) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Remember Fact",
        description=wire.REMEMBER_FACT_DESCRIPTION,
        input_schema=wire.REMEMBER_FACT_INPUT,
        output_schema=wire.REMEMBER_FACT_OUTPUT,
        run=with_own_errors(NAME, context, lambda caller, arguments: _remember(context, caller, arguments)),
        idempotent=True,
        refuse=refuse(NAME, context),
        family=FAMILY,
    )


def _remember(context: Context, caller: Caller, arguments: Arguments) -> Result:
    entity, remembered = store(context.memories, NAME, caller, arguments)
    known = remembered.disposition == "deduplicated"
    answer = (wire.known_fact if known else wire.new_fact)(entity, remembered.memory)
    return context.respond(answer, wire.compact_fact(answer))


def store(memories: Memories, tool: str, caller: Caller, fact: Arguments) -> tuple[Entity, Remembered]:
    """Attach a fact, given to `tool`, to its entity, or find it there. Raises InvalidArgument."""
    name, type = translate.name_in(fact, "entityName"), fact["entityType"]
    draft = translate.fact(fact, tool, caller.session_id, memories.moment)
    known_as = memories.meant_by(name, type)
    if known_as is None:
        return memories.observe(name, type, draft)
    return memories.observe(known_as.name, type, draft, entity_class=known_as.entity_class)
