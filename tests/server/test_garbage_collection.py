"""What a process that serves does with objects that hold one another."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.cli import main, serve
from omoide.server import garbage_collection


class _Held:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def settled() -> Iterator[None]:
    before = gc.get_threshold()
    garbage_collection.settle()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("settled")
def test_the_objects_of_a_search_are_not_looked_through_while_it_runs() -> None:
    gc.collect()
    before = [each["collections"] for each in gc.get_stats()]
    alive = [[number] for number in range(garbage_collection.YOUNG // 2)]

    assert [each["collections"] for each in gc.get_stats()] == before
    assert len(alive) == garbage_collection.YOUNG // 2


@pytest.mark.usefixtures("settled")
def test_what_holds_itself_is_let_go_of_still() -> None:
    gone = weakref.ref(_Held())
    alive = [[number] for number in range(garbage_collection.YOUNG * 2)]

    assert gone() is None
    assert len(alive) == garbage_collection.YOUNG * 2


@pytest.mark.usefixtures("settled")
def test_what_was_there_before_is_not_looked_at_again() -> None:
    assert gc.get_freeze_count() > len(gc.get_objects())


def test_nothing_is_looked_through_until_everything_is_loaded() -> None:
    before = gc.get_threshold()
    with garbage_collection.paused():
        assert not gc.isenabled()
        garbage_collection.settle()
        assert gc.isenabled()
    gc.unfreeze()
    gc.set_threshold(*before)


def test_a_server_that_cannot_begin_leaves_the_collector_at_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at_work: list[bool] = []

    def refuse(*_: object) -> None:
        at_work.append(gc.isenabled())
        raise OSError("茶")

    monkeypatch.setattr(serve, "_serve", refuse)
    assert main(["serve", "--data", str(tmp_path)]) == 1
    assert [*at_work, gc.isenabled()] == [False, True]
