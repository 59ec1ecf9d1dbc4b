"""Many tenants on one server: each has memories of its own, and only those at work are kept open."""

from __future__ import annotations

import asyncio
import gc
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from weakref import ref

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from omoide import app
from omoide.cli import dictionaries, main
from omoide.cli.serving import Served, one_store, stores_of_tenants
from omoide.config import Settings, load
from omoide.errors import Conflict, OmoideError, StoreBusy, StoreError, StoreFull, StoreReadOnly, StoreTooNew
from omoide.families.tool import Result, Tool
from omoide.server import file_limits
from omoide.server.access.visitor import Rights, Visitor
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.tenants import MOST_CLOSING, Tenants
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.workspaces import Workspace, workspace_of
from omoide.server.http import public_errors
from omoide.server.monitoring.metrics import Metrics
from omoide.store.layout import STORE_FILE, tenant_folder
from omoide.turns import WouldWait, never_waiting, waiting
from tests.embed import toys
from tests.server.conftest import begun

TOKENS = "tokens.jsonl"


class Building:
    """Places that remember when they were opened and closed."""

    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self.log: list[str] = []
        self.broken = False

    @contextmanager
    def __call__(self, tenant: str) -> Iterator[Workspace]:
        if self.broken:
            raise StoreError("The store is damaged.")
        self.log.append(f"open {tenant}")
        try:
            yield workspace_of([tool(lambda *_: Result(tenant))], Sessions(self._clock))
        finally:
            self.log.append(f"close {tenant}")


def tool(run: Any) -> Tool:
    return Tool(
        name="whose",
        title="誰",
        description="Whose.",
        input_schema={"type": "object"},
        output_schema=None,
        run=run,
        read_only=True,
    )


def whose(dispatcher: Dispatcher, tenant: str) -> str:
    return dispatcher.answer(ToolCall(Visitor("x", tenant), "whose", {})).text


def test_a_place_is_opened_once_and_those_not_entered_for_longest_are_closed(clock: Any) -> None:
    building = Building(clock)
    tenants = Tenants(building, most=2)
    dispatcher = Dispatcher([tool(None)], tenants)
    asked = ["一", "二", "一", "三", "一", "四", "一", "二"]
    assert [whose(dispatcher, tenant) for tenant in asked] == asked
    assert len(tenants) == 2
    tenants.close()
    opened = [entry for entry in building.log if entry.startswith("open")]
    assert opened == ["open 一", "open 二", "open 三", "open 四", "open 二"], "the first was never left for long"
    assert sorted(entry.split()[1] for entry in building.log if entry.startswith("close")) == sorted("一二三四二")


def test_a_place_with_somebody_inside_stays_open(clock: Any) -> None:
    building = Building(clock)
    tenants = Tenants(building, most=1)
    with tenants.enter("一"):
        for tenant in "二三四":
            with tenants.enter(tenant):
                pass
        assert "close 一" not in building.log
    tenants.close()
    assert building.log.count("close 一") == 1


def test_who_must_not_wait_closes_nothing_himself_however_many_are_being_closed(clock: Any) -> None:
    may_end, closed = threading.Event(), []

    @contextmanager
    def workspace(tenant: str) -> Iterator[Workspace]:
        yield workspace_of([], Sessions(clock))
        with waiting():
            may_end.wait()
        closed.append(tenant)

    tenants = Tenants(workspace, most=1)
    with tenants.enter("二"):
        for number in range(MOST_CLOSING):
            with tenants.enter(f"{number}"):
                pass
        with ExitStack() as quick, tenants.enter("一"):
            quick.enter_context(never_waiting())
            quick.enter_context(tenants.enter("一"))
    assert closed == [], "they are being closed by others"
    may_end.set()
    tenants.close()
    assert sorted(closed) == sorted(["一", "二", *map(str, range(MOST_CLOSING))])


