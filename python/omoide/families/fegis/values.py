"""An archetype as plain values, before they are interpreted.

Useful for: the built-in archetype and those from files. Not useful for: YAML (document.py), or what the values mean
(archetype.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from omoide.errors import filled
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
    found = repr(str(value)[:40])
    also = filled(
        {
            "ja": "`名前: 値` の行を書くところに {found} があります。",
            "zh": "此处应为“name: value”形式的行，却是 {found}。",
        },
        found=found,
    )
    raise place.error(f"expected `name: value` lines, found {type(value).__name__} {found}.", also=also)


def _name(key: object, place: Location) -> str:
    if key is None or isinstance(key, bool):
        also = filled(
            {
                "ja": "名前がないか、{key} と読まれました。引用符で囲んでください（YAML では yes, no, on, off は真偽値です）。",
                "zh": "缺少名称，或被读作“{key}”。请加上引号（在 YAML 中，yes、no、on、off 是真假值）。",
            },
            key=key,
        )
        hint = "Quote it: YAML takes yes, no, on and off for truth."
        raise place.error(f"a name is missing, or reads as {key}.", hint, also=also)
    return str(key)
