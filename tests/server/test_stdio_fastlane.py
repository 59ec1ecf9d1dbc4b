"""Over stdio, what is answered without the SDK is what the SDK would answer: the same lines go through both."""

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO
from weakref import ref

import pytest

from omoide import app
from omoide.config import load
from omoide.families.tool import Caller, Result, Tool
from omoide.server.calls.dispatcher import WORKERS, Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.protocol import wire
from omoide.server.stdio.pending import PendingRequests
from omoide.server.stdio.serving import Conversation
from tests.server.test_fast_lane import CLIENT as NAMED
from tests.server.test_fast_lane import DECLARED, META, ODD, PROBE, SEARCHES, store

#: A client that shows forms, so that tools may ask through it.
CLIENT = {"capabilities": {"elicitation": {}}, "clientInfo": {"name": "客", "version": "1"}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}

Lines = Iterable[bytes | dict[str, Any]]


def request(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def hello(version: str = "2025-11-25") -> list[dict[str, Any]]:
    return [request("hello", "initialize", protocolVersion=version, **CLIENT), INITIALIZED]


def enveloped(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return request(id, method, _meta=META, **params)


@pytest.fixture(scope="module")
def dispatcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dispatcher]:
    chosen = load({"data": str(tmp_path_factory.mktemp("talk"))}, {})
    with app.opened(chosen) as opened:
        store(opened.memories)
        tools = [PROBE, *app.tools(opened.memories, chosen)]
        yield Dispatcher(
            tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), interleaver=partial(app.interleaver, 2)
        )


def pipe_of(said: Iterable[bytes]) -> BinaryIO:
    """A pipe through which this is said, piece by piece."""
    reading, writing = os.pipe()

    def say() -> None:
        with os.fdopen(writing, "wb", buffering=0) as pipe, suppress(BrokenPipeError):
            for each in said:
                pipe.write(each)

    threading.Thread(target=say, daemon=True).start()
    return os.fdopen(reading, "rb")


def converse(dispatcher: Dispatcher, said: Lines, *, fast_lane: bool) -> list[Any]:
    """What is answered to these lines, in the order of the ids; errors without an id come last."""
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in said]
    stdout = io.BytesIO()
    with Conversation("0", pipe_of([b"\n".join(lines) + b"\n"]), stdout, fast_lane=fast_lane) as conversation:
        conversation.serve(dispatcher)
    answers = [json.loads(line) for line in stdout.getvalue().splitlines()]
    return sorted(answers, key=lambda answer: (answer.get("id") is None, str(answer.get("id")), json.dumps(answer)))


def assert_same(dispatcher: Dispatcher, said: list[Any]) -> None:
    assert converse(dispatcher, said, fast_lane=True) == converse(dispatcher, said, fast_lane=False)


@pytest.mark.parametrize("version", [*sorted(wire.SESSION_VERSIONS), "2099-01-01"])
def test_the_handshake_of_2025_is_the_sdks(dispatcher: Dispatcher, version: str) -> None:
    said = [*hello(version), request(1, "tools/list"), request(2, "ping"), {**request(3, "tools/list"), "params": {}}]
    assert_same(dispatcher, [*said, {"jsonrpc": "2.0", "id": 4, "method": "ping"}])


@pytest.mark.parametrize("declared", DECLARED)
def test_whatever_a_client_declares_the_handshake_is_the_sdks(dispatcher: Dispatcher, declared: str) -> None:
    capabilities, described = DECLARED[declared]
    said = {"capabilities": capabilities, "clientInfo": {**NAMED, **described}}
    greeting = request("hello", "initialize", protocolVersion="2025-11-25", **said)
    assert wire.request(greeting, "session") is not None, "the SDK need not be loaded for it"
    assert_same(dispatcher, [greeting, INITIALIZED, request(1, "tools/call", name="probe", arguments={"tags": ["茶"]})])


def test_after_a_second_handshake_calls_are_of_the_client_that_it_names(dispatcher: Dispatcher) -> None:
    called = [request(id, "tools/call", name="probe", arguments={}) for id in (1, 3)]
    other = {"capabilities": {}, "clientInfo": {"name": "别的客户端", "version": "2"}}
    again = request(2, "initialize", protocolVersion="2024-11-05", **other)
    said = [*hello(), called[0], again, INITIALIZED, called[1]]
    assert_same(dispatcher, said)
    first, _, second, _ = converse(dispatcher, said, fast_lane=True)
    callers = [each["result"]["structuredContent"]["caller"] for each in (first, second)]
    assert callers == ["客 1", "别的客户端 2"]


def test_the_discovery_of_2026_is_the_sdks(dispatcher: Dispatcher) -> None:
    for first in ("server/discover", "tools/list"):
        assert_same(dispatcher, [enveloped(1, first), enveloped(2, "tools/list"), enveloped(3, "ping"), *hello()])


