"""What a supervisor sees of `omoide serve`: health, metrics, logs, and its end."""

from __future__ import annotations

import io
import json
import logging
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp.client import Client
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from starlette.testclient import TestClient
from starlette.types import Message

from omoide.app import open_memories
from omoide.families.tool import Caller, Result, Tool
from omoide.server.access.visitor import LOCAL, Visitor
from omoide.server.calls.dispatcher import MAX_RESULT_CHARS, Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.http.guards import Guards, Hosts
from omoide.server.http.health import health
from omoide.server.http.serving import application
from omoide.server.monitoring import logs
from omoide.server.monitoring.metrics import BUCKETS, COUNTED_TOGETHER, Metrics
from omoide.server.protocol import server as protocol
from omoide.server.scheduling.inline import Interleaver
from omoide.store.layout import STORE_FILE
from tests.server.conftest import OMOIDE, begun, environment

SECRET_TEXTS = ("秘密の抹茶", "机密的龙井茶", "the secret Earl Grey")


def tool(name: str, run: Callable[..., Result], *, read_only: bool = True) -> Tool:
    return Tool(
        name=name,
        title=name,
        description=name,
        input_schema={"type": "object"},
        output_schema=None,
        run=run,
        read_only=read_only,
    )


def dispatcher(clock: Any, *tools: Tool, metrics: Metrics | None = None) -> Dispatcher:
    return Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(clock))), metrics)


def ask(at: Dispatcher, name: str, visitor: Visitor = LOCAL) -> Result:
    return at.answer(ToolCall(visitor, name, {}, client="t 1"))


def broken() -> str:
    raise OSError("disk gone")


READY = [(lambda: "", 200, "ready"), (lambda: "indexing: 3 of 10 changes", 503, "3 of 10"), (broken, 503, "OSError")]


@pytest.mark.parametrize(("missing", "status", "said"), READY)
def test_ready_is_said_when_nothing_is_missing_and_live_always(
    clock: Any, missing: Callable[[], str], status: int, said: str
) -> None:
    server = protocol.build(dispatcher(clock), version="0")
    with TestClient(application(server, Guards(Hosts(None)), Metrics(), missing)) as client:
        assert client.get("/health/live").status_code == 200
        answer = client.get("/health/ready")
    assert answer.status_code == status
    assert said in answer.text


async def test_who_asks_whether_it_is_ready_while_that_is_looked_into_waits_once_and_then_for_no_one() -> None:
    looked, go_on = SimpleQueue[str](), threading.Semaphore(0)

    def missing() -> str:
        go_on.acquire(timeout=5)
        return looked.get(block=False)

    ready, answers = health(missing)["/health/ready"], list[str]()

    async def send(message: Message) -> None:
        answers.append(message.get("body", b"").decode())

    async def ask() -> None:
        await ready({"type": "http", "method": "GET", "headers": []}, anyio.sleep_forever, send)

    for reason in ("索引中", "索引", "indexing"):
        looked.put(reason)
    try:
        async with anyio.create_task_group() as asking:
            for _ in range(100):
                asking.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            go_on.release()
        assert looked.qsize() == 2, "once for all who wait"
        assert sum("索引中" in each for each in answers) == 100
        answers.clear()
        async with anyio.create_task_group() as asking:
            asking.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(10):
                await ask()
            assert "索引中" in "".join(answers), "what was found a moment ago"
            go_on.release()
        assert '"索引"' in answers[-1]
    finally:
        go_on.release()


def test_calls_are_counted_and_timed_by_tool_and_stage(clock: Any) -> None:
    metrics = Metrics()
    metrics.show(lambda: [("memories", "Memories.", 3.0)])

    def searching(caller: Caller, arguments: Any) -> Result:
        metrics.record_stages((("analyse", 0.001), ("search", 0.002)))
        return Result("found")

    def failing(caller: Caller, arguments: Any) -> Result:
        return Result("no", is_error=True)

    at = dispatcher(clock, tool("探す", searching), tool("fail", failing), metrics=metrics)
    for name in ("探す", "探す", "fail"):
        ask(at, name)
    told = metrics.read().decode().splitlines()
    assert 'omoide_calls_total{outcome="ok",tool="探す"} 2.0' in told
    assert 'omoide_calls_total{outcome="error",tool="fail"} 1.0' in told
    assert 'omoide_call_seconds_count{tool="探す"} 2.0' in told
    assert 'omoide_stage_seconds_count{stage="search",tool="探す"} 2.0' in told
    assert "omoide_calls_running 0.0" in told
    assert "omoide_calls_present 0.0" in told
    assert "omoide_memories 3.0" in told


