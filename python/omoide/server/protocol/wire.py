"""JSON-RPC as bytes: the ordinary requests, which are answered without the SDK, and their answers.

Useful for: the fast lanes over HTTP and stdio; it needs nothing of the SDK. Not useful for: any other message.
Invariant: a request counts as ordinary only if the SDK would accept every part of it and give the same answer. Whatever is in
doubt (an unknown member, a number beyond 64 bits, half a surrogate pair, deep nesting) is left to the SDK.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any, Final, Literal, NamedTuple

import orjson

from omoide.families.tool import Result, without_constants
from omoide.nesting import is_too_deep

STATELESS: Final = "2026-07-28"
SESSION_VERSIONS: Final = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
#: Characters of a client's name and version that are kept.
MOST_CLIENT_CHARS: Final = 200
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
CANCELLED: Final = "notifications/cancelled"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
LOG_LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"

Era = Literal["session", "stateless"]
Id = int | str

#: orjson reads longer integers as floats, the SDK keeps every digit. To find one, a message is translated so that every digit is
#: a 0, and searched: a sixth of the time that a regular expression takes.
_LONG_NUMBER = b"0" * 19
_DIGITS_ALONE = bytes(ord("0" if byte in b"0123456789" else " ") for byte in range(256))


#: The SDK's code.
_REQUEST_CANCELLED = -32800


class Request(NamedTuple):
    """An ordinary request. `client`: the name of the client, where the request states it."""

    id: Id
    method: str
    params: Mapping[str, Any]
    client: str | None


def read(message: bytes) -> Any:
    """The JSON value; None where it cannot be read without loss, or is nested too deeply."""
    if _LONG_NUMBER in message.translate(_DIGITS_ALONE):
        return None
    try:
        value = orjson.loads(message)
    except orjson.JSONDecodeError:
        return None
    return None if is_too_deep(message) else value  # orjson accepts five times as many levels as the SDK


def request(message: Any, era: Era) -> Request | None:
    """The message as a request of that era, if it is an ordinary one."""
    method = message.get("method") if isinstance(message, dict) else None
    if not isinstance(method, str):
        return None
    if (method, era) not in _KNOWN or not _ordinary(method, era).is_valid(message):
        return None
    params = message.get("params", {})
    meta = params.get("_meta", {})
    # JSON Schema takes 1.0 for an integer. The SDK takes it for no id, and not every such float for a progress token.
    if isinstance(message["id"], float) or isinstance(meta.get("progressToken"), float):
        return None
    client = meta.get(CLIENT_KEY) if era == "stateless" else params.get("clientInfo")
    return Request(
        message["id"], method, params, None if client is None else client_name(client["name"], client["version"])
    )


def is_notification(message: Any) -> bool:
    """Whether the SDK would take the message for a notification. Some clients write a null id into theirs."""
    if not isinstance(message, dict) or message.get("id") is not None or message.get("jsonrpc") != "2.0":
        return False
    return isinstance(message.get("method"), str) and isinstance(message.get("params"), (dict, NoneType))


def client_name(name: str, version: str) -> str:
    """A client as the log names it, which has no room for all that a client may say."""
    return f"{name} {version}"[:MOST_CLIENT_CHARS]


def call_result(result: Result) -> dict[str, Any]:
    """The `result` member that carries a tool's answer, in the session era."""
    made: dict[str, Any] = {} if result.meta is None else {"_meta": result.meta}
    made["content"] = content = [{"text": result.text, "type": "text"}]
    if result.note or result.sources:
        content += [{"text": text, "type": "text"} for text in (result.note, result.sources) if text]
    made["isError"] = result.is_error
    if result.structured is not None:
        made["structuredContent"] = result.structured
    return made


