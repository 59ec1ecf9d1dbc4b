"""JSON-RPC as bytes: the requests that the fast lane understands, and what it answers.

Useful for: the fast lane, over HTTP and stdio; it needs nothing of the SDK. Not useful for: anything out of the ordinary.
Invariant: a request is recognised only when the SDK would accept every part of it and answer in the same words; whatever
is in doubt (an unknown member, a number beyond 64 bits, half a character) is left to the SDK.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

import orjson

from omoide.families.tool import Result

STATELESS: Final = "2026-07-28"
SESSION_VERSIONS: Final = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

Era = Literal["session", "stateless"]
Id = int | str

#: orjson reads longer integers as floats; the SDK keeps every digit.
_LONG_NUMBER = re.compile(rb"\d{19}")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A `tools/call` without anything special about it. `client`: who calls, where the request says so."""

    id: Id
    name: str
    arguments: Mapping[str, Any]
    client: str | None


def read(message: bytes) -> Any:
    """The JSON value; None where it cannot be read to the last digit and character."""
    if _LONG_NUMBER.search(message):
        return None
    try:
        return orjson.loads(message)
    except orjson.JSONDecodeError:
        return None


def tool_call(message: Any, era: Era) -> ToolCall | None:
    """The call that a message of that era is, if it is an ordinary one."""
    if not _fits("tools/call", era, message):
        return None
    params = message["params"]
    client = params["_meta"].get(CLIENT_KEY) if era == "stateless" else None
    return ToolCall(message["id"], params["name"], params.get("arguments", {}), client and client_name(client))


def initialization(message: Any) -> Mapping[str, Any] | None:
    """The parameters of an ordinary `initialize`, of a version that is served as asked for."""
    return message["params"] if _fits("initialize", "session", message) else None


def client_name(client: Mapping[str, Any]) -> str:
    """How a client is named to tools and in the log."""
    return f"{client['name']} {client['version']}"


def call_result(result: Result, era: Era, stamp: Mapping[str, Any]) -> dict[str, Any]:
    """The `result` member that carries a tool's answer. `stamp`: the server's identity, in the stateless era."""
    made: dict[str, Any] = {"content": [{"text": result.text, "type": "text"}], "isError": result.is_error}
    if era == "stateless":
        made["resultType"] = "complete"
    if result.structured is not None:
        made["structuredContent"] = result.structured
    if era == "stateless":
        made["_meta"] = {SERVER_KEY: stamp}
    return made


def response(id: Id, result: Mapping[str, Any]) -> bytes:
    """The JSON-RPC response, without a line end."""
    whole = {"jsonrpc": "2.0", "id": id, "result": result}
    try:
        return orjson.dumps(whole, default=dict)
    except orjson.JSONEncodeError:  # half a character: it travels as an escape
        return json.dumps(whole, separators=(",", ":"), default=dict).encode()


# --- what is ordinary -------------------------------------------------------------------------------------------------

_TEXT = {"type": "string"}
_OBJECTS = {"type": "object", "additionalProperties": {"type": "object"}}
_CAPABILITIES = {
    "type": "object",
    "properties": {
        "elicitation": _OBJECTS,
        "sampling": _OBJECTS,
        "experimental": _OBJECTS,
        "extensions": _OBJECTS,
        "roots": {"type": "object", "properties": {"listChanged": {"type": "boolean"}}, "additionalProperties": False},
    },
    "additionalProperties": False,
}
_IMPLEMENTATION = {
    "type": "object",
    "required": ["name", "version"],
    "properties": dict.fromkeys(("name", "version", "title", "description", "websiteUrl"), _TEXT),
    "additionalProperties": False,
}
_PROGRESS = {"progressToken": {"type": ["string", "integer"]}}
#: By era; in the other era's envelope a request means something else.
_META: Mapping[Era, Mapping[str, Any]] = {
    "session": {
        "type": "object",
        "properties": _PROGRESS,
        "patternProperties": {"^io\\.modelcontextprotocol/": False},
    },
    "stateless": {
        "type": "object",
        "required": [VERSION_KEY, CAPABILITIES_KEY],
        "properties": {
            **_PROGRESS,
            VERSION_KEY: {"const": STATELESS},
            CAPABILITIES_KEY: _CAPABILITIES,
            CLIENT_KEY: _IMPLEMENTATION,
        },
        "patternProperties": {"^io\\.modelcontextprotocol/(?!protocolVersion$|clientCapabilities$|clientInfo$)": False},
    },
}
_PARAMS: Mapping[str, Mapping[str, Any]] = {
    "tools/call": {"name": _TEXT, "arguments": {"type": "object"}},
    "initialize": {
        "protocolVersion": {"enum": sorted(SESSION_VERSIONS)},
        "capabilities": _CAPABILITIES,
        "clientInfo": _IMPLEMENTATION,
    },
}
_REQUIRED: Mapping[str, list[str]] = {
    "tools/call": ["name"],
    "initialize": ["protocolVersion", "capabilities", "clientInfo"],
}


def _fits(method: str, era: Era, message: Any) -> bool:
    # A float such as 1.0 passes for an integer in JSON Schema, but is no id.
    return _ordinary(method, era).is_valid(message) and not isinstance(message["id"], float)


@cache
def _ordinary(method: str, era: Era) -> Any:
    from jsonschema_rs import Draft202012Validator  # takes a while to load: the handshake does not wait for it

    params = {
        "type": "object",
        "required": [*_REQUIRED[method], *(["_meta"] if era == "stateless" else [])],
        "properties": {**_PARAMS[method], "_meta": _META[era]},
        "additionalProperties": False,
    }
    request = {
        "type": "object",
        "required": ["jsonrpc", "id", "method", "params"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "method": {"const": method},
            "params": params,
        },
        "additionalProperties": False,
    }
    return Draft202012Validator(request)
