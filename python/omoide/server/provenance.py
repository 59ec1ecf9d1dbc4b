"""Where what a tool found comes from: who stored it, when, by which tool.

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

#: The key in `_meta`.
KEY = "omoide/provenance"
#: Memories told of; no tool shows more.
MOST = 200

_found: ContextVar[dict[str, Memory] | None] = ContextVar("found", default=None)


class Collected:
    """The memories that searches of this thread find while the block runs, by id."""

    __slots__ = ("_before", "_found")

    def __enter__(self) -> dict[str, Memory]:
        found: dict[str, Memory] = {}
        self._before = _found.set(found)
        return found

    def __exit__(self, *_: object) -> None:
        _found.reset(self._before)


def note(recalled: Recalled) -> None:
    """A search has been answered."""
    found = _found.get()
    if found is not None:
        found.update({hit.memory.id: hit.memory for hit in recalled.hits[:MOST]})


def of(memories: Mapping[str, Memory]) -> Mapping[str, Any]:
    """What `_meta` says of them."""
    return {KEY: _told(memories)}


def text_of(memories: Mapping[str, Memory]) -> str:
    """The same, a line a memory in the order of the answer."""
    return "\n".join(["Sources:", *map(_line, _told(memories))])


def _line(told: Mapping[str, str]) -> str:
    cells = (f"{name}: {value}" for name, value in told.items() if name != "id")
    # One line, whatever was stored: no text may look like a line of ours.
    return " ".join(f"- {told['id']} | {' | '.join(cells)}".split())


def _told(memories: Mapping[str, Memory]) -> list[dict[str, str]]:
    shown = list(memories.values())[:MOST]
    # orjson writes times as `isoformat` does, five times as fast.
    times = orjson.loads(orjson.dumps([memory.stored_at for memory in shown]))
    return [_of(memory, at) for memory, at in zip(shown, times, strict=True)]


def _of(memory: Memory, stored_at: str) -> dict[str, str]:
    told = {"id": memory.id, "storedAt": stored_at}
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
