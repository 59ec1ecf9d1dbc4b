"""Where what a tool shows comes from: who stored it, when, by which tool.

It travels in the `_meta` of every answer of a tool that reads, beside the shapes of the doors. Where the text of a door
has no place for it, a second block of text says it too.

Useful for: the desk. Not useful for: deciding what is found. Invariant: only what the call itself was shown is told: what
a pinned scope or another tenant hides is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
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

_found: ContextVar[dict[str, Thing] | None] = ContextVar("found", default=None)


class Collected:
    """What searches of this thread find, and what else is shown, while the block runs, by id."""

    __slots__ = ("_before", "_found")

    def __enter__(self) -> dict[str, Thing]:
        found: dict[str, Thing] = {}
        self._before = _found.set(found)
        return found

    def __exit__(self, *_: object) -> None:
        _found.reset(self._before)


def note(recalled: Recalled) -> None:
    """A search has been answered."""
    found = _found.get()
    if found is not None:
        found.update({hit.memory.id: hit.memory for hit in recalled.hits[:MOST]})


def add(shown: Mapping[str, Thing]) -> None:
    """Something is shown besides what searches found, or under another id than they found it under."""
    found = _found.get()
    if found is None:
        return
    for thing in shown.values():
        found.pop(thing.id, None)
    found.update(shown)


def of(things: Mapping[str, Thing]) -> Mapping[str, Any]:
    """What `_meta` says of them."""
    return {KEY: _told(things)}


def text_of(things: Mapping[str, Thing]) -> str:
    """The same, a line a thing in the order of the answer."""
    return "\n".join(["Sources:", *map(_line, _told(things))])


def _line(told: Mapping[str, str]) -> str:
    cells = (f"{name}: {value}" for name, value in told.items() if name != "id")
    # One line, whatever was stored: no text may look like a line of ours.
    return " ".join(f"- {told['id']} | {' | '.join(cells)}".split())


def _told(things: Mapping[str, Thing]) -> list[dict[str, str]]:
    shown = list(things.items())[:MOST]
    # orjson writes times as `isoformat` does, five times as fast.
    times = orjson.loads(
        orjson.dumps([thing.stored_at if isinstance(thing, Memory) else thing.created_at for _, thing in shown])
    )
    return [
        _of_memory(id, thing, at) if isinstance(thing, Memory) else _of_reminder(id, thing, at)
        for (id, thing), at in zip(shown, times, strict=True)
    ]


def _of_reminder(id: str, reminder: Reminder, stored_at: str) -> dict[str, str]:
    return {"id": id, "storedAt": stored_at, "source": "reminder", "scope": reminder.scope}


def _of_memory(id: str, memory: Memory, stored_at: str) -> dict[str, str]:
    told = {"id": id, "storedAt": stored_at}
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
