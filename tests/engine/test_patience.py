"""A call does not wait long for an index that has much of the store still to take in: it is told how far the index is."""

from __future__ import annotations

import threading
from datetime import timezone
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import TextContent

from omoide import app
from omoide.app import open_memories
from omoide.config import load
from omoide.engine import Index
from omoide.engine.generation import BATCH
from omoide.engine.patience import Patience, index_behind
from omoide.errors import IndexBehind
from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.model.relation import Ref
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer
from tests.counting import calls
from tests.server.conftest import serving

TEXTS = ("会議は水曜日に変わった", "会议改到星期三", "the meeting moved to Wednesday")
#: As many memories as are applied in two steps.
MANY = BATCH + 3
PATIENCE = 20.0

TOLD = [
    (0, 1_234, None, "0 of 1,234 changes are in it", "about 10 seconds", "約 10 秒後に", "约 10 秒后重试"),
    (500, 1_000, 12.0, "500 of 1,000", "about 20 seconds", "（1,000 件中 500 件）", "（1,000 条中已完成 500 条）"),
    (999, 1_000, 0.01, "999 of 1,000", "about 10 seconds", "約 10 秒後に", "约 10 秒后重试"),
    (10, 99, 90.0, "10 of 99", "about 90 seconds", "約 90 秒後に", "约 90 秒后重试"),
    (10, 99, 90.5, "10 of 99", "about 2 minutes", "約 2 分後に", "约 2 分钟后重试"),
    (1, 500_000, 601.0, "1 of 500,000", "about 11 minutes", "約 11 分後に", "约 11 分钟后重试"),
]


@pytest.mark.parametrize(("applied", "newest", "seconds", "english", "when", "japanese", "chinese"), TOLD)
def test_the_error_says_how_far_the_index_is_and_when_to_ask_again(
    applied: int, newest: int, seconds: float | None, english: str, when: str, japanese: str, chinese: str
) -> None:
    error = index_behind(applied, newest, seconds)
    assert error.code == "indexing"
    assert english in error.message
    assert error.hint == f"Ask again in {when}."
    assert japanese in error.also["ja"]
    assert chinese in error.also["zh"]


@pytest.mark.parametrize(
    ("began_with", "applied", "when"),
    [(0, 500, "10 minutes"), (400, 500, "50 minutes"), (0, 0, "10 seconds"), (900, 500, "10 minutes")],
)
def test_when_to_ask_again_is_told_by_the_pace_of_the_wait(
    monkeypatch: pytest.MonkeyPatch, began_with: int, applied: int, when: str
) -> None:
    """An index that counts from zero again, as its store was put back, has applied as much as it counts."""
    monkeypatch.setattr("omoide.engine.patience.monotonic", lambda: 700.0)
    waited = Patience(seconds=600.0, began=100.0, applied=began_with)
    assert waited.behind(applied, 1_000).hint == f"Ask again in about {when}."


@pytest.fixture
def without_index(tmp_path: Path, clock: Any) -> Path:
    """A store of MANY memories and no index."""
    with open_memories(tmp_path, clock=clock) as memories:
        memories.remember_many([Draft(text=f"{TEXTS[n % 3]} {n}") for n in range(MANY)])
    return tmp_path


def test_a_call_that_has_waited_long_enough_is_told_so_and_the_index_goes_on(without_index: Path) -> None:
    store = SqliteStore(without_index / app.STORE_FILE)
    index = Index(store, Analyzer(), timeout_seconds=0.0)
    with pytest.raises(IndexBehind, match=f"{BATCH} of {MANY} changes"):
        index.catch_up_in_time()
    assert index.catch_up() == MANY, "who has no client waits for all of it"
    index.catch_up_in_time()
    index.close()
    store.close()


def test_a_call_does_not_wait_longer_for_another_that_brings_the_index_up(without_index: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Analyzer):
        def document(self, text: str, lang: str | None = None) -> Any:
            begun.set()
            go_on.wait(PATIENCE)
            return super().document(text, lang)

    store = SqliteStore(without_index / app.STORE_FILE)
    index = Index(store, Slow(), timeout_seconds=0.01)
    patient = threading.Thread(target=index.catch_up)
    patient.start()
    assert begun.wait(PATIENCE)
    with pytest.raises(IndexBehind, match=f" 0 of {MANY} changes"):
        index.catch_up_in_time()
    go_on.set()
    patient.join(PATIENCE)
    index.catch_up_in_time()
    assert index.state().applied == MANY
    index.close()
    store.close()


