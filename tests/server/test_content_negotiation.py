"""What a client says it takes and sends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.server.lowlevel import Server
from starlette.testclient import TestClient

from omoide.server.http.guards import Guards, Hosts
from omoide.server.http.serving import PATH, application
from omoide.server.monitoring.metrics import Metrics

BOTH, JSON, EVENTS = "application/json, text/event-stream", "application/json", "text/event-stream"
STATELESS = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "客", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "客", "version": "1"},
    },
}
ERAS: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "stateless": (STATELESS, [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")]),
    "session": (HANDSHAKE, []),
}
TAKEN = [([BOTH], 200), ([JSON, EVENTS], 200), ([EVENTS, "text/html", JSON], 200), (["*/*"], 200)]
NOT_TAKEN = [([JSON], 406), ([JSON, "text/html"], 406), (["text/html"], 406)]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("lines", "status"), [*TAKEN, *NOT_TAKEN])
def test_lines_of_what_is_taken_are_one_list_and_a_refusal_says_what_is_missing(
    server: Server[Any], era: str, lines: list[str], status: int
) -> None:
    body, headers = ERAS[era]
    app = application(server, Guards(Hosts(None)), Metrics(), lambda: "")
    with TestClient(app) as client:
        del client.headers["Accept"]
        answer = client.post(PATH, json=body, headers=[*headers, *(("Accept", line) for line in lines)])
    assert answer.status_code == status
    assert ("text/event-stream" in answer.json()["error"]["message"]) if status == 406 else answer.text


TYPES = [
    ("application/json", 200),
    ("Application/JSON", 200),
    ("APPLICATION/JSON; Charset=UTF-8", 200),
    ("Text/Plain", 400),
    ("application/x-www-form-urlencoded", 400),
    (None, 400),
]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("content_type", "status"), TYPES)
def test_a_type_in_capitals_is_the_same_type_and_a_refusal_names_it(
    server: Server[Any], era: str, content_type: str | None, status: int
) -> None:
    body, headers = ERAS[era]
    app = application(server, Guards(Hosts(None)), Metrics(), lambda: "")
    with TestClient(app) as client:
        client.headers["Accept"] = BOTH
        typed = [] if content_type is None else [("Content-Type", content_type)]
        answer = client.post(PATH, content=json.dumps(body), headers=[*headers, *typed])
    assert answer.status_code == status
    assert ("application/json" in answer.json()["error"]["message"]) if status == 400 else answer.text
