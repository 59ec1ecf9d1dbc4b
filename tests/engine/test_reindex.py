"""Another analyser: the old index goes on answering, and following, while a new one is built beside it."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from omoide.app import INDEX_FOLDER, STORE_FILE, open_memories, utc_now
from omoide.engine import Index, reindex
from omoide.engine.documents import read_batch
from omoide.engine.generation import IDENTITY_FILE, Identity
from omoide.errors import StoreBusy, StoreError, StoreUnreachable
from omoide.memory import Memories
from omoide.memory.verify import verify
from omoide.model.memory import Draft
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer
from omoide.turns import GLANCES, give_way, giving_way, hurried

TEXTS = ["昨日、京都で抹茶を飲んだ。", "我昨天在京都喝了抹茶。", "Yesterday I drank matcha in Kyoto."]
LATER = {"抹茶が京都で人気だ。": "人気", "京都的茶馆很安静。": "茶馆", "The teahouse in Kyoto is quiet.": "teahouse"}
MANY = 600


class Later(Analyzer):
    """A later version of the analyser; `gate` holds it back at `after` documents."""

    def __init__(self, after: int = 0) -> None:
        super().__init__()
        self.documents = 0
        self.after = after
        self.gate = threading.Event()
        self.reached = threading.Event()

    @property
    def version(self) -> str:
        return super().version + "; later"

    def resembling(self, version: str) -> Analyzer:
        return Analyzer()

    def document(self, text: str, lang: str | None = None) -> Any:
        if self.documents == self.after:
            self.reached.set()
            assert self.gate.wait(60)
        self.documents += 1
        return super().document(text, lang)


def opened(data: Path, analyzer: Analyzer) -> tuple[Memories, Index]:
    store = SqliteStore(data / STORE_FILE, clock=utc_now)
    index = Index(store, analyzer, folder=data / INDEX_FOLDER)
    return Memories(store, index, clock=utc_now, zone=utc_now().tzinfo), index  # type: ignore[arg-type]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_memories(tmp_path) as memories:
        memories.remember_many([Draft(id=f"m{n}", text=f"{TEXTS[n % 3]} {n}") for n in range(MANY)])
        memories.recall("抹茶")
    return tmp_path


def test_the_old_index_answers_and_follows_until_the_new_one_is_ready(data: Path) -> None:
    analyzer = Later()
    memories, index = opened(data, analyzer)
    assert len(memories.recall("京都の抹茶").hits) == 10
    assert analyzer.reached.wait(60)
    for text, word in LATER.items():
        memories.remember(text)
        assert memories.recall(word).hits[0].memory.text == text
    reindexing = memories.stats()["index"]["reindexing"]
    assert (reindexing["done"], reindexing["of"]) == (0, MANY + len(LATER))
    assert reindexing["analyzer"] == analyzer.version != memories.stats()["analyzer"]
    analyzer.gate.set()
    assert index.wait_for_reindex(60)
    assert memories.stats()["index"]["reindexing"] is None
    assert memories.stats()["analyzer"] == analyzer.version
    assert analyzer.documents == MANY + len(LATER)
    for text, word in LATER.items():
        assert memories.recall(word).hits[0].memory.text == text
    memories.close()


def test_an_index_of_an_analyser_that_is_no_longer_installed_answers_until_the_new_one_is_ready(tmp_path: Path) -> None:
    with open_memories(tmp_path, japanese="fugashi") as memories:
        memories.remember_many([Draft(text=text) for text in TEXTS])
        memories.recall("抹茶")
    program = """
import sys
sys.modules["fugashi"] = None
import omoide
with omoide.open(sys.argv[1]) as memories:
    for question in ("京都の抹茶", "我昨天喝了什么", "what did I drink yesterday"):
        print(memories.recall(question).hits[0].memory.text)
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, encoding="utf-8")
    assert (done.stdout.splitlines(), done.stderr) == (TEXTS, "")


def test_a_build_that_takes_over_during_a_check_is_not_taken_for_a_faulty_one(data: Path) -> None:
    analyzer = Later()
    memories, index = opened(data, analyzer)

    def write() -> None:
        memories.remember_many([Draft(text=text) for text in LATER])
        memories.forget("m0")

    class TakenOver:
        """The index, which another build takes over as soon as the check begins to look into it."""

        def prepare(self, *asked: Any, **more: Any) -> Any:
            if not analyzer.gate.is_set():
                with ThreadPoolExecutor(1) as others:
                    others.submit(write).result(60)
                analyzer.gate.set()
                assert index.wait_for_reindex(60)
            return index.prepare(*asked, **more)

        def __getattr__(self, name: str) -> Any:
            return getattr(index, name)

    assert verify(memories.store, TakenOver()) == []  # type: ignore[arg-type]
    assert index.state().stats.documents == MANY + len(LATER) - 1
    memories.close()


