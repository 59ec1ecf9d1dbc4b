"""The key of an endpoint is sent to it, and shown by no command, log or answer."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from omoide import app
from omoide.cli import main
from omoide.config import load
from tests.embed.endpoint import FakeEndpoint

KEY = "sk-secret"


@pytest.mark.parametrize("fault", ["", "401", "500"])
@pytest.mark.parametrize("command", [["stats"], ["search", "抹茶"], ["doctor"], ["models", "list"]], ids=" ".join)
def test_no_command_shows_the_key(
    endpoint: FakeEndpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    command: list[str],
    fault: str,
) -> None:
    with app.open_memories(tmp_path) as memories:
        memories.remember("昨日、京都で抹茶を飲んだ。")
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OMOIDE_EMBEDDER_KEY", KEY)
    monkeypatch.setenv("OMOIDE_EMBEDDER", endpoint.url)
    endpoint.faults = [fault] * 20
    main([*command, "--data", str(tmp_path)])
    shown = "".join(capsys.readouterr()) + caplog.text
    assert shown
    assert "secret" not in shown


def test_no_answer_shows_the_key(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    endpoint.faults = ["401"] * 20
    settings = load({"data": str(tmp_path), "embedder": endpoint.url}, {"OMOIDE_EMBEDDER_KEY": KEY})
    with app.opened(settings) as found:
        found.memories.remember("昨日、京都で抹茶を飲んだ。")
        recalled = found.memories.recall("抹茶")
        told = f"{recalled} {found.memories.stats()} {settings}"
    assert endpoint.headers[0]["Authorization"]
    assert "401" in recalled.missing[0].reason
    assert "secret" not in told
