"""Over stdio the thread that reads goes on with calls between two lines, and takes every line all the same."""

from __future__ import annotations

import io
import json
import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import app
from omoide.config import load
from omoide.engine.interleaving import Sequential, SingleThreadInterleaver
from omoide.families.tool import Caller, Result, Tool
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.monitoring.metrics import Metrics
from omoide.server.scheduling.inline import Batch
from omoide.server.scheduling.inline import Interleaver as Calls
from omoide.server.stdio import lines as reading_of_lines
from omoide.server.stdio import serving as stdio
from omoide.server.stdio.inline import InlineCalls
from omoide.server.stdio.lines import READ_BYTES, Lines, Reader
from omoide.server.stdio.pending import PendingRequests
from omoide.server.stdio.serving import MOST_CALLS, Conversation
from tests.server.test_recent_durations import EACH, SEVERAL, Own, call, tool
from tests.server.test_stdio_fastlane import hello, pipe_of, request

PATIENCE = 20.0
#: So many requests at once, and their answers, are more than two pipes hold.
MANY = 600


@given(st.binary(max_size=40).map(lambda text: text.replace(b"\r", b"\n")), st.integers(1, 7))
def test_lines_are_those_of_the_text_however_it_comes(text: bytes, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    lines = Lines(pipe_of(pieces))
    taken = list(iter(lines.line, b""))
    assert taken == text.splitlines(keepends=True)
    assert b"".join(taken) == text


def test_a_line_may_be_longer_than_what_is_read_at_once() -> None:
    long = "長い".encode() * READ_BYTES
    lines = Lines(pipe_of([long, b"\n", "短い\n".encode()]))
    assert [lines.line(), lines.line(), lines.line()] == [long + b"\n", "短い\n".encode(), b""]


def test_whether_the_reader_waits_may_be_asked_while_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_of_lines, "READ_BYTES", 64)
    monkeypatch.setattr(reading_of_lines, "MOST_READS", 10_000)
    for _ in range(30):
        reading, writing = os.pipe()
        os.write(writing, "茶\n".encode() * 15_000)
        with os.fdopen(reading, "rb") as pipe, os.fdopen(writing, "wb"):
            lines = Lines(pipe)
            reader = threading.Thread(target=lines.end)
            reader.start()
            while reader.is_alive():
                lines.is_waiting()
        assert len(list(iter(lines.ready, None))) == 15_000


def test_of_two_requests_under_one_id_the_other_still_waits_when_one_is_answered() -> None:
    pending = PendingRequests()
    for id in ("検索", "検索", 1):
        pending.add(id)
    pending.settle("検索")
    pending.settle(1)
    pending.settle("1")
    assert [pending.holds(id) for id in ("検索", 1)] == [True, False]
    assert not pending.wait_until_empty(0)
    pending.settle("検索")
    assert pending.wait_until_empty(0)


def test_a_pipe_that_nobody_reads_takes_no_more() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "wb", buffering=0) as pipe:
        reader = Reader(pipe)
        assert reader.is_ready()
        os.set_blocking(writing, False)
        with suppress(BlockingIOError):
            while os.write(writing, b"x" * 65536):
                pass
        assert not reader.is_ready()


class Slow:
    """Calls that go on one after the other, each when something is read from a pipe that the test writes."""

    most = 2

    def __init__(self) -> None:
        self.begun: list[Callable[[], None]] = []
        self.asked, self.ring = os.pipe()

    def fileno(self) -> int:
        return self.asked

    def begin(self, do: Callable[[], None]) -> None:
        self.begun.append(do)

    def resume(self, around: Batch = nullcontext) -> None:
        os.read(self.asked, 1)
        if self.begun:
            self.begun.pop(0)()

    def search_now(self) -> None:
        pass

    def defer(self, do: Callable[[Any], None], what: Any) -> None:
        do(what)

    def thread_seconds(self) -> float:
        return 0.0


class Call(NamedTuple):
    """A call that notes that it has ended."""

    name: str
    done: list[str]
    interleaver: Calls
    leave: Callable[[], None]

    def begin(self) -> None:
        self.interleaver.begin(self.end)

    def end(self) -> None:
        self.done.append(self.name)
        self.leave()

    def drop(self) -> None:
        """Nobody does."""


