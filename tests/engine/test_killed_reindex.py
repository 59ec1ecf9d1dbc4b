"""kill -9 in the middle of a re-embedding: the old index is still there and answers, and no text is embedded twice."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path

from omoide import app
from omoide.config import load
from omoide.engine.generation import IDENTITY_FILE
from omoide.memory import Memories
from omoide.model.memory import Draft
from tests.embed.endpoint import FakeEndpoint, running

TEXTS = ["昨日、京都で抹茶を飲んだ。", "我昨天在京都喝了抹茶。", "Yesterday I drank matcha in Kyoto."]
MANY = 600
REEMBED = """
import sys
from omoide import app
from omoide.config import load

with app.opened(load({"data": sys.argv[1], "embedder": sys.argv[2]}, {})) as found:
    found.memories.recall("京都")
    found.index.wait_for_reindex(600)
"""


def holds_at(endpoint: FakeEndpoint, requests: int) -> None:
    """Answer so many more requests and hold the next."""
    endpoint.held.clear()
    endpoint.let_go.clear()
    endpoint.faults = [*[""] * requests, "slow"]


def texts_of(memories: Memories, question: str) -> set[str]:
    return {hit.memory.text.rpartition(" ")[0] for hit in memories.recall(question).hits}


def test_a_reembedding_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with app.open_memories(tmp_path) as memories:
        memories.remember_many([Draft(text=f"{TEXTS[at % 3]} {at}") for at in range(MANY)])
        memories.recall("抹茶")
    with running() as endpoint:
        holds_at(endpoint, 5)
        with subprocess.Popen([sys.executable, "-c", REEMBED, tmp_path, endpoint.url]) as process:
            assert endpoint.held.wait(60)
            process.kill()
        made = set(chain.from_iterable(endpoint.asked[:-1]))
        endpoint.let_go.set()
        again = len(endpoint.asked)
        holds_at(endpoint, 0)
        with app.opened(load({"data": str(tmp_path), "embedder": endpoint.url}, {})) as found:
            assert texts_of(found.memories, "京都の抹茶") >= {TEXTS[0]}
            assert endpoint.held.wait(60)
            told = found.memories.stats()
            assert told["embedder"]["name"].startswith("lexical")
            reindexing = told["index"]["reindexing"]
            assert 100 < reindexing["done"] < reindexing["of"] == MANY
            assert reindexing["seconds_left"] > 0
            endpoint.let_go.set()
            assert found.index.wait_for_reindex(60)
            assert found.memories.stats()["embedder"]["name"].startswith(f"http:{endpoint.url}")
            assert texts_of(found.memories, "京都の抹茶") >= {TEXTS[0]}
            assert found.memories.recall("matcha").missing == ()
        asked_again = set(chain.from_iterable(endpoint.asked[again:])) - {"matcha", "京都の抹茶"}
        assert len(made) > 100
        assert asked_again.isdisjoint(made)
        assert len(made | asked_again) >= MANY
    kept = {
        json.loads(file.read_text())["embedder"] for file in (tmp_path / app.INDEX_FOLDER).glob(f"*/{IDENTITY_FILE}")
    }
    assert sorted(each.partition(" ")[0].partition(":")[0] for each in kept) == ["http", "lexical"]
