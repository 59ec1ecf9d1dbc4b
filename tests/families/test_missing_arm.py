"""While the endpoint of a semantic embedder is down, every search answers by words and says what is missing.

Through a real client and a real socket. Each door has its own place for the sentence; its language is the question's.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from mcp.client import Client
from mcp_types import TextContent

from omoide import app
from omoide.config import load
from omoide.memory import Memories
from tests.embed.endpoint import FakeEndpoint, running
from tests.server.conftest import serving

Json = dict[str, Any]

FACTS = {
    "ja": "昨日、京都で抹茶を飲んだ。",
    "zh": "我们在北京喝了龙井茶。",
    "en": "We drank Earl Grey in London.",
}
QUESTIONS = {"ja": "京都の抹茶", "zh": "北京 龙井茶", "en": "Earl Grey London"}
SAID = {
    "ja": "vectors による順位づけなしの結果です。",
    "zh": "此结果缺少按 vectors 的排序。",
    "en": "This answer is without the ranking by vectors.",
}
REASON = {
    "ja": "埋め込みサービス {} はステータス 500 を返しました。",
    "zh": "嵌入服务“{}”返回了状态码 500。",
    "en": "{} answers with status 500",
}
#: Of each search: its arguments, and where in its values the remarks stand.
SEARCHES = {
    "SearchMemory": ({"score_threshold": 0.0}, "notes"),
    "search_memory": ({"allScopes": True}, "notes"),
    "query_memory": ({"mode": "search"}, "message"),
    "chronica_search": ({}, "warnings"),
    "search_memory_graph": ({"root_dir": "/any"}, "notes"),
}


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with running() as fake:
        yield fake


@pytest.fixture
def memories(tmp_path: Path, clock: Any, endpoint: FakeEndpoint) -> Iterator[Memories]:
    zone = ZoneInfo("Asia/Tokyo")
    with app.open_memories(tmp_path / "store", clock=clock, zone=zone, embedder=endpoint.url) as opened:
        yield opened


async def asked(memories: Memories, clock: Any, folder: Path, search: str, language: str) -> tuple[str, Json]:
    """(texts, values) of an answer, in which the memory was found."""
    arguments, _ = SEARCHES[search]
    async with Client(serving(app.tools(memories, load({"data": str(folder)}, {})), clock)) as client:
        answer = await client.call_tool(search, {"query": QUESTIONS[language], **arguments})
    assert not answer.is_error, answer.content
    text = "\n".join(each.text for each in answer.content if isinstance(each, TextContent))
    values = answer.structured_content or {}
    assert FACTS[language][:-1] in text
    assert FACTS[language][:-1] in json.dumps(values, ensure_ascii=False)
    return text, values


@pytest.mark.parametrize("language", FACTS)
@pytest.mark.parametrize("search", SEARCHES)
async def test_every_search_says_what_is_missing_in_the_language_of_the_question(
    memories: Memories, endpoint: FakeEndpoint, clock: Any, tmp_path: Path, search: str, language: str
) -> None:
    endpoint.down = True
    memories.remember(FACTS[language])
    text, values = await asked(memories, clock, tmp_path, search, language)
    said = "\n".join([values[SEARCHES[search][1]]] if search == "query_memory" else values[SEARCHES[search][1]])
    for shown in (said, text):
        assert SAID[language] in shown
        assert REASON[language].format(f"{endpoint.url}/embeddings") in shown


@pytest.mark.parametrize("search", SEARCHES)
async def test_nothing_is_said_where_nothing_is_missing(
    memories: Memories, clock: Any, tmp_path: Path, search: str
) -> None:
    memories.remember(FACTS["ja"])
    text, _ = await asked(memories, clock, tmp_path, search, "ja")
    assert "順位づけなし" not in text