def test_where_many_are_being_closed_who_may_wait_closes_one_himself_and_the_end_waits_for_all(clock: Any) -> None:
    may_end, closed = threading.Event(), []
    before = set(threading.enumerate())

    @contextmanager
    def workspace(tenant: str) -> Iterator[Workspace]:
        yield workspace_of([], Sessions(clock))
        if threading.current_thread() not in before:
            may_end.wait()
        closed.append(tenant)

    tenants = Tenants(workspace, most=1)
    names = [f"{number}" for number in range(MOST_CLOSING + 3)]
    for name in names:
        with tenants.enter(name):
            pass
    assert closed == names[MOST_CLOSING:-1]
    may_end.set()
    tenants.close()
    assert sorted(closed) == sorted(names)
    assert set(threading.enumerate()) <= before, "whatever closes them has come to its end"


def test_a_place_that_another_is_opening_is_his_when_a_caller_who_must_not_wait_has_gone(clock: Any) -> None:
    building = Building(clock)

    @contextmanager
    def workspace(tenant: str) -> Iterator[Workspace]:
        with never_waiting(), pytest.raises(WouldWait):
            tenants.enter(tenant).__enter__()
        with building(tenant) as opened:
            yield opened

    tenants = Tenants(workspace, most=1)
    with tenants.enter("一"), tenants.enter("一"):
        assert len(tenants) == 1
    tenants.close()
    assert building.log == ["open 一", "close 一"]


def test_callers_who_come_at_once_open_a_place_once(clock: Any) -> None:
    building, together = Building(clock), threading.Barrier(8)
    tenants = Tenants(building, most=1)

    def enter() -> None:
        together.wait()
        with tenants.enter("一"):
            together.wait()

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tenants.close()
    assert building.log == ["open 一", "close 一"]


def test_a_store_that_cannot_be_opened_is_told_and_tried_again(clock: Any) -> None:
    building = Building(clock)
    dispatcher = Dispatcher([tool(None)], Tenants(building, most=1))
    building.broken = True
    assert "The store is damaged." in whose(dispatcher, "一")
    building.broken = False
    assert whose(dispatcher, "一") == "一"


def test_a_closed_store_is_freed_at_once_with_its_index(tmp_path: Path, clock: Any) -> None:
    """A server of many tenants opens and closes thousands of them; the garbage collector comes by now and then only."""
    gc.disable()
    try:
        memories = app.open_memories(tmp_path, clock=clock)
        memories.remember("京都で抹茶を飲んだ")
        memories.recall("抹茶")
        index, store = ref(memories._index), ref(memories.store)
        memories.close()
        del memories
        assert (index(), store()) == (None, None)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("allowed", "stores", "connections"),
    [(20, 1, 1), (64, 1, 30), (256, 5, 174), (1_024, 25, 750), (20_000, 499, 14_982)],
)
def test_of_the_files_that_a_process_does_not_need_itself_a_quarter_is_for_stores(
    allowed: int, stores: int, connections: int
) -> None:
    assert (file_limits.for_stores(allowed), file_limits.for_connections(allowed)) == (stores, connections)
    assert file_limits.for_stores(sys.maxsize) > 1_000_000


def test_where_few_files_may_be_opened_fewer_stores_stay_open(tmp_path: Path) -> None:
    asking = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
from omoide.cli.serving import stores_of_tenants
from omoide.config import load
from omoide.server.monitoring.metrics import Metrics
from omoide.server.calls.toolcall import ToolCall
from omoide.server.access.visitor import Visitor

with stores_of_tenants(load({"data": sys.argv[1]}, {}), Metrics()) as served:
    for number in range(50):
        call = ToolCall(Visitor("x", f"租户{number}"), "store_memory", {"text": "京都で抹茶を飲んだ"})
        assert not served.dispatcher.answer(call).is_error, number
