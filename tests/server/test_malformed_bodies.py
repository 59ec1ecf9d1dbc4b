"""What is posted and is no message, or a question under an id that cannot be one."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server.lowlevel import Server
from starlette.testclient import TestClient

from omoide.nesting import MOST_LEVELS
from omoide.server.http.guards import Guards, Hosts
from omoide.server.http.serving import PATH, application
from omoide.server.monitoring.metrics import Metrics
from omoide.server.protocol.wire import CAPABILITIES_KEY, CLIENT_KEY, STATELESS, VERSION_KEY
from tests.server.test_content_negotiation import BOTH, HANDSHAKE

NO_ID = "an id is a string or an integer"


def asking(id: str, method: str = "tools/call", more: str = '"params": {}') -> bytes:
    return f'{{"jsonrpc": "2.0", "id": {id}, "method": "{method}", {more}}}'.encode()


#: Body -> the id that it is answered under, and what is said.
NO_MESSAGES: list[tuple[bytes, Any, str]] = [
    (asking("1.0"), 1.0, NO_ID),
    (asking("7.5", "tools/list"), 7.5, NO_ID),
    (asking("null"), None, NO_ID),
    (asking("true"), None, NO_ID),
    (asking("[]"), None, NO_ID),
    (asking("2", more='"params": []'), 2, "params"),
    (asking('"三"', more=r'"params": {"name": "店\ud83d"}'), "三", "U+D83D"),
    (asking("4").replace(b'"2.0"', b'"1.0"'), 4, '"jsonrpc": "2.0"'),
    (asking("true").replace(b'"2.0"', b'"1.0"'), None, '"jsonrpc": "2.0"'),
    (asking("[]").replace(b'"2.0"', b'"1.0"'), None, '"jsonrpc": "2.0"'),
    (asking("5").replace(b"{}", b'{"query": ' + b"[" * 300 + b"]" * 300 + b"}"), 5, "too deeply"),
    (asking("6").replace(b"tools", "道具".encode("shift_jis")), 6, "not UTF-8"),
    (b"[" + asking("7") + b"]", 7, "batches"),
    (b"[" + asking("8") + b"," + asking("9") + b"]", None, "batches"),
    (b"[]", None, "batches"),
    (asking("10")[:-1], None, "not JSON"),
    ("{思い出".encode("utf-16"), None, "not JSON"),
    (b"", None, "not JSON"),
]
MESSAGES: list[tuple[bytes, int, str]] = [
    (asking("1", "ping"), 200, '"result":{}'),
    (asking("2", "記憶"), 200, "Method not found"),
    (BOM_UTF8 + asking("3", "ping"), 200, '"result":{}'),
    (b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}', 202, ""),
    (b'{"jsonrpc": "2.0", "method": "tools/call", "params": {}}', 202, ""),
    (asking("null", "notifications/initialized"), 202, ""),
]


def posted(server: Server[Any], body: bytes, *, session: bool = True) -> Any:
    app = application(server, Guards(Hosts(None)), Metrics(), lambda: "")
    headers = {"Accept": BOTH, "Content-Type": "application/json"}
    with TestClient(app) as client:
        if session:
            headers["Mcp-Session-Id"] = client.post(PATH, json=HANDSHAKE, headers=headers).headers["Mcp-Session-Id"]
        else:
            headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "search_memory"}
        return client.post(PATH, content=body, headers=headers)


@pytest.mark.parametrize("session", [True, False])
@pytest.mark.parametrize(("body", "id", "said"), NO_MESSAGES)
def test_what_is_no_message_is_told_why_under_its_id(
    server: Server[Any], session: bool, body: bytes, id: Any, said: str
) -> None:
    answer = posted(server, body, session=session)
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json")
    told = answer.json()
    assert (told["id"], said in told["error"]["message"]) == (id, True), json.dumps(told, ensure_ascii=False)


@pytest.mark.parametrize("session", [True, False])
@pytest.mark.parametrize("levels", [201, 700])
def test_a_call_that_is_nested_more_deeply_than_is_read_is_refused_in_both_eras(
    server: Server[Any], session: bool, levels: int
) -> None:
    around = levels - 3  # the message, its params, their arguments
    meta = {VERSION_KEY: STATELESS, CLIENT_KEY: {"name": "客", "version": "1"}, CAPABILITIES_KEY: {}}
    params = {"name": "search_memory", "arguments": {"茶": "@"}, "_meta": meta}
    more = f'"params": {json.dumps(params)}'.replace('"@"', "[" * around + "]" * around)
    answer = posted(server, asking("5", more=more), session=session)
    assert (answer.status_code, answer.json()["id"]) == (400, 5)
    assert "too deeply" in answer.json()["error"]["message"]


#: Where a call may hold a value of any kind.
PLACES = [
    ("arguments",),
    ("arguments", "茶"),
    ("arguments", "query"),
    ("_meta", "茶"),
    ("_meta", CAPABILITIES_KEY),
    ("_meta", CLIENT_KEY, "version"),
    ("茶",),
]
AROUND = {"arrays": ("[", "]"), "objects": ('{"思":', "}"), "both": ('[{"出":', "}]")}


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    session=st.booleans(),
    place=st.sampled_from(PLACES),
    around=st.sampled_from(sorted(AROUND)),
    times=st.integers(1, 250) | st.integers(250, 3_000),
)
def test_a_call_is_answered_however_deeply_any_of_its_values_is_nested(
    server: Server[Any], session: bool, place: tuple[str, ...], around: str, times: int
) -> None:
    params = {
        "name": "search_memory",
        "arguments": {"query": "茶"},
        "_meta": {VERSION_KEY: STATELESS, CLIENT_KEY: {"name": "客", "version": "1"}, CAPABILITIES_KEY: {}},
    }
    inner: Any = params
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = "@"
    before, after = AROUND[around]
    more = f'"params": {json.dumps(params)}'.replace('"@"', before * times + "1" + after * times)
    answer = posted(server, asking("5", more=more), session=session)
    levels = 1 + len(place) + times * len(after)  # the message, params, and what is on the way to the place
    told = answer.text if answer.headers["content-type"].startswith("text/event-stream") else json.dumps(answer.json())
    assert answer.status_code in (200, 400), told
    assert ("too deeply" in told) == (levels > MOST_LEVELS), told


@pytest.mark.parametrize(("body", "status", "said"), MESSAGES)
def test_messages_are_answered_as_ever(server: Server[Any], body: bytes, status: int, said: str) -> None:
    answer = posted(server, body)
    assert answer.status_code == status
    assert said in answer.text


@pytest.mark.parametrize("session", [True, False])
def test_a_call_whose_arguments_came_as_a_string_is_told_what_they_are_to_be(
    server: Server[Any], session: bool
) -> None:
    meta = {VERSION_KEY: STATELESS, CLIENT_KEY: {"name": "客", "version": "1"}, CAPABILITIES_KEY: {}}
    params = {"name": "search_memory", "arguments": '{"query": "茶"}', "_meta": {} if session else meta}
    answer = posted(server, asking("6", more=f'"params": {json.dumps(params)}'), session=session)
    assert "arguments: is to be an object." in answer.text


def test_a_message_that_is_refused_for_its_session_is_told_that(server: Server[Any]) -> None:
    app = application(server, Guards(Hosts(None)), Metrics(), lambda: "")
    with TestClient(app) as client:
        answer = client.post(PATH, content=asking("1"), headers={"Accept": BOTH, "Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "session" in answer.json()["error"]["message"]
