"""Matched terms are shown as they were asked for."""

import pytest

from omoide.memory import Memories


@pytest.mark.parametrize(
    ("query", "text", "written"),
    [
        ("ジブリが好き", "ジブリが大好きです。", {"ジブリ", "好き"}),
        ("臺灣的記憶", "台湾的记忆很美。", {"臺灣", "記憶"}),
        ("She was RUNNING home", "I run home every day.", {"running", "home"}),
        ("ＳＱＬｉｔｅの保存", "SQLiteに保存する", {"sqlite", "保存"}),
    ],
)
def test_the_words_of_a_hit_are_spelled_as_in_the_query(
    memories: Memories, query: str, text: str, written: set[str]
) -> None:
    memories.remember(text)
    assert written <= set(memories.recall(query).hits[0].why.words)
