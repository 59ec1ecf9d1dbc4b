"""How these tests call the door."""

import pytest

from omoide.families.contextplus import tools
from omoide.memory import Memories
from tests.families.calling import Call, by_name


@pytest.fixture
def call(memories: Memories) -> Call:
    """Any tool, by name, over the whole graph."""
    return by_name(tools(memories))