class Asked(Analyzer):
    """Notes how often whoever gives way would rest while a question is read."""

    def __init__(self) -> None:
        super().__init__()
        self.rests: list[float] = []

    def query(self, text: str, lang: str | None = None, **how: Any) -> Any:
        with giving_way(self.rests.append):
            give_way()
        return super().query(text, lang, **how)


def test_a_build_gives_way_to_searches_after_every_text(data: Path) -> None:
    analyzer, rests = Asked(), list[float]()
    memories, _ = opened(data, analyzer)
    memories.recall("京都の抹茶")
    assert len(analyzer.rests) == GLANCES
    with memories.store.read() as reader, hurried():
        changes = reader.changes_since(0, 7)
        read_batch(reader, changes, analyzer)
        with giving_way(rests.append):
            read_batch(reader, changes, analyzer)
    assert len(rests) == 7 * GLANCES
    memories.close()


class Away(SqliteStore):
    """A store that whoever builds cannot read, twice for each error."""

    def __init__(self, path: Path, *errors: StoreError) -> None:
        self.errors = [error for each in errors for error in (each, each)]
        super().__init__(path, clock=utc_now)

    def read(self) -> Any:
        if self.errors and threading.current_thread().name == "omoide-reindex":
            raise self.errors.pop()
        return super().read()


@pytest.mark.parametrize(
    "error",
    [
        StoreBusy("別の処理が記憶を使っています。"),
        StoreUnreachable("无法读取存储文件。"),
        StoreError("The store could not be read."),
    ],
)
def test_a_build_goes_on_when_its_store_can_be_read_again(
    data: Path, error: StoreError, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reindex, "REST_SECONDS", 0.01)
    store = Away(data / STORE_FILE, error)
    index = Index(store, Later(after=-1), folder=data / INDEX_FOLDER)
    memories = Memories(store, index, clock=utc_now, zone=utc_now().tzinfo)  # type: ignore[arg-type]
    assert memories.recall("抹茶").hits
    assert index.wait_for_reindex(60)
    assert memories.stats()["index"]["reindexing"] is None
    assert memories.stats()["analyzer"] == Later().version
    assert [record.getMessage() for record in caplog.records] == [f"{reindex.FAILING}: {error}"]
    memories.close()


def test_a_build_that_rests_tells_why_and_ends_when_it_is_told_to(data: Path) -> None:
    store = Away(data / STORE_FILE, StoreBusy("存储正被占用。"))
    index = Index(store, Later(after=-1), folder=data / INDEX_FOLDER)
    memories = Memories(store, index, clock=utc_now, zone=utc_now().tzinfo)  # type: ignore[arg-type]
    memories.recall("抹茶")
    while memories.stats()["index"]["reindexing"]["error"] is None:
        assert not index.wait_for_reindex(0.001)
    assert memories.stats()["index"]["reindexing"]["error"] == "StoreBusy: 存储正被占用。"
    memories.close()
    assert index.wait_for_reindex(0)


def sleeps_where_others_hurry() -> bool:
    """Whether this thread gives way: whether it calls `sleep` while another does what somebody waits for."""
    called: list[object] = []
    sys.setprofile(lambda _, event, what: called.append(what) if event == "c_call" else None)
    try:
        with hurried():
            give_way()
    finally:
        sys.setprofile(None)
    return sleep in called


class Polite(Later):
    """Notes whether the thread that reads a text gives way."""

    def __init__(self) -> None:
        super().__init__()
        self.gives_way: set[bool] = set()

    def document(self, text: str, lang: str | None = None) -> Any:
        self.gives_way.add(sleeps_where_others_hurry())
        return super().document(text, lang)


def test_only_the_thread_that_builds_gives_way(data: Path) -> None:
    analyzer = Polite()
    analyzer.gate.set()
    memories, index = opened(data, analyzer)
    memories.recall("京都の抹茶")
    assert not sleeps_where_others_hurry()
    assert index.wait_for_reindex(60)
    assert analyzer.gives_way == {True}
    memories.remember("抹茶が人気だ。")
    memories.recall("人気")
    assert analyzer.gives_way == {True, False}
    memories.close()


def test_a_build_that_has_taken_over_is_freed_when_its_store_is_closed(data: Path) -> None:
    analyzer = Later()
    analyzer.gate.set()
    memories, index = opened(data, analyzer)
    memories.recall("抹茶")
    assert index.wait_for_reindex(60)
    assert memories.stats()["analyzer"] == analyzer.version
    gone = weakref.ref(index)
    memories.close()
    for each in threading.enumerate():  # the new build is written to the disk while it answers already
        if each.name in ("omoide-reindex", "omoide-snapshot"):
            each.join(60)
    del memories, index
    gc.collect()
    assert gone() is None


