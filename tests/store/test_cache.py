"""Memories are cached as long as they are true, and no more of them than fit."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide.model.memory import Draft, Memory
from omoide.store.protocol import Standing
from omoide.store.sqlite import SqliteStore
from omoide.store.sqlite.cache import MOST_CHARS, MOST_MEMORIES, MemoryCache

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)


def memories(numbers: range, **fields: Any) -> Mapping[int, Memory]:
    common = {"text": "抹茶", "stored_at": NOW, "updated_at": NOW, **fields}
    return {each: Memory(id=str(each), number=each, **common) for each in numbers}


def at(seq: int) -> Standing:
    return Standing(seq, "巻一")


def followed(state: object, standing: Standing) -> MemoryCache:
    cache = MemoryCache()
    cache.follow(cache.standing, state, standing, None)
    return cache


def test_only_what_has_changed_is_dropped() -> None:
    cache, three = followed("one", at(5)), memories(range(3))
    cache.put(at(5), three)
    assert cache.get("one", range(4)) == cache.get_at(at(5), range(4)) == [three[0], three[1], three[2], None]
    cache.follow(at(5), "two", at(7), [1, 9])
    assert cache.get("one", range(3)) == cache.get_at(at(5), range(3)) == [None] * 3
    assert cache.get("two", [2, 1, 0]) == cache.get_at(at(7), [2, 1, 0]) == [three[2], None, three[0]]
    cache.follow(at(7), "three", at(8), None)
    assert cache.get("three", range(3)) == [None] * 3


def test_what_was_read_elsewhere_is_not_kept() -> None:
    cache, three = followed("one", at(5)), memories(range(3))
    cache.put(at(4), three)
    cache.put(at(6), three)
    cache.put(Standing(5, "巻二"), three)
    assert cache.get("one", range(3)) == [None] * 3
    cache.put(at(5), three)
    cache.follow(at(4), "two", at(7), [])
    assert cache.get("two", range(3)) == [None] * 3, "what has changed between 4 and 5 is not known"
    assert all(cache.get("one", range(3)))


LONG = "茶" * (MOST_CHARS // 10)
MANY_OR_LONG: Mapping[str, tuple[Mapping[str, Any], int]] = {
    "many": ({"text": "抹茶"}, MOST_MEMORIES),
    "long texts": ({"text": LONG}, 10),
    "long contexts": ({"context": LONG}, 10),
    "long extra": ({"extra": {"source": [LONG]}}, 10),
    "long frames": ({"frames": {"思考": LONG}}, 10),
}


@pytest.mark.parametrize(("fields", "most"), MANY_OR_LONG.values(), ids=MANY_OR_LONG.keys())
def test_what_was_asked_for_lately_stays_and_the_rest_is_bounded(fields: Mapping[str, Any], most: int) -> None:
    cache = followed("one", at(5))
    for number in range(3 * most):
        cache.put(at(5), memories(range(number, number + 1), **fields))
        assert all(cache.get("one", [0])), "asked for again and again"
    assert len(list(filter(None, cache.get("one", range(3 * most))))) <= 2 * most
    cache.follow(at(5), "two", at(6), range(3 * most))
    assert not any(cache.get("two", range(3 * most))), "recent and earlier ones alike"


def test_nothing_outlives_a_restored_store(tmp_path: Path) -> None:
    file, backup, other = (tmp_path / name for name in ("store.db", "backup.db", "other.db"))
    with SqliteStore(file) as store, store.write() as writer:
        number = writer.put_memory(Draft(id="m", text="抹茶"), now=NOW).number
    shutil.copy(file, backup)
    with SqliteStore(file) as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="m", text="We parked on level two"), now=NOW)
        before = store.memories([number])
        shutil.copy(backup, other)
        with SqliteStore(other) as restored, restored.write() as writer:
            writer.put_memory(Draft(id="m", text="停车在二层"), now=NOW)
        for each in ("store.db-wal", "store.db-shm"):
            (tmp_path / each).unlink(missing_ok=True)
        other.replace(file)
        after = store.memories([number])
    assert [each and each.text for each in (*before, *after)] == ["We parked on level two", "停车在二层"]
