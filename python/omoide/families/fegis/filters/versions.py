"""Rules for versions: texts, which are also compared as numbers if they are written as one."""

from __future__ import annotations

from omoide.families.fegis.filters.filter import Filter, rules
from omoide.families.fegis.filters.numbers import after, before, between, is_number, number_of
from omoide.families.fegis.filters.texts import contains, text_of
from omoide.model.condition import Condition, Equals, Within


def _same(filter: Filter) -> Condition:
    if not is_number(filter.value):
        return Equals(filter.column, text_of(filter))
    number = number_of(filter)
    return Within(filter.column, start=number, end=number, end_inclusive=True)


VERSION = rules(_same, before=before, after=after, between=between, contains=contains)
