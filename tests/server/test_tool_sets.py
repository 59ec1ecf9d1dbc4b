"""Every door over every transport: each family's main writer stores, every search finds."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.families.test_cross_family import QUESTIONS, SAMPLES, WRITERS, text_of
from tests.server.conftest import environment

MAIN_WRITERS = ("StoreMemory", "store_memory", "remember_fact", "chronica_save_entry", "upsert_memory_node")


async def store_and_find(client: Client) -> None:
    for (language, sample), writer in zip(list(SAMPLES.items()) * 2, MAIN_WRITERS, strict=False):
        stored = await client.call_tool(writer, WRITERS[f"`{writer}`"](sample))
        assert not stored.is_error, (language, writer, text_of(stored))
    for language, sample in SAMPLES.items():
        for search, asks in QUESTIONS.items():
            answer = await client.call_tool(search, asks(sample.question))
            assert sample.sentence in text_of(answer), (language, search)
            assert sample.text in str(answer.structured_content), (language, search)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_door_answers_over_stdio(tmp_path: Path, mode: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "omoide.cli", "serve", "--data", str(tmp_path)], env=environment()
    )
    async with Client(parameters, mode=mode) as client:
        await store_and_find(client)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_door_answers_over_http(http: Callable[..., str], mode: str) -> None:
    async with Client(http(), mode=mode) as client:
        await store_and_find(client)
