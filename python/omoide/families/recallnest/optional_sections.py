"""Optional parts beside the results of a search: a reconstruction before them, related scopes after them.

Useful for: adding such a part without touching the results. Not useful for: the results themselves.
Invariant: an absent part leaves no trace in the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Extras:
    """An optional part: sections of the text block, fields of the structured value, remarks, ids of memories that it shows."""

    sections: tuple[str, ...] = ()
    structured: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    ids: Set[str] = frozenset()


NOTHING = Extras()
