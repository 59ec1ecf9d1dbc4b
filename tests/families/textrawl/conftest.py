"""How these tests call the door."""

from collections.abc import Callable

import pytest

from omoide.families.textrawl import Options, tools
from omoide.memory import Memories
from tests.families.calling import Call, by_name


def _caller_of(memories: Memories, options: Options) -> Call:
    return by_name(tools(memories, options))


@pytest.fixture
def caller_of() -> Callable[[Memories, Options], Call]:
    """For tests that open memories of their own."""
    return _caller_of


@pytest.fixture
def call(memories: Memories) -> Call:
    """With compact texts, the default."""
    return _caller_of(memories, Options())


@pytest.fixture
def call_verbose(memories: Memories) -> Call:
    """With COMPACT_RESPONSES off."""
    return _caller_of(memories, Options(compact_responses=False))