"""
    ended = subprocess.run([sys.executable, "-c", asking, tmp_path], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "tenants_open is 100, but of the 96 files" in ended.stderr


def test_a_store_that_cannot_be_opened_closes_nobody_elses(clock: Any) -> None:
    building = Building(clock)
    tenants = Tenants(building, most=1)
    dispatcher = Dispatcher([tool(None)], tenants)
    assert whose(dispatcher, "一") == "一"
    building.broken = True
    assert "The store is damaged." in whose(dispatcher, "二")
    assert whose(dispatcher, "一") == "一"
    assert len(tenants) == 1


NAMES = [
    "alice",
    "a-1_b",
    "Alice",
    "山田",
    "../alice",
    "..",
    ".",
    "/etc",
    "alice/",
    "~x",
    "con",
    "a" * 65,
    "a\0",
    " ",
    "é",
]


def test_no_name_leads_out_of_the_folder_and_no_two_to_one_place(tmp_path: Path) -> None:
    folders = [tenant_folder(tmp_path, name) for name in NAMES]
    assert len({str(folder).casefold() for folder in folders}) == len(NAMES)
    assert {folder.resolve().parent for folder in folders} == {tmp_path.resolve() / "tenants"}


#: What a server does when it begins, in a process of its own: whether the Japanese dictionary has been read then.
SERVER_OF_TENANTS = "with stores_of_tenants(settings, Metrics()): wait()"
SERVER_THAT_IS_ASKED = "with one_store(settings, first_waiting=lambda: {!r}): wait()"


@pytest.mark.parametrize(
    ("serving", "read"),
    [
        (SERVER_OF_TENANTS, True),
        (SERVER_THAT_IS_ASKED.format(""), False),
        (SERVER_THAT_IS_ASKED.format("{'query': 'kyoto tea'}"), False),
        (SERVER_THAT_IS_ASKED.format("{'query': '京都の抹茶'}"), True),
    ],
)
def test_the_first_question_of_a_server_does_not_wait_for_dictionaries_or_the_grammar_of_dates(
    tmp_path: Path, serving: str, read: bool
) -> None:
    program = f"""
import sys, threading
from omoide.cli import dictionaries
from omoide.cli.serving import one_store, stores_of_tenants
from omoide.config import load
from omoide.server.monitoring.metrics import Metrics
dictionaries.GRAMMAR_AFTER_SECONDS = 0
settings = load({{"data": sys.argv[1]}}, {{}})
def wait():
    for thread in threading.enumerate():
        if thread.name == "omoide-dictionaries":
            thread.join()
{serving}
print("sudachipy" in sys.modules, "omoide.dates.mentions" in sys.modules)
import re
from datetime import datetime, timezone
from omoide.dates import find
compiled, compile = [], re.compile
re.compile = lambda *pattern: compiled.append(pattern) or compile(*pattern)
for text in ("先週の火曜に会った人", "上周二我见了谁", "who did I meet last Tuesday", "2024年5月", "May 5, 2024"):
    assert find(text, now=datetime.now(timezone.utc), zone=timezone.utc), text
print(len(compiled))
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    loaded, compiled = done.stdout.splitlines()
    assert loaded == f"{read} True"
    assert int(compiled) < 5, "of some forty patterns, a few that are for one of these texts alone"


ZH, JA, EN = "我们决定用SQLite保存记忆。", "昨日、京都で抹茶を飲んだ。", "We parked on level two."
#: (texts of a store, the setting of the language, the dictionaries that take long to read)
LANGUAGES = [
    ([ZH], None, ("Japanese",)),
    ([JA], None, ("Japanese",)),
    ([JA, *[EN] * 3], None, ("Japanese",)),
    ([JA, *[EN] * (dictionaries.NEWEST - 1)], None, ("Japanese",)),
    ([JA, *[EN] * dictionaries.NEWEST], None, ()),
    ([ZH], "zh", ()),
    ([JA], "ja", ("Japanese",)),
    ([EN], None, ()),
    ([], None, ()),
]


@pytest.mark.parametrize(("texts", "language", "needed"), LANGUAGES)
def test_a_server_of_one_client_needs_the_dictionaries_of_its_memories(
    tmp_path: Path, texts: list[str], language: str | None, needed: tuple[str, ...]
) -> None:
    settings = load({"data": str(tmp_path)} | ({"language": language} if language else {}), {})
    with app.opened(settings) as found:
        for text in texts:
            found.memories.remember(text)
        assert dictionaries.needed_by_one(settings, found.store) == needed


def test_a_memory_that_cannot_be_read_keeps_no_server_from_starting(tmp_path: Path) -> None:
    with app.open_memories(tmp_path) as memories:
        memories.remember("昨日、京都で抹茶を飲んだ。")
    with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as connection:
        connection.execute("UPDATE memories SET tags = '['")
    with one_store(load({"data": str(tmp_path)}, {})) as served:
        assert served.memories == 1


