"""The index follows the store: every committed change is found, whatever happened to the index in between."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from datetime import timezone
from functools import partialmethod
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.app import open_memories, utc_now
from omoide.engine import Index
from omoide.engine.documents import QUICK_CHARS, read_batch
from omoide.engine.generation import ADOPT_AFTER, CURRENT_FILE, QUICK_CHANGES, SNAPSHOT_AFTER, UNSAVED_SHARE, Generation
from omoide.engine.index import FEW_CHANGES
from omoide.engine.keys import row_number
from omoide.memory import Memories
from omoide.model.condition import Equals
from omoide.model.entity import EntityDraft
from omoide.model.memory import Draft, Memory
from omoide.model.query import Query
from omoide.model.relation import Ref, RelationDraft
from omoide.store.protocol import Standing
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer
from omoide.turns import WouldWait, never_waiting

TEXTS = [
    "昨日、京都で抹茶を飲んだ。",
    "我昨天在京都喝了抹茶。",
    "Yesterday I drank matcha in Kyoto.",
    "서울에서 녹차를 마셨다.",
]
QUERIES = ["抹茶", "京都", "matcha in Kyoto", "서울", "昨日"]


class CountingAnalyzer(Analyzer):
    """Counts the documents it is asked to analyse."""

    documents = 0

    def document(self, text: str, lang: str | None = None) -> Any:
        self.documents += 1
        return super().document(text, lang)


class FailingAnalyzer(Analyzer):
    """Fails in every document, as a library may."""

    def document(self, text: str, lang: str | None = None) -> Any:
        raise ValueError("substring not found")


def answers(memories: Memories) -> list[list[tuple[str, float]]]:
    found = [memories.recall(Query(text=text)).hits for text in QUERIES]
    return [[(hit.memory.id, round(hit.score, 9)) for hit in hits] for hits in found]


def snapshot_files(data: Path) -> list[Path]:
    return sorted(path for path in (data / "index").rglob("*") if path.is_file())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_memories(tmp_path) as memories:
        memories.remember_many([Draft(id=f"m{n}", text=text) for n, text in enumerate(TEXTS)])
        memories.recall("抹茶")
    assert snapshot_files(tmp_path)
    return tmp_path


def test_a_snapshot_spares_the_analysis_of_old_memories(data: Path) -> None:
    analyzer = CountingAnalyzer()
    store = SqliteStore(data / "omoide.sqlite3")
    Index(store, analyzer, data / "index").catch_up()
    store.close()
    assert analyzer.documents == 0


LOST = {
    "missing": lambda file: file.unlink(),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST.keys())
@pytest.mark.parametrize("name", ["data", "manifest", CURRENT_FILE])
def test_a_snapshot_that_lacks_a_file_is_made_anew(data: Path, name: str, lose: Callable[[Path], object]) -> None:
    [file] = (data / "index").rglob(name)
    lose(file)
    with open_memories(data) as memories:
        assert [bool(memories.recall(text).hits) for text in QUERIES] == [True] * len(QUERIES)


TAKE_LONG: dict[str, Callable[[Memories], object]] = {
    "many": lambda memories: memories.remember_many([f"鍵は箱の中 {number}" for number in range(QUICK_CHANGES + 1)]),
    "long, Japanese": lambda memories: memories.remember("鍵は箱の中。" * QUICK_CHARS),
    "long, Chinese": lambda memories: memories.remember("钥匙在盒子里。" * QUICK_CHARS),
    "long, English": lambda memories: memories.remember("The key is in the box. " * QUICK_CHARS),
    "a name that older memories may have": lambda memories: memories.remember("二階にある", title="抹茶"),
    "an entity": lambda memories: _put_entity(memories, "鍵"),
}


def _put_entity(memories: Memories, name: str) -> None:
    with memories.write() as writer:
        writer.put_entity(EntityDraft(id=name, entity_class="entity", name=name, type="thing"), now=utc_now())


@pytest.mark.parametrize("write", TAKE_LONG.values(), ids=TAKE_LONG.keys())
def test_a_thread_that_must_not_wait_applies_little_and_leaves_the_rest_to_others(
    memories: Memories, write: Callable[[Memories], object]
) -> None:
    memories.recall("抹茶")
    for text in TEXTS:
        memories.remember(text)
        with never_waiting():
            assert memories.recall(text).hits[0].memory.text == text
    write(memories)
    with pytest.raises(WouldWait), never_waiting():
        memories.recall("抹茶")
    found = memories.recall("鍵は箱の中 钥匙在盒子里 The key is in the box")
    assert found.as_of == memories.store.last_seq()


@pytest.mark.parametrize("tear", ["nothing", "flip"])
def test_a_snapshot_by_another_process_spares_the_analysis_of_what_it_imported(data: Path, tear: str) -> None:
    analyzer = CountingAnalyzer()
    with closing(SqliteStore(data / "omoide.sqlite3")) as store:
        index = Index(store, analyzer, data / "index")
        memories = Memories(store, index, clock=utc_now, zone=timezone.utc)
        memories.remember("茶室は二階")
        index.catch_up()
        with open_memories(data) as other:
            other.remember_many([f"{text} {number}" for number in range(ADOPT_AFTER) for text in TEXTS])
            other.recall("抹茶")
        other_snapshot = max(snapshot_files(data), key=lambda path: path.stat().st_size)
        if tear != "nothing":
            _tear(other_snapshot, tear)
        analyzer.documents = 0
        with open_memories(data) as rebuilt:
            memories.remember("喝茶室在二楼")
            assert answers(memories) == answers(rebuilt)
        assert (analyzer.documents == 1) == (tear == "nothing")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Tells which snapshot is the current one, of a store that may leave two changes to the next process."""
    with open_memories(tmp_path) as memories:
        drafts = [Draft(id=f"{n}-{text}", text=f"{text} {n}") for n in range(UNSAVED_SHARE // 2) for text in TEXTS]
        memories.remember_many(drafts)
        memories.recall("抹茶")
    [saved] = (tmp_path / "index").rglob(CURRENT_FILE)
    return saved


def test_at_the_end_a_few_new_memories_are_left_to_the_next_process(tmp_path: Path, saved: Path) -> None:
    """A snapshot takes as long as the store is large: 12 s of a million memories, after each session that stored one."""
    first = saved.read_text()
    for news in ("秘密の抹茶", "秘密的抹茶", "secret matcha"):
        assert saved.read_text() == first
        with open_memories(tmp_path) as memories:
            memories.remember(news)
            assert memories.recall(news).hits[0].memory.text == news
    assert saved.read_text() != first
    with open_memories(tmp_path) as memories:
        assert {hit.memory.text for hit in memories.recall("秘密 secret", limit=3).hits} == {
            "秘密の抹茶",
            "秘密的抹茶",
            "secret matcha",
        }


@pytest.mark.parametrize("name", ["抹茶", "部署流程", "deploy"])
def test_looking_up_a_name_reads_no_older_memory_that_may_mention_a_new_one(memories: Memories, name: str) -> None:
    memories.remember(f"昨日の {name} 了吗？ once more")
    memories.recall(name)
    memories.upsert_node("concept", name, "新")
    assert memories.entity(f"unknown {name}") is None
    assert _to_be_read_again(memories) == 1
    memories.recall(name)
    assert _to_be_read_again(memories) == 0


def _to_be_read_again(memories: Memories) -> int:
    return memories._index.state().stats.waiting


def test_at_the_end_a_new_node_and_its_relation_are_left_to_the_next_process(tmp_path: Path, saved: Path) -> None:
    with open_memories(tmp_path) as memories:
        drafts = [Draft(id=f"more {n}", text=f"更多 {n}") for n in range(3 * UNSAVED_SHARE)]
        memories.remember_many(drafts)
        known = memories.upsert_node("concept", "京都", "古都")
        memories.recall("抹茶")
    first = saved.read_text()
    with open_memories(tmp_path) as memories:
        node = memories.upsert_node("concept", "抹茶", "お茶")
        memories.relate(Ref("entity", node.id), Ref("entity", known.id), "comes from")
        memories.recall("抹茶")
    assert saved.read_text() == first
    with open_memories(tmp_path) as memories:
        [relation] = memories.relations_of(Ref("entity", node.id))
        memories.prune(faded=lambda each: each.id == relation.id, idle_since=memories.clock())
        memories.recall("抹茶")
    assert saved.read_text() != first


CHANGED = {
    "forgotten": lambda memories: memories.forget("0-" + TEXTS[0]),
    "written anew": lambda memories: memories.remember("秘密", id="0-" + TEXTS[0]),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_at_the_end_no_words_stay_on_the_disk_that_were_removed(
    tmp_path: Path, saved: Path, change: Callable[[Memories], object]
) -> None:
    first = saved.read_text()
    with open_memories(tmp_path) as memories:
        change(memories)
        memories.recall("抹茶")
    assert saved.read_text() != first


def test_without_its_index_a_store_answers_the_same(data: Path) -> None:
    with open_memories(data) as memories:
        before = answers(memories)
    shutil.rmtree(data / "index")
    with open_memories(data) as memories:
        assert answers(memories) == before


@pytest.mark.parametrize(
    ("most_chars", "seq", "read"),
    [
        (1, 4, [1]),
        (230, 4, [1]),
        (231, 5, [1, 3]),
        (291, 6, [1, 3, 4]),
        (590, 6, [1, 3, 4]),
        (591, 7, [1, 3, 4, 5]),
    ],
)
def test_a_batch_reads_one_memory_and_more_while_there_is_room_for_their_characters(
    memories: Memories, most_chars: int, seq: int, read: list[int]
) -> None:
    memories.remember_many([Draft(id=text, text=text * 100) for text in "茶会x"])
    memories.forget("会")
    memories.revise("x", context="在京都" * 10)
    memories.remember_many([Draft(text="日" * 60), Draft(text="月" * 300)])
    with memories.store.read() as reader:
        batch = read_batch(reader, reader.changes_since(0, 10), Analyzer(), most_chars)
    assert (batch.seq, [row_number(each.key) for each in batch.documents]) == (seq, read)
    assert [row_number(key) for key in batch.removed] == [2]


@pytest.mark.parametrize("tear", ["truncate", "flip", "empty", "remove"])
def test_a_torn_snapshot_is_rebuilt_not_read(data: Path, tear: str) -> None:
    with open_memories(data) as memories:
        before = answers(memories)
    for path in snapshot_files(data):
        _tear(path, tear)
    with open_memories(data) as memories:
        assert answers(memories) == before


def _tear(path: Path, how: str) -> None:
    content = path.read_bytes() or b"\0"
    middle = len(content) // 2
    if how == "remove":
        path.unlink()
        return
    torn = {
        "truncate": content[:middle],
        "empty": b"",
        "flip": content[:middle] + bytes([content[middle] ^ 0x40]) + content[middle + 1 :],
    }
    path.write_bytes(torn[how])


@pytest.fixture
def closed_folder(tmp_path: Path) -> Iterator[Path]:
    """One that this process may not enter, even where it is root's."""
    closed, user = tmp_path / "閉", os.geteuid()
    closed.mkdir(mode=0)
    yield closed
    os.seteuid(user)
    closed.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights are other ones")
def test_an_index_that_belongs_to_another_user_is_done_without(closed_folder: Path) -> None:
    with SqliteStore(":memory:") as store:
        at = {"clock": utc_now, "zone": timezone.utc}
        memories = Memories(store, Index(store, Analyzer()), **at)
        memories.remember_many([Draft(id=text, text=text) for text in TEXTS])
        expected = answers(memories)
        if os.geteuid() == 0:
            os.seteuid(65534)
        index = Index(store, Analyzer(), folder=closed_folder)
        assert answers(Memories(store, index, **at)) == expected
        assert "Permission denied" in index.state().refused
        index.close()


def test_a_store_restored_from_a_backup_is_followed_back(data: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    backup = tmp_path_factory.mktemp("backup") / "omoide.sqlite3"
    shutil.copy(data / "omoide.sqlite3", backup)
    with open_memories(data) as memories:
        memories.remember("あとから来た抹茶の記憶", id="later")
        assert "later" in {hit.memory.id for hit in memories.recall("抹茶").hits}
    for leftover in data.glob("omoide.sqlite3*"):
        leftover.unlink()
    shutil.copy(backup, data / "omoide.sqlite3")
    with open_memories(data) as memories:
        assert {hit.memory.id for hit in memories.recall("抹茶").hits} == {"m0", "m1", "m2"}


def test_two_openers_of_one_store_see_each_others_writes(tmp_path: Path) -> None:
    with open_memories(tmp_path) as first, open_memories(tmp_path) as second:
        for writer, reader, text in [(first, second, TEXTS[0]), (second, first, TEXTS[1]), (first, second, TEXTS[2])]:
            stored = writer.remember(text).memory
            assert reader.recall(text).hits[0].memory == stored


def test_a_preceding_memory_may_come_later(tmp_path: Path) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember("二番目", id="b", preceding_id="a")
        memories.recall("番目")
        memories.remember("一番目", id="a")
        grown = memories.stats()["index"]["edges"]
    shutil.rmtree(tmp_path / "index")
    with open_memories(tmp_path) as memories:
        assert memories.stats()["index"]["edges"] == grown == 1


def test_a_preceding_memory_that_is_forgotten_leaves_no_edge(tmp_path: Path) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember("一番目", id="a")
        memories.remember("二番目", id="b", preceding_id="a")
        assert memories.stats()["index"]["edges"] == 1
        memories.forget("a")
        left = memories.stats()["index"]["edges"]
    shutil.rmtree(tmp_path / "index")
    with open_memories(tmp_path) as memories:
        assert memories.stats()["index"]["edges"] == left == 0


def test_a_node_whose_content_is_forgotten_and_written_anew_keeps_its_edges(tmp_path: Path) -> None:
    def reached(memories: Memories) -> list[str]:
        found = memories.neighbours(Ref("entity", node.id), depth=1)
        return [each.node.text for each in found if isinstance(each.node, Memory)]

    with open_memories(tmp_path) as memories:
        node = memories.upsert_node("concept", "京都", "千年的古都")
        memories.relate(Ref("entity", node.id), Ref("memory", memories.remember("抹茶").memory.id), "has")
        assert node.memory_id is not None
        memories.forget(node.memory_id)
        assert reached(memories) == ["抹茶"]
        memories.upsert_node("concept", "京都", "前の都")
        assert reached(memories) == ["抹茶"]
    shutil.rmtree(tmp_path / "index")
    with open_memories(tmp_path) as memories:
        assert reached(memories) == ["抹茶"]


@pytest.mark.parametrize(("label", "fact"), [("3", "三番目の関門"), ("a", "第一个例子"), ("x", "the unknown")])
def test_what_is_about_a_node_is_linked_to_it_whether_it_has_content_or_not(
    tmp_path: Path, label: str, fact: str
) -> None:
    def reached(memories: Memories) -> list[tuple[str, str]]:
        found = memories.neighbours(Ref("entity", node.id), depth=1)
        return [(each.node.text, each.path[0].relation) for each in found if isinstance(each.node, Memory)]

    with open_memories(tmp_path) as memories:
        node = memories.upsert_node("concept", label, "内容")
        assert node.memory_id is not None
        memories.observe(label, "concept", fact, entity_class="node")
        assert reached(memories) == [(fact, "about")]
        memories.forget(node.memory_id)
        assert reached(memories) == [(fact, "about")]
        content = memories.upsert_node("concept", label, "新しい内容").memory_id
        assert reached(memories) == [(fact, "about")]
    shutil.rmtree(tmp_path / "index")
    with open_memories(tmp_path) as memories:
        assert reached(memories) == [(fact, "about")]
        (back,) = memories.neighbours(Ref("memory", memories.recall(fact).hits[0].memory.id), depth=1)
        assert isinstance(back.node, Memory)
        assert back.node.id == content


def test_the_content_of_a_node_may_come_after_the_relations_of_the_node(tmp_path: Path) -> None:
    def reached(memories: Memories) -> list[str]:
        found = memories.neighbours(Ref("entity", "n"), depth=1)
        return [each.node.text for each in found if isinstance(each.node, Memory)]

    with open_memories(tmp_path) as memories:
        memories.remember("抹茶", id="t")
        with memories.write() as writer:  # as an import of rows in an order of their own does
            node = EntityDraft(id="n", entity_class="node", name="京都", type="concept", memory_id="c")
            writer.put_entity(node, now=utc_now())
            edge = RelationDraft(id="r", source=Ref("entity", "n"), target=Ref("memory", "t"), type="has")
            writer.put_relation(edge, now=utc_now())
        assert reached(memories) == ["抹茶"]
        memories.remember("千年的古都", id="c")
        assert reached(memories) == ["抹茶"]
    shutil.rmtree(tmp_path / "index")
    with open_memories(tmp_path) as memories:
        assert reached(memories) == ["抹茶"]


ids = st.sampled_from(["a", "b", "c", "d"])
steps = st.one_of(
    st.tuples(st.just("remember"), ids, st.sampled_from(TEXTS)),
    st.tuples(st.just("forget"), ids, st.none()),
    st.tuples(st.just("recall"), ids, st.none()),
    st.tuples(st.just("restart"), ids, st.none()),
)


@settings(max_examples=30)
@given(st.lists(steps, max_size=12))
def test_any_history_leaves_the_index_as_a_rebuild_would(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, str, str | None]]
) -> None:
    data = tmp_path_factory.mktemp("history")
    expected: dict[str, str] = {}
    memories = open_memories(data)
    for step, id, text in history:
        if step == "remember" and text is not None:
            memories.remember(text, id=id, session_id="会話", sequence_order="dbca".index(id))
            expected[id] = text
        elif step == "forget" and expected.pop(id, None):
            memories.forget(id)
        elif step == "recall":
            memories.recall("抹茶")
        elif step == "restart":
            memories.close()
            memories = open_memories(data)
    grown = answers(memories)
    assert {hit.memory.id: hit.memory.text for hit in memories.recall(Query(limit=100)).hits} == expected
    memories.close()
    shutil.rmtree(data / "index", ignore_errors=True)
    with open_memories(data) as rebuilt:
        assert answers(rebuilt) == grown


def test_threads_write_and_search_side_by_side(tmp_path: Path) -> None:
    def work(memories: Memories, worker: int) -> list[str]:
        missed = []
        for number in range(25):
            stored = memories.remember(f"{TEXTS[worker % len(TEXTS)]} {worker}番 {number}号").memory
            where = Equals("id", stored.id)
            if not memories.recall(Query(text=f"{worker}番 {number}号", where=where)).hits:
                missed.append(stored.id)
        return missed

    with open_memories(tmp_path) as memories, ThreadPoolExecutor(8) as threads:
        assert not any(threads.map(work, [memories] * 8, range(8)))
        assert memories.stats()["index"]["documents"] == 8 * 25


def test_another_process_is_followed_while_it_writes(tmp_path: Path) -> None:
    program = (
        "import sys, omoide\n"
        "with omoide.open(sys.argv[1]) as memories:\n"
        "    for number in range(20):\n"
        "        memories.remember(f'他の記憶 {number}', id=f'other-{number}')\n"
        "        print(number, flush=True)\n"
    )
    with open_memories(tmp_path) as memories:
        memories.remember("ここの記憶", id="here")
        writer = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        for line in writer.stdout:
            found = {hit.memory.id for hit in memories.recall(Query(limit=100)).hits}
            assert {f"other-{number}" for number in range(int(line) + 1)} <= found
        assert writer.wait() == 0
        assert len(memories.recall(Query(limit=100)).hits) == 21


class Announced(SqliteStore):
    """Tells when somebody has looked how far its changes have come."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.looks = threading.Semaphore(0)

    def standing(self) -> Standing:
        standing = super().standing()
        self.looks.release()
        return standing


def test_who_waits_for_another_that_follows_need_not_apply_what_is_written_meanwhile(tmp_path: Path) -> None:
    store = Announced(tmp_path / "omoide.sqlite3")
    index, waiting, steps = Index(store, Analyzer()), list[threading.Thread](), list[int]()
    with open_memories(tmp_path) as writer:

        def others_come(done: int, of: int) -> None:
            assert store.looks.acquire(timeout=20), "that of the first"
            writer.remember(TEXTS[1])
            waiting.extend(threading.Thread(target=index.catch_up, args=(one_more,)) for _ in range(3))
            for each in waiting:
                each.start()
                assert store.looks.acquire(timeout=20)

        def one_more(done: int, of: int) -> None:
            steps.append(done)
            writer.remember(f"{TEXTS[2]} {len(steps)}")

        writer.remember(TEXTS[0])
        index.catch_up(others_come)
        for each in waiting:
            each.join(20)
        assert (steps, index.state().newest - index.state().applied) == ([1], 1)
    store.close()


def test_who_waits_for_another_that_applies_the_same_reads_nothing_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, analyzer = Announced(tmp_path / "omoide.sqlite3"), Analyzer()
    index, waiting, readers = Index(store, analyzer), list[threading.Thread](), set[threading.Thread]()
    read, document = store.read, analyzer.document

    def noted() -> Any:
        readers.add(threading.current_thread())
        return read()

    def others_come(*text: Any) -> Any:
        assert store.looks.acquire(timeout=20), "that of the first"
        waiting.extend(threading.Thread(target=index.follow_in_time) for _ in range(3))
        for each in waiting:
            each.start()
            assert store.looks.acquire(timeout=20)
        return document(*text)

    with open_memories(tmp_path) as writer:
        writer.remember(TEXTS[0])
    monkeypatch.setattr(store, "read", noted)
    monkeypatch.setattr(analyzer, "document", others_come)
    index.follow_in_time()
    for each in waiting:
        each.join(20)
    assert (len(waiting), readers) == (3, {threading.current_thread()})
    store.close()


#: What has to see all changes, and is waited for.
READERS: dict[str, Callable[[Memories, Memory], object]] = {
    "recall": lambda memories, _: memories.recall("抹茶"),
    "alike": lambda memories, _: memories.alike("喝了抹茶", limit=1, at_least=0.1),
    "neighbours": lambda memories, first: memories.neighbours(Ref("memory", first.id), depth=1),
    "entity": lambda memories, _: memories.entity("抹茶"),
}


class Slow(Analyzer):
    """Analyses no document until it may."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def document(self, text: str, lang: str | None = None) -> Any:
        self.begun.set()
        assert self.may_go_on.wait(20)
        return super().document(text, lang)


def test_one_of_those_that_wait_applies_what_all_of_them_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyzer, follow, followed_to = Slow(), Generation.follow, list[int]()

    def noted(self: Generation, store: Any, newest: int, *more: Any) -> None:
        followed_to.append(newest)
        follow(self, store, newest, *more)

    monkeypatch.setattr(Generation, "follow", noted)
    monkeypatch.setattr(Generation, "step", partialmethod(Generation.step, batch_size=1))
    with closing(Announced(tmp_path / "omoide.sqlite3")) as store, ThreadPoolExecutor(len(TEXTS)) as threads:
        index, followers = Index(store, analyzer), list[Future[None]]()
        with open_memories(tmp_path) as writer:
            for text in TEXTS:
                writer.remember(text)
                followers.append(threads.submit(index.catch_up))
                assert store.looks.acquire(timeout=20)
                assert analyzer.begun.wait(20)
        for _ in range(20_000):
            if len(index._awaited) == len(TEXTS):
                break
            sleep(0.001)
        analyzer.may_go_on.set()
        for each in followers:
            each.result(20)
        assert index.state().applied == index.state().newest
    first, rest = followed_to
    assert first < rest, "one after the other would apply a text each"


@pytest.mark.parametrize("read", [*READERS, "follow"])
@pytest.mark.parametrize(
    ("patience", "changes"), [(20.0, FEW_CHANGES + 1), (20.0, FEW_CHANGES), (0.05, FEW_CHANGES + 1)]
)
def test_a_write_does_not_overtake_whoever_has_to_apply_the_changes_before_it_unless_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str, patience: float, changes: int
) -> None:
    monkeypatch.setattr("omoide.engine.index.WRITER_PATIENCE_SECONDS", patience)
    analyzer = Slow()
    with closing(SqliteStore(tmp_path / "omoide.sqlite3")) as store, ThreadPoolExecutor(2) as threads:
        index = Index(store, analyzer)
        memories = Memories(store, index, clock=utc_now, zone=timezone.utc)
        remembered = memories.remember_many([TEXTS[0]] * changes)[0].memory
        reading = (
            threads.submit(READERS[read], memories, remembered) if read in READERS else threads.submit(index.catch_up)
        )
        assert analyzer.begun.wait(20)
        written = threads.submit(memories.remember, TEXTS[1])
        # Nobody waits for what is applied in the background, or takes no time.
        waits = read in READERS and patience > 1 and changes > FEW_CHANGES
        assert (wait([written], 0.3 if waits else 20).not_done == {written}) == waits
        analyzer.may_go_on.set()
        reading.result(20)
        written.result(20)
        assert len(memories.recall("抹茶", limit=100, diverse=False).hits) == changes + 1


@pytest.mark.parametrize(("seconds", "waits"), [(20.0, True), (0.0, False)])
def test_beside_a_search_that_has_much_to_apply_writers_go_on_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, waits: bool
) -> None:
    monkeypatch.setattr("omoide.engine.index.RIGHT_OF_WAY_SECONDS", seconds)
    monkeypatch.setattr(Generation, "step", partialmethod(Generation.step, batch_size=1))
    analyzer, free = Slow(), list[bool]()
    document = analyzer.document
    analyzer.may_go_on.set()
    with closing(SqliteStore(tmp_path / "omoide.sqlite3")) as store:
        index = Index(store, analyzer)
        memories = Memories(store, index, clock=utc_now, zone=timezone.utc)
        memories.remember_many([f"{text} {number}" for text in TEXTS for number in range(FEW_CHANGES)])
        monkeypatch.setattr(
            analyzer, "document", lambda *text: free.append(index._right_of_way.is_free) or document(*text)
        )
        memories.recall("抹茶")
    assert free == [False] + [not waits] * (len(TEXTS) * FEW_CHANGES - 1)


