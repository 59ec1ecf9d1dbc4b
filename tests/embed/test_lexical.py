"""The built-in embedder says that it does not know meaning, wherever that is asked."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from omoide import app
from omoide.config import load
from omoide.server.protocol.identity import INSTRUCTIONS
from tests.embed import toys

SAID = "compares spelling, not meaning"


def test_it_is_said_in_stats_in_the_instructions_and_once_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with app.opened(load({"data": str(tmp_path)}, {})) as found:
        for text in ("昨日、京都で抹茶を飲んだ。", "我昨天在京都喝了抹茶。", "Yesterday I drank matcha."):
            found.memories.remember(text)
            assert found.memories.recall(text).missing == ()
        assert found.memories.stats()["embedder"]["semantic"] is False
    assert caplog.text.count(SAID) == 1
    assert "not meaning" in INSTRUCTIONS


def test_a_model_that_is_chosen_is_said_to_know_meaning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    toys.static(tmp_path / "models" / "表")
    with app.opened(load({"data": str(tmp_path), "embedder": "auto"}, {})) as found:
        assert found.memories.stats()["embedder"]["semantic"] is True
    assert SAID not in caplog.text
