"""A cache of memories read lately, valid until something is committed: reading and decoding a row takes longer than the search
that found it.

Useful for: memories that are found again and again. Not useful for: a store that is written to all the time; the cache is then
always empty, at no cost.
Invariant: a cached memory is as the store has it in that state. The size is bounded.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from omoide.model.memory import Memory

#: There are two generations; each holds this many memories, or texts of this many characters. With texts of a hundred
#: characters and no other fields, a generation takes 11 MB, and 5 MB more with what tools and server cache on the memories.
MOST_MEMORIES = 8_192
MOST_CHARS = 2_000_000


class MemoryCache:
    """Safe to use from any thread. When the recent generation is full, it becomes the earlier one, and that one is dropped; a
    memory that is asked for again moves to the recent one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: object = None
        self._recent: dict[int, Memory] = {}
        self._earlier: dict[int, Memory] = {}
        self._chars = 0

    def get(self, state: object, numbers: Sequence[int]) -> list[Memory | None]:
        """The memories with these numbers, in their order; None: not cached for that state."""
        with self._lock:
            if state != self._state:
                return [None] * len(numbers)
            try:
                return list(map(self._recent.__getitem__, numbers))
            except KeyError:
                return self._found(numbers)

    def put(self, state: object, memories: Mapping[int, Memory]) -> None:
        """Cache memories read in that state; memories of another state are dropped."""
        with self._lock:
            if state != self._state:
                self._state, self._recent, self._earlier, self._chars = state, {}, {}, 0
            for number, memory in memories.items():
                self._put(number, memory)

    def _found(self, numbers: Sequence[int]) -> list[Memory | None]:
        recent, earlier = self._recent, self._earlier
        found = {number: recent[number] for number in numbers if number in recent}
        for number in numbers:
            if (memory := earlier.pop(number, None)) is not None:
                found[number] = memory
                self._put(number, memory)
        return list(map(found.get, numbers))

    def _put(self, number: int, memory: Memory) -> None:
        if len(self._recent) >= MOST_MEMORIES or self._chars >= MOST_CHARS:
            self._earlier, self._recent, self._chars = self._recent, {}, 0
        self._recent[number] = memory
        self._chars += len(memory.text)