class Apart:
    """Begins each call in a thread, and is asked nothing else; see inline.Interleaver."""

    most = 1

    def begin(self, do: Callable[[], None]) -> None:
        threading.Thread(target=do).start()

    def thread_seconds(self) -> float:
        return 0.0


@pytest.mark.parametrize("name", ["探す", "查找", "search"])
@pytest.mark.parametrize("here", [False, True])
def test_a_call_whose_client_was_told_that_it_takes_too_long_counts_as_that_alone(
    clock: Any, name: str, here: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "omoide.calls")
    metrics, resume, told = Metrics(), threading.Event(), SimpleQueue[Result]()

    def slow(caller: Caller, arguments: Any) -> Result:
        resume.wait(20)
        return Result("found")

    tools = [tool(name, slow)]
    at = Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(clock))), metrics, seconds=0.01)
    call, before = ToolCall(LOCAL, name, {}), set(threading.enumerate())
    if here:
        at.take_inline(call, told.put, cast("Interleaver", Apart()), lambda: None).begin()
    else:
        at.begin(call, told.put)
    assert told.get(timeout=20).text.endswith("[timeout]")
    assert counted(metrics) == [f'omoide_calls_total{{outcome="error",tool="{name}"}} 1.0']
    resume.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(20)
    assert counted(metrics) == [f'omoide_calls_total{{outcome="error",tool="{name}"}} 1.0']
    assert [vars(record)["fields"]["ok"] for record in caplog.records if record.msg == "called"] == [False]


def counted(metrics: Metrics) -> list[str]:
    return [line for line in metrics.read().decode().splitlines() if line.startswith("omoide_calls_total{")]


def test_durations_are_shown_as_histograms_of_prometheus_are() -> None:
    metrics, theirs = Metrics(), CollectorRegistry()
    histogram = Histogram("omoide_call_seconds", "A call's work.", ("tool",), registry=theirs, buckets=BUCKETS)
    for tool_name, seconds in [("探す", 0.0), ("探す", BUCKETS[3]), ("探す", 0.3), ("查找", 1_000.0)]:
        metrics.record_call(tool_name, ok=True, seconds=seconds)
        histogram.labels(tool_name).observe(seconds)

    def shown(text: bytes) -> list[str]:
        lines = text.decode().splitlines()
        return [line for line in lines if "omoide_call_seconds" in line and "_created{" not in line]

    assert shown(metrics.read()) == shown(generate_latest(theirs))


@pytest.mark.parametrize("calls", [COUNTED_TOGETHER - 1, COUNTED_TOGETHER, 2 * COUNTED_TOGETHER + 1])
def test_each_of_many_calls_counts_once(calls: int) -> None:
    metrics = Metrics()
    for _ in range(calls):
        with metrics.running("探す"):
            metrics.record_stages((("search", 0.001), ("read", 0.002)))
        metrics.record_call("探す", ok=True, seconds=0.003)
    for _ in range(2):
        told = metrics.read().decode().splitlines()
        assert f'omoide_calls_total{{outcome="ok",tool="探す"}} {calls}.0' in told
        assert f'omoide_call_seconds_bucket{{le="0.005",tool="探す"}} {calls}.0' in told
        assert f'omoide_stage_seconds_count{{stage="read",tool="探す"}} {calls}.0' in told


def test_whichever_worker_is_asked_tells_of_all(clock: Any) -> None:
    others = Metrics(worker=0)
    metrics = Metrics(1, lambda: {0: others.dump(), 2: None})
    for each, size in ((others, 3.0), (metrics, 4.0)):
        each.show(lambda size=size: [("memories", "Memories.", size)])
        ask(dispatcher(clock, tool("探す", lambda *_: Result("found")), metrics=each), "探す")
    told = metrics.read().decode().splitlines()
    assert [line for line in told if line.startswith("omoide_calls_total{")] == [
        f'omoide_calls_total{{outcome="ok",tool="探す",worker="{worker}"}} 1.0' for worker in (0, 1)
    ]
    assert [line for line in told if line.startswith(("omoide_memories", "# HELP omoide_memories"))] == [
        "# HELP omoide_memories Memories.",
        'omoide_memories{worker="0"} 3.0',
        'omoide_memories{worker="1"} 4.0',
    ]
    assert [line for line in told if line.startswith("omoide_worker_up{")] == [
        f'omoide_worker_up{{worker="{worker}"}} {up}' for worker, up in ((0, "1.0"), (1, "1.0"), (2, "0.0"))
    ]


