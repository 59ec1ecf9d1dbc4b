"""Whoever asks for much at once keeps nobody else waiting: each has a turn after the other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import app
from omoide.engine.interleaving import Sequential
from omoide.server.access.visitor import Visitor
from omoide.server.calls.dispatcher import MOST_RUNNING, WORKERS, Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.monitoring.metrics import Metrics
from omoide.server.scheduling.fair_queue import LONG_ROUND_SECONDS, FairQueue, Rounds
from omoide.server.scheduling.inline import Batch
from omoide.server.scheduling.workers import Workers
from omoide.turns import about_to_wait, waiting
from tests.server.test_recent_durations import EACH, SEVERAL, Own, call, desk_of, tool

PATIENCE = 20.0
FLOOD = 30


@given(st.lists(st.sampled_from(("山田", "王", "Ada"))))
def test_between_two_turns_of_one_everybody_else_who_waits_has_had_one(come: list[str]) -> None:
    line: FairQueue[tuple[str, int]] = FairQueue()
    for number, whose in enumerate(come):
        line.add(whose, (whose, number))
    taken = []
    while line:
        taken.append(line.take())
    assert sorted(taken, key=lambda each: each[1]) == list(zip(come, range(len(come)), strict=True))
    for at, (whose, number) in enumerate(taken):
        before = [each for each in taken[:at] if each[0] == whose]
        assert all(earlier < number for _, earlier in before), "what is one's own keeps its order"
        since = taken[taken.index(before[-1]) + 1 : at] if before else taken[:at]
        assert len({each[0] for each in since}) == len(since), "nobody has two turns before another has one"


def test_what_has_had_its_turn_is_in_the_line_no_more() -> None:
    line: FairQueue[str] = FairQueue()
    for item in ("検索", "保存"):
        line.add("山田", item)
    assert line.take() == "検索"
    assert [line.remove("山田", item) for item in ("検索", "保存", "保存")] == [False, True, False]
    assert not line


def test_work_of_one_who_has_much_waits_for_that_of_others() -> None:
    workers = Workers(1, 1)
    told: SimpleQueue[str] = SimpleQueue()
    begun, resume = threading.Event(), threading.Event()

    def first() -> str:
        begun.set()
        resume.wait(PATIENCE)
        return "山田"

    workers.submit(first, told.put, str, "山田")
    assert begun.wait(PATIENCE)
    for whose in ["山田"] * FLOOD + ["王", "Ada"]:
        workers.submit(partial(str, whose), told.put, str, whose)
    resume.set()
    answered = [told.get(timeout=PATIENCE) for _ in range(FLOOD + 3)]
    assert answered[:4] == ["山田", "山田", "王", "Ada"]


async def test_a_search_waits_for_no_more_than_one_of_many_writes_that_came_before_it() -> None:
    answered, resume = list[str](), threading.Event()

    def run(name: str) -> str:
        resume.wait(PATIENCE)
        answered.append(name)
        return name

    names = {"記す": False, "探す": True}
    dispatcher = desk_of(*(tool(name, partial(run, name), read_only=reads) for name, reads in names.items()))
    calls = [asyncio.create_task(dispatcher.take(call(name))) for name in ["記す"] * FLOOD + ["探す"]]
    await asyncio.sleep(0)  # all are in line
    resume.set()
    await asyncio.gather(*calls)
    assert answered.index("探す") <= MOST_RUNNING + 1
    assert len(answered) == FLOOD + 1


async def test_a_write_of_one_does_not_wait_for_many_of_another() -> None:
    answered, resume = list[str](), threading.Event()

    def run(name: str) -> str:
        resume.wait(PATIENCE)
        answered.append(name)
        return name

    tools = {"山田": "記す", "王": "写"}
    dispatcher = desk_of(*(tool(name, partial(run, whose), read_only=False) for whose, name in tools.items()))
    visitors = ["山田"] * FLOOD + ["王"]
    writes = [dispatcher.take(call(tools[whose])._replace(visitor=Visitor(whose))) for whose in visitors]
    tasks = [asyncio.create_task(write) for write in writes]
    await asyncio.sleep(0)  # all are in line
    resume.set()
    await asyncio.gather(*tasks)
    # In its turn it is the third; what runs beside it may be quicker.
    assert answered.index("王") < FLOOD // 2


async def rounds_over(rounds: Rounds) -> None:
    """Until the loop has come round so often that whatever can begin has begun."""
    for _ in range(10):
        await asyncio.sleep(0)
    assert not rounds.is_scheduled


async def test_in_each_round_one_begins_and_no_more_than_there_are_turns() -> None:
    rounds, begun = Rounds(asyncio.get_running_loop(), 2), list[str]()
    for whose in ("山田", "山田", "山田", "王"):
        rounds.take(whose, partial(begun.append, whose))
    assert not begun, "before any it is heard who else has come"
    await asyncio.sleep(0)
    assert begun == ["山田"], "and between two"
    rounds.take("Ada", partial(begun.append, "Ada"))
    await rounds_over(rounds)
    assert begun == ["山田", "王"]
    for _ in range(3):
        rounds.leave()
    await rounds_over(rounds)
    assert begun == ["山田", "王", "山田", "Ada", "山田"]


async def test_it_is_said_when_nobody_begins_behind_who_has_begun() -> None:
    begun, said = list[str](), list[int]()
    rounds = Rounds(asyncio.get_running_loop(), 2, lambda: said.append(len(begun)))
    for whose in ("山田", "王", "Ada"):
        rounds.take(whose, partial(begun.append, whose))
    await rounds_over(rounds)
    assert (begun, said) == (["山田", "王"], [2]), "the third has no room"
    rounds.leave()
    await rounds_over(rounds)
    assert said[-1] == 3


async def test_what_is_over_as_soon_as_it_begins_leaves_its_turn_to_the_next_round() -> None:
    rounds, begun = Rounds(asyncio.get_running_loop(), 1), list[str]()

    def begin(whose: str) -> None:
        begun.append(whose)
        rounds.leave()

    for whose in ("山田", "王", "Ada"):
        rounds.take(whose, partial(begin, whose))
    await asyncio.sleep(0)
    assert begun == ["山田"]
    await rounds_over(rounds)
    assert begun == ["山田", "王", "Ada"]


@pytest.mark.parametrize("stays", [True, False])
async def test_after_a_round_that_took_long_as_many_begin_as_there_are_turns(stays: bool) -> None:
    now, begun = [0.0], list[str]()
    rounds = Rounds(asyncio.get_running_loop(), 3, clock=lambda: now[0])

    def begin(whose: str) -> None:
        begun.append(whose)
        if not stays:
            rounds.leave()

    for whose in ("山田", "王", "Ada", "山田", "王"):
        rounds.take(whose, partial(begin, whose))
    now[0] = 2 * LONG_ROUND_SECONDS  # as when a thousand requests are refused meanwhile
    await asyncio.sleep(0)
    assert begun == ["山田", "王", "Ada"]
    await asyncio.sleep(0)
    assert begun == ["山田", "王", "Ada"] + ([] if stays else ["山田"]), "the next was short"
    await rounds_over(rounds)
    assert len(begun) == (3 if stays else 5)


class Stuck:
    """Begins a call and never comes back to it."""

    most = 1

    def fileno(self) -> None:
        pass

    def begin(self, do: Callable[[], None]) -> None:
        pass

    def search_now(self) -> None:
        pass

    def thread_seconds(self) -> float:
        return 0.0

    def defer(self, do: Callable[[Any], None], what: Any) -> None:
        do(what)

    def resume(self, around: Batch = nullcontext) -> None:
        pass


async def test_a_quick_call_that_waits_behind_one_that_never_ends_is_answered_in_time_too() -> None:
    tools = (tool("探す", str),)
    dispatcher = Dispatcher(
        tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), seconds=0.05, interleaver=Stuck
    )
    for _ in range(SEVERAL):
        dispatcher.answer(call("探す"))
    for _ in range(3):
        answer = await asyncio.wait_for(dispatcher.take(call("探す")), PATIENCE)
        assert (answer.is_error, answer.error.code) == (True, "timeout")


async def test_a_call_that_is_dropped_while_it_waits_for_its_turn_is_not_begun_and_waits_no_longer() -> None:
    metrics, begun = Metrics(), list[str]()
    dispatcher = desk_of(tool("探す", lambda: begun.append("探す") or "茶"), own=Sequential, metrics=metrics)
    for _ in range(SEVERAL):
        await dispatcher.take(call("探す"))
    begun.clear()
    dropped = dispatcher.take(call("探す"))
    dropped.send(None)
    dropped.close()
    assert (await dispatcher.take(call("探す"))).text == "茶"
    assert begun == ["探す"]
    assert b"omoide_calls_present 0.0" in metrics.read()
    assert b'outcome="error"' not in metrics.read()


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_call_that_is_dropped_while_it_waits_for_a_thread_is_not_begun(read_only: bool) -> None:
    metrics, resume, begun = Metrics(), threading.Event(), list[str]()

    def block() -> str:
        with waiting():
            resume.wait(PATIENCE)
        return "茶"

    def run() -> str:
        if read_only and len(begun) >= SEVERAL:  # it is quick until then; a thread that brings calls gives it up
            about_to_wait()
        begun.append("记")
        return "记"

    tools = tool("待つ", block, read_only=False), tool("记", run, read_only=read_only)
    dispatcher = desk_of(*tools, own=Sequential, metrics=metrics)
    for _ in range(SEVERAL):
        await dispatcher.take(call("记"))
    blocked = [asyncio.create_task(dispatcher.take(call("待つ"))) for _ in range(WORKERS)]
    while f"omoide_calls_running {WORKERS}.0\n".encode() not in metrics.read():
        await asyncio.sleep(0)
    dropped = asyncio.create_task(dispatcher.take(call("记")))
    while f"omoide_calls_present {WORKERS + 1}.0\n".encode() not in metrics.read():
        await asyncio.sleep(0)
    for _ in range(10):
        await asyncio.sleep(0)
    dropped.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert f"omoide_calls_present {WORKERS}.0\n".encode() in metrics.read(), "it waits for no turn"
    resume.set()
    await asyncio.gather(*blocked)
    await dispatcher.take(call("待つ"))
    assert len(begun) == SEVERAL
    assert b"omoide_calls_present 0.0" in metrics.read()
    assert f'omoide_calls_total{{outcome="ok",tool="记"}} {SEVERAL}.0'.encode() in metrics.read()
    assert b'outcome="error"' not in metrics.read(), "nor is it counted as if it had failed"


async def test_a_write_that_has_begun_goes_on_when_it_is_dropped() -> None:
    begun, resume, done = threading.Event(), threading.Event(), threading.Event()

    def write() -> str:
        begun.set()
        resume.wait(PATIENCE)
        done.set()
        return "書いた"

    dispatcher = desk_of(tool("書く", write, read_only=False))
    dropped = asyncio.create_task(dispatcher.take(call("書く")))
    await asyncio.to_thread(begun.wait, PATIENCE)
    dropped.cancel()
    await asyncio.sleep(0)
    resume.set()
    assert await asyncio.to_thread(done.wait, PATIENCE)


@EACH
@pytest.mark.parametrize("leaves", [False, True])
async def test_quick_calls_of_one_who_has_many_wait_for_those_of_others(leaves: bool, own: Own) -> None:
    answered: list[str] = []
    dispatcher = desk_of(tool("探す", str), own=own)
    for _ in range(SEVERAL):
        await dispatcher.take(call("探す"))

    async def ask(name: str) -> None:
        await dispatcher.take(call("探す")._replace(visitor=Visitor(name)))
        answered.append(name)

    flood = [asyncio.create_task(ask("山田")) for _ in range(FLOOD)]
    await asyncio.sleep(0)
    if leaves:  # those who are gone have no turn
        for each in flood[:-1]:
            each.cancel()
    await ask("王")
    assert answered.index("王") <= 3
    await asyncio.gather(*flood, return_exceptions=True)
    assert answered.count("山田") == (1 if leaves else FLOOD)
