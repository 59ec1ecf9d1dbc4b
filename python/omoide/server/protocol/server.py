"""Our tools as an MCP server of the SDK: the list, and one call from the wire to the dispatcher and back.

Serves the 2025 handshake and the stateless 2026-07-28 revision alike; the SDK tells them apart. All connections get the same
list of tools, so clients may cache it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from omoide.errors import Unavailable, shortened
from omoide.families.tool import Result, Tool
from omoide.server.access.visitor import Visitor, visitor_of
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import SESSION_HEADER
from omoide.server.calls.toolcall import ToolCall
from omoide.server.protocol import elicitation, identity, invalid_params, wire
from omoide.server.protocol.elicitation import Context, Elicitations

_NO_PAGES = "Unknown cursor: the list of tools comes whole. Ask for it without a cursor."


def build(dispatcher: Dispatcher, *, version: str, elicitations: Elicitations | None = None) -> Server[Any]:
    """A server whose clients may call any of the dispatcher's tools; those on request are not listed. `elicitations` is what is
    told when the server ends."""
    elicitations = elicitations or Elicitations()
    listed = types.ListToolsResult.model_validate({"tools": identity.listed(dispatcher.tools)})

    async def list_tools(_: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if params is not None and params.cursor:
            raise MCPError(code=types.INVALID_PARAMS, message=_NO_PAGES)
        return listed

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if not dispatcher.knows(params.name):
            raise MCPError(code=types.INVALID_PARAMS, message=_unknown(params.name, dispatcher.tools))
        call = ToolCall(
            _visitor(context),
            params.name,
            params.arguments or {},
            connection=_connection(context),
            client=_client(context),
        )
        confirmed = elicitation.reply_in(params)
        if confirmed is None and elicitation.can_answer(context):
            question = await dispatcher.question(call)
            if question is not None and elicitation.asks_by_result(context):
                return elicitation.input_required(question)
            try:
                # Where there is no question, perhaps because the store could not be read for it, nobody has said yes.
                confirmed = False if question is None else await elicitations.ask(context, question)
            except Unavailable as error:
                return _answer(dispatcher.refused(call, error))
        return _answer(await dispatcher.take(call._replace(confirmed=confirmed)))

    server: Server[Any] = Server(
        identity.NAME,
        version=version,
        title=identity.TITLE,
        instructions=identity.INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=identity.LIST_KEPT_MS, scope="public")},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(invalid_params.explain)
    return server


def _answer(result: Result) -> types.CallToolResult:
    return types.CallToolResult.model_validate(wire.call_result(result))


def _connection(context: Context) -> str | None:
    """The session id of the HTTP connection; None on stdio and for stateless clients."""
    headers: Mapping[str, str] = getattr(context.request, "headers", {})
    return headers.get(SESSION_HEADER)


def _visitor(context: Context) -> Visitor:
    """The visitor that the guards identified; on stdio, whoever started the process."""
    return visitor_of(getattr(context.request, "scope", {}))


def _client(context: Context) -> str | None:
    params = context.session.client_params
    return None if params is None else wire.client_name(params.client_info.name, params.client_info.version)


def _unknown(name: str, tools: Sequence[Tool]) -> str:
    return f"Unknown tool {shortened(name)!r}. This server offers: {', '.join(tool.name for tool in tools)}."
