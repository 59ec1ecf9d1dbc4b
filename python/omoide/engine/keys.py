"""How store rows are named inside the engine: one 64-bit key space for memories and entities.

A node (contextplus) is not a place of its own in the graph: it stands where the memory stands that holds its content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def memory_key(number: int) -> int:
    """The engine's key of memory row `number`."""
    return number << 1


def entity_key(number: int) -> int:
    """The engine's key of entity row `number`."""
    return number << 1 | 1


def is_memory(key: int) -> bool:
    """Whether the key names a memory (else an entity)."""
    return key & 1 == 0


def row_number(key: int) -> int:
    """The store's row number behind a key."""
    return key >> 1


# Of a whole page, asked by every search: to call the functions above for each key would take several times as long.


def row_numbers(keys: Sequence[int]) -> tuple[list[int], list[int]]:
    """The store's row numbers behind keys: those of memories, those of entities."""
    return [key >> 1 for key in keys if not key & 1], [key >> 1 for key in keys if key & 1]


def by_memory_key(memories: Mapping[int, Thing]) -> dict[int, Thing]:
    """What stands under numbers of memory rows, under the engine's keys of them."""
    return {number << 1: memory for number, memory in memories.items()}
