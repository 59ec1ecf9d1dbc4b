"""Work that takes too long is answered for, and another thread takes its place."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from time import monotonic, sleep
from typing import NoReturn

import pytest

from omoide.errors import Unavailable
from omoide.families.tool import Result
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.scheduling.workers import (
    LONG_SECONDS,
    SWITCH_SECONDS_BESIDE_LONG,
    VERY_LONG_SECONDS,
    Workers,
)
from omoide.turns import waiting
from tests.conftest import Clock
from tests.server.test_recent_durations import call, tool

PATIENCE = 20.0


class Quick:
    """Work of a thread of its own that is over as soon as it is begun."""

    since = 0.0

    def reply(self, result: object) -> None:
        """See Watched."""

    def timeout_result(self) -> None:
        """See Watched."""


class Slow:
    """Work of a thread of its own that tells when it is late."""

    since = 0.0

    def __init__(self, told: SimpleQueue[str], name: str) -> None:
        self._told = told
        self._name = name

    def reply(self, result: object) -> None:
        """See Watched."""
        self._told.put(self._name)

    def timeout_result(self) -> None:
        """See Watched."""


class Seconds:
    """A clock that stands still until told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_takes_too_long_is_told_once_and_does_not_hold_up_the_next() -> None:
    told: SimpleQueue[str] = SimpleQueue()
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    clock = Seconds()
    workers = Workers(1, 1, 60.0, clock)

    def slow() -> str:
        begun.set()
        go_on.wait(PATIENCE)
        ended.set()
        return "記憶が見つかった"

    workers.submit(slow, told.put, lambda: "太慢了")
    workers.submit(lambda: "next", told.put, lambda: "never")
    assert begun.wait(PATIENCE)
    workers.check()
    assert told.empty(), "nothing is late yet"
    clock.now = 61.0
    workers.check()
    assert {told.get(timeout=PATIENCE), told.get(timeout=PATIENCE)} == {"太慢了", "next"}
    go_on.set()
    assert ended.wait(PATIENCE)
    workers.submit(lambda: "last", told.put, lambda: "never")
    assert told.get(timeout=PATIENCE) == "last"
    assert told.empty()


def test_as_many_run_at_once_as_there_are_threads_and_no_more() -> None:
    workers = Workers(2, 2)
    inside, most = threading.Barrier(2), threading.Semaphore(2)
    told: SimpleQueue[bool] = SimpleQueue()

    def work() -> bool:
        within = most.acquire(blocking=False)
        inside.wait(PATIENCE)
        most.release()
        return within

    for _ in range(6):
        workers.submit(work, told.put, lambda: False)
    assert all(told.get(timeout=PATIENCE) for _ in range(6))


def test_what_waits_lets_others_go_on_though_one_alone_may_be_at_work() -> None:
    workers = Workers(3, 1)
    told: SimpleQueue[str] = SimpleQueue()
    together = threading.Barrier(3)

    def work(name: str) -> str:
        with waiting():
            together.wait(PATIENCE)  # nobody passes before all three wait
        return name

    for name in ("待つ", "等待", "wait"):
        workers.submit(partial(work, name), told.put, lambda: "never")
    assert {told.get(timeout=PATIENCE) for _ in range(3)} == {"待つ", "等待", "wait"}


def test_one_after_the_other_is_at_work_where_one_alone_may_be() -> None:
    workers = Workers(4, 1, clock=Seconds())  # by a clock that goes, a machine that pauses makes one of them long
    told: SimpleQueue[bool] = SimpleQueue()
    alone = threading.Lock()

    def work() -> bool:
        was_alone = alone.acquire(blocking=False)
        if was_alone:
            threading.Event().wait(0.001)
            alone.release()
        return was_alone

    for _ in range(12):
        workers.submit(work, told.put, lambda: False)
    assert all(told.get(timeout=PATIENCE) for _ in range(12))


def test_what_takes_long_does_not_keep_others_waiting() -> None:
    clock = Seconds()
    workers = Workers(2, 1, clock=clock)
    told: SimpleQueue[str] = SimpleQueue()
    begun, go_on = threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        go_on.wait(PATIENCE)
        return "長い仕事"

    workers.submit(long, told.put, lambda: "never")
    assert begun.wait(PATIENCE)
    workers.submit(lambda: "short", told.put, lambda: "never")
    clock.now = 2 * LONG_SECONDS
    workers.check()
    assert told.get(timeout=PATIENCE) == "short"
    go_on.set()
    assert told.get(timeout=PATIENCE) == "長い仕事"
    workers.submit(lambda: "下一个", told.put, lambda: "never")
    assert told.get(timeout=PATIENCE) == "下一个"


def test_beside_what_takes_long_others_have_the_interpreter_sooner_until_it_has_ended() -> None:
    clock = Seconds()
    workers = Workers(1, 1, clock=clock)
    told: SimpleQueue[str] = SimpleQueue()
    begun, go_on = threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        go_on.wait(PATIENCE)
        return "長い仕事"

    def kept() -> float:
        workers.check()
        return sys.getswitchinterval()

    usually = sys.getswitchinterval()
    workers.submit(long, told.put, lambda: "never")
    assert begun.wait(PATIENCE)
    assert kept() == usually, "nothing has taken long yet"
    clock.now = 2 * LONG_SECONDS
    assert kept() == usually, "it may be a batch"
    clock.now = 2 * VERY_LONG_SECONDS
    assert kept() == pytest.approx(SWITCH_SECONDS_BESIDE_LONG)
    go_on.set()
    assert told.get(timeout=PATIENCE) == "長い仕事"
    assert kept() == usually