def test_a_build_that_was_interrupted_goes_on_where_it_stopped(data: Path) -> None:
    analyzer = Later(after=300)
    memories, index = opened(data, analyzer)
    memories.recall("抹茶")
    assert analyzer.reached.wait(60)
    closing = threading.Thread(target=memories.close)
    closing.start()
    while not index._reindex._stop.is_set():  # type: ignore[union-attr]
        closing.join(0.001)
    analyzer.gate.set()
    closing.join(60)
    done = analyzer.documents
    assert 300 < done < MANY

    again = Later(after=-1)
    memories, index = opened(data, again)
    memories.recall("抹茶")
    assert index.wait_for_reindex(60)
    assert again.documents == MANY - done
    memories.close()


def test_a_build_whose_step_takes_long_is_not_waited_for_and_keeps_the_steps_before(data: Path) -> None:
    analyzer = Later(after=300)
    memories, index = opened(data, analyzer)
    memories.recall("抹茶")
    assert analyzer.reached.wait(60)
    reindex = index._reindex
    assert reindex is not None
    reindex.stop(0.01)
    assert not reindex.wait(0)
    assert 0 < reindex.generation.snapshot < MANY
    analyzer.gate.set()
    memories.close()


def test_the_new_index_answers_as_one_built_from_nothing(data: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    memories, index = opened(data, Later(after=-1))
    memories.recall("抹茶")
    assert index.wait_for_reindex(60)
    store = memories.store
    fresh = Memories(store, Index(store, Later(after=-1)), clock=utc_now, zone=memories.zone)
    for query in ("抹茶", "京都", "matcha in Kyoto"):
        asked = [[(hit.memory.id, hit.score) for hit in each.recall(query).hits] for each in (memories, fresh)]
        assert asked[0] == asked[1]
    memories.close()


def test_an_index_of_the_other_japanese_analyser_is_asked_with_it(data: Path) -> None:
    pytest.importorskip("fugashi")
    memories, index = opened(data, Analyzer("fugashi"))
    assert memories.recall("抹茶").hits
    assert "sudachi;" in memories.stats()["analyzer"]
    assert index.wait_for_reindex(60)
    assert "fugashi;" in memories.stats()["analyzer"]
    memories.close()


@pytest.mark.parametrize("query", ["京都で抹茶", "在京都喝抹茶", "matcha in Kyoto"])
def test_an_index_of_an_earlier_version_of_the_built_in_embedder_is_built_anew(data: Path, query: str) -> None:
    with open_memories(data) as memories:
        wanted = [(hit.memory.id, hit.score) for hit in memories.recall(query).hits]
    (present,) = (data / INDEX_FOLDER).iterdir()
    identity = Identity(**json.loads((present / IDENTITY_FILE).read_text()))
    earlier = identity._replace(embedder="lexical @ 1")
    (present / IDENTITY_FILE).write_text(json.dumps(earlier._asdict()))
    present.rename(present.with_name(earlier.folder_name))
    with open_memories(data) as memories:
        assert [(hit.memory.id, hit.score) for hit in memories.recall(query).hits] == wanted
        assert memories.stats()["index"]["reindexing"] is None
    assert {each.name for each in (data / INDEX_FOLDER).iterdir()} >= {identity.folder_name}


@pytest.mark.parametrize("embedder", ["", None, "静的", ["lexical @ 1"]])
def test_a_damaged_signature_is_no_build_of_an_embedder_without_a_name(
    data: Path, caplog: pytest.LogCaptureFixture, embedder: object
) -> None:
    with open_memories(data) as memories:
        wanted = [hit.memory.id for hit in memories.recall("抹茶").hits]
    (present,) = (data / INDEX_FOLDER).iterdir()
    signature = json.loads((present / IDENTITY_FILE).read_text())
    (present / IDENTITY_FILE).write_text(json.dumps({**signature, "embedder": embedder}))
    (present / "CURRENT").unlink()  # else the build that is wanted is there, and no other is asked for
    with open_memories(data) as memories:
        assert [hit.memory.id for hit in memories.recall("抹茶").hits] == wanted
        assert memories.stats()["index"]["reindexing"] is None
    assert "cannot be had" not in caplog.text


def test_at_most_two_builds_stay_on_the_disk(data: Path) -> None:
    for suffix in ("; a", "; b", "; c"):
        kind = type("Named", (Analyzer,), {"version": property(lambda self, suffix=suffix: "4 sudachi" + suffix)})
        memories, index = opened(data, kind())
        memories.recall("抹茶")
        assert index.wait_for_reindex(60)
        memories.close()
    assert len(list((data / INDEX_FOLDER).iterdir())) == 2
