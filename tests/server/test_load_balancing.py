"""Processes that accept from one socket: here they are doors of one loop, each with a share of its own."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import Any, cast

import pytest

from omoide.server.processes import load_balancing
from omoide.server.processes.load_balancing import ConnectionCounts, CountedConnections, Share, SharedAcceptor

_ACCEPT = socket.socket.accept


class Protocol(asyncio.Protocol):
    """Says whose it is; counts as uvicorn's do."""

    def __init__(self, name: str, connections: CountedConnections) -> None:
        self._name = name
        self._connections = connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(self)
        transport.write(f"{self._name}\n".encode())

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)

    def shutdown(self) -> None:
        self._transport.write("終わり".encode())
        self._transport.close()


Opening = Callable[[Share, str], SharedAcceptor]


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.fixture
async def opening(listening: socket.socket) -> AsyncIterator[Opening]:
    """Opens a door, with the socket as a process of its own would have it."""
    with ExitStack() as stack:

        def opened(share: Share, name: str) -> SharedAcceptor:
            connections = CountedConnections(share)
            own = stack.enter_context(listening.dup())
            made = SharedAcceptor(own, share, lambda: cast("Any", Protocol(name, connections)))
            stack.callback(made.close)
            return made

        yield opened


class Client:
    """A connection that is kept open; `met` is the name of who took it."""

    def __init__(self, met: str, writer: asyncio.StreamWriter) -> None:
        self.met = met
        self._writer = writer

    async def leave(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


async def come(listening: socket.socket) -> Client:
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    return Client((await asyncio.wait_for(reader.readline(), 20)).decode().strip(), writer)


async def test_each_has_as_many_as_the_others_whoever_comes_at_once_or_in_turn(
    listening: socket.socket, opening: Opening
) -> None:
    tally = ConnectionCounts(3)
    for number, name in enumerate("東西北"):
        opening(tally.of(number), name)
    at_once = await asyncio.gather(*(come(listening) for _ in range(6)))
    in_turn = [await come(listening) for _ in range(6)]
    met = [client.met for client in (*at_once, *in_turn)]
    assert {name: met.count(name) for name in "東西北"} == {"東": 4, "西": 4, "北": 4}


async def test_whose_clients_have_left_gets_the_next(listening: socket.socket, opening: Opening) -> None:
    tally = ConnectionCounts(2)
    east, west = tally.of(0), tally.of(1)
    opening(east, "东")
    opening(west, "西")
    clients = [await come(listening) for _ in range(4)]
    for client in clients:
        if client.met == "西":
            await client.leave()
    while east.is_least:  # until it is known that they have
        await asyncio.sleep(0.001)
    assert [(await come(listening)).met for _ in range(2)] == ["西", "西"]


async def test_one_left_to_a_process_that_does_not_come_is_taken_after_all(
    listening: socket.socket, opening: Opening
) -> None:
    tally = ConnectionCounts(2)
    tally.of(1).open()  # and then it is busy for good
    opening(tally.of(0), "here")
    clients = [await come(listening) for _ in range(3)]  # kept: one that is collected leaves
    assert [client.met for client in clients] == ["here"] * 3


async def test_one_that_has_closed_is_not_waited_for_and_takes_nobody(
    listening: socket.socket, opening: Opening
) -> None:
    tally = ConnectionCounts(2)
    opening(tally.of(0), "gone").close()
    opening(tally.of(1), "here")
    assert [(await come(listening)).met for _ in range(3)] == ["here"] * 3


@pytest.mark.parametrize("is_left_to_another", [False, True])
async def test_where_all_have_closed_nobody_is_let_in(
    listening: socket.socket, opening: Opening, monkeypatch: pytest.MonkeyPatch, is_left_to_another: bool
) -> None:
    monkeypatch.setattr(load_balancing, "PATIENCE_SECONDS", 1000.0)
    tally = ConnectionCounts(2)
    acceptor = opening(tally.of(0), "here")
    with socket.socket() as client:
        if is_left_to_another:
            tally.of(0).change(1)
            tally.of(1).open()
            client.connect(listening.getsockname())
            await asyncio.sleep(5 * load_balancing.LOOK_SECONDS)
            tally.of(1).close()
        acceptor.close()
        if not is_left_to_another:
            client.connect(listening.getsockname())
        await asyncio.sleep(5 * load_balancing.LOOK_SECONDS)
        listening.setblocking(False)
        listening.accept()[0].close()  # it still waits there


async def test_one_who_could_not_be_let_in_is_not_counted(listening: socket.socket) -> None:
    tally = ConnectionCounts(2)
    tally.of(1).open()

    def no_room() -> Any:
        raise OSError(errno.ENOBUFS, "No buffer space available")

    acceptor = SharedAcceptor(listening, tally.of(0), no_room)
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    assert await asyncio.wait_for(reader.read(), 20) == b""
    assert tally.of(0).is_least
    acceptor.close()
    writer.close()


def test_one_who_goes_is_counted_once_though_his_place_was_given_away_before() -> None:
    tally = ConnectionCounts(2)
    share = tally.of(0)
    share.open()
    tally.of(1).open()
    connections = CountedConnections(share)
    for name in ("花子", "王芳"):
        connections.add(name)
        share.change(1)
    for _ in range(2):
        connections.discard("花子")
    assert not share.is_least, "the other one is still there"
    share.close()
    connections.discard("王芳")
    assert not share.is_open, "it accepts nobody, whoever goes"


async def test_one_who_is_being_let_in_while_it_closes_is_let_go_too(
    listening: socket.socket, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    acceptor = opening(ConnectionCounts(1).of(0), "here")

    def accept(self: socket.socket) -> Any:
        asyncio.get_running_loop().call_soon(acceptor.close)
        return _ACCEPT(self)

    monkeypatch.setattr(socket.socket, "accept", accept)
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    assert (await asyncio.wait_for(reader.read(), 20)).decode() == "here\n終わり"
    writer.close()


async def test_while_too_many_files_are_open_it_rests_and_then_goes_on(
    listening: socket.socket,
    opening: Opening,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(load_balancing, "REST_SECONDS", 0.01)
    refusals = 2

    def accept(self: socket.socket) -> Any:
        nonlocal refusals
        refusals -= 1
        if refusals >= 0:
            raise OSError(errno.EMFILE, "Too many open files")
        return _ACCEPT(self)

    monkeypatch.setattr(socket.socket, "accept", accept)
    acceptor = opening(ConnectionCounts(1).of(0), "此处")
    client = asyncio.create_task(come(listening))
    while refusals == 2:
        await asyncio.sleep(0)
    for _ in range(10):
        acceptor.catch_up()
    assert refusals == 1, "it rests also when it is told to catch up"
    assert (await client).met == "此处"
    assert caplog.text.count("Too many open files") == 2
