"""Rules for versions: texts, which are also compared as numbers if they are written as one."""

from __future__ import annotations

from omoide.families.fegis.filters.asked import Asked, rules
from omoide.families.fegis.filters.numbers import after, before, between, is_number, number_of
from omoide.families.fegis.filters.texts import contains, text_of
from omoide.model.condition import Condition, Equals, Within


def _same(asked: Asked) -> Condition:
    if not is_number(asked.value):
        return Equals(asked.column, text_of(asked))
    number = number_of(asked)
    return Within(asked.column, start=number, end=number, end_inclusive=True)


VERSION = rules(_same, before=before, after=after, between=between, contains=contains)