def enveloped(result: Mapping[str, Any], era: Era, stamp: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result as it is sent in that era. `stamp`: the server's identity."""
    if era == "session":
        return result
    whole = {**result, "resultType": "complete"}
    whole = {name: whole[name] for name in sorted(whole)}
    # Our own entries come first, as in the SDK's answers.
    whole["_meta"] = {**result.get("_meta", {}), SERVER_KEY: stamp}
    return whole


def response(id: Id, result: Mapping[str, Any]) -> bytes:
    """The JSON-RPC response, without a line end."""
    return _message({"id": id, "result": result})


def cancelled(id: Id) -> bytes:
    """The response to a request that its client has cancelled, where the transport must send one; as the SDK words it."""
    return _message({"id": id, "error": {"code": _REQUEST_CANCELLED, "message": "Request cancelled"}})


def _message(members: Mapping[str, Any]) -> bytes:
    whole = {"jsonrpc": "2.0", **members}
    try:
        return orjson.dumps(whole, default=dict)
    except orjson.JSONEncodeError:  # a long integer, or half a surrogate pair, which is sent as an escape
        return json.dumps(without_constants(whole), separators=(",", ":")).encode()


def cancels(params: Mapping[str, Any] | None) -> Id | None:
    """The id of the request that a client cancels by a notification of CANCELLED with these `params`; None if it names none."""
    id = (params or {}).get("requestId")
    return id if isinstance(id, (int, str)) else None


def request_line(id: Id, method: str, params: Mapping[str, Any]) -> bytes:
    """A request, without a line end."""
    return orjson.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


# --- what is ordinary -------------------------------------------------------------------------------------------------

# Of capabilities and of a client's description, the SDK checks the members that it knows and ignores all others. Those in
# snake case are for it other names of known ones.
_TEXT = {"type": "string"}
_OBJECT = {"type": "object"}
_OBJECTS = {"type": "object", "additionalProperties": _OBJECT}
_CAPABILITIES = {
    "type": "object",
    "properties": {
        "elicitation": _OBJECTS,
        "sampling": _OBJECTS,
        "experimental": _OBJECTS,
        "extensions": _OBJECTS,
        "roots": {"type": "object", "properties": {"listChanged": {"type": "boolean"}}, "additionalProperties": False},
        "tasks": {
            "type": "object",
            "properties": {"requests": {"type": "object", "additionalProperties": _OBJECTS}},
            "additionalProperties": _OBJECT,
        },
    },
}
_ICON = {
    "type": "object",
    "required": ["src"],
    "properties": {
        "src": _TEXT,
        "mimeType": _TEXT,
        "sizes": {"type": "array", "items": _TEXT},
        "theme": {"enum": ["dark", "light"]},
        "mime_type": False,
    },
}
_IMPLEMENTATION = {
    "type": "object",
    "required": ["name", "version"],
    "properties": {
        **dict.fromkeys(("name", "version", "title", "description", "websiteUrl"), _TEXT),
        "icons": {"type": "array", "items": _ICON},
        "website_url": False,
    },
}
#: From which the client would like log messages; no tool writes any to it.
_LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
_PROGRESS = {"progressToken": {"type": ["string", "integer"]}}
#: By era: members of the other era's envelope would give a request another meaning.
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
            LOG_LEVEL_KEY: {"enum": _LOG_LEVELS},
        },
        "patternProperties": {
            "^io\\.modelcontextprotocol/(?!(protocolVersion|clientCapabilities|clientInfo|logLevel)$)": False
        },
    },
}


class _Known(NamedTuple):
    """The parameters that an ordinary request of a method may have."""

    params: Mapping[str, Mapping[str, Any]]
    required: Sequence[str] = ()


_CALL = _Known({"name": _TEXT, "arguments": {"type": "object"}}, ["name"])
_INITIALIZE = _Known(
    {
        "protocolVersion": {"enum": sorted(SESSION_VERSIONS)},
        "capabilities": _CAPABILITIES,
        "clientInfo": _IMPLEMENTATION,
    },
    ["protocolVersion", "capabilities", "clientInfo"],
)
_KNOWN: Mapping[tuple[str, Era], _Known] = {
    ("initialize", "session"): _INITIALIZE,
    ("ping", "session"): _Known({}),
    ("tools/list", "session"): _Known({}),
    ("tools/call", "session"): _CALL,
    ("server/discover", "stateless"): _Known({}),
    ("tools/list", "stateless"): _Known({}),
    ("tools/call", "stateless"): _CALL,
}


@cache
def _ordinary(method: str, era: Era) -> Any:
    from jsonschema_rs import Draft202012Validator  # takes a while to load: the handshake does not wait for it

    known = _KNOWN[method, era]
    required = [*known.required, *(["_meta"] if era == "stateless" else [])]
    params = {
        "type": "object",
        "required": required,
        "properties": {**known.params, "_meta": _META[era]},
        "additionalProperties": False,
    }
    request = {
        "type": "object",
        "required": ["jsonrpc", "id", "method", *(["params"] if required else [])],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "method": {"const": method},
            "params": params,
        },
        "additionalProperties": False,
    }
    return Draft202012Validator(request)
