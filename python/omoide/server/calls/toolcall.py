"""A call of a tool, as a lane hands it to the dispatcher."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from omoide.server.access.visitor import Visitor


class ToolCall(NamedTuple):
    """Which tool, with which arguments, for whom."""

    visitor: Visitor
    name: str
    arguments: Mapping[str, Any]
    connection: str | None = None  #: id of the client's session, where it has one
    client: str | None = None  #: what the client calls itself
    confirmed: bool | None = None  #: what the person behind the client answered to the tool's question
    arrived: float | None = None  #: when, in seconds of `perf_counter`; see omoide.coalescing
