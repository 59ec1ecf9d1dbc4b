"""What most tests share: a clock that stands still until it is advanced, and memories in a fresh folder."""

import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, settings

from omoide.app import open_memories
from omoide.config import SETTINGS, variables_of
from omoide.memory import Memories

# A machine that pauses makes any example slow: how long one takes says nothing of the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


#: What the person who runs the tests has set for other programs, and tests set where they are about it.
OF_THE_PERSON = (
    "LC_ALL",
    "LC_MESSAGES",
    "FORCE_COLOR",
    "NO_COLOR",
    "COLUMNS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
)


def pytest_configure() -> None:
    """Tests are of the program, whatever settings, language, time zone and terminal the person has who runs them."""
    for name in (*OF_THE_PERSON, *(each for setting in SETTINGS for each in variables_of(setting))):
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)  # as proxies may be called, too
    os.environ |= {"LANG": "C.UTF-8", "TZ": "UTC"}
    if hasattr(time, "tzset"):  # not on Windows
        time.tzset()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--attacks", choices=("few", "full"), default="few", help="how long the reliability tests attack")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collecting the tests makes objects by the hundred thousand, which all last until the end: the garbage collector would look
    through them again and again for a third of the time, and find nothing. What the tests make it looks through as ever."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def attacks(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """How often to attack: `attacks(few, full)`."""
    full = request.config.getoption("--attacks") == "full"
    return lambda few, most: most if full else few


@pytest.fixture(autouse=True)
def _own_log() -> Iterator[None]:
    """`serve` has the whole process log its way, and tell the log what nobody caught; the tests that follow have theirs."""
    root = logging.getLogger()
    handlers, level, hooks = root.handlers[:], root.level, (threading.excepthook, sys.excepthook)
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    threading.excepthook, sys.excepthook = hooks


class Clock:
    """Callable like the machine's; `now` moves by `advance` alone."""

    def __init__(self) -> None:
        self.now = datetime(2025, 11, 21, 3, 0, tzinfo=timezone.utc)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        """Move on, for example `advance(days=1, hours=2)`."""
        self.now += timedelta(**span)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memories(tmp_path: Path, clock: Clock) -> Iterator[Memories]:
    """Noon of 2025-11-21 in Tokyo, the zone of the caller."""
    with open_memories(tmp_path / "store", clock=clock, zone=ZoneInfo("Asia/Tokyo")) as opened:
        yield opened


@pytest.fixture
def held_open() -> Callable[[Path], list[Path]]:
    """The files in a folder that this process has open; the name of one that was removed ends in (deleted)."""

    def held(folder: Path) -> list[Path]:
        found = []
        for each in Path("/proc/self/fd").iterdir():
            with suppress(FileNotFoundError):  # the one that lists them
                found.append(each.readlink())
        return [each for each in found if each.is_relative_to(folder)]

    return held
