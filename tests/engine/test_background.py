"""Work in the background that fails."""

from __future__ import annotations

import atexit
import threading
from typing import NoReturn

import pytest

from omoide.engine.background import BackgroundWork
from omoide.errors import StoreError

DAMAGED = StoreError("The store 記憶.db is damaged.", hint="Run `omoide doctor --repair`.")


@pytest.mark.parametrize(
    ("error", "logged", "is_traced"),
    [
        (DAMAGED, "names could not be linked: The store 記憶.db is damaged. Run `omoide doctor --repair`.", False),
        (ZeroDivisionError("抹茶"), "names could not be linked", True),
    ],
)
def test_a_fault_of_the_store_is_told_in_a_sentence_and_one_of_ours_with_its_place(
    caplog: pytest.LogCaptureFixture, error: Exception, logged: str, is_traced: bool
) -> None:
    def fail(stop: threading.Event) -> NoReturn:
        raise error

    background = BackgroundWork("read", fail, "names could not be linked")
    assert background.begin()
    assert background.wait()
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("ERROR", logged)
    assert (record.exc_info is not None) is is_traced
    assert background.error == f"{type(error).__name__}: {error}"


def test_a_chore_that_is_begun_often_is_ended_once_with_the_process() -> None:
    before = atexit._ncallbacks()
    background = BackgroundWork("count", lambda stop: None, "it failed")
    for _ in range(20):
        assert background.wait(60)
        assert background.begin()
    assert atexit._ncallbacks() == before + 1
    background.stop()
    assert not background.begin()