@pytest.mark.parametrize(
    ("rights", "reads", "writes"),
    [("all", True, True), ("write", True, True), ("read", True, False), ("metrics", False, False)],
)
def test_what_a_token_allows_is_what_is_done(clock: Any, rights: Any, reads: bool, writes: bool) -> None:
    done: list[str] = []

    def run(name: str) -> Callable[..., Result]:
        return lambda *_: done.append(name) or Result("done")

    at = dispatcher(clock, tool("read", run("read")), tool("write", run("write"), read_only=False))
    visitor = Visitor("x", "y", rights)
    assert [not ask(at, name, visitor).is_error for name in ("read", "write")] == [reads, writes]
    assert done == ["read"] * reads + ["write"] * writes


def test_an_answer_that_no_model_reads_is_refused_with_a_way_out(clock: Any) -> None:
    at = dispatcher(clock, tool("much", lambda *_: Result("茶" * (MAX_RESULT_CHARS + 1))))
    refused = ask(at, "much")
    assert refused.is_error
    assert "Ask for fewer hits" in refused.text


def test_of_a_write_whose_answer_no_model_reads_it_is_told_that_it_was_carried_out(clock: Any) -> None:
    at = dispatcher(clock, tool("much", lambda *_: Result("书" * (MAX_RESULT_CHARS + 1)), read_only=False))
    refused = ask(at, "much")
    assert refused.is_error
    assert "much was carried out: do not repeat it." in refused.text


def test_a_write_that_failed_with_an_error_which_no_model_reads_is_not_said_to_be_carried_out(clock: Any) -> None:
    failed = Result("錯" * (MAX_RESULT_CHARS + 1), is_error=True)
    at = dispatcher(clock, tool("much", lambda *_: failed, read_only=False))
    assert "carried out" not in ask(at, "much").text