@pytest.mark.parametrize(
    ("read_only", "said"), [(True, "was given up. Ask for less"), (False, "may still be carried out. Look whether")]
)
def test_a_call_that_takes_too_long_says_what_to_do_next(read_only: bool, said: str, clock: Clock) -> None:
    go_on = threading.Event()

    def slow() -> str:
        go_on.wait(PATIENCE)
        return "too late"

    tools = [tool("散歩", slow, read_only=read_only)]
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(clock))), seconds=0.01)
    told: SimpleQueue[Result] = SimpleQueue()
    dispatcher.begin(call("散歩"), told.put)
    result = told.get(timeout=PATIENCE)
    go_on.set()
    assert result.is_error
    assert "散歩" in result.text
    assert said in result.text
    assert result.text.endswith("[timeout]")


def test_no_thread_is_begun_for_each_of_many_calls_that_are_over_at_once() -> None:
    workers, begun = Workers(1, 1, 60.0), set[int]()
    threading.setprofile(lambda *_: begun.add(threading.get_native_id()))
    try:
        until = monotonic() + LONG_SECONDS
        calls = 0
        while monotonic() < until or calls < 100:
            watched = Quick()
            workers.watch(watched)
            assert workers.finish(watched)
            sleep(0)
            calls += 1
    finally:
        threading.setprofile(None)
    assert len(begun) < calls / 2


def test_the_thread_that_watches_ends_when_there_is_nothing_to_watch_and_another_watches_what_comes_later() -> None:
    clock, late = Seconds(), SimpleQueue[str]()
    workers = Workers(1, 1, 60.0, clock)
    for each in ("前", "后"):
        others, watched = set(threading.enumerate()), Slow(late, each)
        workers.watch(watched)
        [watcher] = set(threading.enumerate()) - others
        clock.now += 61.0
        assert late.get(timeout=PATIENCE) == each
        watcher.join(PATIENCE)
        assert not watcher.is_alive()


@contextmanager
def no_more_threads() -> Iterator[None]:
    """Each that is begun asks for a stack of more memory than can be addressed."""
    before = threading.stack_size(1 << 47)
    try:
        yield
    finally:
        threading.stack_size(before)


def test_what_no_thread_can_be_had_for_is_refused_and_what_comes_later_is_done() -> None:
    told: SimpleQueue[str] = SimpleQueue()
    workers = Workers(2, 1, 60.0)
    with no_more_threads(), pytest.raises(Unavailable):
        workers.submit(lambda: "已拒绝", told.put, lambda: "never")
    for each in ("一つ目", "second"):
        workers.submit(partial(str, each), told.put, lambda: "never")
        assert told.get(timeout=PATIENCE) == each


def test_where_no_other_thread_can_be_had_the_one_that_is_there_does_all() -> None:
    told: SimpleQueue[str] = SimpleQueue()
    begun, go_on = threading.Event(), threading.Event()
    workers = Workers(2, 1, 60.0)

    def first() -> str:
        begun.set()
        go_on.wait(PATIENCE)
        return "一つ目"

    workers.submit(first, told.put, lambda: "never")
    assert begun.wait(PATIENCE)
    with no_more_threads():
        workers.submit(lambda: "第二", told.put, lambda: "never")
    go_on.set()
    assert [told.get(timeout=PATIENCE), told.get(timeout=PATIENCE)] == ["一つ目", "第二"]


def test_a_call_that_no_thread_can_be_had_for_is_told_so(clock: Clock) -> None:
    tools = [tool("書く", lambda: "書いた", read_only=False)]
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(clock))), seconds=60.0)
    told: SimpleQueue[Result] = SimpleQueue()
    with no_more_threads():
        dispatcher.begin(call("書く"), told.put)
    refused = told.get(timeout=PATIENCE)
    assert refused.is_error
    assert refused.text.endswith("[unavailable]")
    dispatcher.begin(call("書く"), told.put)
    assert told.get(timeout=PATIENCE).text == "書いた"


class Bottomless(dict[str, object]):
    """Arguments that nobody gets to the end of."""

    def items(self) -> NoReturn:
        raise RecursionError

    def values(self) -> NoReturn:
        raise RecursionError


def test_a_call_with_arguments_that_cannot_be_looked_through_is_answered(clock: Clock) -> None:
    tools = [tool("書く", lambda: "書いた", read_only=False)]
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(clock))), seconds=60.0)
    told: SimpleQueue[Result] = SimpleQueue()
    dispatcher.begin(call("書く", Bottomless(文="日记")), told.put)
    assert told.get(timeout=PATIENCE).text.endswith("[internal_error]")
    dispatcher.begin(call("書く"), told.put)
    assert told.get(timeout=PATIENCE).text == "書いた"
