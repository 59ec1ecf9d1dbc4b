"""What takes long lets other threads run Python meanwhile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from omoide import _engine

#: Its query takes some tenths of a second to make.
LONG = "昨日京都で抹茶を飲んだ会議" * 20_000


@pytest.fixture
def uninterrupted() -> Iterator[None]:
    """Threads go on until they let go of the interpreter."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(600)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("uninterrupted")
def test_another_thread_runs_while_the_query_of_a_long_message_is_made() -> None:
    question = _engine.Question(LONG)
    begin, ran = threading.Lock(), []
    begin.acquire()
    other = threading.Thread(target=lambda: ran.append(begin.acquire()))
    other.start()
    begin.release()
    # On a busy machine the other may get no processor for as long as one takes.
    assert any(_engine.Query.of(question) and ran for _ in range(20))
    other.join()