def test_lines_are_taken_while_calls_are_under_way_and_these_go_on_when_there_are_no_more() -> None:
    slow, done = Slow(), []
    said, client = os.pipe()
    between = InlineCalls(Lines(os.fdopen(said, "rb")), slow, has_slot=lambda: True, is_over=lambda: False)
    for name in ("山田", "王", "Ada"):
        between.add(partial(Call, name, done))
    os.write(client, "一行\n".encode())
    assert between.line() == "一行\n".encode()
    os.write(client, "二行\n".encode())
    assert between.line() == "二行\n".encode()
    assert (len(slow.begun), done) == (2, []), "no more are begun at once"
    os.close(client)
    os.write(slow.ring, b"...")
    assert between.line() == b""
    between.end()
    assert done == ["山田", "王", "Ada"]


def test_lines_that_have_come_when_it_is_over_wait_for_room_and_are_the_last() -> None:
    slow, done = Slow(), list[str]()
    said, client = os.pipe()
    between = InlineCalls(Lines(os.fdopen(said, "rb")), slow, has_slot=lambda: bool(done), is_over=lambda: True)
    between.add(partial(Call, "山田", done))
    with os.fdopen(client, "wb", buffering=0) as pipe:
        pipe.write("一行\n二行\n".encode())
        os.write(slow.ring, b".")
        assert [between.line(), between.line()] == ["一行\n".encode(), "二行\n".encode()]
        assert done == ["山田"]
        pipe.write(b"too late\n")
        assert between.line() == b""


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[list[Tool]]:
    chosen = load({"data": str(tmp_path), "zone": "UTC"}, {})
    with app.opened(chosen) as found:
        for text in ("鍵は緑の箱の中", "会议在三楼的房间", "the tea is on the second shelf"):
            found.memories.remember(text)
        yield app.tools(found.memories, chosen)


def searching(tools: list[Tool], own: Own | None) -> Dispatcher:
    """A dispatcher that knows that its searches are quick."""
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), interleaver=own)
    for _ in range(SEVERAL):
        dispatcher.answer(call("search_memory", {"query": "鍵"}))
    assert dispatcher.is_quick(call("search_memory"))
    return dispatcher


def asked(number: int) -> dict[str, Any]:
    query = ("緑の箱", "三楼的会议", "second shelf")[number % 3]
    return request(number, "tools/call", name="search_memory", arguments={"query": f"{query} {number}"})


def answers_of(dispatcher: Dispatcher, messages: list[dict[str, Any]]) -> dict[Any, Any]:
    heard, answered = os.pipe()
    said = pipe_of(json.dumps(each).encode() + b"\n" for each in messages)
    conversation = Conversation("0", said, os.fdopen(answered, "wb"))
    got: dict[Any, Any] = {}
    with conversation, os.fdopen(heard, "rb") as answers:
        threading.Thread(target=conversation.serve, args=(dispatcher,), daemon=True).start()
        for _ in range(sum("id" in each for each in messages)):
            answer = json.loads(answers.readline())
            assert answer["id"] not in got
            got[answer["id"]] = answer["result"]
    return got


@EACH
def test_searches_by_the_hundred_are_each_answered_as_in_threads(tools: list[Tool], own: Own) -> None:
    messages = [*hello(), *map(asked, range(MANY))]
    assert answers_of(searching(tools, own), messages) == answers_of(searching(tools, None), messages)


class Counted(io.BytesIO):
    """Counts how often what has been written is sent."""

    sent = 0

    def flush(self) -> None:
        self.sent += 1


def test_answers_that_are_there_together_are_sent_together(tools: list[Tool]) -> None:
    dispatcher, (said, client), heard = searching(tools, SingleThreadInterleaver), os.pipe(), Counted()
    with os.fdopen(client, "wb") as pipe:
        pipe.write(b"".join(json.dumps(each).encode() + b"\n" for each in [*hello(), *map(asked, range(8))]))
    with Conversation("0", os.fdopen(said, "rb"), heard) as conversation:
        conversation.serve(dispatcher)
    answers = [json.loads(line) for line in heard.getvalue().splitlines()]
    assert sorted(each["id"] for each in answers[1:]) == list(range(8))
    assert heard.sent < len(answers)