def test_a_store_of_a_tenant_that_cannot_be_opened_is_named_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "tenants" / "alice").mkdir(parents=True)
    (tmp_path / "tenants" / "alice" / STORE_FILE).write_bytes(b"no store" * 1_000)
    with stores_of_tenants(load({"data": str(tmp_path)}, {}), Metrics()) as served:
        for tenant, is_error in (("alice", True), ("鮑勃", False)):
            call = ToolCall(Visitor(tenant, tenant), "search_memory", {"query": "抹茶"})
            assert served.dispatcher.answer(call).is_error is is_error
            assert str(tmp_path) not in served.dispatcher.answer(call).text
    assert "the store of tenant 'alice':" in caplog.text
    assert str(tmp_path) in caplog.text
    assert "鮑勃" not in caplog.text


def test_stores_that_are_closed_while_they_are_measured_are_no_faults(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    metrics, over = Metrics(), threading.Event()

    def measure() -> None:
        while not over.is_set():
            metrics.read()

    with stores_of_tenants(load({"data": str(tmp_path), "tenants_open": "1"}, {}), metrics) as served:
        measuring = [threading.Thread(target=measure) for _ in range(2)]
        for each in measuring:
            each.start()
        for tenant in ("alice", "花子", "小红") * 40:
            assert not answer(served, Visitor("x", tenant), "search_memory", {"query": "抹茶"}).is_error
        over.set()
        for each in measuring:
            each.join()
    assert "closed" not in caplog.text


#: How what a token that may not write is told begins.
IN_JAPANESE, IN_CHINESE = "このトークンでは", "此令牌不能调用"


def answer(served: Served, visitor: Visitor, name: str, arguments: dict[str, Any]) -> Result:
    return served.dispatcher.answer(ToolCall(visitor, name, arguments))


def refused(served: Served, tenant: str, rights: Rights) -> str:
    """How what is said beside the refusal of a write begins; its text is in characters that Japanese and Chinese share."""
    note = answer(served, Visitor("x", tenant, rights), "store_memory", {"text": "富士山"}).note
    return next(begins for begins in (IN_JAPANESE, IN_CHINESE, "") if note.startswith(begins))


def test_a_refusal_follows_the_memories_of_a_tenant_only_where_they_are_open_and_may_be_read(tmp_path: Path) -> None:
    with app.open_memories(tenant_folder(tmp_path, "花子")) as memories:
        memories.remember("昨日、京都で抹茶を飲んだ。")
    with stores_of_tenants(load({"data": str(tmp_path)}, {}), Metrics()) as served:
        assert refused(served, "花子", "read") == IN_CHINESE
        assert refused(served, "花子", "read") == IN_CHINESE  # the first refusal has not opened the store
        assert not answer(served, Visitor("x", "花子", "read"), "search_memory", {"query": "抹茶"}).is_error
        assert refused(served, "花子", "read") == IN_JAPANESE
        assert refused(served, "花子", "metrics") == IN_CHINESE
        assert refused(served, "小红", "read") == IN_CHINESE
    assert not tenant_folder(tmp_path, "小红").exists()


def test_a_refusal_of_a_tenant_whose_store_was_closed_follows_the_setting_again(tmp_path: Path) -> None:
    for tenant in ("花子", "小红"):
        with app.open_memories(tenant_folder(tmp_path, tenant)) as memories:
            memories.remember("昨日、京都で抹茶を飲んだ。")
    with stores_of_tenants(load({"data": str(tmp_path), "tenants_open": "1"}, {}), Metrics()) as served:
        for tenant in ("花子", "小红"):
            answer(served, Visitor("x", tenant), "search_memory", {"query": "抹茶"})
        assert (refused(served, "花子", "read"), refused(served, "小红", "read")) == (IN_CHINESE, IN_JAPANESE)


ARCHETYPE = 'version: "1"\ntitle: 日記\ntools:\n  Journal: {}\n'


@pytest.mark.parametrize("then", ["tools: [", ARCHETYPE.replace("Journal", "Diary"), None])
def test_tools_of_a_file_stay_as_they_were_at_the_start(tmp_path: Path, then: str | None) -> None:
    archetype = tmp_path / "道具.yaml"
    archetype.write_text(ARCHETYPE, encoding="utf-8")
    settings = load({"data": str(tmp_path), "archetype": str(archetype)}, {})
    with stores_of_tenants(settings, Metrics()) as served:
        if then is None:
            archetype.unlink()
        else:
            archetype.write_text(then, encoding="utf-8")
        for tenant, text in (("alice", "green tea"), ("鮑勃", "龙井茶"), ("山田", "抹茶")):
            store = ToolCall(Visitor(tenant, tenant), "Journal", {"Title": text, "Content": text, "Context": "tea"})
            assert not served.dispatcher.answer(store).is_error


def test_a_session_goes_on_when_the_store_was_closed_in_between(tmp_path: Path) -> None:
    settings = load({"data": str(tmp_path), "tenants_open": "1"}, {})
    with stores_of_tenants(settings, Metrics()) as served:
        for tenant, text in (("alice", "抹茶"), ("鮑勃", "龙井茶"), ("alice", "ほうじ茶")):
            store = ToolCall(Visitor(tenant, tenant), "StoreMemory", {"Title": text, "Content": text, "Context": "tea"})
            assert not served.dispatcher.answer(store).is_error
    sessions = {}
    for tenant in ("alice", "鮑勃"):
        with app.open_memories(tenant_folder(tmp_path, tenant)) as memories:
            sessions[tenant] = [hit.memory.session_id for hit in memories.recall("").hits]
    assert len(sessions["alice"]) == 2
    assert len({*sessions["alice"]}) == 1
    assert {*sessions["alice"]}.isdisjoint(sessions["鮑勃"])


ONE_OF_EACH_FAMILY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_memory", {"query": "抹茶"}),
    ("SearchMemory", {"query": "抹茶"}),
    ("query_memory", {"mode": "search", "query": "龙井茶"}),
    ("chronica_search", {"query": "抹茶"}),
    ("search_memory_graph", {"query": "green tea"}),
    ("store_memory", {"text": "京都で抹茶を飲んだ"}),
    ("StoreMemory", {"Title": "茶", "Content": "我们在北京喝茶", "Context": "旅"}),
    ("remember_fact", {"entityName": "茶", "entityType": "concept", "observation": "green"}),
    ("chronica_create_thread", {"thread_name": "茶"}),
    ("upsert_memory_node", {"type": "concept", "label": "茶", "content": "green tea"}),
)