NAMES = [
    "編集機　二",
    "evil\n2026-11-22 ERROR root: forged",
    "a\r\nb",
    "\u202ereversed",
    "\u2028",
    "\ud800",
    "\x1b[2J",
    "\x85",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_client_that_calls_itself_several_lines_gets_one(name: str) -> None:
    record = logging.LogRecord("omoide.calls", logging.INFO, "", 0, "called by %s", (name,), None)
    record.fields = {"client": name, "tenant": "山田"}
    line = logs.Lines().format(record)
    assert len(line.splitlines()) == 1
    assert all(each.isprintable() or each == "　" for each in line)
    assert line.endswith("tenant=山田")
    assert line.count("編集機　二") == (2 if name == "編集機　二" else 0)


@pytest.mark.parametrize("as_json", [True, False])
def test_no_memory_gets_into_the_log(clock: Any, as_json: bool) -> None:
    def faulty(caller: Caller, arguments: Any) -> Result:
        raise ValueError(f"cannot fold {SECRET_TEXTS}")

    stream, before, hooks = io.StringIO(), logging.root.handlers[:], (threading.excepthook, sys.excepthook)
    logs.configure(stream, level=logging.DEBUG, as_json=as_json)
    try:
        ask(dispatcher(clock, tool("probe", faulty)), "probe")
    finally:
        logging.root.handlers[:] = before
        logging.captureWarnings(False)
        threading.excepthook, sys.excepthook = hooks
    told = stream.getvalue()
    assert not any(text in told for text in SECRET_TEXTS)
    assert "ValueError" in told
    assert "faulty" in told, "where it came from is told"
    if as_json:
        events = [json.loads(line) for line in told.splitlines()]
        assert events[-1]["event"] == "called"
        assert (events[-1]["tool"], events[-1]["ok"], events[-1]["by"]) == ("probe", False, "local")


UNCAUGHT = """
import asyncio, sys, threading, warnings
from omoide.server.monitoring import logs

def fail(*_):
    raise ValueError("駐車場は地下二階")

async def main():
    loop = asyncio.get_running_loop()
    task = loop.create_task(asyncio.to_thread(fail))
    loop.call_soon(fail, "駐車場は地下二階")
    await asyncio.sleep(0)
    while not task.done():
        await asyncio.sleep(0)
    del task

logs.configure(sys.stderr, level=30, as_json=True)
thread = threading.Thread(target=fail, name="t")
thread.start()
thread.join()
asyncio.run(main())
warnings.warn("look")
fail()
"""


def test_what_nobody_caught_gets_into_the_log_without_what_it_quotes() -> None:
    done = subprocess.run([sys.executable, "-c", UNCAUGHT], capture_output=True, text=True, env=environment())
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert [each["exception"][0] for each in told[:3]] == ["ValueError"] * 3
    assert told[0]["event"] == "the thread t failed"
    assert "look" in told[3]["event"]
    assert (told[4]["event"], told[4]["exception"][0]) == ("the process failed", "ValueError")
    assert "駐車場" not in done.stderr


@pytest.mark.parametrize(
    ("flags", "codes"),
    [
        (["--http", "--tokens", "無い.jsonl"], ["invalid_argument"]),
        (["--http", "--host", "192.0.2.1", "--insecure"], ["unavailable"]),
        (["--http", "--host", "0.0.0.0"], ["invalid_argument"]),
        (["--host", "0.0.0.0"], ["invalid_argument"]),
        (["--http", "--port", "0", "--data", "文書"], ["store_error"]),
        (["--http", "--port", "0", "--data", "文書", "--workers", "2"], ["store_error", "unavailable"]),
        (["--data", "文書"], ["store_error"]),
        ([], []),
    ],
)
def test_machines_read_lines_of_their_own_also_of_a_server_that_cannot_begin(
    tmp_path: Path, flags: list[str], codes: list[str]
) -> None:
    (tmp_path / "文書").mkdir()
    (tmp_path / "文書" / STORE_FILE).write_bytes("これは記憶ではない。".encode() * 1000)
    command = [*OMOIDE, "serve", "--log-format", "json", "--data", "記憶", *flags]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=60
    )
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert list(dict.fromkeys(each["code"] for each in told)) == codes
    assert done.returncode == (2 if codes == ["invalid_argument"] else len(codes) > 0)
    assert done.stdout == ""


@pytest.mark.parametrize(("flags", "lines"), [((), 0), (("-v",), 3)])
def test_what_is_no_request_does_not_fill_the_log_but_is_counted(
    tmp_path: Path, flags: tuple[str, ...], lines: int
) -> None:
    process, url = begun(tmp_path, *flags, stderr=subprocess.PIPE)
    place = urlsplit(url)
    for said in ("覚えて\r\n\r\n", "记住\r\n\r\n", "remember\r\n\r\n"):
        with socket.create_connection((place.hostname, place.port)) as connection:
            connection.sendall(said.encode())
            assert connection.recv(12) == b"HTTP/1.1 400"
    measured = httpx2.get(url.replace("/mcp", "/metrics")).text
    process.terminate()
    _, log = process.communicate(timeout=20)
    assert log.count("Invalid HTTP request") == lines
    assert 'omoide_requests_refused_total{status="400"} 3.0' in measured


