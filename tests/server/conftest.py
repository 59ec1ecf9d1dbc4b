"""Servers: built in memory from real memories, and as processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp.server.lowlevel import Server

from omoide import app
from omoide.config import load
from omoide.families.tool import Tool
from omoide.memory import Memories
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.protocol import server as protocol

OMOIDE = [sys.executable, "-m", "omoide.cli"]


def environment(**more: str) -> dict[str, str]:
    """This process's, without settings of the person who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OMOIDE_")}
    return {**kept, "PYTHONIOENCODING": "utf-8", **more}


def serving(tools: Sequence[Tool], clock: Any) -> Server[Any]:
    """A server of these tools, for one place."""
    return protocol.build(Dispatcher(tools, OneWorkspace(workspace_of(tools, Sessions(clock)))), version="0")


@pytest.fixture
def server(memories: Memories, clock: Any, tmp_path: Path) -> Server[Any]:
    settings = load({"data": str(tmp_path / "store")}, {})
    return serving(app.tools(memories, settings), clock)


def begun(
    folder: Path, *flags: str, stderr: int | None = None, within: Sequence[str] = (), **variables: str
) -> "tuple[subprocess.Popen[str], str]":
    """`omoide serve --http` over a folder, on a free port of its own, once clients can connect; and its URL. `within`: a command
    that runs it."""
    process = subprocess.Popen(
        [*within, *OMOIDE, "serve", "--http", "--port", "0", "--data", str(folder), *flags],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=environment(**variables),
    )
    assert process.stdout is not None
    return process, process.stdout.readline().removeprefix("omoide: serving ").strip()


@pytest.fixture
def http(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start `omoide serve --http` on a free port of its own; gives the URL once clients can connect."""
    started: list[subprocess.Popen[str]] = []

    def start(*flags: str, **variables: str) -> str:
        process, url = begun(tmp_path / "http", *flags, **variables)
        started.append(process)
        return url

    yield start
    _end(started)


@pytest.fixture(scope="module")
def shared_http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """The same, for tests that leave a server as they found it, but for what it remembers: one for each choice of flags and
    variables."""
    started: dict[tuple[object, ...], tuple[subprocess.Popen[str], str]] = {}

    def start(*flags: str, **variables: str) -> str:
        chosen = (*flags, *sorted(variables.items()))
        if chosen not in started:
            started[chosen] = begun(tmp_path_factory.mktemp("http"), *flags, **variables)
        return started[chosen][1]

    yield start
    _end(process for process, _ in started.values())


def _end(started: Iterable["subprocess.Popen[str]"]) -> None:
    for process in started:
        process.terminate()
        assert process.wait(20) == 0, "SIGTERM ends the server in good order"
