"""query_memory while the embedder that was configured cannot be asked, and after it is back."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from omoide.embed import EmbedderUnavailable, Kind, Lexical, Vector
from omoide.engine import Index
from omoide.families.textrawl import Options
from omoide.memory import Memories
from omoide.memory.notes import on_missing_arms
from omoide.model.query import MissingArm
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer

REASON = "The embedder is down."
ALSO = {"ja": "埋め込みサービスが止まっています。", "zh": "嵌入服务已停止。"}


class Service:
    """An endpoint that is `down` or not."""

    name, version = "endpoint", "1"
    semantic, instant, weight, max_tokens = True, False, 1.0, None
    down = True

    def __init__(self) -> None:
        self._vectors = Lexical()
        self.dimensions = self._vectors.dimensions

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        if self.down:
            raise EmbedderUnavailable(REASON, retry_after=0.001, also=ALSO)
        return self._vectors.embed(texts, kind)

    def close(self) -> None:
        pass


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def call(tmp_path: Path, clock: Any, service: Service, caller_of: Any) -> Iterator[Any]:
    store = SqliteStore(tmp_path / "store", clock=clock)
    index = Index(store, Analyzer(), embedder=service)
    with Memories(store, index, clock=clock, zone=ZoneInfo("Asia/Tokyo")) as memories:
        yield caller_of(memories, Options())


@pytest.mark.requirement("textrawl.error.embedding")
@pytest.mark.parametrize(
    ("query", "fact", "language"),
    [
        ("抹茶はいつ飲む", "毎朝、抹茶を飲む", "ja"),
        ("爬山", "喜欢在周末去爬山", "zh"),
        ("TypeScript", "prefers TypeScript", "en"),
    ],
)
def test_semantic_says_what_is_missing_and_hybrid_goes_by_words(
    call: Any, service: Service, query: str, fact: str, language: str
) -> None:
    call("remember_fact", entityName="健太", entityType="person", observation=fact)
    refused = call("query_memory", mode="search", query=query, searchMode="semantic")
    payload = json.loads(refused.text)
    assert refused.is_error
    assert (payload["error"], payload["code"]) == ("Embedding service not configured", "CONFIG_ERROR")
    assert payload["message"] == REASON
    assert (refused.error.message, refused.error.also) == (REASON, ALSO), "which is told beside the published words"
    found = call("query_memory", mode="search", query=query)
    assert found.structured["entities"][0]["memories"][0]["content"] == fact
    assert (
        found.structured["message"]
        == json.loads(found.text)["message"]
        == on_missing_arms([MissingArm("vectors", REASON, ALSO)], language)[0]
    )
    assert call("query_memory", mode="entity", entityName="健太").structured["totalObservations"] == 1
    assert call("query_memory", mode="list").structured["total"] == 1


@pytest.mark.requirement("textrawl.error.embedding")
def test_nothing_is_said_when_it_answers(call: Any, service: Service) -> None:
    service.down = False
    call("remember_fact", entityName="Jeff", entityType="person", observation="likes tea")
    for search_mode in ("hybrid", "semantic"):
        found = call("query_memory", mode="search", query="tea", searchMode=search_mode)
        assert "message" not in found.structured
