"""The fields that can be filtered, with their names in the model and their rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from omoide.dates import Moment
from omoide.errors import InvalidArgument, needed
from omoide.families.fegis.filters.filter import Filter, Rule, Rules, ends
from omoide.families.fegis.filters.numbers import NUMBER
from omoide.families.fegis.filters.texts import NAME, TEXT
from omoide.families.fegis.filters.times import TIME
from omoide.families.fegis.filters.versions import VERSION
from omoide.families.fegis.schemas import FILTER_FIELDS, OPERATORS
from omoide.model.condition import Condition

FIELDS: Mapping[str, tuple[str, Rules]] = {
    "session_id": ("session_id", NAME),
    "tool": ("tool", NAME),
    "agent_id": ("agent_id", NAME),
    "title": ("title", TEXT),
    "context": ("context", TEXT),
    "sequence_order": ("sequence_order", NUMBER),
    "memory_id": ("id", NAME),
    "timestamp": ("stored_at", TIME),
    "preceding_memory_id": ("preceding_id", NAME),
    "archetype_title": ("archetype_title", NAME),
    "archetype_version": ("archetype_version", VERSION),
    "schema_version": ("schema_version", VERSION),
}


def condition(filter: Mapping[str, Any], moment: Moment, *, index: int = 0) -> Condition:
    """The condition of one filter, the `index`th of a call. Raises InvalidArgument."""
    parsed = _parsed(filter, moment, index)
    return _rule(parsed)(parsed)


def _parsed(filter: Mapping[str, Any], moment: Moment, index: int) -> Filter:
    for key in ("field", "operator", "value"):
        if key not in filter:
            message = f"Filter missing required '{key}' parameter"
            raise InvalidArgument("filters", message, hint=_shape(index), also=needed(f"filters[{index}].{key}"))
    field, operator = filter["field"], filter["operator"]
    column, _ = FIELDS.get(field, (field, {}))
    return Filter(
        field=field, column=column, operator=operator, value=filter["value"], moment=moment, at=f"filters[{index}]"
    )


def _shape(index: int) -> str:
    return f'filters[{index}] must be like {{"field": "tool", "operator": "is", "value": "StoreMemory"}}.'


def _rule(filter: Filter) -> Rule:
    field, operator = filter.field, filter.operator
    if field not in FIELDS:
        message = f"Invalid field '{field}'. Valid fields: {sorted(FILTER_FIELDS)}"
        raise filter.error(message, "name one of these.", _only(field, FILTER_FIELDS))
    if operator not in OPERATORS:
        message = f"Invalid operator '{operator}'. Valid operators: {sorted(OPERATORS)}"
        raise filter.error(message, "use one of these.", _only(operator, OPERATORS))
    if operator == "between":
        ends(filter)  # an invalid range is reported first, whatever the field
    _, rules = FIELDS[field]
    if operator not in rules:
        fitting = [each for each in OPERATORS if each in rules]
        message = f"'{operator}' does not apply to '{field}'."
        raise filter.error(message, f"use one of {', '.join(fitting)} with {field}.", _only(operator, fitting))
    return rules[operator]


def _only(given: str, known: Iterable[str]) -> Mapping[str, str]:
    names = ", ".join(known)
    return {"ja": f"{given} は使えません。使えるもの：{names}。", "zh": f"不能使用 {given}。可用的有：{names}。"}
