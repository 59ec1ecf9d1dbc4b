"""The SDK behind a conversation over stdio, in a thread and an event loop of its own, from the first line that needs it.

Useful for: every message that is not ordinary. Not useful for: speed; importing this takes most of a second.
Invariant: the SDK is told how the conversation began, and what was answered then is not answered twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from omoide.server.protocol import malformed, wire
from omoide.server.protocol.elicitation import Elicitations
from omoide.server.stdio.pending import PendingRequests

Incoming = SessionMessage | Exception

#: After so many rounds of its loop the SDK has handed on what it has been given; when measured, one was enough.
SETTLE_ROUNDS = 50


class Bridge:
    """`elicitations` is that of the `server`, `write` writes a line to the client. For one thread's use."""

    #: Of the SDK's loop, and what sends messages there; set before `_ready`.
    _token: anyio.lowlevel.EventLoopToken
    _to_server: MemoryObjectSendStream[Incoming]

    def __init__(
        self, server: Server[Any], elicitations: Elicitations, pending: PendingRequests, write: Callable[[bytes], None]
    ) -> None:
        self._server = server
        self._elicitations = elicitations
        self._pending = pending
        self._write_line = write
        self._answered_before: set[types.RequestId] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=anyio.run, args=(self._run,), name="omoide-sdk", daemon=True)
        self._thread.start()
        self._ready.wait()

    def replay(self, line: bytes) -> None:
        """Tell the SDK of a line that has been dealt with already."""
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        if isinstance(message, types.JSONRPCRequest):
            self._answered_before.add(message.id)
        self._send(message)

    def forward(self, line: bytes) -> None:
        """Give the SDK a line to deal with."""
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._answer(malformed.answers(line))
            return
        if isinstance(message, types.JSONRPCRequest):
            self._pending.add(message.id)
        elif isinstance(message, types.JSONRPCNotification):
            if answers := malformed.invalid_id(line):
                self._answer(answers)
                return
            if message.method == wire.CANCELLED and (id := wire.cancels(message.params)) is not None:
                self._pending.cancel(id)
        self._send(message)

    def _answer(self, lines: Iterable[bytes]) -> None:
        for each in lines:
            self._write_line(each)

    def end_questions(self) -> None:
        """End all questions that await an answer: the client's messages are not read any more."""
        with suppress(anyio.RunFinishedError):
            anyio.from_thread.run(self._end_questions, token=self._token)

    async def _end_questions(self) -> None:
        for _ in range(SETTLE_ROUNDS):
            await anyio.lowlevel.checkpoint()
        self._elicitations.end()

    def close(self) -> None:
        """Tell the SDK that the client has ended, and wait for it a moment."""
        try:
            anyio.from_thread.run_sync(self._to_server.close, token=self._token)
        except anyio.RunFinishedError:
            return
        self._thread.join(1.0)

    def _send(self, message: types.JSONRPCMessage) -> None:
        try:
            anyio.from_thread.run(self._to_server.send, SessionMessage(message), token=self._token)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.RunFinishedError):
            return  # the server has stopped listening

    async def _run(self) -> None:
        self._token = anyio.lowlevel.current_token()
        self._to_server, from_client = anyio.create_memory_object_stream[Incoming]()
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage]()
        self._ready.set()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write, from_server)
            await self._server.run(from_client, to_client, self._server.create_initialization_options())
            tasks.cancel_scope.cancel()

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async for each in from_server:
            message = each.message
            if not isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
                await self._send_to_client(message)
            elif message.id in self._answered_before:
                self._answered_before.discard(message.id)
            else:
                await self._send_to_client(message)
                if message.id is not None:
                    self._pending.settle(message.id)

    async def _send_to_client(self, message: types.JSONRPCMessage) -> None:
        line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        await anyio.to_thread.run_sync(self._write_line, line, abandon_on_cancel=True)
