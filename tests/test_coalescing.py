"""Calls that have come together are told by one look; nobody is told what is older than his coming."""

from __future__ import annotations

from itertools import count
from time import perf_counter

import pytest

from omoide.coalescing import SharedCheck, arrived_at, changed


def test_who_came_before_a_look_need_not_look_again() -> None:
    look, looked = SharedCheck[int](), count()
    with arrived_at(perf_counter()):
        assert [look.latest(looked.__next__) for _ in range(3)] == [0, 0, 0]
    with arrived_at(perf_counter()):
        assert look.latest(looked.__next__) == 1, "who comes later looks"
    assert look.latest(looked.__next__) == 2, "and so does who does not tell when he came"


def test_a_look_counts_from_when_it_began() -> None:
    """What is asked may have been answered before whatever came while it was being asked."""
    look, looked = SharedCheck[int](), count()
    came: list[float] = []

    def slowly() -> int:
        came.append(perf_counter())
        return next(looked)

    with arrived_at(perf_counter()):
        assert look.latest(slowly) == 0
    with arrived_at(came[0]):
        assert look.latest(slowly) == 1


def test_who_has_changed_something_looks_again() -> None:
    look, looked = SharedCheck[int](), count()
    came = perf_counter()
    with arrived_at(came):
        assert look.latest(looked.__next__) == 0
        changed()
        assert look.latest(looked.__next__) == 1
    with arrived_at(came):
        assert look.latest(looked.__next__) == 1, "others who came then are told what was seen last"


def test_a_look_that_fails_is_not_the_last() -> None:
    look = SharedCheck[str]()
    came = perf_counter()

    def fails() -> str:
        raise OSError("見えない")

    with arrived_at(came):
        with pytest.raises(OSError, match="見えない"):
            look.latest(fails)
        assert look.latest(lambda: "看见") == "看见"
