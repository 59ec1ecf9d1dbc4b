"""How does a tool's question reach the person behind the client? In the answer to the call, which the client then repeats with the
person's reply (2026-07-28), or as a request from the server while the call waits (the era of handshakes), until the server ends.

Useful for: asking for a yes. Not useful for: other forms. Invariant: whatever is not a clear yes is a no.
"""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from omoide.errors import Unavailable

NAME = "confirm"
#: The first revision in which questions travel with the answer of a call.
REPEATED_SINCE = "2026-07-28"

Context = ServerRequestContext[Any, Any]

_ENDING = {
    "en": "The server is ending and waits for nobody's answer; nothing was done.",
    "ja": "サーバーが終了するため、確認への返答を待てませんでした。何も行っていません。サーバーが再び動き出したら、もう一度呼び出してください。",
    "zh": "服务器即将关闭，不再等待确认，因此没有进行任何操作。服务器重新启动后，请再次调用。",
}


def can_answer(context: Context) -> bool:
    """Whether the client has declared that it can show a form to a person."""
    client = context.session.client_params
    elicitation = None if client is None else client.capabilities.elicitation
    # Early revisions declare this by an empty object.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def reply_in(params: types.CallToolRequestParams) -> bool | None:
    """The reply in a repeated call; None in a first call."""
    reply = (params.input_responses or {}).get(NAME)
    return None if reply is None else _is_yes(reply)


def asks_by_result(context: Context) -> bool:
    """Whether the client is of the era in which a call is repeated with the reply."""
    return is_version_at_least(context.protocol_version, REPEATED_SINCE)


def input_required(question: str) -> types.InputRequiredResult:
    """An answer to the call that asks the question."""
    request = types.ElicitRequest(params=_form(question))
    return types.InputRequiredResult(input_requests={NAME: request})


class Elicitations:
    """Persons who are asked while a call waits, until the server ends. For the event loop's thread."""

    def __init__(self) -> None:
        self._open: set[anyio.CancelScope] = set()
        self._ended = False

    def end(self) -> None:
        """Stop waiting for replies: a person may take minutes, and no work is under way meanwhile."""
        self._ended = True
        for each in self._open:
            each.cancel()

    async def ask(self, context: Context, question: str) -> bool | None:
        """What the person says; None where the server cannot send the client requests (JSON answers over HTTP). Raises Unavailable
        (the server ends)."""
        if not self._ended:
            with anyio.CancelScope() as scope:
                self._open.add(scope)
                try:
                    return await _elicit(context, question)
                finally:
                    self._open.discard(scope)
        sentences = dict(_ENDING)
        raise Unavailable(sentences.pop("en"), hint="Call it again when the server is back.", also=sentences)


async def _elicit(context: Context, question: str) -> bool | None:
    form = _form(question)
    try:
        reply = await context.session.elicit_form(form.message, form.requested_schema, context.request_id)
    except NoBackChannelError:
        return None
    except (MCPError, ValidationError):  # the client could not ask, or its reply is malformed
        return False
    return _is_yes(reply)


def _form(question: str) -> types.ElicitRequestFormParams:
    yes = {"type": "boolean", "title": "Yes / はい / 是", "default": False}
    schema = {"type": "object", "properties": {NAME: yes}, "required": [NAME]}
    return types.ElicitRequestFormParams(message=question, requested_schema=schema)


def _is_yes(reply: object) -> bool:
    content = reply.content if isinstance(reply, types.ElicitResult) and reply.action == "accept" else None
    return content is not None and content.get(NAME) is True
