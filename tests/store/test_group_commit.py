"""Threads that write at the same time share a commit, and each is told the truth about its own part."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from omoide.errors import InvalidArgument, StoreError, StoreFull
from omoide.model.memory import Draft
from omoide.store.sqlite import SqliteStore
from omoide.turns import Turn, Turns

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
TEXTS = {"ja": "会議は三時から", "zh": "会议从三点开始", "en": "the meeting starts at three"}


def together(*works: Callable[[], None]) -> list[BaseException | None]:
    """Run the works in threads, which begin in this order while the first still writes; what each raised."""
    raised: list[BaseException | None] = [None] * len(works)

    def run(at: int) -> None:
        try:
            works[at]()
        except BaseException as error:
            raised[at] = error

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


class Crowd:
    """Writers who begin while one holds the store, so that they share its transaction. Each of the `others` lends out its turn
    as soon as it waits for the store, and so tells the first."""

    def __init__(self, store: SqliteStore, others: int) -> None:
        self.store = store
        self.others = others
        self.turns = Turns(others)
        self.inside = threading.Barrier(others + 1, timeout=20)
        self.seen: list[bool] = []

    def first(self, error: BaseException | None = None) -> None:
        """Write, once all the others wait; raise `error` at the end."""
        with self.store.write() as writer:
            self.inside.wait()
            assert all(self.turns.take(20) for _ in range(self.others))
            writer.put_memory(Draft(id="first", text=TEXTS["en"]), now=NOW)
            if error is not None:
                raise error

    def other(self, id: str, text: str, error: BaseException | None = None) -> None:
        """Write after the first; raise `error` at the end."""
        Turn(self.turns).begin()
        self.inside.wait()
        with self.store.write() as writer:
            writer.put_memory(Draft(id=id, text=text), now=NOW)
            self.seen.append(writer.memory("first") is not None)
            if error is not None:
                raise error


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(":memory:" if request.param == "memory" else tmp_path / "omoide.db") as store:
        yield store


def found(store: SqliteStore) -> set[str]:
    with store.read() as reader:
        return {memory.id for memory in reader.memories(["first", *TEXTS])}


def test_what_threads_write_together_is_all_there(store: SqliteStore) -> None:
    crowd = Crowd(store, others=3)
    works = [lambda id=id, text=text: crowd.other(id, text) for id, text in TEXTS.items()]
    assert together(crowd.first, *works) == [None] * 4
    assert found(store) == {"first", *TEXTS}
    assert crowd.seen == [True] * 3, "what was written before in the group is seen"
    assert store.last_seq() == 4


def test_one_that_fails_is_undone_alone(store: SqliteStore) -> None:
    crowd = Crowd(store, others=3)
    refused = InvalidArgument("text", "だめ")
    raised = together(
        crowd.first,
        lambda: crowd.other("ja", TEXTS["ja"]),
        lambda: crowd.other("zh", TEXTS["zh"], error=refused),
        lambda: crowd.other("en", TEXTS["en"]),
    )
    assert raised == [None, None, refused, None]
    assert found(store) == {"first", "ja", "en"}


def test_when_the_second_fails_the_first_is_written_all_the_same(store: SqliteStore) -> None:
    crowd = Crowd(store, others=1)
    refused = InvalidArgument("text", "いけない")
    assert together(crowd.first, lambda: crowd.other("ja", TEXTS["ja"], error=refused)) == [None, refused]
    assert found(store) == {"first"}
    assert store.last_seq() == 1


def test_when_the_first_fails_the_others_are_written_all_the_same(store: SqliteStore) -> None:
    crowd = Crowd(store, others=3)
    refused = InvalidArgument("text", "不行")
    works = [lambda id=id, text=text: crowd.other(id, text) for id, text in TEXTS.items()]
    assert together(lambda: crowd.first(error=refused), *works) == [refused, None, None, None]
    assert found(store) == set(TEXTS)
    assert store.last_seq() == 3


def test_when_the_disk_is_full_everybody_in_the_group_is_told(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "omoide.db", max_bytes=600_000) as store:
        crowd = Crowd(store, others=2)
        raised = together(crowd.first, lambda: crowd.other("ja", "会" * 400_000), lambda: crowd.other("zh", "议"))
        assert all(isinstance(error, StoreError) for error in raised if error is not None)
        assert any(isinstance(error, StoreFull) for error in raised)
        told = {id for id, error in zip(("first", "ja", "zh"), raised, strict=True) if error is None}
        assert found(store) == told, "who was not told of a failure is there, and nobody else"
