"""`omoide serve` as a process on two pipes."""

import io
import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import IO, Any, BinaryIO, cast

import pytest
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitRequestParams, ElicitResult

from omoide.app import open_memories
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.stdio import serving as stdio
from omoide.server.stdio.lines import CAN_POLL
from omoide.server.stdio.serving import Conversation
from tests.server.conftest import OMOIDE, environment

HANDSHAKE = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def call(id: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def lines(*messages: dict[str, Any]) -> str:
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages)


def run(folder: Path, said: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*OMOIDE, "serve", "--data", str(folder), *flags],
        input=said,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
    )


def test_a_question_that_waits_for_the_store_is_known_before(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with Conversation("0", os.fdopen(reading, "rb"), io.BytesIO()) as conversation:
        assert conversation.first_waiting() == ""
        with os.fdopen(writing, "wb") as client:
            client.write(lines(*HANDSHAKE, call(2, "search_memory", query="北京的茶")).encode())
        while not conversation.first_waiting():
            os.sched_yield()
        assert "北京的茶" in conversation.first_waiting()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_stores_and_finds(tmp_path: Path, mode: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "omoide.cli", "serve", "--data", str(tmp_path)], env=environment()
    )
    async with Client(parameters, mode=mode) as client:
        await client.call_tool("store_memory", {"text": "駐車場は地下二階"})
        found = await client.call_tool("search_memory", {"query": "駐車場"})
    assert "地下二階" in str(found.structured_content)


async def test_what_another_process_stores_meanwhile_is_found(tmp_path: Path) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "omoide.cli", "serve", "--data", str(tmp_path)], env=environment()
    )
    with open_memories(tmp_path) as other:
        async with Client(parameters) as client:
            for text, asked in (
                ("会議は三時から", "会議"),
                ("车停在地下二层", "停车"),
                ("Anna is allergic to peanuts.", "allergies"),
            ):
                other.remember(text)
                found = await client.call_tool("search_memory", {"query": asked})
                assert text in str(found.structured_content)


