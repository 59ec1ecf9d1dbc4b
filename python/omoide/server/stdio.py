"""Serve one client on stdin and stdout. Only protocol goes to stdout; the end of stdin ends the process.

Invariant: a request that has been read is answered before the process ends, be it by the end of stdin or by a signal,
for up to DRAIN_SECONDS. stdin is read by a daemon thread of its own: one that waits there must not hold up the end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any, BinaryIO

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

DRAIN_SECONDS = 10.0
#: Lines read ahead of what has been begun.
AHEAD = 64

_PARSE_ERROR = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: not a JSON-RPC message"}}\n'

Incoming = SessionMessage | Exception


def serve(server: Server[Any]) -> None:
    """Until stdin ends or SIGTERM or SIGINT comes."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), _claim_stdout()
    anyio.run(_serve, server, stdin, stdout, backend_options={"use_uvloop": sys.platform != "win32"})


async def _serve(server: Server[Any], stdin: BinaryIO, stdout: BinaryIO) -> None:
    await Wire(stdin, stdout).serve(server)


def _claim_stdout() -> BinaryIO:
    """The pipe to the client; whatever else the process prints goes to stderr from now on."""
    sys.stdout.flush()
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return wire


class Wire:
    """One client's two pipes, with what it still waits for."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._unanswered: set[types.RequestId] = set()
        self._answered = anyio.Event()
        self._reading = anyio.CancelScope()

    async def serve(self, server: Server[Any]) -> None:
        """Carry messages both ways until there are no more."""
        to_server, from_client = anyio.create_memory_object_stream[Incoming]()
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_on_signal)
            tasks.start_soon(self._read, to_server)
            tasks.start_soon(self._write, from_server)
            await server.run(from_client, to_client, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    async def _end_on_signal(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                self._reading.cancel()

    async def _read(self, to_server: MemoryObjectSendStream[Incoming]) -> None:
        send, lines = anyio.create_memory_object_stream[bytes](AHEAD)
        arguments = (self._stdin, send, anyio.lowlevel.current_token())
        threading.Thread(target=_read_lines, args=arguments, daemon=True).start()
        async with to_server:
            with self._reading:
                async for line in lines:
                    await self._take(line, to_server)
            with anyio.move_on_after(DRAIN_SECONDS):
                while self._unanswered:
                    self._answered = anyio.Event()
                    await self._answered.wait()

    async def _take(self, line: bytes, to_server: MemoryObjectSendStream[Incoming]) -> None:
        if not line.strip():
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            await self._put(_PARSE_ERROR)
            return
        if isinstance(message, types.JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settled((message.params or {}).get("requestId"))
        await to_server.send(SessionMessage(message))

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async for each in from_server:
            message = each.message
            await self._put(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
                self._settled(message.id)

    async def _put(self, line: bytes) -> None:
        await anyio.to_thread.run_sync(_write_line, self._stdout, line, abandon_on_cancel=True)

    def _settled(self, id: types.RequestId | None) -> None:
        if id is not None:
            self._unanswered.discard(id)
            self._answered.set()


def _read_lines(stdin: BinaryIO, send: MemoryObjectSendStream[bytes], token: anyio.lowlevel.EventLoopToken) -> None:
    """In a thread: waits while the client says nothing, or while the server is behind."""
    try:
        for line in stdin:
            anyio.from_thread.run(send.send, line, token=token)
        anyio.from_thread.run_sync(send.close, token=token)
    except (anyio.BrokenResourceError, anyio.RunFinishedError, OSError):
        return  # the server has stopped listening


def _write_line(stdout: BinaryIO, line: bytes) -> None:
    stdout.write(line)
    stdout.flush()