def test_a_snapshot_that_is_due_is_written_beside_the_searches(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "omoide.sqlite3")
    index = Index(store, Analyzer(), tmp_path / "index")
    memories = Memories(store, index, clock=utc_now, zone=utc_now().tzinfo)  # type: ignore[arg-type]
    memories.remember_many([Draft(text=f"{TEXTS[n % 4]} {n}") for n in range(SNAPSHOT_AFTER)])
    assert len(memories.recall("抹茶").hits) == 10
    for thread in [thread for thread in threading.enumerate() if thread.name == "omoide-snapshot"]:
        thread.join()
    assert index.state().snapshot == index.state().newest
    memories.close()


def test_a_relation_is_followed_without_reading_what_it_ends_at(tmp_path: Path, memories: Memories) -> None:
    ends = [memories.remember(text).memory.id for text in TEXTS[:2]]
    node = memories.upsert_node("concept", "旅", "京都への旅")
    assert len(memories.recall("京都").hits) == 3

    def spoil(tags: str) -> None:
        with sqlite3.connect(tmp_path / "store" / "omoide.sqlite3") as spoiling:
            spoiling.execute("UPDATE memories SET tags = ?", (tags,))
        spoiling.close()

    spoil("no JSON")  # whoever reads these rows whole fails
    first, second, about = Ref("memory", ends[0]), Ref("memory", ends[1]), Ref("entity", node.id)
    with memories.store.write() as writer:
        for number, (source, target) in enumerate([(first, second), (about, first)]):
            drawn = RelationDraft(id=str(number), source=source, target=target, type="about", weight=1.0)
            writer.put_relation(drawn, now=memories.clock())
    memories.stats()  # follows
    spoil("[]")
    met = memories.neighbours(first, depth=1, relations=frozenset({"about"}))
    assert {each.node.id for each in met} == {ends[1], node.memory_id}


@pytest.mark.parametrize("text", ["昨日、抹茶を飲んだ。", "我昨天喝了抹茶。", "I drank matcha yesterday."])
def test_an_error_of_the_analyser_is_not_taken_for_a_damaged_store(text: str) -> None:
    with closing(SqliteStore(":memory:", clock=utc_now)) as store:
        memories = Memories(store, Index(store, FailingAnalyzer()), clock=utc_now, zone=timezone.utc)
        memories.remember(text)
        with pytest.raises(ValueError, match="substring not found"):
            memories.recall("抹茶")
