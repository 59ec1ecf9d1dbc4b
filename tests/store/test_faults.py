"""What SQLite says becomes an error that tells what happened and what to do, in the caller's language."""

from __future__ import annotations

import sqlite3

import pytest

from omoide.errors import StoreUnreachable
from omoide.store.sqlite.faults import fault

#: (SQLite's message, what is told in English, Japanese and Chinese)
TOLD = [
    ("disk I/O error", "it may be full, or failing", "ディスクに空きがない", "磁盘可能已满"),
    ("unable to open database file", "a folder this user may enter", "保存先を開けません", "无法打开记忆的存储"),
]


@pytest.mark.parametrize(("said", "en", "ja", "zh"), TOLD)
def test_a_store_that_cannot_be_reached_is_told_of_with_what_to_look_for(said: str, en: str, ja: str, zh: str) -> None:
    error = fault(sqlite3.OperationalError(said), "memories.db")
    assert isinstance(error, StoreUnreachable)
    assert en in str(error)
    assert ja in error.also["ja"]
    assert zh in error.also["zh"]
