"""How store rows are named inside the engine: one 64-bit key space for memories and entities.

A node (contextplus) is not a place of its own in the graph: it stands where the memory stands that holds its content.
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
    """The store's row number behind a key."""
    return key >> 1


def row_numbers(keys: Iterable[int]) -> list[int]:
    """Those behind a whole page of keys: asked by every search, without a step of Python for each."""
    return list(map(rshift, keys, repeat(1)))
