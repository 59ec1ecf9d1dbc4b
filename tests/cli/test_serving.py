"""What `omoide serve` is put together from."""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from omoide.app import STORE_FILE, open_memories, with_chosen_embedder
from omoide.cli import following, serving
from omoide.config import Settings, load
from omoide.engine.background import STOP_SECONDS
from omoide.errors import StoreError
from omoide.server.access.visitor import LOCAL, Visitor
from omoide.server.calls.toolcall import ToolCall
from omoide.server.greeting import LEXICAL, greeting, stdio_entry
from omoide.server.monitoring.metrics import Metrics
from tests.embed.endpoint import running


def test_a_client_that_leaves_at_once_leaves_nothing_to_warn_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for number in range(30):  # the index is being brought up meanwhile, each time for another while
            with serving.one_store(load({"data": str(tmp_path / str(number))}, {})):
                pass
    assert caplog.messages == []


def test_a_server_whose_index_cannot_be_brought_up_is_not_ready_until_it_can(tmp_path: Path) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember_many(["京都で抹茶を飲んだ", "我们在北京喝茶", "we drink tea"])
    tick = threading.Event()
    search = ToolCall(LOCAL, "search_memory", {"query": "抹茶"})
    with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as connection:
        connection.execute("UPDATE memories SET tags = '['")
        with serving.one_store(load({"data": str(tmp_path)}, {}), Metrics()) as served:
            while served.missing().startswith("indexing"):
                tick.wait(0.01)
            assert served.missing() == "the index could not be brought up: 0 of 3 changes"
            assert served.dispatcher.answer(search).is_error
            connection.execute("UPDATE memories SET tags = '[]'")
            assert not served.dispatcher.answer(search).is_error
            assert served.missing() == ""


@pytest.mark.parametrize("instead", [None, "思い出 记忆 memory".encode() * 1000], ids=["gone", "no store"])
def test_a_server_whose_store_is_not_there_any_more_is_not_ready_until_it_is_back(
    tmp_path: Path, instead: bytes | None
) -> None:
    file, elsewhere, tick = tmp_path / "記憶" / STORE_FILE, tmp_path / "別の場所", threading.Event()
    with serving.one_store(load({"data": str(file.parent)}, {}), Metrics()) as served:
        for text in ("京都で抹茶を飲んだ", "我们在北京喝茶", "we drink tea"):
            assert not served.dispatcher.answer(ToolCall(LOCAL, "store_memory", {"text": text})).is_error
        while served.missing():
            tick.wait(0.01)
        file.rename(elsewhere)
        if instead is not None:
            file.write_bytes(instead)
        with pytest.raises(StoreError):
            served.missing()
        elsewhere.replace(file)
        assert served.missing() == ""


def test_a_server_of_tenants_is_ready_where_their_stores_can_be_read_though_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_write, access = True, os.access
    monkeypatch.setattr(os, "access", lambda path, mode: access(path, mode) and (may_write or not mode & os.W_OK))
    data = tmp_path / "記憶"
    with serving.stores_of_tenants(load({"data": str(data)}, {}), Metrics()) as served:
        assert served.missing() == ""
        may_write = False
        assert served.missing() == ""
        data.rmdir()
        assert served.missing() == "the data folder cannot be read"


def test_what_other_processes_write_is_indexed_before_anyone_asks(tmp_path: Path) -> None:
    drinks = ["京都で抹茶を飲んだ", "我们在北京喝茶", "we drink tea"]
    imported = [f"{drink} {number}" for number in range(following.MOST_AT_ONCE) for drink in drinks]
    metrics, tick, deadline = Metrics(), threading.Event(), time.monotonic() + 60
    with serving.one_store(load({"data": str(tmp_path)}, {}), metrics):
        for texts, count in ((drinks, len(drinks)), (imported, len(drinks) + len(imported))):
            with open_memories(tmp_path) as memories:
                memories.remember_many(texts)
            while f"omoide_memories {count}.0" not in metrics.read().decode().splitlines():
                assert time.monotonic() < deadline
                tick.wait(0.05)


@pytest.mark.parametrize(
    ("behind", "visitors"),
    [
        (serving.one_store, [LOCAL]),
        (serving.stores_of_tenants, [Visitor(tenant="山田"), Visitor(tenant="小王")]),
    ],
    ids=["one store", "tenants"],
)
def test_a_server_that_ends_does_not_wait_for_an_embedder_that_hangs(
    tmp_path: Path,
    behind: Callable[[Settings, Metrics], AbstractContextManager[serving.Served]],
    visitors: Sequence[Visitor],
    caplog: pytest.LogCaptureFixture,
) -> None:
    search = "search_memory", {"query": "抹茶"}
    with running() as endpoint:
        with behind(load({"data": str(tmp_path), "embedder": f"http:{endpoint.url}"}, {}), Metrics()) as served:
            for visitor in visitors:
                assert not served.dispatcher.answer(ToolCall(visitor, *search)).is_error
                endpoint.faults = ["slow"]
                for call in (("store_memory", {"text": "京都で抹茶を飲んだ"}), search):
                    assert not served.dispatcher.answer(ToolCall(visitor, *call)).is_error
                assert not endpoint.faults
            asked = time.monotonic()
        assert time.monotonic() - asked < STOP_SECONDS
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"embedder": "auto"}, f"lexical{LEXICAL}"),
        ({"embedder": "auto", "embedder_url": "http://127.0.0.1:9/v1"}, "http:http://127.0.0.1:9/v1"),
        ({"embedder": "lexical"}, f"lexical{LEXICAL}"),
    ],
)
def test_whoever_starts_a_server_is_told_what_makes_the_vectors(
    tmp_path: Path, given: Mapping[str, str], told: str
) -> None:
    settings = with_chosen_embedder(load({"data": str(tmp_path), **given}, {}))
    lines = greeting(settings, [], 0, *stdio_entry(tmp_path)).splitlines()
    assert f"omoide: vectors by {told}" in lines
