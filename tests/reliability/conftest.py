"""Attacks: bounded, on this machine alone. `make attack` runs them in full; elsewhere each is tried a few times."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from omoide import app
from omoide.config import Settings, load
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from tests.server.conftest import http, shared_http

__all__ = ["http", "shared_http"]  # a server as a process


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """Falls the same way at every run of one test."""
    return random.Random(request.node.name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"data": str(tmp_path / "store"), "zone": "Asia/Tokyo", "tools": "all"}, {})


@pytest.fixture
def dispatcher(settings: Settings) -> Iterator[Dispatcher]:
    """Every tool there is, over one store."""
    with app.opened(settings) as found:
        offered = app.tools(found.memories, settings)
        yield Dispatcher(
            offered, OneWorkspace(workspace_of(offered, Sessions(app.utc_now))), interleaver=partial(app.interleaver, 2)
        )
