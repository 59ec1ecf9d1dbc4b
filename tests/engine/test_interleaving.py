"""Calls that one thread answers in turn: each is answered as if it were alone, whatever the others do between."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator, Sized
from contextvars import ContextVar
from functools import partial
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import NoReturn
from weakref import ref

import pytest

from omoide import Memories, _engine
from omoide import open as open_memories
from omoide._engine import EngineError
from omoide.engine.interleaving import (
    DEFERRED_SECONDS,
    WAKE_AT,
    Interleaver,
    Sequential,
    SingleThreadInterleaver,
    ThreadedInterleaver,
)
from omoide.engine.searching import searching
from omoide.model.query import Recalled
from omoide.turns import WouldWait, about_to_wait, never_waiting

TEXTS = (
    "京都で抹茶を飲んだ",
    "在北京喝了绿茶",
    "Tea with Ada in Kyoto",
    "駐車場は地下二階",
    "会议在三楼",
    "The key is under the mat",
)
QUESTIONS = ("抹茶", "绿茶", "tea", "駐車場", "会议", "key")
PATIENCE = 20.0

#: Who searches: threads of the engine, or the thread that answers.
EITHER = pytest.mark.parametrize("make", [ThreadedInterleaver, SingleThreadInterleaver])
Make = Callable[[], Interleaver]


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    with open_memories(tmp_path) as opened:
        for text in TEXTS:
            opened.remember(text)
        opened.recall("tea")
        yield opened


def resume(calls: Interleaver, until: Callable[[], bool]) -> None:
    calls.search_now()
    go_on_unasked(calls, until)


def go_on_unasked(calls: Interleaver, until: Callable[[], bool]) -> None:
    while not until():
        assert select.select([calls], [], [], PATIENCE)[0], "a search never ended"
        calls.resume()


def _has(found: Sized, most: int) -> bool:
    return len(found) == most


@EITHER
def test_what_each_finds_is_what_it_finds_alone(memories: Memories, make: Make) -> None:
    expected = {each: memories.recall(each).hits for each in QUESTIONS}
    calls, found = make(), {}

    def ask(question: str) -> None:
        found[question] = memories.recall(question).hits

    for question in QUESTIONS:
        calls.begin(partial(ask, question))
    assert not found, "all are left where the engine searches"
    resume(calls, lambda: len(found) == len(QUESTIONS))
    assert {each: [hit.memory.text for hit in hits] for each, hits in found.items()} == {
        each: [hit.memory.text for hit in hits] for each, hits in expected.items()
    }
    assert found == expected


@EITHER
@pytest.mark.parametrize("together", [1, 2, WAKE_AT, WAKE_AT + 1, 2 * WAKE_AT])
def test_what_is_begun_in_a_row_is_searched_once_there_is_no_more(
    memories: Memories, make: Make, together: int
) -> None:
    calls, found = make(), list[str]()

    def ask(question: str) -> None:
        found.append(memories.recall(question).hits[0].memory.text)

    for question in QUESTIONS[:together]:
        calls.begin(partial(ask, question))
    resume(calls, partial(_has, found, together))
    assert sorted(found) == sorted(TEXTS[:together])


def test_so_many_that_a_thread_is_busy_with_them_wait_for_no_others(memories: Memories) -> None:
    calls, found = ThreadedInterleaver(), list[Recalled]()
    for question in QUESTIONS[:WAKE_AT]:
        calls.begin(lambda question=question: found.append(memories.recall(question)))  # type: ignore[misc]
    go_on_unasked(calls, partial(_has, found, WAKE_AT))


def test_a_search_does_not_wait_for_calls_behind_it_that_need_none(memories: Memories) -> None:
    calls, found = ThreadedInterleaver(), list[Recalled]()
    for times in range(1, 4):  # a thread that has not slept yet needs nobody to wake it
        calls.begin(lambda: found.append(memories.recall("tea")))
        calls.begin(lambda: None)
        go_on_unasked(calls, partial(_has, found, times))


@EITHER
def test_what_is_committed_after_one_has_looked_is_seen_by_the_next(
    memories: Memories, tmp_path: Path, make: Make
) -> None:
    with open_memories(tmp_path) as other:
        for number in range(4):
            calls, found = make(), {}

            def ask(when: str, question: str, found: dict[str, Recalled] = found) -> None:
                found[when] = memories.recall(question)

            text = f"新しい鍵は{number}番の箱"
            calls.begin(partial(ask, "before", "抹茶"))
            other.remember(text)
            calls.begin(partial(ask, "after", text))
            resume(calls, partial(_has, found, 2))
            assert found["after"].hits[0].memory.text == text
            assert found["before"].as_of <= found["after"].as_of


@EITHER
def test_what_a_call_is_told_by_context_stays_its_own(memories: Memories, make: Make) -> None:
    whose: ContextVar[str] = ContextVar("whose", default="nobody")
    calls, seen = make(), []

    def ask(name: str) -> None:
        whose.set(name)
        with never_waiting():
            memories.recall("tea")
            seen.append((name, whose.get()))
            with pytest.raises(WouldWait):
                about_to_wait()

    for name in ("山田", "王", "Ada"):
        calls.begin(partial(ask, name))
    about_to_wait()  # which those who must not have said of themselves alone
    resume(calls, lambda: len(seen) == 3)
    assert sorted(seen) == [("Ada", "Ada"), ("山田", "山田"), ("王", "王")]
    assert whose.get() == "nobody"


@EITHER
def test_what_the_engine_refuses_is_raised_where_it_was_asked(make: Make) -> None:
    calls, engine, refused = make(), _engine.Engine(dimensions=4), []

    def ask() -> None:
        with pytest.raises(EngineError, match="4") as caught:
            searching.get()(engine, _engine.Query.of(_engine.Question("茶"), vector=b"\0" * 4 * 3))
        refused.append(caught.value)

    calls.begin(ask)
    calls.begin(ask)
    resume(calls, lambda: len(refused) == 2)


@EITHER
def test_there_is_something_to_read_only_while_there_is_a_call_to_go_on_with(memories: Memories, make: Make) -> None:
    calls = make()
    found: list[Recalled] = []

    def ask(question: str) -> None:
        found.append(memories.recall(question))

    for _ in range(30):
        assert not select.select([calls], [], [], 0)[0]
        for question in QUESTIONS[:3]:
            calls.begin(partial(ask, question))
        calls.search_now()
        while len(found) % 3 or not found:
            assert select.select([calls], [], [], PATIENCE)[0]
            calls.resume()
        calls.resume()
        found.clear()


@EITHER
def test_a_call_that_has_ended_without_a_search_has_ended_at_once(make: Make) -> None:
    calls, done = make(), []
    calls.begin(lambda: done.append(threading.current_thread()))
    assert done == [threading.current_thread()]


def test_how_long_a_call_has_had_the_thread_is_told_without_what_others_had_it_for(memories: Memories) -> None:
    now = count()
    calls, thread_seconds = ThreadedInterleaver(clock=lambda: float(next(now))), {}

    def ask(name: str, looks: int) -> None:
        for _ in range(looks):
            calls.thread_seconds()
        memories.recall("tea")
        thread_seconds[name] = calls.thread_seconds()

    calls.begin(partial(ask, "short", 0))
    calls.begin(partial(ask, "long", 10))
    resume(calls, lambda: len(thread_seconds) == 2)
    assert thread_seconds["short"] == 2, "the clock goes on by one each time that somebody looks"
    assert thread_seconds["long"] == 12


def test_together_all_are_searched_for_before_any_is_gone_on_with() -> None:
    calls, order = SingleThreadInterleaver(), []

    class Told:
        def search(self, query: str) -> str:
            order.append(f"search {query}")
            return query

    def ask(question: str) -> None:
        search: Callable[[Told, str], str] = searching.get()
        order.append(f"found {search(Told(), question)}")

    for question in ("抹茶", "绿茶", "tea"):
        calls.begin(partial(ask, question))
    assert not order
    calls.resume()
    assert order == ["search 抹茶", "search 绿茶", "search tea", "found 抹茶", "found 绿茶", "found tea"]


class Echo:
    """Searches that find what they ask for."""

    def search(self, query: str) -> str:
        return query


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0, ["found 抹茶", "found 绿茶", "found tea", "told 抹茶", "told 绿茶", "told tea"]),
        (DEFERRED_SECONDS, ["found 抹茶", "found 绿茶", "told 抹茶", "told 绿茶", "found tea", "told tea"]),
    ],
)
def test_what_is_done_afterwards_is_done_behind_all_that_are_gone_on_with_or_after_a_while(
    seconds: float, expected: list[str]
) -> None:
    now, order = [0.0], list[str]()
    calls = SingleThreadInterleaver(clock=lambda: now[0])

    def ask(question: str) -> None:
        search: Callable[[Echo, str], str] = searching.get()
        order.append(f"found {search(Echo(), question)}")
        now[0] += seconds * 0.75
        calls.defer(order.append, f"told {question}")

    for question in ("抹茶", "绿茶", "tea"):
        calls.begin(partial(ask, question))
    calls.resume()
    assert order == expected


@pytest.mark.parametrize("make", [Sequential, ThreadedInterleaver, SingleThreadInterleaver])
def test_what_is_done_afterwards_is_done_at_once_where_no_call_is_gone_on_with(
    make: Callable[[], Sequential | Interleaver],
) -> None:
    calls, done = make(), list[str]()

    def ask() -> None:
        calls.defer(done.append, "茶")
        assert done == ["茶"]

    calls.begin(ask)
    calls.resume()
    assert done == ["茶"]


@EITHER
def test_nothing_is_waited_for_to_tell_nobody_anything(memories: Memories, make: Make) -> None:
    calls, over = make(), list[str]()

    def ask() -> None:
        over.append(memories.recall("tea").hits[0].memory.text)

    def never() -> NoReturn:
        raise AssertionError

    calls.begin(ask)
    calls.search_now()
    assert select.select([calls], [], [], PATIENCE)[0], "a search never ended"
    calls.resume(never)
    assert over


@EITHER
def test_who_hears_of_his_call_may_begin_another(memories: Memories, make: Make) -> None:
    calls, found = make(), list[str]()

    def ask(question: str) -> None:
        calls.defer(told, memories.recall(question).hits[0].memory.text)

    def told(text: str) -> None:
        found.append(text)
        if len(found) < len(QUESTIONS):
            calls.begin(partial(ask, QUESTIONS[len(found)]))
            calls.search_now()

    calls.begin(partial(ask, QUESTIONS[0]))
    resume(calls, lambda: len(found) == len(QUESTIONS))
    assert found == [memories.recall(each).hits[0].memory.text for each in QUESTIONS]


def test_together_a_call_has_had_the_thread_while_it_was_searched_for_too(memories: Memories) -> None:
    now = count()
    calls, thread_seconds = SingleThreadInterleaver(clock=lambda: float(next(now))), []

    def ask() -> None:
        memories.recall("tea")
        thread_seconds.append(calls.thread_seconds())

    calls.begin(ask)
    calls.begin(ask)
    resume(calls, lambda: len(thread_seconds) == 2)
    assert thread_seconds == [3, 3], "the clock goes on by one each time that somebody looks"


@EITHER
@pytest.mark.parametrize("what", ["no search", "a search that has ended", "a search that goes on"])
def test_calls_that_nobody_has_any_more_are_freed_with_what_was_left_in_them(
    memories: Memories, what: str, make: Make
) -> None:
    calls = make()
    gone, over = ref(calls), list[str]()

    def ask() -> None:
        try:
            if what != "no search":
                memories.recall("tea")
        finally:
            over.append(what)

    calls.begin(ask)
    calls.search_now()
    if what == "a search that has ended":
        resume(calls, partial(_has, over, 1))
    assert len(over) == (what != "a search that goes on")
    del calls
    assert gone() is None
    assert over == [what]
    assert memories.recall("tea").hits


@EITHER
def test_no_pipe_is_left_open_once_the_object_is_gone(make: Make) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    make()
    before, until = open_files(), monotonic() + PATIENCE
    for _ in range(8):
        make()
    while open_files() > before and monotonic() < until:
        sleep(0.01)  # the engine's threads close their ends when they end
    assert open_files() <= before


def test_alone_each_is_done_to_its_end(memories: Memories) -> None:
    calls = Sequential()
    found: list[str] = []

    def ask(question: str) -> None:
        found.append(memories.recall(question).hits[0].memory.text)

    for question in QUESTIONS:
        calls.begin(partial(ask, question))
    calls.resume()
    assert tuple(found) == TEXTS
    assert calls.fileno() is None