def _served_to_one(settings: Settings) -> AbstractContextManager[Served]:
    return one_store(settings)


def _served_over_http(settings: Settings) -> AbstractContextManager[Served]:
    return one_store(settings, Metrics())


def _served_to_tenants(settings: Settings) -> AbstractContextManager[Served]:
    return stores_of_tenants(settings, Metrics())


@pytest.mark.parametrize(
    ("serve", "tells_where"), [(_served_to_one, True), (_served_over_http, False), (_served_to_tenants, False)]
)
def test_where_the_files_are_is_told_over_stdio_and_only_logged_over_http(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    serve: Callable[[Settings], AbstractContextManager[Served]],
    tells_where: bool,
) -> None:
    settings = load({"data": str(tmp_path / "思い出"), "tools": "all"}, {})
    with serve(settings) as served:
        visitor = Visitor("アリス", "alice" if serve is _served_to_tenants else "")
        first = served.dispatcher.answer(ToolCall(visitor, "store_memory", {"text": "抹茶は七番の棚"}))
        assert not first.is_error
        shutil.rmtree(settings.data)
        for name, arguments in ONE_OF_EACH_FAMILY:
            caplog.clear()
            told = served.dispatcher.answer(ToolCall(visitor, name, arguments))
            assert told.is_error, name
            assert (str(tmp_path) in f"{told.text} {told.structured}") is tells_where, name
            # A thread that prepares the index may log what it met beside this.
            logged = [record.getMessage() for record in caplog.records if record.name == public_errors.__name__]
            assert (str(tmp_path) in "".join(logged)) is not tells_where, name


FAULTS: tuple[tuple[OmoideError, type[StoreError]], ...] = (
    (StoreFull("/srv/a"), StoreFull),
    (StoreReadOnly("/srv/a"), StoreReadOnly),
    (StoreTooNew("/srv/a"), StoreTooNew),
    (StoreBusy("/srv/a"), StoreBusy),
    (StoreError("/srv/a", hint="/srv/a"), StoreError),
    (Conflict("/srv/a", hint="/srv/a"), StoreError),
)


