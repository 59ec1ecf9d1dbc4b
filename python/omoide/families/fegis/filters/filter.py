"""One filter: its parts, the errors about it, and what the operators of all kinds of fields share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from omoide.dates import Moment
from omoide.errors import InvalidArgument, shown
from omoide.model.condition import Condition, Either, Not


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One filter, with its value as sent. `column` is the model's name of the field; `at` is the place of the filter in the
    arguments, for errors."""

    field: str
    column: str
    operator: str
    value: Any
    moment: Moment
    at: str

    def with_value(self, value: Any) -> Filter:
        """The same filter with another value."""
        return replace(self, value=value)

    @property
    def shown(self) -> str:
        """The value for messages."""
        return shown(self.value)

    def error(self, message: str, hint: str, also: Mapping[str, str]) -> InvalidArgument:
        """The error about this filter; `also` has message and hint in other languages."""
        where = f"{self.at} ({self.field} {self.operator})"
        translated = {language: f"{where}: {said}" for language, said in also.items()}
        return InvalidArgument("filters", message, hint=f"{where}: {hint}", also=translated)


Rule = Callable[[Filter], Condition]
Rules = Mapping[str, Rule]


def rules(same: Rule, **others: Rule) -> Rules:
    """The rules of a kind of field, by operator: `is` uses `same`; `is_not` and `any_of` are derived from it."""
    return {
        "is": same,
        "is_not": lambda filter: Not(same(filter)),
        "any_of": lambda filter: _either(same, filter),
        **others,
    }


def _either(same: Rule, filter: Filter) -> Condition:
    return Either(tuple(same(each) for each in options(filter)))


def options(filter: Filter) -> list[Filter]:
    """One filter for each value of `any_of`. Raises InvalidArgument."""
    if not isinstance(filter.value, list):
        also = {"ja": '値は ["a", "b"] のような配列にしてください。', "zh": '值应为 ["a", "b"] 这样的数组。'}
        raise filter.error("'any_of' operator requires array", 'give a list, for example ["a", "b"].', also)
    return [filter.with_value(each) for each in filter.value]


def ends(filter: Filter) -> tuple[Filter, Filter]:
    """One filter for each of the two values of `between`. Raises InvalidArgument."""
    value = filter.value
    if isinstance(value, dict):
        return filter.with_value(value["from"]), filter.with_value(value["to"])
    if isinstance(value, list) and len(value) == 2:
        return filter.with_value(value[0]), filter.with_value(value[1])
    also = {
        "ja": '値は [最小, 最大] か {"from": 最小, "to": 最大} にしてください。',
        "zh": '值应为 [最小值, 最大值] 或 {"from": 最小值, "to": 最大值}。',
    }
    hint = 'give [min, max] or {"from": min, "to": max}.'
    raise filter.error("'between' operator requires array [min, max]", hint, also)


def reversed_range(filter: Filter) -> InvalidArgument:
    """The error for a range that ends before it begins."""
    low, high = ends(filter)
    message = f"The range from {low.shown} to {high.shown} ends before it begins."
    also = {
        "ja": "範囲の終わりが始まりより前です。小さいほうを先に書いてください。",
        "zh": "范围的终点在起点之前，请把较小的值写在前面。",
    }
    return filter.error(message, "give the smaller value first.", also)
