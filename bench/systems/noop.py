"""A server with one tool that does nothing, in several implementations: the cost of a call itself.

    python -m bench.systems.noop sdk|sdk-events|sdk-documented|fastmcp|omoide http|stdio

Over HTTP, the port is the first line of stdout. `sdk` is the SDK at its cheapest: an `async` tool, answers in plain JSON.
`sdk-events` answers as it does unless told otherwise, with streams of one event. `sdk-documented` also has its tool as
the SDK's documentation writes one, a plain function, which runs in a thread. Invariant: all answer the same call with the same text.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

NAME = "noop"
DOCUMENTED = "sdk-documented"


def sdk(*, in_thread: bool = False) -> Any:
    """The official SDK's server."""
    from mcp.server.mcpserver import MCPServer

    return _with_tool(MCPServer("noop"), in_thread=in_thread)


def fastmcp() -> Any:
    """fastmcp's server, if it is installed."""
    from fastmcp import FastMCP

    return _with_tool(FastMCP("noop"))


def _with_tool(server: Any, *, in_thread: bool = False) -> Any:
    def noop(query: str = "", limit: int = 10) -> str:
        """Do nothing."""
        return "done"

    async def at_once(query: str = "", limit: int = 10) -> str:
        """Do nothing."""
        return "done"

    server.tool(name=NAME)(noop if in_thread else at_once)
    return server


def omoide_desk() -> Any:
    """Our dispatcher, with one tool."""
    from functools import partial

    from omoide.app import interleaver, utc_now
    from omoide.families.tool import Result, Tool
    from omoide.server.calls.dispatcher import Dispatcher
    from omoide.server.calls.sessions import Sessions
    from omoide.server.calls.workspaces import OneWorkspace, workspace_of

    schema = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
    tool = Tool(
        name=NAME,
        title=NAME,
        description="Do nothing.",
        input_schema=schema,
        output_schema=None,
        run=lambda *_: Result("done"),
        read_only=True,
    )
    return Dispatcher(
        [tool], OneWorkspace(workspace_of([tool], Sessions(utc_now))), interleaver=partial(interleaver, 2)
    )


def _over_http(by: str) -> None:
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listening.getsockname()[1], flush=True)
    if by == "omoide":
        from omoide.server.http import serving as http
        from omoide.server.http.guards import Guards
        from omoide.server.monitoring.metrics import Metrics
        from omoide.server.protocol import server as protocol

        dispatcher = omoide_desk()
        server = protocol.build(dispatcher, version="0")
        guards = Guards(http.hosts(["127.0.0.1"], None))
        app = http.application(server, guards, Metrics(), lambda: "", dispatcher=dispatcher)
        http.serve(app, listening, share=None, greet=lambda: None)
        return
    import uvicorn

    if by == "fastmcp":
        app = fastmcp().http_app(json_response=True)
    else:
        app = sdk(in_thread=by == DOCUMENTED).streamable_http_app(json_response=by == "sdk")
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


def _over_stdio(by: str) -> None:
    if by == "omoide":
        from omoide.server.stdio import serving as stdio

        with stdio.Conversation("0", *stdio.pipes()) as conversation:
            conversation.serve(omoide_desk())
        return
    (fastmcp() if by == "fastmcp" else sdk(in_thread=by == DOCUMENTED)).run(transport="stdio")


if __name__ == "__main__":
    {"http": _over_http, "stdio": _over_stdio}[sys.argv[2]](sys.argv[1])
