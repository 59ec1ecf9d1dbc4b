"""omoide (思い出): memory search for AI agents, in Japanese, Chinese and English.

    import omoide
    with omoide.open("notes") as memories:
        memories.remember("昨日、京都で抹茶を飲んだ。", tags=["旅行"])
        memories.recall("京都のお茶").hits[0].memory.text

Every deliberate error is an OmoideError: it says what was understood and what to do next.
Public names are loaded on first use, so that `import omoide` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omoide.app import open_memories as open
    from omoide.errors import (
        Conflict,
        InvalidArgument,
        NotAllowed,
        NotFound,
        OmoideError,
        StoreBusy,
        StoreError,
        StoreFull,
        StoreReadOnly,
        StoreTooNew,
        StoreUnreachable,
        Unavailable,
    )
    from omoide.memory import Memories, Remembered
    from omoide.model.condition import (
        All,
        Condition,
        Contains,
        Either,
        Equals,
        Lasting,
        Missing,
        Not,
        OneOf,
        Under,
        Within,
    )
    from omoide.model.entity import Entity, NodeDraft
    from omoide.model.memory import Archetype, Draft, EventTime, Memory, Status
    from omoide.model.query import Hit, NeighbourWalk, Query, RankWalk, Recalled, Weights, Why
    from omoide.model.relation import Ref, Relation
    from omoide.model.reminder import Reminder
    from omoide.model.thread import Thread

    __version__: str

#: Where each public name lives: (module, name there).
_PLACES = {
    name: (module, name)
    for module, names in {
        "omoide.errors": "Conflict InvalidArgument NotAllowed NotFound OmoideError StoreBusy StoreError StoreFull StoreReadOnly "
        "StoreTooNew StoreUnreachable Unavailable",
        "omoide.memory": "Memories Remembered",
        "omoide.model.condition": "All Either Condition Contains Equals Lasting Missing Not OneOf Under Within",
        "omoide.model.entity": "Entity NodeDraft",
        "omoide.model.memory": "Archetype Draft EventTime Memory Status",
        "omoide.model.query": "Hit NeighbourWalk Query RankWalk Recalled Weights Why",
        "omoide.model.relation": "Ref Relation",
        "omoide.model.reminder": "Reminder",
        "omoide.model.thread": "Thread",
    }.items()
    for name in names.split()
} | {"open": ("omoide.app", "open_memories")}

__all__ = [
    "All",
    "Archetype",
    "Condition",
    "Conflict",
    "Contains",
    "Draft",
    "Either",
    "Entity",
    "Equals",
    "EventTime",
    "Hit",
    "InvalidArgument",
    "Lasting",
    "Memories",
    "Memory",
    "Missing",
    "NeighbourWalk",
    "NodeDraft",
    "Not",
    "NotAllowed",
    "NotFound",
    "OmoideError",
    "OneOf",
    "Query",
    "RankWalk",
    "Recalled",
    "Ref",
    "Relation",
    "Remembered",
    "Reminder",
    "Status",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "StoreTooNew",
    "StoreUnreachable",
    "Thread",
    "Unavailable",
    "Under",
    "Weights",
    "Why",
    "Within",
    "__version__",
    "open",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from omoide.installed import version_of

        return version_of("omoide") or "0+unknown"
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PLACES[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
