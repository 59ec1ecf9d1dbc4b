"""`build_knowledge`: stores many facts and relations in one call; reports those that cannot be stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from omoide.errors import OmoideError
from omoide.families.textrawl import fact, refusals, relation, wire
from omoide.families.textrawl.context import FAMILY, Context, refuse, with_own_errors
from omoide.families.tool import Arguments, Caller, Result, Tool
from omoide.traditional import told_in

NAME = "build_knowledge"
#: How many characters of an item are read to detect its language.
_READ_CHARS = 2_000
#: What a fact has here; `validUntil`, which `remember_fact` takes as well, is named to the caller as not used.
_OF_A_FACT = frozenset(wire.BUILD_KNOWLEDGE_INPUT["properties"]["facts"]["items"]["properties"])
T = TypeVar("T")


def tool(context: Context) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Build Knowledge",
        description=wire.BUILD_KNOWLEDGE_DESCRIPTION,
        input_schema=wire.BUILD_KNOWLEDGE_INPUT,
        output_schema=wire.BUILD_KNOWLEDGE_OUTPUT,
        run=with_own_errors(NAME, context, lambda caller, arguments: _build(context, caller, arguments)),
        idempotent=True,
        on_request=True,
        refuse=refuse(NAME, context),
        family=FAMILY,
    )


def _build(context: Context, caller: Caller, arguments: Arguments) -> Result:
    facts, relations = arguments.get("facts", ()), arguments.get("relations", ())
    if not facts and not relations:
        return refusals.nothing_given(NAME, context.options)
    remembered, bad_facts = _each(
        context, facts, lambda each: fact.store(context.memories, NAME, caller, _known(each))[1], wire.describe_fact
    )
    related, bad_relations = _each(
        context, relations, lambda each: relation.store(context.memories, each), wire.describe_relation
    )
    known = sum(each.disposition == "deduplicated" for each in remembered)
    answer = wire.built(len(remembered) - known, known, len(related), [*bad_facts, *bad_relations])
    return context.respond(answer, wire.compact_built(answer))


def _known(given: Arguments) -> Arguments:
    return {name: value for name, value in given.items() if name in _OF_A_FACT}


def _each(
    context: Context, items: Sequence[Arguments], store: Callable[[Arguments], T], name: Callable[[Arguments], str]
) -> tuple[list[T], list[str]]:
    """(the results of what was stored, the errors for what was refused), each in the order given."""
    outcomes = [(item, _result_or_error(store, item)) for item in items]
    refused = [
        f"{name(item)}: {_bilingual(context, outcome, item)}"
        for item, outcome in outcomes
        if isinstance(outcome, OmoideError)
    ]
    return [outcome for _, outcome in outcomes if not isinstance(outcome, OmoideError)], refused


def _bilingual(context: Context, error: OmoideError, item: Arguments) -> str:
    """The error in English, and in the language of the item."""
    text = " ".join(each for each in item.values() if isinstance(each, str))
    also = told_in(error.also or {}, context.memories.language_of(text[:_READ_CHARS]))
    return f"{error} {also}" if also else str(error)


def _result_or_error(store: Callable[[Arguments], T], item: Arguments) -> T | OmoideError:
    try:
        return store(item)
    except OmoideError as error:
        return error
