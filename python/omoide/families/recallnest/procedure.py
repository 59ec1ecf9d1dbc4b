"""Cases and workflow patterns: knowledge in numbered steps, kept as one text and as the parts it was given in.

Useful for: `store_case` and `store_workflow_pattern`. Not useful for: plain memories (translate.py).
Invariant: the text says everything, so that a search finds each part; `parameters` hold the parts as they were given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from omoide.families.recallnest import topics, wire
from omoide.families.recallnest.keys import canonical_key
from omoide.model.memory import Draft

MOST_STEPS = 8
MOST_TOOLS = 6

#: What both tools take beside their own arguments.
SHARED: wire.Json = {
    "outcome": wire.text(240, "Optional expected or actual result"),
    "tools": wire.texts(MOST_TOOLS, 60, "Optional tools, commands or interfaces involved"),
    "scope": wire.WRITE_SCOPE,
    "source": {"type": "string", "enum": list(wire.SOURCES), "default": "agent"},
    "tags": wire.texts(8, 40, "Optional tags"),
    "canonicalKey": wire.text(120, "Optional name of the fact, as in store_memory"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """How a procedure is written down. `parts`: (label, argument) in order; the one called `steps` is numbered."""

    tool: str
    noun: str
    category: str
    importance: float
    steps: str
    parts: tuple[tuple[str, str], ...]


def draft(kind: Kind, arguments: Mapping[str, Any], scope: str) -> Draft:
    """The memory that the arguments describe. Raises InvalidArgument: a key that cannot be read."""
    text = "\n".join(_lines(kind, arguments))
    return Draft(
        text=text,
        title=arguments["title"],
        kind=kind.noun,
        category=kind.category,
        tags=tuple(arguments.get("tags", ())),
        topic=topics.topic_of(text),
        scope=scope,
        tool=kind.tool,
        source=arguments.get("source", "agent"),
        importance=float(arguments.get("importance", kind.importance)),
        canonical_key=canonical_key(arguments.get("canonicalKey"), kind.category, text),
        parameters={name: arguments[name] for _, name in kind.parts if arguments.get(name)},
        extra={"boundary": wire.DURABLE, "privacyTier": "durable"},
    )


def _lines(kind: Kind, arguments: Mapping[str, Any]) -> Sequence[str]:
    lines = []
    for label, name in kind.parts:
        given = arguments.get(name)
        if not given:
            continue
        if name == kind.steps:
            lines += [f"{label}:", *(f"{number}. {step}" for number, step in enumerate(given, 1))]
        else:
            lines.append(f"{label}: {', '.join(given) if isinstance(given, (list, tuple)) else given}")
    return lines
