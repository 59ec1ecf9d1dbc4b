"""What `omoide serve` is put together from."""

import logging
from pathlib import Path

import pytest

from omoide.cli import serving
from omoide.config import load


def test_a_client_that_leaves_at_once_leaves_nothing_to_warn_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for number in range(30):  # the index is being brought up meanwhile, each time for another while
            with serving.one_store(load({"data": str(tmp_path / str(number))}, {})):
                pass
    assert caplog.messages == []
