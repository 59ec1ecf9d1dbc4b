"""Where the memories in an answer come from: who stored each, when, by which tool.

Every answer of a tool that reads says so in its `_meta`. Where a family's text format has no place for it, a second block of
text says it too.

Useful for: the dispatcher. Not useful for: deciding what is found. Invariant: only memories that the call itself was shown are
named, never what a pinned scope or another tenant hides.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
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
Origins = list[list[Origin]]

_origins: ContextVar[Origins | None] = ContextVar("origins", default=None)

_ORIGIN = attrgetter("memory.origin")


class Collected:
    """Collects the origins of what the searches of a call find, and of what else it shows, while the block runs."""

    __slots__ = ("_before", "_origins")

    def __enter__(self) -> Origins:
        origins: Origins = []
        self._before = _origins.set(origins)
        return origins

    def __exit__(self, *_: object) -> None:
        _origins.reset(self._before)


def note(recalled: Recalled) -> None:
    """Note the hits of a search that has been answered."""
    origins, hits = _origins.get(), recalled.hits[:MOST]
    if origins is None or not hits:
        return
    try:
        origins.append(list(map(_ORIGIN, hits)))
    except AttributeError:  # some have none cached yet
        origins.append([_origin(hit.memory) for hit in hits])


def add(shown: Mapping[str, Thing]) -> None:
    """Note things that are shown but were not found by a search, or are shown under another id."""
    origins = _origins.get()
    if origins is None:
        return
    by_id = _by_id(origins)
    for thing in shown.values():
        by_id.pop(thing.id, None)
    for id, thing in shown.items():
        by_id[id] = {**_origin(thing), "id": id}
    origins[:] = [list(by_id.values())]


def keep(ids: Set[str]) -> None:
    """Forget things that were found but are not shown: all but these."""
    origins = _origins.get()
    if origins is not None:
        kept = ([origin for origin in of_search if origin["id"] in ids] for of_search in origins)
        origins[:] = filter(None, kept)


def of(origins: Origins) -> Mapping[str, Any]:
    """The origins as `_meta` has them."""
    return {KEY: _each(origins)}


def text_of(origins: Origins) -> str:
    """The same as text, one line for each thing, in the order of the answer."""
    return "\n".join(["Sources:", *map(_line, _each(origins))])


def _each(origins: Origins) -> list[Origin]:
    """One origin for each thing: several searches may have found the same one, a single search never finds it twice."""
    return (origins[0] if len(origins) == 1 else list(_by_id(origins).values()))[:MOST]


def _by_id(origins: Origins) -> dict[str, Origin]:
    return {origin["id"]: origin for of_search in origins for origin in of_search}


def _line(origin: Origin) -> str:
    cells = (f"{name}: {value}" for name, value in origin.items() if name != "id")
    # Always one line: a stored name with line breaks could imitate a line of ours.
    return " ".join(f"- {origin['id']} | {' | '.join(cells)}".split())


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
    origin = {"id": memory.id, "storedAt": orjson.dumps(memory.stored_at).decode()[1:-1]}
    if memory.tool is not None:
        origin["tool"] = memory.tool
    if memory.source is not None:
        origin["source"] = memory.source
    if memory.agent_id is not None:
        origin["agent"] = memory.agent_id
    if memory.session_id is not None:
        origin["session"] = memory.session_id
    if memory.scope is not None:
        origin["scope"] = memory.scope
    return origin