def test_the_end_of_stdin_ends_the_process_when_all_is_answered(tmp_path: Path) -> None:
    stored = [call(2 + number, "store_memory", text=f"{number}番目の会議") for number in range(5)]
    done = run(tmp_path, lines(*HANDSHAKE, *stored))
    assert done.returncode == 0
    answers = {message["id"]: message for message in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == set(range(1, 7))
    assert not any(answers[id]["result"].get("isError") for id in range(2, 7))


def test_the_index_is_kept_for_the_next_start(tmp_path: Path) -> None:
    run(tmp_path, lines(*HANDSHAKE, call(2, "store_memory", text="会議は三時")))
    assert "三時" in run(tmp_path, lines(*HANDSHAKE, call(2, "search_memory", query="会議"))).stdout
    assert list((tmp_path / "index").glob("*/CURRENT"))


def test_stdout_carries_nothing_but_protocol_and_stderr_says_how_to_connect(tmp_path: Path) -> None:
    done = run(tmp_path, lines(*HANDSHAKE))
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    assert f"0 memories in {tmp_path}" in done.stderr
    assert "search_memory_graph" in done.stderr
    pasted = json.loads(done.stderr.partition("for other clients: ")[2].splitlines()[0])
    pasted = pasted["mcpServers"]["omoide"]
    again = subprocess.run([pasted["command"], *pasted["args"]], input="", capture_output=True, text=True, timeout=60)
    assert again.returncode == 0, "what is pasted starts the server"


def test_what_is_pasted_starts_it_with_the_same_flags_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    flags = [
        "--scope",
        "project:思い出 の",
        "--tools",
        "recallnest,query_memory",
        "--no-compact-responses",
        "--models",
        "模型",
    ]

    def pasted(command: list[str], folder: Path) -> list[str]:
        done = subprocess.run(
            command, input="", capture_output=True, text=True, cwd=folder, env=environment(), timeout=60
        )
        assert done.returncode == 0, done.stderr
        entry = json.loads(done.stderr.partition("for other clients: ")[2].splitlines()[0])["mcpServers"]["omoide"]
        assert done.stderr.partition("claude mcp add omoide -- ")[2].startswith(
            shlex.join([entry["command"], *entry["args"]])
        )
        return [entry["command"], *entry["args"]]

    again = pasted([*OMOIDE, "serve", "--data", "記憶", *flags], tmp_path)
    assert again[again.index("serve") :] == [
        "serve",
        "--data",
        str(tmp_path / "記憶"),
        f"--models={tmp_path / '模型'}",
        "--no-compact-responses",
        "--scope=project:思い出 の",
        "--tools=recallnest,query_memory",
    ]
    assert pasted(again, tmp_path / "elsewhere") == again


def test_a_line_that_is_not_json_is_answered_and_the_next_one_served(tmp_path: Path) -> None:
    done = run(tmp_path, "{思い出\n" + lines(*HANDSHAKE))
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["error"]["code"] == -32700
    assert second["id"] == 1


def ask(
    id: str, method: str = "tools/call", params: str = '{"name": "search_memory", "arguments": {"query": "茶"}}'
) -> str:
    return f'{{"jsonrpc": "2.0", "id": {id}, "method": "{method}", "params": {params}}}'


def nested(levels: int) -> str:
    """The params of a call whose line has so many."""
    around = levels - 3
    return f'{{"name": "search_memory", "arguments": {{"query": {"[" * around}1{"]" * around}}}}}'


#: What is no message -> what is said of it, by the id that it is answered under.
NO_MESSAGES: list[tuple[bytes, dict[str | float | None, str]]] = [
    (ask("2", params=r'{"name": "store_memory", "arguments": {"text": "京都\ud83d"}}').encode(), {2: "U+D83D"}),
    (ask("3").encode().replace("茶".encode(), b"\xe8\x8c"), {3: "not UTF-8"}),
    (ask("4", params="[]").encode(), {4: "params"}),
    (ask('"五"').encode().replace(b'"jsonrpc": "2.0", ', b""), {"五": "jsonrpc"}),
    (ask(r'"\ud800"').encode(), {"\ud800": "U+D800"}),
    (ask("6.5").encode(), {6.5: "id is a string or an integer"}),
    (ask("7.0", "tools/list", "{}").encode(), {7.0: "id is a string or an integer"}),
    (ask("true").encode(), {None: "id is a string or an integer"}),
    (ask("null").encode(), {None: "id is a string or an integer"}),
    (
        ask("8", params=f'{{"name": "search_memory", "arguments": {{"limit": {"9" * 5000}}}}}').encode(),
        {8: "params"},
    ),
    (f"[{ask('9')}, {ask('10')}]".encode(), {9: "batches", 10: "batches"}),
    (b"[]", {None: "batches"}),
    (b'{"jsonrpc": "2.0", "id": 11, "result": []}', {None: "message"}),
    (b'{"method": "notifications/initialized"}', {None: "message"}),
    (b'{"jsonrpc": "2.0", "method": "notifications/initialized", "params": []}', {None: "message"}),
    (ask("12", "notifications/initialized", "{}").encode(), {12: "Method not found"}),
    (ask("null", "notifications/initialized", "{}").encode(), {}),
    (b"[" * 100_000, {None: "too deeply"}),
    (ask("13", params=nested(201)).encode(), {13: "too deeply"}),
    (ask("14", params=nested(900)).encode(), {14: "too deeply"}),
    ("{思い出".encode("utf-16"), {None: "not JSON"}),
]
LAST = [
    {"jsonrpc": "2.0", "id": "last", "method": "resources/list"},
    {"jsonrpc": "2.0", "id": "end", "method": "ping"},
]


def answered(data: Path, lane: str, *said: bytes) -> list[dict[str, Any]]:
    """The answers to what is said between a handshake and two questions."""
    done = subprocess.run(
        [*OMOIDE, "serve", "--data", str(data), lane],
        input=b"\n".join((lines(HANDSHAKE[0]).strip().encode(), *said, lines(*LAST).encode())),
        capture_output=True,
        env=environment(),
        timeout=60,
    )
    assert "Traceback" not in done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def say(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bytes, int], list[dict[str, Any]]]]:
    """Say a line to a server, then LAST; returns so many answers. It must not have given any more in the end."""
    process = subprocess.Popen(
        [*OMOIDE, "serve", "--data", str(tmp_path_factory.mktemp("said"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    def say(line: bytes, count: int) -> list[dict[str, Any]]:
        patience = threading.Timer(20, process.kill)
        patience.start()
        stdin.write(b"\n".join((line, lines(*LAST).encode())))
        stdin.flush()
        told = [json.loads(stdout.readline()) for _ in range(count)]
        patience.cancel()
        return told

    say(lines(HANDSHAKE[0]).strip().encode(), 3)
    yield say
    rest, log = process.communicate(timeout=60)
    assert rest == b""
    assert b"Traceback" not in log


@pytest.mark.parametrize(("line", "told"), NO_MESSAGES)
def test_what_is_no_message_is_answered_by_its_id_and_the_next_one_served(
    say: Callable[[bytes, int], list[dict[str, Any]]], line: bytes, told: dict[str | float | None, str]
) -> None:
    answers = {answer["id"]: answer for answer in say(line, len(told) + 2)}
    assert answers.keys() == {"last", "end", *told}
    assert all(words in answers[id]["error"]["message"] for id, words in told.items())


@pytest.mark.parametrize("lane", ["--fast-lane", "--no-fast-lane"])
def test_what_is_no_message_is_answered_alike_while_the_server_begins(tmp_path: Path, lane: str) -> None:
    answers = answered(tmp_path, lane, *(line for line, _ in NO_MESSAGES))
    expected = [each for _, told in NO_MESSAGES for each in told.items()]
    assert Counter(answer["id"] for answer in answers) == Counter([1, "last", "end", *(id for id, _ in expected)])
    refused = [(answer["id"], answer["error"]["message"]) for answer in answers if "error" in answer]
    for id, words in expected:
        assert any(each == id and words in message for each, message in refused), id


#: Parameters that do not fit the protocol, by the id they are answered under -> what is said of them.
UNFIT = {
    2: (ask("2", params='{"name": "search_memory", "arguments": "{}"}'), "params.arguments: is to be an object"),
    3: (ask("3", params='{"arguments": {}}'), "params.name: is required"),
    4: (ask("4", "tools/list", '{"cursor": 1}'), "params.cursor: is to be a string"),
    5: (ask("5", "initialize", '{"protocolVersion": "2025-06-18"}'), "params.capabilities: is required"),
}


@pytest.mark.parametrize("lane", ["--fast-lane", "--no-fast-lane"])
def test_parameters_that_do_not_fit_the_protocol_are_told_which_and_why(tmp_path: Path, lane: str) -> None:
    answers = answered(tmp_path, lane, *(line.encode() for line, _ in UNFIT.values()))
    told = {each["id"]: each["error"]["message"] for each in answers if each["id"] in UNFIT}
    assert told == {id: f"Invalid request parameters: {words}." for id, (_, words) in UNFIT.items()}


@pytest.mark.parametrize("lane", ["--fast-lane", "--no-fast-lane"])
def test_who_asks_before_the_handshake_is_told_how_to_begin(tmp_path: Path, lane: str) -> None:
    done = run(tmp_path, ask("1", "tools/list", "{}") + "\n" + lines(HANDSHAKE[0]), lane)
    early, begun = map(json.loads, done.stdout.splitlines())
    assert (early["id"], early["error"]["code"]) == (1, -32602)
    assert '"initialize"' in early["error"]["message"]
    assert begun["result"]["serverInfo"]["name"] == "omoide"


def test_a_byte_order_mark_before_the_first_message_is_passed_over(tmp_path: Path) -> None:
    done = run(tmp_path, "\N{BYTE ORDER MARK}" + lines(*HANDSHAKE))
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]


def serving(data: Path, *flags: str) -> tuple[subprocess.Popen[str], IO[str], IO[str]]:
    """A server, what is said to it and what is heard from it."""
    pipe, command = subprocess.PIPE, [*OMOIDE, "serve", "--data", str(data), *flags]
    process = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=environment()
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return process, process.stdin, process.stdout


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_in_good_order(tmp_path: Path, asked: signal.Signals) -> None:
    process, said, heard = serving(tmp_path)
    said.write(lines(*HANDSHAKE))
    said.flush()
    heard.readline()
    process.send_signal(asked)
    assert process.wait(20) == 0


@pytest.mark.parametrize("lane", ["--fast-lane", "--no-fast-lane"])
def test_what_has_come_before_a_signal_is_answered(tmp_path: Path, lane: str) -> None:
    process, said, heard = serving(tmp_path, lane)
    said.write(lines(*HANDSHAKE, call(2, "store_memory", text="駐車場は地下二階")))
    said.flush()
    assert [json.loads(heard.readline())["id"] for _ in range(2)] == [1, 2]
    questions = ("駐車場はどこ", "停车场在哪里", "where did we park")
    asked = [call(10 + n, "search_memory", query=questions[n % 3]) for n in range(99)]
    said.write(lines(*asked, call(200, "store_memory", text="我们把车停在地下二层")))
    said.flush()
    process.send_signal(signal.SIGTERM)
    try:
        answers, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 0
    assert sorted(json.loads(line)["id"] for line in answers.splitlines()) == [*range(10, 109), 200]


#: A system that gives a signal to whichever thread is at work.
GIVEN_TO_ANOTHER = """
import io, os, signal, sys, threading
from omoide.server.stdio.serving import Conversation, end_by_signals

with Conversation("0", os.fdopen(0, "rb", closefd=False), io.BytesIO()) as conversation:
    end_by_signals(conversation)
    asked = int(sys.argv[1])
    threading.Timer(0.1, lambda: signal.pthread_kill(threading.get_ident(), asked)).start()
    conversation.serve(None)
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of another kind")
@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_another_thread_is_given_ends_the_process_as_well(asked: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", GIVEN_TO_ANOTHER, str(int(asked))], stdin=subprocess.PIPE, env=environment()
    )
    try:
        assert process.wait(20) == 0
    finally:
        process.kill()


@pytest.mark.parametrize("step", range(1, 31))
def test_a_signal_between_any_two_steps_of_waiting_for_it_ends_the_conversation(
    step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "POLL_SECONDS", 0.001)
    (stdin, says), steps = a_pipe(), count(1)

    def serve() -> None:
        with Conversation("0", stdin, io.BytesIO()) as conversation:

            def interrupt(frame: FrameType, event: str, arg: Any) -> Any:
                if event == "line" and next(steps) == step:
                    conversation.end()
                return interrupt

            sys.settrace(interrupt)
            conversation.serve(cast(Dispatcher, None))
            sys.settrace(None)

    with says:
        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        serving.join(20)
        assert not serving.is_alive()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="a terminal of another kind")
def test_a_person_who_starts_it_at_a_terminal_is_told_whom_it_waits_for(tmp_path: Path) -> None:
    person, terminal = os.openpty()
    process = subprocess.Popen(
        [*OMOIDE, "serve", "--data", str(tmp_path)],
        stdin=terminal,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    assert any("a client is to speak on stdin" in line for line in process.stderr)
    os.write(person, b"\x04")  # the person ends the input
    assert process.wait(20) == 0
    os.close(person)
    os.close(terminal)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_person_is_asked_before_an_entity_is_forgotten(tmp_path: Path, mode: str) -> None:
    async def yes(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": True})

    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "omoide.cli", "serve", "--data", str(tmp_path)], env=environment()
    )
    async with Client(parameters, mode=mode, elicitation_callback=yes) as client:
        await client.call_tool(
            "remember_fact", {"entityName": "小红", "entityType": "person", "observation": "喜欢爬山"}
        )
        forgotten = await client.call_tool("forget_entity", {"entityName": "小红"})
    assert not forgotten.is_error


@pytest.mark.parametrize("lane", ["--fast-lane", "--no-fast-lane"])
@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize("ends", [subprocess.Popen.terminate, lambda process: process.stdin.close()])
def test_a_person_who_is_asked_when_it_ends_is_heard_if_he_has_answered_and_not_waited_for(
    tmp_path: Path, ends: Callable[[Any], None], answers: bool, lane: str
) -> None:
    begin, ready = HANDSHAKE
    can_ask = {**begin, "params": {**begin["params"], "capabilities": {"elicitation": {}}}}
    fact = {"entityName": "小红", "entityType": "person", "observation": "喜欢爬山"}
    calls = call(2, "remember_fact", **fact), call(3, "forget_entity", entityName="小红")
    process = subprocess.Popen(
        [*OMOIDE, "serve", "--data", str(tmp_path), lane],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(can_ask, ready, calls[0]))
        process.stdin.flush()
        for _ in range(2):
            process.stdout.readline()
        process.stdin.write(lines(calls[1]))
        process.stdin.flush()
        question = json.loads(process.stdout.readline())
        yes = {"action": "accept", "content": {"confirm": True}}
        process.stdin.write(lines({"jsonrpc": "2.0", "id": question["id"], "result": yes}) if answers else "")
        process.stdin.flush()
        ends(process)
        said = json.loads(process.stdout.readlines()[-1])
        assert process.wait(20) == 0
    assert said["id"] == 3
    assert said["result"]["isError"] is not answers
    assert answers or "不再等待确认" in said["result"]["content"][1]["text"]


def test_pipes_that_nobody_is_to_wait_for_are_waited_for_all_the_same(tmp_path: Path) -> None:
    """Some programs give a server such ends of theirs; the answers are more than a pipe holds."""
    begun = [*OMOIDE, "serve", "--data", str(tmp_path)]
    (reading, client), (client_reads, writing) = os.pipe(), os.pipe()
    for file in (reading, writing):
        os.set_blocking(file, False)
    with subprocess.Popen(begun, stdin=reading, stdout=writing, stderr=subprocess.PIPE, env=environment()) as process:
        os.close(reading)
        os.close(writing)
        assert process.stderr is not None
        process.stderr.readline()  # it has begun, and found nothing to read
        questions = ("京都のお茶", "北京的茶", "tea in Kyoto")
        calls = [call(id, "search_memory", query=questions[id % 3]) for id in range(2, 202)]
        with os.fdopen(client, "wb") as said, os.fdopen(client_reads, "rb") as heard:
            said.write(lines(*HANDSHAKE, *calls).encode())
            said.close()
            answers = [json.loads(heard.readline()) for _ in range(201)]
        assert process.wait(60) == 0
    assert sorted(each["id"] for each in answers) == list(range(1, 202))


def a_pipe(buffering: int = -1) -> tuple[BinaryIO, BinaryIO]:
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb"), os.fdopen(writing, "wb", buffering)


def a_pair_of_sockets() -> tuple[BinaryIO, BinaryIO]:
    """As programs of Node give to those they start."""
    server, client = socket.socketpair()
    return os.fdopen(server.detach(), "rb"), os.fdopen(client.detach(), "wb")


def pings(*ids: int) -> bytes:
    return lines(*[{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in ids]).encode()


@pytest.mark.skipif(not CAN_POLL, reason="pipes of another kind")
@pytest.mark.parametrize("given", [a_pipe, a_pair_of_sockets])
def test_who_has_gone_and_takes_no_answers_is_not_waited_for(given: Callable[[], tuple[BinaryIO, BinaryIO]]) -> None:
    (stdin, says), (unread, stdout) = given(), a_pipe(buffering=0)  # nothing is left in it for when it is let go of
    with unread, Conversation("0", stdin, stdout, drain_seconds=0.3) as conversation:
        with says:
            os.set_blocking(says.fileno(), False)
            os.write(says.fileno(), lines(HANDSHAKE[0]).encode())
            while select.select([], [says], [], 0.5)[1]:  # until neither side takes any more
                with suppress(BlockingIOError):
                    os.write(says.fileno(), pings(*range(50)))  # so few go whole or not at all
        serving = threading.Thread(target=conversation.serve, args=[None], daemon=True)
        serving.start()
        serving.join(20)
        assert not serving.is_alive()


@pytest.mark.skipif(not CAN_POLL, reason="pipes of another kind")
def test_who_takes_answers_late_is_waited_for_while_he_may_say_more() -> None:
    (stdin, says), (heard, stdout) = a_pipe(), a_pipe()
    with says, Conversation("0", stdin, stdout, drain_seconds=0.1) as conversation:
        asked = lines(HANDSHAKE[0]).encode() + pings(*range(2, 4000))
        asking = threading.Thread(target=lambda: (says.write(asked), says.flush()))
        asking.start()
        serving = threading.Thread(target=conversation.serve, args=[None], daemon=True)
        serving.start()
        serving.join(1)
        assert serving.is_alive()
        assert [json.loads(heard.readline())["id"] for _ in range(3999)] == list(range(1, 4000))
        asking.join()


def unread() -> int:
    """The end of a pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def full() -> int:
    """A log on a disk without room."""
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("log", [unread, full])
def test_a_client_is_served_though_nobody_can_be_told_of_it(tmp_path: Path, log: Callable[[], int]) -> None:
    program, log_file = [*OMOIDE, "serve", "--data", str(tmp_path)], log()
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log_file, text=True, env=environment()
    ) as process:
        os.close(log_file)
        assert process.stdin is not None
        assert process.stdout is not None
        heard = []
        for id, question in enumerate(
            ("京都のお茶", "北京的茶", "tea in Kyoto"), 2
        ):  # one by one: the end is not to be near
            process.stdin.write(lines(*HANDSHAKE[: 2 * (id == 2)], call(id, "search_memory", query=question)))
            process.stdin.flush()
            heard += [json.loads(process.stdout.readline())["id"] for _ in range(1 + (id == 2))]
        process.stdin.close()
        assert process.wait(60) == 0
    assert heard == [1, 2, 3, 4]
