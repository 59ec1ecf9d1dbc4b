"""Memories are kept as long as they are true, and no more of them than fit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone

import pytest

from omoide.model.memory import Memory
from omoide.store.sqlite.cache import MOST_CHARS, MOST_MEMORIES, MemoryCache

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)


def memories(numbers: range, text: str = "抹茶") -> Mapping[int, Memory]:
    return {each: Memory(id=str(each), number=each, text=text, stored_at=NOW, updated_at=NOW) for each in numbers}


def test_another_state_begins_with_nothing() -> None:
    cache = MemoryCache()
    three = memories(range(3))
    cache.put("one", three)
    assert cache.get("one", range(4)) == [three[0], three[1], three[2], None]
    assert cache.get("two", range(4)) == [None] * 4
    cache.put("two", three)
    assert cache.get("two", [2, 0]) == [three[2], three[0]]


@pytest.mark.parametrize(
    ("text", "most"), [("抹茶", MOST_MEMORIES), ("x" * (MOST_CHARS // 10), 10)], ids=["many", "long"]
)
def test_what_was_asked_for_lately_stays_and_the_rest_is_bounded(text: str, most: int) -> None:
    cache = MemoryCache()
    for number in range(3 * most):
        cache.put("one", memories(range(number, number + 1), text))
        assert all(cache.get("one", [0])), "asked for again and again"
    assert len(list(filter(None, cache.get("one", range(3 * most))))) <= 2 * most
