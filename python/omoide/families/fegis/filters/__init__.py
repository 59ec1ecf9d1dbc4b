"""Translates filters `{field, operator, value}` to conditions: a table of fields, and a small table of rules for each kind of
field.

Useful for: `SearchMemory.filters`. Not useful for: text ranking.
Invariant: a filter becomes a condition that means what its operator says, or an error with the next step; no filter is
dropped, and a memory without the field is "not equal" to every value.
"""

from omoide.families.fegis.filters.table import condition

__all__ = ["condition"]
