"""Answers at unknown paths, which say where clients connect.

Useful for: people who open the server in a browser, and clients that were given another path (`/`, `/sse` of the older transport).
Not useful for: deciding who may ask; the guards in front have done that.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_TOLD = """\
Nothing is here. MCP clients connect to {path} (streamable HTTP).
ここには何もありません。MCP クライアントの接続先は {path} です（Streamable HTTP）。
此处没有内容。MCP 客户端请连接 {path}（Streamable HTTP）。
"""


def explain_unknown_paths(app: ASGIApp, path: str) -> ASGIApp:
    """The application at that path, and an explanation at all others."""
    nothing = PlainTextResponse(_TOLD.format(path=path), HTTPStatus.NOT_FOUND)

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        is_here = scope["type"] != "http" or scope["path"] == path
        await (app if is_here else nothing)(scope, receive, send)

    return served