@pytest.mark.parametrize(("name", "arguments"), SEARCHES)
def test_calls_are_answered_as_by_the_sdk(dispatcher: Dispatcher, name: str, arguments: dict[str, Any]) -> None:
    assert_same(dispatcher, [*hello(), request(1, "tools/call", name=name, arguments=arguments)])
    assert_same(dispatcher, [enveloped(1, "tools/call", name=name, arguments=arguments)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("odd", ODD)
def test_what_is_out_of_the_ordinary_is_answered_alike_wherever_it_stands(dispatcher: Dispatcher, odd: str) -> None:
    for begun, ordinary in (
        (hello(), request(7, "tools/call", name="probe", arguments={"tags": ["茶"]})),
        ([enveloped(1, "server/discover")], enveloped(7, "tools/call", name="probe", arguments={})),
        ([], enveloped(7, "tools/call", name="probe", arguments={})),
    ):
        message = json.loads(json.dumps(ordinary))
        try:
            changed = ODD[odd](message)
        except KeyError:  # there is no envelope in this era
            continue
        after = {**ordinary, "id": "after"}
        assert_same(dispatcher, [*begun, message if changed is None else changed, after])


@pytest.mark.parametrize(
    ("answer", "confirmed"),
    [
        ({"action": "accept", "content": {"confirm": True}}, True),
        ({"action": "accept", "content": {"confirm": "はい"}}, False),
        # these have no shape of an answer
        ({"content": {"confirm": True}}, False),
        ({"action": "好"}, False),
        ({}, False),
    ],
)
def test_a_tool_that_asks_reaches_the_person_through_the_sdk_that_comes_late(
    answer: dict[str, Any], confirmed: bool
) -> None:
    def forget(caller: Caller, arguments: Any) -> Result:
        return Result(f"confirmed: {caller.confirmed}")

    schema = {"type": "object", "properties": {}}
    asking = Tool(
        name="忘れる",
        title="?",
        description="?",
        input_schema=schema,
        output_schema=None,
        run=forget,
        asks=lambda _: "本当に？",
    )
    dispatcher = Dispatcher([asking], OneWorkspace(workspace_of([asking], Sessions(app.utc_now))))
    to_server, to_client = os.pipe(), os.pipe()
    with os.fdopen(to_server[1], "wb") as said, os.fdopen(to_client[0], "rb") as heard:
        conversation = Conversation("0", os.fdopen(to_server[0], "rb"), os.fdopen(to_client[1], "wb"))
        with conversation:
            serving = threading.Thread(target=conversation.serve, args=(dispatcher,), daemon=True)
            serving.start()
            for message in (*hello(), request(1, "tools/call", name="忘れる", arguments={})):
                said.write(json.dumps(message).encode() + b"\n")
                said.flush()
            assert json.loads(heard.readline())["id"] == "hello"
            question = json.loads(heard.readline())
            assert question["params"]["message"] == "本当に？"
            answered = {"jsonrpc": "2.0", "id": question["id"], "result": answer}
            said.write(json.dumps(answered).encode() + b"\n")
            said.flush()
            assert f"confirmed: {confirmed}" in heard.readline().decode()
            said.close()
            serving.join(20)


def test_the_call_that_a_conversation_begins_with_is_not_run_again_when_the_sdk_is_loaded() -> None:
    written = list[str]()

    def write(caller: Caller, arguments: Any) -> Result:
        written.append(arguments["text"])
        return Result("書いた")

    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    tool = Tool(name="write", title="?", description="?", input_schema=schema, output_schema=None, run=write)
    dispatcher = Dispatcher([tool], OneWorkspace(workspace_of([tool], Sessions(app.utc_now))))
    first = enveloped(1, "tools/call", name="write", arguments={"text": "抹茶"})
    answers = converse(dispatcher, [first, enveloped(2, "resources/list")], fast_lane=True)
    assert [each["id"] for each in answers] == [1, 2]
    assert written == ["抹茶"]


def test_a_call_that_is_called_off_is_finished_and_not_answered() -> None:
    begun, go_on, written = threading.Event(), threading.Event(), threading.Event()

    def slow(caller: Caller, arguments: Any) -> Result:
        begun.set()
        go_on.wait(20)
        written.set()
        return Result("too late")

    schema = {"type": "object", "properties": {}}
    tool = Tool(name="slow", title="?", description="?", input_schema=schema, output_schema=None, run=slow)
    dispatcher = Dispatcher([tool], OneWorkspace(workspace_of([tool], Sessions(app.utc_now))))
    heard, answered = os.pipe()
    told: list[bytes] = []

    def said() -> Iterator[bytes]:
        for message in (*hello(), request(1, "tools/call", name="slow", arguments={})):
            yield json.dumps(message).encode() + b"\n"
        assert begun.wait(20)
        called_off = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        yield json.dumps(called_off).encode() + b"\n"
        yield json.dumps(request(2, "ping")).encode() + b"\n"
        told.extend(answers.readline() for _ in range(2))  # all that was said before has been heard
        go_on.set()

    with os.fdopen(heard, "rb") as answers:
        with os.fdopen(answered, "wb") as stdout, Conversation("0", pipe_of(said()), stdout) as conversation:
            conversation.serve(dispatcher)
            assert written.wait(20)
        told += answers.readlines()
    assert [json.loads(line)["id"] for line in told] == ["hello", 2]


@pytest.mark.parametrize("sdk", ["unused", "loaded", "alone"])
def test_a_call_that_is_called_off_before_it_begins_is_not_begun(sdk: str) -> None:
    begun, go_on = SimpleQueue[str](), threading.Event()

    def slow(caller: Caller, arguments: Any) -> Result:
        begun.put(arguments["text"])
        go_on.wait(20)
        return Result("書いた")

    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    tool = Tool(name="slow", title="?", description="?", input_schema=schema, output_schema=None, run=slow)
    dispatcher = Dispatcher([tool], OneWorkspace(workspace_of([tool], Sessions(app.utc_now))))
    heard, answered = os.pipe()

    def asked(id: int, text: str) -> dict[str, Any]:
        return request(id, "tools/call", name="slow", arguments={"text": text})

    def said() -> Iterator[bytes]:
        first = [request("first", "resources/list")] if sdk == "loaded" else []
        for message in (*hello(), *first, *(asked(id, "写") for id in range(WORKERS))):
            yield json.dumps(message).encode() + b"\n"
        assert [begun.get(timeout=20) for _ in range(WORKERS)] == ["写"] * WORKERS
        called_off = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": WORKERS}}
        for message in (asked(WORKERS, "書かない"), called_off, request("ping", "ping")):
            yield json.dumps(message).encode() + b"\n"
        while json.loads(answers.readline())["id"] != "ping":  # all that was said before has been heard
            pass
        go_on.set()

    with os.fdopen(heard, "rb") as answers:
        fast = sdk != "alone"
        with (
            os.fdopen(answered, "wb") as stdout,
            Conversation("0", pipe_of(said()), stdout, fast_lane=fast) as conversation,
        ):
            conversation.serve(dispatcher)
        assert sorted(json.loads(line)["id"] for line in answers) == list(range(WORKERS))
    assert begun.empty()


def test_an_id_that_is_used_again_at_once_is_answered_each_time() -> None:
    rounds = 400
    heard, answered = os.pipe()
    answers = os.fdopen(heard, "rb")
    told = iter(["resources/list", "tools/call"] * rounds)

    def said() -> Iterator[bytes]:
        for message in hello():
            yield json.dumps(message).encode() + b"\n"
        for method in told:
            answers.readline()
            yield json.dumps(request(1, method, name="quick", arguments={})).encode() + b"\n"

    schema = {"type": "object", "properties": {}}
    quick = Result("速い")
    tool = Tool(name="quick", title="?", description="?", input_schema=schema, output_schema=None, run=lambda *_: quick)
    dispatcher = Dispatcher([tool], OneWorkspace(workspace_of([tool], Sessions(app.utc_now))))
    with Conversation("0", pipe_of(said()), os.fdopen(answered, "wb")) as conversation:
        serving = threading.Thread(target=conversation.serve, args=(dispatcher,), daemon=True)
        serving.start()
        serving.join(30)
        assert not serving.is_alive(), f"{2 * rounds - sum(1 for _ in told)} were said"


@pytest.mark.parametrize("is_noted_first", [True, False])
def test_a_call_that_has_been_answered_is_not_kept(is_noted_first: bool) -> None:
    class Call:
        def drop(self) -> None:
            raise AssertionError("nobody has cancelled it")

    pending, call = PendingRequests(), Call()
    gone = ref(call)
    pending.add("茶")
    if is_noted_first:
        pending.started("茶", call)
    pending.settle("茶")
    if not is_noted_first:
        pending.started("茶", call)
    del call
    assert gone() is None


def test_who_waits_for_all_answers_does_not_wait_for_that_of_a_cancelled_call() -> None:
    pending = PendingRequests()
    pending.add("茶")
    waiting = threading.Thread(target=pending.wait_until_empty, args=(60,), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    pending.cancel("茶")
    waiting.join(30)
    assert not waiting.is_alive()


def test_an_ordinary_conversation_never_loads_the_sdk(tmp_path: Path) -> None:
    said = [*hello(), request(1, "tools/list"), request(2, "tools/call", name="store_memory", arguments={"text": "茶"})]
    program = (
        "import sys; from omoide.cli import main; main(sys.argv[1:]); "
        "print([name for name in ('mcp', 'pydantic', 'jsonschema', 'starlette') if name in sys.modules], file=sys.stderr)"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OMOIDE_")}
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", "--data", str(tmp_path)],
        input="".join(json.dumps(message) + "\n" for message in said),
        capture_output=True,
        text=True,
        timeout=60,
        env=kept,
    )
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr.splitlines()[-1] == "[]"
