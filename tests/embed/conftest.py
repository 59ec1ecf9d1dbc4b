from collections.abc import Iterator

import pytest

from tests.embed.endpoint import FakeEndpoint, running


class Time:
    """Seconds that pass only by waiting."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with running() as fake:
        yield fake
