"""Newcomers to a server whose event loop is busy."""

import asyncio
import socket
import time
from contextlib import ExitStack
from typing import Any

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from omoide.server.http.connection import HttpConnection
from omoide.server.http.serving import _Server, _SharingServer
from omoide.server.processes.load_balancing import ConnectionCounts

uvloop = pytest.importorskip("uvloop")

NEWCOMERS = 150
#: What the loop has to do in each of its rounds, beside accepting: as much as reading and refusing some hundred requests takes.
ROUND_SECONDS = 0.02


def alone(config: uvicorn.Config) -> _Server:
    return _Server(config)


def among_others(config: uvicorn.Config) -> _Server:
    return _SharingServer(config, ConnectionCounts(2).of(0))


@pytest.mark.parametrize("made", [alone, among_others])
def test_newcomers_to_a_busy_server_are_not_let_in_one_by_one(made: Any) -> None:
    async def rounds_until_all_are_in() -> int:
        config = uvicorn.Config(
            PlainTextResponse("中へ 请进 come in"), http=HttpConnection, ws="none", lifespan="off", log_config=None
        )
        config.load()
        server, rounds = made(config), 0

        def work() -> None:
            nonlocal rounds
            rounds += 1
            time.sleep(ROUND_SECONDS)
            server.should_exit = len(server.server_state.connections) == NEWCOMERS or rounds == 2 * NEWCOMERS
            if not server.should_exit:
                asyncio.get_running_loop().call_soon(work)

        with ExitStack() as stack:
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=NEWCOMERS))
            for _ in range(NEWCOMERS):
                stack.enter_context(socket.create_connection(listening.getsockname()))
            asyncio.get_running_loop().call_soon(work)
            await server._serve([listening])
        return rounds

    assert uvloop.run(rounds_until_all_are_in()) < NEWCOMERS / 2


@pytest.mark.parametrize("made", [alone, among_others])
def test_who_waits_when_the_server_is_told_to_end_is_answered(made: Any) -> None:
    async def answers() -> list[bytes]:
        app = PlainTextResponse("中へ 请进 come in")
        config = uvicorn.Config(app, http=HttpConnection, ws="none", lifespan="off", log_config=None)
        server = made(config)
        server.should_exit = True
        with ExitStack() as stack:
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=NEWCOMERS))
            clients = [stack.enter_context(socket.create_connection(listening.getsockname())) for _ in range(NEWCOMERS)]
            for each in clients:
                each.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await server._serve([listening])
            return [each.recv(12) for each in clients]

    assert uvloop.run(answers()) == [b"HTTP/1.1 200"] * NEWCOMERS
