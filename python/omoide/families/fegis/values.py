"""An archetype as plain values, before they are interpreted.

Useful for: the built-in archetype and those from files. Not useful for: YAML (document.py), or what the values mean
(archetype.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from omoide.families.fegis.location import Location


@dataclass(frozen=True, slots=True)
class Document:
    """The top level: its values, and the scalar ones as the file has them (1.10, not 1.1)."""

    values: Mapping[str, Any]
    written: Mapping[str, str] = field(default_factory=dict)


def mapping(value: object, place: Location) -> Mapping[str, Any]:
    """A mapping with text keys; None (nothing after the colon) is an empty one. Raises InvalidArgument."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return {_name(key, place): each for key, each in value.items()}
    raise place.error(f"expected `name: value` lines, found {type(value).__name__} {str(value)[:40]!r}.")


def _name(key: object, place: Location) -> str:
    if key is None or isinstance(key, bool):
        raise place.error(
            f"a name is missing, or reads as {key}.", "Quote it: YAML takes yes, no, on and off for truth."
        )
    return str(key)
