"""Which condition is a filter `{field, operator, value}`? One table of fields, one small table of rules a kind of field.

Useful for: `SearchMemory.filters`. Not useful for: text ranking.
Invariant: a filter becomes a condition that means what its operator's name says, or an error that names the next step;
no filter is dropped, and a memory without the field is "not equal" to every value.
"""

from omoide.families.fegis.filters.table import condition

__all__ = ["condition"]
