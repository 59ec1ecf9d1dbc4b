"""The user's own words and synonyms: two files beside the store, in force without a restart."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from omoide.app import open_memories
from omoide.memory import Memories
from omoide.model.memory import Draft

TEXTS = [
    "昨日、京都で抹茶を飲んだ。",
    "我昨天喝了汽水。",
    "Yesterday I drank matcha in Kyoto.",
    "The dogs barked all night.",
    "推し活のために遠征した。",
    "他们喜欢剧本杀。",
    "卡皮巴拉很可爱。",
]


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    with open_memories(tmp_path, zone=ZoneInfo("Asia/Tokyo")) as opened:
        opened.remember_many([Draft(text=text) for text in TEXTS])
        yield opened


def found(memories: Memories, query: str) -> list[str]:
    return [hit.memory.text for hit in memories.recall(query).hits]


def write(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize(
    ("group", "asked", "text"),
    [
        ("抹茶, matcha, まっちゃ", "matcha", "昨日、京都で抹茶を飲んだ。"),
        ("抹茶, matcha, まっちゃ", "まっちゃ", "Yesterday I drank matcha in Kyoto."),
        ("サイダー、汽水、cider", "サイダー", "我昨天喝了汽水。"),
        ("ワンちゃん\tdog\t狗", "ワンちゃんの声", "The dogs barked all night."),
        ("水豚，卡皮巴拉，カピバラ", "カピバラを見たい", "卡皮巴拉很可爱。"),
    ],
)
def test_asking_for_one_of_a_group_finds_the_others(
    memories: Memories, tmp_path: Path, group: str, asked: str, text: str
) -> None:
    assert text not in found(memories, asked)[:1]
    write(tmp_path, "synonyms.txt", f"# 言い換え\n{group}\n")
    assert text in found(memories, asked)[:3]


@pytest.mark.parametrize(
    ("group", "asked", "text"),
    [
        ("水豚，卡皮巴拉，カピバラ", "水豚", "卡皮巴拉很可爱。"),
        ("水豚，卡皮巴拉，カピバラ", "where is the 水豚", "卡皮巴拉很可爱。"),
        ("应援活动、推し活", "应援活动", "推し活のために遠征した。"),
        ("剧本杀、マーダーミステリー、murder mystery", "マーダーミステリー", "他们喜欢剧本杀。"),
        ("犬、狗、dogs", "狗", "The dogs barked all night."),
        ("サイダー、汽水、cider", "cider", "我昨天喝了汽水。"),
    ],
)
def test_what_says_it_in_another_way_is_found_as_saying_it_not_as_sharing_a_character(
    memories: Memories, tmp_path: Path, group: str, asked: str, text: str
) -> None:
    memories.remember_many([Draft(text=each) for each in ("水曜日に会議がある。", "豚肉を焼いた。", "我们改期了。")])
    write(tmp_path, "synonyms.txt", group)
    best, *others = memories.recall(asked).hits
    assert best.memory.text == text
    assert best.relevance >= 0.4
    assert all(other.relevance < best.relevance for other in others)


def test_what_was_asked_for_comes_before_its_synonym(memories: Memories, tmp_path: Path) -> None:
    write(tmp_path, "synonyms.txt", "抹茶,matcha\n")
    assert found(memories, "matcha")[:2] == [TEXTS[2], TEXTS[0]]
    assert found(memories, "抹茶")[:2] == [TEXTS[0], TEXTS[2]]
    write(tmp_path, "synonyms.txt", "水豚，卡皮巴拉，カピバラ\n")
    memories.remember_many([Draft(text="动物园里有水豚。"), Draft(text="カピバラを見た。")])
    assert [word in found(memories, word)[0] for word in ("水豚", "卡皮巴拉", "カピバラ")] == [True] * 3


@pytest.mark.parametrize(
    ("said", "otherwise"),
    [
        (["The sled is red.", "My sled is big.", "Wash the sled."], "A sleigh."),
        (["The sled is red.", "My sled is big.", "Wash the sled."], "橇を洗った。"),
        (["The sled is red.", "My sled is big.", "Wash the sled."], "雪橇停在楼下。"),
    ],
)
@pytest.mark.parametrize("others", ["図書館で本を借りた。{n}", "图书馆里很安静。{n}", ""])
def test_what_all_of_a_few_texts_have_comes_before_its_synonym_in_one(
    memories: Memories, tmp_path: Path, said: list[str], otherwise: str, others: str
) -> None:
    write(tmp_path, "synonyms.txt", "sled, sleigh, 橇, 雪橇\n")
    crowd = [others.format(n=n) for n in range(30) if others]
    memories.remember_many([Draft(text=text) for text in (*crowd, *said, otherwise)])
    assert sorted(found(memories, "sled")[:3]) == sorted(said)
    assert found(memories, "sled")[3] == otherwise


@pytest.mark.parametrize(
    ("group", "asked", "text"),
    [
        ("抹茶, matcha, まっちゃ", "matcha", "昨日、京都で抹茶を飲んだ。"),
        ("サイダー、汽水、cider", "サイダー", "我昨天喝了汽水。"),
        ("抹茶, matcha", "抹茶", "Yesterday I drank matcha in Kyoto."),
    ],
)
def test_a_group_counts_at_once_also_where_the_words_have_changed_with_it(
    memories: Memories, tmp_path: Path, group: str, asked: str, text: str
) -> None:
    assert text not in found(memories, asked)[:1]
    write(tmp_path, "words.txt", "推し活\n剧本杀\n")
    write(tmp_path, "synonyms.txt", group)
    assert text in found(memories, asked)[:3]
    assert memories._index.wait_for_reindex(60)
    assert text in found(memories, asked)[:3]


def test_a_group_that_is_written_while_new_words_are_indexed_still_counts_afterwards(
    memories: Memories, tmp_path: Path
) -> None:
    memories.remember_many([Draft(text=f"図書館で本{n}を借りた。") for n in range(2_000)])
    found(memories, "matcha")
    write(tmp_path, "words.txt", "推し活\n剧本杀\n")
    found(memories, "matcha")  # begins to index anew
    write(tmp_path, "synonyms.txt", "抹茶, matcha\n")
    assert TEXTS[0] in found(memories, "matcha")[:3]
    assert memories._index.wait_for_reindex(60)
    assert TEXTS[0] in found(memories, "matcha")[:3]


def test_a_group_that_is_taken_out_is_forgotten(memories: Memories, tmp_path: Path) -> None:
    write(tmp_path, "synonyms.txt", "サイダー,汽水\n")
    assert TEXTS[1] in found(memories, "サイダー")
    (tmp_path / "synonyms.txt").unlink()
    assert TEXTS[1] not in found(memories, "サイダー")


@pytest.mark.parametrize("word", ["推し活", "剧本杀"])
def test_a_word_of_the_users_is_one_word(memories: Memories, tmp_path: Path, word: str) -> None:
    write(tmp_path, "words.txt", "推し活\n剧本杀\n")
    memories.recall(word)
    assert memories._index.wait_for_reindex(60)
    hit = memories.recall(word).hits[0]
    assert word in hit.memory.text
    assert word in hit.why.words
    assert hit.relevance == 1.0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("抹茶,matcha\n".encode("cp932"), "synonyms.txt is not UTF-8; what it said before counts"),
        ("ひとりぼっち\n抹茶,matcha\n".encode(), "synonyms.txt:1"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_the_log(
    memories: Memories, tmp_path: Path, content: bytes, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "synonyms.txt").write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert found(memories, "京都")
    assert told in caplog.text


def test_a_file_that_cannot_be_used_takes_nothing_from_the_other(memories: Memories, tmp_path: Path) -> None:
    write(tmp_path, "synonyms.txt", "抹茶,matcha\n")
    (tmp_path / "words.txt").write_bytes("剧本杀\n".encode("gbk"))
    assert found(memories, "matcha")[:2] == [TEXTS[2], TEXTS[0]]
