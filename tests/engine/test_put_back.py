"""A store file that is put back by hand to an older state: the index follows what is there now, not what was."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from omoide import _engine
from omoide.app import INDEX_FOLDER, STORE_FILE, open_memories
from omoide.engine.generation import IDENTITY_FILE
from omoide.errors import StoreError
from omoide.memory import Memories
from omoide.store.migrations import migrate, shipped

BEFORE = ("京都で抹茶を飲んだ", "我们在北京喝茶", "we drank tea in London")
LOST = ("奈良で鹿に会った", "我们在上海吃饭", "we met deer in Nara")
AFTER = ("沖縄で泳いだ", "我们在成都看熊猫", "we swam in Okinawa", "札幌で雪を見た")


def fill(folder: Path, clock: Any, texts: tuple[str, ...]) -> None:
    with open_memories(folder, clock=clock) as memories:
        for text in texts:
            memories.remember(text)
        memories.recall("茶")


def found(memories: Memories) -> list[str]:
    return sorted(hit.memory.text for hit in memories.recall("", limit=100).hits)


def put_back(copy: Path, folder: Path) -> None:
    """As `mv` does it: another file in the place of the first, whose log goes with it."""
    beside = folder / "beside"
    shutil.copyfile(copy, beside)
    for name in ("-wal", "-shm"):
        (folder / (STORE_FILE + name)).unlink(missing_ok=True)
    beside.replace(folder / STORE_FILE)


def assert_goes_on(memories: Memories, count: int) -> None:
    """After some more writes, the store has these and what is in the copy, and finds them."""
    for text in AFTER[:count]:
        memories.remember(text)
    assert found(memories) == sorted((*BEFORE, *AFTER[:count]))
    for text in AFTER[:count]:
        assert memories.recall(text, limit=1).hits[0].memory.text == text


@pytest.mark.parametrize("count", range(len(AFTER) + 1))
def test_what_was_written_since_is_forgotten_and_what_is_written_now_is_found(
    tmp_path: Path, clock: Any, count: int
) -> None:
    folder, copy = tmp_path / "store", tmp_path / "copy"
    fill(folder, clock, BEFORE)
    shutil.copyfile(folder / STORE_FILE, copy)
    fill(folder, clock, LOST)
    put_back(copy, folder)
    with open_memories(folder, clock=clock) as memories:
        assert_goes_on(memories, count)
        for text in LOST:
            assert text not in {hit.memory.text for hit in memories.recall(text).hits}


@pytest.mark.parametrize("count", range(len(AFTER) + 1))
def test_a_copy_that_was_made_while_the_store_was_written_is_noticed_when_it_is_put_back(
    tmp_path: Path, clock: Any, count: int
) -> None:
    folder, copy = tmp_path / "store", tmp_path / "copy"
    fill(folder, clock, BEFORE)
    with open_memories(folder, clock=clock) as memories:
        with memories.store.write():
            pass  # from here on, the store has the history to which what is lost belongs
        with closing(sqlite3.connect(folder / STORE_FILE)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy),))
        for text in LOST:
            memories.remember(text)
        assert found(memories) == sorted((*BEFORE, *LOST))
    put_back(copy, folder)
    with open_memories(folder, clock=clock) as memories:
        assert_goes_on(memories, count)


def test_it_is_noticed_by_those_who_have_the_store_open(tmp_path: Path, clock: Any) -> None:
    folder, copy = tmp_path / "store", tmp_path / "copy"
    fill(folder, clock, BEFORE)
    shutil.copyfile(folder / STORE_FILE, copy)
    with open_memories(folder, clock=clock) as one, open_memories(folder, clock=clock) as other:
        for text in LOST:
            one.remember(text)
        assert found(other) == found(one) == sorted((*BEFORE, *LOST))
        put_back(copy, folder)
        for text in AFTER[:3]:
            one.remember(text)
        assert found(other) == found(one) == sorted((*BEFORE, *AFTER[:3]))


def test_several_who_write_in_turn_share_one_history(tmp_path: Path, clock: Any) -> None:
    folder = tmp_path / "store"
    with open_memories(folder, clock=clock) as one, open_memories(folder, clock=clock) as other:
        for text in (*BEFORE, *AFTER):
            one.remember(text)
            before = other.stats()["index"]["applied"]
            other.remember(f"{text}!")
            assert one.recall(text).as_of == other.recall(text).as_of > before
        assert len(found(one)) == 2 * len((*BEFORE, *AFTER))
        with one.store.read() as reader:
            histories = {reader.history(seq) for seq in range(1, reader.last_seq() + 1)}
        assert len(histories) == 2


def test_an_engine_stands_at_one_change_of_one_history() -> None:
    engine = _engine.Engine(dimensions=1, lexical=True)
    assert engine.stands_at(0, "")
    engine.apply(3, history="京都")
    assert engine.stands_at(3, "京都")
    assert not any(engine.stands_at(*each) for each in ((3, "北京"), (2, "京都"), (0, "")))


def test_the_log_of_the_store_that_was_there_is_not_read_into_the_one_that_is_there_now(
    tmp_path: Path, clock: Any
) -> None:
    folder, copy = tmp_path / "store", tmp_path / "copy"
    fill(folder, clock, BEFORE)
    shutil.copyfile(folder / STORE_FILE, copy)
    fill(folder, clock, LOST)
    with open_memories(folder, clock=clock) as memories:
        memories.remember("捨てられる思い出")
        kept = copy.read_bytes()
        copy.replace(folder / STORE_FILE)
        for ask in (lambda: memories.recall("茶"), lambda: memories.remember("书"), memories.counts):
            with pytest.raises(StoreError, match="the log of the one before is beside it"):
                ask()
        assert (folder / STORE_FILE).read_bytes() == kept
        for name in ("-wal", "-shm"):
            (folder / (STORE_FILE + name)).unlink(missing_ok=True)
        memories.remember("书")
        assert found(memories) == sorted((*BEFORE, "书"))
        memories.remember("もう一つ")
        assert memories.store.problems() == []


OTHERS = [
    ("empty", b"", "it is empty, or an older omoide wrote it"),
    ("text", "思い出".encode() * 1000, "not an omoide store"),
]


@pytest.mark.parametrize(("content", "said"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_what_is_no_store_of_today_is_named_when_it_takes_the_place_of_an_open_one(
    tmp_path: Path, clock: Any, content: bytes, said: str
) -> None:
    folder, copy = tmp_path / "store", tmp_path / "copy"
    fill(folder, clock, BEFORE)
    copy.write_bytes(content)
    with open_memories(folder, clock=clock) as memories:
        put_back(copy, folder)
        for ask in (lambda: memories.recall("茶"), lambda: memories.remember("书")):
            with pytest.raises(StoreError, match=said):
                ask()


def test_a_store_of_an_older_omoide_in_the_place_of_an_open_one_is_named(tmp_path: Path, clock: Any) -> None:
    folder, copy = tmp_path / "store", tmp_path / "copy"
    fill(folder, clock, BEFORE)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        migrate(connection, "", shipped()[:1], now=clock())
    with open_memories(folder, clock=clock) as memories:
        put_back(copy, folder)
        with pytest.raises(StoreError, match="an older omoide wrote it") as caught:
            memories.recall("茶")
    assert "upgraded when it is opened" in caught.value.hint


def test_a_snapshot_that_cannot_be_signed_leaves_nothing_beside(tmp_path: Path, clock: Any) -> None:
    fill(tmp_path, clock, BEFORE)
    [signature] = tmp_path.glob(f"{INDEX_FOLDER}/*/{IDENTITY_FILE}")
    signature.unlink()
    signature.mkdir()
    fill(tmp_path, clock, AFTER)
    assert [each.name for each in signature.parent.glob(f"{IDENTITY_FILE}*")] == [IDENTITY_FILE]


def _rest(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.rglob("*")) if folder.exists() else []


REMOVED = {
    "the folder": shutil.rmtree,
    "what is in it": lambda folder: [
        shutil.rmtree(each) if each.is_dir() else each.unlink() for each in folder.iterdir()
    ],
}


@pytest.mark.parametrize("remove", REMOVED.values(), ids=REMOVED.keys())
def test_of_a_store_that_is_removed_while_it_is_open_nothing_is_written_again(
    tmp_path: Path, clock: Any, caplog: pytest.LogCaptureFixture, remove: Callable[[Path], object]
) -> None:
    folder = tmp_path / "store"
    with open_memories(folder, clock=clock) as memories:
        for text in BEFORE:
            memories.remember(text)
        assert found(memories) == sorted(BEFORE)
        remove(folder)
        with pytest.raises(StoreError, match="cannot be opened"):
            memories.recall("茶")
    assert _rest(folder) == []
    assert "index snapshot not written: The store" in caplog.text
    with open_memories(folder, clock=clock) as memories:
        assert found(memories) == []