@pytest.mark.parametrize(("texts", "seconds"), [(MANY, 3 * PATIENCE), (3, 0.01)], ids=["far behind", "behind"])
@pytest.mark.parametrize(
    ("name", "spelled", "fact", "again"),
    [
        ("臺北", "台北", "龙井茶，很好喝。", "龍井茶、很好喝"),
        ("タナカ", "ﾀﾅｶ", "抹茶が好き。", "抹茶が好き"),
        ("Jeff", "ＪＥＦＦ", "He’s fond of tea.", "he's fond of tea"),
    ],
)
def test_a_write_does_not_wait_for_the_index_and_knows_who_is_meant_and_what_was_said(
    tmp_path: Path, clock: Any, name: str, spelled: str, fact: str, again: str, texts: int, seconds: float
) -> None:
    with open_memories(tmp_path, clock=clock) as memories:
        memories.remember_many([Draft(text=f"{TEXTS[n % 3]} {n}") for n in range(texts)])
        entity, told = memories.observe(name, "thing", fact)
    begun, go_on, waited_for = threading.Event(), threading.Event(), threading.Event()

    class Slow(Analyzer):
        def document(self, text: str, lang: str | None = None) -> Any:
            begun.set()
            if not go_on.wait(PATIENCE):
                waited_for.set()
            return super().document(text, lang)

    store = SqliteStore(tmp_path / app.STORE_FILE)
    index = Index(store, Slow(), timeout_seconds=seconds)
    following = threading.Thread(target=index.catch_up)
    following.start()
    assert begun.wait(PATIENCE)
    with Memories(store, index, clock=clock, zone=timezone.utc) as memories:
        known, repeated = memories.observe(spelled, "thing", again)
        assert (known.id, repeated.disposition, repeated.memory.id) == (entity.id, "deduplicated", told.memory.id)
        assert memories.observe(spelled, "thing", f"{again}?")[1].disposition == "stored"
        assert memories.relate((spelled, None), ("茶", None), "likes").source == Ref("entity", entity.id)
        assert (memories.meant_by(spelled), memories.meant_by(f"{spelled}2")) == (known, None)
        assert not waited_for.is_set()
        assert index.state().applied == 0, "still behind"
        go_on.set()
        following.join(PATIENCE)


def test_a_write_far_behind_takes_no_one_for_whom_another_scope_calls_so(without_index: Path, clock: Any) -> None:
    with open_memories(without_index, clock=clock, scope="旅") as memories:
        ours, _ = memories.observe("臺北", "place", "夜市へ行った")
    with open_memories(without_index, clock=clock, scope="仕事") as memories:
        memories.observe("台北", "place", "支社がある")
    store = SqliteStore(without_index / app.STORE_FILE)
    index = Index(store, Analyzer(), timeout_seconds=0.0)
    with Memories(store, index, clock=clock, zone=timezone.utc, scope="旅") as memories:
        assert memories.meant_by("台北") == ours


@pytest.mark.parametrize(("name", "asked"), [("臺北{}", "台北駅"), ("たなか{}", "タナカ"), ("José {}", "Jose")])
def test_while_the_index_is_behind_only_the_first_write_reads_the_names_of_all(
    tmp_path: Path, clock: Any, name: str, asked: str
) -> None:
    with open_memories(tmp_path, clock=clock) as memories:
        for n in range(100):
            memories.observe(name.format(n), "thing", f"{n}")
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Analyzer):
        def document(self, text: str, lang: str | None = None) -> Any:
            begun.set()
            go_on.wait(PATIENCE)
            return super().document(text, lang)

    store = SqliteStore(tmp_path / app.STORE_FILE)
    index = Index(store, Slow(), timeout_seconds=0.01)
    with Memories(store, index, clock=clock, zone=timezone.utc) as memories:
        following = threading.Thread(target=index.catch_up)
        following.start()
        assert begun.wait(PATIENCE)
        first, second = (calls(lambda: memories.meant_by(asked)) for _ in range(2))
        assert second < first / 2
        go_on.set()
        following.join(PATIENCE)


@pytest.mark.parametrize(
    ("query", "also"),
    [("会議を探して", "索引を作成しています"), ("星期三的会议", "正在建立索引"), ("Wednesday's meeting", "")],
)
async def test_a_client_is_told_in_its_language_and_answered_later(
    without_index: Path, clock: Any, query: str, also: str
) -> None:
    settings = load({"data": str(without_index), "index_timeout_seconds": "0.001"}, {})
    with app.opened(settings, clock=clock) as found:
        async with Client(serving(app.tools(found.memories, settings), clock)) as client:
            answer = await client.call_tool("search_memory", {"query": query})
            told = [each.text for each in answer.content if isinstance(each, TextContent)]
            assert answer.is_error
            assert "retryable: true" in told[0]
            assert f"The index is still being made: {BATCH} of {MANY} changes are in it." in told[0]
            assert [also in each for each in told[1:]] == [True] * bool(also)
            found.index.catch_up()
            answer = await client.call_tool("search_memory", {"query": query})
            assert not answer.is_error