def test_a_fault_of_the_store_is_told_by_its_kind_without_a_path() -> None:
    told = [public_errors.redacted(fault) for fault, _ in FAULTS]
    assert [type(each) for each in told] == [kind for _, kind in FAULTS]
    assert len({each.message for each in told}) == len(FAULTS)
    assert not any("/srv" in str(each) for each in told)


async def test_nobody_is_asked_about_or_told_what_his_token_does_not_allow(tmp_path: Path) -> None:
    with stores_of_tenants(load({"data": str(tmp_path)}, {}), Metrics()) as served:
        fact = {"entityName": "小红", "entityType": "person", "observation": "喜欢抹茶"}
        assert not answer(served, Visitor("x", "花子"), "remember_fact", fact).is_error
        asked = [
            await served.dispatcher.question(
                ToolCall(Visitor("x", "花子", rights), "forget_entity", {"entityName": "小红"})
            )
            for rights in RIGHTS
        ]
        read = [answer(served, Visitor("x", "花子", rights), "query_memory", {"mode": "list"}) for rights in RIGHTS]
    assert [each is not None for each in asked] == [True, True, False, False, False]
    assert [each.is_error for each in read] == [False, False, False, True, True]


async def test_nobody_is_asked_while_the_store_cannot_be_opened_and_the_call_says_so(clock: Any) -> None:
    building = Building(clock)
    building.broken = True
    asking = replace(tool(None), read_only=False, asks=lambda arguments: "全部删除？")
    dispatcher, call = Dispatcher([asking], Tenants(building, most=1)), ToolCall(Visitor("x", "一"), "whose", {})
    assert await asyncio.wait_for(dispatcher.question(call), 20.0) is None
    assert "The store is damaged." in dispatcher.answer(call).text


#: What tokens allow, most first.
RIGHTS: list[Rights | None] = ["all", "write", "read", "metrics", None]


# --- one embedder for all


def test_tenants_share_one_embedder_which_stays_open_when_one_is_closed(tmp_path: Path) -> None:
    toys.static(tmp_path / "models" / "表")
    settings = load({"data": str(tmp_path), "embedder": "static:表", "tenants_open": "1"}, {})
    with stores_of_tenants(settings, Metrics()) as served:
        for tenant in ("alice", "鮑勃", "alice"):
            ask = partial(ToolCall, Visitor(tenant, tenant))
            assert not served.dispatcher.answer(ask("store_memory", {"text": "京都で抹茶を飲む"})).is_error
            told = served.dispatcher.answer(ask("search_memory", {"query": "kyoto matcha"}))
            assert "missing" not in told.text, told.text
    assert not [*tmp_path.glob("tenants/*/models"), *tmp_path.glob("tenants/*/vectors")]


def test_every_store_of_a_folder_finds_its_models(tmp_path: Path) -> None:
    settings = load({"data": str(tmp_path)}, {})
    assert app.tenant_settings(settings, "鮑勃").models == tmp_path / "models"
    named = load({"data": str(tmp_path), "models": "/srv/models"}, {})
    assert app.tenant_settings(named, "鮑勃").models == Path("/srv/models")


# --- over HTTP


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server's URL and folder, which has its file of tokens."""
    folder = tmp_path_factory.mktemp("served")
    main(["token", str(folder / TOKENS), "nobody"])
    process, url = begun(folder, "--tokens", str(folder / TOKENS), "--tenants-open", "1")
    yield url, folder
    process.terminate()
    assert process.wait(20) == 0


@pytest.fixture
def url(served: tuple[str, Path]) -> str:
    return served[0]


