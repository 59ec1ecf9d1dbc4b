"""Memories are kept as long as they are true, and no more of them than fit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone

import pytest

from omoide.model.memory import Memory
from omoide.store.sqlite.kept import MOST_CHARS, MOST_MEMORIES, Kept

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)


def memories(numbers: range, text: str = "抹茶") -> Mapping[int, Memory]:
    return {each: Memory(id=str(each), number=each, text=text, stored_at=NOW, updated_at=NOW) for each in numbers}


def test_another_state_begins_with_nothing() -> None:
    kept = Kept()
    kept.keep("one", memories(range(3)))
    assert kept.of("one", range(5)).keys() == {0, 1, 2}
    assert kept.of("two", range(5)) == {}
    kept.keep("two", memories(range(1)))
    assert kept.of("two", range(5)).keys() == {0}


@pytest.mark.parametrize(
    ("text", "most"), [("抹茶", MOST_MEMORIES), ("x" * (MOST_CHARS // 10), 10)], ids=["many", "long"]
)
def test_what_was_asked_for_lately_stays_and_the_rest_is_bounded(text: str, most: int) -> None:
    kept = Kept()
    for number in range(3 * most):
        kept.keep("one", memories(range(number, number + 1), text))
        assert kept.of("one", [0]).keys() == {0}, "asked for again and again"
    assert len(kept.of("one", range(3 * most))) <= 2 * most
