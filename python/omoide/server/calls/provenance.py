"""Where what a tool shows comes from: who stored it, when, by which tool.

It travels in the `_meta` of every answer of a tool that reads, beside the shapes of the doors. Where the text of a door
has no place for it, a second block of text says it too.

Useful for: the desk. Not useful for: deciding what is found. Invariant: only what the call itself was shown is told: what
a pinned scope or another tenant hides is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

import orjson

from omoide.model.memory import Memory
from omoide.model.query import Recalled
from omoide.model.reminder import Reminder

#: The key in `_meta`.
KEY = "omoide/provenance"
#: Memories told of; no tool shows more.
MOST = 200

Thing = Memory | Reminder
#: What is told of a thing.
Origin = Mapping[str, str]
#: That of what one search after the other has found.
Told = list[list[Origin]]

_found: ContextVar[Told | None] = ContextVar("found", default=None)

_ORIGIN = attrgetter("memory.origin")


class Collected:
    """What searches of this thread find, and what else is shown, while the block runs."""

    __slots__ = ("_before", "_found")

    def __enter__(self) -> Told:
        found: Told = []
        self._before = _found.set(found)
        return found

    def __exit__(self, *_: object) -> None:
        _found.reset(self._before)


def note(recalled: Recalled) -> None:
    """A search has been answered."""
    found, hits = _found.get(), recalled.hits[:MOST]
    if found is None or not hits:
        return
    try:
        found.append(list(map(_ORIGIN, hits)))
    except AttributeError:  # of some it has not been told yet
        found.append([_origin(hit.memory) for hit in hits])


def add(shown: Mapping[str, Thing]) -> None:
    """Something is shown besides what searches found, or under another id than they found it under."""
    found = _found.get()
    if found is None:
        return
    told = _by_id(found)
    for thing in shown.values():
        told.pop(thing.id, None)
    for id, thing in shown.items():
        told[id] = {**_origin(thing), "id": id}
    found[:] = [list(told.values())]


def of(found: Told) -> Mapping[str, Any]:
    """What `_meta` says of them."""
    return {KEY: _each(found)}


def text_of(found: Told) -> str:
    """The same, a line a thing in the order of the answer."""
    return "\n".join(["Sources:", *map(_line, _each(found))])


def _each(found: Told) -> list[Origin]:
    """That of each thing, which no search finds twice."""
    return (found[0] if len(found) == 1 else list(_by_id(found).values()))[:MOST]


def _by_id(found: Told) -> dict[str, Origin]:
    return {told["id"]: told for those in found for told in those}


def _line(told: Origin) -> str:
    cells = (f"{name}: {value}" for name, value in told.items() if name != "id")
    # One line, whatever was stored: no text may look like a line of ours.
    return " ".join(f"- {told['id']} | {' | '.join(cells)}".split())


def _origin(thing: Thing) -> Origin:
    """Of the thing; a memory keeps it."""
    if isinstance(thing, Reminder):
        return _of_reminder(thing)
    origin: Origin | None = getattr(thing, "origin", None)
    if origin is None:
        origin = _of_memory(thing)
        object.__setattr__(thing, "origin", origin)
    return origin


def _of_reminder(reminder: Reminder) -> Origin:
    return {
        "id": reminder.id,
        "storedAt": reminder.created_at.isoformat(),
        "source": "reminder",
        "scope": reminder.scope,
    }


def _of_memory(memory: Memory) -> Origin:
    # As `isoformat` writes it, in a third of its time, and between quotes.
    told = {"id": memory.id, "storedAt": orjson.dumps(memory.stored_at).decode()[1:-1]}
    if memory.tool is not None:
        told["tool"] = memory.tool
    if memory.source is not None:
        told["source"] = memory.source
    if memory.agent_id is not None:
        told["agent"] = memory.agent_id
    if memory.session_id is not None:
        told["session"] = memory.session_id
    if memory.scope is not None:
        told["scope"] = memory.scope
    return told
