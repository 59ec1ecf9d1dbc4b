"""Memories read lately, kept for as long as nothing is committed: reading and decoding a row takes longer than finding it.

Useful for: what is asked for again and again. Not useful for: a store that is written to all the time; then nothing is
kept, and nothing is lost by it.
Invariant: what is given out is as the store has it in that state. What is kept is bounded.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from omoide.model.memory import Memory

#: So many memories are kept, or fewer when they are long, and as many read before them until these are full: of a hundred
#: characters and with no other fields, 11 MB each, and 5 MB more with what a door and the server note of them.
MOST_MEMORIES = 8_192
MOST_CHARS = 2_000_000


class Kept:
    """Safe from any thread. A memory that is asked for again stays; when there are too many, the others go."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: object = None
        self._recent: dict[int, Memory] = {}
        self._earlier: dict[int, Memory] = {}
        self._chars = 0

    def of(self, state: object, numbers: Sequence[int]) -> list[Memory | None]:
        """Each of the memories; None: it is not kept from that state."""
        with self._lock:
            if state != self._state:
                return [None] * len(numbers)
            try:
                return list(map(self._recent.__getitem__, numbers))
            except KeyError:
                return self._found(numbers)

    def keep(self, state: object, memories: Mapping[int, Memory]) -> None:
        """Memories read in that state."""
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
