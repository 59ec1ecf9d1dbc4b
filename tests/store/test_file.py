"""The file of a store, copied by each SQLite that Python may bring."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.store.layout import STORE_FILE
from omoide.store.sqlite.file import copied, vacuumed

NOT_ON_MACOS = pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
BEFORE_3_27 = pytest.mark.skipif(sqlite3.sqlite_version_info < (3, 27), reason="this SQLite has no VACUUM INTO")
#: Names of folders, one with what URIs and SQL write otherwise, one that is not UTF-8.
FOLDERS = ["写し % ?x#'&日記", pytest.param(os.fsdecode("写し".encode("shift_jis")), marks=NOT_ON_MACOS)]
TEXTS = ("京都で抹茶を飲んだ", "我们在北京喝茶", "we drank tea in London")


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("copy", [pytest.param(vacuumed, marks=BEFORE_3_27), copied])
def test_a_copy_is_one_compact_file_with_what_was_committed(
    tmp_path: Path, copy: Callable[[sqlite3.Connection, Path], None], folder: str
) -> None:
    with open_memories(tmp_path / "data") as memories:
        forgotten = [memories.remember(f"忘れる {number} " * 100).memory.id for number in range(300)]
        for text in TEXTS:
            memories.remember(text)
        for each in forgotten:
            memories.forget(each)
        (tmp_path / folder).mkdir()
        made = tmp_path / folder / STORE_FILE
        with closing(
            sqlite3.connect((tmp_path / "data" / STORE_FILE).as_uri(), uri=True)
        ) as store:  # the log still has some of it
            before = store.execute("PRAGMA page_count").fetchone()
            copy(store, made)
            assert store.execute("PRAGMA page_count").fetchone() == before
    assert [path.name for path in made.parent.iterdir()] == [STORE_FILE]
    with closing(sqlite3.connect(made)) as connection:
        assert connection.execute("SELECT text FROM memories ORDER BY number").fetchall() == [(text,) for text in TEXTS]
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