@EACH
def test_what_has_been_read_is_answered_though_stdin_ends(tools: list[Tool], own: Own) -> None:
    dispatcher = searching(tools, own)
    for _ in range(10):
        assert len(answers_of(dispatcher, [*hello(), *map(asked, range(MOST_CALLS // 2))])) == MOST_CALLS // 2 + 1


@EACH
def test_what_is_under_way_is_answered_though_the_server_is_told_to_end(
    tools: list[Tool], own: Own, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "DRAIN_SECONDS", 10 * PATIENCE)
    dispatcher = searching(tools, own)
    for told in range(20):
        (said, client), (heard, answered) = os.pipe(), os.pipe()
        conversation = Conversation("0", os.fdopen(said, "rb"), os.fdopen(answered, "wb"))
        with conversation, os.fdopen(heard, "rb") as answers, os.fdopen(client, "wb") as pipe:
            serving = threading.Thread(target=conversation.serve, args=(dispatcher,), daemon=True)
            serving.start()
            pipe.write(b"".join(json.dumps(each).encode() + b"\n" for each in [*hello(), *map(asked, range(20))]))
            pipe.flush()
            for _ in range(1 + told):
                answers.readline()
            conversation.end()
            serving.join(PATIENCE)
            assert not serving.is_alive(), "a request that was read is not answered"


@pytest.mark.parametrize("first", [[], [{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}]])
def test_a_quick_tool_is_answered_where_the_line_was_read_and_a_writing_one_is_not(first: list[dict[str, Any]]) -> None:
    def where() -> str:
        return threading.current_thread().name

    tools: list[Tool] = [tool("読む", where), tool("書く", where, read_only=False)]
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), interleaver=Sequential)
    for each in ("読む", "書く"):
        for _ in range(SEVERAL):
            dispatcher.answer(call(each))
    asked = [request(name, "tools/call", name=name, arguments={}) for name in ("読む", "書く")]
    got = answers_of(dispatcher, [*first, *hello(), *asked])
    assert [got[name]["content"][0]["text"] for name in ("読む", "書く")] == ["omoide-stdin", "omoide-call"]


def test_a_quick_call_behind_as_many_writes_as_may_be_under_way_is_answered_though_the_client_says_no_more() -> None:
    may_end = threading.Event()

    def write() -> str:
        may_end.wait()
        return "書いた"

    tools: list[Tool] = [tool("読む", lambda: "読んだ"), tool("書く", write, read_only=False)]
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), interleaver=Sequential)
    for _ in range(SEVERAL):
        dispatcher.answer(call("読む"))
    writes = [request(number, "tools/call", name="書く", arguments={}) for number in range(MOST_CALLS)]
    first, last = (request(id, "tools/call", name="読む", arguments={}) for id in ("最初", "最後"))
    (said, client), (heard, answered) = os.pipe(), os.pipe()
    conversation = Conversation("0", os.fdopen(said, "rb"), os.fdopen(answered, "wb"))
    with conversation, os.fdopen(heard, "rb") as answers, os.fdopen(client, "wb", buffering=0) as pipe:
        pipe.write(b"".join(json.dumps(each).encode() + b"\n" for each in [*hello(), first, *writes, last]))
        threading.Thread(target=conversation.serve, args=(dispatcher,), daemon=True).start()
        assert [json.loads(answers.readline())["id"] for _ in range(2)] == ["hello", "最初"]
        threading.Timer(0.2, may_end.set).start()  # the last line has been read by then, or is read later all the same
        ids = {json.loads(answers.readline())["id"] for _ in (*writes, last)}
        assert ids == {*range(MOST_CALLS), "最後"}


def test_a_quick_call_that_is_cancelled_while_it_waits_in_line_is_not_begun() -> None:
    slow, begun = Slow(), []

    def run(caller: Caller, arguments: Any) -> Result:
        begun.append(arguments["query"])
        return Result("見つけた")

    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    tools = [replace(tool("探す", str), run=run, input_schema=schema)]
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), interleaver=lambda: slow)
    for _ in range(SEVERAL):
        dispatcher.answer(call("探す", {"query": ""}))
    begun.clear()
    queries = ("緑の箱", "三楼的会议", "second shelf", "取り消す", "取消", "called off", "最後")
    (said, client), (heard, answered) = os.pipe(), os.pipe()
    conversation = Conversation("0", os.fdopen(said, "rb"), os.fdopen(answered, "wb"))
    with conversation, os.fdopen(heard, "rb") as answers, os.fdopen(client, "wb", buffering=0) as pipe:
        messages = [
            *hello(),
            *(request(query, "tools/call", name="探す", arguments={"query": query}) for query in queries),
        ]
        for query in queries[3:6]:
            messages += [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": query}}]
        pipe.write(b"".join(json.dumps(each).encode() + b"\n" for each in (*messages, request("終", "ping"))))
        threading.Thread(target=conversation.serve, args=(dispatcher,), daemon=True).start()
        while json.loads(answers.readline())["id"] != "終":  # everything has been read, and two calls are under way
            pass
        os.write(slow.ring, b"." * len(queries))
        assert [json.loads(answers.readline())["id"] for _ in range(4)] == [*queries[:3], "最後"]
    assert begun == [*queries[:3], "最後"]


def test_calls_behind_many_cancelled_ones_are_begun_though_more_lines_come_than_there_is_room_for() -> None:
    slow, tools = Slow(), [tool("探す", lambda: "見つけた")]
    dispatcher = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), interleaver=lambda: slow)
    for _ in range(SEVERAL):
        dispatcher.answer(call("探す"))
    under_way, cancelled = range(slow.most), range(slow.most, MOST_CALLS // 2)
    kept = range(MOST_CALLS // 2, 2 * MOST_CALLS)
    calls = {id: request(id, "tools/call", name="探す", arguments={}) for id in range(2 * MOST_CALLS)}
    messages = [
        *hello(),
        *(calls[id] for id in (*under_way, *cancelled)),
        *({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}} for id in cancelled),
        *(calls[id] for id in kept),
    ]
    (said, client), (heard, answered) = os.pipe(), os.pipe()
    conversation = Conversation("0", os.fdopen(said, "rb"), os.fdopen(answered, "wb"))
    with conversation, os.fdopen(heard, "rb", 0) as answers, os.fdopen(client, "wb") as pipe:
        pipe.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
        pipe.flush()
        os.write(slow.ring, b"." * READ_BYTES)
        threading.Thread(target=conversation.serve, args=(dispatcher,), daemon=True).start()
        assert json.loads(answers.readline())["id"] == "hello"
        for id in (*under_way, *kept):
            assert select.select([answers], [], [], PATIENCE)[0], f"{id} is not answered"
            assert json.loads(answers.readline())["id"] == id


async def test_a_call_whose_search_never_ends_is_answered_as_late() -> None:
    def answer() -> str:
        return "遅い"

    class Stuck(Slow):
        def begin(self, do: Callable[[], None]) -> None:
            if len(self.begun) < 1:
                self.begun.append(do)
            else:
                do()

    tools = [tool("探す", answer)]
    stuck, metrics = Stuck(), Metrics()
    workspace = OneWorkspace(workspace_of(tools, Sessions(app.utc_now)))
    dispatcher = Dispatcher(tools, workspace, metrics, seconds=1.0, interleaver=lambda: stuck)
    for _ in range(SEVERAL):
        dispatcher.answer(call("探す"))
    late: Result = await dispatcher.take(call("探す"))
    assert late.is_error
    assert late.text.endswith("[timeout]")
    stuck.begun[0]()  # it ends after all, and nothing is told of it
    assert (await dispatcher.take(call("探す"))).text == "遅い"
    told = metrics.read().decode().splitlines()
    assert 'omoide_calls_total{outcome="error",tool="探す"} 1.0' in told
    assert f'omoide_calls_total{{outcome="ok",tool="探す"}} {SEVERAL + 1}.0' in told
    assert "omoide_calls_present 0.0" in told
