"""How these tests call the door."""

from collections.abc import Callable

import pytest

from omoide.families.recallnest import Options, tools
from omoide.memory import Memories
from tests.families.calling import Call, by_name


def _caller_of(memories: Memories, options: Options) -> Call:
    return by_name(tools(memories, options))


@pytest.fixture
def caller_of() -> Callable[[Memories, Options], Call]:
    """For tests that choose options."""
    return _caller_of


@pytest.fixture
def call(memories: Memories) -> Call:
    """Any tool, by name, with everything left to its default."""
    return _caller_of(memories, Options())


@pytest.fixture
def store(call: Call) -> Call:
    """`store_memory`."""
    return lambda text, **arguments: call("store_memory", text=text, **arguments)


@pytest.fixture
def search(call: Call) -> Call:
    """`search_memory`."""
    return lambda query, **arguments: call("search_memory", query=query, **arguments)
