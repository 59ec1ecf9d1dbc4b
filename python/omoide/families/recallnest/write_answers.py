"""The answer to a write: its disposition, id and key.

Useful for: every tool that stores a memory. Not useful for: storing it.
Invariant: a write that was not stored never looks stored.
"""

from __future__ import annotations

from typing import Any

from omoide.families.recallnest import layouts, wire
from omoide.families.recallnest.card import iso, short_id
from omoide.families.recallnest.redact import REDACTED
from omoide.memory import Remembered
from omoide.model.memory import Memory, Status

PROPERTIES: wire.Json = {
    "id": {**wire.STRING, "description": "The live memory; on conflict the one that has the key"},
    "disposition": {"type": "string", "enum": list(wire.DISPOSITIONS.values())},
    "category": wire.STRING,
    "scope": wire.STRING,
    "canonicalKey": wire.STRING,
    "storedAt": wire.STRING,
    "title": wire.STRING,
    "tags": wire.STRINGS,
    "topicTag": wire.STRING,
    "redacted": {**wire.STRINGS, "description": "Kinds of secrets that were replaced in the text"},
    "conflict": {**wire.STRING, "description": "Id of the memory that has the key already"},
    "previous": {**wire.STRING, "description": "Id of the text before it, which is kept"},
    "opposite": {**wire.STRING, "description": "Id of the memory that states the opposite preference"},
}
OUTPUT = wire.answer(PROPERTIES, "id", "disposition", "category", "scope", "canonicalKey", "storedAt")


def value(remembered: Remembered, opposite: str | None = None) -> dict[str, Any]:
    """The structured value; `opposite`: the id of the opposite preference."""
    memory = remembered.memory
    result: dict[str, Any] = {
        "id": memory.id,
        "disposition": wire.DISPOSITIONS[remembered.disposition],
        "category": memory.category,
        "scope": memory.scope,
        "canonicalKey": memory.canonical_key or "",
        "storedAt": iso(memory.stored_at),
    }
    if memory.title:
        result["title"] = memory.title
    if memory.tags:
        result["tags"] = list(memory.tags)
    if memory.topic:
        result["topicTag"] = memory.topic
    if REDACTED in memory.extra:
        result["redacted"] = memory.extra[REDACTED]
    if remembered.previous is not None:
        result["conflict" if is_conflict(remembered) else "previous"] = remembered.previous.id
    if opposite is not None:
        result["opposite"] = opposite
    return result


def text(noun: str, remembered: Remembered, opposite: str | None = None) -> str:
    """The text; for a memory with a title (a case, a pattern) with title and tags. `opposite` as in `value`."""
    memory = remembered.memory
    kind = [("Title", memory.title)] if memory.title else [("Category", memory.category)]
    tags = [("Tags", ", ".join(memory.tags) or "-")] if memory.title else []
    lines = [
        ("Disposition", wire.DISPOSITIONS[remembered.disposition]),
        *kind,
        ("Scope", memory.scope),
        ("Canonical key", memory.canonical_key or ""),
        *tags,
        *([("Redacted", redacted)] if (redacted := redacted_kinds(memory)) else []),
        *_other(remembered, noun),
        *([("Opposite", told_opposite(opposite))] if opposite else []),
        ("Stored at", iso(memory.stored_at) or ""),
    ]
    if is_conflict(remembered):
        return layouts.fields(f"{noun.capitalize()} not stored", lines)
    return layouts.fields(f"Stored {noun} {short_id(memory.id)}", lines)


def redacted_kinds(memory: Memory) -> str:
    """The kinds of secrets that were replaced in a memory, with commas between; "" if none was."""
    return ", ".join(memory.extra.get(REDACTED, ()))


def told_opposite(id: str) -> str:
    """That the opposite preference is stored, too, and what a caller can do."""
    return f"{short_id(id)} is stored, too; forget it if it no longer holds"


def is_conflict(remembered: Remembered) -> bool:
    """Whether nothing was written because a memory of another category has the key."""
    return remembered.disposition == "conflict"


def _other(remembered: Remembered, noun: str) -> list[tuple[str, str]]:
    """The memory that the write conflicts with, or the one that it replaced."""
    if is_conflict(remembered):
        # The category of a case or a pattern is always the same.
        return [("Conflict", layouts.conflict(remembered.memory, other_category=noun == "memory"))]
    if remembered.previous is None:
        return []
    is_history = remembered.previous.status is Status.SUPERSEDED
    return [("Superseded" if is_history else "Holds until then", short_id(remembered.previous.id))]
