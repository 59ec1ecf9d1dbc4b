"""Where the memories in an answer come from: who stored each, when, by which tool.

Every answer of a tool that reads says so in its `_meta`. Where a family's text format has no place for it, a second block of
text says it too.

Useful for: the dispatcher. Not useful for: deciding what is found. Invariant: only memories that the call itself was shown are
named, never what a pinned scope or another tenant hides.
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
#: Memories that are named, at most; no tool shows more.
MOST = 200

Thing = Memory | Reminder
#: Where one thing comes from, by JSON name.
Origin = Mapping[str, str]
#: A list of origins for each search of a call.
Told = list[list[Origin]]

_found: ContextVar[Told | None] = ContextVar("found", default=None)

_ORIGIN = attrgetter("memory.origin")


class Collected:
    """Collects the origins of what the searches of a call find, and of what else it shows, while the block runs."""

    __slots__ = ("_before", "_found")

    def __enter__(self) -> Told:
        found: Told = []
        self._before = _found.set(found)
        return found

    def __exit__(self, *_: object) -> None:
        _found.reset(self._before)


def note(recalled: Recalled) -> None:
    """Note the hits of a search that has been answered."""
    found, hits = _found.get(), recalled.hits[:MOST]
    if found is None or not hits:
        return
    try:
        found.append(list(map(_ORIGIN, hits)))
    except AttributeError:  # some have none cached yet
        found.append([_origin(hit.memory) for hit in hits])


def add(shown: Mapping[str, Thing]) -> None:
    """Note things that are shown but were not found by a search, or are shown under another id."""
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
    """The origins as `_meta` has them."""
    return {KEY: _each(found)}


def text_of(found: Told) -> str:
    """The same as text, one line for each thing, in the order of the answer."""
    return "\n".join(["Sources:", *map(_line, _each(found))])


def _each(found: Told) -> list[Origin]:
    """One origin for each thing: several searches may have found the same one, a single search never finds it twice."""
    return (found[0] if len(found) == 1 else list(_by_id(found).values()))[:MOST]


def _by_id(found: Told) -> dict[str, Origin]:
    return {told["id"]: told for those in found for told in those}


def _line(told: Origin) -> str:
    cells = (f"{name}: {value}" for name, value in told.items() if name != "id")
    # Always one line: a stored name with line breaks could imitate a line of ours.
    return " ".join(f"- {told['id']} | {' | '.join(cells)}".split())


def _origin(thing: Thing) -> Origin:
    """The origin of a thing; that of a memory is cached on it."""
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
    # Equals `isoformat`, in a third of the time; orjson puts it in quotes.
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