@pytest.fixture
def tokens(served: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Tokens of two tenants that no other test has, one that only reads and one for metrics."""
    made = {}
    for name, tenant, rights in (
        ("alice", "alice", "write"),
        ("bob", "鮑勃", "write"),
        ("reader", "alice", "read"),
        ("monitor", "monitor", "metrics"),
    ):
        named = ["--name", f"{name}-{tmp_path.name}", "--rights", rights]
        main(["token", str(served[1] / TOKENS), f"{tenant}-{tmp_path.name}", *named])
        made[name] = capsys.readouterr().out.strip()
    return made


@asynccontextmanager
async def bearing(url: str, token: str, era: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http_client,
        Client(streamable_http_client(url, http_client=http_client), mode=era) as client,
    ):
        yield client


async def call(url: str, token: str, name: str, **arguments: Any) -> Any:
    async with bearing(url, token) as client:
        return await client.call_tool(name, arguments)


SECRETS = {"alice": "アリスの秘密の抹茶は七番の棚", "bob": "鮑勃的秘密龙井茶在八号柜子"}
MARKS = {"alice": "七番の棚", "bob": "八号柜子"}
QUERIES = ("秘密", "アリスの秘密の抹茶", "鮑勃的秘密龙井茶", "")
SEARCHES = ("search_memory", "query_memory", "SearchMemory", "search_memory_graph", "chronica_search")


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_tenant_finds_its_own_memories_and_no_others(
    served: tuple[str, Path], tokens: dict[str, str], tmp_path: Path, era: str
) -> None:
    url, folder = served
    before = {*folder.glob(f"tenants/*/{STORE_FILE}")}
    async with bearing(url, tokens["alice"], era) as alice, bearing(url, tokens["bob"], era) as bob:
        clients = {"alice": alice, "bob": bob}
        for name, text in SECRETS.items():
            assert not (await clients[name].call_tool("store_memory", {"text": text})).is_error
        for query, search, (name, client) in product(QUERIES, SEARCHES, clients.items()):
            more = {"mode": "search"} if search == "query_memory" else {}
            told = str(await client.call_tool(search, {"query": query, **more}))
            assert not any(mark in told for other, mark in MARKS.items() if other != name), (search, query)
        for name, mark in MARKS.items():
            assert mark in str(await clients[name].call_tool("search_memory", {"query": "秘密"}))
    stores = {*folder.glob(f"tenants/*/{STORE_FILE}")} - before
    assert len(stores) == 2
    assert tenant_folder(folder, f"alice-{tmp_path.name}") / STORE_FILE in stores
    assert not (folder / STORE_FILE).exists()


async def test_a_reader_reads_and_a_monitor_measures(url: str, tokens: dict[str, str]) -> None:
    await call(url, tokens["alice"], "store_memory", text=SECRETS["alice"])
    assert SECRETS["alice"] in str(await call(url, tokens["reader"], "search_memory", query="抹茶"))
    refused = await call(url, tokens["reader"], "store_memory", text="x")
    assert refused.is_error
    assert "not_allowed" in str(refused)
    root = url.removesuffix("/mcp")
    for name, tools, metrics in (("alice", 200, 403), ("monitor", 403, 200)):
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        assert httpx2.get(f"{root}/metrics", headers=headers).status_code == metrics
        assert (httpx2.post(url, headers=headers).status_code == 403) is (tools == 403)


@pytest.mark.parametrize(("trigger", "action"), [("深海魚", "魚を買う"), ("税金", "申报"), ("passport", "renew it")])
async def test_a_reader_takes_no_reminder_from_whoever_writes(
    url: str, tokens: dict[str, str], trigger: str, action: str
) -> None:
    await call(url, tokens["alice"], "set_reminder", trigger=trigger, action=action)
    for _ in range(2):
        assert action not in str(await call(url, tokens["reader"], "search_memory", query=trigger))
    assert action in str(await call(url, tokens["alice"], "search_memory", query=trigger))


async def test_a_session_belongs_to_whoever_began_it(url: str, tokens: dict[str, str]) -> None:
    handshake = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    json_only = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=json_only) as client:

        def bearer(name: str) -> dict[str, str]:
            return {"Authorization": f"Bearer {tokens[name]}"}

        begun = await client.post(url, json=handshake, headers=bearer("alice"))
        session = {"Mcp-Session-Id": begun.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
        for name, found in (("alice", True), ("bob", False), ("reader", False)):
            for request in (listing, {**handshake, "id": 3}):
                answer = await client.post(url, json=request, headers={**bearer(name), **session})
                assert (answer.status_code == 200) is found, (name, answer.text)
