"""Calls that are likely to be quick are answered by the thread that brings them; the others in threads of their own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import timezone
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pytest

from omoide import app
from omoide.coalescing import SharedCheck
from omoide.config import Settings
from omoide.engine.interleaving import Sequential, SingleThreadInterleaver, ThreadedInterleaver
from omoide.families.tool import Caller, Result, Tool
from omoide.server.access.visitor import LOCAL
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.monitoring.metrics import Metrics
from omoide.server.scheduling.recent_durations import QUICK_SECONDS, REMEMBERED, RecentDurations
from omoide.turns import waiting

#: A tool is known by then, though its first call may have loaded half of Python's packages.
SEVERAL = 60


Own = Callable[[], Any]
EACH = pytest.mark.parametrize("own", [Sequential, ThreadedInterleaver, SingleThreadInterleaver])


def call(name: str, arguments: Mapping[str, Any] | None = None) -> ToolCall:
    return ToolCall(LOCAL, name, arguments or {})


def tool(name: str, run: Callable[[], str], *, read_only: bool = True) -> Tool:
    def answer(caller: Caller, arguments: Any) -> Result:
        return Result(run())

    schema = {"type": "object", "properties": {}}
    return Tool(
        name=name, title="?", description="?", input_schema=schema, output_schema=None, run=answer, read_only=read_only
    )


def desk_of(*tools: Tool, own: Own | None = Sequential, metrics: Metrics | None = None) -> Dispatcher:
    return Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), metrics, interleaver=own)


def here() -> str:
    return "loop" if threading.current_thread() is threading.main_thread() else "thread"


@pytest.mark.parametrize(
    ("own", "read_only", "where"),
    [
        (Sequential, True, "loop"),
        (ThreadedInterleaver, True, "loop"),
        (SingleThreadInterleaver, True, "loop"),
        (Sequential, False, "thread"),
        (ThreadedInterleaver, False, "thread"),
        (SingleThreadInterleaver, False, "thread"),
        (None, True, "thread"),
    ],
)
async def test_a_tool_that_reads_and_is_quick_is_answered_at_once(own: Own | None, read_only: bool, where: str) -> None:
    dispatcher = desk_of(tool("探す", here, read_only=read_only), own=own)
    answered = [(await dispatcher.take(call("探す"))).text for _ in range(SEVERAL)]
    assert (answered[0], answered[-1]) == ("thread", where), "the first time nobody knows yet"


@EACH
@pytest.mark.parametrize(("waits", "seconds"), [(False, 2 * QUICK_SECONDS), (True, 0.8 * QUICK_SECONDS)])
async def test_a_tool_that_is_quick_no_more_leaves_the_loop_to_others(own: Own, waits: bool, seconds: float) -> None:
    begun: list[str] = []

    def run() -> str:
        begun.append(here())
        if len(begun) > SEVERAL:
            with waiting() if waits else nullcontext():
                sleep(seconds)
        return here()

    dispatcher = desk_of(tool("探す", run), own=own)
    for _ in range(SEVERAL):
        await dispatcher.take(call("探す"))
    calls = 10 * REMEMBERED
    for _ in range(calls):
        await dispatcher.take(call("探す"))
    assert begun[SEVERAL:].count("loop") < calls / 2, "it is tried now and then"


def test_calls_of_another_loop_are_answered_when_the_first_has_ended() -> None:
    dispatcher = desk_of(tool("探す", here))

    async def ask() -> str:
        return (await asyncio.wait_for(dispatcher.take(call("探す")), 20)).text

    for _ in range(SEVERAL):
        dispatcher.answer(call("探す"))
    assert [asyncio.run(ask()) for _ in range(2)] == ["loop", "thread"]


@EACH
async def test_calls_that_have_come_together_are_told_by_one_look(own: Own) -> None:
    look, looked = SharedCheck[int](), count()
    dispatcher = desk_of(tool("探す", lambda: str(look.latest(looked.__next__))), own=own)
    together = call("探す")._replace(arrived=perf_counter())
    answers = [int((await dispatcher.take(together)).text) for _ in range(SEVERAL)]
    answers += [int(each.text) for each in await asyncio.gather(*(dispatcher.take(together) for _ in range(4)))]
    assert set(answers) == {0}
    later = together._replace(arrived=perf_counter())
    assert [int((await dispatcher.take(later)).text) for _ in range(2)] == [1, 1]
    assert int((await dispatcher.take(call("探す"))).text) == 2, "of which nobody knows when it came"


@contextmanager
def no_more_files() -> Iterator[None]:
    """None can be opened."""
    limits = pytest.importorskip("resource", reason="this system has no such limit")
    soft, hard = limits.getrlimit(limits.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    limits.setrlimit(limits.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        limits.setrlimit(limits.RLIMIT_NOFILE, (soft, hard))


async def test_where_the_system_gives_no_file_or_thread_to_search_beside_a_call_threads_answer_until_it_does() -> None:
    dispatcher = desk_of(tool("探す", here), own=partial(app.interleaver, 2))
    for _ in range(SEVERAL):
        dispatcher.answer(call("探す"))
    with no_more_files():
        assert (await dispatcher.take(call("探す"))).text == "thread"
    assert [(await dispatcher.take(call("探す"))).text for _ in range(SEVERAL)][-1] == "loop"


@EACH
async def test_a_call_that_would_have_to_wait_is_begun_anew_in_a_thread(own: Own) -> None:
    until = SEVERAL
    begun: list[str] = []

    def run() -> str:
        begun.append(here())
        if len(begun) > until:
            with waiting():
                return f"等过 {here()}"
        return here()

    dispatcher = desk_of(tool("查找", run), own=own)
    for _ in range(SEVERAL):
        await dispatcher.take(call("查找"))
    assert (await dispatcher.take(call("查找"))).text == "等过 thread"
    assert begun[SEVERAL:] == ["loop", "thread"]


@EACH
async def test_the_stages_of_a_call_that_is_begun_anew_count_once(own: Own) -> None:
    metrics = Metrics()
    begun: list[str] = []

    def run() -> str:
        begun.append(here())
        metrics.record_stages((("search", 0.001),))
        if len(begun) > SEVERAL:
            with waiting():
                pass
        return here()

    dispatcher = desk_of(tool("探す", run), own=own, metrics=metrics)
    for _ in range(SEVERAL + 1):
        await dispatcher.take(call("探す"))
    assert begun[SEVERAL:] == ["loop", "thread"]
    told = metrics.read().decode().splitlines()
    assert f'omoide_stage_seconds_count{{stage="search",tool="探す"}} {SEVERAL + 1}.0' in told


def test_a_tool_is_quick_once_its_calls_have_been_and_until_they_are_not() -> None:
    pace = RecentDurations()
    assert not pace.is_quick("recall")
    pace.took("recall", QUICK_SECONDS / 5)
    assert pace.is_quick("recall")
    pace.took("recall", 5 * QUICK_SECONDS)
    assert pace.is_quick("recall"), "one among quick ones"
    pace.took("recall", 100 * QUICK_SECONDS)
    assert not pace.is_quick("recall")
    assert not pace.is_quick("思い出す"), "another tool"
    for _ in range(100):
        pace.took("recall", QUICK_SECONDS / 5)
    assert pace.is_quick("recall")


def test_a_tool_that_would_nearly_always_wait_is_not_tried_again_and_again() -> None:
    pace = RecentDurations()
    pace.took("search", QUICK_SECONDS / 5)
    tried = 0
    for _ in range(100):
        if pace.is_quick("search"):
            tried += 1
            pace.would_wait("search")
        pace.took("search", 3 * QUICK_SECONDS)  # what it took in a thread
    assert tried < 3


@contextmanager
def served(folder: Path, own: Own) -> Iterator[Dispatcher]:
    """A store in a file, behind a dispatcher."""
    settings = Settings(data=folder, zone=timezone.utc)
    with app.opened(settings) as found:
        yield desk_of(*app.tools(found.memories, settings), own=own)


@EACH
async def test_what_is_written_between_searches_is_found_by_the_next(tmp_path: Path, own: Own) -> None:
    with served(tmp_path, own) as dispatcher:
        for number in range(20):
            for text in (f"金曜の会議は{number}号室", f"星期三的会议在{number}楼", f"the tea is on shelf {number}"):
                await dispatcher.take(call("store_memory", {"text": text}))
                found = await dispatcher.take(call("search_memory", {"query": text}))
                assert text in str(found.structured), "a search on the loop that has to follow is begun anew"


@EACH
async def test_a_reminder_that_a_search_on_the_loop_brings_up_is_said_exactly_once(tmp_path: Path, own: Own) -> None:
    with served(tmp_path, own) as dispatcher:
        await dispatcher.take(call("store_memory", {"text": "牙医在车站旁边"}))
        for _ in range(SEVERAL):
            await dispatcher.take(call("search_memory", {"query": "dentist"}))
        kept = await dispatcher.take(call("set_reminder", {"trigger": "牙医", "action": "带上医保卡"}))
        assert not kept.is_error, kept.text
        said = [str((await dispatcher.take(call("search_memory", {"query": "牙医"}))).structured) for _ in range(3)]
        assert ["带上医保卡" in each for each in said] == [True, False, False]


async def test_an_answer_that_nobody_waits_for_any_more_is_dropped_in_silence() -> None:
    begun, may_end, faults = threading.Event(), threading.Event(), list[Any]()

    def write() -> str:
        begun.set()
        may_end.wait(20)
        return "書いた"

    dispatcher = desk_of(tool("書く", write, read_only=False))
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    asked = asyncio.create_task(dispatcher.take(call("書く")))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    may_end.set()
    assert (await dispatcher.take(call("書く"))).text == "書いた"
    assert faults == []