def test_the_log_tells_sessions_apart_and_lets_nobody_into_one(tmp_path: Path) -> None:
    process, url = begun(tmp_path, "-v", stderr=subprocess.PIPE)
    headers = {"Accept": "application/json, text/event-stream"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "手紙", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    session = httpx2.post(url, headers=headers, json=begin).headers["mcp-session-id"]
    httpx2.delete(url, headers={**headers, "mcp-session-id": session})
    httpx2.delete(url, headers={**headers, "mcp-session-id": session})
    process.terminate()
    _, log = process.communicate(timeout=20)
    assert session not in log
    assert sum(session[:8] in line for line in log.splitlines()) >= 2, "it began and ended"


@pytest.mark.parametrize("path", ["/", "/sse", "/mcp/京都", "/messages"])
def test_where_nothing_is_people_read_where_clients_connect(clock: Any, path: str) -> None:
    desk_ = dispatcher(clock)
    app = application(protocol.build(desk_, version="1"), Guards(Hosts(None)), Metrics(), lambda: "", dispatcher=desk_)
    with TestClient(app) as client:
        answers = client.get(path), client.post(path, json={})
    for answer in answers:
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/plain; charset=utf-8")
        assert [line.count("/mcp") for line in answer.text.splitlines()] == [1, 1, 1]


async def test_a_server_process_tells_of_itself(http: Callable[..., str]) -> None:
    url = http()
    root = url.removesuffix("/mcp")
    async with Client(url) as client:
        await client.call_tool("store_memory", {"text": "駐車場は地下二階"})
        await client.call_tool("search_memory", {"query": "駐車場"})
    assert httpx2.get(f"{root}/health/live").json() == {"status": "live"}
    assert httpx2.get(f"{root}/health/ready").json() == {"status": "ready"}
    told = httpx2.get(f"{root}/metrics").text
    for line in (
        'omoide_calls_total{outcome="ok",tool="search_memory"} 1.0',
        'omoide_stage_seconds_count{stage="search",tool="search_memory"} 1.0',
        "omoide_calls_present 0.0",
        "omoide_index_lag_changes 0.0",
        "omoide_memories 1.0",
    ):
        assert line in told.splitlines()
    stages = set(re.findall(r'omoide_stage_seconds_count{stage="(\w+)",tool="search_memory"}', told))
    assert stages == {"follow", "embed", "analyse", "search", "read", "explain"}
    assert "駐車場" not in told


NOHUP = pytest.mark.skipif(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, reason="these tests run under nohup")
ENDS = [signal.SIGTERM, signal.SIGINT, pytest.param(signal.SIGHUP, marks=NOHUP)]


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("end", ENDS)
def test_a_call_under_way_is_answered_when_the_server_is_asked_to_end(
    tmp_path: Path, end: signal.Signals, workers: str
) -> None:
    process, address = begun(tmp_path, "--workers", workers)
    url = httpx2.URL(address)
    body = json.dumps(CALL).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in MODERN.items())
    with socket.create_connection((url.host, url.port), timeout=20) as client, client.makefile("rb") as answers:
        head = f"POST {url.path} HTTP/1.1\r\nHost: {url.host}\r\n{head}Content-Length: {len(body)}\r\n"
        client.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert b"100" in answers.readline(), "the server has begun to read the body"
        process.send_signal(end)
        until_nobody_is_let_in(url.host, url.port)
        client.sendall(body)
        answer = answers.read().decode()
    assert "200 OK" in answer
    assert "終わる前に覚える" not in answer
    assert '"isError":true' not in answer
    assert process.wait(20) == 0
    with open_memories(tmp_path) as memories:
        assert [hit.memory.text for hit in memories.recall("").hits] == ["終わる前に覚える"]


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGINT])
def test_who_is_impatient_ends_a_server_that_waits_for_a_client_and_sees_no_error(
    tmp_path: Path, first: signal.Signals
) -> None:
    process, address = begun(tmp_path, stderr=subprocess.PIPE)
    url = httpx2.URL(address)
    with socket.create_connection((url.host, url.port), timeout=20) as client, client.makefile("rb") as answers:
        client.sendall(f"POST {url.path} HTTP/1.1\r\nHost: {url.host}\r\nContent-Length: 9\r\n".encode())
        client.sendall(b"Expect: 100-continue\r\n\r\n")
        assert b"100" in answers.readline(), "the server waits for a body that does not come"
        process.send_signal(first)
        until_nobody_is_let_in(url.host, url.port)
        process.send_signal(signal.SIGINT)
        assert b"503" in answers.read()
    _, log = process.communicate(timeout=20)
    assert (process.returncode, log) == (0, "")


def until_nobody_is_let_in(host: str, port: int | None) -> None:
    tick = threading.Event()
    for _ in range(500):
        with suppress(ConnectionResetError):  # it was in line when the door closed
            try:
                socket.create_connection((host, port), timeout=20).close()
            except ConnectionRefusedError:
                return
        tick.wait(0.01)
    raise AssertionError("newcomers wait for a server that ends")


MODERN = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "store_memory",
}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "store_memory",
        "arguments": {"text": "終わる前に覚える"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
