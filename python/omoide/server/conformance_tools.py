"""Tools that the official conformance suite calls by name, to test the protocol that our own tools are served by.

Useful for: `omoide serve --http --fixtures`, in CI. Not useful for: anyone's client; the flag is not in the help.
Invariant: the real tools stay as they are beside them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from omoide.server.protocol.elicitation import Context

Answer = types.CallToolResult | types.InputRequiredResult
Handler = Callable[[Context, types.CallToolRequestParams], Awaitable[Answer]]

_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
_TEXT = {"type": "text", "text": "思い出, 记忆, memories"}
_IMAGE = {"type": "image", "data": _PIXEL, "mimeType": "image/png"}
_AUDIO = {"type": "audio", "data": _SILENCE, "mimeType": "audio/wav"}
_RESOURCE = {
    "type": "resource",
    "resource": {"uri": "test://mixed", "mimeType": "application/json", "text": '{"memories": 3}'},
}

#: Tools that always answer the same: content blocks by name.
_CONTENT: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "test_simple_text": [_TEXT],
    "test_image_content": [_IMAGE],
    "test_audio_content": [_AUDIO],
    "test_embedded_resource": [_RESOURCE],
    "test_multiple_content_types": [_TEXT, _IMAGE, _RESOURCE],
    "test_logging_tool": [_TEXT],
    "json_schema_2020_12_tool": [_TEXT],
}


def _form(message: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


_SAMPLE = {
    "method": "sampling/createMessage",
    "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}],
        "maxTokens": 100,
    },
}
_ROOTS = {"method": "roots/list", "params": {}}
_NAME = _form("What is your name?", name={"type": "string"})
_CONFIRM = _form("Please confirm", ok={"type": "boolean"})


@dataclass(frozen=True, slots=True)
class Rounds:
    """What a stateless client is asked for, round by round; `sealed`: the round is carried in the request state."""

    asked: Sequence[Mapping[str, Mapping[str, Any]]]
    sealed: bool = False


_ROUNDS: Mapping[str, Rounds] = {
    "test_input_required_result_elicitation": Rounds([{"user_name": _NAME}]),
    "test_input_required_result_sampling": Rounds([{"capital_question": _SAMPLE}]),
    "test_input_required_result_list_roots": Rounds([{"client_roots": _ROOTS}]),
    "test_input_required_result_capabilities": Rounds([{"user_name": _NAME, "capital_question": _SAMPLE}]),
    "test_input_required_result_request_state": Rounds([{"confirm": _CONFIRM}], sealed=True),
    "test_input_required_result_tampered_state": Rounds([{"confirm": _CONFIRM}], sealed=True),
    "test_input_required_result_multiple_inputs": Rounds(
        [{"user_name": _NAME, "capital_question": _SAMPLE, "client_roots": _ROOTS}], sealed=True
    ),
    "test_input_required_result_multi_round": Rounds(
        [
            {"step1": _form("Step 1: What is your name?", name={"type": "string"})},
            {"step2": _form("Step 2: What is your favorite color?", color={"type": "string"})},
        ],
        sealed=True,
    ),
    "test_streaming_elicitation": Rounds([{"user_name": _NAME}]),
}

#: Tools that ask a client of the 2025 era in the middle of a call: (message, schema of the answer).
_FORMS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "test_elicitation": (
        "Please give your name and mail address",
        {"username": {"type": "string"}, "email": {"type": "string"}},
    ),
    "test_elicitation_sep1034_defaults": (
        "Please check the defaults",
        {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": True},
        },
    ),
    "test_elicitation_sep1330_enums": (
        "Please choose",
        {
            "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
            "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}]},
            "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2"]}},
            "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}]}},
        },
    ),
}

_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}


def add(server: Server[Any]) -> None:
    """Offer the fixtures beside the tools of `server`."""
    handlers = _handlers()
    listed, called = server.get_request_handler("tools/list"), server.get_request_handler("tools/call")
    assert listed is not None
    assert called is not None

    async def list_tools(context: Context, params: Any) -> types.ListToolsResult:
        known: Any = await listed.handler(context, params)
        extended: types.ListToolsResult = known.model_copy(update={"tools": [*known.tools, *map(_described, handlers)]})
        return extended

    async def call_tool(context: Context, params: Any) -> Any:
        handler = handlers.get(params.name, called.handler)
        return await handler(context, params)

    server.add_request_handler("tools/list", listed.params_type, list_tools)
    server.add_request_handler("tools/call", called.params_type, call_tool)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name))


def _described(name: str) -> types.Tool:
    schema = _SCHEMAS.get(name, {"type": "object", "properties": {}})
    return types.Tool(name=name, description="A fixture of the conformance suite.", input_schema=schema)


def _handlers() -> dict[str, Handler]:
    return {
        **{name: _always(_result(blocks)) for name, blocks in _CONTENT.items()},
        **{name: _in_rounds(rounds) for name, rounds in _ROUNDS.items()},
        **{name: _with_form(message, fields) for name, (message, fields) in _FORMS.items()},
        "test_error_handling": _always(_result([_TEXT], is_error=True)),
        "test_missing_capability": _needing_sampling,
        "test_tool_with_progress": _with_progress,
    }


def _result(blocks: Sequence[Mapping[str, Any]], *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult.model_validate({"content": list(blocks), "isError": is_error})


def _text_result(text: str) -> types.CallToolResult:
    return _result([{"type": "text", "text": text}])


def _always(result: types.CallToolResult) -> Handler:
    async def handler(_: Context, __: types.CallToolRequestParams) -> Answer:
        return result

    return handler


def _in_rounds(rounds: Rounds) -> Handler:
    async def handler(context: Context, params: types.CallToolRequestParams) -> Answer:
        answers = params.input_responses or {}
        done = int(params.request_state or 0)
        if rounds.asked[done].keys() <= answers.keys():
            done += 1
        if done == len(rounds.asked):
            return _text_result(f"state-ok {sorted(answers)}")
        asked = {key: each for key, each in rounds.asked[done].items() if _may_ask(context, each["method"])}
        state = str(done) if rounds.sealed else None
        return types.InputRequiredResult.model_validate({"inputRequests": asked, "requestState": state})

    return handler


_CAPABILITIES = {
    "elicitation/create": types.ClientCapabilities(elicitation=types.ElicitationCapability()),
    "sampling/createMessage": types.ClientCapabilities(sampling=types.SamplingCapability()),
    "roots/list": types.ClientCapabilities(roots=types.RootsCapability()),
}


def _may_ask(context: Context, method: str) -> bool:
    return context.session.check_client_capability(_CAPABILITIES[method])


def _with_form(message: str, fields: Mapping[str, Any]) -> Handler:
    async def handler(context: Context, _: types.CallToolRequestParams) -> Answer:
        schema = {"type": "object", "properties": dict(fields), "required": []}
        answer = await context.session.elicit_form(message, schema, context.request_id)
        return _text_result(f"Elicitation completed: action={answer.action}, content={answer.content}")

    return handler


async def _needing_sampling(context: Context, _: types.CallToolRequestParams) -> Answer:
    if not _may_ask(context, "sampling/createMessage"):
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool needs a client that offers sampling",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return _text_result("The client offers sampling")


async def _with_progress(context: Context, _: types.CallToolRequestParams) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return _text_result("done")
