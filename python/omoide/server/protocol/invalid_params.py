"""Tells clients which parameters do not fit the protocol, and why.

The SDK only says that some do not, also to a client that sends a request before the handshake.
Useful for: people who write a client, or a message by hand. Not useful for: the arguments of a tool, which are checked against
its schema (calls/call.py).
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

_TOO_EARLY = (
    'Invalid request: a conversation begins with "initialize", or else each request has the "_meta" of a stateless one.'
)


async def explain(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware for the SDK that explains why parameters are refused. Raises MCPError."""
    try:
        return await call_next(ctx)
    except ValidationError as error:
        raise MCPError(types.INVALID_PARAMS, _message(error)) from error
    except MCPError as error:
        # Blank data marks the SDK's refusal of a request before the handshake; no other has it.
        if (error.error.code, error.error.data) != (types.INVALID_PARAMS, ""):
            raise
        raise MCPError(types.INVALID_PARAMS, _TOO_EARLY) from error


def _message(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = ".".join(map(str, first["loc"]))
    return f"Invalid request parameters: {path}: {_REASONS.get(first['type'], first['msg'])}."


#: In terms of JSON: the validator's own messages speak of Python types.
_REASONS = {
    "missing": "is required",
    "dict_type": "is to be an object",
    "model_type": "is to be an object",
    "model_attributes_type": "is to be an object",
    "list_type": "is to be an array",
    "string_type": "is to be a string",
}
