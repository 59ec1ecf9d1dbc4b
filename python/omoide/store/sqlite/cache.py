"""A cache of memories read lately, each valid until its row changes: reading and decoding a row takes longer than the search
that found it.

Useful for: memories that are found again and again, beside writers too. Not useful for: what is not in `changes`.
Invariant: all cached memories are as one committed state has them. The size is bounded.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence

from omoide.model.memory import Memory
from omoide.store.protocol import Standing

#: There are two generations; each holds this many memories, or this many characters in all their fields. With texts of a hundred
#: characters and no other fields, a generation takes 11 MB, and 5 MB more with what tools and server cache on the memories.
MOST_MEMORIES = 8_192
MOST_CHARS = 2_000_000


class MemoryCache:
    """Safe to use from any thread. When the recent generation is full, it becomes the earlier one, and that one is dropped; a
    memory that is asked for again moves to the recent one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._recent: dict[int, Memory] = {}
        self._earlier: dict[int, Memory] = {}
        self._chars = 0
        #: The latest state of the file that is no newer than `standing`.
        self._state: object = None
        #: Where the store stood when the memories were as they are here.
        self.standing = Standing(0, "")

    def get(self, state: object, numbers: Sequence[int]) -> list[Memory | None]:
        """The memories with these numbers, in their order, in a state of the file; None: not cached for it."""
        with self._lock:
            return self._found(numbers) if state == self._state else [None] * len(numbers)

    def get_at(self, standing: Standing, numbers: Sequence[int]) -> list[Memory | None]:
        """The same where the store stands at `standing`."""
        with self._lock:
            return self._found(numbers) if standing == self.standing else [None] * len(numbers)

    def put(self, standing: Standing, memories: Mapping[int, Memory]) -> None:
        """Cache memories as they are where the store stands at `standing`, unless the cache stands elsewhere by now."""
        with self._lock:
            if standing == self.standing:
                for number, memory in memories.items():
                    self._put(number, memory)

    def follow(self, since: Standing, state: object, standing: Standing, changed: Iterable[int] | None) -> None:
        """Go on from `since` to `standing`, which is no older than `state`: drop the memories that have `changed`, all of them for
        None. Does nothing if the cache does not stand at `since` any more."""
        with self._lock:
            if since != self.standing:
                return
            self._state, self.standing = state, standing
            if changed is None:
                self._recent, self._earlier, self._chars = {}, {}, 0
            else:
                for number in changed:
                    self._recent.pop(number, None)
                    self._earlier.pop(number, None)

    def _found(self, numbers: Sequence[int]) -> list[Memory | None]:
        recent, earlier = self._recent, self._earlier
        try:
            return list(map(recent.__getitem__, numbers))
        except KeyError:
            pass
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
        self._chars += _chars(memory)


def _chars(memory: Memory) -> int:
    """About how many characters the fields have that may be long."""
    texts = (memory.text, memory.title, memory.context)
    values = (memory.parameters, memory.frames, memory.extra, memory.tags, memory.links_refs)
    return sum(len(text) for text in texts if text) + sum(len(str(value)) for value in values if value)
