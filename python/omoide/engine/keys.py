"""The engine's keys of store rows: one 64-bit key space for memories and entities.

A node (contextplus) has no key of its own: in the graph, the memory that holds its content takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from operator import rshift


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
    """The row number of a key in the store."""
    return key >> 1


def row_numbers(keys: Iterable[int]) -> list[int]:
    """The row numbers of many keys. Every search needs them, so no Python code runs for each."""
    return list(map(rshift, keys, repeat(1)))
