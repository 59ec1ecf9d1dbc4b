"""Answers input that is no message of the protocol, with its id if it has one.

Useful for: lines over stdio, where a client would wait in vain for an answer with its id; bodies over HTTP. Not useful for:
what the SDK understands. Invariant: every request gets an answer with its own id, also each one in a batch; anything else, such
as a reply to a request of ours, gets none with its id.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import orjson

from omoide.errors import WHOLE_CHARACTER, half_in, half_of_a_character
from omoide.nesting import MOST_LEVELS, is_too_deep

_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
#: Longer integers are read as floats, which are no ids: Python refuses integers of more than 4,300 digits.
_DIGITS = 1_000

_NO_JSON = "Parse error: this is not JSON. A message is JSON in UTF-8; over stdio, on one line."
_NO_UTF8 = "Parse error: this is not UTF-8."
_TOO_DEEP = f"Parse error: this is nested too deeply; {MOST_LEVELS} objects and arrays inside one another are read."
_BATCH = "Invalid request: batches are not taken. Send each message by itself."
_NO_MESSAGE = (
    'Invalid request: a message is an object with "jsonrpc": "2.0" and a "method", or a "result" or an "error"; '
    'its "id" is a string or an integer, its "params" are an object.'
)
_INVALID_ID = "Invalid request: an id is a string or an integer."


class _Reason(NamedTuple):
    code: int
    message: str


def answers(line: bytes) -> list[bytes]:
    """The answers, as lines, to a line that the SDK could not read."""
    try:
        message = _parse(line)
    except ValueError:
        return [_error(None, _Reason(_PARSE_ERROR, _TOO_DEEP if is_too_deep(line) else _NO_JSON))]
    if isinstance(message, list):
        requests = [each for each in message if _id(each) is not None]
        return [_error(_id(each), _Reason(_INVALID_REQUEST, _BATCH)) for each in requests or [None]]
    return [_error(_id(message), _reason(line, message))]


def answer(body: bytes) -> bytes:
    """The answer to a body that the SDK could not read; a batch gets one for all."""
    lines = answers(body)
    return lines[0] if len(lines) == 1 else _error(None, _Reason(_INVALID_REQUEST, _BATCH))


def invalid_id(line: bytes) -> list[bytes]:
    """The answer to a line or body that the SDK takes for a notification, if it is a request whose id is of a wrong type."""
    if b'"id"' not in line:
        return []
    message = _parse(line)
    if "id" not in message or (message["id"] is None and message["method"].startswith("notifications/")):
        return []
    return [_error(message["id"] if isinstance(message["id"], float) else None, _Reason(_INVALID_REQUEST, _INVALID_ID))]


def _parse(line: bytes) -> Any:
    """The JSON value of a line. Raises ValueError."""
    text = line.decode("utf-8", "replace")
    if is_too_deep(line):
        return orjson.loads(text)  # which does not recurse in Python
    return json.loads(text, parse_int=_integer, parse_constant=float)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def _id(message: Any) -> str | int | None:
    """The id of a request; None if it is not a request, or has no valid id."""
    if not isinstance(message, dict) or not message.keys().isdisjoint(("result", "error")):
        return None
    id = message.get("id")
    return id if isinstance(id, (str, int)) and not isinstance(id, bool) else None


def _reason(line: bytes, message: Any) -> _Reason:
    try:
        line.decode()
    except UnicodeDecodeError:
        return _Reason(_PARSE_ERROR, _NO_UTF8)
    if is_too_deep(line):
        return _Reason(_PARSE_ERROR, _TOO_DEEP)
    if (half := half_in(message)) is not None:
        return _Reason(_PARSE_ERROR, f"Parse error: this holds {half_of_a_character(half)}. {WHOLE_CHARACTER}")
    return _Reason(_INVALID_REQUEST, _NO_MESSAGE)


def _error(id: str | float | None, reason: _Reason) -> bytes:
    response = {"jsonrpc": "2.0", "id": id, "error": reason._asdict()}
    try:
        return orjson.dumps(response) + b"\n"
    except orjson.JSONEncodeError:  # an id of many digits, or with half a surrogate pair
        return json.dumps(response).encode() + b"\n"
